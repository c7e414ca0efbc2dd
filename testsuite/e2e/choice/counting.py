# SPDX-License-Identifier: GPL-3.0-or-later
"""Functions that are counted (--max-overhead, CINSTR_METHOD=mixed): every call of every function,
as the program itself counts them, whatever happens on the way."""

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
    lab.check("at most 5 % of the program's own time" in info, info)
    report = " ".join(bench.cinstr("report", bench.path("cinstr.data")).split())
    # the second, where the threads could sample themselves
    lab.check("Their calls are exact" in report or "Counts are exact" in report, report)
    for verb in ["tree"], ["callers", "leaf"], ["summary"], ["report", "--by=line"], ["report", "--by=site"]:
        bench.cinstr(*verb, bench.path("cinstr.data"))
    marks = [line.split("\t") for line in
             bench.cinstr("info", "--marks", bench.path("cinstr.data")).splitlines()]
    lab.check(any(m[4] == "leaf" and m[6] == "demoted" and m[7] == "3" for m in marks), str(marks))
