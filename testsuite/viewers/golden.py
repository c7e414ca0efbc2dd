# SPDX-License-Identifier: GPL-3.0-or-later
"""The session that every format is tested with: threads, recursions, names of C++, names that no
viewer expects, functions of one name, marks. Its calls are the same in each run."""
import csv
import io
import os
import shutil
import subprocess

import lab

HOSTILE = "ev;il<&>' (1) %s f=2 {}"  # the assembler takes no more

PROGRAM = r"""
#include <cinstr.h>
#include <map>
#include <string>
#include <thread>
#include <vector>
#include <unistd.h>
#include <pthread.h>
#define NOIPA __attribute__((noipa))
extern "C" {
void other(int n);
NOIPA void hostile(int n) __asm__("\"HOSTILE\"");
}
static volatile unsigned sink;
NOIPA void spin(unsigned n) { for (unsigned i = 0; i < n; i++) sink += i; }
NOIPA static void helper(int n) { spin(100 * n); }
NOIPA void hostile(int n) { spin(50 * n); }
namespace {
struct shape { virtual ~shape() {} virtual NOIPA void draw(int n) = 0; };
}
namespace deep { namespace er {
template <typename T> struct circle : shape {
	T radius;
	NOIPA void draw(int n) override { spin(30 * n); helper(1); }
	NOIPA circle operator<<(const circle &c) const { spin(10); return c; }
};
} }
NOIPA unsigned fib(unsigned n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
NOIPA void even(int n);
NOIPA void odd(int n) { if (n) even(n - 1); spin(5); }
NOIPA void even(int n) { if (n) odd(n - 1); spin(7); }
static inline __attribute__((always_inline)) void inlined(int n) { for (int i = 0; i < n; i++) hostile(2); }
NOIPA static void wait_a_little() { usleep(1500); }
NOIPA static void work(int rounds)
{
	deep::er::circle<std::map<int, std::string>> c, d;
	shape *s = &c;
	for (int i = 0; i < rounds; i++) {
		s->draw(i);
		c << d;
		inlined(3);
		other(i);
	}
	fib(7);
	even(6);
	wait_a_little();
	[](int n) NOIPA { spin(n); }(9);
}
NOIPA static void *thread(void *name)
{
	pthread_setname_np(pthread_self(), static_cast<const char *>(name));
	work(5);
	return nullptr;
}
int main()
{
	pthread_t ids[2];
	cinstr_mark_text(1, "begin; \"of\" <all>");
	work(10);
	pthread_create(&ids[0], nullptr, thread, const_cast<char *>("work;er \"1\""));
	pthread_create(&ids[1], nullptr, thread, const_cast<char *>("two"));
	for (pthread_t id : ids)
		pthread_join(id, nullptr);
	cinstr_mark_text(2, "end");
	helper(3);
	return 0;
}
"""

OTHER = r"""
void spin(unsigned n) __asm__("_Z4spinj");
static __attribute__((noipa)) void helper(int n) { spin(20 * n); }
void other(int n);
__attribute__((noipa)) void other(int n) { helper(n + 1); }
"""


def record(bench, flags=(), env=None, session="cinstr.data"):
    """Compiles and runs the program. The path of the session."""
    bench.write("golden.cc", PROGRAM.replace("HOSTILE", HOSTILE))
    bench.write("other.c", OTHER)
    cc, cxx = lab.compiler_of("x.c"), lab.compiler_of("x.cc")
    plugin = lab.plugin_flags(lab.PLUGIN)
    for command in (cc + ["-O2", "-g", *plugin, *flags, "-c", "other.c", "-o", "other.o"],
                    cxx + ["-O2", "-g", "-D_GNU_SOURCE", lab.INCLUDE, "-pthread", *plugin, *flags, "golden.cc", "other.o", "-o", "golden"]):
        done = subprocess.run(command, capture_output=True, text=True, cwd=bench.folder, timeout=lab.TIMEOUT)
        lab.check(not done.returncode, done.stderr)
    bench.run(bench.path("golden"), env={"CINSTR_DATA": bench.path(session), **(env or {})}, status=0)
    return bench.path(session)


ODD_NAMES = r"""
#include <cinstr.h>
#include <pthread.h>
#include <sys/prctl.h>
static volatile unsigned sink;
__attribute__((noipa)) static void spin(unsigned n) { for (unsigned i = 0; i < n; i++) sink += i; }
static void *thread(void *name) { prctl(PR_SET_NAME, name); spin(20000); return 0; }
int main(void)
{
	static char *const names[] = { "abcdefghijklmn\303\251", "a \"quoted\" n" };
	pthread_t id;
	cinstr_mark_text(1, "say \"hi\"");
	for (int i = 0; i < 2; i++) {
		pthread_create(&id, 0, thread, names[i]);
		pthread_join(id, 0);
	}
	return 0;
}
"""


def odd_names(bench, env=None):
    """A session of threads whose names are cut within a letter (at 15 bytes), or have quotes."""
    program = bench.compile(bench.write("odd.c", ODD_NAMES), "odd", "-O1", "-pthread", lab.INCLUDE)
    bench.run(program, env={"CINSTR_DATA": bench.path("odd.data"), **(env or {})}, status=0)
    return bench.path("odd.data")


def csv_rows(bench, session, *options):
    text = bench.cinstr("report", "--format=csv", *options, session)
    return list(csv.DictReader(io.StringIO(text)))


MEASURES = {
    "elapsed": ["elapsed_exclusive_ns"],
    "application": ["application_exclusive_ns"],
    "waiting": ["off_cpu_exclusive_ns"],
    "calls": ["calls"],
    "switches": ["voluntary_switches_exclusive", "involuntary_switches_exclusive"],
    "samples": ["exclusive_samples"],
}


def of_csv(rows, measure, keep=lambda name: name):
    """{name: value} of rows of functions; those of one name together."""
    sums = {}
    for row in rows:
        value = sum(int(row[column] or 0) for column in MEASURES[measure])
        name = keep(row["name"])
        sums[name] = sums.get(name, 0) + value
    return {name: value for name, value in sums.items() if value}


def same_values(got, rows, measure, what, keep=lambda name: name):
    """What a viewer says of functions is what csv says; functions of one name may have more behind
    it there, which tells them apart."""
    expected = of_csv(rows, measure, keep)
    twice = {name for name in map(lambda row: keep(row["name"]), rows)
             if sum(keep(row["name"]) == name for row in rows) > 1}
    sums = {}
    for name, value in got.items():
        if not value or name.startswith("["):
            continue
        base = next((other for other in twice if name.startswith(other + " ") or name.startswith(other + "(")), name)
        sums[base] = sums.get(base, 0) + value
    lab.equal(sorted(sums.items()), sorted(expected.items()), f"{what}: {measure} by function")


def export(bench, fmt, session, *options, output=None, other=None):
    """The path of the file that is made of a session, or of two."""
    path = bench.path(output or f"out.{fmt}")
    done = bench.run(lab.COMMAND, "export", f"--format={fmt}", "-o", path, *options, session, *(["--", other] if other else []), status=0)
    lab.equal(done.stderr, "", f"export {fmt}: stderr")
    lab.check(os.path.exists(path) and not os.path.exists(path + ".partial"), f"export {fmt}: the file")
    return path


def need(*tools):
    for tool in tools:
        if not shutil.which(tool):
            raise lab.Skip(f"no {tool}")
