# SPDX-License-Identifier: GPL-3.0-or-later
"""Every view of scripted recordings, by equality: all values that are not 0 or empty, and what is
said. UPDATE=1 writes golden/ anew: look at the difference."""
import csv
import os
import re

import lab
import virtual_lab as virtual

GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "golden")
PROGRAM = """
#include <setjmp.h>
#include <stdlib.h>
#include "cinstr.h"
static struct virtual_lock lock;
static jmp_buf out;
FN void leaf(uint64_t ticks) { virtual_compute(ticks); }
FN int fib(int n) { virtual_compute(10); return n < 2 ? n : fib(n - 1) + fib(n - 2); }
FN void odd(uint64_t n) { virtual_compute(30); leaf(n); }
FN void even(uint64_t n) {
    virtual_compute(20);
    leaf(2 * n);
    virtual_compute(4);
    leaf(n);
}
FN void sleeps(uint64_t n) { virtual_switch(1000 * n, 1); virtual_compute(10); }
FN void faults(uint64_t n) { virtual_fault(3000, n % 2); virtual_interrupt(20); }
FN void calls(uint64_t n) {
    static void (*const which[])(uint64_t) = { even, odd };
    which[n % 2](n);
    virtual_compute(500);
    virtual_work(40);
}
FN void jumps(int n) { leaf(7); if (!n) longjmp(out, 1); jumps(n - 1); }
FN void holds(uint64_t ticks) { virtual_take(&lock); virtual_work(ticks); virtual_give(&lock); }
FN void *worker(void *ticks) {
    for (uint64_t i = 1; i <= 10; i++) {
        holds((uint64_t)ticks);
        calls(i);
    }
    return 0;
}
int main(int argc, char **argv) {
    uint64_t rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 20;
    int first = virtual_start(worker, (void *)3000), second = virtual_start(worker, (void *)2000);
    for (uint64_t i = 1; i <= rounds; i++) {
        calls(i);
        if (i % 4 == 0)
            sleeps(i);
        if (i % 5 == 0)
            faults(i);
    }
    cinstr_mark(7);
    leaf(100);
    if (!setjmp(out))
        jumps(4);
    virtual_preempt(2000);
    cinstr_mark(8);
    fib(7);
    virtual_join(first), virtual_join(second);
    return 0;
}
"""
LIMITED = """
FN void tiny(void) { virtual_compute(5); }
FN void batch(void) { for (int i = 0; i < 1000; i++) tiny(); virtual_compute(50000); }
int main(void) { for (int i = 0; i < 400; i++) batch(); return 0; }
"""
# Calls that cost more than they do, then rare ones for seconds, then often again; two threads.
LIMITED_AGAIN = """
FN int tiny(int n) { virtual_compute(5); return n; }
FN void small(int n) { virtual_compute(20); tiny(n); }
FN void outside(int n) { virtual_work(15); tiny(n); }
FN void deep(int n) { virtual_compute(8); if (n) deep(n - 1); }
FN void last(int n) { virtual_compute(90); if (n % 16 == 0) virtual_wait(3000); }
FN void batch(int times, uint64_t ticks) {
    for (int i = 0; i < times; i++) {
        small(i);
        outside(i);
        if (i % 8 == 0)
            deep(5);
        last(i);
    }
    virtual_compute(ticks);
}
FN void often(int rounds) { for (int i = 0; i < rounds; i++) batch(1000, 20000); }
FN void seldom(int rounds) { for (int i = 0; i < rounds; i++) batch(1, 2000000); }
FN void *worker(void *data) { often(100); seldom(1200); often(60); return data; }
int main(void) {
    int other = virtual_start(worker, 0);
    often(150);
    seldom(1500);
    often(200);
    seldom(1500);
    virtual_join(other);
    return 0;
}
"""
FEW = "--columns=default,elapsed,maxima,os"
REPORTS = [["report", "--by=function"]] + [["report", f"--by={by}", FEW] for by in ("module", "thread", "process", "mark", "rank")]
PLACES = [["report", f"--by={by}", FEW] for by in ("line", "site", "address")]
COUNTED = [["report", FEW, *words] for words in (["--raw"], ["--application=on-cpu"], ["--os-events=all"], ["--from=7", "--to=8"],
                                                 ["--function=fib,e*"], ["--thread=worker"])]
