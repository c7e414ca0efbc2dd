# SPDX-License-Identifier: GPL-3.0-or-later
"""Every way to end, at any moment."""
import os
import random
import resource
import signal
import subprocess
import time

import lab
from trial import NOTHING, check, data_files, equal, fault, same_run, wait_for_data


def victim(t):
    return t.compile("victim.c", "-pthread", "-fno-optimize-sibling-calls",
                     "-fplugin-arg-cinstr-mark=top,marked")


def kill_soon(t, number, mode, env=None, most_ms=25, begun=None):
    """Starts the victim, kills its process group at a random moment (begun: after that); the data
    must be as if it had stopped there."""
    process = t.start(victim(t), mode, env=env, start_new_session=True)
    wait_for_data(process, t.path("cinstr.data"))
    if begun:
        lab.wait_for(begun, "it does not begin")
    time.sleep(random.Random(f"{t.seed} {mode} {number}").uniform(0, most_ms / 1000))
    os.killpg(process.pid, signal.SIGKILL)
    equal(process.wait(lab.TIMEOUT), -signal.SIGKILL, "how it ended")
    process.stdout.close()
    process.stderr.close()


def torn(t):
    """[files torn in a fold, in the hand-out of a segment, in a fork]"""
    tool = t.compile("torn.c", lab.INCLUDE, plugin=None)
    return [int(word) for word in t.run(tool, *data_files(t.path("cinstr.data")), status=0).stdout.split()]


def killed(name, runs, how, mode, threads, where=None, env=None):
    """where: index in what torn() tells; the trials that hit it are counted."""

    @fault(name, runs, how)
    def prepare(t):
        hits = 0

        def once(number):
            nonlocal hits
            kill_soon(t, number, mode, env)
            if where is not None:
                hits += bool(torn(t)[where])
                t.lost = f"{NOTHING}; the middle was hit {hits} times"
            t.all_there(threads=threads)

        return once


killed("kill -9 at a random moment", (100, 500),
       "one thread calls; its own count of entries, in a shared mapping, is compared",
       "calls", 1)
killed("kill -9 in the middle of a fold", (100, 500),
       "four threads call and fold all the time; kept by a journal in the file",
       "threads", 4, where=0)
killed("kill -9 while segments are handed out", (100, 300), "a timeline without limit: each buffer takes a segment",
       "calls", 1, env={"CINSTR_TIMELINE": "unlimited"})
killed("kill -9 while the tree grows", (100, 300), "ever new call paths: cells, index and file grow", "paths", 1)
killed("kill -9 while 30,000 calls are left at once", (100, 300),
       "by longjmp: one event ends them all, and the journal grows", "jumps", 1, where=0)
killed("kill -9 while stacks grow", (100, 300), "threads that go down 100,000 calls", "deep", 3, where=0)
killed("kill -9 while phases begin", (30, 300), "four threads that set marks 500 calls down: all of it gets a tree anew",
       "marks", 4, where=0, env={"CINSTR_PHASES": "100000", "CINSTR_TIMELINE": "unlimited"})
killed("kill -9 while threads begin and end", (100, 300), "two threads at a time that live for 100 calls", "births", 3)


@fault("kill -9 of the process group in forks", (100, 300),
       "parent and child call; the group is killed while they fork")
def kill_forks(t):
    hits = 0

    def calls():
        """Some are recorded; before that there is nothing to lose."""
        return t.bench.json("report", t.path("cinstr.data"))["session"]["enters"]

    def once(number):
        nonlocal hits
        kill_soon(t, number, "forks", most_ms=60, begun=calls)
        hits += bool(torn(t)[2])
        t.lost = f"{NOTHING}; the middle of a fork was hit {hits} times"
        totals = t.totals()
        equal((totals["lost_events"], totals["lost_threads"]), (0, 0), "lost events and threads")
        check(totals["enters"] > 0, "nothing was recorded")

    return once


ENDS = ("SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE", "abort", "_exit", "quick_exit", "exit", "exit from a thread",
        "pthread_exit in main", "SIGTERM", "kill of the group")
for way in ENDS:
    @fault(way, (3, 30), "in the middle of three functions")
    def ends(t, way=way):
        program, plain = t.both("ends.c", "-fno-builtin", "-pthread")
        expected = t.run(plain, way, start_new_session=True)

        def once(number):
            os.remove(t.path("truth")) if os.path.exists(t.path("truth")) else None
            same_run(t.run(program, way, start_new_session=True), expected)
            t.all_there(threads=0)

        return once


@fault("core dump", (2, 10), "ulimit -c unlimited, SIGSEGV: the core is not larger than the plain program's and 4 MB")
def core(t):
    with open("/proc/sys/kernel/core_pattern") as file:
        if file.read().strip() != "core":
            raise lab.Skip("core dumps go elsewhere here")
    program, plain = t.both("ends.c", "-fno-builtin", "-pthread")

    def blocks():
        cores = [name for name in os.listdir(t.folder) if name.startswith("core")]
        equal(len(cores), 1, "number of core files")
        size = os.stat(t.path(cores[0])).st_size
        os.remove(t.path(cores[0]))
        return size

    def unlimited():
        resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))

    def once(number):
        expected = t.run(plain, "SIGSEGV", preexec_fn=unlimited)
        least = blocks()
        os.remove(t.path("truth"))
        same_run(t.run(program, "SIGSEGV", preexec_fn=unlimited), expected)
        size = blocks()
        check(size <= least + (4 << 20), f"core of {size} bytes, of the plain program {least}")
        t.all_there(threads=0)

    return once


@fault("SIGSTOP and SIGCONT", (10, 100), "stopped and continued at random moments, then killed")
def stopped(t):
    def once(number):
        process = t.start(victim(t), "threads", start_new_session=True)
        wait_for_data(process, t.path("cinstr.data"))
        for _ in range(5):
            process.send_signal(signal.SIGSTOP)
            time.sleep(t.random.uniform(0, 0.005))
            process.send_signal(signal.SIGCONT)
            time.sleep(t.random.uniform(0, 0.005))
        process.kill()
        equal(process.wait(lab.TIMEOUT), -signal.SIGKILL, "how it ended")
        t.all_there(threads=4)

    return once
