# SPDX-License-Identifier: GPL-3.0-or-later
"""The critical path of scripted threads, by equality: which threads and functions it goes through,
that its pieces add up to the wall time, and what would be gone."""
import json
import os
import re
import shutil

import lab
import virtual_lab as virtual

HEAD = """
#include <pthread.h>
#include <semaphore.h>
#include <time.h>
#include "cinstr.h"
void virtual_waits(const char *, uint64_t);
/* Then others go first who are earlier: what they do is noted in the order of time. */
#define WORK(ticks) virtual_compute(ticks), virtual_wait(0)
static unsigned long begin(void *(*function)(void *), void *data) { return virtual_handle(virtual_start(function, data)); }
"""


def record(bench, text, name="cinstr.data", costs=(0, 0), **env):
    """Runs it in threads of virtual time, with the C library's calls; probes cost nothing."""
    bench.compile(os.path.join(virtual.SOURCES, "libc.c"), "libvirtual-libc.so", "-O1", "-fno-builtin", "-shared", "-fPIC",
                  f"-I{virtual.SOURCES}", f"-L{virtual.FOLDER}", "-lcinstr", plugin=None)
    program = virtual.program(bench, HEAD + text, "-fno-builtin", f"-L{bench.folder}", f"-Wl,-rpath,{bench.folder}", "-lvirtual-libc")
    done = bench.run(program, env={**virtual.costs(*costs), "CINSTR_DATA": bench.path(name), **env}, status=0)
    lab.equal(done.stderr, "", "messages")


def path(bench, *words, name="cinstr.data"):
    """Rows of the path: its pieces add up to the time from begin to end."""
    return json.loads(bench.cinstr("waits", "--critical-path", "--format=json", *words, bench.path(name)))["critical_path"]


def shown(bench):
    return bench.cinstr("waits", "--critical-path", bench.path("cinstr.data"))


def of(rows, key="on_path_ns"):
    """By thread and function, what is not 0."""
    sums = {}
    for row in rows:
        if row[key]:
            name = row["thread"], row["function"]
            sums[name] = round(sums.get(name, 0) + row[key], 3)
    return sums


def gone(rows, function):
    return next((row["without_ns"], row["fifth_less_ns"]) for row in rows if row["function"] == function)


def check_sum(rows, wall):
    lab.equal(round(sum(row["on_path_ns"] for row in rows), 3), wall, "the pieces together")
    for row in rows:
        parts = sum(row[f"{part}_ns"] for part in ("computing", "outside", "processor", "unknown"))
        lab.check(abs(parts - row["on_path_ns"]) < 0.01, f"parts of {row}")


FORKED = """
FN void quick(void) { WORK(40000); }
FN void slow(void) { WORK(100000); }
FN void before(void) { WORK(7000); }
FN void after(void) { WORK(3000); }
FN void *worker(void *which) { if (which) slow(); else quick(); return 0; }
int main(void) {
    before();
    unsigned long a = begin(worker, 0), b = begin(worker, (void *)1), c = begin(worker, 0);
    pthread_join(a, 0), pthread_join(b, 0), pthread_join(c, 0);
    after();
    return 0;
}
"""


@lab.test("virtual/critical path: of threads that are joined, through the slowest")
def forked(bench):
    record(bench, FORKED)
    rows = path(bench)
    lab.equal(of(rows), {("main thread", "before"): 7000, ("worker", "slow"): 100000, ("main thread", "after"): 3000}, "the path")
    check_sum(rows, 110000)
    # The other two take 40 us, whatever the slow one does.
    lab.equal(gone(rows, "slow"), (60000, 20000), "without the slow one")
    lab.equal(gone(rows, "before"), (7000, 1400), "without what is before")


@lab.test("virtual/critical path: threads that end before they are joined are waited for all the same")
def joined_late(bench):
    """When the slow one has been joined, the other two have ended."""
    record(bench, FORKED.replace("pthread_join(a, 0), pthread_join(b, 0)", "pthread_join(b, 0), pthread_join(a, 0)"))
    lab.equal(gone(path(bench), "slow"), (60000, 20000), "without the slow one")


