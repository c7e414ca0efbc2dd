# SPDX-License-Identifier: GPL-3.0-or-later
"""What a counter of the processor's counts by call path (CINSTR_COUNTER): scripted, by equality;
and, where there is one, that of a real processor."""
import json
import os

import lab
import virtual_lab as virtual

COUNTED = """
FN void work(uint64_t n) { virtual_count(n); }
FN void nap(void) { virtual_switch(5000, 1); virtual_count_by(3); virtual_count(11); }
FN void both(uint64_t n) { work(n); virtual_count(5); if (n % 3 == 0) nap(); }
int main(void) { for (uint64_t i = 1; i <= 600; i++) both(i); virtual_count(1ull << 40); return 0; }
"""
SUMS = {"work": (180300, 180300, 600), "nap": (2200, 2200, 200), "both": (185500, 3000, 600),
        "main": (185500 + 2**40, 2**40, 1)}
# Each thread has a counter of its own; that of the third cannot be read for a while.
THREADS = """
FN void work(uint64_t n) { virtual_count(n); }
FN void lost(void) { virtual_count_by(0); work(1); }
FN void *worker(void *n) { for (int i = 0; i < 9; i++) work((uint64_t)n); if ((uint64_t)n == 3000) lost(); return 0; }
int main(void) {
    for (uint64_t i = 1; i <= 3; i++) virtual_join(virtual_start(worker, (void *)(1000 * i)));
    return 0;
}
"""
# A child's begins again; a child of a child's does, too.
FORKS = """
#include <sys/wait.h>
#include <unistd.h>
FN void work(uint64_t n) { virtual_count(n); }
FN void family(int depth) {
    work(100);
    pid_t child = depth ? fork() : -1;
    if (!child) { work(1000); family(depth - 1); work(10); _exit(0); }
    if (child > 0) waitpid(child, 0, 0);
    work(1);
}
int main(void) { family(2); return 0; }
"""
# Registers that hold values across calls and jumps; rcx among them: what a probe must not change.
KEEPS = """
#include <stdio.h>
FN uint64_t six(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f) {
    virtual_count(1);
    return a + 10 * b + 100 * c + 1000 * d + 10000 * e + 100000 * f;
}
FN uint64_t swap(uint64_t n, uint64_t (*volatile to)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t)) {
    if (n % 7 == 0) virtual_interrupt(3);
    if (n % 11 == 0) virtual_switch(5000, 1);
    return to(6, 5, 4, 3, 2, n % 10) + n;
}
FN uint64_t tail(uint64_t n) { return six(n, 0, 0, n, 0, 0); }
int main(void) {
    uint64_t sum = 0;
    for (uint64_t i = 0; i < 20000; i++) sum += swap(i, six) ^ tail(i % 9);
    printf("%lu\\n", sum);
    return 0;
}
"""


def counter(name="cycles"):
    return {**virtual.costs(), "CINSTR_COUNTER": name}


def rows(bench, measure="cycles", *words, by="function"):
    text = bench.cinstr("report", f"--measure={measure}", f"--by={by}", "--format=json", *words, bench.path("cinstr.data"))
    return json.loads(text)


def sums(report):
    return {row["name"]: (row["inclusive_counted"], row["exclusive_counted"], row["calls"]) for row in report["rows"]}


@lab.test("counter/what the processor counts is its function's")
def by_function(bench):
    program = virtual.program(bench, COUNTED)
    for name, what in (("cycles", "cycles"), ("retired", "retired instructions"), ("misses", "cache misses")):
        bench.run(program, env=counter(name), status=0)
        report = rows(bench, name)
        lab.equal(sums(report), SUMS, name)
        session = report["session"]
        lab.equal((session["measure"], session["counted"], session["threads_not_known"]), (what, 185500 + 2**40, 0), name)
    tree = bench.cinstr("tree", "--measure=misses", "--format=csv", "--columns=inclusive_counted,exclusive_counted",
                        bench.path("cinstr.data"))
    lab.equal(tree.split("\n")[1:5], [f"{SUMS[name][0]},{SUMS[name][1]}" for name in ("main", "both", "work", "nap")], tree)
    text = bench.cinstr("report", "--measure=misses", bench.path("cinstr.data"))
    lab.check("1,099,511,813,276 cache misses counted" in text.replace("\u202f", ","), text)


