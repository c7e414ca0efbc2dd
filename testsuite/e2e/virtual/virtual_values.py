# SPDX-License-Identifier: GPL-3.0-or-later
"""Values of scripted programs, by equality: extremes, percentiles, phases, ranges, waits of
threads, the limit on overhead, what diff makes of it."""
import json

import lab
import virtual_lab as virtual

SERIES = """
FN void some(uint64_t ticks) { virtual_compute(ticks); }
FN void nap(void) { virtual_switch(1000, 1); }
FN void mixed(uint64_t ticks) { some(ticks); virtual_compute(7); if (ticks % 10 == 0) nap(); }
FN int fib(int n) { virtual_compute(10); return n < 2 ? n : fib(n - 1) + fib(n - 2); }
int main(void) { for (uint64_t i = 1; i <= 100; i++) mixed(i); fib(6); return 0; }
"""
PHASES = """
#include <stdlib.h>
#include "cinstr.h"
FN void work(uint64_t ticks) { virtual_compute(ticks); }
FN void nap(uint64_t ticks) { virtual_switch(ticks, 1); }
FN void phase(uint64_t n) { for (uint64_t i = 0; i < n; i++) work(100 * n); nap(1000); }
int main(int argc, char **argv) {
    uint64_t factor = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
    for (uint64_t n = 1; n <= 4; n++) phase(n * factor), cinstr_mark((int64_t)n);
    phase(5 * factor);
    return 0;
}
"""
SHARED = """
#include <stdio.h>
static struct virtual_lock lock;
static uint64_t waited;
FN void holds(uint64_t ticks) {
    uint64_t before = virtual_self.off;
    virtual_take(&lock);
    waited += virtual_self.off - before;
    virtual_work(ticks);
    virtual_give(&lock);
}
FN void *worker(void *ticks) { holds((uint64_t)ticks); virtual_wait(100); holds((uint64_t)ticks); return 0; }
int main(void) {
    int first = virtual_start(worker, (void *)3000), second = virtual_start(worker, (void *)2000);
    virtual_join(first), virtual_join(second);
    printf("%lu\\n", waited);
    return 0;
}
"""
MANY = """
FN void tiny(void) { virtual_compute(5); }
FN void batch(void) { for (int i = 0; i < 1000; i++) tiny(); virtual_compute(50000); }
int main(void) { for (int i = 0; i < 400; i++) batch(); return 0; }
"""
# As much work in each batch with calls of `tiny`, which are counted, as without.
COUNTERS = """
FN void tiny(void) { virtual_compute(5); }
FN void middle(void) { virtual_compute(300); }
FN void batch(int n) {
    for (int i = 0; i < n; i++) tiny();
    for (int i = 0; i < 30; i++) middle();
    virtual_compute(5 * (4000 - (uint64_t)n));
}
int main(int argc, char **argv) { (void)argv; for (int i = 0; i < 4000; i++) batch(argc > 1 ? 4000 : 0); return 0; }
"""
# Others get the processor while the recording asks: twice at a switch, and at the end of a fold.
REFUSED = """
FN void nap(void) { virtual_switch(20000, 1); }
FN void before(void) { virtual_compute(100); nap(); }
FN void tiny(void) { virtual_compute(5); }
FN void many(void) { for (int i = 0; i < 10000; i++) tiny(); }
int main(int argc, char **argv) {
    (void)argv;
    for (int i = 0; i < 10; i++) virtual_refuse(400000, 2), before();
    if (argc > 1) __builtin_trap();
    virtual_refuse(7000000, 1), many();
    return 0;
}
"""
# A library's functions are all that has probes; 3 ns and 50 us of the program's are in none.
OUTSIDE = """
#define OUT __attribute__((no_instrument_function))
FN void tiny(void) { virtual_compute(5); }
OUT int main(void) {
    for (int i = 0; i < 400; i++) {
        for (int k = 0; k < 1000; k++) tiny(), virtual_compute(3);
        virtual_compute(50000);
    }
    return 0;
}
"""
# One call in which nothing else is timed soon, until a signal ends the process.
ENDLESS = """
FN void tiny(void) { virtual_compute(45); }
FN void endless(void) { for (int i = 0; i < 5300000; i++) tiny(); __builtin_trap(); }
int main(void) { endless(); return 0; }
"""
# Functions of libraries that wait, by names that are known, but for one.
WAITS = """
#define WAITS(name) void name(uint64_t ticks); __asm__(".globl " #name "\\n" #name ": jmp virtual_wait@PLT")
WAITS(cnd_wait);
WAITS(GOMP_parallel_anything);
WAITS(not_known);
FN void tiny(int i) {
    virtual_compute(5);
    if (i == 999) cnd_wait(3000), GOMP_parallel_anything(700), not_known(200);
    virtual_compute(1);
}
FN void batch(void) { for (int i = 0; i < 1000; i++) tiny(i); virtual_compute(50000); }
int main(void) { for (int i = 0; i < 400; i++) batch(); return 0; }
"""
# Locks that are taken now and then: by the lines, a header of the system's declares the functions.
LOCKS = """
#include <setjmp.h>
#define OUT __attribute__((no_instrument_function, used))
# 1 "lock.h" 1 3
void g_mutex_lock(volatile int *word);
void omp_set_lock(volatile int *word);
# 50 "program.c" 2
__asm__(".globl g_mutex_lock\\ng_mutex_lock: jmp takes");
__asm__(".globl omp_set_lock\\nomp_set_lock: jmp leaves");
static jmp_buf out;
static volatile int word;
OUT void takes(volatile int *w) { if (*w) virtual_switch(3000, 1); }
OUT void leaves(volatile int *w) { if (*w) longjmp(out, 1); }
FN void tiny(int taken) { virtual_compute(5); word = taken; g_mutex_lock(&word); virtual_compute(1); }
FN void jumps(int taken) { word = taken; omp_set_lock(&word); virtual_compute(1); }
FN void batch(void) {
    for (int i = 0; i < 1000; i++) {
        tiny(i % 500 == 0);
        if (!setjmp(out)) jumps(i == 700);
    }
    virtual_compute(50000);
}
int main(void) { for (int i = 0; i < 400; i++) batch(); return 0; }
"""