NESTED = """
static pthread_mutex_t lock;
FN void reads(void) { nanosleep(0, 0); }
FN void parses(void) { WORK(10000); }
FN void load(void) { reads(); parses(); }
FN void rests(void) { nanosleep(0, 0); }
FN void *worker(void *n) {
    virtual_waits("nanosleep", 20000);
    for (long i = 0; i < 5; i++) { pthread_mutex_lock(&lock); load(); pthread_mutex_unlock(&lock); rests(); }
    return n;
}
int main(void) {
    unsigned long a = begin(worker, 0), b = begin(worker, 0);
    pthread_join(a, 0), pthread_join(b, 0);
    return 0;
}
"""


def without(bench, names, *words):
    """The one row of the functions asked for."""
    row, = path(bench, f"--without={names}", *words)
    lab.equal(row["function"], names, "what was asked for")
    return row["on_path_ns"], row["without_ns"], row["fifth_less_ns"]


@lab.test("virtual/critical path: without functions and all that they call")
def without_functions(bench):
    """Each thread holds the lock for 30 us, and rests for 20; the second one comes 30 us later."""
    record(bench, NESTED)
    rows = path(bench)
    check_sum(rows, 320000)
    callers = {row["path"].split(";")[-2]: row["without_ns"] for row in rows if row["function"] == "nanosleep"}
    lab.equal(callers, {"reads": 160000, "rests": 20000}, "sleeping, by who calls it")
    lab.equal(without(bench, "load"), (300000, 220000, 60000), "without load: each rests five times")
    lab.equal(without(bench, "reads,parses"), (300000, 220000, 60000), "the same by names")
    lab.equal(without(bench, "nanosleep"), (220000, 220000, 44000), "without sleeping: the lock is held for 10 us each")
    lab.equal(without(bench, "pthread_mutex_lock"), (0, 70000, 0), "if nobody had to wait for the lock")
    said = bench.cinstr("waits", "--critical-path", "--without=load", bench.path("cinstr.data")).splitlines()
    lab.equal(said[2], "Without it -220 us (69 %), 20 % less -60.0 us: load and all that it calls", "in words")
    done = bench.run(lab.COMMAND, "waits", "--critical-path", "--without=lead", bench.path("cinstr.data"), status=1)
    lab.check("--without: nothing here matches 'lead'; did you mean 'load'?" in done.stderr, done.stderr)


@lab.test("virtual/critical path: without functions of a process with one thread")
def without_alone(bench):
    record(bench, "FN void some(void) { WORK(20000); virtual_preempt(10000); }\nint main(void) { some(); WORK(10000); return 0; }\n")
    lab.equal(without(bench, "some"), (30000, 30000, 6000), "what it has, also without the processor")
    lab.check("No process has two threads" in shown(bench), shown(bench))


PRODUCED = """
static sem_t full;
FN void make(void) { WORK(30000); }
FN void use(void) { WORK(5000); }
FN void *consumer(void *n) { for (long i = 0; i < (long)n; i++) { sem_wait(&full); use(); } return 0; }
int main(void) {
    unsigned long other = begin(consumer, (void *)10);
    for (int i = 0; i < 10; i++) { make(); sem_post(&full); }
    pthread_join(other, 0);
    return 0;
}
"""


@lab.test("virtual/critical path: of a producer and a consumer, through the slower one")
def produced(bench):
    record(bench, PRODUCED)
    rows = path(bench)
    lab.equal(of(rows), {("main thread", "make"): 300000, ("consumer", "use"): 5000}, "the path")
    check_sum(rows, 305000)
    lab.equal(gone(rows, "make"), (255000, 60000), "without the producer's work: the consumer's is left")
    lab.equal(gone(rows, "use"), (5000, 1000), "without the consumer's")


CONVOY = """
static pthread_mutex_t lock;
FN void held(void) { WORK(20000); }
FN void alone(void) { WORK(10000); }
FN void *worker(void *n) {
    for (long i = 0; i < 10; i++) { alone(); pthread_mutex_lock(&lock); held(); pthread_mutex_unlock(&lock); }
    return n;
}
int main(void) {
    unsigned long a = begin(worker, 0), b = begin(worker, 0), c = begin(worker, 0);
    pthread_join(a, 0), pthread_join(b, 0), pthread_join(c, 0);
    return 0;
}
"""


