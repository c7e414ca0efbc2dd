# SPDX-License-Identifier: GPL-3.0-or-later
"""cinstr waits of read-write locks: the writer that had it is known; of readers their number.
Each wait lasts until the kernel says that its thread sleeps: nothing depends on time."""
import signal

import lab

PROGRAM = """
#include <pthread.h>
#include <shared_mutex>
#include <thread>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>
#define KEEP __attribute__((noipa)) static
#define PLAIN __attribute__((noipa, no_instrument_function)) static
static pthread_rwlock_t a = PTHREAD_RWLOCK_INITIALIZER, b = a, c = a, d = a, e = a;
static std::shared_mutex m, n;
static volatile int waiter, readers, over;
PLAIN void here() { waiter = (int)syscall(SYS_gettid); }
PLAIN void until_asleep()
{
	char path[64], line[256] = "";
	while (!waiter) usleep(100);
	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", waiter);
	waiter = 0;
	while (!strstr(line, ") S")) {
		FILE *file = fopen(path, "r");
		usleep(100);
		if (!file || !fgets(line, sizeof(line), file)) abort();
		fclose(file);
	}
}
PLAIN void hidden(pthread_rwlock_t *lock) { pthread_rwlock_unlock(lock); }
#define WANTS(name, lock, unlock) KEEP void wants_##name() { here(); lock; unlock; }
WANTS(read, pthread_rwlock_rdlock(&a), pthread_rwlock_unlock(&a))
WANTS(write, pthread_rwlock_wrlock(&b), pthread_rwlock_unlock(&b))
WANTS(hidden, pthread_rwlock_rdlock(&c), pthread_rwlock_unlock(&c))
WANTS(of_readers, pthread_rwlock_wrlock(&d), pthread_rwlock_unlock(&d))
WANTS(of_reader, pthread_rwlock_wrlock(&e), pthread_rwlock_unlock(&e))
WANTS(shared, m.lock_shared(), m.unlock_shared())
WANTS(unique, n.lock(), n.unlock())
KEEP void gives_read() { pthread_rwlock_unlock(&a); over++; }
KEEP void gives_write() { pthread_rwlock_unlock(&b); over++; }
KEEP void gives_of_reader() { pthread_rwlock_unlock(&e); over++; }
KEEP void gives_shared() { m.unlock(); over++; }
KEEP void gives_unique() { n.unlock_shared(); over++; }
template<class F, class G> PLAIN void wait(F wants, G gives)
{
	std::thread t(wants);
	until_asleep();
	gives();
	t.join();
}
KEEP void reads()
{
	pthread_rwlock_rdlock(&d);
	readers++;
	while (!over || readers) usleep(100);
	hidden(&d);
}
int main(int argc, char **argv)
{
	pthread_rwlock_wrlock(&a);
	wait(wants_read, gives_read);
	pthread_rwlock_wrlock(&b);
	wait(wants_write, gives_write);
	pthread_rwlock_wrlock(&c);
	wait(wants_hidden, [] { hidden(&c); });
	pthread_rwlock_rdlock(&e);
	wait(wants_of_reader, gives_of_reader);
	m.lock();
	wait(wants_shared, gives_shared);
	n.lock_shared();
	wait(wants_unique, gives_unique);
	std::thread other(reads);
	while (!readers) usleep(100);
	pthread_rwlock_rdlock(&d);
	std::thread t(wants_of_readers);
	until_asleep();
	if (argc > 1) {
		pthread_rwlock_wrlock(&a);
		std::thread u(wants_read);
		until_asleep();
		kill(getpid(), SIGKILL);
	}
	readers = 0;
	hidden(&d);
	t.join();
	other.join();
}
"""
# waiter: object, function that ended the wait, how that is known, readers
TRUTH = {
    "wants_read": ("a", "gives_read", "call", None),
    "wants_write": ("b", "gives_write", "call", None),
    "wants_hidden": ("c", None, "thread", None),
    "wants_of_readers": ("d", None, "no", 2),
    "wants_of_reader": ("e", "gives_of_reader", "call", None),
    "wants_shared": ("m", "gives_shared", "call", None),
    "wants_unique": ("n", "gives_unique", "call", None),
}
# std::shared_mutex's functions, if they are not inlined, are those that call the C library's
IN_HEADERS = {
    "wants_shared": ("m", None, "thread", None),
    "wants_unique": ("n", None, "thread", None),
}


def rows_of(bench, is_open, session="cinstr.data"):
    return {row["waiter"]: row for row in bench.json("waits", "--names=short", bench.path(session))["waits"]
            if row["kind"] == "rwlock" and bool(row["open"]) == is_open}


@lab.test("waits/who had a read-write lock")
def holders(bench):
    for level in "-O0", "-O2":
        program = bench.compile(bench.write("app.cc", PROGRAM), "app", level, "-std=c++17", "-g", "-pthread")
        for overhead in "10", "unlimited", "0":
            bench.run("rm", "-rf", bench.path("cinstr.data"), status=0)
            bench.run(program, status=0, env={"CINSTR_MAX_OVERHEAD": overhead})
            rows = rows_of(bench, False)
            found = {name: tuple(row[key] for key in ("object", "ended_by", "known", "readers"))
                     for name, row in rows.items()}
            lab.equal(found, TRUTH | (IN_HEADERS if level == "-O0" else {}), f"{level}, {overhead}")
            bench.cinstr("merge", "-o", bench.path("merged"), bench.path("cinstr.data"))
            merged = {name: tuple(row[key] for key in ("object", "ended_by", "known", "readers"))
                      for name, row in rows_of(bench, False, "merged").items()}
            lab.equal(merged, found, f"{level}, {overhead}: merged")
            for name in set(TRUTH) - {"wants_of_readers"}:
                lab.equal(rows[name]["ended_by_tid"], rows[name]["pid"], f"{level}, {overhead}: {name}: main() ended it")
    shown = bench.run(lab.COMMAND, "waits", status=0).stdout
    lab.check("readers, not known which, 2 at most" in shown, shown)
    shown = bench.run(lab.COMMAND, "waits", "merged", status=0).stdout
    lab.check("readers, not known which, 2 at most" in shown, shown)


@lab.test("waits/who has a read-write lock for which others still wait")
def still_waiting(bench):
    program = bench.compile(bench.write("app.cc", PROGRAM), "app", "-O2", "-std=c++17", "-g", "-pthread")
    bench.run(program, "killed", status=-signal.SIGKILL)
    rows = rows_of(bench, True)
    lab.equal({name: (row["object"], row["holder_tid"], row["readers"]) for name, row in rows.items()},
              {"wants_of_readers": ("d", None, 2), "wants_read": ("a", rows["wants_read"]["pid"], None)}, "open waits")
    shown = bench.run(lab.COMMAND, "waits", status=0).stdout
    lab.check("2 readers, not known which" in shown, shown)
