# SPDX-License-Identifier: GPL-3.0-or-later
"""What a person sees who asks for nothing: cinstr summary, report, tree on one screen."""
import re

import lab
import quiet

PROGRAM = "programs/screens.cc"


def record(bench, *args):
    program = bench.compile(PROGRAM, "program", "-O1", "-g", "-pthread")
    bench.run(program, *args, status=0)


def screen(bench, *args):
    """The lines of 80 columns, and those below the table, if there are any."""
    text = bench.run(lab.COMMAND, *args, env={"COLUMNS": "80"}, status=0).stdout
    lab.check(max(map(len, text.splitlines())) <= 80, f"{args}: wider than 80 columns:\n{text}")
    last = text.rpartition("\n\n")[2].splitlines()
    is_table = re.search(r"\bFunction\b|\bThread\b|\bSource\b|^ *[\d.,]+( [num]?s)?  ", "\n".join(last[:2]), re.M)
    return text, [] if is_table else last


@lab.test("screens/who waits where, and for whom others only wait")
def waits(bench):
    record(bench)
    text, _ = screen(bench, "summary")
    lab.check(re.search(r"^  worker \(3 threads\) .* 9\d % waiting|100 % waiting", text, re.M), text)
    lab.check(re.search(r"^Hot path .*worker > write_log > pthread_mutex_lock", text, re.M), text)
    lab.check(re.search(r"pthread_mutex_lock .* <- write_log:\d+$", text, re.M), text)
    lab.check("for other threads" in text and not re.search(r"pthread_join .* <- ", text), text)
    lab.check(re.search(r"^Next: cinstr callers pthread_mutex_lock; ", text, re.M), text)
    hot = bench.json("summary", "--names=short")["hot_path"]
    lab.equal([level["name"] for level in hot], ["worker", "write_log", "pthread_mutex_lock"], "hot path")
    report, _ = screen(bench, "report")
    lab.check(re.search(r"^Waiting \(not CPU\):  pthread_mutex_lock .* <- write_log:\d+", report, re.M), report)
    lab.check("100 % = " in report and "4 threads" in report, report)


@lab.test("screens/what to look at next")
def next_to_look_at(bench):
    """Where nothing was found: a wait that is not next to nothing, else what computes."""
    bench.compile("programs/findings/next.c", "next", "-O1", "-pthread")
    for what, function in ("short", "work"), ("long", "usleep"):
        def once(what=what, function=function):
            bench.run(lab.COMMAND, "record", "-o", what, "./next", what, status=0)
            text, _ = screen(bench, "summary", what)
            lab.check_time("Findings" not in text and re.search(rf"^Next: cinstr callers {function} ", text, re.M), text)

        quiet.measured(once)


SEARCHES = r"""
#include <string.h>
static char text[1 << 16];
__attribute__((noinline)) static unsigned search(int n) { unsigned sum = 0; while (n--) sum += !memchr(text, 'x', sizeof(text) - 1 - n % 8); return sum; }
int main(void) { memset(text, 'a', sizeof(text) - 1); return !search(200000); }
"""


@lab.test("screens/what is next can be looked at")
def next_works(bench):
    """Not the source of a function of the C library, which has most of the time."""
    bench.compile(bench.write("search.c", SEARCHES), "search", "-O1")
    for session, method in ("timed", ()), ("sampled", ("--sample",)):
        bench.run(lab.COMMAND, "record", *method, "-o", session, "./search", status=0)
        text = bench.run(lab.COMMAND, "summary", session, status=0).stdout
        commands = re.search(r"^Next: (.*)$", text, re.M)[1].split("; ")
        lab.check(len(commands) >= 2 and "memchr" in commands[0], text)
        for command in commands:
            bench.run(lab.COMMAND, *command.split()[1:], status=0)


THREADS = r"""
#include <thread>
static volatile unsigned sink;
__attribute__((noinline)) void add(unsigned x) { for (unsigned i = 0; i < 200; i++) sink = x; }
__attribute__((noinline)) void count_up(unsigned n) { for (unsigned i = 0; i < n; i++) add(i); }
int main()
{
	std::thread one(count_up, 200000u), two(count_up, 200000u);
	one.join();
	two.join();
}
"""


@lab.test("screens/what std::thread runs, and what the probes took")
def threads_by_library(bench):
    """The library's own function, which all such threads begin with, says nothing. What the probes
    took of the wall time is in none of the other numbers."""
    bench.write("threads.cc", THREADS)
    bench.run(bench.compile(bench.path("threads.cc"), "threads", "-O1", "-g", "-pthread"), status=0)
    text, _ = screen(bench, "summary")
    lab.check("_M_run" not in text.partition("Hot path")[0], text)
    lab.check(re.search(r"^  count_up \(2 threads\) ", text, re.M), text)
    lab.check(re.search(r"^  not counting [0-9.]+ [mu]?s that the probes took$", text, re.M), text)


@lab.test("screens/the report is in the order of time on the processor")
def order(bench):
    record(bench)
    rows = bench.json("report")["rows"]
    cpu = [row["cpu_exclusive_ns"] for row in rows]
    lab.equal(cpu, sorted(cpu, reverse=True), "order")
    for row in rows:
        lab.check(row["cpu_exclusive_ns"] == max(row["elapsed_exclusive_ns"] - row["off_cpu_exclusive_ns"], 0) or
                  abs(row["cpu_exclusive_ns"] - row["elapsed_exclusive_ns"] + row["off_cpu_exclusive_ns"]) <= 1,
                  f"not what is left of elapsed: {row}")
    full, _ = screen(bench, "report", "--view=full")
    lab.check("Elapsed" in full and "Application" in full and "CPU excl" not in full, full)


@lab.test("screens/the hot path goes through recursion")
def recursion(bench):
    """Each level of sort() has half of the one above, and leaf() nearly all of it."""
    record(bench, "recursion")
    hot = bench.json("summary", "--names=short")["hot_path"]
    lab.equal([level["name"] for level in hot], ["main", "sort", "leaf", "spin"], "hot path")
    lab.equal(hot[1]["calls"], 511, "calls of all levels")
    text, _ = screen(bench, "tree")
    marked = [line for line in text.splitlines() if re.search(r"  # ", line)]
    lab.check(any("spin" in line for line in marked), text)


@lab.test("screens/below a table stand at most three lines")
def feet(bench):
    record(bench)
    for args in (["report"], ["tree"], ["callers", "write_log"], ["report", "--by=thread"], ["report", "--by=site"],
                 ["report", "--by=line"], ["report", "--view=os"], ["annotate", "write_log"]):
        text, foot = screen(bench, *args)
        lab.check(len(foot) <= 3, f"{args}:\n{text}")
        lab.check("Conservation" not in text, f"{args}: what is fine is told:\n{text}")
        everything, _ = screen(bench, *args, "--verbose")
        lab.check("Conservation        exact" in everything, f"{args} --verbose:\n{everything}")


@lab.test("screens/a function has one name")
def names(bench):
    record(bench)
    views = (["report"], ["tree", "--min-percent=0"], ["report", "--by=site"], ["callers", "area*"])
    for view in views:
        text = bench.run(lab.COMMAND, *view, env={"COLUMNS": "160"}, status=0).stdout
        lab.check("area<20>" in text and "area<30>" in text and "area<...>" not in text, f"{view}:\n{text}")
    # though the other one is not shown
    text = bench.run(lab.COMMAND, "report", "--function=area<20>", status=0).stdout
    lab.check("area<20>" in text, text)
