# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings of scripted programs: which there are, and each percentage, by equality. Calls of the C
library take what the program says (testsuite/virtual/libc.c)."""
import os
import re

import lab
import virtual_lab as virtual
import virtual_views as views

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


def build(bench, text):
    """With functions of the C library that take what the program says."""
    bench.compile(os.path.join(virtual.SOURCES, "libc.c"), "libvirtual-libc.so", "-O1", "-fno-builtin", "-shared", "-fPIC",
                            f"-I{virtual.SOURCES}", f"-L{virtual.FOLDER}", "-lcinstr", plugin=None)
    return virtual.program(bench, text, "-fno-builtin", f"-L{bench.folder}", f"-Wl,-rpath,{bench.folder}", "-lvirtual-libc")


def run(bench, program, name, *args, **env):
    """A reading of the clock costs the runtime little: how often it reads it at the start and the
    end must not matter."""
    bench.run(program, *args, env={**virtual.costs(runtime=100), "CINSTR_DATA": name, **env}, status=0)
    return bench.json("summary", "--findings", bench.path(name))["findings"]


def look(bench, body, name="session"):
    """Findings of a program with this main()."""
    program = build(bench, SMALL + "void virtual_takes(const char *, uint64_t);\nvoid virtual_waits(const char *, uint64_t);\n" + body)
    return [(one["id"], one["subject"], one["percent"], one["bound_percent"]) for one in run(bench, program, name)]


def said(main, *calls):
    """main() of a program in which calls of the C library take so long: (what, name, ticks)..."""
    return f"int main(void) {{ {' '.join(f'virtual_{what}({chr(34)}{name}{chr(34)}, {ticks});' for what, name, ticks in calls)} {main} return 0; }}"


# What takes how long, main(), what is found: rule, about what, percent, and how much could be saved
# at most, of waits: with 1 ms for each. Then one like it, which is no finding.
CASES = {
    "sleeps": ([("waits", "nanosleep", 2000000)], "for (int i = 0; i < 20; i++) naps(); works(100000000);", [("CF0307", "naps", 29, 43)],
               [("waits", "nanosleep", 900000)], "for (int i = 0; i < 20; i++) naps(); works(10000000);"),
    "small reads": ([("takes", "read", 400)], "loads(30000); works(48000000);", [("CF0301", "loads", 20, None)],
                    [("takes", "read", 400)], "loads(3000); works(48000000);"),
    "flushes": ([("takes", "fflush", 700)], "logs(20000); works(21000000);", [("CF0303", "logs", 40, None)],
                [("takes", "fflush", 700)], "logs(200); works(21000000);"),
    # Large pieces, for which a stream needs no buffer, enter the kernel by themselves: over 5 us.
    "prints": ([("takes", "fwrite", 4000)], "prints(20000); works(20000000);", [("CF0303", "prints", 80, None)],
               [("takes", "fwrite", 6000)], "prints(20000); works(20000000);"),
    "delayed acknowledgements": (
        [("waits", "read", 44000000)], "for (int i = 0; i < 30; i++) { if (write(1, main, 1) < 0) return 1; loads(1); } works(20000000);",
        [("CF0331", "loads", 99, None)],
        [("waits", "read", 30000000)], "for (int i = 0; i < 30; i++) { if (write(1, main, 1) < 0) return 1; loads(1); } works(20000000);"),
    "syncs": ([("takes", "fsync", 3000), ("waits", "fsync", 300000)], "for (int i = 0; i < 200; i++) fsync(1), works(100000);", [("CF0304", "main", 75, None)],
              [("takes", "fsync", 300), ("waits", "fsync", 3000)], "for (int i = 0; i < 200; i++) fsync(1), works(100000);"),
}


def case(name):
    calls, main, expected, calm_calls, calm = CASES[name]

    def check(bench):
        found = look(bench, said(main, *calls), "bad")
        lab.equal([(rule, subject, round(percent), most and round(most)) for rule, subject, percent, most in found], expected, "findings")
        lab.equal(look(bench, said(calm, *calm_calls), "fine"), [], "findings, though nothing is wrong")

    lab.test(f"virtual/finding: {name}")(check)


for one in CASES:
    case(one)


MEMORY = """
#include <stdlib.h>
#include <string.h>
static void *table[20000];
static unsigned any;
FN void *get(size_t bytes) { return malloc(bytes); }
FN void leaks(int i) { table[i] = get(200); virtual_compute(20000); }
FN void frees(int i) { void *volatile block = get(200); (void)i; free(block); virtual_compute(20000); }
FN void replaces(unsigned i) { free(table[i]); table[i] = get(200); virtual_compute(20000); }
FN void fills(void) { for (int i = 0; i < 10000; i++) table[i] = get(200); }
int main(int argc, char **argv) {
    (void)argc;
    if (!strcmp(argv[1], "loads")) fills();
    for (int i = 0; i < 10000; i++)
        !strcmp(argv[1], "leaks") || (!strcmp(argv[1], "half") && i >= 5000) || (!strcmp(argv[1], "early") && i < 5000) ||
        (!strcmp(argv[1], "few") && i % 20 == 0) ? leaks(i) : !strcmp(argv[1], "replaces") ? replaces(i % 1000)
        : !strcmp(argv[1], "any") ? replaces((any = any * 1103515245u + 12345u) >> 16 & 2047) : frees(i);
    if (!strcmp(argv[1], "last")) fills();
    return 0;
}
"""


@lab.test("virtual/finding: memory that is kept all along")
def memory(bench):
    """10,000 blocks of the same path: it is told if they come from most of the run, not if they
    are loaded at once, or are what is there at the moment, of which the oldest one, or any, is
    replaced by the next; nor of 500 blocks."""
    program = build(bench, SMALL + MEMORY)
    found = run(bench, program, "leaks", "leaks", CINSTR_HELD="on")
    lab.equal([(one["id"], one["subject"], one["text"]) for one in found if one["id"] == "CF0312"],
              [("CF0312", "get", "keeps ever more memory: 10,000 blocks, 2,000,000 bytes, allocated all along and not freed; called by leaks")],
              "of blocks that each call leaves")
    lab.equal(found[0]["id"], "CF0312", "the first finding")
    for name in "frees", "loads", "last", "replaces", "any", "few", "half", "early":
        found = run(bench, program, name, name, CINSTR_HELD="on")
        lab.equal([one for one in found if one["id"] == "CF0312"], [], name)
    lab.equal([one for one in run(bench, program, "plain", "leaks") if one["id"] == "CF0312"], [], "without CINSTR_HELD")


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
    lab.equal([(rule, subject) for rule, subject, *_ in found if rule == "CF0101"], [("CF0101", "holds")], f"of {found}")
    found = look(bench, LOCKED + "int main(void) { all(10000); return 0; }", "fine")
    lab.equal([one for one in found if one[0].startswith("CF01")], [], "findings on locks")


CONVOY = """
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t lock;
static uint64_t held;
FN void takes(void) { pthread_mutex_lock(&lock); virtual_compute(held); pthread_mutex_unlock(&lock); }
FN void *hurrier(void *n) { for (uint64_t i = 0; i < (uint64_t)n; i++) { takes(); works(1000); } return NULL; }
int main(int argc, char **argv) {
    held = (uint64_t)atoi(argv[1]);
    for (int i = 2; i < argc; i++) {
        void *n = (void *)(uint64_t)atoi(argv[i]);
        int one = virtual_start(hurrier, n), other = virtual_start(hurrier, n);
        virtual_join(one), virtual_join(other);
    }
    return 0;
}
"""


@lab.test("virtual/finding: many short waits for a lock")
def convoy(bench):
    """300 and more of them, of 0.2 ms at most on the average, 79.8 ms / 399. Two threads take the
    lock by turns, so that all but the first wait, by pairs of so many turns each."""
    often, long = ("CF0103", "takes a lock that others hold for a short time"), ("CF0101", "waits for a lock (lock)")
    program = build(bench, SMALL + CONVOY)
    for words, rule, waits in (("100000 75 75", often, "29.8 ms in 4 threads, 300 waits of up to 199 us, in 300 calls"),
                               ("100000 150", long, "29.7 ms in 2 threads, 299 waits of up to 134 us; held by takes"),
                               ("200900 200", often, "79.8 ms in 2 threads, 399 waits of up to 235 us, in 400 calls"),
                               ("201000 200", long, "79.8 ms in 2 threads, 399 waits of up to 235 us; held by takes")):
        found = run(bench, program, words.replace(" ", "-"), *words.split())
        lab.equal([(one["id"], one["text"]) for one in found if one["subject"] == "takes"][:1], [(rule[0], f"{rule[1]}: {waits}")], words)


GATE = """
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t gate;
static uint64_t work;
FN void *io(void *n) { for (int i = 0; i < 30; i++) { pthread_mutex_lock(&gate); pthread_mutex_unlock(&gate); works(work); } return n; }
FN void shuts(void) { pthread_mutex_lock(&gate); }
FN void opens(void) { pthread_mutex_unlock(&gate); }
FN void apart(uint64_t ticks) { shuts(); works(ticks); opens(); }
FN void holds(uint64_t ticks) { pthread_mutex_lock(&gate); works(ticks); pthread_mutex_unlock(&gate); }
int main(int argc, char **argv) {
    uint64_t ticks = strtoul(argv[2], NULL, 10);
    int thread;
    work = strtoul(argv[3], NULL, 10);
    works(1000);
    thread = virtual_start(io, NULL);
    for (int i = 0; i < 30; i++) { if (*argv[1] == 'g') apart(ticks); else holds(ticks); virtual_wait(5000); }
    virtual_join(thread);
    return argc < 4;
}
"""


@lab.test("virtual/finding: a lock as a gate is none")
def gate(bench):
    """A thread waits nearly all its life, 5 ms and more each time, for one other thread that does
    not take and give back the lock in one function, and does next to nothing itself."""
    program = build(bench, SMALL + GATE)
    for words, expected in (("gate 6000000 200000", []), ("holds 6000000 200000", ["CF0101"]),
                            ("gate 6000000 400000", ["CF0101"]), ("gate 4900000 200000", ["CF0101"])):
        found = run(bench, program, words.replace(" ", "-"), *words.split())
        lab.equal([one["id"] for one in found if one["id"].startswith("CF01")], expected, f"{words}: {found}")


@lab.test("virtual/finding: a cause stands before a hot spot")
def causes_first(bench):
    """If it has 30 % of its time."""
    main = "for (int i = 0; i < 20; i++) naps(); virtual_compute(1000); works(%d);"
    takes = [("waits", "nanosleep", 2000000)]
    for ticks, first, second in (100000000, "CF0307", "CF0209"), (140000000, "CF0209", "CF0307"):
        found = look(bench, said(main % ticks, *takes), f"of-{ticks}")
        lab.equal([rule for rule, *_ in found], [first, second], f"{ticks}: {found}")


POLLED = """
#include <unistd.h>
FN void *partner(void *work) { for (int i = 0; i < 300; i++) { usleep(1000); works((uint64_t)work); } return NULL; }
FN void both(uint64_t work) {
    int a = virtual_start(partner, (void *)work), b = virtual_start(partner, (void *)work);
    virtual_join(a), virtual_join(b);
}
"""


@lab.test("virtual/finding: threads that sleep for one another")
def polled(bench):
    """Sleeps of 1 ms are lost where 10 us and more are worked for each; else nothing is told."""
    calls = 'int main(void) { virtual_takes("usleep", 500); virtual_waits("usleep", 999500); both(%d); return 0; }'
    for work, expected in (40000, [("CF0306", "partner", 96)]), (9000, []):
        found = look(bench, POLLED + calls % work, f"polled-{work}")
        lab.equal([(rule, subject, round(percent)) for rule, subject, percent, _ in found if rule == "CF0306"], expected, f"{work} ns, of {found}")


ASKS = """
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>
FN void asks(int sleeps) { struct stat s; while (stat("x", &s), sleeps--) usleep(1); }
FN void reads(int sleeps) { while (sleeps--) usleep(1); }
FN void asks_four(int sleeps) { struct stat s; while (sleeps--) { for (int i = 0; i < 4; i++) stat("x", &s); usleep(1); } }
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
FN void tries_four(int sleeps) { while (sleeps--) { for (int i = 0; i < 4; i++) pthread_mutex_trylock(&lock); usleep(1); } }
"""


@lab.test("virtual/finding: sleeps between questions")
def asks(bench):
    """20 sleeps of 10 ms and more, beside as many and up to three times as many questions, or in a
    function that does nothing else, often in a call. One for each time that something had happened
    could be saved, with 1 ms more. A lock may be had without a sleep more often."""
    main = 'int main(void) { virtual_takes("stat", 1000); virtual_waits("usleep", 10000000); for (int i = 0; i < %d; i++) %s; works(400000000); return 0; }'
    for calls, call, expected in ((40, "asks(1)", (50, 55)), (40, "asks(5)", (83, 19)), (40, "asks(11)", None), (20, "asks(1)", (33, 37)),
                                  (19, "asks(1)", None), (20, "asks_four(2)", None), (20, "tries_four(2)", (50, 55)), (40, "reads(2)", (67, 37)), (40, "reads(1)", None)):
        found = look(bench, ASKS + main % (calls, call), f"{call[:-3]}-{calls}-{call[-2]}")
        lab.equal([(round(percent), round(most)) for rule, _, percent, most in found if rule == "CF0311"], [expected] if expected else [], f"{calls} x {call}: {found}")


REQUESTS = """
#include <unistd.h>
FN void requests(int n) { char c = 0; while (n--) if (write(99, &c, 1) < 0 || read(99, &c, 1) < 0) return; }
FN void receives(int n) { char c = 0; while (n--) if (read(99, &c, 1) < 0) return; }
FN int connects(void) { int pair[2]; return pipe(pair); }
FN void *answers(void *ms) { virtual_compute((uint64_t)ms * 1000000); return NULL; }
FN void asks(uint64_t ms) { int thread = virtual_start(answers, (void *)ms); connects(); requests(1000); virtual_join(thread); }
"""


@lab.test("virtual/finding: requests one after another")
def requests(bench):
    """1,000 and more, or 100 of 1 ms, of who has made the connection, while others work for less
    than 70 % of these waits."""
    main = 'int main(void) { virtual_waits("read", %d); %s; works(100000000); return 0; }'
    for wait, calls, expected in ((100000, "connects(); requests(1000)", [("requests", 50)]), (100000, "connects(); requests(999)", []),
                                  (1000000, "connects(); requests(100)", [("requests", 50)]), (1000000, "connects(); requests(99)", []),
                                  (100000, "requests(1000)", []), (100000, "connects(); requests(10); receives(1000)", []),
                                  (20000, "connects(); requests(1000)", []), (100000, "asks(69)", [("requests", 50)]), (100000, "asks(71)", [])):
        found = look(bench, REQUESTS + main % (wait, calls), f"{wait}-{re.sub('[^a-z0-9]+', '-', calls)}")
        lab.equal([(subject, round(percent)) for rule, subject, percent, _ in found if rule == "CF0333"], expected, f"{calls}, {wait} ns: {found}")


BY_TURNS = """
#include <semaphore.h>
static sem_t room, full;
static uint64_t work;
static int things;
FN void *makes(void *nothing) { for (int i = 0; i < things; i++) { sem_wait(&room); virtual_compute(work); sem_post(&full); } return nothing; }
FN void takes(void) { for (int i = 0; i < things; i++) { sem_wait(&full); virtual_compute(work); sem_post(&room); } }
FN void all(int n, uint64_t ticks) {
    int thread;
    things = n, work = ticks;
    sem_post(&room);
    thread = virtual_start(makes, NULL);
    takes();
    virtual_join(thread);
}
"""


@lab.test("virtual/finding: one thing at a time")
def by_turns(bench):
    """500 waits of each thread for the other and more, for 40 us at most. Semaphores that tell of
    something are no locks."""
    for things, work, expected in (510, 20000, [("CF0111", 50)]), (490, 20000, []), (510, 39000, [("CF0111", 50)]), (510, 41000, []):
        found = look(bench, BY_TURNS + f"int main(void) {{ all({things}, {work}); return 0; }}", f"turns-{things}-{work}")
        lab.equal([(rule, round(percent)) for rule, _, percent, _ in found if rule.startswith("CF01")], expected, f"{things}, {work} ns: {found}")


WOKEN = """
#include <pthread.h>
int cnd_wait(void *, void *);
static pthread_mutex_t lock;
FN void worker(int locks, int waits) {
    while (locks--) { pthread_mutex_lock(&lock); pthread_mutex_unlock(&lock); }
    while (waits--) cnd_wait(NULL, NULL);
}
"""


@lab.test("virtual/finding: threads that are woken for nothing")
def woken(bench):
    """Waits compute for 4 us each, and take 10: of 1,000 with 500 locks half are for nothing."""
    calls = 'int main(void) { virtual_takes("cnd_wait", 4000); virtual_waits("cnd_wait", 6000); worker(%d, %d); return 0; }'
    for locks, waits, expected in (500, 1000, [("CF0106", "worker", 20)]), (100, 1000, [("CF0106", "worker", 36)]), (501, 1000, []), (400, 999, []):
        found = look(bench, WOKEN + calls % (locks, waits), f"woken-{locks}-{waits}")
        lab.equal([(rule, subject, round(percent)) for rule, subject, percent, _ in found if rule == "CF0106"], expected, f"{locks} locks, {waits} waits, of {found}")


STEPS = """
static char memory[1 << 22];
FN void across(int n) { for (int x = 0; x < n; x++) for (int y = 0; y < 64; y++) { memory[y * STEP + x]++; virtual_compute(1000); } }
FN void faults(int n) { while (n--) virtual_fault(1, 0); }
int main(void) { faults(FAULTS); across(100); works(9600000); return 0; }
"""


@lab.test("virtual/finding: large steps through memory")
def steps(bench):
    """Nobody samples in virtual time: the innermost loops alone tell. From 1,024 bytes on, in a
    program that has touched 4 MB."""
    for step, faults, expected in (1024, 1100, [("CF0213", "across", 40)]), (1023, 1100, []), (1024, 900, []):
        found = look(bench, f"#define STEP {step}\n#define FAULTS {faults}\n" + STEPS, f"{step}-{faults}")
        lab.equal([(rule, subject, round(percent)) for rule, subject, percent, _ in found if rule == "CF0213"], expected, f"{step} bytes, of {found}")


WORDS = """
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
void virtual_takes(const char *, uint64_t);
void virtual_waits(const char *, uint64_t);
static pthread_mutex_t lock;
static char text[128];
FN void works(uint64_t ticks) { virtual_compute(ticks); }
FN void other(uint64_t ticks) { virtual_compute(ticks); }
FN void scans(void) { for (size_t i = 0; i < strlen(text); i++) virtual_compute(10); }
FN void searches(void) { for (int i = 0; i < 64; i++) if (strstr(text, "x")) return; }
FN void formats(void) { for (int i = 0; i < 64; i++) snprintf(text, 128, "%d", i); }
FN void writes(int n) { while (n--) if (write(99, text, 1) < 0) return; }
FN void stats(int n) { struct stat s; while (n--) if (stat("x", &s) < 0) return; }
FN void seeks(int n) { while (n--) if (lseek(99, 0, SEEK_SET) < 0) return; }
FN void polls(int n) { while (n--) poll(NULL, 0, 1); }
FN void naps(void) { struct timespec t = { 0, 10 }; nanosleep(&t, NULL); }
FN int fib(int n) { virtual_compute(300); return n < 2 ? n : fib(n - 1) + fib(n - 2); }
FN void rare(int n) { virtual_compute(n % 500 ? 1000 : 40000000); }
FN void waits(int n) { virtual_compute(1000); if (n % 400 == 0) naps(); }
FN void pointed(uint64_t n) { virtual_compute(n); }
static void (*volatile pointer)(uint64_t) = pointed;
FN void calls(int n) { while (n--) pointer(20); }
FN void sleeps_locked(void) { pthread_mutex_lock(&lock); naps(); pthread_mutex_unlock(&lock); }
FN void short_locked(void) { pthread_mutex_lock(&lock); virtual_compute(300); pthread_mutex_unlock(&lock); }
FN void faults(int n) { while (n--) virtual_fault(2000, 0); }
FN void reads_pages(int n) { while (n--) virtual_fault(200000, 1); }
FN void *sleeper(void *n) { for (int i = 0; i < 100; i++) { sleeps_locked(); works((uint64_t)n); } return NULL; }
FN void *hurrier(void *n) { for (int i = 0; i < 20000; i++) { short_locked(); works((uint64_t)n); } return NULL; }
FN void *computer(void *n) { for (int i = 0; i < 100; i++) works((uint64_t)n); return NULL; }
FN void *waiter(void *n) { for (uint64_t i = 0; i < (uint64_t)n; i++) { virtual_wait(1000000); works(1000); } return NULL; }
FN void team(void *(*function)(void *), uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
    uint64_t of[4] = { a, b, c, d };
    int threads[4];
    for (int i = 0; i < 4; i++) threads[i] = virtual_start(function, (void *)of[i]);
    for (int i = 0; i < 4; i++) virtual_join(threads[i]);
}
int main(int argc, char **argv) {
    virtual_takes("strlen", 400), virtual_takes("strstr", 900), virtual_takes("snprintf", 700), virtual_takes("write", 500);
    virtual_takes("stat", 800), virtual_takes("lseek", 300), virtual_takes("poll", 500), virtual_takes("pthread_mutex_lock", 30);
    virtual_waits("poll", 900000), virtual_waits("nanosleep", 500000);
    works(2000000);
#define CASE(name, what) if (argc > 1 && !strcmp(argv[1], name)) { what; }
    CASE("scans", for (int i = 0; i < 900; i++) scans())
    CASE("searches", for (int i = 0; i < 400; i++) searches())
    CASE("formats", for (int i = 0; i < 400; i++) formats())
    CASE("writes", writes(30000))
    CASE("stats", stats(20000))
    CASE("seeks", seeks(60000))
    CASE("polls", polls(300))
    CASE("recursion", fib(22))
    CASE("rare", for (int i = 1; i <= 5000; i++) rare(i))
    CASE("waits", for (int i = 1; i <= 8000; i++) waits(i))
    CASE("pointer", calls(300000))
    CASE("hot spot", for (int i = 0; i < 100; i++) other(3000000); other(7))
    CASE("faults", faults(40000))
    CASE("pages", reads_pages(1000))
    CASE("sleep under a lock", team(sleeper, 100000, 200000, 300000, 100000))
    CASE("small tasks", team(hurrier, 100, 200, 300, 100))
    CASE("unequal", team(computer, 4000000, 500000, 900000, 700000))
    CASE("idle", team(computer, 4000000, 40, 20, 10))
    CASE("equal", team(computer, 1000000, 1000000, 1000000, 1000000))
    CASE("waiting", team(waiter, 100, 90, 80, 70))
    CASE("serial", other(100000000); team(computer, 900000, 900000, 900000, 900000))
    CASE("ranks", for (int i = 0; i < 50; i++) other(strtoul(argv[2], NULL, 10)))
    return 0;
}
"""


@lab.test("virtual/findings: their words")
def words(bench):
    """What is said and counted, of one program for each rule. UPDATE=1 writes the golden file
    anew."""
    program, lines = build(bench, '#include "virtual.h"\n' + WORDS), []
    for name in re.findall(r'CASE\("([^"]+)"', WORDS)[:-1]:
        lines += ["", f"## {name}"] + [shown(one) for one in run(bench, program, name, name)]
    for rank, ticks in enumerate((1000000, 4000000, 1200000)):
        found = run(bench, program, "ranks", "ranks", str(ticks), OMPI_COMM_WORLD_RANK=str(rank), OMPI_COMM_WORLD_SIZE="3")
    # they began when they did
    lines += ["", "## ranks"] + [shown({**one, "percent": "?"}) for one in found]
    views.compare("findings.txt", "\n".join(lines).replace(bench.folder + "/", "") + "\n")


IDLE = """
FN void part(int n) { virtual_compute((uint64_t)n); }
FN void *idle(void *nothing) { virtual_wait(200000000); return nothing; }
int main(int argc, char **argv) {
    int threads[4], n = atoi(argv[1]);
    for (int i = 0; i < n; i++) threads[i] = virtual_start(idle, NULL);
    for (int i = 0; i < 200000; i++) part(atoi(argv[2]));
    for (int i = 0; i < n; i++) virtual_join(threads[i]);
    return argc < 3;
}
"""


@lab.test("virtual/reliability: threads that wait tell nothing of it")
def reliability(bench):
    """Of what was computed, probes took more than is left, or less; threads wait meanwhile."""
    program = virtual.program(bench, "#include <stdlib.h>\n" + IDLE)
    for work, expected in (10, True), (400, False):
        said = []
        for idle in 0, 1, 4:
            bench.run(program, str(idle), str(work), env={**virtual.costs(), "CINSTR_DATA": "idle", "CINSTR_METHOD": "instrumentation"}, status=0)
            said.append(bench.json("summary", bench.path("idle"))["recording"]["reliability"] == "poor")
        lab.equal(said, [expected] * 3, f"poor, where a call takes {work}")


def shown(finding):
    keys = ["id", "title", "subject", "text", "time_ns", "percent", "bound_ns", "callee", "command"]
    if finding["file"] and finding["file"].endswith("program.c"):
        keys.append("line")
    return ", ".join(f"{key}={finding[key]}" for key in keys)


@lab.test("virtual/finding: a merged session has all threads, not one of that name")
def of_merged(bench):
    calls, main, *_ = CASES["sleeps"]
    look(bench, said(main, *calls), "one")
    bench.run(lab.COMMAND, "merge", "-o", bench.path("merged.cinstr"), bench.path("one"), status=0)
    for session, thread in ("one", "thread 'program'"), ("merged.cinstr", "all threads"):
        texts = [one["text"] for one in bench.json("summary", "--findings", bench.path(session))["findings"] if one["id"] == "CF0307"]
        lab.check(all(text.endswith(f" of the time of {thread}") for text in texts), f"{session}: {texts}")
        lab.check(texts or session != "one", "it is found")


RANK = """
#include <stdlib.h>
FN int MPI_Barrier(int comm) { virtual_wait(40000000 + (uint64_t)comm); return comm; }
int main(int argc, char **argv) { (void)argc; virtual_compute(60000000); return MPI_Barrier(atoi(argv[1])) < 0; }
"""


@lab.test("virtual/finding: ranks that wait alike are not named")
def alike(bench):
    program = virtual.program(bench, RANK)
    for name, more, expected in (("alike", 1000000, r": all alike, 40\.0 ms to 42\.0 ms;"), ("unlike", 9000000, r": rank 0 least, 40\.0 ms; rank 2 most, 58\.0 ms;")):
        for rank in range(3):
            env = {"OMPI_COMM_WORLD_RANK": str(rank), "OMPI_COMM_WORLD_SIZE": "3", "PMIX_NAMESPACE": name}
            found = run(bench, program, name, str(rank * more), **env)
        (text,) = [one["text"] for one in found if one["id"] == "CF0603"]
        lab.check(re.search(expected, text), f"{name}: {text}")