@lab.test("virtual/critical path: of a lock that three threads need, through what they do with it")
def convoy(bench):
    record(bench, CONVOY)
    rows = path(bench)
    lab.equal(of(rows), {("worker", "alone"): 10000, ("worker", "held"): 600000}, "the path")
    check_sum(rows, 610000)
    lab.equal(len({row["tid"] for row in rows}), 3, "threads on it")
    # Then each needs 100 us for itself: nobody has to wait.
    lab.equal(gone(rows, "held"), (510000, 120000), "without what is done with the lock")
    lab.equal(gone(rows, "alone"), (10000, 2000), "without what is done beside it")


RWLOCK = """
static pthread_rwlock_t lock;
FN void reads(long ticks) { pthread_rwlock_rdlock(&lock); WORK(ticks); pthread_rwlock_unlock(&lock); }
FN void writes(long ticks) { pthread_rwlock_wrlock(&lock); WORK(ticks); pthread_rwlock_unlock(&lock); }
FN void *first(void *n) { WORK(1000); reads(100000); return n; }
FN void *second(void *n) { WORK(2000); reads(130000); return n; }
FN void *third(void *n) { WORK(10000); writes(50000); return n; }
FN void *fourth(void *n) { WORK(140000); reads(5000); return n; }
int main(void) {
    unsigned long all[] = { begin(first, 0), begin(second, 0), begin(third, 0), begin(fourth, 0) };
    for (int i = 0; i < 4; i++) pthread_join(all[i], 0);
    return 0;
}
"""


@lab.test("virtual/waits for a read-write lock: of its readers, and of its writer")
def rwlock(bench):
    """The writer begins to wait at 10 us, when there are two readers, until the second one gives
    the lock back at 132 us; the last reader at 140 us, until the writer gives it back at 182 us."""
    record(bench, RWLOCK)
    bench.cinstr("merge", "-o", bench.path("merged"), bench.path("cinstr.data"))
    for name in "cinstr.data", "merged":
        waits = json.loads(bench.cinstr("waits", "--format=json", bench.path(name)))["waits"]
        found = {row["waiter"]: row for row in waits if row["kind"] == "rwlock"}
        keys = "object", "ended_by", "known", "waits", "waiting_ns", "longest_ns"
        lab.equal({who: tuple(row[key] for key in keys) for who, row in found.items()},
                  {"writes": ("lock", "reads", "likely", 1, 122000, 122000),
                   "reads": ("lock", "writes", "call", 1, 42000, 42000)}, name)


ONLY_WRITES = """
static pthread_rwlock_t lock;
void virtual_takes(const char *, uint64_t);
FN void change(void) { pthread_rwlock_wrlock(&lock); virtual_compute(1000); pthread_rwlock_unlock(&lock); }
FN void look(void) { pthread_rwlock_rdlock(&lock); virtual_compute(1000); pthread_rwlock_unlock(&lock); }
int main(void) {
    virtual_takes("pthread_rwlock_wrlock", 9000);
    virtual_takes("pthread_rwlock_unlock", 6000);
    for (int i = 0; i < 2000; i++) change();
    for (int i = 0; i < %d; i++) look();
    return 0;
}
"""


@lab.test("virtual/finding: a read-write lock that only writers use, also of what was merged")
def only_writes(bench):
    """A third of what 2,000 calls and unlocks take."""
    for readers in 0, 1:
        record(bench, ONLY_WRITES % readers, CINSTR_MAX_OVERHEAD="unlimited")
        bench.cinstr("merge", "-o", bench.path("merged"), bench.path("cinstr.data"))
        for name in "cinstr.data", "merged":
            findings = json.loads(bench.cinstr("summary", "--findings", "--format=json", bench.path(name)))["findings"]
            found = [(one["subject"], one["time_ns"], "2,000 calls" in one["text"]) for one in findings if one["id"] == "CF0110"]
            lab.equal(found, [] if readers else [("change", 10_000_000, True)], f"{name}, {readers} readers")
        shutil.rmtree(bench.path("cinstr.data"))


