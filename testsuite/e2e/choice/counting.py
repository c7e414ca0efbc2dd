# SPDX-License-Identifier: GPL-3.0-or-later
"""Functions that are counted (--max-overhead, CINSTR_METHOD=mixed): every call of every function,
as the program itself counts them, whatever happens on the way."""

import re

import lab

PROGRAM = "programs/counting.c"
AT_ONCE = {"CINSTR_MAX_OVERHEAD": "0.0001"}  # whatever costs enough to be seen is counted
MIXED = {"CINSTR_METHOD": "mixed"}


def known(output):
    """What the program says: calls by function, of all processes."""
    calls = {}
    for line in output.splitlines():
        name, n = line.split()
        calls[name] = calls.get(name, 0) + int(n)
    return calls


def compare(bench, what, env=None, status=0, counted=("leaf", "middle")):
    program = bench.compile(PROGRAM, "program", "-O2", "-pthread", "-ldl", lab.INCLUDE)
    done = bench.run(program, what, env=env or AT_ONCE, status=status, cwd=bench.folder)
    bench.sound()
    return compare_rows(bench, known(done.stdout), counted)


def compare_rows(bench, truth, counted):
    rows = {row["name"].split(".")[0]: row for row in bench.report()["rows"]}
    got = {name: rows[name]["calls"] if name in rows else 0 for name in truth}
    lab.equal(got, truth, "calls")
    outs = {out["function"].split(".")[0]: out for out in bench.report()["session"]["taken_out"]}
    lab.equal([name for name in counted if name not in outs or outs[name]["lowest"] != "counted"], [],
              "functions that were not counted")
    lowest = {out["lowest"] for out in outs.values()}  # of what runs long its calls
    lab.check(lowest <= {"counted", "entry"}, f"what was left of them: {lowest}")
    return rows


@lab.test("counting/everything")
def everything(bench):
    compare(bench, "all", counted=("leaf", "middle", "deep", "tails", "tailed", "nested"))


@lab.test("counting/folded again the same")
def refold(bench):
    compare(bench, "all", env={**AT_ONCE, "CINSTR_TIMELINE": "unlimited"})
    bench.cinstr("refold", bench.path("cinstr.data"))


@lab.test("counting/as the full method counts")
def as_the_full_method(bench):
    program = bench.compile(PROGRAM, "program", "-O2", "-pthread", "-ldl", lab.INCLUDE)
    calls = []
    for env in {}, AT_ONCE, MIXED:
        bench.run(program, "all", env={**env, "CINSTR_DATA": f"data{len(calls)}"}, status=0)
        rows = bench.functions(bench.path(f"data{len(calls)}"))
        calls.append({name: row["calls"] for name, row in rows.items()
                      if "program" in row["module"] or name in ("write", "open")})
    lab.equal(calls[1], calls[0], "calls with a limit")
    lab.equal(calls[2], calls[0], "calls of a mixed recording")


THROWS = """
#include <cstdio>
#define APART __attribute__((noinline, noclone, noipa))
static unsigned long throws, holds, catches;
struct held { ~held() { holds++; } };
extern "C" APART void thrower(unsigned x) { throws++; if (x % 2) throw x; }
extern "C" APART void holder(unsigned x) { held h; thrower(x); }
extern "C" APART unsigned catcher(unsigned x)
{
    catches++;
    try { holder(x); } catch (unsigned y) { return y; }
    return 0;
}
int main()
{
    unsigned sum = 0;
    for (unsigned i = 0; i < 100000; i++)
        sum += catcher(i);
    std::printf("thrower %lu\\nholder %lu\\ncatcher %lu\\n", throws, holds, catches);
    return sum == 1;
}
"""


@lab.test("counting/exceptions")
def exceptions(bench):
    program = bench.compile(bench.write("throws.cc", THROWS), "program", "-O2")
    done = bench.run(program, env=AT_ONCE, status=0)
    bench.sound()
    compare_rows(bench, known(done.stdout), ("thrower", "holder", "catcher"))


@lab.test("counting/8 threads")
def threads(bench):
    compare(bench, "threads")


@lab.test("counting/480 threads that end")
def many(bench):
    compare(bench, "many")