# Of 1 to 100: the middle of the steps that 50, 90, 95 and 99 are in; four steps double the time.
PERCENTILES = [50, 85, 97, 97]


def column(rows, name, of="elapsed_inclusive"):
    return [rows[name][f"{which}_{of}_ns"] for which in ("min", "avg", "max")]


@lab.test("virtual/extremes and percentiles")
def extremes(bench):
    rows = virtual.record(bench, SERIES)
    lab.equal(column(rows, "some"), [1, 50, 100], "some")  # 50.5
    lab.equal(column(rows, "mixed"), [8, 158, 1107], "mixed")  # 57.5 and 100 of the naps
    lab.equal(rows["mixed"]["application_inclusive_ns"], 5750, "mixed, on the processor")
    lab.equal(column(rows, "fib"), [10, 40, 250], "fib")  # 101 calls within 25, each 10
    lab.equal(rows["fib"]["elapsed_inclusive_ns"], 250, "fib: recursion once")
    lab.equal([rows["some"][f"p{part}_elapsed_inclusive_ns"] for part in (50, 90, 95, 99)], PERCENTILES, "percentiles")
    for part, shown in zip((50, 90, 95, 99), PERCENTILES):
        lab.check(abs(shown - part) <= 0.12 * part, f"p{part}: {shown}")


@lab.test("virtual/phases, and ranges of a timeline, add up")
def phases(bench):
    rows = virtual.record(bench, PHASES, env={"CINSTR_TIMELINE": "1M"})
    lab.equal([rows["work"][key] for key in ("calls", "elapsed_inclusive_ns", "application_inclusive_ns")], [15, 5500, 5500], "work")
    lab.equal([rows["nap"][key] for key in ("elapsed_inclusive_ns", "application_inclusive_ns", "off_cpu_ns")], [5000, 0, 5000], "nap")
    for n in range(5):
        part = [f"--from={n}" if n else "--from=0ns"] + ([f"--to={n + 1}"] if n < 4 else [])
        found = {row["name"]: row for row in bench.report("cinstr.data", "function", *part)["rows"]}
        lab.equal([found["work"][key] for key in ("calls", "elapsed_inclusive_ns")], [n + 1, 100 * (n + 1) ** 2], f"work in {part}")
        lab.equal([found["nap"][key] for key in ("elapsed_inclusive_ns", "off_cpu_ns")], [1000, 1000], f"nap in {part}")
    marks = bench.report("cinstr.data", "mark")["rows"]
    lab.equal([(row["id"], row["off_cpu_ns"]) for row in marks], [(n or None, 1000) for n in range(5)], "phases")
    lab.equal([row["end_ns"] for row in marks[:-1]], [row["begin_ns"] for row in marks[1:]], "ends are the next begins")


