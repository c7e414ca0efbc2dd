# SPDX-License-Identifier: GPL-3.0-or-later
"""Threads have the names that their program gave them, also after their first events."""
import json
import signal
import time

import lab

SOURCE = """
#include <cinstr.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static pthread_barrier_t ready;
__attribute__((noipa)) static void work(void) { __asm__ volatile(""); }
__attribute__((noipa)) static void name(const char *name)
{
        if (!strcmp(name, "told"))
                cinstr_name(CINSTR_THREAD, CINSTR_SELF, name);
        if (*name)
                pthread_setname_np(pthread_self(), strcmp(name, "told") ? name : "kernel's");
}
__attribute__((noipa)) static void *worker(void *arg)
{
        name(arg);
        pthread_barrier_wait(&ready);
        if (!strcmp(arg, "busy"))
                for (;;)
                        work();
        pause();
        return NULL;
}
__attribute__((noipa)) static void *brief(void *arg)
{
        name(arg);
        return NULL;
}
int main(int argc, char **argv)
{
        static char *const names[] = { "idle 1", "idle 2", "", "told", "busy" };
        pthread_t id;
        pthread_barrier_init(&ready, NULL, 6);
        pthread_create(&id, NULL, brief, "brief");
        pthread_join(id, NULL);
        for (int i = 0; i < 5; i++)
                pthread_create(&id, NULL, worker, names[i]);
        pthread_barrier_wait(&ready);
        if (argc > 1) {
                puts("ready");
                fflush(stdout);
                pause();
        }
        usleep(100000);
        exit(argc > 1);
}
"""

NAMES = ["brief", "busy", "idle 1", "idle 2", "program", "told", "worker"]


def names(bench, session="cinstr.data"):
    return sorted(row["name"] for row in bench.report(session, "thread")["rows"])


def build(bench):
    return bench.compile(bench.write("program.c", SOURCE), "program", "-O1", "-pthread", lab.INCLUDE)


@lab.test("thread names/at exit, of those that wait")
def at_exit(bench):
    bench.run(build(bench), status=0)
    lab.equal(names(bench), NAMES, "names")
    bench.sound()


@lab.test("thread names/in a snapshot, and of a busy thread that is killed")
def in_snapshot(bench):
    running = bench.start(build(bench), "wait")
    running.stdout.readline()
    time.sleep(0.1)
    bench.cinstr("control", bench.path("cinstr.data"), "snapshot", bench.path("copy"))
    lab.equal(names(bench, "copy"), NAMES, "in the snapshot")
    running.kill()
    lab.equal(running.wait(), -signal.SIGKILL, "end")
    lab.check("busy" in names(bench) and "told" in names(bench), f"killed: {names(bench)}")


POOL = """
#include <pthread.h>
#include <stdint.h>
__attribute__((noipa)) static void work(void) { __asm__ volatile(""); }
__attribute__((noipa)) static void *worker(void *arg)
{
        pthread_setname_np(pthread_self(), (intptr_t)arg % 2 ? "odd" : "even");
        for (intptr_t i = 0; i < 100 * (intptr_t)arg; i++)
                work();
        return NULL;
}
int main(void)
{
        pthread_t ids[9];
        for (intptr_t i = 1; i < 9; i++)
                pthread_create(&ids[i], NULL, worker, (void *)i);
        for (int i = 1; i < 9; i++)
                pthread_join(ids[i], NULL);
        return 0;
}
"""


@lab.test("thread names/those of one name are a row")
def merged(bench):
    bench.run(bench.compile(bench.write("pool.c", POOL), "pool", "-O1", "-pthread", "-fplugin-arg-cinstr-small=0"), status=0)
    bench.sound()
    rows = {row["name"]: row for row in bench.report("cinstr.data", "thread-name")["rows"]}
    lab.equal(sorted(rows), ["even", "odd", "pool"], "names")
    # Each of the workers: itself, pthread_self(), pthread_setname_np(), and what it works.
    lab.equal((rows["odd"]["calls"] - 100 * (1 + 3 + 5 + 7), rows["even"]["calls"] - 100 * (2 + 4 + 6 + 8)), (12, 12), "calls")
    lab.equal({name: row["threads"] for name, row in rows.items()}, {"even": 4, "odd": 4, "pool": 1}, "threads")
    lab.equal((rows["odd"]["tid"], rows["pool"]["tid"] is None), (None, False), "numbers")
    apart = bench.report("cinstr.data", "thread")["rows"]
    for name, row in rows.items():
        parts = [part for part in apart if part["name"].split(" and ")[0] == name]
        lab.equal(sum(part["threads"] for part in parts), row["threads"], f"threads named {name}")
        lab.equal(sum(part["calls"] for part in parts), row["calls"], f"calls of {name}")
        for key in ("elapsed_inclusive_ns", "application_inclusive_ns", "probe_overhead_inclusive_ns"):
            off = sum(part[key] for part in parts) - row[key]
            lab.check(abs(off) <= len(parts), f"{name}: {key} is {off} ns less than that of its threads")
        lab.equal((min(part["begin_ns"] for part in parts), max(part["end_ns"] for part in parts)),
                  (row["begin_ns"], row["end_ns"]), f"begin and end of {name}")
    lab.check("--by=thread-name" in bench.cinstr("report", "--by=thread"), "the table tells of it")


CALLABLES = """
#include <future>
#include <mutex>
#include <thread>
#define KEEP __attribute__((noipa)) static
static std::mutex mutex;
static volatile int sink;
KEEP void spins(int n) { for (int i = 0; i < n; i++) sink++; }
KEEP void function(int n) { spins(n); }
struct Worker { __attribute__((noipa)) void member() { spins(5000000); } };
KEEP void locks() { std::thread([] { for (int i = 0; i < 1000; i++) { std::lock_guard<std::mutex> l(mutex); sink++; } }).join(); }
int main()
{
	Worker worker;
	std::thread(function, 5000000).join(); // 10 ms: more than a thread that is interrupted in its end waits
	std::thread(&Worker::member, &worker).join();
	locks();
	return std::async(std::launch::async, [] { spins(100000); return 0; }).get();
}
"""


@lab.test("thread names/of what std::thread is given")
def callables(bench):
    """A function, a member, a lambda that calls the library alone, and one that calls a function:
    where the compiler leaves the lambda a function of its own, that is the name."""
    for level in "-O0", "-O2":
        bench.run(bench.compile(bench.write("app.cc", CALLABLES), "app", level, "-std=c++17", "-pthread"), status=0, env={"CINSTR_MAX_OVERHEAD": "unlimited"})
        got = names(bench)
        lab.equal([name for name in got if "{lambda" not in name and name != "spins"], ["Worker::member", "app", "function"], level)
        others = [name for name in got if "{lambda" in name or name == "spins"]
        lab.equal(len(others), 2, f"{level}: {got}")
        lab.check(any(name.startswith("locks") and "{lambda" in name for name in others), f"{level}: {got}")
        summary = bench.cinstr("summary", "--format=json", bench.path("cinstr.data"))
        lab.check("pthread_mutex_lock" not in [one["name"] for one in json.loads(summary)["threads"]], f"{level}: {summary[:2000]}")
