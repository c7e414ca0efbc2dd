# SPDX-License-Identifier: GPL-3.0-or-later
"""Threads have the names that their program gave them, also after their first events."""
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

NAMES = ["brief", "busy", "idle 1", "idle 2", "program", "program", "told"]


def names(bench, session="cinstr.data"):
    return sorted(row["name"] for row in bench.report(session, "thread")["rows"])


def build(bench):
    return bench.compile(bench.write("program.c", SOURCE), "program", "-O1", "-pthread", f"-I{lab.HERE}/../../include")


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