@lab.test("virtual/threads wait for a lock as long as it is held")
def threads(bench):
    done = bench.run(virtual.program(bench, SHARED), env=virtual.costs(), status=0)
    bench.sound()
    rows = bench.functions()
    lab.equal([rows["virtual_work"][key] for key in ("calls", "elapsed_exclusive_ns", "off_cpu_ns")], [4, 10000, 0], "virtual_work")
    lab.equal([rows["virtual_wait"][key] for key in ("calls", "off_cpu_ns", "elapsed_inclusive_ns")], [2, 200, 200], "virtual_wait")
    # Each but the first of the first thread has to wait, and knows how long.
    lab.equal([rows["virtual_take"][key] for key in ("calls", "off_cpu_ns", "elapsed_inclusive_ns", "voluntary_switches_inclusive")],
              [4, int(done.stdout), int(done.stdout), 3], "virtual_take")


@lab.test("virtual/a processor that others have is waited for, though the recording is at work")
def refused(bench):
    rows = virtual.record(bench, REFUSED)
    session = bench.report()["session"]
    # The recording's way out, of a probe's 20 ns, is not known to the ns there.
    for name, ticks in ("main", 15200000), ("many", 7000000):
        off = rows[name]["off_cpu_ns"]
        lab.check(ticks - 21 * 20 <= off <= ticks, f"{name} waits: {off}")
    lab.equal(session["involuntary_switches"], 21, "the switches that were no wish of its own")
    computed = rows["main"]["application_inclusive_ns"]
    lab.check(51000 <= computed <= 51000 + 21 * 2 * 20, f"what it computes: {computed}")
    # What is in the buffer when a process is killed is known, too: no stamp is before another.
    bench.run(bench.path("program"), "trap", env=virtual.costs(), status=-4)
    lab.equal(bench.functions()["before"]["calls"], 10, "calls until the end")


@lab.test("virtual/a limit on overhead takes out what costs most")
def limit(bench):
    """4,000 events of 20 ticks for 55,000 of work, in each batch; estimated 1.19 times as much, in
    front of the first choice."""
    program = virtual.program(bench, MANY)
    for percent in 20, 50:
        bench.run(program, env={**virtual.costs(), "CINSTR_MAX_OVERHEAD": str(percent)}, status=0)
        report = bench.report()
        rows = {row["name"]: row for row in report["rows"]}
        lab.equal([one["function"] for one in report["session"]["taken_out"]], ["tiny"], "taken out")
        lab.equal({name: row["calls"] for name, row in rows.items()}, {"main": 1, "batch": 400, "tiny": 400000}, "calls")
        lab.equal(rows["batch"]["min_elapsed_inclusive_ns"], 55000, "the shortest batch")
        # 22 ms of work in all.
        lab.check(0 < report["session"]["probe_overhead_ns"] <= 22000000 * percent / 100, f"{report['session']['probe_overhead_ns']} ns of probes")
    bench.run(program, env={**virtual.costs(), "CINSTR_MAX_OVERHEAD": "200"}, status=0)
    lab.equal(bench.report()["session"].get("taken_out", []), [], "taken out though it is within the limit")