@lab.test("counting/signals all the time")
def signals(bench):
    compare(bench, "signals", counted=("leaf", "middle"))


@lab.test("counting/children and their handlers")
def fork(bench):
    compare(bench, "fork")


@lab.test("counting/children without handlers")
def raw_fork(bench):
    compare(bench, "_Fork")


@lab.test("counting/a child that shares the memory")
def vfork(bench):
    compare(bench, "vfork")


for what in "threads", "many", "signals", "fork", "_Fork", "vfork", "control":
    lab.test(f"counting/threads sample themselves: {what}")(
        lambda bench, what=what: compare(bench, what, env={**MIXED, **AT_ONCE}))


@lab.test("counting/off and on")
def control(bench):
    compare(bench, "control")


@lab.test("counting/killed")
def killed(bench):
    compare(bench, "kill", status=-9)


@lab.test("counting/a library comes and goes")
def library(bench):
    bench.compile("programs/counting_library.c", bench.path("libcounting.so"), "-O2", "-shared", "-fPIC")
    rows = compare(bench, "library")
    lab.equal([rows[name]["calls"] for name in ("library_leaf", "in_library")], [900000, 6], "calls there")


@lab.test("counting/without restartable sequences, by another clock")
def other_ways(bench):
    for env in {"CINSTR_RESTARTABLE": "off"}, {"CINSTR_CLOCK": "monotonic"}, {"CINSTR_PROBES": "functions"}:
        compare(bench, "all", env={**AT_ONCE, **env})


@lab.test("counting/what is said of it")
def said(bench):
    program = bench.compile(PROGRAM, "program", "-O2", "-pthread", "-ldl", lab.INCLUDE)
    bench.run(program, "all", env=MIXED, status=0)
    info = bench.cinstr("info", bench.path("cinstr.data"))
    lab.check("at most 10 % of the program's own time" in info, info)
    report = " ".join(bench.cinstr("report", "--verbose", bench.path("cinstr.data")).split())
    # the second, where the threads could sample themselves
    lab.check("Their calls are exact" in report or "Counts are exact" in report, report)
    for verb in ["tree"], ["callers", "leaf"], ["summary"], ["report", "--by=line"], ["report", "--by=site"]:
        bench.cinstr(*verb, bench.path("cinstr.data"))
    marks = [line.split("\t") for line in
             bench.cinstr("info", "--marks", bench.path("cinstr.data")).splitlines()]
    lab.check(any(m[4] == "leaf" and m[6] == "demoted" and m[7] == "3" for m in marks), str(marks))