PIPELINE = """
static sem_t a, b, full;
FN void first(void) { WORK(10000); }
FN void second(void) { WORK(40000); }
FN void third(void) { WORK(15000); }
FN void *two(void *n) { for (long i = 0; i < (long)n; i++) { sem_wait(&a); second(); sem_post(&b); } return 0; }
FN void *three(void *n) { for (long i = 0; i < (long)n; i++) { sem_wait(&b); third(); } return 0; }
int main(void) {
    unsigned long x = begin(two, (void *)8), y = begin(three, (void *)8);
    for (int i = 0; i < 8; i++) { first(); sem_post(&a); }
    pthread_join(x, 0), pthread_join(y, 0);
    return 0;
}
"""


@lab.test("virtual/critical path: of a pipeline, through its slowest stage")
def pipeline(bench):
    record(bench, PIPELINE)
    rows = path(bench)
    lab.equal(of(rows), {("main thread", "first"): 10000, ("two", "second"): 320000, ("three", "third"): 15000}, "the path")
    check_sum(rows, 345000)
    lab.equal(gone(rows, "second"), (215000, 64000), "without it the third one is the slowest")


BARRIER = """
static int barrier[8] = { 3 };
FN void works(long ticks) { WORK(ticks); }
FN void *worker(void *which) {
    for (long i = 0; i < 6; i++) { works((i + (long)which) % 3 ? 10000 : 50000); pthread_barrier_wait((void *)barrier); }
    return 0;
}
int main(void) {
    unsigned long a = begin(worker, 0), b = begin(worker, (void *)1), c = begin(worker, (void *)2);
    pthread_join(a, 0), pthread_join(b, 0), pthread_join(c, 0);
    return 0;
}
"""


@lab.test("virtual/critical path: of threads that meet, through the last one each time")
def barrier(bench):
    record(bench, BARRIER)
    rows = path(bench)
    lab.equal(of(rows), {("worker", "works"): 300000}, "the path")
    check_sum(rows, 300000)
    lab.equal(sorted(row["on_path_ns"] for row in rows), [100000] * 3, "of each thread")


KINDS = """
FN void computes(void) { virtual_compute(50000); }
FN void naps(void) { struct timespec t = { 0, 10 }; nanosleep(&t, 0); }
FN void loses(void) { virtual_switch(20000, 0); }
static struct virtual_lock unseen;
FN void *worker(void *data) {
    virtual_take(&unseen);
    computes();
    virtual_give(&unseen);
    naps();
    loses();
    return data;
}
int main(void) {
    virtual_waits("nanosleep", 30000);
    virtual_waits("cnd_wait", 7000);
    unsigned long other = begin(worker, 0);
    pthread_join(other, 0);
    cnd_wait(0, 0);
    return 0;
}
"""


@lab.test("virtual/critical path: what its time was spent on, and what is not known")
def kinds(bench):
    """Nobody is known to have ended cnd_wait()."""
    record(bench, "int cnd_wait(void *, void *);\n" + KINDS)
    rows = path(bench)
    check_sum(rows, 107000)
    worker, main = "worker", "main thread"
    lab.equal(of(rows, "computing_ns"), {(worker, "computes"): 50000}, "computing")
    lab.equal(of(rows, "outside_ns"), {(worker, "nanosleep"): 30000}, "for the outside")
    lab.equal(of(rows, "processor_ns"), {(worker, "loses"): 20000}, "for a processor")
    lab.equal(of(rows, "unknown_ns"), {(main, "cnd_wait"): 7000}, "not known")
    lab.equal(gone(rows, "nanosleep"), (None, None), "where threads wait for a processor nothing is foretold")
    lab.check(re.search(r"^30.0 us +28.0 % +I/O, sleep +\? +\? +nanosleep <- naps +worker$", shown(bench), re.M), shown(bench))
    record(bench, "int cnd_wait(void *, void *);\n" + KINDS.replace("20000", "2000"))
    rows = path(bench)
    lab.equal(gone(rows, "nanosleep"), (30000, 6000), "without sleeping")
    lab.equal(gone(rows, "cnd_wait"), (0, 0), "of what is not known nothing is foretold")
    for gains, function in (r"-30.0 us +-6.00 us", "nanosleep"), ("- +-", "cnd_wait"):
        lab.check(re.search(rf" {gains} +{function} <- ", shown(bench)), shown(bench))