@lab.test("virtual/counters are part of the limit on overhead")
def counters(bench):
    """Of 29,000 ticks in each batch the probes of `middle` take some 1,700: 6 %. 4,000 counts take
    3,400, 12 %. That leaves a quarter of the limit to probes: with `middle` the probes at calls of
    what lasts go, too."""
    program = virtual.program(bench, COUNTERS)
    for args, taken_out in (["tiny"], ["batch", "main", "middle", "tiny"]), ([], []):
        bench.run(program, *args, env={**virtual.costs(), "CINSTR_MAX_OVERHEAD": "15"}, status=0)
        report = bench.report()
        rows = {row["name"]: row for row in report["rows"]}
        lab.equal(sorted(one["function"] for one in report["session"].get("taken_out", [])), taken_out, "taken out")
        lab.equal(rows["middle"]["calls"], 120000, "calls")


@lab.test("virtual/time behind the last event is the program's")
def behind_last(bench):
    bench.run(virtual.program(bench, OUTSIDE), env={**virtual.costs(), "CINSTR_MAX_OVERHEAD": "20"}, status=0)
    bench.sound()
    report = bench.report()
    rows = {row["name"]: row for row in report["rows"]}
    lab.equal([one["function"] for one in report["session"]["taken_out"]], ["tiny"], "taken out")
    lab.equal(rows["tiny"]["calls"], 400000, "calls")
    # The last reading of the clock is in it.
    lab.check(0 <= report["session"]["elapsed_inclusive_ns"] - 400 * 58000 <= 2000, f"in all: {report['session']}")
    lab.equal(report["session"]["outside_functions_ns"] + rows["tiny"]["elapsed_inclusive_ns"],
              report["session"]["elapsed_inclusive_ns"], "outside, and the calls that were timed")


@lab.test("virtual/calls that are counted are recorded up to the last pulse")
def pulses(bench):
    bench.run(virtual.program(bench, ENDLESS), env={**virtual.costs(), "CINSTR_MAX_OVERHEAD": "20"}, status=-4)
    report = bench.report()
    rows = {row["name"]: row for row in report["rows"]}
    lab.equal(rows["tiny"]["calls"], 5300000, "calls")
    timed = report["session"]["enters"] - 2
    # At the entry of a call whose count is a multiple of 2^20, with the last reading of the clock.
    last = report["session"]["elapsed_inclusive_ns"] - 45 * (timed + 5 * 2**20 - 1)
    lab.check(0 <= last <= 2000, f"up to the last pulse: {last} too much")


@lab.test("virtual/waits of functions that are counted are timed")
def waits(bench):
    program = virtual.program(bench, WAITS)
    bench.run(program, env={**virtual.costs(), "CINSTR_MAX_OVERHEAD": "20", "CINSTR_COUNTS": "functions"}, status=0)
    report = bench.report()
    rows = {row["name"]: row for row in report["rows"]}
    lab.equal([one["function"] for one in report["session"]["taken_out"]], ["tiny"], "taken out")
    keys = "calls", "calls_bound", "elapsed_inclusive_ns", "off_cpu_ns", "voluntary_switches_inclusive", "system_calls_inclusive"
    for name, ticks in ("cnd_wait", 3000), ("GOMP_parallel_anything", 700):
        lab.equal([rows[name][key] for key in keys], [400, "exact", 400 * ticks, 400 * ticks, 400, 0], name)
    lab.equal(rows["not_known"]["calls_bound"], "at least", "what is not known to wait")
    lab.equal([rows[name]["off_cpu_ns"] for name in ("batch", "main")], [400 * 3900] * 2, "in all")


@lab.test("virtual/locks of functions that are counted are timed when they are taken")
def taken_locks(bench):
    program = virtual.program(bench, LOCKS)
    bench.run(program, env={**virtual.costs(), "CINSTR_MAX_OVERHEAD": "20"}, status=0)
    bench.sound()
    report = bench.report()
    rows = {row["name"]: row for row in report["rows"]}
    out = {one["function"] for one in report["session"]["taken_out"]}
    lab.check({"jumps", "tiny"} <= out, f"taken out: {out}")
    lab.equal([rows["g_mutex_lock"][key] for key in ("off_cpu_ns", "voluntary_switches_inclusive", "calls_bound")],
              [800 * 3000, 800, "exact"], "waits")
    lab.check(report["session"]["events"] < 200000, "calls that found the lock free are timed")
    names = "tiny", "jumps", "batch", "g_mutex_lock", "omp_set_lock"
    lab.equal([rows[name]["calls"] for name in names], [400000, 400000, 400, 400000, 400000], "calls")


