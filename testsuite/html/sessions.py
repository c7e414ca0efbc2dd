# SPDX-License-Identifier: GPL-3.0-or-later
"""Sessions to make pages of: kept data files, and programs that are recorded."""
import lzma
import os
import subprocess

import lab

GOLDEN = os.path.join(lab.ROOT, "testsuite/format/golden")

# What changes, with the argument 1.
CHANGED = """#include <stdlib.h>
volatile unsigned sink;
__attribute__((noipa)) static void work(int n) { for (int i = 0; i < n * 100000; i++) sink += i; }
__attribute__((noipa)) static void grows(int n) { work(n); }
__attribute__((noipa)) static void shrinks(int n) { work(n); }
__attribute__((noipa)) static void only_before(void) { work(60); }
__attribute__((noipa)) static void only_after(void) { work(60); }
int main(int argc, char **argv) { int is_after = argc > 1 && atoi(argv[1]); grows(is_after ? 200 : 10); shrinks(is_after ? 10 : 200);
  if (is_after) only_after(); else only_before(); return 0; }"""


def changed(bench):
    """a.data and b.data."""
    program = bench.compile(bench.write("changed.c", CHANGED), "changed", "-O1")
    for name, argument in (("a.data", "0"), ("b.data", "1")):
        bench.run(program, argument, status=0, env={"CINSTR_DATA": bench.path(name)})


# Threads that hold one lock while they sleep.
CONTENDED = """#include <pthread.h>
#include <time.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
__attribute__((noipa)) static void slow(void) { nanosleep(&(struct timespec){ 0, 2000000 }, NULL); }
__attribute__((noipa)) static void locked(void) { pthread_mutex_lock(&lock); slow(); pthread_mutex_unlock(&lock); }
static void *work(void *arg) { for (int i = 0; i < 20; i++) locked(); return arg; }
int main(void) { pthread_t threads[4]; for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL); return 0; }"""


def contended(bench):
    """c.data, which has a finding."""
    program = bench.compile(bench.write("contended.c", CONTENDED), "contended", "-O1", "-pthread")
    bench.run(program, status=0, env={"CINSTR_DATA": bench.path("c.data")})


def changed_sampled(bench):
    """sa.data and sb.data, of samples."""
    plain = bench.compile(bench.write("changed.c", CHANGED), "plain", "-O1", plugin=None)
    for name, argument in (("sa.data", "0"), ("sb.data", "1")):
        bench.cinstr("record", "--sample", "-o", bench.path(name), "--", plain, argument)
        if not os.path.exists(bench.path(name)) or not bench.report(name)["session"]["samples"]:
            raise lab.Skip("no samples were taken here")


def golden(bench, name):
    """A kept data file, as a session's only one."""
    with lzma.open(os.path.join(GOLDEN, name + ".cinstr.xz")) as packed:
        data = packed.read()
    path = bench.path(name + ".cinstr")
    with open(path, "wb") as file:
        file.write(data)
    return path


class Running:
    """programs/steered.c, which records until its input ends."""

    def __init__(self, bench, *arguments, data="cinstr.data"):
        if not os.path.exists(bench.path("steered")):
            bench.compile("programs/steered.c", "steered", "-O2", "-pthread", "-fno-builtin")
        # Whoever looks gets the processor before those who call all the time.
        self.process = bench.start("nice", "-n", "19", bench.path("steered"), *arguments, env={"CINSTR_DATA": bench.path(data)},
                                   stdin=subprocess.PIPE)
        lab.equal(self.process.stdout.readline(), "ready\n", "first line of output")
        self.folder = bench.path(data)
        lab.wait_for(lambda: lab.data_files(self.folder), "a data file")

    def end(self):
        self.process.stdin.close()
        self.process.stdin = None
        self.process.communicate(timeout=lab.TIMEOUT)
        lab.equal(self.process.returncode, 0, "exit status of the program")
