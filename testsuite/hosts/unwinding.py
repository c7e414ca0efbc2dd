# SPDX-License-Identifier: GPL-3.0-or-later
"""Every address that a probe executes at can be unwound: cancellation and exceptions come through
probes, stacks taken in handlers are whole, debuggers show the callers. And what the recording takes
of a program's stacks and of the room for thread variables."""
import os
import re

import lab
from host import build, calls, check, equal, need, program, run, same, test

METHODS = {"": {}, ", mixed": {"CINSTR_METHOD": "mixed"}, ", limit": {"CINSTR_MAX_OVERHEAD": "1"},
           ", monotonic": {"CINSTR_CLOCK": "monotonic"}, ", not restartable": {"CINSTR_RESTARTABLE": "off"}}
LIBRARY = "-fPIC", "-shared"


def each_method(name, *flags, methods=METHODS, args=(), source="unwinding.cc"):
    for suffix, env in methods.items():
        @test(f"unwinding/{name}{suffix}")
        def _(bench, env=env):
            build(bench, source, "-pthread", *flags)
            same(bench, *args, env=env)


# The plain program prints the same each time: all handlers ran, all stacks had main in them.
each_method("asynchronous cancellation", "-fnon-call-exceptions", "-fasynchronous-unwind-tables", args=["cancel"])
each_method("backtrace in a handler", args=["backtrace"])
each_method("backtrace in a handler, four threads", args=["threads"])
each_method("backtrace in a thread's first probes", args=["first"],
            methods={**METHODS, ", counted": {"CINSTR_MAX_OVERHEAD": "0"}})
each_method("an exception out of a handler", "-fnon-call-exceptions", args=["throw"])


@test("unwinding/a library that is opened later, and closed")
def later(bench):
    """Its probes are in its own room, and its abort handlers in memory that stays."""
    for name, plugin in (("plain", None), ("probes", lab.PLUGIN)):
        folder = bench.path(name + ".d")
        os.mkdir(folder)
        bench.compile([os.path.join(lab.ROOT, "testsuite/hosts/programs/unwinding.cc")], f"{name}.d/liblater.so", "-O2",
                      "-DLIBRARY", *LIBRARY, plugin=plugin)
        bench.compile([os.path.join(lab.ROOT, "testsuite/hosts/programs/unwinding.cc")], name, "-O2", "-DLOADER",
                      f'-DLIBRARY_PATH="{folder}/liblater.so"', "-pthread", plugin=None)
    same(bench, "later", runs=3)
    equal(calls(bench, "work"), 20 * 4, "calls of work")


@test("unwinding/gdb, at each instruction of a probe")
def steps(bench):
    """Steps through the calls of two probes, fast and slow: each stack in the module's code, of
    which its room is a part, has main in it. (Of the runtime's library, which runs with signals
    off, gdb does not know.)"""
    gdb = need("gdb")
    build(bench, "unwinding.cc", "-pthread")
    bench.write("steps", "set pagination off\nset disable-randomization on\nbreak before_steps\nrun steps\nfinish\n"
                "set $left = 400\nwhile $left > 0\nstepi\n"
                "if ((unsigned long)$rip >> 40) == 0x55\nbacktrace\nset $left = $left - 1\nend\nend\nkill\n")
    # Each step takes long: with a limit on overhead each event would fold, in 60,000 steps.
    done = bench.run(gdb, "-batch", "-nx", "-x", bench.path("steps"), bench.path("probes"), env={"CINSTR_MAX_OVERHEAD": "unlimited"}, timeout=200)
    stacks = [stack for stack in re.split(r"\n(?=#0 )", done.stdout)[1:] if not re.match(r"#0 +0x00007f\w+ in \?\?", stack)]
    check(len(stacks) > 100, f"only {len(stacks)} stacks: {done.stderr[-500:]}")
    for stack in stacks:
        check(re.search(r"\bin main\b|\bmain \(", stack), f"main is not in {stack[:600]}")


