# SPDX-License-Identifier: GPL-3.0-or-later
"""Samples by timers (--sample-source=timers): the program does not notice, and what it does is
seen."""
import json
import os
import signal
import subprocess
import time

import lab
import sampled
from lab import Skip, check, equal, need

TIMERS = ("--sample-source=timers",)
RING = "ring"
CLOCK_MONOTONIC_COARSE = 6  # read at the kernel's ticks


def guest(bench):
    return sampled.compile(bench, "guest.c", "-pthread", "-Wno-infinite-recursion", optimize="-O1")


def undisturbed(bench, *what, options=(), status=0):
    """Runs the guest with and without being sampled: the same output and end. Returns the
    recorder's run."""
    program = guest(bench)
    plain = bench.run(program, *what, status=status)
    got = sampled.record(bench, program, *what, options=TIMERS + tuple(options), status=status)
    equal(got.stdout, plain.stdout, "output")
    others = [line for line in got.stderr.splitlines() if not line.startswith("cinstr: ")]
    equal(others, plain.stderr.splitlines(), "stderr")
    check(not os.path.exists(bench.path("cinstr.data", RING)), "the ring is still there")
    return got


def kept(bench):
    return sampled.exclusive(bench)[1]


def threads_of(bench):
    return [row for row in sampled.rows(bench, by="thread") if row["inclusive_samples"]]


def tick_ms():
    return time.clock_getres(CLOCK_MONOTONIC_COARSE) * 1000


def check_time(bench, ms, what, least=0.3, most=1.6):
    """Samples for about so many milliseconds of processor time: about half of them on a machine so
    busy that a thread seldom runs for a whole tick (timers.md)."""
    expected = ms / max(tick_ms(), 1)
    n = kept(bench)
    check(least * expected - 3 <= n <= most * expected + 10, f"{what}: {n} samples for {ms} ms, not {expected:.0f}")


@lab.test("timers/plain")
def plain(bench):
    undisturbed(bench, "plain", status=7)
    counts, total = sampled.exclusive(bench)
    check_time(bench, 100, "spin")
    names = {row["name"] for row in sampled.rows(bench)}
    check("spin" in names and "main" in names, f"no stacks: {sorted(names)}")
    main = [row for row in sampled.rows(bench) if row["name"] == "main"]
    check(main[0]["inclusive_samples"] >= 0.7 * total, f"main has {main[0]['inclusive_samples']} of {total}")


@lab.test("timers/an interval below the kernel's tick")
def below_the_tick(bench):
    """Told when the recording begins, and by info; 100 us are less than any kernel's tick, 20 ms
    are more."""
    tick = f"{tick_ms():.3g}"
    for asked, ns in (("100us", 100000), ("1ms", 1000000), ("20ms", 20000000)):
        is_below = ns / 1e6 < tick_ms()
        got = sampled.record(bench, guest(bench), "plain", options=(*TIMERS, f"--sample={asked}"), status=7,
                             session=asked)
        warning = f"cinstr: warning: --sample={ns / 1e6:.4g}ms: timers go off at the kernel's tick only: every {tick} ms"
        equal([line for line in got.stderr.splitlines() if "tick" in line], [warning] if is_below else [], asked)
        info = json.loads(bench.cinstr("info", "--format=json", asked))["processes"][0]["sampling"]
        equal((info["interval_asked"], info["interval"]), (ns, max(ns, round(tick_ms() * 1e6))), asked)
        equal("less than the kernel's tick" in bench.cinstr("info", asked).replace("\n", " "), is_below, f"info of {asked}")
    got = sampled.record(bench, guest(bench), "plain", options=TIMERS, status=7)
    check("tick" not in got.stderr, f"nothing was asked for: {got.stderr!r}")
    equal(json.loads(bench.cinstr("info", "--format=json"))["processes"][0]["sampling"]["interval_asked"], None, "asked for")


@lab.test("timers/threads")
def threads(bench):
    undisturbed(bench, "threads", "8")
    check_time(bench, 8 * 65, "threads")
    check(len(threads_of(bench)) >= 7, "threads without a sample")


@lab.test("timers/short threads")
def short_threads(bench):
    undisturbed(bench, "short", "100")
    check_time(bench, 100 * 5, "short threads")


