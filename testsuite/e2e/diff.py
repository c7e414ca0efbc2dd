# SPDX-License-Identifier: GPL-3.0-or-later
"""cinstr diff on programs of which is known what changed."""
import csv
import io
import json
import os
import shutil

import lab

RUNS = 5
ATTEMPTS = 4
FLAGS = ("-O1", "-fplugin-arg-cinstr-small=0", "-fplugin-arg-cinstr-lines")


def build(bench):
    """Both programs; the sources are in two folders, and lines have moved."""
    with open(os.path.join(lab.HERE, "programs/changed.c")) as file:
        source = file.read()
    programs = []
    for side, define, before in (("old", "-DOLD", ""), ("new", "-DNEW", "\n" * 7)):
        os.makedirs(bench.path(side))
        path = bench.write(f"{side}/changed.c", before + source)
        programs.append(bench.compile(path, f"program-{side}", *FLAGS, define))
    return programs


def record(bench, programs, runs, **env):
    """So many sessions of each program, in turn."""
    tag = "-".join(["run", *env.values()])
    sessions = [[bench.path(f"{side}.{tag}.{i}") for i in range(runs)] for side in ("old", "new")]
    for i in range(runs):
        for program, folders in zip(programs, sessions):
            bench.run(program, env={"CINSTR_DATA": folders[i], **env}, status=0)
    return sessions


def rows(bench, *args):
    return {row["name"]: row for row in json.loads(bench.cinstr("diff", "--format=json", *args))["rows"]}


def verdicts(found):
    return {name: row["verdict"] for name, row in found.items()}


def despite_noise(bench, programs, old, new, once):
    """once(old, new) holds, or does so of other runs: where others disturb them, the difference may rightly be called noise."""
    for attempt in range(ATTEMPTS):
        try:
            once(old, new)
            return old, new
        except lab.Failure:
            if attempt == ATTEMPTS - 1:
                raise
            for run in old + new:
                shutil.rmtree(run)
            old, new = record(bench, programs, RUNS)


@lab.test("diff/known changes")
def known(bench):
    programs = build(bench)
    old, new = record(bench, programs, RUNS)
    found = rows(bench, "--column=calls", "--threshold=0", old[0], new[0])
    lab.equal({name: (row["a"], row["b"], row["verdict"]) for name, row in found.items()},
              {"main": (1, 1, "same"), "changed": (100, 100, "same"), "equal": (100, 100, "same"),
               "called_less": (800, 200, "less"), "fresh": (0, 1, "added")}, "calls")
    back = rows(bench, "--column=calls", "--threshold=0", new[0], old[0])
    lab.equal((back["fresh"]["verdict"], back["called_less"]["change"]), ("removed", 600), "the other way round")

    chosen = rows(bench, "--function=ca*", "--threshold=0", old[0], new[0])
    lab.equal(sorted(chosen), ["called_less"], "with --function")
    table = bench.cinstr("diff", "--function=!ca*", "--threshold=0", old[0], new[0])
    lab.check("4 shown, 1 are not chosen" in table, table)

    def times(old, new):  # the processor is shared with whoever: what was on it counts
        found = rows(bench, "--column=application_exclusive", "--application=on-cpu", *old, "--", *new)
        changed = found["changed"]
        lab.equal((changed["verdict"], found["called_less"]["verdict"]), ("slower", "faster"), f"of {verdicts(found)}")
        lab.check(changed["interval_low"] < 3 * changed["a"] < changed["interval_high"]
                  or abs(changed["change_percent"] - 300) < 60, f"changed() takes 4 times as long: {changed}")

    found = rows(bench, "--column=application_exclusive", "--application=on-cpu", *old, "--", *new)
    lab.equal(found["fresh"]["verdict"], "added", "which is counted, not measured")
    old, new = despite_noise(bench, programs, old, new, times)
    (lines_old,), (lines_new,) = record(bench, programs, 1, CINSTR_PROBES="lines")
    lines = rows(bench, "--by=line", "--column=calls", "--threshold=0", lines_old, lines_new)
    by_verdict = {}
    for row in lines.values():
        by_verdict.setdefault(row["verdict"], []).append((row["line"], row["a"], row["b"]))
    lab.check(len(by_verdict["same"]) >= 4 and "removed" not in by_verdict, f"lines: {by_verdict}")
    lab.check(all(line > 7 for line, _, _ in by_verdict["same"]), f"lines are those of the new file: {by_verdict}")
    lab.check(any(a == 800 and b == 200 for _, a, b in by_verdict["less"]), f"lines: {by_verdict}")
    paths = rows(bench, "--by=path", "--column=calls", "--threshold=0", old[0], new[0])
    lab.equal(paths["called_less"]["path"], "main > called_less", "path")
    lab.equal(paths["called_less"]["change"], -600, "calls on a path")


@lab.test("diff/fail-over")
def fail_over(bench):
    programs = build(bench)
    old, new = record(bench, programs, RUNS)

    def ends(status, says, *args):
        done = bench.run(lab.COMMAND, "diff", *args, status=status)
        lab.check(says in done.stderr, f"{args}: {done.stderr!r} does not say {says!r}")
        return done

    counted = ("--column=calls", "--single=0")
    ends(0, "", *counted, "--fail-over=5", old[0], old[1])
    ends(0, "", *counted, "--fail-over=5", old[0], new[0])
    ends(1, "called_less: calls grew by 300.0 %", *counted, "--fail-over=5", new[0], old[0])
    ends(0, "", *counted, "--fail-over=300", new[0], old[0])
    ends(1, "called_less: calls grew by 300.0 %, at least 260.0 %", "--column=calls", "--single", "--fail-over=5", new[0], old[0])
    ends(2, "give --single", "--column=calls", "--fail-over=5", new[0], old[0])
    ends(2, "cinstr record --repeat=5", "--fail-over=25", old[0], new[0])
    times = ("--column=application_exclusive", "--application=on-cpu")

    def grown(old, new):
        ends(1, "changed: application_exclusive_ns grew", *times, "--fail-over=20", *old, "--", *new)
        ends(1, "the session's total: application time grew", *times, "--fail-over=20", "--fail-on=total", *old, "--", *new)

    old, new = despite_noise(bench, programs, old, new, grown)
    ends(0, "", *times, "--fail-over=20", "--fail-on=row", "--threshold=50", *new, "--", *old)
    done = ends(0, "", *times, "--fail-over=200", *old[:3], "--", *old[3:])
    lab.check("2 runs" in done.stdout, done.stdout)
    ends(2, "which two?", old[0])
    ends(2, "nothing that can be more or less", "--column=name", old[0], new[0])
    table = csv.DictReader(io.StringIO(bench.cinstr("diff", "--format=csv", "--relative", old[0], new[0])))
    share = sum(float(row["b"]) for row in table)
    lab.check(99 < share < 100.01, f"shares of a session add up to {share}")
