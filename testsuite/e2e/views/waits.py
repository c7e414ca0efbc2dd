# SPDX-License-Identifier: GPL-3.0-or-later
"""cinstr waits: what was waited for, where, and who ended that. programs/objects.c makes each wait
last until the kernel says that its thread sleeps: nothing depends on time."""
import json
import re

import lab

# waiter: object, kind, who ended the wait, what is known of that
TRUTH = {
    "wants_mutex": ("a_mutex", "mutex", "gives_mutex", "call"),
    "wants_tail": ("tail_mutex", "mutex", "gives_tail", "call"),
    "wants_parked": ("parked_mutex", "mutex", "gives_parked", "call"),
    "wants_node": (None, "mutex", "gives_node", "call"),
    "lock_wrapped": ("wrapped_mutex", "mutex", "gives_wrapped", "call"),
    "wants_c11": ("a_c11_mutex", "mutex", "gives_c11", "call"),
    "wants_write": ("a_rwlock", "rwlock", "gives_write", "call"),
    "wants_post": ("a_semaphore", "semaphore", "gives_post", "call"),
    "wants_signal": ("a_condition", "condition", "gives_signal", "call"),
    "wants_others": ("a_barrier", "barrier", "gives_others", "call"),
    "gives_parked": ("parked_condition", "condition", "parked", "call"),
    # signalled twice before it could run
    "wants_twice": ("twice_condition", "condition", "gives_twice", "likely"),
    "wants_byte": (None, "pipe", "gives_byte", "call"),
    "wants_room": (None, "pipe", "gives_room", "call"),
    "wants_last": (None, "pipe", "gives_last", "call"),
    # an earlier signal is known, but not the one that ended the wait
    "wants_stale": ("stale_semaphore", "semaphore", None, "no"),
    # by the mutex, which says who has it: in code without probes
    "wants_hidden": ("hidden_mutex", "mutex", None, "thread"),
}


def facts(bench, *args):
    return bench.json("waits", *args)["waits"]


def same_as_truth(rows, title):
    """Each row of a waiter is as it is known to be; of each there is one, with one wait."""
    main = next(row["pid"] for row in rows)
    for waiter, (name, kind, giver, known) in TRUTH.items():
        mine = [row for row in rows if row["waiter"] == waiter and row["kind"] == kind]
        lab.equal([(row["object"], row["ended_by"], row["known"]) for row in mine], [(name, giver, known)],
                  f"{title}: what {waiter} waited for")
        lab.equal(mine[0]["waits"], 1, f"{title}: waits of {waiter}")
        lab.check(mine[0]["waiting_ns"] == mine[0]["longest_ns"] > 0, f"{title}: time of {waiter}")
        lab.check(mine[0]["path"].endswith(waiter), f"{title}: path {mine[0]['path']}")
        lab.check(mine[0]["waiter_tid"] not in (main, mine[0]["ended_by_tid"]), f"{title}: threads of {waiter}")
        if waiter not in ("wants_parked", "gives_parked", "wants_stale"):
            lab.equal(mine[0]["ended_by_tid"], main, f"{title}: thread that ended the wait of {waiter}")


def threads_that_ended(rows, title):
    """main() waits long for one thread: it is known which one."""
    ends = [row for row in rows if row["kind"] == "thread"]
    longest = max(ends, key=lambda row: row["longest_ns"])
    lab.check(longest["waiter"] == "end" and longest["path"].endswith("all;end"), f"{title}: {longest}")
    lab.equal((longest["known"], longest["ended_by"], longest["waits"] >= 1), ("thread", None, True), title)
    lab.check(longest["longest_ns"] >= 20_000_000, f"{title}: {longest}")
    return longest["ended_by_tid"]


def recorded(bench, *options, **env):
    program = bench.compile("programs/objects.c", "objects", *options, "-g", "-pthread")
    bench.run(program, status=0, env=env)


ENDING = """
#include <pthread.h>
#include <unistd.h>
static pthread_key_t key;
static void *ends(void *unused)
{
	(void)unused;
	pthread_setspecific(key, (void *)200000);
	return NULL;
}
int main(void)
{
	pthread_t thread;

	pthread_key_create(&key, (void (*)(void *))usleep); /* has no probes: no event is behind the noted end */
	pthread_create(&thread, NULL, ends, NULL);
	usleep(30000);
	return pthread_join(thread, NULL);
}
"""