BOUNDS = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define APART __attribute__((noinline, noclone, noipa))
static const char *volatile text = "some text";
APART size_t counted(const char *s) { return strlen(s) + 1; }
APART size_t work(unsigned n)
{
    size_t sum = 0;
    for (unsigned i = 0; i < n; i++)
        sum += counted(text);
    return sum;
}
int main(void)
{
    size_t sum = strlen(text) + strtoul(text, NULL, 10) + strtoul(text, NULL, 16);
    for (unsigned i = 0; i < 100; i++)
        sum += work(10000);
    return sum == 1;
}
"""


def bounds_of(rows, *keys):
    return {tuple(row[key] for key in keys): (row["calls"], row["calls_bound"]) for row in rows}


def check_least(bounds, key, most):
    calls, bound = bounds[key]
    lab.check(bound == "at least" and (calls or 0) < most, f"{key}: {bound} {calls} of {most}")


@lab.test("counting/what counted functions call is told as at least so many")
def bounds(bench):
    program = bench.compile(bench.write("bounds.c", BOUNDS), "program", "-O2", "-fno-builtin")
    data, n = bench.path("cinstr.data"), 1000000
    for env in AT_ONCE, MIXED:
        bench.run(program, env={**env, "CINSTR_COUNTS": "functions"}, status=0)
        got = bounds_of(bench.report()["rows"], "name")
        lab.equal([got[name,] for name in ("counted", "work", "strtoul")],
                  [(n, "exact"), (100, "exact"), (2, "exact")], "calls that are known")
        check_least(got, ("strlen",), n + 1)
        sites = bounds_of(bench.json("report", data, "--by=site")["rows"], "name", "callee")
        lab.equal((sites["main", "strlen"], sites["main", "work"]), ((1, "exact"), (100, "exact")), "sites of main")
        check_least(sites, ("counted", "strlen"), n)
        edges = bounds_of(bench.json("callers", "strlen", data)["rows"], "type", "name")
        lab.equal(edges["caller", "main"], (1, "exact"), "calls by main")
        check_least(edges, ("root", "strlen"), n + 1)
        paths = bounds_of(bench.json("tree", data, "--min-percent=0")["rows"], "depth", "name")
        lab.equal((paths[1, "main"], paths[2, "work"]), ((1, "exact"), (100, "exact")), "paths")
        check_least(paths, (3, "counted"), n)
        for by in "module", "thread":
            rows = bench.json("report", data, f"--by={by}")["rows"]
            lab.equal({row["avg_elapsed_inclusive_ns"] for row in rows if row["calls_bound"] != "exact"}, {None},
                      f"mean of a call by {by}")
    table = " ".join(bench.cinstr("report", "--verbose", data).split())
    lab.check(">= " in table and ">= n: calls by functions" in table, table)


@lab.test("counting/calls by name are exact")
def libraries(bench):
    """By function, by site and by caller, of functions with probes and without."""
    program = bench.compile(bench.write("bounds.c", BOUNDS), "program", "-O2", "-fno-builtin")
    data, n = bench.path("cinstr.data"), 1000000
    for env in AT_ONCE, MIXED:
        bench.run(program, env=env, status=0)
        bench.sound()
        got = bounds_of(bench.report()["rows"], "name")
        lab.equal([got[name,] for name in ("counted", "work", "strtoul", "strlen")],
                  [(n, "exact"), (100, "exact"), (2, "exact"), (n + 1, "exact")], "calls")
        sites = bounds_of(bench.json("report", data, "--by=site")["rows"], "name", "callee")
        lab.equal((sites["main", "strlen"], sites["counted", "strlen"]), ((1, "exact"), (n, "exact")), "sites of strlen")
        lab.equal((sites["main", "work"], sites["work", "counted"]), ((100, "exact"), (n, "exact")), "sites of functions with probes")
        edges = bounds_of(bench.json("callers", "strlen", data)["rows"], "type", "name")
        lab.equal((edges["caller", "main"], edges["caller", "counted"]), ((1, "exact"), (n, "exact")), "calls of strlen")
        lab.equal(edges["root", "strlen"], (n + 1, "exact"), "calls of strlen in all")
        edges = bounds_of(bench.json("callers", "counted", data)["rows"], "type", "name")
        lab.equal(edges["caller", "work"], (n, "exact"), "calls of counted")


# One function, whose calls fill a page of the room for stubs in part.
ROOM = """
#include <stdlib.h>
int main(void)
{
	long sum = 0;
	for (int i = 0; i < 200000; i++) {
CALLS
	}
	return sum < 0;
}
"""


@lab.test("counting/all calls by name of a small program have counters")
def room(bench):
    for calls in 10, 40, 70:
        text = ROOM.replace("CALLS", "\n".join(f"\t\tsum += abs({i} - i);" for i in range(calls)))
        program = bench.compile(bench.write("room.c", text), "program", "-O2", "-fno-builtin")
        for env in AT_ONCE, MIXED:
            bench.run(program, env=env, status=0)
            sites = bench.json("report", bench.path("cinstr.data"), "--by=site")["rows"]
            lab.equal([(row["calls"], row["calls_bound"]) for row in sites if row["callee"] == "abs"],
                      [(200000, "exact")] * calls, f"{calls} calls, {env}")


@lab.test("counting/tail calls while another thread chooses anew")
def jumped(bench):
    """A thread's look at its stack, between a jump and what it leads to, ends neither of them."""
    rounds = 300000
    program = bench.compile("programs/jumped.c", "program", "-O2", "-pthread", "-fplugin-arg-cinstr-small=0", lab.INCLUDE)
    bench.run(program, str(rounds), status=0)
    bench.sound()
    functions = bench.functions()
    lab.equal({name: functions[name]["calls"] for name in ("jumps", "target")}, {"jumps": rounds, "target": rounds}, "calls")