TABLES = [["tree"], ["callers", "main"], ["callers", "leaf"], ["callers", "virtual_take"]]
SAID = [["summary"], ["summary", "--verbose"], ["report", "--verbose"], ["report", "--histogram"], ["report", "--view=os"],
        ["report", "--view=full", "--verbose"], ["report", "--by=module", "--functions"], ["tree", "--verbose"],
        ["annotate", "--function=calls"]]
# What differs in each run, or with the compiler, the C library and the place of the sources.
VARIES = re.compile(r"^((parent_)?pid|tid|address|module|begin_realtime_ns|inlined_from|time|host|(begin|end)_ns)$")
PERCENT = re.compile(r"_percent$|^(min|avg|p\d+)_")


def values(text, folder, few):
    """A row of csv in a line: its columns that say something; few: but those that follow from
    others."""
    lines = []
    for row in csv.DictReader(text.splitlines()):
        own = (row.get("file") or "").startswith(folder)
        shown = {name: value for name, value in row.items()
                 if value not in ("", "0", "0.000000", None) and not VARIES.match(name) and not (few and PERCENT.search(name)) and (own or name not in ("file", "line"))}
        lines.append(" ".join(f"{name}={value}" for name, value in shown.items()).replace(folder + "/", ""))
    return lines


def words(text):
    """Lines of a table, without what varies."""
    text = re.sub(r"\b20\d\d-\d\d-\d\d \d\d:\d\d:\d\d", "DATE", text)
    text = re.sub(r"\b[\w./-]+\.(?:h|c|S):\d+", lambda found: found[0] if found[0].startswith("program.c") else "", text)
    text = re.sub(r"[\d.]+ [mu]s wall|Wall time [\d.]+ [mu]s", "WALL", text.replace("libcinstr.so.0", ""))
    lines = [" ".join(line.split()) for line in text.splitlines()]
    return [re.sub(r"\b(program(?: \d+)?|worker) \d+(?= [\d.]+ [mu]?s )", r"\1 ID", line) for line in lines]


def shown(bench, session, views, said):
    path, lines = bench.path(session), []
    for view in views:
        lines += ["", "## " + " ".join(view)] + values(bench.cinstr(view[0], "--format=csv", *view[1:], path), bench.folder, view != REPORTS[0])
    for view in said:
        lines += ["", "## " + " ".join(view)] + words(bench.cinstr(*view, "--width=0", path))
    return "\n".join(lines).replace(bench.folder, "FOLDER") + "\n"


def compare(name, text):
    """With the golden file."""
    path = os.path.join(GOLDEN, name)
    if os.environ.get("UPDATE"):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    with open(path, encoding="utf-8") as file:
        lab.compare_trees(text.splitlines(), file.read().splitlines(), f"{name}: ")


def check_golden(bench, name, session, views, said):
    compare(name, shown(bench, session, views, said))


def record(bench, program, session, *args, **env):
    done = bench.run(program, *args, env={**virtual.costs(), "CINSTR_DATA": bench.path(session), **env}, status=0)
    lab.equal(done.stderr, "", "messages")


@lab.test("virtual/views: of functions")
def functions(bench):
    record(bench, virtual.program(bench, PROGRAM, "-O0"), "functions", CINSTR_TIMELINE="1M")
    check_golden(bench, "functions.txt", "functions", REPORTS + PLACES[:2] + COUNTED + TABLES, SAID)


@lab.test("virtual/views: of lines")
def lines(bench):
    program = virtual.program(bench, PROGRAM, "-O0", "-fplugin-arg-cinstr-lines")
    record(bench, program, "lines", CINSTR_PROBES="lines")
    check_golden(bench, "lines.txt", "lines", PLACES, SAID[:2] + SAID[-1:])


@lab.test("virtual/views: of a limit on overhead")
def limit(bench):
    record(bench, virtual.program(bench, LIMITED), "limit", CINSTR_MAX_OVERHEAD="20")
    check_golden(bench, "limit.txt", "limit", REPORTS[:3] + TABLES[:1], SAID[:3])


