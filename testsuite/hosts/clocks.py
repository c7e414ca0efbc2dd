# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs that forbid themselves the time-stamp counter (PR_SET_TSC), handle their own system
calls, or go into another time name space: they run as without probes, and what is not recorded is
said."""
import shutil

import host
from host import check, equal, test

NO_CLOCK = "(PR_SET_TSC)"
DISPATCH = "(PR_SET_SYSCALL_USER_DISPATCH)"


def said(bench):
    return bench.cinstr("info", bench.path("cinstr.data"))


def build(bench):
    host.build(bench, "clocks.c", "-pthread")


def ended(bench, reason, calls):
    """Recording ended with what was called before, and the process's end is known."""
    check("recording stopped early: the program" in said(bench) and reason in said(bench),
          f"cinstr info does not say why recording ended: {said(bench)[:600]}")
    equal(host.calls(bench, "leaf"), calls, "calls of leaf")


for how in "prctl", "number", "tail", "again":
    @test(f"clocks/forbidden by {how}")
    def forbidden(bench, how=how):
        build(bench)
        host.same(bench, how)
        ended(bench, NO_CLOCK, 1000)
        check("ended         after exit's handlers (status 7)" in said(bench), "the process's end is not known")

for how in "thread", "others":
    @test(f"clocks/forbidden, {how}")
    def elsewhere(bench, how=how):
        build(bench)
        host.same(bench, how, runs=3)
        check(NO_CLOCK in said(bench), "cinstr info does not say why recording ended")


@test("clocks/forbidden in a child")
def child(bench):
    """The parent goes on."""
    build(bench)
    host.same(bench, "fork")
    check(NO_CLOCK in said(bench), "cinstr info does not say why the child's recording ended")
    equal(host.calls(bench, "leaf"), 4000, "calls of leaf, none of them the child's")


for how in "prctl", "thread", "others", "fork":
    @test(f"clocks/forbidden, {how}, stamps by system calls")
    def by_calls(bench, how=how):
        build(bench)
        host.same(bench, how, env={"CINSTR_CLOCK": "monotonic"})
        check("stopped early" not in said(bench), "recording ended")
        equal(host.calls(bench, "leaf"), {"prctl": 4000, "thread": 5000, "others": 94000, "fork": 6000}[how],
              "calls of leaf")


@test("clocks/forbidden before the program starts")
def before_start(bench):
    """The program is recorded by another clock, which is said once. Static: the dynamic loader of
    glibc reads the counter."""
    library = ["-L" + host.lab.BUILD, "-lcinstr"]
    source = host.program("clocks.c")
    bench.compile(source, "plain", "-O2", "-w", "-pthread", "-static", plugin=None)
    bench.compile(source, "probes", "-O2", "-w", "-pthread", "-static", *library)
    expected = host.run(bench, "plain", "exec")
    if expected.returncode != 7:
        raise host.Skip("the plain program does not start without the counter")
    got = host.run(bench, "probes", "exec")
    equal((got.stdout, got.returncode), (expected.stdout, expected.returncode), "what it prints")
    equal(host.calls(bench, "leaf"), 5000, "calls of leaf, 4000 of them in the second program")
    launcher = bench.write("launcher.c", """
#include <sys/prctl.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	prctl(PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0);
	execv(argv[1], argv + 1);
	return 1;
}
""")
    bench.compile(launcher, "launcher", plugin=None)
    shutil.rmtree(bench.path("cinstr.data"))
    got = bench.run(bench.path("launcher"), bench.path("probes"), "nothing")
    equal(got.returncode, 7, "exit status")
    equal([line for line in got.stderr.splitlines() if "PR_SET_TSC" in line and "CLOCK_MONOTONIC_RAW" in line],
          got.stderr.splitlines(), "what is said")
    equal(len(got.stderr.splitlines()), 1, "lines")
    equal(host.calls(bench, "leaf"), 4000, "calls of leaf")


for how in "dispatch", "dispatch_number", "dispatch_thread":
    @test(f"clocks/{how}")
    def dispatch(bench, how=how):
        build(bench)
        got = host.same(bench, how, runs=3)
        check("caught 0\n" in got.stdout, "the handler ran")
        ended(bench, DISPATCH, 1000)


# ---- name spaces ---------------------------------------------------------------------------------

def spaces(bench, how, env=None):
    """Runs spaces.c, which may not be permitted to do so."""
    host.build(bench, "spaces.c")
    expected = host.run(bench, "plain", how)
    if expected.returncode == 77:
        raise host.Skip(f"no name space: {expected.stderr.strip()}")
    host.same(bench, how, env=env)


for clock in "tsc", "monotonic":
    @test(f"clocks/a child in another time name space, {clock}")
    def time_space(bench, clock=clock):
        """Its clock is 11 days ahead; nothing in the session is."""
        spaces(bench, "time", env={"CINSTR_CLOCK": clock})
        data = bench.json("info", bench.path("cinstr.data"))
        equal(len(data["processes"]), 3, "processes")
        longest = max(process["recorded_ns"] for process in data["processes"])
        check(longest < 1000e9, f"a process was recorded for {longest} ns")


@test("clocks/a child in another process name space, with the /proc of before")
def process_space(bench):
    spaces(bench, "process")
    data = bench.json("info", bench.path("cinstr.data"))
    equal([process["ended"] for process in data["processes"] if process["ended"] == "running"], [], "processes that run")
    check(not data["live"], "the session is live")