@lab.test("virtual/diff tells what changed, and by how much")
def diff(bench):
    program = virtual.program(bench, PHASES)
    for name, factor in ("old", 1), ("new", 2):
        for run in range(3):
            bench.run(program, str(factor), env={**virtual.costs(), "CINSTR_DATA": f"{name}{run}"}, status=0)
    sessions = [[bench.path(f"{name}{run}") for run in range(3)] for name in ("old", "new")]
    rows = {row["name"]: row for row in json.loads(bench.cinstr("diff", "--format=json", "--threshold=0", *sessions[0], "--", *sessions[1]))["rows"]}
    keys = "a", "b", "change", "change_percent", "interval_low", "interval_high", "verdict"
    lab.equal([rows["work"][key] for key in keys], [5500, 22000, 16500, 300, 16500, 16500, "slower"], "work")
    lab.equal([rows["nap"][key] for key in keys], [5000, 5000, 0, 0, 0, 0, "same"], "nap")


@lab.test("virtual/history compares time without waiting for a processor")
def history(bench):
    virtual.record(bench, "int main(void) { virtual_compute(30000); virtual_preempt(70000); virtual_wait(50000); return 0; }")
    bench.cinstr("history", "add", bench.path("store"), bench.path("cinstr.data"))
    found = {}
    for name in "virtual_preempt", "virtual_wait":
        for measure in "elapsed", "unpreempted", None:
            (row,) = json.loads(bench.cinstr("history", "trend", bench.path("store"), name, "--format=json",
                                             *([f"--measure={measure}"] if measure else [])))["runs"]
            found[name, measure] = row["value"]
    lab.equal(found, {**{("virtual_preempt", measure): n for measure, n in (("elapsed", 70000), ("unpreempted", 0), (None, 0))},
                      **{("virtual_wait", measure): 50000 for measure in ("elapsed", "unpreempted", None)}}, "ns")

TAGS = """
#include "cinstr.h"
FN void some(uint64_t ticks) { virtual_compute(ticks); }
FN void nap(uint64_t ticks) { virtual_switch(ticks, 1); }
FN void handle(int64_t id) {
    cinstr_tag("request", id);
    some(1000 * (uint64_t)id);
    if (id == 2) nap(700000);
    cinstr_count("rows", (uint64_t)id);
    cinstr_tag_end("request");
    some(50000);
}
int main(void) { for (int i = 0; i < 3; i++) for (int64_t id = 1; id <= 3; id++) handle(id); return 0; }
"""


@lab.test("virtual/tags have the time between their calls, less the recording's own")
def tags(bench):
    """Two probes in some(), two around it (20 ticks each), as many of nap(), two more in the first
    call of all; the clock is read when cinstr_count() and cinstr_tag_end() begin (1,000)."""
    virtual.record(bench, TAGS, lab.INCLUDE, env={"CINSTR_MAX_OVERHEAD": "unlimited"})
    found = {int(fact["value"]): fact for fact in bench.json("report", "--by=tag")["tags"]}
    own = {1: 3 * 2080 + 40, 2: 3 * 2120, 3: 3 * 2080}
    for value, fact in found.items():
        waiting = 700_000 * (value == 2)
        lab.equal((fact["times"], fact["waiting_ns"]), (3, 3 * waiting), f"{value}: waiting")
        lab.equal(fact["elapsed_ns"], 3 * (1000 * value + waiting) + own[value], f"{value}: time")
    lab.equal(found[2]["longest_ns"], 704_120, "the longest")
    rows = {row["name"]: row for row in bench.json("report", "--count=rows")["rows"]}
    lab.equal(rows["handle"]["count_inclusive"], 18, "rows")


RANK_TAGS = """
#include <stdlib.h>
#include "cinstr.h"
FN void nap(uint64_t ticks) { virtual_switch(ticks, 1); }
FN void first(int64_t id, uint64_t ticks) { cinstr_tag("request", id); nap(ticks); cinstr_tag_end("request"); }
FN void second(int64_t id, uint64_t ticks) { cinstr_tag("request", id); nap(ticks); cinstr_tag_end("request"); }
int main(void) {
    int rank = atoi(getenv("PMIX_RANK"));
    if (rank) second(1, 500000); else first(1, 500000);
    if (rank) second(2, 400000); else first(2, 300000);
    first(10 + rank, 100000);
    return 0;
}
"""