@lab.test("waits/for a thread that has noted its end, and is ending")
def ending(bench):
    bench.run(bench.compile(bench.write("ending.c", ENDING), "ending", "-O2", "-g", "-pthread"), status=0)
    row, = (row for row in facts(bench) if row["kind"] == "thread")
    threads = {t["name"]: t["tid"] for t in bench.report("cinstr.data", "thread")["rows"]}
    lab.equal((row["ended_by_tid"], row["waits"]), (threads["ends"], 1), f"who ended: {threads}")
    lab.check(row["waiting_ns"] > 100e6, f"waited {row['waiting_ns']} ns")
    shown = bench.cinstr("waits", "--graph", bench.path("cinstr.data"))
    lab.check("\nmain\n  -> ends " in shown, f"the graph names the thread:\n{shown}")


MANY = """
#include <pthread.h>
#include <unistd.h>
static void *sleeps(void *unused)
{
	usleep(20);
	return unused;
}
int main(void)
{
	for (int i = 0; i < 6000; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, sleeps, NULL) || pthread_join(thread, NULL))
			return 1;
	}
	return 0;
}
"""


@lab.test("waits/for the ends of more threads than there is room for")
def many(bench):
    """Each is an object of its own. Of those without room it is known that they have ended."""
    bench.run(bench.compile(bench.write("many.c", MANY), "many", "-O2", "-g", "-pthread"), status=0)
    rows = [row for row in facts(bench) if row["kind"] == "thread"]
    lab.check(sum(row["waits"] for row in rows) > 5000, f"{sum(row['waits'] for row in rows)} waits")
    lab.equal({(row["known"], row["path"]) for row in rows}, {("thread", "main")}, "who is known to have ended them, and where")
    lab.check(sum(row["waits"] for row in rows if row["ended_by_tid"] is None) > 500, "those without room")
    for options in (), ("--graph",):
        shown = bench.cinstr("waits", *options, bench.path("cinstr.data"))
        lab.check("several threads" in shown and "not known" not in shown, shown)


@lab.test("waits/by default")
def by_default(bench):
    recorded(bench, "-O2")
    rows = facts(bench)
    same_as_truth(rows, "by default")
    tid = threads_that_ended(rows, "by default")
    threads = {row["tid"]: row["name"] for row in bench.report("cinstr.data", "thread")["rows"]}
    lab.equal(threads[tid], "sleeps", "the thread that main() waited for")


@lab.test("waits/with all calls timed, or none")
def dial(bench):
    recorded(bench, "-O2", CINSTR_MAX_OVERHEAD="unlimited")
    same_as_truth(facts(bench), "all calls timed")
    bench.run("rm", "-r", bench.path("cinstr.data"), status=0)
    bench.run(bench.path("objects"), status=0, env={"CINSTR_MAX_OVERHEAD": "0"})
    rows = facts(bench)
    same_as_truth(rows, "calls counted")
    # who gave the objects is counted all the same
    calls = {row["name"]: row["calls"] for row in bench.report()["rows"]}
    lab.equal(calls["sem_post"], 2, "calls of sem_post")
    lab.equal(calls["pthread_cond_signal"], 4, "calls of pthread_cond_signal")


@lab.test("waits/without optimising")
def unoptimised(bench):
    recorded(bench, "-O0")
    same_as_truth(facts(bench), "-O0")


@lab.test("waits/of a killed process")
def killed(bench):
    """What was in the buffers is folded by the reader, which finds the paths."""
    program = bench.compile("programs/objects.c", "objects", "-O2", "-g", "-pthread")
    bench.run(program, "killed", status=-9)
    same_as_truth(facts(bench), "killed")