@lab.test("virtual/views: of a limit on overhead, again and again")
def limit_again(bench):
    """What is taken out, when it is put back, and for how long it has to wait when that fails."""
    program = virtual.program(bench, LIMITED_AGAIN)
    done = bench.run(program, env={**virtual.costs(), "CINSTR_COUNTS": "sites"}, status=0)
    lab.check("without a limit (CINSTR_MAX_OVERHEAD): nothing is counted" in done.stderr, done.stderr)
    for counts, most in (("functions", "5"), ("libraries", "20"), ("sites", "3"), ("libraries", "0.1"), ("libraries", "2")):
        name = f"limit-{counts}-{most}"
        if most == "2":  # what is done where `small` is entered keeps its probe
            program = virtual.program(bench, LIMITED_AGAIN, "-fplugin-arg-cinstr-start=inside,small")
        record(bench, program, name, CINSTR_MAX_OVERHEAD=most, CINSTR_COUNTS=counts)
        text = shown(bench, name, [["report", FEW], ["report", "--by=site", FEW]], [["info", "--marks"]])
        compare(name + ".txt", re.sub(r"^(\d+) (\d+) (\d+) ", lambda found: f"{found[1]} {'main' if found[2] == found[3] else 'other'} ",
                                      text, flags=re.MULTILINE))


@lab.test("virtual/views: of few paths")
def few_paths(bench):
    """Calls beyond the budget of paths are kept by function and call site."""
    program = virtual.program(bench, PROGRAM, "-O0")
    record(bench, program, "paths", CINSTR_PATHS="14")
    check_golden(bench, "paths.txt", "paths", [REPORTS[0], *REPORTS[2:4], *PLACES, *COUNTED[:3], *TABLES], SAID[1:3] + SAID[6:8])


@lab.test("virtual/views: of ranks, and what is merged")
def merged(bench):
    program = virtual.program(bench, PROGRAM, "-O0")
    for rank, rounds in enumerate((4, 20, 33)):
        record(bench, program, "ranks", str(rounds), OMPI_COMM_WORLD_RANK=str(rank), OMPI_COMM_WORLD_SIZE="3")
    check_golden(bench, "ranks.txt", "ranks", REPORTS, SAID[:3] + [["ranks"], ["ranks", "fib"]])
    bench.cinstr("merge", "-o", bench.path("merged"), bench.path("ranks"))
    check_golden(bench, "merged.txt", "merged", [REPORTS[0], REPORTS[3], REPORTS[5]], SAID[1:3])


@lab.test("virtual/time outside any function")
def outside(bench):
    """What the rows' percentages lack is said: here three quarters. Nothing is said of nothing."""
    text = "FN void leaf(uint64_t ticks) { virtual_compute(ticks); }\n" \
           "__attribute__((no_instrument_function)) int main(int argc, char **argv) {\n" \
           "  leaf(1000000); virtual_compute(argc > 1 ? 9000000 : 0); leaf(2000000); return 0; }\n"
    program = virtual.program(bench, text)
    bench.run(program, "more", env=virtual.costs(runtime=0), status=0)
    lab.check("75.0 % (9.00 ms) outside any function" in bench.cinstr("report"), bench.cinstr("report"))
    lab.check("75.0 % (9.00 ms) outside any function" in bench.cinstr("tree"), bench.cinstr("tree"))
    lab.check("outside any function" not in bench.cinstr("report", "--by=thread"), "rows of threads have that time")
    bench.run(program, env=virtual.costs(runtime=0), status=0)
    lab.check("outside any function" not in bench.cinstr("report"), bench.cinstr("report"))


@lab.test("virtual/calls of what was left out as small: a lower bound")
def small(bench):
    """Other code may call it, too, without a probe. With probes of its own all calls are known."""
    other = bench.write("other.c", "int get(int n) { return n + 1; }\n")
    text = '#include "virtual.h"\nint get(int n);\nstatic int (*volatile pointer)(int) = get;\n' \
           "__attribute__((noipa)) int works(int n) { virtual_compute(100); return pointer(n) + pointer(n + 1); }\n" \
           "int main(void) { return !works(1); }\n"
    for most, calls in ("0", (2, "exact")), ("10", (2, "at least")):
        program = virtual.build(bench, [bench.write("program.c", text), other], f"-fplugin-arg-cinstr-small={most}")
        bench.run(program, env={**virtual.costs(), "CINSTR_DATA": most}, status=0)
        row = bench.functions(most)["get"]
        lab.equal((row["calls"], row["calls_bound"]), calls, f"small={most}")
