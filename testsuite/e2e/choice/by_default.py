# SPDX-License-Identifier: GPL-3.0-or-later
"""What is recorded when nothing is asked for: calls and samples, every call timed as long as the
probes cost little."""
import os

import lab
import no_perf

AUTO = {"CINSTR_METHOD": "auto"}
ROUNDS = 5000  # of alone.c, which calls short functions 100 times as often
SHORT = ("one", "three")


def build(bench):
    return bench.compile("programs/alone.c", "program", "-O2", "-pthread", "-fplugin-arg-cinstr-small=0")


def may_sample(bench):
    bench.run(lab.COMMAND, "record", "--sample", "--sample-source=perf", "-o", "tried", "sh", "-c",
              "i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done", env=AUTO)
    if not os.path.exists(bench.path("tried")):
        raise lab.Skip("perf_event_open is not permitted")


def chosen(bench, session="cinstr.data"):
    """What the view's head says of the recording."""
    lines = bench.run(lab.COMMAND, "report", bench.path(session), env={"COLUMNS": "200"}, status=0).stdout.splitlines()
    return next((line.split(maxsplit=1)[1] for line in lines if line.startswith("Recorded ")), "")


def check_exact(bench, rounds=ROUNDS, session="cinstr.data"):
    rows = bench.functions(session)
    lab.equal({name: rows[name]["calls"] for name in SHORT}, {name: 100 * rounds for name in SHORT}, "calls")


@lab.test("default/a program that costs little has an interval for every call")
def little(bench):
    program = build(bench)
    trees = []
    for env in AUTO, {}:
        bench.run(program, "once", "1", env=env, status=0)
        bench.sound()
        trees.append(bench.tree())
    lab.equal(trees[0], trees[1], "the tree, with samples and without")
    bench.run(program, "once", "1", env=AUTO, status=0)
    lab.check(chosen(bench).startswith("every call timed"), chosen(bench))


@lab.test("default/short functions are counted, and timed by samples")
def short(bench):
    program = build(bench)
    may_sample(bench)
    bench.run(program, "once", str(ROUNDS), env=AUTO, status=0)
    bench.sound()
    check_exact(bench)
    lab.check(chosen(bench).startswith("overhead limited to 10 %, "), chosen(bench))
    lab.check(chosen(bench).endswith(" counted, and timed by samples"), chosen(bench))
    lab.check(bench.report()["session"]["samples_joined"] > 0, "no samples were joined")


@lab.test("default/cinstr record")
def recorded(bench):
    program = build(bench)
    may_sample(bench)
    done = bench.run(lab.COMMAND, "record", "--", program, "once", str(ROUNDS), env=AUTO, status=0)
    check_exact(bench)
    lab.check(chosen(bench).endswith(" counted, and timed by samples"), chosen(bench))
    lab.check("cinstr: also took " in done.stderr, done.stderr)
    lab.check("warning" not in done.stderr, done.stderr)
    bench.run(lab.COMMAND, "record", "--", program, "once", "10", status=0)
    lab.equal(chosen(bench), "", "what is said where the environment asks for calls alone")


@lab.test("default/--full times every call")
def full(bench):
    program = build(bench)
    for words, env in (["record", "--full", "--", program], AUTO), (["record", "--max-overhead=unlimited", "--", program], AUTO), \
            ([], {**AUTO, "CINSTR_MAX_OVERHEAD": "unlimited"}):
        command = [lab.COMMAND, *words] if words else [program]
        bench.run(*command, "once", "500", env=env, status=0)
        bench.sound()
        check_exact(bench, 500)
        lab.check(chosen(bench).startswith("every call timed"), chosen(bench))
        rows = bench.functions()
        lab.check(all(rows[name]["max_elapsed_inclusive_ns"] for name in SHORT), "no longest call is known")
    done = bench.run(lab.COMMAND, "record", "--full", "--max-overhead=5", "--", program, status=2)
    lab.check("--full times every call, --max-overhead=5 does not" in done.stderr, done.stderr)


@lab.test("default/a limit of 0 counts")
def nothing_timed(bench):
    program = build(bench)
    bench.run(program, "once", str(ROUNDS), env={"CINSTR_MAX_OVERHEAD": "0"}, status=0)
    bench.sound()
    check_exact(bench)
    marks = bench.json("info", "--marks", bench.path("cinstr.data"))["marks"]
    lab.check(any(mark["kind"] == "demoted" for mark in marks), "all functions are timed")


