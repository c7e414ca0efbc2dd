# SPDX-License-Identifier: GPL-3.0-or-later
"""
cinstr compare: how often it gives a false alarm, and what it finds.

    compare.py same [N]     N comparisons (200) of a program with itself, five runs on each side,
                            while others load the machine: twelve programs in turn, which compute,
                            allocate, wait, read and write, differ by seed or address; a third of
                            the comparisons is decided by instructions, by calls, by time
    compare.py planted [N]  1 % more work in each of N (100) of the functions of gate.py's program:
                            whether compare fails, and names the function, by instructions; two
                            runs on each side
"""
import json
import os
import re
import shutil
import sys
import tempfile

import gate

HEAD = """#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#define F __attribute__((noipa)) static
static uint64_t sink;
F uint64_t mix(uint64_t x) { x ^= x >> 31; x *= 0x9e3779b97f4a7c15u; return x ^ x >> 29; }
F uint64_t spin(uint64_t n) { uint64_t x = n; for (uint64_t i = 0; i < n; i++) x = x * 2862933555777941757u + i; return x; }
"""
# Some ten milliseconds each.
PROGRAMS = {
    "integers": "F void f(int n) { for (int i = 0; i < n; i++) sink += mix(i); } int main(void) { for (int k = 0; k < 40; k++) f(10000), sink += spin(50000); }",
    "floats": "F double g(double x) { return sqrt(x) + 1 / (x + 1); } F double f(int n) { double s = 0; for (int i = 0; i < n; i++) s += g(s + i); return s; }"
              " int main(void) { for (int k = 0; k < 50; k++) sink += (uint64_t)f(10000); }",
    "memory": "static uint32_t big[1 << 23]; F uint64_t walk(int n) { uint32_t at = 1; for (int i = 0; i < n; i++) { big[at] += i; at = (at * 1664525u + 1013904223u"
              " + big[at]) & ((1 << 23) - 1); } return at; } int main(void) { for (int k = 0; k < 20; k++) sink += walk(40000); }",
    "allocation": "F void *get(int i) { return malloc(16 + i % 500); } F void put(void *p) { free(p); } int main(void) { static void *kept[1000];"
                  " for (int i = 0; i < 300000; i++) { int at = mix(i) % 1000; put(kept[at]); kept[at] = get(i); } }",
    "waiting": "F void nap(int us) { usleep(us); } F void work(int n) { sink += spin(n); } int main(void) { for (int i = 0; i < 20; i++) nap(800), work(300000); }",
    "threads": "static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; F void add(uint64_t x) { pthread_mutex_lock(&lock); sink += x; pthread_mutex_unlock(&lock); }"
               " F void *work(void *arg) { for (int i = 0; i < 100; i++) add(spin(40000)); return arg; } int main(void) { pthread_t t[4];"
               " for (int i = 0; i < 4; i++) pthread_create(&t[i], 0, work, 0); for (int i = 0; i < 4; i++) pthread_join(t[i], 0); }",
    "files": "F void out(const char *name) { static char text[65536]; int fd = open(name, O_CREAT | O_TRUNC | O_WRONLY, 0600); for (int i = 0; i < 40; i++) sink += write(fd, text, sizeof text);"
             " close(fd); } F void in(const char *name) { static char text[65536]; int fd = open(name, O_RDONLY); while (read(fd, text, sizeof text) > 0) sink += text[5]; close(fd); }"
             " int main(void) { for (int k = 0; k < 8; k++) out(\"file\"), in(\"file\"), sink += spin(100000); unlink(\"file\"); }",
    "processes": "F void child(int i) { sink += spin(400000 + i); } int main(void) { for (int i = 0; i < 6; i++) { if (!fork()) { child(i); exit(0); } wait(0); } }",
    "seeds": "F void f(uint64_t n) { sink += spin(n); } int main(void) { struct timespec now; clock_gettime(CLOCK_REALTIME, &now);"
             " for (int i = 0; i < 60; i++) f(100000 + mix(now.tv_nsec + i) % 20000); }",
    "addresses": "F void f(uintptr_t at) { for (at >>= 4; at; at >>= 1) sink += at & 1 ? mix(at) : spin(40); } int main(void) { for (int i = 0; i < 20000; i++)"
                 " { void *p = malloc(100 + i % 50000); f((uintptr_t)p); if (i % 3) free(p); } }",
    "recursion": "F int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); } int main(void) { sink += fib(25); }",
    "sorting": "F int order(const void *a, const void *b) { sink++; return *(const int *)a - *(const int *)b; } F void sort(int *list, int n) { for (int i = 0; i < n; i++)"
               " list[i] = (int)(mix(i) & 0xffffff); qsort(list, n, sizeof *list, order); } int main(void) { static int list[20000]; for (int k = 0; k < 5; k++) sort(list, 20000); }",
}
MEASURES = ("instructions", "calls", "time")


