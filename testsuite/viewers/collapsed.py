# SPDX-License-Identifier: GPL-3.0-or-later
"""Collapsed stacks: read by the patterns of flamegraph.pl, speedscope and Firefox, which are that
strict."""
import os
import re

import golden
import lab

FLAMEGRAPH = re.compile(r"^(.*)\s+?(\d+(?:\.\d*)?)$")
SPEEDSCOPE = re.compile(r"^(.*) (\d+)$")
FIREFOX = re.compile(r"^[^;]*(;[^;]*)* [0-9]+$")


def lines_of(path):
    with open(path, encoding="utf-8", newline="") as file:
        text = file.read()
    # Of what there was none, there are no lines.
    lab.check(text[-1:] in ("", "\n") and "\r" not in text, "lines end with a newline")
    return text.split("\n")[:-1]


def read(path):
    """[(names, value)]"""
    stacks = []
    for line in lines_of(path):
        found = FLAMEGRAPH.match(line)
        lab.check(found and FIREFOX.match(line), f"no line of collapsed stacks: {line!r}")
        lab.equal(SPEEDSCOPE.match(line).groups(), found.groups(), "two readers of " + line)
        stacks.append((found.group(1).split(";"), int(found.group(2))))
    lab.equal(len({tuple(names) for names, _ in stacks}), len(stacks), "each path is there once")
    return stacks


def by_leaf(stacks):
    sums = {}
    for names, value in stacks:
        sums[names[-1]] = sums.get(names[-1], 0) + value
    return sums


@lab.test("collapsed/every measure is csv's")
def measures(bench):
    session = golden.record(bench)
    rows = golden.csv_rows(bench, session)
    for measure in "elapsed", "application", "waiting", "calls", "switches":
        for by in "all", "thread", "thread-name":
            path = golden.export(bench, "collapsed", session, f"--measure={measure}", f"--by={by}")
            stacks = read(path)
            golden.same_values(by_leaf(stacks), rows, measure, f"--by={by}", lambda name: name.replace(";", ":"))
            if by != "all":
                lab.check(all(names[0].startswith("[thread") for names, _ in stacks), "threads stand above")
    lab.check(any("work:er" in names[0] for names, _ in stacks), "the thread's name")


@lab.test("collapsed/two sessions, two measures")
def two(bench):
    one = golden.record(bench)
    bench.run(bench.path("golden"), env={"CINSTR_DATA": bench.path("two")}, status=0)
    rows = [golden.csv_rows(bench, session) for session in (one, bench.path("two"))]
    pairs = golden.export(bench, "collapsed", one, other=bench.path("two"), output="both")
    found = [{}, {}]
    for line in lines_of(pairs):
        stack, *values = re.match(r"^(.*) (\d+) (\d+)$", line).groups()
        for side, value in enumerate(values):
            name = stack.split(";")[-1]
            found[side][name] = found[side].get(name, 0) + int(value)
    for side in range(2):
        golden.same_values(found[side], rows[side], "elapsed", f"session {side}", lambda name: name.replace(";", ":"))
    both = golden.export(bench, "collapsed", one, "--measure=application,elapsed")
    for line in lines_of(both):
        lab.check(re.match(r"^.* \d+ \d+$", line), line)


@lab.test("collapsed/what is chosen")
def chosen(bench):
    session = golden.record(bench)
    path = golden.export(bench, "collapsed", session, "--function=fib*", "--measure=calls")
    stacks = read(path)
    lab.check(stacks and all(any(name.startswith("fib") for name in names) for names, _ in stacks), "only stacks with fib")
    calls = sum(int(row["calls"]) for row in golden.csv_rows(bench, session) if row["name"].startswith("fib"))
    lab.equal(sum(value for _, value in stacks), calls, "calls of fib in three threads")
    part = read(golden.export(bench, "collapsed", session, "--from=end", "--measure=calls"))
    lab.equal([(names[-1].split(" ")[0].split("(")[0], value) for names, value in part], [("helper", 1), ("spin", 1)],
              "what happened behind the last mark")


@lab.test("collapsed/what goes wrong")
def wrong(bench):
    session = golden.record(bench)
    for options, status, says in ((["-o", "/dev/full"], 1, "No space left"), (["-o", "/none/x"], 1, "No such file"),
                                  (["--measure=time"], 2, "no 'time'"), (["--measure=samples"], 2, "not sampled"),
                                  (["--measure=calls,cpu,waiting"], 2, "takes 2 at most")):
        done = bench.run(lab.COMMAND, "export", "--format=collapsed", *options, session)
        lab.equal(done.returncode, status, str(options))
        lab.check(says in done.stderr and len(done.stderr.splitlines()) == 1, f"{options}: {done.stderr}")
    before = bench.write("kept", "what was there")
    limit = ["bash", "-c", 'ulimit -f 1; trap "" XFSZ; exec "$@"', "-"]
    done = bench.run(*limit, lab.COMMAND, "export", "--format=collapsed", "--by=thread", "-o", before, session)
    lab.equal(done.returncode, 1, "a file that may not grow")
    lab.check("File too large" in done.stderr, done.stderr)
    with open(before) as file:
        lab.equal(file.read(), "what was there", "the file before")
    lab.check(not os.path.exists(before + ".partial"), "nothing is left of it")
    said = bench.cinstr("export", "--format=collapsed", "--dry-run", "-o", bench.path("dry"), session)
    lab.check(re.match(r"about \d+\.\d KB: \d+ call paths, elapsed\n$", said), said)
    lab.check(not os.path.exists(bench.path("dry")), "--dry-run writes nothing")