@lab.test("waits/for more objects than there is room for")
def many(bench):
    """All are counted; those that found no room by call site."""
    program = bench.compile("programs/objects.c", "objects", "-O2", "-g", "-pthread")
    bench.run(program, "many", status=0)
    rows = [row for row in facts(bench) if row["kind"] == "semaphore"]
    lab.equal(sum(row["waits"] for row in rows), 6000, "waits")
    apart = [row for row in rows if row["address"]]
    lab.check(4000 <= len(apart) < 5500, f"{len(apart)} objects are told apart")
    lab.check(all(row["waits"] == 1 and row["ended_by"] == "gives_many" for row in apart), "who ended them")
    lab.equal([row["waiter"] for row in rows if not row["address"]], ["wants_many"], "those without room")
    calls = {row["name"]: row["calls"] for row in bench.report()["rows"]}
    lab.equal((calls["sem_wait"], calls["sem_post"]), (6000, 6000), "calls")


TIMED = """
#include <pthread.h>
#include <errno.h>
#include <time.h>
#include <unistd.h>
static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
static volatile int result, is_over;
__attribute__((noipa)) static void *gives_up(void *unused)
{
	struct timespec until;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += (until.tv_nsec + 20000000) / 1000000000;
	until.tv_nsec = (until.tv_nsec + 20000000) % 1000000000;
	result = pthread_mutex_timedlock(&held, &until) == ETIMEDOUT;
	until.tv_sec++;
	result += pthread_rwlock_timedwrlock(&shared, &until) == ETIMEDOUT;
	is_over = 1;
	return unused;
}
__attribute__((noipa)) static void passes(void)
{
	pthread_rwlock_rdlock(&shared);
	pthread_rwlock_unlock(&shared);
}
int main(void)
{
	pthread_t thread;
	pthread_mutex_lock(&held);
	pthread_rwlock_rdlock(&shared);
	pthread_create(&thread, NULL, gives_up, NULL);
	while (!is_over) {
		passes();
		usleep(1000);
	}
	pthread_join(thread, NULL);
	return result != 2;
}
"""


@lab.test("waits/a time limit ends a wait")
def timed_out(bench):
    """Nobody has given the mutex; who has it is known. Nor the read-write lock, which another
    reader gives back all the time."""
    program = bench.compile(bench.write("timed.c", TIMED), "timed", "-O2", "-g", "-pthread")
    bench.run(program, status=0)
    rows = sorted((row for row in facts(bench) if row["waiter"] == "gives_up"), key=lambda row: row["kind"])
    lab.equal([(row["object"], row["waiter"], row["ended_by"], row["known"]) for row in rows],
              [("held", "gives_up", None, "thread"), ("shared", "gives_up", None, "no")], "the waits")
    lab.equal(rows[0]["ended_by_tid"], rows[0]["pid"], "who has it")


CXX = """
#include <condition_variable>
#include <mutex>
#include <thread>
#include <cstdio>
#include <cstring>
#include <unistd.h>
#include <sys/syscall.h>
#define KEEP __attribute__((noipa))
static std::mutex m, c;
static std::condition_variable v;
static volatile int waiter, told;
__attribute__((no_instrument_function)) static void until_asleep()
{
	char path[64], line[256] = "";
	while (!waiter) usleep(100);
	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", waiter);
	while (!strstr(line, ") S")) {
		FILE *file = fopen(path, "r");
		usleep(100);
		if (!fgets(line, sizeof(line), file)) _exit(1);
		fclose(file);
	}
}
namespace app {
KEEP void wants() { waiter = (int)syscall(SYS_gettid); std::lock_guard<std::mutex> l(m); waiter = 0; }
KEEP void listens()
{
	std::unique_lock<std::mutex> l(c);
	waiter = (int)syscall(SYS_gettid);
	v.wait(l, [] { return told; });
}
KEEP void holds() { std::lock_guard<std::mutex> l(m); std::thread t(wants); until_asleep(); t.detach(); }
KEEP void tells() { std::lock_guard<std::mutex> l(c); told = 1; v.notify_one(); }
}
int main()
{
	app::holds();
	while (waiter) usleep(100);
	std::thread t(app::listens);
	until_asleep();
	app::tells();
	t.join();
}
"""