@lab.test("virtual/tags of a merged session: sums, and the longest period's path, in any order")
def merged_tags(bench):
    """Both ranks take as long for 1: the first one's path is kept. The second is longer for 2."""
    parts, before = [], []
    for rank in range(3):
        virtual.record(bench, RANK_TAGS, lab.INCLUDE,
                       env={"CINSTR_MAX_OVERHEAD": "unlimited", "PMIX_RANK": str(rank), "PMIX_NAMESPACE": "1"})
        parts.append(bench.path(f"part{rank}"))
        bench.run("mv", bench.path("cinstr.data"), parts[rank], status=0)
        before += bench.json("report", "--by=tag", parts[rank])["tags"]
    bench.cinstr("merge", "-o", bench.path("some"), parts[2], parts[1])
    for name, inputs in ("once", parts), ("back", parts[::-1]), ("steps", [bench.path("some"), parts[0]]):
        bench.cinstr("merge", "-o", bench.path(name), *inputs)
        bench.run("cmp", bench.path("once"), bench.path(name), status=0)
    found = {int(fact["value"]): fact for fact in bench.json("report", "--by=tag", bench.path("once"))["tags"]}
    lab.equal(set(found), {1, 2, 10, 11, 12}, "values")
    for value, fact in found.items():
        mine = [one for one in before if int(one["value"]) == value]
        for key in "times", "elapsed_ns", "waiting_ns":
            lab.equal(fact[key], sum(one[key] for one in mine), f"{value}: {key}")
        lab.equal(fact["longest_ns"], max(one["longest_ns"] for one in mine), f"{value}: longest")
        lab.equal(fact["waited_in"], "nap", f"{value}: waited in")
    lab.equal([found[value]["path"] for value in (1, 2, 12)], ["main;first", "main;second", "main;first"], "paths")


SLOW_TAGS = """
#include "cinstr.h"
FN void nap(uint64_t ticks) { virtual_switch(ticks, 1); }
FN void handle(int64_t id, uint64_t ticks) {
    cinstr_tag("request", id);
    if (ticks) nap(ticks); else virtual_compute(1000000);
    cinstr_tag_end("request");
}
int main(void) {
    for (int64_t id = 0; id < %d; id++) handle(id, id == 7 ? %d : id == 9 ? %d : 0);
    virtual_compute(100000000);
    return 0;
}
"""


@lab.test("virtual/summary names rare slow values of tags")
def slow_tags(bench):
    """Half take 1 ms. Slow is ten times that; in 5 of 100 periods, with 30 % of the time."""
    waited = "of the time, the longest waited in nap: 7 (60.0 ms)"
    for n, first, second, expected in ((40, 60_000_000, 20_000_000, f"2 have 68 % {waited}, 9 (20.0 ms)"),
                                       (40, 60_000_000, 9_000_000, f"1 has 56 % {waited}"),
                                       (39, 60_000_000, 20_000_000, None),  # more than 5 %
                                       (19, 60_000_000, 0, None),  # fewer than 20 periods
                                       (100, 20_000_000, 20_000_000, None)):  # 29 %
        virtual.record(bench, SLOW_TAGS % (n, first, second), lab.INCLUDE, env={"CINSTR_MAX_OVERHEAD": "unlimited"})
        found = [one for one in bench.json("summary", "--findings", bench.path("cinstr.data"))["findings"] if one["id"] == "CF0109"]
        if not expected:
            lab.equal(found, [], f"{n} {first} {second}")
            continue
        one, = found
        lab.check(one["subject"] == "handle" and one["text"].startswith("tag 'request' is slow at times: half of 40 periods take"), one)
        lab.check(one["text"].endswith(expected), one["text"])
        lab.check("report --by=tag" in one["command"], one["command"])
        if first + second == 80_000_000:
            lab.check(abs(one["time_ns"] - 78_000_000) < 100_000, "what they take more than the others")