@lab.test("default/where samples are forbidden every call is timed")
def forbidden(bench):
    program = build(bench)
    first = no_perf.build(bench)
    done = bench.run(first, program, "once", "500", env=AUTO)
    if done.returncode == no_perf.NO_FILTER:
        raise lab.Skip("no filter can be set here")
    lab.equal(done.returncode, 0, "exit status")
    bench.sound()
    check_exact(bench, 500)
    lab.check(chosen(bench).startswith("every call timed, without samples: they are not permitted"), chosen(bench))
    bench.run(first, program, "once", str(ROUNDS), env={**AUTO, "CINSTR_MAX_OVERHEAD": "5"}, status=0)
    check_exact(bench)
    lab.check("overhead limited to 5 %" in chosen(bench), chosen(bench))


SCANS = """
#include <string.h>
static char text[20000];
static const char *volatile at = text;
__attribute__((noipa)) size_t scan(void)
{
    size_t sum = 0;
    for (int i = 0; i < 400000; i++)
        sum += strlen(at);
    return sum;
}
int main(void)
{
    memset(text, 'x', sizeof(text) - 1);
    return scan() == 1;
}
"""


@lab.test("default/a variant for the processor is the function that is called")
def variant(bench):
    """Samples are in __strlen_evex and the like: the time is strlen's, as are the calls, and of the
    only place that calls it."""
    program = bench.compile(bench.write("scans.c", SCANS), "scans", "-O2", "-fno-builtin", "-fplugin-arg-cinstr-small=0")
    may_sample(bench)
    bench.run(program, env={**AUTO, "CINSTR_MAX_OVERHEAD": "0"}, status=0)
    rows = bench.functions()
    lab.equal((rows["strlen"]["calls"], rows["strlen"]["calls_bound"]), (400000, "exact"), "calls of strlen")
    whole = sum(row["cpu_exclusive_ns"] for row in rows.values())
    lab.check(rows["strlen"]["cpu_exclusive_ns"] > 0.8 * whole, f"strlen has {rows['strlen']['cpu_exclusive_ns']} of {whole} ns")
    lab.equal([name for name in rows if "strlen" in name], ["strlen"], "functions of that name")
    sites = bench.report("cinstr.data", "site")["rows"]
    site = next(row for row in sites if row["callee"] == "strlen" and row["name"] == "scan")
    lab.check(site["cpu_inclusive_ns"] > 0.8 * whole, f"its calls in scan have {site['cpu_inclusive_ns']} of {whole} ns")


INSIDES = r"""
#include <math.h>
#include <stdlib.h>
static double bend(double x, double y) { return pow(x, y); }
__attribute__((noipa)) double powers(void)
{
    double sum = 0;
    for (int i = 0; i < 4000000; i++)
        sum += bend(1 + i * 1e-7, 1.5 + i * 1e-8);
    return sum;
}
__attribute__((noipa)) long numbers(const char *text)
{
    long sum = 0;
    for (int i = 0; i < 4000000; i++)
        sum += strtol(text, NULL, 10);
    return sum;
}
int main(void)
{
    return powers() + (double)numbers("1234567890123") < 0;
}
"""


@lab.test("default/the inside of a library's function is a part of it")
def inside(bench):
    """pow jumps to __ieee754_pow_fma, and strtol to ____strtoll_l_internal, which nobody calls by
    that name."""
    program = bench.compile(bench.write("insides.c", INSIDES), "insides", "-O2", "-fno-builtin", "-fplugin-arg-cinstr-small=0", "-lm")
    may_sample(bench)
    bench.run(program, env={**AUTO, "CINSTR_MAX_OVERHEAD": "10"}, status=0)
    rows = bench.functions()
    whole = sum(row["cpu_exclusive_ns"] for row in rows.values())
    for callee, inside in (("pow", "pow_"), ("strtol", "strtoll_")):
        lab.equal([name for name in rows if inside in name], [], f"insides of {callee}")
        lab.equal(rows[callee]["calls"], 4000000, f"calls of {callee}")
        lab.check(rows[callee]["cpu_exclusive_ns"] > 0.2 * whole, f"{callee} has {rows[callee]['cpu_exclusive_ns']} of {whole} ns")


LIBRARY = r"""
#define INNER __attribute__((noipa)) static
#define SPIN(x, n) for (int i = 0; i < n; i++) x = x * 1664525u + 1013904223u
INNER unsigned spin(unsigned x, int n) { SPIN(x, n); return x; }
INNER unsigned round_alone(unsigned x) { return spin(x + 1, 200) + 1; }
INNER unsigned deep(unsigned x) { return spin(x + 2, 200) ^ 1; }
INNER unsigned both(unsigned x, int n) { SPIN(x, n); return x + 1; }
INNER unsigned chosen(unsigned x, int n) { SPIN(x, n); return x + 2; }
static unsigned (*volatile pointer)(unsigned, int);
unsigned alone(unsigned x) { return round_alone(x) + 1; }
unsigned often(unsigned x) { return both(x, 200) + 1; }
unsigned half(unsigned x) { return both(x, 200) + 2; }
unsigned seldom(unsigned x) { return both(x, 200) + deep(x); }
unsigned by_pointer(unsigned x) { pointer = chosen; return pointer(x, 200) + 1; }
"""
CALLS_IT = r"""
unsigned alone(unsigned), often(unsigned), half(unsigned), seldom(unsigned), by_pointer(unsigned);
int main(void)
{
    unsigned x = 0;
    for (int i = 0; i < 2000000; i++) {
        x += alone(x) + often(x) + by_pointer(x);
        if (i % 2)
            x += half(x);
        if (i % 400000 == 0)
            x += seldom(x);
    }
    return x == 1;
}
"""


