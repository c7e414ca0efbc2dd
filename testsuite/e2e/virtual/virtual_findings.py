# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings of scripted programs: which there are, and each percentage, by equality. Calls of the C
library take what the program says (testsuite/virtual/libc.c)."""
import os

import lab
import virtual_lab as virtual

SMALL = """
#include <stdio.h>
#include <time.h>
#include <unistd.h>
FN void naps(void) { struct timespec t = { 0, 10 }; nanosleep(&t, NULL); virtual_compute(1000); }
FN void loads(int n) { char c; while (n--) if (read(99, &c, 1) < 0) return; }
FN void logs(int n) { while (n--) fflush(stdout); }
FN void prints(int n) { static char data[131072]; while (n--) if (!fwrite(data, sizeof(data), 1, stdout)) return; }
FN void works(uint64_t ticks) { virtual_compute(ticks); }
"""


def look(bench, body, name="session"):
    """Findings of a program with this main(). A reading of the clock costs the runtime little: how
    often it reads it at the start and the end must not matter."""
    bench.compile(os.path.join(virtual.SOURCES, "libc.c"), "libvirtual-libc.so", "-O1", "-fno-builtin", "-shared", "-fPIC",
                            f"-I{virtual.SOURCES}", f"-L{virtual.FOLDER}", "-lcinstr", plugin=None)
    program = virtual.program(bench, SMALL + "void virtual_takes(const char *, uint64_t);\nvoid virtual_waits(const char *, uint64_t);\n" + body,
                              f"-L{bench.folder}", f"-Wl,-rpath,{bench.folder}", "-lvirtual-libc")
    bench.run(program, env={**virtual.costs(runtime=100), "CINSTR_DATA": name}, status=0)
    return [(one["id"], one["subject"], one["percent"]) for one in bench.json("summary", "--findings", bench.path(name))["findings"]]


def said(main, *calls):
    """main() of a program in which calls of the C library take so long: (what, name, ticks)..."""
    return f"int main(void) {{ {' '.join(f'virtual_{what}({chr(34)}{name}{chr(34)}, {ticks});' for what, name, ticks in calls)} {main} return 0; }}"


# What takes how long, main(), what is found: rule, about what, percent. Then one like it, which is
# no finding.
CASES = {
    "sleeps": ([("waits", "nanosleep", 2000000)], "for (int i = 0; i < 20; i++) naps(); works(10000000);", [("CF0307", "naps", 80)],
               [("waits", "nanosleep", 900000)], "for (int i = 0; i < 20; i++) naps(); works(10000000);"),
    "small reads": ([("takes", "read", 400)], "loads(30000); works(48000000);", [("CF0301", "loads", 18)],
                    [("takes", "read", 400)], "loads(3000); works(48000000);"),
    "flushes": ([("takes", "fflush", 700)], "logs(20000); works(21000000);", [("CF0303", "logs", 36)],
                [("takes", "fflush", 700)], "logs(200); works(21000000);"),
    # Large pieces, for which a stream needs no buffer, enter the kernel by themselves: over 5 us.
    "prints": ([("takes", "fwrite", 4000)], "prints(20000); works(20000000);", [("CF0303", "prints", 72)],
               [("takes", "fwrite", 6000)], "prints(20000); works(20000000);"),
    "syncs": ([("takes", "fsync", 3000), ("waits", "fsync", 300000)], "for (int i = 0; i < 200; i++) fsync(1), works(100000);", [("CF0304", "main", 75)],
              [("takes", "fsync", 300), ("waits", "fsync", 3000)], "for (int i = 0; i < 200; i++) fsync(1), works(100000);"),
}


def case(name):
    calls, main, expected, calm_calls, calm = CASES[name]

    def run(bench):
        found = look(bench, said(main, *calls), "bad")
        lab.equal([(rule, subject, round(percent)) for rule, subject, percent in found], expected, "findings")
        lab.equal(look(bench, said(calm, *calm_calls), "fine"), [], "findings, though nothing is wrong")

    lab.test(f"virtual/finding: {name}")(run)


for one in CASES:
    case(one)


LOCKED = """
#include <pthread.h>
static pthread_mutex_t lock;
FN void holds(uint64_t ticks) { pthread_mutex_lock(&lock); virtual_compute(ticks); pthread_mutex_unlock(&lock); }
FN void *worker(void *held) { for (int i = 0; i < 50; i++) { works(1000000 - (uint64_t)held); holds((uint64_t)held); } return NULL; }
FN void all(uint64_t held) {
    int threads[4];
    for (int i = 0; i < 4; i++) threads[i] = virtual_start(worker, (void *)held);
    for (int i = 0; i < 4; i++) virtual_join(threads[i]);
}
"""


@lab.test("virtual/finding: a lock that is held for long")
def locked(bench):
    """Four threads, of which each needs the lock for half of the time: two of them wait. Of a
    hundredth nobody is told."""
    found = look(bench, LOCKED + "int main(void) { all(500000); return 0; }", "bad")
    lab.equal([(rule, subject) for rule, subject, _ in found if rule == "CF0101"], [("CF0101", "holds")], f"of {found}")
    found = look(bench, LOCKED + "int main(void) { all(10000); return 0; }", "fine")
    lab.equal([one for one in found if one[0].startswith("CF01")], [], "findings on locks")
