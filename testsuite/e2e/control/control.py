# SPDX-License-Identifier: GPL-3.0-or-later
"""Where recording goes on and off by options of the plugin (R16): what is in the tree, and that the
stack stays right."""
import re

import lab
import quiet

SAME = ["-fno-inline", "-fno-optimize-sibling-calls", "-fno-builtin", "-fno-ipa-icf", "-pthread"]

# name, argument of the program, options of the plugin, tree
CASES = [
    ("region", "leaving", ["region=region"], """
region 5
  inner 5
    leaf 9
    longjmp 1
  leaf 4"""),
    ("start outside", "leaving", ["start=outside,region"], """
outer 0
  region 5
    inner 5
      leaf 9
      longjmp 1
    leaf 4"""),
    ("suspend inside", "leaving", ["suspend=inside,region"], """
main 1
  _setjmp 1
  leaf 2
  outer 5
    leaf 9
    region 5
  printf 1"""),
    ("suspend outside", "leaving", ["suspend=outside,region"], """
main 1
  _setjmp 1
  leaf 2
  outer 5
    leaf 9
  printf 1"""),
    ("suspend in a region", "leaving", ["region=outer", "suspend=inside,inner"], """
outer 5
  leaf 9
  region 5
    inner 5
    leaf 4"""),
    ("region in recursion", "recursion", ["region=recurse", "suspend=inside,leaf"], None),
    ("start once", "leaving", ["start-only=top,region"], """
main 0
  _setjmp 1
  leaf 1
  outer 4
    leaf 7
    region 4
      inner 4
        leaf 7
        longjmp 1
      leaf 3
  printf 1
outer 0
  leaf 1
region 1
  inner 1
    leaf 2
  leaf 1"""),
    ("stop once", "leaving", ["stop-only=bottom,inner"], """
main 1
  leaf 1
  outer 1
    leaf 1
    region 1
      inner 1
        leaf 2"""),
    # Off and on in functions at the same depth: one is not taken for the other.
    ("toggled", "switching", ["suspend-only=bottom,go_off", "resume-only=top,go_on"], """
main 1
  leaf 2
  printf 1
  toggled 1
    go_off 1
      leaf 1
    go_on 1
      leaf 1
    leaf 1"""),
    # The frame of go_off is open when recording goes off; go_on has its place when it comes on.
    ("toggled, frame left open", "switching", ["suspend-only=top,go_off", "resume-only=bottom,go_on"], """
main 1
  leaf 2
  printf 1
  toggled 1
    go_off 1
    go_on 0
    leaf 1"""),
    ("suspensions count", "leaving", ["suspend-only=top,outer", "suspend-only=top,region", "resume-only=bottom,region",
                                      "resume-only=bottom,outer"], """
main 1
  _setjmp 1
  leaf 1
  outer 4"""),
    ("before and after", "leaving", ["suspend-only=before,inner", "resume-only=after,inner"], """
main 1
  _setjmp 1
  leaf 1
  outer 4
    leaf 7
    region 4
      leaf 3"""),
    ("threads", "threads", ["region=outer"], """
outer 3
  leaf 6
  region 3
    inner 3
      leaf 6
    leaf 3"""),
    ("fork while off", "fork", ["region=region"], """
region 1
  inner 1
    leaf 2
  leaf 1"""),
    ("fork in a region", "fork", ["region=forker"], """
forker 1
  _exit 1
  fork 1
  leaf 1
  region 1
    inner 1
      leaf 2
    leaf 1
  wait 1"""),
]


def run_case(bench, level, argument, options, expected):
    flags = [f"-{level}", *SAME] + ["-fplugin-arg-cinstr-" + option for option in options]
    bench.same_as_plain("programs/control.c", *flags, args=[argument])
    totals = bench.sound()
    lab.equal(totals["enters"], totals["exits"] + totals["implicit_exits"] + totals["open_frames"], "enters")
    if expected:
        lab.compare_trees(lab.tree_lines(bench.tree()), expected.strip().splitlines())


def register(name, argument, options, expected):
    for level in "O0", "O2":
        lab.TESTS.append((f"control/{name}-{level}",
                          lambda bench, level=level: run_case(bench, level, argument, options, expected)))


for case in CASES:
    register(*case)