@lab.test("default/functions inside of a library that has no names for them")
def inside_stripped(bench):
    """The library's machine code tells which of its functions lead there, and counters tell how
    often the program calls these: `both` is executed for `often` and `half` as 2 to 1. Four parts
    of the work are equal but for half's, which is a half: one has 2 of 7 of the time."""
    bench.run("gcc", "-O2", "-s", "-shared", "-fPIC", bench.write("library.c", LIBRARY),
              "-o", bench.path("libinner.so"), status=0)
    program = bench.compile(bench.write("calls_it.c", CALLS_IT), "calls_it", "-O2", "-fplugin-arg-cinstr-small=0",
                            f"-L{bench.folder}", "-linner", f"-Wl,-rpath,{bench.folder}")
    may_sample(bench)
    bench.run(program, env={**AUTO, "CINSTR_MAX_OVERHEAD": "0"}, status=0)
    bench.sound()
    rows = bench.functions()
    lab.equal([name for name in rows if name.startswith("0x")], [], "insides of the library")
    whole = sum(row["cpu_exclusive_ns"] for row in rows.values())
    # some 1,100 samples: 0.286 +- 0.014, and what the calls cost beside the work
    for name, part in (("alone", 2 / 7), ("often", 2 / 7), ("by_pointer", 2 / 7), ("half", 1 / 7), ("seldom", 0)):
        share = rows[name]["cpu_exclusive_ns"] / whole
        lab.check(abs(share - part) < 0.09, f"{name} has {share:.3f} of the time, not {part:.3f}")


ENDS_AT_ONCE = r"""
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
/* No event comes while it looks, at which a thread would be sampled that has run for so long. */
__attribute__((noipa, no_instrument_function)) static int rings(void)
{
    static char text[1 << 17];
    int n = 0, maps = open("/proc/self/maps", O_RDONLY);
    long got, size = 0;
    while ((got = read(maps, text + size, sizeof(text) - 1 - (size_t)size)) > 0) size += got;
    text[size] = 0;
    for (const char *at = text; (at = strstr(at, "[perf_event]")) != NULL; at++) n++;
    close(maps);
    return n;
}
static long used_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * 1000000 + t.tv_nsec / 1000;
}
static void *ends(void *n) { *(int *)n = -1; return NULL; }
static void *looks(void *n) { *(int *)n = rings(); return NULL; }
/* One that has run for half a millisecond already may have been sampled: it says nothing. */
static void *looks_at_once(void *n) { long used = used_us(); *(int *)n = used < 500 ? rings() : 1; return NULL; }
static void *lasts(void *n) { while (used_us() < 20000) getppid(); *(int *)n = rings(); return NULL; }
static void *silent(void *n) { for (volatile long i = 0; i < 100000000; i++) ; *(int *)n = rings(); return NULL; }
static int run(void *(*what)(void *))
{
    pthread_t thread;
    int n = 0;
    pthread_create(&thread, NULL, what, &n);
    pthread_join(thread, NULL);
    return n;
}
int main(void)
{
    int begin = rings(), first = run(looks), late, last, behind, next;
    /* a busy machine makes single ones long, and sixteen have to be short, one after another */
    for (int k = 0; k < 50 && (!k || late != 1); k++) {
        for (int i = 0; i < 100; i++) run(ends);
        late = run(looks_at_once);
    }
    last = run(lasts);
    for (int i = 0; i < 100; i++) run(ends);
    behind = run(silent);
    next = run(looks);
    printf("%d %d %d %d %d %d\n", begin, first, late, last, behind, next);
    return 0;
}
"""


@lab.test("default/threads that end at once")
def short_threads(bench):
    """Behind many of them a thread is sampled once it has run for a millisecond: the event and its
    ring take longer to make than such threads take."""
    may_sample(bench)
    program = bench.compile(bench.write("ends.c", ENDS_AT_ONCE), "program", "-O2", "-pthread")
    done = bench.run(program, env=AUTO, status=0)
    lab.equal(done.stdout.split(), ["1", "2", "1", "2", "2", "2"],
              "rings: at first, in the first thread, behind many, in one that lasts, behind many in one without events, in the next one")
    bench.sound()
    lab.check(bench.report()["session"]["samples_lost"] >= 10, "a thread without events for 50 ms has lost samples")