@lab.test("counter/what has changed between two programs")
def changed(bench):
    program = virtual.program(bench, COUNTED)
    bench.run(program, env={**counter("misses"), "CINSTR_DATA": bench.path("a")}, status=0)
    other = virtual.program(bench, COUNTED.replace("work(n); virtual_count(5);", "work(n + 7); virtual_count(5);"))
    bench.run(other, env={**counter("misses"), "CINSTR_DATA": bench.path("b")}, status=0)
    sides = bench.path("a"), bench.path("b")
    for column, grown in ("exclusive_counted", ("work",)), ("inclusive_counted", ("work", "both", "main")):
        report = json.loads(bench.cinstr("diff", "--measure=misses", f"--column={column}", "--format=json", "--threshold=0", *sides))
        place = column != "inclusive_counted"
        lab.equal({row["name"]: (row["verdict"], row["a"], row["change"]) for row in report["rows"]},
                  {name: ("more" if name in grown else "same", SUMS[name][place], 4200 if name in grown else 0) for name in SUMS}, column)
        lab.equal((report["session"]["total_a"], report["session"]["total_change"]), (185500 + 2**40, 4200), "total")
        lab.check(not any("elapsed" in key or "_ns" in key for key in [*report["rows"][0], *report["session"]]), report["session"])
    text = bench.cinstr("diff", "--measure=misses", "--threshold=0", *sides)
    lab.check("1,099,511,813,276 cache misses to 1,099,511,817,476 cache misses" in text.replace("\u202f", ",") and "El" not in text, text)
    for words, status, says in ((["--single=1", "--fail-over=1"], 1, "work: exclusive_counted grew by 2.3 %"), (["--single=9", "--fail-over=1"], 0, ""),
                                (["--column=calls"], 2, "can be compared"), (["--columns=elapsed_inclusive"], 2, "no times"),
                                (["--columns=all"], 0, "")):
        done = bench.run(lab.COMMAND, "diff", "--measure=misses", "--threshold=0", *words, *sides, status=status)
        lab.check(says in done.stderr, (words, done.stderr))


def exported(bench, form, *words):
    return bench.cinstr("export", f"--format={form}", "--measure=misses", *words, bench.path("cinstr.data"))


@lab.test("counter/in files for other viewers")
def exports(bench):
    bench.run(virtual.program(bench, COUNTED), env=counter("misses"), status=0)
    paths = dict(line.rsplit(" ", 1) for line in exported(bench, "collapsed").splitlines())
    own = {path.rpartition(";")[2]: int(value) for path, value in paths.items()}
    lab.equal(own, {name: row[1] for name, row in SUMS.items()}, "collapsed")
    text = exported(bench, "callgrind")
    lab.check("\nevents: Misses\nsummary: %d\n" % SUMS["main"][0] in text, text)
    (profile,) = json.loads(exported(bench, "speedscope"))["profiles"]
    lab.equal((profile["endValue"], profile["unit"], profile["name"].partition(": ")[2]), (SUMS["main"][0], "none", "misses"), "speedscope")
    threads = json.loads(exported(bench, "firefox"))["threads"]
    lab.equal(sum(sum(thread["samples"]["weight"]) for thread in threads), SUMS["main"][0], "firefox")
    lab.check("100 % = 1,099,511,813,276 misses" in exported(bench, "dot"), "dot")
    for form, measure, says in (("sqlite", "misses", "sqlite files have no place for it"), ("chrome", "misses", "have no place"),
                                ("pprof", "misses,elapsed", "goes with calls, and not with elapsed"),
                                ("collapsed", "misses,cycles", "goes with calls, and not with cycles"), ("collapsed", "foo", "has no 'foo'")):
        done = bench.run(lab.COMMAND, "export", f"--format={form}", f"--measure={measure}", bench.path("cinstr.data"), status=2)
        lab.check(says in done.stderr and not done.stdout, done.stderr)
    done = bench.run(lab.COMMAND, "export", "--format=collapsed", "--measure=cycles", bench.path("cinstr.data"), status=1)
    lab.check("the processor counted no cycles there" in done.stderr and not done.stdout, done.stderr)


