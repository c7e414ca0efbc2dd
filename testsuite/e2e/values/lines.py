# SPDX-License-Identifier: GPL-3.0-or-later
"""Line mode (R14): the tree is the same, lines are reached as often as they are, and their times
add up."""
import collections
import json
import os
import re

import lab
import quiet
import trees

LINES = trees.LINES
PROBES = {"CINSTR_PROBES": "lines"}


def same_tree(bench, name, level):
    trees.run_tree(bench, name, level, more_flags=[LINES], more_env=PROBES)


for tree in sorted(f[:-5] for f in os.listdir(os.path.join(lab.E2E, "trees")) if f.endswith(".tree")):
    _, tree_options = trees.read_tree(os.path.join(lab.E2E, "trees", tree + ".tree"))
    if not any("CINSTR_PROBES" in setting for setting in tree_options["env"]):
        lab.TESTS.append((f"lines/tree {tree}", lambda bench, tree=tree, level=tree_options["levels"].split()[-1]:
                          same_tree(bench, tree, level)))


def marked_lines(path):
    """The lines of a source by the comment at their end."""
    with open(path) as file:
        found = ((re.search(r"/\* (.*) \*/$", text.rstrip()), n) for n, text in enumerate(file, 1))
        return {comment[1]: n for comment, n in found if comment and n > 2}


def lines_of(bench):
    rows = collections.defaultdict(list)
    for row in bench.report("cinstr.data", "line")["rows"]:
        if os.path.basename(row["file"] or "") == "lines.c":
            rows[row["line"]].append(row)
    return rows


def record_lines(bench, level):
    bench.same_as_plain("programs/lines.c", f"-{level}", LINES, env=PROBES)
    bench.sound()
    marked = marked_lines(os.path.join(lab.E2E, "programs", "lines.c"))
    rows = lines_of(bench)
    return {comment: rows[line][0] for comment, line in marked.items() if rows[line]}


@lab.test("lines/reached as often as they are, without optimisation")
def counts(bench):
    rows = record_lines(bench, "O0")
    for comment, times in {"odd": 500, "inlined": 1000, "inlined quarter": 250, "back": 1, "leaves": 233, "nodes": 232,
                           "40 ms": 1, "30 ms": 3}.items():
        lab.equal(rows[comment]["calls"], times, f"times that the line '{comment}' is reached")


@lab.test("lines/inlined code has lines of its own, optimised")
def inlined(bench):
    rows = record_lines(bench, "O2")
    lab.check("inlined" in rows, "no line of the inlined function")
    lab.check("branches" in (rows["inlined"]["function"] or ""), f"function: {rows['inlined']['function']}")
    lab.check("inlined at" in rows["inlined"]["inlined_from"] and "lines.c:" in rows["inlined"]["inlined_from"],
              f"inlined_from: {rows['inlined']['inlined_from']!r}")


@lab.test("lines/times")
def times(bench):
    """Each line has at least the time that was spent there, and both together not more than their
    function."""
    for level in "O0", "O2":
        rows = record_lines(bench, level)
        spent = {}
        for comment, milliseconds in ("40 ms", 40), ("30 ms", 30):
            spent[comment] = rows[comment]["elapsed_inclusive_ns"]
            lab.check(spent[comment] >= milliseconds * 1e6 - 1e5, f"line '{comment}': {spent[comment]} ns inclusive")
            lab.check(rows[comment]["elapsed_exclusive_ns"] <= spent[comment], "exclusive")
        whole = bench.functions()["busy"]["elapsed_inclusive_ns"]
        lab.check(sum(spent.values()) <= whole + 1000, f"lines {spent}, their function {whole} ns")


@lab.test("lines/recursion is counted once (R6)")
def recursion(bench):
    rows = record_lines(bench, "O0")
    whole = bench.functions()["fibonacci"]["elapsed_inclusive_ns"]
    got = rows["nodes"]["elapsed_inclusive_ns"]
    lab.check(got <= whole + 1, f"the line has {got} ns inclusive, its function {whole}")


@lab.test("lines/exclusive times of the lines are those of the functions")
def sums(bench):
    record_lines(bench, "O2")
    by_line, by_function = (sum(row["elapsed_exclusive_ns"] for row in bench.report("cinstr.data", by)["rows"])
                            for by in ("line", "function"))
    lab.check(abs(by_line - by_function) <= 100, f"lines {by_line} ns, functions {by_function}")


@lab.test("lines/none recorded is said")
def none(bench):
    program = bench.compile("programs/lines.c", "program", "-O2")
    bench.run(program, status=0)
    done = bench.run(lab.COMMAND, "report", "--by=line", bench.path("cinstr.data"), status=0)
    lab.check("8-13: one of these lines" in " ".join(done.stdout.split()), done.stdout)


@lab.test("lines/signals while every register is live")
def signals(bench):
    program = bench.compile("programs/signals.c", "program", "-O2", "-fno-optimize-sibling-calls", LINES)
    bench.run(program, "10000", bench.path("count"), env=PROBES, status=0)
    with open(bench.path("count")) as file:
        handled, worked = map(int, file.read().split())
    rows = bench.functions()
    lab.equal(rows["work"]["calls"], worked, "calls of work")
    lab.equal(rows["inner"]["calls"], 2 * worked, "calls of inner")
    lab.equal(rows["handler"]["calls"], handled, "calls of handler")
    bench.sound()


@lab.test("lines/what a line costs is known as well when lines come late")
def late(bench):
    library = bench.write("late.c", """
        static volatile int sink;
        int late(int n)
        {
            for (int i = 0; i < n; i++) {
                sink = i;
                sink = i + 1;
            }
            return sink;
        }
        """)
    program = bench.write("early.c", """
        #include <dlfcn.h>
        #include <time.h>
        static volatile long sink;
        __attribute__((noipa)) static void early(void) { sink++; }
        static double now(void) { struct timespec t; clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); return t.tv_sec + t.tv_nsec / 1e9; }
        int main(int argc, char **argv)
        {
            void *library = argc > 2 ? dlopen(argv[1], RTLD_NOW) : 0;
            for (double end = now() + 0.3; now() < end;)
                for (int i = 0; i < 1000; i++)
                    early();
            if (!library)
                library = dlopen(argv[1], RTLD_NOW);
            return ((int (*)(int))dlsym(library, "late"))(300000) == 0;
        }
        """)
    shared = bench.compile(library, "late.so", "-O1", "-shared", "-fPIC", LINES)
    binary = bench.compile(program, "early", "-O1", "-ldl", "-fplugin-arg-cinstr-small=0")

    def once():
        costs = {}
        for when in ([], ["first"]):
            bench.run(binary, shared, *when, env=PROBES, status=0)
            costs[bool(when)] = json.loads(bench.cinstr("info", "--format=json", bench.path("cinstr.data")))
        (late_cost, rounds), (cost, _) = [(info["processes"][0]["calibration"]["line"], info["processes"][0]["calibration"]["rounds"])
                                          for info in (costs[False], costs[True])]
        lab.check(rounds > 8, f"only {rounds} rounds")
        lab.check(late_cost["lowest_ns"] > 0 and late_cost["mean_ns"] >= late_cost["lowest_ns"], f"late: {late_cost}")
        lab.check_time(cost["mean_ns"] / 2 < late_cost["mean_ns"] < cost["mean_ns"] * 2, f"{late_cost} is not as {cost}")

    quiet.measured(once)  # a neighbour makes one of the two measurements slower