@lab.test("timers/clone by a system call")
def clones(bench):
    undisturbed(bench, "clones")


@lab.test("timers/first thread ends")
def first_thread_ends(bench):
    """The others go on for longer than the collector takes to look whether processes are still
    there."""
    undisturbed(bench, "leader", status=9)
    check_time(bench, 700, "the thread that was left")
    samples = sorted(row["inclusive_samples"] for row in threads_of(bench))
    # the first thread's few, if a tick met it
    check(sum(samples[:-1]) <= 2, f"samples by thread: {samples}")


@lab.test("timers/C11 threads")
def c11_threads(bench):
    undisturbed(bench, "c11", "3")
    check_time(bench, 3 * 60, "C11 threads")


@lab.test("timers/cancelled threads")
def cancelled(bench):
    undisturbed(bench, "cancel", "6")


@lab.test("timers/forks")
def forks(bench):
    """Two of three children are made by fork(); what a system call makes is not seen, and left
    alone."""
    undisturbed(bench, "forks", "6")
    check_time(bench, 4 * 55, "children", most=2)


@lab.test("timers/vfork and exec")
def vforks(bench):
    undisturbed(bench, "vforks", "3")
    check_time(bench, 3 * 100 + 50 + 60, "programs", least=0.4)


@lab.test("timers/exec by another thread")
def exec_thread(bench):
    undisturbed(bench, "exec", status=7)


@lab.test("timers/signals")
def signals(bench):
    for what in ("owner", "defaults", "timers", "masks"):
        undisturbed(bench, what, "5")
    undisturbed(bench, "sleeps", "40")
    for how in "1234":
        undisturbed(bench, "waits", how)


@lab.test("timers/stacks")
def stacks(bench):
    undisturbed(bench, "coroutines")
    names = {row["name"] for row in sampled.rows(bench)}
    check("coroutine" in names, f"coroutine is not on its stack: {sorted(names)}")
    undisturbed(bench, "overflow", "5")


@lab.test("timers/filters for system calls")
def filters(bench):
    for by_syscall in "01":
        got = undisturbed(bench, "filter", by_syscall)
        check("restricts its system calls" in got.stderr, f"nothing said: {got.stderr!r}")
        check(kept(bench) > 0, "no samples before")


@lab.test("timers/a script and its children")
def script(bench):
    program = guest(bench)
    path = bench.write("script", f"#!/bin/sh\n{program} plain\n{program} threads 2 | cat\nexit 3\n")
    os.chmod(path, 0o755)
    got = sampled.record(bench, path, options=TIMERS, status=3)
    equal(got.stdout, "plain\n2 threads\n", "output")
    check_time(bench, 100 + 2 * 65, "children", most=2)


@lab.test("timers/static program")
def static(bench):
    program = sampled.compile(bench, "guest.c", "-static", "-pthread", "-Wno-infinite-recursion")
    got = sampled.record(bench, program, "plain", options=TIMERS, status=None)
    check(got.returncode not in (0, 7), f"ended with {got.returncode}")
    check("statically linked" in got.stderr, f"said: {got.stderr!r}")


@lab.test("timers/a process that runs")
def attach(bench):
    sleeper = bench.start("sleep", "60")
    got = bench.run(lab.COMMAND, "record", "--sample", *TIMERS, "--pid", str(sleeper.pid))
    check(got.returncode != 0, "no error")
    check("perf_event_open" in got.stderr, f"said: {got.stderr!r}")


@lab.test("timers/other events")
def events(bench):
    got = bench.run(lab.COMMAND, "record", "--sample", *TIMERS, "--event=page-faults", "--", "true")
    check(got.returncode not in (0, 127), "no error")


def timers_of(pid):
    with open(f"/proc/{pid}/timers") as file:
        return file.read().count("ID:")


def begin(bench, *what, **more):
    """A recorder and the program that it runs, when that is being sampled."""
    program = guest(bench)
    recorder = bench.start(lab.COMMAND, "record", "--sample", *TIMERS, "-o", bench.path("cinstr.data"), "--", program,
                           *what, **more)

    def child():
        children = subprocess.run(["pgrep", "-P", str(recorder.pid), "-f", program], capture_output=True,
                                  text=True).stdout.split()
        if children and os.path.exists(f"/proc/{children[0]}/timers") and timers_of(children[0]):
            return int(children[0])

    return recorder, lab.wait_for(child, "the program has no timers")


