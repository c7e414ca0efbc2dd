# SPDX-License-Identifier: GPL-3.0-or-later
"""cinstr diff on programs of which is known what changed."""
import csv
import io
import json
import os
import re
import shutil

import lab
import quiet

RUNS = 5
ATTEMPTS = 4
FLAGS = ("-O1", "-fplugin-arg-cinstr-small=0", "-fplugin-arg-cinstr-lines")


def build(bench):
    """Both programs; the sources are in two folders, and lines have moved."""
    with open(os.path.join(lab.E2E, "programs/changed.c")) as file:
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
    """once(old, new) holds, or does so of other runs: where others disturb them, the difference may
    rightly be called noise."""
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
    table = bench.cinstr("diff", "--function=!ca*", "--threshold=0", "--verbose", old[0], new[0])
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


@lab.test("diff/many times as much")
def many_times(bench):
    """What takes a thousand times as long and more has no percentage of ten digits."""
    source = bench.write("more.c", """
        #include <time.h>
        __attribute__((noipa)) static void rest(long ns) { nanosleep(&(struct timespec){ 0, ns }, 0); }
        int main(int argc, char **argv)
        {
                (void)argv;
                rest(argc > 1 ? 400000000 : 100000);
                return 0;
        }""")
    program = bench.compile(source, "more", "-O1")
    options = ("--column=elapsed_inclusive",)

    def record():
        for side, args in ("a", ()), ("b", ("more",)):
            bench.run(program, *args, env={"CINSTR_DATA": bench.path(side)}, status=0)
        one = rows(bench, *options, bench.path("a"), "--", bench.path("b"))["rest"]
        lab.check_time(one["change_percent"] > 9999, f"the first one has rested too long: {one}")

    quiet.measured(record)
    table = bench.cinstr("diff", *options, bench.path("a"), "--", bench.path("b"))
    line = next(line for line in table.splitlines() if " rest" in line)
    lab.check(" > 9999 " in line and not re.search(r"\d{5,}\.\d", line), line)


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
    ends(2, "not a number that can be compared", "--column=name", old[0], new[0])
    table = csv.DictReader(io.StringIO(bench.cinstr("diff", "--format=csv", "--relative", old[0], new[0])))
    session = bench.report(new[0])["session"]
    share = sum(float(row["b"]) for row in table) + 100 * session["outside_functions_ns"] / session["elapsed_inclusive_ns"]
    lab.check(99 < share < 100.01, f"shares of a session add up to {share}")


CALLING = """
static volatile unsigned sink;
__attribute__((noinline)) void step(unsigned n) { sink += n; }
__attribute__((noinline)) void other(unsigned n) { sink -= n; }
__attribute__((noinline)) void caller(int times)
{
#ifdef NEW
	for (unsigned i = 0; i < sink % 3 + 5; i++) /* moves all that is below */
		other(i);
#endif
	if (times < 0)
		step(0); /* never */
	step(1); step(2);
	for (int i = 0; i < times; i++)
		step(3);
	other(4);
	sink++; /* no tail call */
}
int main(int argc, char **argv)
{
	(void)argv;
	caller(10 * argc);
	return 0;
}
"""