@lab.test("waits/objects of C++")
def cxx(bench):
    program = bench.compile(bench.write("app.cc", CXX), "app", "-O2", "-g", "-pthread")
    bench.run(program, status=0)
    rows = {row["kind"]: row for row in facts(bench) if row["kind"] != "thread"}
    lab.equal([rows["mutex"][key] for key in ("object", "waiter", "ended_by", "known")],
              ["_ZL1m", "_ZN3app5wantsEv", "_ZN3app5holdsEv", "call"], "the mutex")
    lab.equal([rows["condition"][key] for key in ("object", "waiter", "ended_by", "known")],
              ["_ZL1v", "_ZN3app7listensEv", "_ZN3app5tellsEv", "call"], "the condition variable")
    shown = bench.run(lab.COMMAND, "waits", status=0).stdout
    lab.check("mutex m: " in shown and "app::holds" in shown and "condition variable v: " in shown, shown)


CXX_20 = """
#include <atomic>
#include <future>
#include <thread>
#include <cstdio>
#include <cstring>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#define KEEP __attribute__((noipa)) static
static std::atomic<int> word;
static int lock;
static volatile int waiter;
#define PLAIN __attribute__((no_instrument_function)) static
PLAIN int here() { return waiter = (int)syscall(SYS_gettid); }
PLAIN void until_asleep()
{
	char path[64], line[256] = "";
	while (!waiter) usleep(100);
	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", waiter);
	waiter = 0;
	while (!strstr(line, ") S")) {
		FILE *file = fopen(path, "r");
		usleep(100);
		if (!fgets(line, sizeof(line), file)) _exit(1);
		fclose(file);
	}
}
KEEP void ends() { until_asleep(); }
KEEP void sets(std::promise<int> *p) { until_asleep(); p->set_value(3); }
KEEP void stores() { until_asleep(); word = 1; word.notify_all(); }
KEEP void wakes()
{
	until_asleep();
	__atomic_store_n(&lock, 1, __ATOMIC_SEQ_CST);
	syscall(SYS_futex, &lock, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
}
KEEP void wants_end(std::thread &t) { here(); t.join(); }
KEEP int wants_value(std::future<int> f) { here(); return f.get(); }
KEEP void wants_word() { here(); word.wait(0); }
KEEP void wants_lock() { here(); while (!lock) syscall(SYS_futex, &lock, FUTEX_WAIT_PRIVATE, 0, 0, 0, 0); }
template<class F> PLAIN void one(F waits, void (*gives)())
{
	std::thread t(gives);
	waits();
	t.join();
}
int main()
{
	std::promise<int> p;
	std::thread ending(ends), setting;
	wants_end(ending);
	setting = std::thread(sets, &p);
	wants_value(p.get_future());
	setting.join();
	one(wants_word, stores);
	one(wants_lock, wakes);
	return syscall(SYS_getpid) != getpid();
}
"""


@lab.test("waits/ends of std::thread, futures and words of memory")
def cxx_20(bench):
    for level in "-O0", "-O2":
        program = bench.compile(bench.write("app.cc", CXX_20), "app", level, "-std=c++20", "-g", "-pthread")
        for overhead in "10", "unlimited", "0":
            bench.run(program, status=0, env={"CINSTR_MAX_OVERHEAD": overhead})
            what = f"{level}, {overhead}"
            rows = {row["waiter"]: row for row in facts(bench, "--names=short", bench.path("cinstr.data"))}
            lab.equal([rows[name]["kind"] for name in ("wants_end", "wants_value", "wants_word", "wants_lock")],
                      ["thread", "future", "futex", "futex"], what)
            lab.equal(rows["wants_end"]["known"], "thread", what)
            lab.equal([rows[name]["object"] for name in ("wants_word", "wants_lock")], ["word", "lock"], what)
            lab.equal([rows["wants_lock"][key] for key in ("ended_by", "known")], ["wakes", "call"], what)
            # where the library's header is not inlined, the place is in it: then it is the thread's
            shown = bench.cinstr("waits", bench.path("cinstr.data"))
            for given, by in ("set by", "sets"), ("woken by", "stores"), ("that is", "ends"):
                # main may wait for the other thread, too
                said = re.findall(rf"{given} +[0-9]+ % .*(?:\n +[0-9]+ % .*)*", shown)
                lab.check(any(re.search(rf"\b{by}\b", part) for part in said) or level == "-O0", f"{what}: {given} {by}\n{shown}")