@lab.test("counting/a jump that is somebody else's stays")
def hooked(bench):
    program = bench.compile("programs/hooked.c", "program", "-O2", "-fplugin-arg-cinstr-small=0", "-fcf-protection=none",
                            lab.INCLUDE)
    for env in AT_ONCE, {}:
        done = bench.run(program, env=env, status=0)
        lab.equal(done.stdout, "1500\n", f"calls that were led elsewhere, {env}")
        bench.sound()


LED = """
#include <cinstr.h>
#include <stdio.h>
#include <string.h>
static const char *target, *after;
static volatile int sink;
__attribute__((noipa)) static void leaf(void) /* where the call of it led */
{
	const char *back = __builtin_return_address(0);
	int distance;
	memcpy(&distance, back - 4, 4);
	target = back + distance;
	sink++;
}
__attribute__((noipa)) static void calls(int n)
{
	for (int i = 0; i < n; i++)
		leaf();
}
__attribute__((noipa)) static void jumps(void) /* a tail call */
{
	leaf();
}
static void tell(const char *what)
{
	calls(1);
	printf("%s %d\\n", what, target != (const char *)leaf);
}
int main(int argc, char **argv)
{
	tell("first");
	calls(300000);
	tell("counted");
	for (int i = 0; i < 1000; i++)
		jumps();
	cinstr_choose("not=leaf");
	tell("not chosen");
	cinstr_choose("all");
	tell("chosen again");
	cinstr_stop(CINSTR_THREAD, CINSTR_SELF);
	calls(5);
	cinstr_start(CINSTR_THREAD, CINSTR_SELF);
	calls(5);
	return 0;
}
"""


@lab.test("counting/calls by name lead to the counter, and back")
def led(bench):
    source = bench.write("led.c", LED)
    for protection in "none", "full":
        program = bench.compile(source, "program", "-O2", "-fplugin-arg-cinstr-small=0",
                                f"-fcf-protection={protection}", lab.INCLUDE)
        done = bench.run(program, env=AT_ONCE, status=0)
        lab.equal(done.stdout.split("\n")[:-1], ["first 0", "counted 1", "not chosen 0", "chosen again 1"], protection)
        bench.sound()
        lab.equal(bench.functions()["leaf"]["calls"], 300000 + 3 + 1000 + 5, "calls of leaf")


ATTACHED = """
#include <unistd.h>
static volatile int sink;
volatile long limit = 1L << 60, calls;
__attribute__((noipa)) static void leaf(int x)
{
	sink += x;
}
int main(void)
{
	for (; calls < limit; calls++)
		leaf(calls);
	return 0;
}
"""


@lab.test("counting/a debugger that comes later stops where calls lead to the counter")
def attached(bench):
    """On the sled, and on the mark in front of it; what it stops at is counted once."""
    gdb = lab.need("gdb")
    source = bench.write("attached.c", ATTACHED)
    for protection in "none", "full":
        program = bench.compile(source, "program", "-O2", "-g", "-fplugin-arg-cinstr-small=0", f"-fcf-protection={protection}")
        session = bench.path(f"{protection}.data")
        child = bench.start(program, env={**AT_ONCE, "CINSTR_DATA": session})
        lab.wait_for(lambda: "(counted)" in bench.cinstr("info", session), "leaf is not counted")
        commands = ["set debuginfod enabled off", "break *leaf", "break leaf", "continue", "backtrace", "continue",
                    "backtrace", "delete", "print limit = calls + 1000", "continue"]
        done = bench.run(gdb, "-q", "-nx", "-batch", "-p", str(child.pid),
                         *(word for command in commands for word in ("-ex", command)))
        text = done.stdout + done.stderr
        if "ptrace" in text:
            raise lab.Skip("gdb cannot trace here")
        lab.equal(child.wait(lab.TIMEOUT), 0, "status")
        lab.equal(len(re.findall(r"#0 .*leaf.*\n#1 .*main", text)), 2, f"stops in leaf, {protection}: {text}")
        limit = int(re.search(r"\$1 = (\d+)", text)[1])
        lab.equal(bench.functions(session)["leaf"]["calls"], limit, "calls of leaf")


