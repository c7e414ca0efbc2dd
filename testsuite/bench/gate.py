# SPDX-License-Identifier: GPL-3.0-or-later
"""
Gates on executed instructions: how often they give a false alarm, and what they find.

    gate.py same [N]      N programs (1,000), all built of the same source, and therefore other
                          builds, each run once while others load the machine: after each run
                          cinstr history trend is asked whether something takes more
    gate.py diff [N]      likewise cinstr diff of the last five runs with the five before
    gate.py planted       a program with 1 % more work in one of 200 functions, for each of them:
                          whether cinstr history trend, and cinstr diff, name it, and nothing else

The program has 200 functions of six kinds in four threads, which always do the same, and three that
differ by themselves: by a seed, by addresses, and because threads wait for one another.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.abspath(os.environ.get("BUILD", os.path.join(HERE, "../../build")))
COMMAND = os.path.join(BUILD, "cinstr")
CC = os.environ.get("CC", "gcc")
N = 200
FLAGS = ["-O2", "-g", f"-fplugin={BUILD}/cinstr.so", "-fplugin-arg-cinstr-instructions"]
SEEDED = {"seeded", "by_address", "waits"}

KINDS = [  # {n}: the function's number; {rounds}: its work
    "for (unsigned i = 0; i < {rounds}; i++) { x = x * 2862933555777941757u + {n}; if (x & 64) x ^= x >> 7; }",
    "for (unsigned i = 0; i < {rounds} / 20; i++) for (unsigned k = 0; k < 20; k++) x += (x >> 5) ^ (k * i);",
    "for (unsigned i = 0; i < {rounds}; i++) switch ((x + i) % 7) { case 0: x += 3; break; case 1: x *= 5; break;"
    " case 2: x ^= i; break; case 4: x -= i; break; default: x++; }",
    "for (unsigned i = 0; i < {rounds}; i++) { text[i % 60] = 'a' + x % 26; x += (unsigned char)text[(i * 7) % 60]; }",
    "for (unsigned i = 0; i < {rounds}; i++) { unsigned k = x & 15; while (k) k &= k - 1, x += k; x = x * 3 + {n}; }",
    "for (unsigned i = 0; i < {rounds}; i++) { sum = sum * 0.5 + (double)(x & 255); x = (x << 1 | x >> 63) + (sum > 200); }",
]

MAIN = """#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
FUNCTIONS
uint64_t sink;
static unsigned turn;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noipa)) static void seeded(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		__atomic_fetch_add(&sink, i, __ATOMIC_RELAXED);
}

__attribute__((noipa)) static void by_address(void *at)
{
	for (uintptr_t i = (uintptr_t)at >> 12 & 4095; i; i >>= 1)
		__atomic_fetch_add(&sink, i & 1 ? i : 0, __ATOMIC_RELAXED);
}

/* How often it looks depends on when others have their turn. */
__attribute__((noipa)) static void waits(unsigned mine)
{
	while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) != mine)
		sched_yield();
	__atomic_store_n(&turn, mine + 1, __ATOMIC_RELEASE);
}

static void *work(void *arg)
{
	uintptr_t first = (uintptr_t)arg;

	for (uintptr_t i = first; i < %d; i += 4) {
		uint64_t x = table[i](i);

		pthread_mutex_lock(&lock);
		sink += x;
		pthread_mutex_unlock(&lock);
	}
	waits(first);
	return NULL;
}

