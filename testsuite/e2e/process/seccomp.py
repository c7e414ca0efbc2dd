# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs that forbid themselves system calls: their end and output are the same, and what was not
recorded is said."""
import json
import re

import lab

NUMBERS = {"rt_sigprocmask": 14, "pwrite64": 18, "getpid": 39, "ftruncate": 77, "getrusage": 98, "clock_gettime": 228,
           "openat": 257, "fallocate": 285, "prlimit64": 302, "mprotect": 10, "mmap": 9, "close": 3, "gettid": 186,
           "perf_event_open": 298}
SECOND = "programs/seccomp.c"
ENDED = "the program forbade itself system calls (seccomp)"


def run_both(bench, *args, env=None):
    got = bench.same_as_plain(SECOND, "-O2", "-pthread", args=args, env=env)
    lab.equal(got.returncode, 7 if args[0] == "exec" else 5, "exit status")
    return got


def said(bench):
    return bench.cinstr("info", bench.path("cinstr.data"))


def ends(bench, *args, env=None):
    run_both(bench, *args, env=env)
    bench.sound()
    lab.check(ENDED in said(bench), "cinstr info does not say why recording ended")
    calls = bench.functions()["work"]["calls"]
    lab.check(1000 <= calls < 200000, f"{calls} calls of work: 1000 before the filter, none behind it")


def goes_on(bench, *args, env=None):
    run_both(bench, *args, env=env)
    bench.sound()
    lab.check("stopped early" not in said(bench), "recording ended")
    lab.equal(bench.functions()["work"]["calls"], 201000, "calls of work")


for how in ("prctl", "syscall"):
    lab.test(f"seccomp/strict mode by {how}")(lambda bench, how=how: ends(bench, how, "strict"))
for how in ("prctl", "seccomp", "syscall", "tail", "library", "tsync"):
    lab.test(f"seccomp/kill, by {how}")(lambda bench, how=how: ends(bench, how, "narrow"))
    if how != "library":
        lab.test(f"seccomp/kill what nobody calls, by {how}")(lambda bench, how=how: goes_on(bench, how, "broad"))


@lab.test("seccomp/what is not recorded is watched all the same")
def not_chosen(bench):
    for env in ({"CINSTR_NOT": "restrict_*,by_tail"}, {"CINSTR_PROBES": "functions"}, {"CINSTR_CLOCK": "monotonic"},
                {"CINSTR_RESTARTABLE": "off"}):
        ends(bench, "prctl", "narrow", env=env)
        ends(bench, "tail", "narrow", env=env)


@lab.test("seccomp/trap with a handler")
def trap(bench):
    ends(bench, "prctl", "trap")


@lab.test("seccomp/an argument decides")
def argument(bench):
    """The filter kills prlimit64 of an odd resource: the runtime's may be one."""
    ends(bench, "prctl", "arguments")


@lab.test("seccomp/in a vfork child")
def vfork_child(bench):
    run_both(bench, "vfork", "narrow")
    lab.check(ENDED in said(bench), "cinstr info does not say why recording ended")


@lab.test("seccomp/threads at work when the filter comes")
def tsync(bench):
    """Many times: none of them may be in the middle of the runtime's calls."""
    plain = bench.compile(SECOND, "plain", "-O2", "-pthread", plugin=None)
    program = bench.compile(SECOND, "program", "-O2", "-pthread")
    expected = bench.run(plain, "tsync", "narrow")
    for _ in range(100):
        lab.same_run(bench.run(program, "tsync", "narrow", env={"CINSTR_TIMELINE": "1M"}), expected)


@lab.test("seccomp/calls that fail")
def errors(bench):
    for names, end in (("getrusage", None), ("clock_gettime", None), ("fallocate", None), ("openat", None),
                       ("ftruncate", None), ("mmap", None), ("mprotect", None),
                       ("getrusage clock_gettime fallocate openat prlimit64 ftruncate", None),
                       ("rt_sigprocmask", ENDED), ("close", ENDED), ("gettid", ENDED)):
        numbers = [str(NUMBERS[name]) for name in names.split()]
        env = {"CINSTR_TIMELINE": "1K"}
        if end:
            ends(bench, "prctl", "errno", *numbers, env=env)
        else:
            goes_on(bench, "prctl", "errno", *numbers, env=env)


@lab.test("seccomp/no samples of itself (CINSTR_METHOD=mixed)")
def no_samples(bench):
    """Threads that begin behind the filter are not sampled, and recording goes on."""
    env = {"CINSTR_METHOD": "mixed"}
    goes_on(bench, "prctl", "errno", str(NUMBERS["perf_event_open"]), env=env)
    for how in "prctl", "tsync":
        goes_on(bench, how, "broad", env=env)
    ends(bench, "prctl", "narrow", env=env)


@lab.test("seccomp/no clock where stamps come from it")
def no_clock(bench):
    ends(bench, "prctl", "errno", str(NUMBERS["clock_gettime"]), env={"CINSTR_CLOCK": "monotonic"})