ASYNC = """
#include <chrono>
#include <future>
#include <thread>
__attribute__((noipa)) static int works(int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); return ms; }
int main()
{
	int sum = 0;
	for (int i = 0; i < 3; i++) {
		auto shorter = std::async(std::launch::async, works, 100), longer = std::async(std::launch::async, works, 200);
		sum += shorter.get() + longer.get();
	}
	{ auto dropped = std::async(std::launch::async, works, 150); }
	return sum != 900;
}
"""


@lab.test("waits/std::async waits for the end of its thread")
def async_(bench):
    """The longer ones and the last are on the critical path, in their threads. Which one ended a
    wait is not known where main comes to a processor later than after a fourth of it, 37 ms."""
    for level in "-O0", "-O2":
        program = bench.compile(bench.write("async.cc", ASYNC), "async", level, "-std=c++17", "-g", "-pthread")
        bench.run(program, status=0)
        rows = json.loads(bench.cinstr("waits", "--critical-path", "--format=json", bench.path("cinstr.data")))["critical_path"]
        slept = sum(row["on_path_ns"] for row in rows if "nanosleep" in row["function"] and "works" in row["thread"])
        pieces = [(row["thread"], row["function"], row["on_path_ns"], row["unknown_ns"]) for row in rows if row["on_path_ns"] > 1e6]
        lab.check(slept >= 700e6, f"{level}: asleep in other threads: {slept} of {pieces}")
        lab.check(sum(row["unknown_ns"] for row in rows) < 140e6, f"{level}: not known: {pieces}")


INLINED = """
#include <mutex>
#include <thread>
#include <vector>
#include <unistd.h>
static std::mutex lock;
int main()
{
	std::vector<std::thread> threads;
	for (int i = 0; i < 3; i++)
		threads.emplace_back([] {
			for (int i = 0; i < 10; i++) {
				std::lock_guard<std::mutex> guard(lock);
				usleep(3000);
			}
		});
	for (auto &thread : threads)
		thread.join();
}
"""


@lab.test("waits/in a lambda that is inlined where std::thread calls it")
def inlined(bench):
    program = bench.compile(bench.write("inlined.cc", INLINED), "inlined", "-O2", "-std=c++17", "-g", "-pthread")
    bench.run(program, status=0)
    rows = [row for row in facts(bench, bench.path("cinstr.data")) if row["kind"] == "mutex"]
    known = [row for row in rows if row["known"] == "call"]
    # one of a few microseconds may have no end that was noted
    lab.check(sum(row["waiting_ns"] for row in known) >= 0.95 * sum(row["waiting_ns"] for row in rows) > 0,
              f"the calls are known: {rows}")
    for row in known:
        lab.equal((row["waiter"], row["ended_by"]), ("main::{lambda#1}",) * 2, "who waited, and who gave it")
    lab.check(re.search(r"held by +[0-9]+ % +main::\{lambda", bench.cinstr("waits", bench.path("cinstr.data"))), "on the screen")


@lab.test("waits/the screen")
def screen(bench):
    recorded(bench, "-O2")
    shown = bench.run(lab.COMMAND, "waits", "--limit=0", "--width=80", status=0).stdout
    lab.check(all(len(line) <= 80 for line in shown.splitlines()), "a line is too long")
    lines = [" ".join(line.split()) for line in shown.splitlines()]
    at = next(i for i, line in enumerate(lines) if line.startswith("mutex a_mutex: "))
    lab.check("in 1 wait" in lines[at] and "longest" not in lines[at], lines[at])
    lab.check(lines[at + 1].startswith("waiting 100 % wants_mutex objects.c:"), lines[at + 1])
    lab.check(lines[at + 2].startswith("held by 100 % gives_mutex objects.c:"), lines[at + 2])
    at = next(i for i, line in enumerate(lines) if line.startswith("mutex hidden_mutex: "))
    lab.check(", not known where" in lines[at + 2], lines[at + 2])
    lab.check(any(line.startswith("that is ") for line in lines), shown)
    lab.check(any("% sleeps, thread" in line for line in lines), shown)
    few = bench.run(lab.COMMAND, "waits", "--limit=1", status=0).stdout
    lab.check("more; --limit=0 shows them" in few, few)


