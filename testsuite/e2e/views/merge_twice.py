# SPDX-License-Identifier: GPL-3.0-or-later
"""cinstr merge adds each process once: its own output, inputs named twice, merged files that
overlap."""
import glob
import json
import os

import lab

SOURCE = "__attribute__((noinline)) static void work(void) { __asm__(\"\"); }\nint main(void) { work(); return 0; }\n"


def merge(bench, output, *inputs, status=0, **more):
    return bench.run(lab.COMMAND, "merge", "-o", output, *inputs, status=status, **more).stderr


def content(bench, name):
    with open(bench.path(name), "rb") as file:
        return file.read()


def recorded(bench, n):
    """n files of a process each."""
    program = bench.compile(bench.write("app.c", SOURCE), "app", "-O1")
    found = []
    for i in range(n):
        bench.run(program, env={"CINSTR_DATA": f"s{i}"}, status=0)
        found += glob.glob(bench.path(f"s{i}", "*.cinstr"))
    return found


@lab.test("merge_twice/itself")
def _(bench):
    one = recorded(bench, 12)
    for i, path in enumerate(one):
        os.rename(path, bench.path(f"b{i:02}.cinstr"))
    for name in ("all.cinstr", "c.cinstr"):  # before the others, and behind them
        inputs = sorted(glob.glob(bench.path("b*.cinstr")))
        merge(bench, bench.path(name), *inputs)
        first = content(bench, name)
        for _ in range(2):
            said = merge(bench, bench.path(name), *sorted([*inputs, bench.path(name)]))
            lab.check(f"{name}: skipped: its 12 processes are merged already" in said, said)
            lab.check("merged 12 processes" in said, said)
            lab.check(content(bench, name) == first, f"{name} is another one")


@lab.test("merge_twice/overlap")
def _(bench):
    a, b, c = recorded(bench, 3)
    merge(bench, "abc", a, b, c)
    merge(bench, "ab", a, b)
    merge(bench, "bc", b, c)
    for inputs, said_of, status in (((a, b, a, c), os.path.basename(a), 0), (("ab", a, c), os.path.basename(a), 0),
                                    ((a, c, "ab"), os.path.basename(a), 0), (("abc", "ab", "bc"), "ab", 0),
                                    (("abc", "abc"), "abc", 0), ((a, b, c, "bc"), "bc", 0)):
        said = merge(bench, "out", *inputs, status=status)
        lab.check(f"{said_of}: skipped: " in said and "merged already" in said, said)
        lab.check(content(bench, "out") == content(bench, "abc"), f"{inputs}: {said}")
    said = merge(bench, "out", "ab", "bc", status=1)
    lab.check("bc: skipped: 1 of its 2 processes are merged already, the others are lost" in said, said)
    lab.check(content(bench, "out") == content(bench, "ab"), said)


@lab.test("merge_twice/list")
def _(bench):
    a, b = recorded(bench, 2)
    merge(bench, "ab", a, b)
    bench.write("list", f"{a}\n{b}\n{a}\n")
    said = merge(bench, "out", "@list")
    lab.check("merged already" in said and content(bench, "out") == content(bench, "ab"), said)


@lab.test("merge_twice/read")
def _(bench):
    """A copy in a session's folder, and a merged file beside what it is of, do not count twice."""
    recorded(bench, 2)
    both = bench.path("both")
    for i in range(2):
        os.makedirs(both, exist_ok=True)
        bench.run("cp", "-a", bench.path(f"s{i}"), os.path.join(both, f"s{i}"), status=0)

    def calls(said):
        done = bench.run(lab.COMMAND, "report", "--format=json", both, status=0)
        lab.check(("left out: it is of" in done.stderr) == said, done.stderr)
        rows = json.loads(done.stdout)["rows"]
        return {row["name"]: row["calls"] for row in rows}["work"]

    lab.equal(calls(False), 2, "calls")
    (one,) = glob.glob(os.path.join(both, "s0", "*.cinstr"))
    bench.run("cp", one, os.path.join(both, "s0", "copy.cinstr"), status=0)
    lab.equal(calls(True), 2, "calls with a copy")
    os.unlink(os.path.join(both, "s0", "copy.cinstr"))
    merge(bench, os.path.join(both, "ab.cinstr"), both)
    lab.equal(calls(True), 2, "calls with a merged file")
    os.unlink(one)
    lab.equal(calls(True), 2, "calls with a merged file and a part of what it is of")
