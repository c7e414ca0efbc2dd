# SPDX-License-Identifier: GPL-3.0-or-later
"""What parts of the runtime do to each other: pauses and the limit of levels, the timeline and
threads that vanish, filters of system calls and the program's own requests."""
import os

import lab
import quiet

INCLUDE = lab.INCLUDE
SAME = ["-O1", "-fno-inline", "-fno-optimize-sibling-calls", "-pthread", INCLUDE]

VANISH = """
#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>
int work(int n);
void *body(void *data);
int work(int n) { return n + 1; }
void *body(void *data)
{
    int sum = 0;
    for (int i = 0; i < 200; i++)
        sum += work(i);
    *(int *)data += sum;
    syscall(SYS_exit, 0); /* no destructor runs */
    return data;
}
int main(void)
{
    pthread_attr_t attr;
    static int sums[50];
    int sum = 0;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, 64 << 20); /* too large to be kept: unmapped when it is joined */
    for (int round = 0; round < 3; round++) {
        pthread_t threads[50];
        for (int i = 0; i < 50; i++) /* at one time: those of the next round do not find all of their memory again */
            pthread_create(&threads[i], &attr, body, &sums[i]);
        for (int i = 0; i < 50; i++)
            pthread_join(threads[i], NULL);
        for (int i = 0; i < 30; i++) {
            pthread_create(&threads[0], &attr, body, &sums[0]);
            pthread_join(threads[0], NULL);
        }
    }
    for (int i = 0; i < 50; i++)
        sum += sums[i];
    printf("%d\\n", sum);
    return 0;
}
"""


@lab.test("together/a timeline of threads that vanish")
def vanish(bench):
    """Another thread completes their records, where their thread-local memory is gone."""
    bench.write("vanish.c", VANISH)
    for size in ("64M", "ring:1M", "1K"):
        got = bench.same_as_plain(bench.path("vanish.c"), *SAME, env={"CINSTR_TIMELINE": size})
        lab.equal(got.returncode, 0, f"exit status with CINSTR_TIMELINE={size}")
        bench.sound()
        lab.equal(bench.functions()["work"]["calls"], 240 * 200, f"calls of work with CINSTR_TIMELINE={size}")


PAUSED = """
#include <stdio.h>
#include <unistd.h>
#include <cinstr.h>
int work(int n);
int middle(int n);
int work(int n) { return n + 1; }
int middle(int n)
{
    int sum = work(n);
    cinstr_suspend(LEVEL, CINSTR_SELF);
    usleep(300000);
    sum += work(n);
    cinstr_resume(LEVEL, CINSTR_SELF);
    return sum + work(n);
}
int main(void)
{
    printf("%d\\n", middle(1));
    return 0;
}
"""


def paused_run(bench, program, depth, level):
    bench.run(program, env={"CINSTR_DEPTH": str(depth)}, status=0)
    bench.sound()
    ns = bench.functions()["main"]["elapsed_inclusive_ns"]
    lab.check_time(ns < 200e6, f"depth {depth}, {level}: main took {ns} ns, a pause of 300 ms among them")


@lab.test("together/a pause below the last level")
def pause_below(bench):
    """It is nobody's time, however deep recording goes."""
    bench.write("paused.c", PAUSED)
    for level in ("CINSTR_THREAD", "CINSTR_PROCESS"):
        program = bench.compile(bench.path("paused.c"), "program", *SAME, "-DLEVEL=" + level)
        for depth in range(0, 4):
            quiet.measured(lambda: paused_run(bench, program, depth, level))


LATE = """
#include <dlfcn.h>
#include <stdio.h>
int nothing(int n);
int nothing(int n) { return n; }
int main(void)
{
    int (*begin)(int), sum = nothing(1);
    void *library = dlopen("./liblate.so", RTLD_NOW);
    if (!library || !(begin = (int (*)(int))dlsym(library, "begin")))
        return 3;
    sum += begin(1) + nothing(1);
    printf("%d\\n", sum);
    return 0;
}
"""
LATE_LIBRARY = """
int begin(int n);
int begin(int n) { return n; }
"""