REQUESTS = """
static sem_t asked, done;
FN void first(void) { WORK(20000); }
FN void second(void) { WORK(70000); }
FN void *server(void *n) {
    for (long i = 0; i < 4; i++) { sem_wait(&asked); if (i % 2) second(); else first(); sem_post(&done); }
    return n;
}
FN void request(void) { WORK(1000); sem_post(&asked); sem_wait(&done); WORK(2000); }
int main(void) {
    unsigned long other = begin(server, 0);
    for (int i = 0; i < 4; i++) { cinstr_mark(10 + i); request(); }
    cinstr_mark(20);
    pthread_join(other, 0);
    return 0;
}
"""


@lab.test("virtual/critical path: between two marks")
def requests(bench):
    """Of each request, and all of them together; a mark takes some time by itself."""
    record(bench, REQUESTS)
    for mark, name, ticks in (10, "first", 20000), (11, "second", 70000), (12, "first", 20000), (13, "second", 70000):
        rows = path(bench, f"--from={mark}", f"--to={mark + 1 if mark < 13 else 20}")
        sums = of(rows)
        lab.equal((sums["server", name], sums["main thread", "request"]), (ticks, 3000), f"request {mark}")
        check_sum(rows, ticks + 3000)
        lab.equal(gone(rows, name), (ticks, ticks / 5), f"without {name}, request {mark}")
    check_sum(path(bench, "--from=10", "--to=20"), 192000)


SHORT = """
FN void tiny(long ticks) { virtual_compute(ticks); }
FN void some(void) { for (int i = 0; i < 1000; i++) tiny(30); }
FN void most(void) { for (int i = 0; i < 1000; i++) tiny(90); }
static sem_t done;
FN void *worker(void *data) { some(); most(); virtual_wait(0); sem_post(&done); return data; }
int main(void) { begin(worker, 0); tiny(500); sem_wait(&done); return 0; }
"""


@lab.test("virtual/critical path: calls too short to be kept are shared out")
def short(bench):
    """What a thread did in intervals below the threshold (here 10 us) is known of it as a whole."""
    record(bench, SHORT, costs=(0, 1000))
    sums = {row["path"]: row["on_path_ns"] for row in path(bench) if row["thread"] == "worker"}
    some, most = sums["worker;some;tiny"], sums["worker;most;tiny"]
    lab.equal(round(most / some, 6), 3, "shares")
    # The recording's own work in that thread has its share, too.
    lab.equal(round(some + most + sums["[recording]"] + sums.get(None, 0)), 125000, f"of {sums}")
    lab.check("are intervals shorter than 10.0 us" in bench.cinstr("waits", "--critical-path"), "that is not said")


MANY = """
static sem_t full;
FN void make(void) { WORK(30000); }
FN void use(void) { WORK(15000); }
FN void *consumer(void *n) { for (long i = 0; i < (long)n; i++) { sem_wait(&full); use(); } return 0; }
int main(void) {
    unsigned long other = begin(consumer, (void *)30000);
    for (int i = 0; i < 30000; i++) { make(); sem_post(&full); }
    pthread_join(other, 0);
    return 0;
}
"""


@lab.test("virtual/critical path: of more waits than there is room for, from windows of time")
def many(bench):
    """In each of them the path is the producer's, and the consumer's work lies beside it, but for
    the last 15 us."""
    record(bench, MANY)
    rows = path(bench)
    wall = 30000 * 30000 + 15000
    check_sum(rows, wall)
    sums = of(rows)
    lab.check(0.99 < sums["main thread", "make"] / wall <= 1, f"make: {sums}")
    without, fifth = gone(rows, "make")
    lab.check(0.49 < without / wall < 0.51 and 0.19 < fifth / wall < 0.21, f"without it {without} and {fifth} of {wall}")
    lab.check("windows" in bench.cinstr("waits", "--critical-path"), "windows are not told of")