@lab.test("diff/instructions")
def instructions(bench):
    path = bench.write("calling.c", CALLING)
    flags = ("-O1", "-fplugin-arg-cinstr-small=0", "-Wl,--build-id")
    same, other = bench.compile(path, "program", *flags), bench.compile(path, "other", *flags, "-DNEW")
    sessions = {}
    for name, command in (("a", [same]), ("b", [same, "x"]), ("c", [other, "x"])):
        sessions[name] = bench.path(f"{name}.data")
        bench.run(*command, env={"CINSTR_DATA": sessions[name]}, status=0)

    def calls(a, b):
        done = bench.cinstr("diff", "--by=address", "--column=calls", "--threshold=0", "--function=caller", "--format=json",
                            sessions[a], sessions[b])
        rows = json.loads(done)["rows"]
        return sorted((row["line"], row["callee"], row["a"], row["b"], row["verdict"], row["guessed"]) for row in rows), rows

    line = {text: number for number, text in enumerate(CALLING.split("\n"), 1)}
    first, loop, last, entry, fresh = (next(n for text, n in line.items() if what in text) for what in
                                       ("step(1); step(2)", "step(3)", "other(4)", "void caller", "other(i)"))
    found, rows = calls("a", "b")
    lab.equal(found, sorted([(entry, None, 1, 1, "same", False), (first, "step", 1, 1, "same", False),
                             (first, "step", 1, 1, "same", False), (loop, "step", 10, 20, "more", False),
                             (last, "other", 1, 1, "same", False)]), "the same build")
    offsets = {row["name"] for row in rows}
    by_report = json.loads(bench.cinstr("report", "--by=address", "--function=caller", "--format=json", sessions["a"]))
    lab.equal(offsets, {row["name"] for row in by_report["rows"]}, "rows are those of the report")

    found, rows = calls("a", "c")
    lab.equal(found, sorted([(entry, None, 1, 1, "same", False), (first, "step", 1, 1, "same", True),
                             (first, "step", 1, 1, "same", True), (loop, "step", 10, 20, "more", True),
                             (last, "other", 0, 1, "added", False), (fresh, "other", 1, 5, "more", True)]), "another build")
    table = bench.cinstr("diff", "--by=address", "--threshold=0", sessions["a"], sessions["b"])
    lab.check("by guess" not in table, table)
    table = bench.cinstr("diff", "--by=address", "--threshold=0", sessions["a"], sessions["c"])
    lab.check(re.search(r"\d matched by guess", table), table)
    table = bench.cinstr("diff", "--by=address", "--threshold=0", "--verbose", sessions["a"], sessions["c"])
    lab.check("Matched " in table and " by guess, as the builds differ" in table, table)
    table = bench.cinstr("diff", "--by=address", "--format=csv", "--threshold=0", sessions["a"], sessions["c"])
    guessed = [row["guessed"] for row in csv.DictReader(io.StringIO(table)) if row["name"].startswith("caller+")]
    lab.equal(sorted(guessed), ["0", "0", "1", "1", "1", "1"], "in csv")


VARIANTS = """
static volatile int sum;
#define F __attribute__((noinline))
F void copy(int n) { for (int i = 0; i < n; i++) sum += i; }
F void other(int n) { for (int i = 0; i < n; i++) sum += 2 * i; }
F void dgemm(int n) { for (int i = 0; i < n; i++) sum += 3 * i; }
F void sad(int n) { for (int i = 0; i < n; i++) sum += 5 * i; }
int main(void)
{
	for (int i = 0; i < 20; i++) {
		copy(9000);
		other(9000);
		dgemm(9000);
		sad(9000);
	}
	return 0;
}
"""
# names of copy, other, dgemm, sad in the first and the second program; those of the diff
JOINED = [
    (("__copy_evex", "other", "dgemm_", "sad_sse2"), ("__copy_avx_unaligned_erms", "other", "dgemm", "sad_avx512"),
     {"copy", "other", "dgemm", "sad", "main"}),
    # whose is the other one is not known
    (("__copy_evex", "__copy_avx2", "a_", "vec"), ("copy", "other", "a_", "vec_"),
     {"__copy_evex", "__copy_avx2", "copy", "other", "a_", "vec", "main"}),
    # the same name comes first
    (("copy", "__copy_avx2", "a", "b"), ("copy", "other", "a", "b"), {"copy", "__copy_avx2", "other", "a", "b", "main"}),
]


@lab.test("diff/variants")
def _(bench):
    """Functions that have other names on another processor, or without debug information."""
    source = bench.write("variants.c", VARIANTS)
    for k, (old, new, expected) in enumerate(JOINED):
        for side, names in (("old", old), ("new", new)):
            defines = [f"-D{name}={other}" for name, other in zip(("copy", "other", "dgemm", "sad"), names) if name != other]
            program = bench.compile(source, f"{side}{k}", "-O1", "-fplugin-arg-cinstr-small=0", *defines)
            bench.run(program, env={"CINSTR_DATA": bench.path(f"{side}{k}.data")}, status=0)
        for by in ((), ("--by=path",)):
            found = rows(bench, *by, "--threshold=0", bench.path(f"old{k}.data"), bench.path(f"new{k}.data"))
            if not by:
                lab.equal(set(found), expected, f"{old} and {new}")
            for name in expected & set(new) & set(old) | ({"copy", "dgemm", "sad"} if not k else set()):
                lab.equal(found[name]["calls_a"], 20, f"{name}: calls before")
                lab.equal(found[name]["calls_b"], 20, f"{name}: calls after")
