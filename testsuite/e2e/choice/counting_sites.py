# SPDX-License-Identifier: GPL-3.0-or-later
"""Calls that are counted by site (--counts=sites): each call of each site, and each call of
functions without probes, as the program itself counts them, whatever happens on the way."""

import counting
import lab

PROGRAM = "programs/counting_sites.c"
SITES = {"CINSTR_COUNTS": "sites"}
AT_ONCE = {**SITES, "CINSTR_MAX_OVERHEAD": "0.0001"}  # whatever costs enough to be seen is counted
MIXED = {**SITES, "CINSTR_METHOD": "mixed"}
NO_PROBES = ("snprintf", "strdup", "strcmp", "memcpy", "free", "longjmp", "write", "syscall")


def known(output):
    """What the program says, of all processes: calls by line, and by the name called."""
    by_line, by_callee = {}, {}
    for line in output.splitlines():
        number, callee, n = line.split()
        by_line[int(number)] = by_line.get(int(number), 0) + int(n)
        by_callee[callee] = by_callee.get(callee, 0) + int(n)
    return by_line, by_callee


def calls_by(rows, key):
    calls = {}
    for row in rows:
        calls[row[key]] = calls.get(row[key], 0) + (row["calls"] or 0)
    return calls


def build(bench):
    return bench.compile(PROGRAM, "program", "-O2", "-pthread", "-fno-builtin", lab.INCLUDE)


def compare(bench, what, env=None, under_way=0):
    done = bench.run(build(bench), what, env=env or AT_ONCE, status=0, cwd=bench.folder)
    bench.sound()
    compare_sites(bench, known(done.stdout), under_way)


def compare_sites(bench, truth, under_way=0):
    """under_way: calls that others may have been about to make when a site was switched (R9)."""
    by_line, by_callee = truth
    rows = [row for row in bench.report(by="site")["rows"] if not row["file"].endswith("cinstr.h")]
    # nobody wrote the calls by which an exception goes on: their line is that of code before them
    got = calls_by([row for row in rows if row["callee"] != "_Unwind_Resume"], "line")
    got = {line: got.get(line, 0) for line in by_line}
    if under_way:
        lab.equal([line for line in by_line if abs(got[line] - by_line[line]) > under_way], [], f"calls by line: {got}, not {by_line}")
    else:
        lab.equal(got, by_line, "calls by line")
    lab.equal([row for row in rows if row["calls"] is None], [], "sites of which calls are not known")
    functions = bench.functions()
    lab.equal({name: functions[name]["calls"] for name in NO_PROBES if name in by_callee},
              {name: by_callee[name] for name in NO_PROBES if name in by_callee}, "calls of libc")
    compare_callers(bench, rows, "leaf")
    return functions


def compare_callers(bench, sites, name):
    """By caller as by site: what is called through pointers has no caller but by site."""
    want = {}
    for row in sites:
        if row["callee"] == name:
            want[row["name"]] = want.get(row["name"], 0) + row["calls"]
    rows = bench.json("callers", name, bench.path("cinstr.data"))["rows"]
    got = calls_by([row for row in rows if row["type"] == "caller"], "name")
    lab.equal({caller: got.get(caller, 0) for caller in want}, want, f"calls of {name} by caller")


@lab.test("counting/sites: everything")
def everything(bench):
    compare(bench, "all")


@lab.test("counting/sites: folded again the same")
def refold(bench):
    compare(bench, "all", {**AT_ONCE, "CINSTR_TIMELINE": "unlimited"})
    bench.cinstr("refold", bench.path("cinstr.data"))


@lab.test("counting/sites: as the full method counts")
def as_the_full_method(bench):
    seen = []
    for env in {}, AT_ONCE, MIXED:
        data = f"data{len(seen)}"
        bench.run(build(bench), "all", env={**env, "CINSTR_DATA": data}, status=0)
        functions = bench.functions(bench.path(data))
        by_line = calls_by(bench.report(data, "site")["rows"], "line")
        by_address = {row["address"]: row["calls"] for row in bench.report(data, "address")["rows"]
                      if "program" in row["module"] and row["callee"]}
        # Samples also tell of functions within libc, whose calls nobody knows.
        calls = {name: row["calls"] for name, row in functions.items() if row["calls"] is not None}
        seen.append((calls, by_line, by_address))
    for name, one in ("a limit", seen[1]), ("a mixed recording", seen[2]):
        for i, what in enumerate(("function", "line", "instruction")):
            lab.equal(one[i], seen[0][i], f"calls by {what} with {name}")


