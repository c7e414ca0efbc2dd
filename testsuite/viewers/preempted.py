# SPDX-License-Identifier: GPL-3.0-or-later
"""Two threads that compute on one processor, and one that sleeps: who waited for the processor, and
who for something else, is told apart in each viewer."""
import json

import callgrind
import collapsed
import golden
import lab
import parquet
import pprof
import sqlite

PROGRAM = r"""
#include <pthread.h>
#include <time.h>
#define NOIPA __attribute__((noipa))
static volatile unsigned sink;
NOIPA static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}
NOIPA static void compute(unsigned n) { for (unsigned i = 0; i < n; i++) sink += i; }
NOIPA static void *thread(void *arg)
{
	while (now() < 0.15)
		compute(100000);
	return arg;
}
NOIPA static void sleeps(void) { nanosleep(&(struct timespec){ 0, 50000000 }, NULL); }
int main(void)
{
	pthread_t ids[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&ids[i], NULL, thread, NULL);
	sleeps();
	for (int i = 0; i < 2; i++)
		pthread_join(ids[i], NULL);
	return 0;
}
"""


@lab.test("preempted/waiting for a processor is told apart")
def apart(bench):
    golden.need("taskset", "callgrind_annotate", "sqlite3")
    bench.write("busy.c", PROGRAM)
    session = bench.path("data")
    program = bench.compile(bench.path("busy.c"), "busy", "-O1", "-pthread")
    bench.run("taskset", "-c", str(min(golden.os.sched_getaffinity(0))), program, env={"CINSTR_DATA": session}, status=0)
    path = golden.export(bench, "pprof", session)
    events = callgrind.exclusive(bench, golden.export(bench, "callgrind", session), ("elapsed", "waiting", "preempted"))
    database = sqlite.database(bench, session, "x.db")
    folder = parquet.exported(bench, session)
    told = json.loads(bench.cinstr("summary", "--format=json", session))
    for fmt, read in ("pprof", lambda measure: pprof.tops(bench, path, f"-sample_index={measure}")), \
            ("callgrind", events.get), \
            ("sqlite", lambda measure: {row["name"]: int(row["ns"]) for row in sqlite.query(
                database, f"SELECT f.name, sum({measure}_ns) AS ns FROM path p JOIN function f ON f.id = p.function GROUP BY f.id")}), \
            ("parquet", lambda measure: parquet.sums(parquet.ask(folder, parquet.OF_NAMES)[0], measure + "_ns")), \
            ("collapsed", lambda measure: collapsed.by_leaf(collapsed.read(
                golden.export(bench, "collapsed", session, f"--measure={measure}")))):
        waiting, preempted = read("waiting"), read("preempted")
        lab.check(all(ns <= waiting.get(name, 0) for name, ns in preempted.items()), f"{fmt}: {preempted} is a part of {waiting}")
        lab.check(preempted.get("compute", 0) + preempted.get("clock_gettime", 0) > 50000000, f"{fmt}: one computes while the other one does not: {preempted}")
        for name in "nanosleep", "pthread_join":
            lab.check(waiting[name] > 10 * preempted.get(name, 0), f"{fmt}: {name} waits: {waiting[name]}, {preempted.get(name)}")
        expected = told["time"]["preempted_ns"]
        lab.check(abs(sum(preempted.values()) - expected) <= expected / 1000, f"{fmt}: {sum(preempted.values())}, summary: {expected}")