@lab.test("together/below the last level a library with a start comes")
def late_start(bench):
    bench.write("late.c", LATE)
    bench.write("library.c", LATE_LIBRARY)
    bench.compile(bench.path("library.c"), "liblate.so", *SAME, "-shared", "-fPIC", "-fplugin-arg-cinstr-start=inside,begin")
    program = bench.compile(bench.path("late.c"), "program", *SAME, "-ldl")
    for depth in range(0, 4):
        bench.run(program, env={"CINSTR_DEPTH": str(depth)}, status=0)
        bench.sound()
        total = sum(row["elapsed_exclusive_ns"] for row in bench.functions().values())
        lab.check(total < 60e9, f"depth {depth}: {total} ns altogether")


MUTE = """
#include <string.h>
#include <sys/prctl.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cinstr.h>
int work(int n);
int work(int n) { return n + 1; }
int main(void)
{
    work(1);
    cinstr_mark(1);
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
    work(2);
    cinstr_mark(2);
    cinstr_stop(CINSTR_THREAD, CINSTR_SELF);
    cinstr_is_on();
    cinstr_flush();
    syscall(SYS_exit, 5);
    return 5;
}
"""


@lab.test("together/requests in a program that has forbidden itself everything")
def mute(bench):
    bench.write("mute.c", MUTE)
    program = bench.compile(bench.path("mute.c"), "program", *SAME)
    for env in ({}, {"CINSTR_CLOCK": "monotonic"}):
        bench.run(program, env=env, status=5)
        bench.sound()


HOOK = """
#include <pthread.h>
void (*hook)(void);
static void run(void) { if (hook) hook(); }
__attribute__((constructor)) static void begin(void) { pthread_atfork(run, run, run); }
"""
HOOKED = """
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
extern void (*hook)(void);
int leaf(int n);
int left(int depth, unsigned path);
int right(int depth, unsigned path);
void work(void);
int leaf(int n) { return n + 1; }
int left(int depth, unsigned path)
{
    return depth ? path & 1 ? left(depth - 1, path >> 1) : right(depth - 1, path >> 1) : leaf(1);
}
int right(int depth, unsigned path)
{
    return depth ? path & 1 ? left(depth - 1, path >> 1) : right(depth - 1, path >> 1) : leaf(1);
}
void work(void)
{
    for (unsigned path = 0; path < 4096; path++)
        left(12, path);
}
int main(void)
{
    int status = 0;
    hook = work;
    for (int i = 0; i < 3; i++) {
        pid_t child = fork();
        if (!child) {
            work();
            _exit(7);
        }
        waitpid(child, &status, 0);
        printf("%d\\n", WEXITSTATUS(status));
    }
    return 0;
}
"""


@lab.test("together/fork handlers with probes from before the runtime's")
def fork_handlers(bench):
    """They run while the runtime holds its locks for the fork, and in the child before it has a
    file of its own."""
    bench.write("hook.c", HOOK)
    bench.write("hooked.c", HOOKED)
    bench.run(*lab.CC, "-shared", "-fPIC", bench.path("hook.c"), "-o", bench.path("libhook.so"), status=0)
    program = bench.compile(bench.path("hooked.c"), "program", *SAME, "-L" + bench.folder, "-lhook",
                            "-Wl,-rpath," + bench.folder)
    for env in ({}, {"CINSTR_TIMELINE": "64M"}):
        done = bench.run(program, env=env, status=0)
        lab.equal(done.stdout, "7\n7\n7\n", "output")
        bench.sound()
        lab.equal(bench.functions()["work"]["calls"], 12, f"calls of work with {env}")
        files = [name for name in os.listdir(bench.path("cinstr.data")) if name.endswith(".cinstr")]
        lab.equal(len(files), 4, "data files")


ALONE = """
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cinstr.h>
int work(int n);
int work(int n) { return n + 1; }
int main(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getdents64, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = { sizeof(code) / sizeof(*code), code };
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
    printf("%s\\n", cinstr_status_text(cinstr_suspend(CINSTR_PROCESS, (unsigned)getppid())));
    return work(4);
}
"""


@lab.test("together/other processes from where nobody may look for them")
def alone(bench):
    bench.write("alone.c", ALONE)
    bench.run(bench.compile(bench.path("alone.c"), "program", *SAME), status=5)
    bench.sound()
    lab.equal(bench.functions()["work"]["calls"], 1, "calls of work")