@lab.test("waits/nothing to show")
def nothing(bench):
    program = bench.compile(bench.write("one.c", "int main(void) { return 0; }\n"), "one", "-O1")
    bench.run(program, status=0)
    lab.check("No thread waited" in bench.run(lab.COMMAND, "waits", status=0).stdout, "one thread")
    lab.equal(facts(bench), [], "no rows")
    bench.run(lab.COMMAND, "merge", "-o", bench.path("all.cinstr"), bench.path("cinstr.data"), status=0)
    lab.check("No thread waited" in bench.cinstr("waits", bench.path("all.cinstr")), "merged")


OWN = """
/* Functions of the program's own, with names of the C library's, whose arguments are no addresses. */
__attribute__((noipa)) int mtx_unlock(long n) { return (int)n; }
__attribute__((noipa)) int pthread_cond_wait(long n, long m) { return (int)(n + m); }
__attribute__((noipa)) int sem_wait(long n) { return (int)n; }
__attribute__((noipa)) int twice(long n) { return mtx_unlock(n); }
int main(void)
{
	int sum = 0;
	for (int i = 0; i < 1000; i++)
		sum += mtx_unlock(3) + pthread_cond_wait(5, 7) + sem_wait(9) + twice(11);
	return sum == 35000 ? 0 : 1;
}
"""


@lab.test("waits/names that a program uses for something else")
def own_names(bench):
    program = bench.compile(bench.write("own.c", OWN), "own", "-O2")
    for limit in ("10", "0", "unlimited"):
        bench.run(program, status=0, env={"CINSTR_MAX_OVERHEAD": limit})


def sums_of(rows):
    """By what a merge tells waits apart: number, time (ns), longest; rows."""
    sums = {}
    for row in rows:
        key = tuple(row[name] for name in ("object", "kind", "module", "waiter", "waiter_file", "waiter_line",
                                           "ended_by", "ended_by_file", "ended_by_line", "known"))
        waits, ns, longest, n = sums.get(key, (0, 0, 0, 0))
        sums[key] = waits + row["waits"], ns + row["waiting_ns"], max(longest, row["longest_ns"]), n + 1
    return sums


def same_sums(got, expected, title):
    lab.equal(sorted(map(str, got)), sorted(map(str, expected)), f"{title}: rows")
    for key, (waits, ns, longest, n) in expected.items():
        lab.equal(got[key][0], waits, f"{title}: waits of {key}")
        # each row, of the parts and of the whole, is rounded to whole ns
        lab.check(2 * abs(got[key][1] - ns) <= n + got[key][3] and abs(got[key][2] - longest) <= 1,
                  f"{title}: times of {key}")


@lab.test("waits/merged")
def merged(bench):
    """The sum of the parts, whatever the order and grouping."""
    program = bench.compile("programs/objects.c", "objects", "-O2", "-g", "-pthread")
    parts = []
    for name in "abc":
        bench.run(program, *(["killed"] if name == "b" else []), status=-9 if name == "b" else 0,
                  env={"CINSTR_DATA": bench.path(name)})
        parts += facts(bench, bench.path(name))
    expected = sums_of(row for row in parts if not row["open"])
    merge = lambda to, *names: bench.run(lab.COMMAND, "merge", "-o", bench.path(to),
                                         *[bench.path(name) for name in names], status=0)
    merge("all", "a", "b", "c")
    merge("two", "c", "a")
    # a program that comes before moves the codes of all others
    other = bench.compile(bench.write("one.c", "int main(void) { return 0; }\n"), "one", "-O1")
    bench.run(other, status=0, env={"CINSTR_DATA": bench.path("other")})
    merge("nested", "other", "two", "b")
    for name in "all", "nested":
        rows = facts(bench, bench.path(name))
        same_sums(sums_of(rows), expected, name)
        lab.check(all(row["waiter_tid"] is None for row in rows), "whose threads they are is not kept")
        node = [row for row in rows if row["waiter"] == "wants_node"]
        lab.equal([(row["object"], row["waits"]) for row in node], [(None, 3)], "an object without a name")
    lab.equal(facts(bench, bench.path("all")), facts(bench, bench.path("nested")), "in any order")
    shown = bench.cinstr("waits", "--limit=0", bench.path("all"))
    lab.check("mutex a_mutex: " in shown and "3 mutexes: " in shown, shown)