@lab.test("timers/collector killed")
def collector_killed(bench):
    """The program goes on, and has no timers soon; what was written can be read."""
    need("pgrep")
    if not os.path.exists("/proc/self/timers"):
        raise Skip("no /proc/PID/timers here")
    recorder, pid = begin(bench, "forever")
    sampled.wait_for_samples(bench, wanted=20)
    recorder.kill()
    recorder.wait()
    try:
        lab.wait_for(lambda: not timers_of(pid), "it has its timers still")
        os.kill(pid, signal.SIGTERM)
    except ProcessLookupError:
        raise lab.Failure("the program has ended with its collector")
    check(kept(bench) > 10, "no samples")
    # The next session cleans up.
    sampled.record(bench, guest(bench), "plain", options=TIMERS, status=7)
    sampled.record(bench, guest(bench), "plain", options=TIMERS, status=7)
    check(not os.path.exists(bench.path("cinstr.data.old", RING)), "the old ring is still there")


@lab.test("timers/program killed")
def program_killed(bench):
    need("pgrep")
    recorder, pid = begin(bench, "forever")
    sampled.wait_for_samples(bench, wanted=20)
    os.kill(pid, signal.SIGKILL)
    equal(recorder.wait(timeout=60), -signal.SIGKILL, "end")
    check(kept(bench) > 10, "no samples")


@lab.test("timers/collector stopped")
def collector_stopped(bench):
    """The ring runs full: samples are lost, and counted; the program does not wait."""
    need("pgrep")
    recorder, pid = begin(bench, "forever")
    sampled.wait_for_samples(bench, wanted=20)
    os.kill(recorder.pid, signal.SIGSTOP)
    lab.let_run(pid, 1.5)
    with open(f"/proc/{pid}/stat") as file:
        state = file.read().rsplit(")", 1)[1].split()[0]
    check(state in "RS", f"the program is in state {state}")
    os.kill(recorder.pid, signal.SIGCONT)
    time.sleep(0.3)
    os.kill(pid, signal.SIGTERM)
    recorder.wait(timeout=60)
    check(kept(bench) > 10, "no samples")


@lab.test("timers/environment")
def environment(bench):
    """What was preloaded before stays; a set-user-ID program sees nothing."""
    program = guest(bench)
    library = bench.compile(bench.write("before.c", '#include <unistd.h>\n__attribute__((constructor)) static void f(void)'
                                        '{ if (write(1, "before\\n", 7)) {} }\n'), "before.so", "-shared", "-fPIC",
                            plugin=None)
    got = sampled.record(bench, program, "plain", options=TIMERS, status=7, env={"LD_PRELOAD": library})
    check(got.stdout.endswith("before\nplain\n"), f"output: {got.stdout!r}")


@lab.test("timers/sanitizers")
def sanitizers(bench):
    """Their libraries want to be the first, and take the place of the same functions."""
    for which in ("address", "thread"):
        source = bench.write("try.c", "int main(void) { return 0; }")
        if subprocess.run(lab.CC + [f"-fsanitize={which}", source, "-o", bench.path("try")],
                          capture_output=True).returncode or bench.run(bench.path("try")).returncode:
            continue
        program = sampled.compile(bench, "guest.c", "-pthread", "-Wno-infinite-recursion", f"-fsanitize={which}",
                                  output="sanitized")
        got = sampled.record(bench, program, "threads", "3", options=TIMERS)
        equal(got.stdout, "3 threads\n", which)
        check(kept(bench) > 10, f"{which}: no samples")


@lab.test("timers/little room")
def limits(bench):
    """A small address space is the program's own; few signals may wait; few descriptors."""
    program = guest(bench)
    for limit in ("ulimit -v 300000", "ulimit -i 0", "ulimit -n 4"):
        got = sampled.record(bench, "sh", "-c", f"{limit}; exec {program} threads 2", options=TIMERS)
        equal(got.stdout, "2 threads\n", limit)