@lab.test("seccomp/no question for the processor time of other threads")
def no_thread_clocks(bench):
    """The filter kills who asks for another clock than those that everybody asks for; a thread
    waits when the program ends."""
    source = bench.write("clocks.c", """
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
static volatile int waits;
__attribute__((noipa)) static void wait_for_ever(void) { waits = 1; for (;;) pause(); }
static void *idle(void *arg) { wait_for_ever(); return arg; }
int main(void)
{
	struct sock_filter code[] = { BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clock_gettime, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
		BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 12, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) };
	struct sock_fprog filter = { 6, code };
	pthread_t id;
	pthread_create(&id, NULL, idle, NULL);
	while (!waits)
		usleep(1000);
	usleep(100000);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) ? 1 : 5;
}
""")
    bench.run(bench.compile(source, "clocks", "-O1", "-pthread"), status=5)
    bench.sound()
    wait = bench.functions()["pause"]
    lab.check(wait["off_cpu_exclusive_ns"] >= 5e7, f"a known wrapper of a system call has waited: {wait['off_cpu_exclusive_ns']}")


@lab.test("seccomp/no room when the file cannot be opened")
def no_room(bench):
    """Recording ends with its reason; what was there stays."""
    for name in ("openat", "fallocate", "prlimit64", "mprotect"):
        done = bench.run(bench.compile(SECOND, "program", "-O2", "-pthread"), "prctl", "errno", str(NUMBERS[name]),
                         env={"CINSTR_TIMELINE": "64M"}, status=5)
        bench.sound()
        text = said(bench)
        if name in ("openat", "mprotect") and "stopped early" not in text:  # the file grew without
            lab.equal(bench.functions()["work"]["calls"], 201000, "calls of work")
            continue
        lab.check("stopped early" in text, f"{name}: cinstr info does not say why recording ended")
        lab.check(len(done.stderr.splitlines()) == 1, f"not one line on stderr: {done.stderr!r}")


@lab.test("seccomp/kill what a file out of reach needs")
def unreached(bench):
    """Only where the file cannot be opened it takes madvise to make it grow."""
    ends(bench, "prctl", "unreached", env={"CINSTR_TIMELINE": "64M"})


@lab.test("seccomp/no counters, no Application time")
def no_counters(bench):
    run_both(bench, "prctl", "errno", str(NUMBERS["getrusage"]))
    totals = bench.sound()
    lab.equal(totals["application_inclusive_ns"], None, "Application time of the session")
    run_both(bench, "prctl", "broad")
    lab.check(bench.sound()["application_inclusive_ns"] is not None, "no Application time where nothing is forbidden")


def launcher(bench):
    """Not instrumented: installs a filter and becomes another program."""
    source = bench.write("launcher.c", """
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
static void filter(int number, unsigned action)
{
	struct sock_filter code[] = { BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, action), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW) };
	struct sock_fprog program = { 4, code };
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}
int main(int argc, char **argv) /* fork|exec kill|errno NUMBER PROGRAM ... */
{
	int status;
	filter(atoi(argv[3]), argv[2][0] == 'k' ? SECCOMP_RET_KILL_PROCESS : SECCOMP_RET_ERRNO | EPERM);
	if (argv[1][0] == 'e' || !fork())
		execv(argv[4], argv + 4);
	wait(&status);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}
""")
    return bench.compile(source, "launcher", plugin=None)


@lab.test("seccomp/a filter from before the start")
def inherited(bench):
    program = bench.compile("trees/nesting.c", "program", "-O2", "-fno-optimize-sibling-calls")
    start = launcher(bench)
    expected = bench.run(program, env={"CINSTR": "off"})
    kexec, status = "246", 0
    # (how, answer, call, recorded?)
    for how, answer, number, recorded in (
            ("fork", "kill", kexec, True), ("fork", "errno", kexec, True), ("fork", "errno", str(NUMBERS["getrusage"]), True),
            ("fork", "kill", str(NUMBERS["clock_gettime"]), False), ("fork", "kill", str(NUMBERS["getrusage"]), False),
            ("fork", "errno", str(NUMBERS["rt_sigprocmask"]), False),
            ("fork", "kill", str(NUMBERS["fallocate"]), False), ("fork", "kill", "74", True),
            ("exec", "kill", kexec, False), ("exec", "kill", str(NUMBERS["clock_gettime"]), False),
            ("exec", "kill", "56", False), ("fork", "kill", "63", False)):
        done = bench.run("/bin/sh", "-c", 'ulimit -c unlimited; rm -rf cinstr.data*; exec "$@"', "sh", start, how, answer, number, program,
                         status=status)
        lab.equal(done.stdout, expected.stdout, f"output: {how} {answer} {number}")
        lab.equal(bool(bench.sessions()), recorded, f"recorded: {how} {answer} {number}")
        if recorded:
            bench.sound()
        lab.check(recorded or how == "exec" or re.match("cinstr: not recorded: a seccomp filter", done.stderr) or
                  number == str(NUMBERS["rt_sigprocmask"]), f"{how} {answer} {number}: nothing said: {done.stderr!r}")
        lab.check(not [n for n in bench.run("ls").stdout.split() if n.startswith("core")], "a core file")


@lab.test("seccomp/a filter, then another program")
def then_exec(bench):
    run_both(bench, "exec", "counters")
    session = json.loads(bench.cinstr("report", "--format=json", bench.path("cinstr.data")))["session"]
    lab.equal(session["processes"], 1, "processes recorded")