@lab.test("control/no time of a suspended function, and it is said")
def suspended_time(bench):

    def once():
        bench.same_as_plain("programs/control.c", "-O2", *SAME, "-fplugin-arg-cinstr-suspend=inside,rest", args=["waiting"])
        rows = bench.functions()
        lab.equal(rows["rest"]["calls"], 1, "calls of rest")
        lab.check_time(rows["main"]["elapsed_inclusive_ns"] < 20e6, f"main: {rows['main']['elapsed_inclusive_ns']} ns")

    quiet.measured(once)  # others may have the processor for as long as that
    bench.sound()
    info = bench.cinstr("info", bench.path("cinstr.data"))
    paused = [line for line in info.splitlines() if "paused" in line]
    lab.check(paused and "1 pause" in paused[0], f"info says about the pause: {paused}")


@lab.test("control/pauses at the begin and at the end are told in full")
def all_pauses(bench):
    program = bench.compile("programs/pauses.c", "program", "-O1", lab.INCLUDE)

    def once(where, env):
        truth = float(bench.run(program, where, env=env, status=0).stdout) / 1e6
        totals = bench.sound()
        paused = totals["paused_ns"] / 1e6 + totals["paused_before_and_after_ns"] / 1e6
        lab.check_time(truth * 0.999 <= paused <= truth + 50, f"{where}: off for {paused} ms, by the program's clock {truth}")
        percent = 100 * paused / (paused + totals["elapsed_inclusive_ns"] / 1e6)
        lab.check(f"{percent:.1f} % of the time paused" in totals["chosen"], f"{where}: {totals['chosen']!r}, not {percent}")
        told = re.search(r"Recording was off for (\d+) ms in 1 pause", " ".join(bench.cinstr("report", "--verbose").split()))
        lab.check(told and abs(float(told.group(1)) - paused) < 1, f"{where}: the foot says {told and told.group(0)!r}, not {paused}")
        told = re.search(r"paused +(\d+) ms in 1 pause", bench.cinstr("info"))
        lab.check(told and abs(float(told.group(1)) - paused) < 1, f"{where}: info says {told and told.group(0)!r}, not {paused}")
        told = re.search(r"paused (\d+) ms", bench.cinstr("summary", "--verbose"))
        lab.check(told and abs(float(told.group(1)) - paused) < 1, f"{where}: summary says {told and told.group(0)!r}, not {paused}")

    for where in ("middle", "end", "begin"):
        env = {"CINSTR_START": "paused"} if where == "begin" else None
        quiet.measured(lambda: once(where, env))


@lab.test("control/marks")
def marks(bench):
    bench.same_as_plain("programs/control.c", "-O2", *SAME, "-fplugin-arg-cinstr-mark=top,region,reached it",
                        "-fplugin-arg-cinstr-mark=after,inner,inner is done", args=["leaving"])
    lines = [line.split("\t") for line in bench.cinstr("info", "--marks", bench.path("cinstr.data")).splitlines()]
    texts = [line[3] for line in lines if len(line) > 3 and line[0].isdigit()]
    lab.equal(texts, ["reached it", "inner is done"] * 3 + ["reached it"] + ["reached it", "inner is done"], "marks")
    times = [int(line[0]) for line in lines if len(line) > 3 and line[0].isdigit()]
    lab.check(times == sorted(times), f"times do not grow: {times}")


@lab.test("control/a region left by exceptions")
def exceptions(bench):
    source = bench.write("left.cc", """
        #include <cstdio>
        static volatile int sink;
        static void leaf() { sink = sink + 1; }
        static void region(int n) { leaf(); if (n % 2) throw n; leaf(); }
        static void middle(int n) { region(n); leaf(); }
        int main() {
            for (int i = 0; i < 10; i++)
                try { middle(i); } catch (int) { leaf(); leaf(); }
            std::printf("%d\\n", sink);
        }""")
    for level in "O0", "O2":
        bench.same_as_plain(source, f"-{level}", *SAME, "-fplugin-arg-cinstr-region=region", "-lstdc++")
        tree = bench.tree()
        lab.equal(sorted(tree), ["_Z6regioni" if "_Z6regioni" in tree else next(iter(tree))], "functions at the root")
        (calls, below), = tree.values()
        lab.equal(calls, 10, "calls of region")
        lab.equal(sum(c for name, (c, _) in below.items() if "leaf" in name), 15, "calls of leaf in it")
        bench.sound()


# ---- what a review found: small programs ---------------------------------------------------------

HEAD = """
#define _GNU_SOURCE
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>
static volatile int sink;
static void leaf(void) { sink++; }
"""