int main(void)
{
	struct timespec now;
	pthread_t threads[4];

	clock_gettime(CLOCK_REALTIME, &now);
	seeded(1000 + now.tv_nsec / 1000 %% 1000);
	by_address(malloc(200000));
	for (uintptr_t i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
""" % N


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", **options)
    return done.returncode, done.stdout, done.stderr


def must(*command, **options):
    status, output, said = run(*command, **options)
    if status:
        sys.exit(f"{' '.join(command)} ended with {status}: {output}{said}")
    return output


def rounds_of(number):
    return 2000 + 1000 * (number * 37 % 9)


def compile_function(number, rounds, folder="."):
    """Its file, in a folder: diff tells functions apart by the names of their files."""
    os.makedirs(folder, exist_ok=True)
    name = f"{folder}/f{number}"
    body = KINDS[number % len(KINDS)].replace("{n}", str(number)).replace("{rounds}", str(rounds))
    with open(name + ".c", "w") as file:
        file.write(f"#include <stdint.h>\nuint64_t f{number}(uint64_t x)\n{{\n\tchar text[60] = \"cinstr\";\n\tdouble sum = 0;\n\n\t"
                   f"{body}\n\treturn x + (uint64_t)text[x % 60] + (uint64_t)sum;\n}}\n")
    must(CC, *FLAGS, "-c", name + ".c", "-o", name + ".o")


def build_parts():
    names = "".join(f"uint64_t f{i}(uint64_t);\n" for i in range(N))
    names += "static uint64_t (*const table[])(uint64_t) = { " + ", ".join(f"f{i}" for i in range(N)) + " };\n"
    with open("main.c", "w") as file:
        file.write(MAIN.replace("FUNCTIONS\n", names))
    must(CC, *FLAGS, "-pthread", "-c", "main.c", "-o", "main.o")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda i: compile_function(i, rounds_of(i)), range(N)))


def link(instead=None, number=0):
    """A program with a function's file instead of its usual one, as build `number`. It stays where
    it is: diff reads it."""
    parts = [f"f{i}.o" for i in range(N)]
    if instead is not None:
        parts[instead] = f"planted/f{instead}.o"
    os.makedirs(f"bin{number}", exist_ok=True)
    must(CC, *FLAGS, "-pthread", "main.o", *parts, "-o", f"bin{number}/program", f"-Wl,--build-id=0x{number + 1:040x}")
    return f"bin{number}/program"


def record(session, program):
    shutil.rmtree(session, ignore_errors=True)
    must(program, env={**os.environ, "CINSTR_DATA": session})
    return session


def named(said):
    """Functions that the gate names."""
    return re.findall(r"error: (?:history|diff): ([^:]+):", said)


def is_alarm(names):
    """Of functions that never differ, and of those that do: these are left to statistics."""
    return [name for name in names if re.fullmatch(r"f\d+|main|work", name)], [name for name in names if not re.fullmatch(r"f\d+|main|work", name)]


class Load:
    """Twice as many busy processes as there are processors."""

    def __enter__(self):
        code = "import os\nx = bytearray(1 << 22)\nwhile os.getppid() == %d:\n    for i in range(0, 1 << 22, 4096): x[i] = (x[i] + 1) & 255\n" % os.getpid()
        self.processes = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(2 * os.cpu_count())]

    def __exit__(self, *_):
        for process in self.processes:
            process.kill()
            process.wait()


def history(store, *more):
    status, output, said = run(COMMAND, "history", "trend", store, "--fail-within=1", *more)
    if status not in (0, 1) or (status == 1 and not named(said)):
        sys.exit(f"cinstr history trend ended with {status}: {output}{said}")
    return named(said)


def same(n):
    """The same work in other builds. The history begins with two runs of one."""
    alarms, by_chance = [], []
    program = link()
    for _ in range(2):
        must(COMMAND, "history", "add", "same", record("session", program))
    for number in range(1, n + 1):
        program = link(number=number)
        must(COMMAND, "history", "add", "same", record("session", program))
        shutil.rmtree(os.path.dirname(program))
        exact, other = is_alarm(history("same"))
        alarms += exact
        by_chance += other
    compile_function(7, rounds_of(7) * 101 // 100, "planted")
    must(COMMAND, "history", "add", "same", record("session", link(7, n + 1)))
    if "f7" not in history("same"):
        sys.exit("after these, 1 % more in f7 is not seen")
    print(f"history: {n} comparisons: {len(alarms)} alarms of what never differs {alarms}, {len(by_chance)} of what does {by_chance}", flush=True)


def compare(*arguments):
    status, output, said = run(COMMAND, "diff", "--measure=instructions", "--fail-over=0.5", *arguments)
    if status not in (0, 1) or (status == 1 and not named(said)) or "not known" in output:
        sys.exit(f"cinstr diff ended with {status}: {output}{said}")
    return named(said)


def different(n):
    alarms, by_chance, sessions = [], [], []
    for number in range(n + 9):
        if number % 5 == 0:
            program = link(number=number // 5)
            shutil.rmtree(f"bin{number // 5 - 3}", ignore_errors=True)
        sessions.append(record(f"session{number % 10}", program))
        if len(sessions) < 10:
            continue
        exact, other = is_alarm(compare(*sessions[-10:-5], "--", *sessions[-5:]))
        alarms += exact
        by_chance += other
    print(f"diff: {n} comparisons: {len(alarms)} alarms of what never differs {alarms}, {len(by_chance)} of what does {by_chance}", flush=True)


def planted():
    found_by_history, found_by_diff, others = 0, 0, []
    base = link()
    for _ in range(2):
        must(COMMAND, "history", "add", "base", record("base.session", base))
    for number in range(N):
        compile_function(number, rounds_of(number) * 101 // 100, "planted")
        program = link(number, number + 1)
        record("session", program)
        shutil.rmtree("store", ignore_errors=True)
        shutil.copytree("base", "store")
        must(COMMAND, "history", "add", "store", "session")
        by_history, by_diff = history("store"), [name for name in compare("base.session", "session", "--fail-on=row") if name not in SEEDED]
        shutil.rmtree(os.path.dirname(program))
        found_by_history += by_history == [f"f{number}"]
        found_by_diff += by_diff == [f"f{number}"]
        others += [(number, by_history, by_diff)] if by_history != [f"f{number}"] or by_diff != [f"f{number}"] else []
    print(f"planted: 1 % in each of {N} functions: history named {found_by_history} alone, diff {found_by_diff} (beside {', '.join(sorted(SEEDED))})", flush=True)
    for one in others:
        print("  other than expected:", *one)


def main():
    how = sys.argv[1:] or ["same", "diff", "planted"]
    count = int(how.pop()) if how[-1].isdigit() else 1000
    with tempfile.TemporaryDirectory(prefix="cinstr-gate-") as folder:
        os.chdir(folder)
        build_parts()
        with Load():
            for one in how:
                {"same": lambda: same(count), "diff": lambda: different(count), "planted": planted}[one]()


if __name__ == "__main__":
    main()