THROWS = """
#include <cstdio>
#define APART __attribute__((noinline, noclone, noipa))
#define LINES 40
static unsigned long lines[LINES];
static const char *callees[LINES];
__attribute__((always_inline)) static inline void made(int line, const char *name)
{
    lines[line]++;
    callees[line] = name;
}
#define CALL(callee, ...) (made(__LINE__, #callee), callee(__VA_ARGS__))
static unsigned entered;
extern "C" APART void leaf(unsigned) { entered++; }
struct held { ~held() { CALL(leaf, 1); } };
extern "C" APART void thrower(unsigned x)
{
    CALL(leaf, x);
    if (x % 2) throw x;
}
extern "C" APART void holder(unsigned x)
{
    held h;
    CALL(thrower, x);
}
extern "C" APART unsigned catcher(unsigned x)
{
    try {
        CALL(holder, x);
    } catch (unsigned y) { return y; }
    return 0;
}
int main()
{
    unsigned sum = 0;
    for (unsigned i = 0; i < 100000; i++)
        sum += CALL(catcher, i);
    for (int i = 0; i < LINES; i++)
        if (lines[i])
            std::printf("%d %s %lu\\n", i, callees[i], lines[i]);
    return sum == 1;
}
"""


@lab.test("counting/sites: exceptions")
def exceptions(bench):
    program = bench.compile(bench.write("throws.cc", THROWS), "program", "-O2")
    done = bench.run(program, env=AT_ONCE, status=0)
    bench.sound()
    compare_sites(bench, known(done.stdout))


@lab.test("counting/sites: 8 threads")
def threads(bench):
    compare(bench, "threads", under_way=16)


@lab.test("counting/sites: signals all the time")
def signals(bench):
    compare(bench, "signals", under_way=16)


@lab.test("counting/sites: children")
def fork(bench):
    compare(bench, "fork")


@lab.test("counting/sites: a child that shares the memory")
def vfork(bench):
    compare(bench, "vfork")


@lab.test("counting/sites: off and on")
def control(bench):
    compare(bench, "control")


@lab.test("counting/sites: functions come back on trial")
def trials(bench):
    compare(bench, "trials", {**SITES, "CINSTR_MAX_OVERHEAD": "20"})
    marks = [line.split("\t") for line in
             bench.cinstr("info", "--marks", bench.path("cinstr.data")).splitlines()]
    lab.check(any(mark[6] == "restored" for mark in marks), "none came back")


@lab.test("counting/sites: without restartable sequences, by another clock")
def other_ways(bench):
    for env in {"CINSTR_RESTARTABLE": "off"}, {"CINSTR_CLOCK": "monotonic"}:
        compare(bench, "all", {**AT_ONCE, **env})


@lab.test("counting/sites: functions are counted as ever")
def functions_as_ever(bench):
    bench.compile("programs/counting_library.c", bench.path("libcounting.so"), "-O2", "-shared", "-fPIC")
    for what, status in ("all", 0), ("many", 0), ("_Fork", 0), ("kill", -9), ("library", 0):
        rows = counting.compare(bench, what, AT_ONCE, status)
    lab.equal([rows[name]["calls"] for name in ("library_leaf", "in_library")], [900000, 6], "calls there")
    sites = bench.report(by="site")["rows"]
    lab.equal(sum(row["calls"] for row in sites if row["callee"] == "library_leaf"), 900000, "its calls by site")


@lab.test("counting/sites: a flag of record")
def flag(bench):
    data = bench.path("data")
    bench.cinstr("record", "--max-overhead=0.0001", "--counts=sites", f"--output={data}", "--", build(bench), "all")
    lab.check("call sites, without times" in bench.cinstr("info", data), "info")
    done = bench.run(build(bench), "all", env=SITES, status=0)
    lab.check("nothing is counted" in done.stderr, done.stderr)


@lab.test("counting/sites: what is said of it")
def said(bench):
    bench.run(build(bench), "all", env=MIXED, status=0)
    report = " ".join(bench.cinstr("report", "--verbose", bench.path("cinstr.data")).split())
    lab.check("Calls by call site are exact, too" in report, report)
    lab.check("call sites, without times" in bench.cinstr("info", bench.path("cinstr.data")), "info")
    for args in ["tree"], ["callers", "leaf", "--sites"], ["summary"], ["report", "--by=line"]:
        bench.cinstr(*args, bench.path("cinstr.data"))
    bench.run(build(bench), "all", env={**MIXED, "CINSTR_COUNTS": "functions", "CINSTR_DATA": "other"}, status=0)
    report = " ".join(bench.cinstr("report", "--verbose", bench.path("other")).split())
    lab.check("is not known (cinstr record --counts=sites)" in report, report)
