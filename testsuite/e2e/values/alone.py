# SPDX-License-Identifier: GPL-3.0-or-later
"""Mixed recordings without a collector (CINSTR_METHOD=mixed): threads sample themselves, and the
program does not notice."""
import lab

ROUNDS = 5000
# Probes at one() and three() cost more than this on any processor: they are counted.
MIXED = {"CINSTR_METHOD": "mixed", "CINSTR_MAX_OVERHEAD": "1"}
TRUTH = 3 / 4  # of what three() and one() do together


def record(bench, what, rounds=ROUNDS):
    program = bench.compile("programs/alone.c", "program", "-O2", "-pthread", "-fplugin-arg-cinstr-small=0")
    done = bench.run(program, what, str(rounds), env=MIXED, status=0, cwd=bench.folder)
    bench.sound()
    return program, done.stdout


def view(bench):
    """Rows by name; the test is over where the kernel does not permit perf events."""
    found = bench.report()
    session = found["session"]
    if session["threads_not_sampled"]:
        raise lab.Skip("perf_event_open is not permitted")
    exclusive = sum(row["elapsed_exclusive_ns"] for row in found["rows"]) + session["outside_functions_ns"]
    lab.check(abs(exclusive - session["elapsed_inclusive_ns"]) <= len(found["rows"]) + 1,
              f"{exclusive} ns of {session['elapsed_inclusive_ns']} are somebody's")
    lab.equal(session["conservation_ticks_off"], 0, "conservation")
    return {row["name"]: row for row in found["rows"]}, session


def check_shares(rows, session, samples=100):
    """Five standard deviations of the binomial, and what a call costs besides its work."""
    joined = session["samples_joined"]
    lab.check(joined >= samples, f"{joined} samples of {session['samples_kept']} were joined")
    times = {name: rows[name]["application_exclusive_ns"] for name in ("one", "three")}
    share = times["three"] / sum(times.values())
    off = 5 * (TRUTH * (1 - TRUTH) / joined) ** 0.5 + 0.05
    lab.check(abs(share - TRUTH) < off, f"three has {share} of the work, not {TRUTH} +- {off}")


def check_calls(rows, n):
    lab.equal({name: rows[name]["calls"] for name in ("one", "three")}, {"one": n, "three": n}, "calls")


def test(what, calls, processes=1):
    @lab.test(f"mixed/alone: {what}")
    def shares(bench):
        record(bench, what)
        rows, session = view(bench)
        check_shares(rows, session)
        check_calls(rows, calls)
        lab.equal(session["processes_sampled_by_themselves"], processes, "processes with samples")
        lab.equal(session["processes_without_samples"], 0, "processes without")
    return shares


test("once", 100 * ROUNDS)
test("close", 100 * ROUNDS)
test("threads", 400 * ROUNDS)
test("fork", 100 * ROUNDS + 20000, processes=2)
test("raw", 100 * ROUNDS + 20000, processes=2)
test("vfork", 100 * ROUNDS)
test("exec", 200 * ROUNDS, processes=2)


@lab.test("mixed/alone: switches of threads cost less with fewer samples")
def switches(bench):
    record(bench, "switches", 4 * ROUNDS)
    rows, session = view(bench)
    # the second thread may have no sample any more
    lab.check(session["threads_sampled_rarely"] in (1, 2), f"{session['threads_sampled_rarely']} threads with a sample each 10 ms")
    check_calls(rows, 400 * ROUNDS)
    check_shares(rows, session, samples=20)
    most = session["elapsed_inclusive_ns"] / 10e6 + 4
    lab.check(session["samples_kept"] <= most, f"{session['samples_kept']} samples stand for equal times: {most} at most")


@lab.test("mixed/alone: files stay closed")
def files(bench):
    program, output = record(bench, "threads")
    lab.equal(output, bench.run(program, "threads", "10", env={"CINSTR": "off"}, status=0).stdout, "open files")


@lab.test("mixed/alone: functions without probes")
def plain(bench):
    record(bench, "bare")
    rows, _ = view(bench)
    lab.equal(rows["calls_bare"]["calls"], 100 * ROUNDS, "calls of calls_bare")
    part = rows["bare"]["application_exclusive_ns"] / rows["three"]["application_exclusive_ns"]
    lab.check(0.4 < part < 0.95, f"bare takes {part} of three, not 2 / 3")
    for name in ("one", "three"):
        lab.check(rows[name]["source_exclusive"] in ("estimate", "both"), f"{name}: {rows[name]}")
    table = bench.cinstr("report", "--verbose", bench.path("cinstr.data"))
    lab.check("have sampled themselves" in " ".join(table.split()), table)
    lab.check("by the threads themselves" in bench.cinstr("info", bench.path("cinstr.data")), "info")


