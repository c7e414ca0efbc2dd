# SPDX-License-Identifier: GPL-3.0-or-later
"""
The reader at size: what cinstr takes for a merged session of many, deep call paths, and for tables
of it: wall time, user processor time, peak memory. The session is of a program whose 256 functions
call one another at random, the same in each process but that SHARE percent of calls that call
nobody are made twice. size.py [PATHS]: 1,300,000 call paths unless it is said.
"""
import os
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.abspath(os.environ.get("BUILD", os.path.join(HERE, "../../build")))
COMMAND = os.path.join(BUILD, "cinstr")
FUNCTIONS = 256
SHARE = 30
PROCESSES = 4

HEAD = """
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

typedef void function(uint64_t seed, unsigned long n);
static function *const functions[%d];
static volatile unsigned sink;
static uint64_t own, share;

static inline __attribute__((always_inline)) uint64_t mixed(uint64_t x)
{
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
	x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
	return x ^ (x >> 31);
}

/* n call paths below the caller, most of them below the first function. */
static inline __attribute__((always_inline)) void calls(uint64_t seed, unsigned long n)
{
	for (unsigned i = 1; n; i++) {
		uint64_t next = mixed(seed + i * 0x9e3779b97f4a7c15);
		unsigned long part = i == 4 ? n : 1 + (n - 1) * (next %% 97) / 97;

		for (int again = part == 1 && mixed(next ^ own) %% 100 < share; again >= 0; again--)
			functions[((seed >> 8) + i * 37) %% %d](next, part - 1);
		n -= part;
	}
}
"""


def program():
    lines = [HEAD % (FUNCTIONS, FUNCTIONS)]
    lines += [f"__attribute__((noinline)) static void f{i}(uint64_t seed, unsigned long n) {{ calls(seed, n); sink += {i}; }}" for i in range(FUNCTIONS)]
    lines += [f"static function *const functions[{FUNCTIONS}] = {{ {', '.join(f'f{i}' for i in range(FUNCTIONS))} }};",
              "int main(int argc, char **argv)", "{",
              "	own = mixed((uint64_t)getpid());", "	share = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;",
              "	calls(1, argc > 1 ? strtoul(argv[1], NULL, 10) : 1);", "	return 0;", "}"]
    return "\n".join(lines) + "\n"


def record(paths):
    """The data files of the processes, which have `paths` call paths."""
    with open("deep.c", "w") as file:
        file.write(program())
    subprocess.run([os.environ.get("CC", "gcc"), "-O1", f"-fplugin={BUILD}/cinstr.so", "-fplugin-arg-cinstr-small=0", "deep.c", "-o", "deep"], check=True)
    clean = {name: value for name, value in os.environ.items() if not name.startswith("CINSTR")}
    found = []
    for i in range(PROCESSES):
        subprocess.run(["./deep", str(paths), str(SHARE)], check=True, env={
            **clean, "CINSTR_DATA": f"s{i}", "CINSTR_METHOD": "instrumentation", "CINSTR_PATHS": "20000000"})
        found += [os.path.join(f"s{i}", name) for name in os.listdir(f"s{i}") if name.endswith(".cinstr")]
    return found


def cost(*args, output=os.devnull):
    """(wall, user and system seconds; megabytes; what it said)"""
    with open(output, "w") as out:
        start = time.perf_counter()
        with subprocess.Popen([COMMAND, *args], stdout=out, stderr=subprocess.PIPE, text=True) as process:
            said = process.stderr.read()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = status
        wall = time.perf_counter() - start
    if status:
        sys.exit(f"cinstr {' '.join(args)} ended with {status}: {said}")
    return wall, usage.ru_utime, usage.ru_stime, usage.ru_maxrss / 1024, said


def show(what, *args, note=lambda user: "", **more):
    wall, user, system, memory, said = cost(*args, **more)
    print(f"{what:44} {wall:6.2f} s wall {user:6.2f} s user {system:5.2f} s system {memory:6.0f} MB  {note(user + system)}", flush=True)
    return said


def main():
    paths = int(sys.argv[1].replace(",", "")) if len(sys.argv) > 1 else 1300000
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        files = record(paths)
        said = show(f"merge of {PROCESSES} processes", "merge", "-o", "all.cinstr", *files)
        nodes = int(re.search(r"([0-9,]+) call path", said)[1].replace(",", ""))
        print(f"{nodes:,} call paths, {os.path.getsize('all.cinstr') / 1e6:.0f} MB")
        show("merge of two such, a node", "merge", "-o", "two.cinstr", files[0], files[1],
             note=lambda seconds: f"{2 * paths / seconds / 1e6:.1f} million nodes a processor second")
        show("report", "report", "all.cinstr")
        show("report --format=csv", "report", "--format=csv", "all.cinstr")
        show("report --columns=processes", "report", "--columns=processes", "all.cinstr")
        show("tree", "tree", "all.cinstr")
        show("tree --format=csv", "tree", "--format=csv", "all.cinstr", output="tree.csv")
        print(f"  of {os.path.getsize('tree.csv') / 1e6:.0f} MB")
        show("tree --format=csv of one process", "tree", "--format=csv", files[0])
        show("tree --format=json", "tree", "--format=json", "all.cinstr")
        show("export -f parquet", "export", "-f", "parquet", "-o", "tables", "all.cinstr")


if __name__ == "__main__":
    main()