def build_programs():
    """Each once, with instructions counted, which calls and time do not suffer from."""
    for name, text in PROGRAMS.items():
        with open(name + ".c", "w") as file:
            file.write(HEAD + re.sub(r"int main\(void\) \{(.*)\}$", r"int main(void) {\1 return 0; }", text) + "\n")
        gate.must(gate.CC, *gate.FLAGS, "-pthread", name + ".c", "-o", name, "-lm")


def compared(*arguments):
    """Whether it fails, and what it says."""
    status, output, said = gate.run(gate.COMMAND, "compare", "--format=json", "--output=out", *arguments)
    if status not in (0, 1) or not output:
        sys.exit(f"cinstr compare {' '.join(arguments)} ended with {status}: {output}{said}")
    return status == 1, json.loads(output), said


def same(n):
    alarms = {measure: [] for measure in MEASURES}
    counts = dict.fromkeys(MEASURES, 0)
    programs = list(PROGRAMS)
    with gate.Load():
        for number in range(n):
            name, measure = programs[number % len(programs)], MEASURES[(number // len(programs) + number) % len(MEASURES)]
            fails, result, said = compared("--runs=5", "--fail-over=1", f"--measure={measure}", "--", f"./{name}", "--", f"./{name}")
            if result["decides"] != measure:
                sys.exit(f"{name}: {result['decides']} decides, not {measure}")
            counts[measure] += 1
            alarms[measure] += [f"{name}: {said.strip()}"] if fails else []
            shutil.rmtree("out")
    print(f"same: {n} comparisons of {len(programs)} programs with themselves, 5 runs a side: "
          + ", ".join(f"{len(alarms[measure])} alarms of {counts[measure]} by {measure}" for measure in MEASURES), flush=True)
    for measure in MEASURES:
        for one in alarms[measure]:
            print(f"  by {measure}: {one}")


def planted(n):
    found, alone, others = 0, 0, []
    base = gate.link()
    with gate.Load():
        for number in range(n):
            number = number * gate.N // n
            gate.compile_function(number, gate.rounds_of(number) * 101 // 100, "planted")
            program = gate.link(number, number + 1)
            fails, result, _ = compared("--runs=2", "--fail-over=0.5", "--measure=instructions", "--", base, "--", program)
            named = {row["name"] for row in result["instructions"]["rows"] if row["verdict"] == "more"} - gate.SEEDED - {"main", "work"}
            found += fails and f"f{number}" in named
            alone += named == {f"f{number}"}
            others += [(number, fails, sorted(named))] if not fails or named != {f"f{number}"} else []
            shutil.rmtree(os.path.dirname(program))
            shutil.rmtree("out")
    print(f"planted: 1 % in each of {n} functions, 2 runs a side: {found} found and named, {alone} of these alone (beside {', '.join(sorted(gate.SEEDED))})", flush=True)
    for one in others:
        print("  other than expected:", *one)


def main():
    how = sys.argv[1:]
    count = int(how.pop()) if how and how[-1].isdigit() else 0
    with tempfile.TemporaryDirectory(prefix="cinstr-compare-") as folder:
        os.chdir(folder)
        for one in how or ["same", "planted"]:
            if one == "same":
                build_programs()
                same(count or 200)
            elif one == "planted":
                gate.build_parts()
                planted(count or 100)
            else:
                sys.exit(__doc__)


if __name__ == "__main__":
    main()