@lab.test("counter/another counter than the recorded one is refused")
def other(bench):
    bench.run(virtual.program(bench, COUNTED), env=counter("misses"), status=0)
    for measure, says in (("cycles", "no cycles there: cinstr record --counter=cycles"),
                          ("instructions", "no executed instructions were counted")):
        done = bench.run(lab.COMMAND, "report", f"--measure={measure}", bench.path("cinstr.data"), status=1)
        lab.check(says in done.stderr and not done.stdout, done.stderr + done.stdout)


@lab.test("counter/threads have their own; what cannot be read is not known")
def threads(bench):
    bench.run(virtual.program(bench, THREADS), env=counter(), status=0)
    report = rows(bench, by="thread")
    lab.equal(sorted(row["inclusive_counted"] for row in report["rows"]), [0, 0, 9000, 18000], "threads")
    lab.equal(report["session"]["threads_not_known"], 1, "not known")
    lab.check("Not known of 1 thread:" in bench.cinstr("report", "--measure=cycles", bench.path("cinstr.data")), "foot")


@lab.test("counter/a forked child is counted anew")
def forks(bench):
    bench.run(virtual.program(bench, FORKS), env=counter(), status=0)
    report = rows(bench, by="process")
    lab.equal(sorted(row["inclusive_counted"] for row in report["rows"]), [101, 1111, 1111], "processes")


@lab.test("counter/a killed process has what it counted")
def killed(bench):
    text = COUNTED.replace("return 0; }\n", "__builtin_trap(); }\n")
    bench.run(virtual.program(bench, text), env=counter(), status=-4)
    found = sums(rows(bench))
    lab.equal({name: found[name] for name in ("work", "nap")}, {name: SUMS[name] for name in ("work", "nap")}, "killed")


@lab.test("counter/probes change no register")
def registers(bench):
    program = virtual.program(bench, KEEPS, "-O2", "-fno-optimize-sibling-calls")
    plain = bench.run(program, env={"CINSTR": "off"}, status=0)
    for probes in ("calls", "functions"):
        done = bench.run(program, env={**counter(), "CINSTR_PROBES": probes}, status=0)
        lab.equal(done.stdout, plain.stdout, probes)
        lab.equal(sums(rows(bench))["six"], (40000, 40000, 40000), probes)


@lab.test("counter/without one it is said, and nothing is counted")
def none(bench):
    done = bench.run(virtual.program(bench, COUNTED), env={**counter(), "VIRTUAL_NO_COUNTER": "1"}, status=0)
    lab.equal(done.stderr.count("CINSTR_COUNTER=cycles: nothing is counted: the processor has no such counter"), 1, done.stderr)
    lab.equal(int(bench.functions()["work"]["calls"]), 600, "calls")


@lab.test("counter/that of a real processor")
def real(bench):
    if not os.path.exists("/sys/bus/event_source/devices/cpu") and not os.path.exists("/sys/bus/event_source/devices/cpu_core"):
        raise lab.Skip("no counter of the processor here")
    text = """
__attribute__((noinline)) void loop(unsigned long n) { __asm__ volatile("1: dec %0; jnz 1b" : "+r"(n)); }
int main(void) { for (int i = 0; i < 10; i++) loop(1000000); return 0; }
"""
    program = bench.compile(bench.write("program.c", text), "program", "-O1", "-fplugin-arg-cinstr-small=0")
    done = bench.run(lab.COMMAND, "record", "--counter=retired", "--", program, status=0)
    lab.equal(done.stderr, "", "messages")
    row = sums(rows(bench, "retired"))["loop"]
    lab.check(20_000_000 <= row[1] < 20_010_000 and row[2] == 10, f"{row}")