def record(bench, source, *options, flags=("-O0",), env=None, args=(), link=()):
    """Compiles and runs a program as plain and recorded. Returns {function: calls}."""
    path = bench.write("program.c", HEAD + source)
    bench.same_as_plain(path, *flags, *SAME, *["-fplugin-arg-cinstr-" + o for o in options], *link, env=env, args=args)
    bench.sound()
    return {name: row["calls"] for name, row in bench.functions().items()}


@lab.test("control/actions in functions that CINSTR_ONLY leaves out")
def only(bench):
    calls = record(bench, """
        static void other(void) { leaf(); }
        static void work(void) { leaf(); }
        int main(void) { for (int i = 0; i < 1000; i++) work(); other(); return 0; }
        """, "mark=top,work,seen", env={"CINSTR_ONLY": "other"})
    lab.equal({name: n for name, n in calls.items() if name != "leaf"}, {"other": 1}, "functions recorded")
    marks = bench.cinstr("info", "--marks", bench.path("cinstr.data"))
    lab.equal(marks.count("seen"), 1000 if "other" in calls else 0, "marks")


@lab.test("control/a region first in a vfork child")
def vfork(bench):
    calls = record(bench, """
        #include <sys/wait.h>
        static void region(void) { leaf(); }
        int main(void)
        {
            pid_t child = vfork();
            if (!child) { region(); _exit(0); }
            waitpid(child, NULL, 0);
            for (int i = 0; i < 10; i++) region();
            return 0;
        }""", "region=region")
    lab.equal(calls, {"region": 10, "leaf": 10}, "calls")


@lab.test("control/a region on one of two coroutine stacks")
def coroutines(bench):
    calls = record(bench, """
        #include <sys/mman.h>
        #include <time.h>
        #include <ucontext.h>
        static ucontext_t low, high, back;
        static void other(void) { struct timespec t = { 0, 1000000 }; leaf(); nanosleep(&t, NULL); leaf(); }
        static void on_high(void) { for (;;) { other(); swapcontext(&high, &low); } }
        static void region(void) { for (int i = 0; i < 50; i++) { leaf(); swapcontext(&low, &high); } }
        static void on_low(void) { region(); swapcontext(&low, &back); }
        int main(void)
        {
            char *stacks = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            getcontext(&low); low.uc_stack.ss_sp = stacks; low.uc_stack.ss_size = 1 << 19; makecontext(&low, on_low, 0);
            getcontext(&high); high.uc_stack.ss_sp = stacks + (1 << 19); high.uc_stack.ss_size = 1 << 19;
            makecontext(&high, on_high, 0);
            swapcontext(&back, &low);
            return 0;
        }""", "region=region")
    lab.equal(calls["leaf"], 150, "calls of leaf in the region, on both stacks")


@lab.test("control/a function on an alternate stack, suspended and left by siglongjmp")
def alternate_stack(bench):
    calls = record(bench, """
        #include <setjmp.h>
        #include <signal.h>
        static sigjmp_buf out;
        static char stack[65536];
        static void quiet(void) { leaf(); siglongjmp(out, 1); }
        static void handler(int number) { (void)number; quiet(); }
        static void after(void) { for (int i = 0; i < 1000; i++) leaf(); }
        int main(void)
        {
            stack_t s = { .ss_sp = stack, .ss_size = sizeof(stack) };
            struct sigaction action = { .sa_handler = handler, .sa_flags = SA_ONSTACK };
            sigaltstack(&s, NULL);
            sigaction(SIGUSR1, &action, NULL);
            if (!sigsetjmp(out, 1)) raise(SIGUSR1);
            after();
            return 0;
        }""", "suspend=inside,quiet")
    lab.equal((calls["after"], calls["leaf"]), (1, 1000), "calls behind it")


@lab.test("control/the operating system's part of an interval that a pause ends")
def os_before_pause(bench):
    record(bench, """
        #include <sys/syscall.h>
        #include <time.h>
        static void quiet(void) { leaf(); }
        static void wait_here(void)
        {
            struct timespec t = { 0, 50000000 };
            long result;
            __asm__ volatile("syscall" : "=a"(result) : "a"(SYS_nanosleep), "D"(&t), "S"(0) : "rcx", "r11", "memory");
            quiet();
        }
        int main(void) { wait_here(); return 0; }
        """, "suspend=outside,quiet")
    row = bench.functions()["wait_here"]
    lab.check(row["elapsed_exclusive_ns"] >= 50e6, f"elapsed: {row['elapsed_exclusive_ns']} ns")
    lab.check(row["application_exclusive_ns"] < 40e6, f"application: {row['application_exclusive_ns']} ns")