LATE = """
static sem_t full;
FN void make(void) { WORK(30000); }
FN void *consumer(void *n) {
    for (long i = 0; i < 300; i++) { virtual_waits("sem_wait", 10 * (i + 1)); sem_wait(&full); }
    return n;
}
int main(void) {
    unsigned long other = begin(consumer, 0);
    for (int i = 0; i < 300; i++) { make(); sem_post(&full); }
    pthread_join(other, 0);
    return 0;
}
"""


@lab.test("virtual/waits that end at different times after the signal are one sum")
def late(bench):
    """The moment of the give is kept of each wait until it is added up, and not behind that."""
    record(bench, LATE)
    waits = json.loads(bench.cinstr("waits", "--format=json", bench.path("cinstr.data")))["waits"]
    lab.equal(sorted((row["kind"], row["waits"]) for row in waits), [("semaphore", 300), ("thread", 1)], "sums")
    lab.equal(of(path(bench), "processor_ns"), {("consumer", "sem_wait"): 3000}, "from the last signal on")


SWITCHED = """
FN void tiny(void) { virtual_compute(5); }
FN void batch(void) { for (int i = 0; i < 1000; i++) tiny(); virtual_compute(50000); }
FN void *worker(void *n) { for (long i = 0; i < (long)n; i++) batch(); virtual_wait(0); return n; }
int main(void) {
    unsigned long a = begin(worker, (void *)400L);
    pthread_join(a, 0);
    return 0;
}
"""


@lab.test("virtual/waits in which other threads' probes are taken out")
def switched(bench):
    """The first event behind the wait finds that sleds were switched meanwhile."""
    record(bench, SWITCHED, costs=(20, 1000), CINSTR_MAX_OVERHEAD="20")
    lab.equal([one["function"] for one in bench.report()["session"]["taken_out"]], ["tiny"], "taken out")
    waits = json.loads(bench.cinstr("waits", "--format=json", bench.path("cinstr.data")))["waits"]
    lab.equal([(row["kind"], row["waits"]) for row in waits], [("thread", 1)], "the join")
    joins = {row["name"]: row for row in bench.report()["rows"]}["pthread_join"]
    # less one reading of the clock, before which the thread is asked what it did
    lab.equal(joins["elapsed_inclusive_ns"] - waits[0]["waiting_ns"], 980, "its time")


ALONE = """
FN void works(long ticks) { virtual_compute(ticks); }
FN void more(long ticks) { virtual_compute(ticks); }
FN void *worker(void *ticks) { works((long)ticks); return 0; }
int main(void) {
    unsigned long other = begin(worker, (void *)%d);
    works(%d);
    more(%d);
    pthread_join(other, 0);
    return 0;
}
"""


@lab.test("virtual/critical path: in the summary")
def in_summary(bench):
    """Its largest functions, and nothing where it is the first thread's computing, or that of one
    function, or most of it is not known."""
    record(bench, FORKED)
    said = [line.split() for line in bench.cinstr("summary", "--width=80").splitlines()]
    at = next(i for i, line in enumerate(said) if line[:2] == ["Critical", "path:"])
    lab.equal(said[at][2:8], ["110", "us", "through", "2", "of", "4"], "what it goes through")
    lab.equal(" ".join(said[at + 1]), "90.9 % ######## slow computing in worker, without it 60.0 us less", "the first")
    lab.equal(" ".join(said[at + 2]), "6.4 % # before computing, without it 7.00 us less", "the second")
    lab.equal(said[at + 3], [], "2.7 % need no line")
    waits = "int cnd_wait(void *, void *);\n" + KINDS
    for text, is_told, what in ((ALONE % (4000, 48000, 48000), False, "the first thread's computing"),
                                (ALONE % (96000, 2000, 2000), False, "one function's computing"),
                                (waits.replace("7000", "105000"), False, "more than half is not known"),
                                (waits.replace("7000", "95000"), True, "less than half is not known")):
        record(bench, text, name="other")
        lab.equal("Critical path" in bench.cinstr("summary", bench.path("other")), is_told, what)
        shutil.rmtree(bench.path("other"))