@lab.test("mixed/alone: folded again the same")
def refold(bench):
    for source, args in ("programs/jumps.c", ("3",)), ("programs/alone.c", ("threads", "500")):
        program = bench.compile(source, "program", "-O2", "-pthread")
        bench.run(program, *args, env={**MIXED, "CINSTR_TIMELINE": "unlimited"}, status=0, cwd=bench.folder)
        bench.cinstr("refold", bench.path("cinstr.data"))


@lab.test("mixed/alone: what was before a function was counted")
def late(bench):
    """main works by itself for most of the time, and only then calls what comes to be counted."""
    program = bench.compile("programs/alone.c", "program", "-O2", "-pthread", "-fplugin-arg-cinstr-small=0")
    bench.run(program, "late", str(ROUNDS), env=MIXED, status=0, cwd=bench.folder)
    bench.sound()
    rows, session = view(bench)
    check_shares(rows, session)
    part = rows["main"]["application_exclusive_ns"] / sum(rows[n]["application_exclusive_ns"] for n in ("one", "three"))
    lab.check(0.8 < part < 2.2, f"main has {part} of what one and three have, not 1.3")


@lab.test("mixed/alone: a range of time")
def part(bench):
    program = bench.compile("programs/alone.c", "program", "-O2", "-pthread", "-fplugin-arg-cinstr-small=0")
    bench.run(program, "once", str(ROUNDS), env={**MIXED, "CINSTR_TIMELINE": "unlimited"}, status=0, cwd=bench.folder)
    length = view(bench)[0]["main"]["elapsed_inclusive_ns"]
    found = bench.json("report", bench.path("cinstr.data"), f"--from={length // 4}ns", f"--to={length * 3 // 4}ns")
    rows = {row["name"]: row for row in found["rows"]}
    check_shares(rows, found["session"], samples=15)
    most = sum(rows[name]["application_exclusive_ns"] for name in ("one", "three"))
    lab.check(most > 0.8 * found["session"]["application_inclusive_ns"], f"{most} ns of it are theirs")


RINGS = """
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
static char *hole; /* as large as a ring, so that another one may come there */
static void *waits(void *n)
{
    for (int i = 0; i < *(int *)n; i++) usleep(1);
    munmap(hole, 65 * 4096);
    return NULL;
}
int main(void)
{
    char line[512];
    int rings = 0;
    for (int n = 500; n < 1100; n += 15) {
        pthread_t thread;
        hole = mmap(NULL, 65 * 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        pthread_create(&thread, NULL, waits, &n);
        pthread_join(thread, NULL);
    }
    FILE *maps = fopen("/proc/self/maps", "r");
    while (fgets(line, sizeof(line), maps)) rings += strstr(line, "[perf_event]") != NULL;
    printf("%d\\n", rings);
    return 0;
}
"""


@lab.test("mixed/alone: threads that end after many waits leave no ring")
def rings(bench):
    program = bench.compile(bench.write("rings.c", RINGS), "program", "-O2", "-pthread")
    done = bench.run(program, env={"CINSTR_METHOD": "mixed"}, status=0)
    if bench.report()["session"]["threads_not_sampled"]:
        raise lab.Skip("perf_event_open is not permitted")
    lab.equal(done.stdout, "1\n", "rings: the first thread's")


FILTERED = """
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
static volatile long sum;
__attribute__((noinline)) static void compute(void) { for (int i = 0; i < 200000; i++) sum++; }
int main(int n, char **argv)
{
    struct sock_filter filter[] = { BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
                                    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
                                    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
                                    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) };
    struct sock_fprog program = { 4, filter };
    for (int i = 0; i < 100; i++) compute();
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (n > 1) prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
    for (int i = 0; i < 600; i++) usleep(1);
    for (int i = 0; i < 1000; i++) compute();
    return 0;
}
"""


@lab.test("mixed/alone: who may have no other ring keeps its own")
def filtered(bench):
    program = bench.compile(bench.write("filtered.c", FILTERED), "program", "-O2")
    bench.run(program, env={"CINSTR_METHOD": "mixed"}, status=0)
    _, session = view(bench)
    lab.equal(session["threads_sampled_rarely"], 1, "without the filter: threads with a sample each 10 ms")
    bench.run(program, "filter", env={"CINSTR_METHOD": "mixed"}, status=0)
    session = bench.report()["session"]
    lab.equal([session["threads_not_sampled"], session["threads_sampled_rarely"]], [0, 0],
              "threads without samples, with a sample each 10 ms")
    lab.check(session["samples_kept"] >= 50, f"{session['samples_kept']} samples of 300 ms")