@lab.test("control/a program that forbids process_vm_readv")
def forbidden(bench):
    calls = record(bench, """
        #include <linux/filter.h>
        #include <linux/seccomp.h>
        #include <sys/prctl.h>
        #include <sys/syscall.h>
        static void quiet(void) { leaf(); }
        static void inner(void) { quiet(); leaf(); }
        int main(void)
        {
            struct sock_filter filter[] = {
                { 0x20, 0, 0, offsetof(struct seccomp_data, nr) }, { 0x15, 0, 1, SYS_process_vm_readv },
                { 0x6, 0, 0, SECCOMP_RET_KILL_PROCESS }, { 0x6, 0, 0, SECCOMP_RET_ALLOW } };
            struct sock_fprog program = { 4, filter };
            prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
            prctl(PR_SET_SECCOMP, 2, &program);
            inner();
            return 0;
        }""", "suspend=inside,quiet")
    lab.equal((calls["quiet"], calls["inner"], calls["leaf"]), (1, 1, 1), "calls")


@lab.test("control/suspended deep in a recursive region")
def deep(bench):
    calls = record(bench, """
        static void quiet(void) { leaf(); }
        static void dive(int n) { if (n) { dive(n - 1); sink++; } else { quiet(); leaf(); } }
        int main(void) { dive(30); leaf(); return 0; }
        """, "region=dive", "suspend=inside,quiet")
    lab.equal(calls, {"dive": 31, "quiet": 1, "leaf": 1}, "calls")


@lab.test("control/many marks of many threads")
def many_marks(bench):
    record(bench, """
        #include <pthread.h>
        static pthread_barrier_t barrier;
        static void milestone(void) { sink++; }
        static void *run(void *nothing)
        {
            pthread_barrier_wait(&barrier);
            for (int i = 0; i < 500; i++) milestone();
            return nothing;
        }
        int main(void)
        {
            pthread_t id[40];
            pthread_barrier_init(&barrier, NULL, 40);
            for (int i = 0; i < 40; i++) pthread_create(&id[i], NULL, run, NULL);
            for (int i = 0; i < 40; i++) pthread_join(id[i], NULL);
            return 0;
        }""", "mark=top,milestone,m", flags=("-O1",))
    marks = bench.cinstr("info", "--marks", bench.path("cinstr.data")).splitlines()
    lab.equal(len(marks), 20000, "marks")


@lab.test("control/threads that never record leave nothing")
def idle_threads(bench):
    path = bench.write("program.c", HEAD + """
        #include <pthread.h>
        #include <string.h>
        static void region(void) { leaf(); }
        static void *run(void *nothing) { leaf(); return nothing; }
        static long kilobytes(void)
        {
            char line[256];
            long n = 0;
            FILE *file = fopen("/proc/self/status", "r");
            while (fgets(line, sizeof(line), file))
                if (!strncmp(line, "VmSize:", 7)) sscanf(line + 7, "%ld", &n);
            fclose(file);
            return n;
        }
        int main(int argc, char **argv)
        {
            long before = 0;
            (void)argv;
            for (int i = 0; i < 2000; i++) {
                pthread_t id;
                pthread_create(&id, NULL, run, NULL);
                pthread_join(id, NULL);
                if (i == 100) before = kilobytes();
            }
            if (argc > 5) region();
            printf("%ld", kilobytes() - before);
            return 0;
        }""")
    program = bench.compile(path, "program", "-O1", *SAME, "-fplugin-arg-cinstr-region=region")
    grown = int(bench.run(program, status=0).stdout)
    lab.check(grown < 4096, f"address space grew by {grown} KB with 1900 threads")


@lab.test("control/a small function that does not return")
def small_noreturn(bench):
    sources = [bench.write("die.c", "__attribute__((noreturn)) void die(void) { __builtin_trap(); }"),
               bench.write("main.c", HEAD + """
        __attribute__((noreturn)) void die(void);
        static void work(int n) { if (n == 77) die(); sink += getppid(); usleep(1000); leaf(); }
        int main(int argc, char **argv) { (void)argv; work(argc); return 0; }
        """)]
    bench.same_as_plain(sources, "-Os", *SAME, "-fplugin-arg-cinstr-small=10")
    bench.sound()
    lab.equal(sorted(bench.tree()["main"][1]["work"][1]), ["getppid", "usleep"], "what work calls")