DEEP = """
#include <stdio.h>
#define KEEP __attribute__((noinline))
KEEP int leaf(int x) { for (volatile int i = 0; i < 3; i++) x += i; return x; }
KEEP int middle(int x) { return leaf(x) + leaf(x + 1) + 1; }
KEEP int work(int n) { int s = 0; for (int i = 0; i < n; i++) s += middle(i); return s; }
int main(void) { int s = 0; for (int i = 0; i < 100; i++) s += work(20000); printf("%d\\n", s); }
"""


@test("unwinding/perf, by the stack's bytes")
def perf(bench):
    """Most samples are in probes, and perf finds main behind them: the room has a file."""
    command = need("perf")
    options = bench.run(command, "version", "--build-options").stdout
    if not re.search(r"libunwind: \[ *on", options):
        raise lab.Skip("this perf has no libunwind")
    program = bench.compile(bench.write("deep.c", DEEP), "deep", "-O2")
    data = bench.path("perf.data")
    done = bench.run(command, "record", "-q", "-e", "cpu-clock:u", "-F", "2000", "--call-graph", "dwarf,4096", "-o", data,
                     program, env={"CINSTR_MAX_OVERHEAD": "unlimited"})
    if done.returncode:
        raise lab.Skip("perf is not permitted here")
    text = bench.run(command, "script", "-i", data, "-F", "ip,sym,dso").stdout
    stacks = [stack for stack in re.split(r"\n\s*\n", text) if stack.strip()]
    inside = [stack for stack in stacks if f"({program})" in stack.strip().splitlines()[0]]
    probes = [stack for stack in inside if "[unknown]" in stack.strip().splitlines()[0]]
    check(len(probes) > 50, f"only {len(probes)} samples of {len(stacks)} are in probes")
    cut = [stack for stack in probes if not re.search(r" main\b", stack)]
    check(len(cut) * 50 < len(probes), f"{len(cut)} of {len(probes)} stacks have no main: {cut[:3]}")


@test("unwinding/stacks of the least size")
def small(bench):
    """Handlers on an alternate stack that is hardly larger than the kernel's own part."""
    build(bench, "unwinding.cc", "-pthread")
    for size in "256", "320", "512", "1024":
        same(bench, "small", size, env={"CINSTR_METHOD": "mixed"} if size == "512" else None)


def libraries_with_variables(bench):
    """Makes 30 libraries, and returns the compiler's flag that tells their folder."""
    source = bench.write("variables.c", 'static __thread char b[64] __attribute__((tls_model("initial-exec")));\n'
                         "char *get(void);\nchar *get(void) { return b; }\n")
    os.mkdir(bench.path("libraries"))
    for number in range(30):
        bench.compile([source], f"libraries/lib{number}.so", *LIBRARY, plugin=None)
    return f'-DFOLDER="{bench.path("libraries")}"'


@test("unwinding/room for thread variables")
def room(bench):
    """As many libraries can be opened with initial-exec thread variables as without probes."""
    build(bench, "unwinding.cc", "-pthread", libraries_with_variables(bench))
    same(bench, "variables")
    equal(run(bench, "probes", "variables").returncode, 0, "exit status")


@test("unwinding/no room for thread variables")
def no_room(bench):
    """A library with probes is opened by a program that has used up the room: it runs, and is
    recorded, or it is said why not."""
    source = program("unwinding.cc")
    bench.compile([source], "libprobed.so", "-O2", "-DLIBRARY", *LIBRARY)
    bench.compile([source], "plain", "-O2", "-pthread", libraries_with_variables(bench),
                  f'-DLIBRARY_PATH="{bench.path("libprobed.so")}"', plugin=None)
    done = bench.run(bench.path("plain"), "variables", env={"CINSTR_VERBOSE": "1"}, status=0)
    check(re.fullmatch(r"\d+ libraries, 30\n30\n", done.stdout), f"output: {done.stdout}")
    check(os.path.exists(bench.path("cinstr.data")) or "not recorded: " in done.stderr, f"said: {done.stderr}")
    done = bench.run(lab.COMMAND, "record", "-o", "recorded", "--", bench.path("plain"), "variables", status=0)
    if calls(bench, "work", "recorded") != 1:
        check("static TLS" in done.stderr, f"record said: {done.stderr}")
