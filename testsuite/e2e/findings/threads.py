# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings on how threads share the work, and on rare slow calls."""

import re

import finding_lab as findings
import lab

THREADS = ("CF0401", "CF0402", "CF0403")


@findings.test("threads that share the work", quiet=True)
def threads(bench):
    program = findings.build(bench, "threads.c")
    findings.present(findings.look(bench, program, "unbalanced"), "CF0401", "worker", r"^the 4 threads that began with it have unequal work")
    findings.present(findings.look(bench, program, "idle"), "CF0402", "worker", r"^of 4 threads that began with it 3 do next to nothing")
    findings.present(findings.look(bench, program, "rounds"), "CF0401", "part",
                     r"^4 threads at a time, \d times, share the work unevenly: the longest computes [12]\.\d times the mean")
    one = findings.present(findings.look(bench, program, "serial"), "CF0403", "main", r"while 4 other threads wait or have ended; most of it in ")
    findings.at(one, "threads.c", "int main(")


@findings.test("a team of OpenMP", quiet=True)
def team(bench):
    """Its first thread is the main one. With pieces for who is done nobody waits."""
    program = findings.build(bench, "openmp.c", "-fopenmp")
    one = findings.present(findings.look(bench, program, "static"), "CF0401", "all_static [parallel region 0]",
                           r"^its 2 threads have unequal work, and wait for the one with most: that computes .*, the mean is ", least=10)
    findings.at(one, "openmp.c", "#pragma omp parallel for schedule(static)")
    for what in "dynamic", "equal":
        findings.absent(findings.look(bench, program, what), *THREADS)


@findings.test("threads that share the work, by samples", quiet=True)
def threads_sampled(bench):
    bench.compile(findings.FOLDER + "threads.c", "threads", "-O1", "-pthread", plugin=None)
    findings.present(findings.look(bench, "threads", "unbalanced", "15", method=("--sample",)), "CF0401", "worker",
                     r"^the 4 threads that began with it have unequal work: the one with most has \d\d % of the samples, the mean is 25 %")
    findings.absent(findings.look(bench, "threads", "equal", "15", method=("--sample",)), *THREADS)


@findings.test("threads: no false alarm", quiet=True)
def threads_silent(bench):
    program = findings.build(bench, "threads.c")
    for what in "equal", "even", "ahead", "requests", "jobs", "loop", "exec":
        findings.absent(findings.look(bench, program, what), *THREADS, "CF0105")


@findings.test("threads beside processes that take all processors", quiet=True)
def threads_busy(bench):
    """The same is told, and nothing else, though all takes longer."""
    program = findings.build(bench, "threads.c")
    with bench.beside(2):
        findings.present(findings.look(bench, program, "serial"), "CF0403", "main", r"while 4 other threads wait or have ended")
        for what in "equal", "even", "ahead", "requests", "loop":
            findings.absent(findings.look(bench, program, what), "CF0403")


@findings.test("tasks that are smaller than their locks", quiet=True)
def small_tasks(bench):
    """Of longer tasks locking is little, and who gives them out is no serial part. give() ends with
    a jump to unlock: beside others its caller may have the most of it, which takes a lock once."""
    program = findings.build(bench, "small_tasks.c")
    for method, calls in ((), r"\d{3},\d{3}"), (("--mixed",), r"(?:at least )?[\d,]+"):
        found = findings.look(bench, program, "tiny", method=method)
        subject = next((one["subject"] for one in found if one["id"] == "CF0211"), "give")
        lab.check(subject in ("give", "take", "main", "worker"), f"CF0211 about {subject}")
        takes = rf"takes a lock( \(\w+\))? {calls} times[\w ,.]*"
        if subject in ("main", "worker"):
            takes = rf"({takes}|takes locks and gives them back( \(\w+\))?)"
        findings.present(found, "CF0211", subject, rf"^{takes}: (about )?\d+ % of the computing", least=5)
    findings.absent(findings.look(bench, program, "fine"), "CF0211", "CF0403")


@findings.test("threads and connections that are made again and again")
def anew(bench):
    program = findings.build(bench, "anew.c")
    one = findings.present(findings.look(bench, program, "threads"), "CF0404", "share_out", r"^starts 3,000 threads that hardly live: each computes ", least=10)
    findings.at(one, "anew.c", "/* starts */")
    one = findings.present(findings.look(bench, program, "connections"), "CF0332", "ask",
                           r"^makes a connection again and again: 3,00\d calls of connect; with what makes and closes a socket [\d.]+ us each$", least=5)
    findings.at(one, "anew.c", "/* connects */")
    for what in "thread", "connection":
        findings.absent(findings.look(bench, program, what), "CF0404", "CF0332")


@findings.test("rare slow calls", quiet=True)
def rare(bench):
    program = findings.build(bench, "rare.c")
    one = findings.present(findings.look(bench, program, "disk"), "CF0105", "job",
                           r"\d+ of 2,000 take .*; most of it in disk > nanosleep$", first=True, least=30)
    findings.at(one, "rare.c", "\t\tdisk();")

    findings.present(findings.look(bench, program, "table"), "CF0105", "job", r" of 2,000 take .*; most of it in grow > compute$")
    one = findings.present(findings.look(bench, program, "cache"), "CF0105", "job", r"\d of 2,000 take .*; most of it in fill_cache > grow")
    findings.at(one, "rare.c", "\t\tfill_cache();")
    for what in "even", "server", "kinds", "buffer", "batch", "nested", "reload", "flush", "busy", "first":
        findings.absent(findings.look(bench, program, what), "CF0105")


BY_TURNS = """
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>
static int to[2], from[2];
__attribute__((noipa)) static void answers(void) { char c; if (read(to[0], &c, 1) != 1 || write(from[1], &c, 1) != 1) _exit(1); }
__attribute__((noipa)) static void asks(void) { char c = 1; if (write(to[1], &c, 1) != 1 || read(from[0], &c, 1) != 1) _exit(1); }
static void *answering(void *unused)
{
	for (int i = 0; i < 20000; i++)
		answers();
	return unused;
}
int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc > 1 && *argv[1] == 's') {
		if (socketpair(AF_UNIX, SOCK_STREAM, 0, to))
			return 1;
		from[0] = to[1], from[1] = to[0];
	} else if (pipe(to) || pipe(from)) {
		return 1;
	}
	pthread_create(&thread, NULL, answering, NULL);
	for (int i = 0; i < 20000; i++)
		asks();
	return pthread_join(thread, NULL);
}
"""


@findings.test("threads that take turns by pipes")
def by_pipes(bench):
    """By a pair of sockets these are requests (CF0333)."""
    bench.compile(bench.write("turns.c", BY_TURNS), "turns", "-O2", "-g", "-pthread")
    found = findings.look(bench, "turns", "pipes")
    told = {one["subject"]: one["text"] for one in found if one["id"] == "CF0111"}
    lab.check(len(told) == 1 and set(told) <= {"asks", "answers"}, f"{found}")
    lab.check(re.match(r"exchanges one thing at a time with another thread \(in a(sks|nswers)\)", *told.values()), f"{told}")
    findings.absent(found, "CF0333")
    findings.absent(findings.look(bench, "turns", "sockets"), "CF0111")