STEPPED = """
static volatile int sink;
__attribute__((noipa)) static void leaf(int x)
{
	sink += x;
}
__attribute__((noipa)) static void marker(void)
{
	sink++;
}
int main(void)
{
	for (int i = 0; i < 300000; i++)
		leaf(i);
	marker();
	leaf(1);
	return 0;
}
"""


@lab.test("counting/a debugger goes through a function that is counted")
def debugger(bench):
    """A breakpoint on its sled, and lines from there."""
    gdb = lab.need("gdb")
    program = bench.compile(bench.write("stepped.c", STEPPED), "program", "-O2", "-g", "-fplugin-arg-cinstr-small=0")
    commands = ["set debuginfod enabled off", "set startup-with-shell off", "break marker", "run", "x/i leaf",
                "break *leaf", "continue", "backtrace", "next", "backtrace", "next", "continue"]
    done = bench.run(gdb, "-q", "-nx", "-batch", *(word for command in commands for word in ("-ex", command)), program,
                     env=AT_ONCE)
    text = done.stdout + done.stderr
    if "ptrace" in text:
        raise lab.Skip("gdb cannot trace here")
    lab.check(re.search("<leaf>:\tcall", text), f"leaf is not counted: {text}")
    lab.equal(len(re.findall(r"#0 .*leaf.*\n#1 .*main", text)), 2, f"stacks of leaf in {text}")
    lab.check("exited normally" in text and "??" not in text, text)
    lab.equal(bench.functions()["leaf"]["calls"], 300001, "calls of leaf")


@lab.test("counting/locks: free ones are counted, taken ones timed")
def locks(bench):
    program = bench.compile("programs/counted_locks.c", "program", "-O2", "-pthread")
    each = int(bench.run(program, "50000", env={**MIXED, "CINSTR_MAX_OVERHEAD": "0"}, status=0).stdout)
    bench.sound()
    report = bench.report()
    rows = {row["name"]: row for row in report["rows"]}
    truth = {"pthread_mutex_lock": 4 * each + 1, "pthread_rwlock_rdlock": each, "pthread_rwlock_wrlock": each,
             "sem_wait": each, "mtx_lock": each, "take_twice": each, "one_round": each}
    lab.equal({name: (rows[name]["calls"], rows[name]["calls_bound"]) for name in truth},
              {name: (calls, "exact") for name, calls in truth.items()}, "calls")
    callers = {row["name"]: row["calls"] for row in bench.json("callers", "pthread_mutex_lock")["rows"]}
    lab.equal({name: callers.get(name) for name in ("take_mutex", "take_twice", "take_first")},
              {"take_mutex": each, "take_twice": 2 * each, "take_first": each}, "callers of pthread_mutex_lock")
    # four threads wait for what main has for 50 ms, at their first calls
    lab.check(rows["pthread_mutex_lock"]["off_cpu_ns"] > 0.05e9, f"waits: {rows['pthread_mutex_lock']}")
    lab.check(report["session"]["events"] < 4 * each, f"{report['session']['events']} events of {9 * each} calls of locks")


COPIES_H = """static __attribute__((noinline)) int twice(int n) { volatile int i = n; return 2 * i; }
"""
COPIES = """#include "copies.h"
int NAME(int n) { int sum = 0; for (int i = 0; i < n; i++) sum += twice(i); return sum; }
"""
COPIES_MAIN = """int first(int n); int second(int n);
int main(void) { return first(300000) + second(200000) == 42; }
"""


@lab.test("counting/copies of a header's function are one function")
def copies(bench):
    """Their calls are counted where they are called, by a name that several functions have."""
    bench.write("copies.h", COPIES_H)
    for name in "first", "second":
        bench.write(name + ".c", COPIES.replace("NAME", name))
    bench.write("main.c", COPIES_MAIN)
    program = bench.compile([bench.path(name + ".c") for name in ("main", "first", "second")], "program", "-O2",
                            "-fplugin-arg-cinstr-small=0")
    for limit in "0", "10", "unlimited":
        bench.run(program, env={"CINSTR_METHOD": "mixed", "CINSTR_MAX_OVERHEAD": limit}, status=0)
        rows = bench.report("cinstr.data")["rows"]
        lab.equal([(row["calls"], row["calls_bound"]) for row in rows if row["name"] == "twice"], [(500000, "exact")], f"limit {limit}")
