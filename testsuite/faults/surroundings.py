# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the program runs: other rights, other roots, other clocks, under other tools."""
import os
import re
import shutil
import subprocess

import lab
from trial import Skip, check, equal, fault, same_run


def need_root():
    if os.getuid():
        raise Skip("only for root")


@fault("set-user-ID program", (3, 20), "chmod u+s, run by another user: it is left alone")
def set_user_id(t):
    need_root()
    program, plain = t.both("stay.c", "-pthread")
    user = (lab.need("setpriv"), "--reuid=65534", "--regid=65534", "--clear-groups")
    os.chmod(program, 0o4755)
    os.chmod(plain, 0o4755)
    expected = t.run(*user, plain)
    t.lost = "all: such programs are not recorded"

    def once(number):
        same_run(t.run(*user, program), expected)
        check(not os.path.exists(t.path("cinstr.data")), "a program with another user's rights made a folder")

    return once


def root_folder(t, program, proc=False):
    """A root with what the program needs, without /proc."""
    libraries = t.run("ldd", program).stdout
    for path in re.findall(r"(/\S+)", libraries) + [program, lab.RUNTIME]:
        os.makedirs(t.path("root", os.path.dirname(path).lstrip("/")), exist_ok=True)
        shutil.copy(path, t.path("root", path.lstrip("/")))
    os.makedirs(t.path("root", "work"), exist_ok=True)  # the runtime may lie there
    return t.path("root")


@fault("chroot without /proc", (2, 10), "all that is in it: the program, its libraries, an empty folder")
def no_proc(t):
    need_root()
    tool = lab.need("chroot")
    program, plain = t.both("phases.c", "-pthread")
    words = ("grow=10", "grow=13", "grow=15")
    expected = t.run(plain, *words)
    t.lost = "the command line and the names of modules as the kernel has them"

    def once(number):
        root = root_folder(t, program)
        same_run(t.run(tool, root, program, *words), expected)
        os.rename(os.path.join(root, "truth"), t.path("truth"))
        t.all_there("root/cinstr.data")

    return once


@fault("/proc is taken away", (2, 10), "in a mount name space of its own, before the program starts")
def proc_gone(t):
    need_root()
    program, plain = t.both("phases.c", "-pthread")
    words = ("grow=10", "grow=13", "grow=15")
    expected = t.run(plain, *words)
    script = 'mount -t tmpfs none /proc 2>/dev/null || exit 77; exec "$@"'
    command = (lab.need("unshare"), "-m", "/bin/sh", "-c", script, "sh")
    if t.run(*command, "true").returncode:
        raise Skip("cannot take /proc away here")
    t.lost = "the command line and the names of modules as the kernel has them"

    def once(number):
        same_run(t.run(*command, program, *words), expected)
        t.all_there()

    return once


@fault("time-stamp counter not used", (3, 20), "CINSTR_CLOCK=monotonic: what is done where it is not invariant")
def monotonic(t):
    program, plain = t.both("stay.c", "-pthread")
    expected = t.run(plain, "50")

    def once(number):
        os.path.exists(t.path("truth")) and os.remove(t.path("truth"))
        same_run(t.run(program, "50", env={"CINSTR_CLOCK": "monotonic"}), expected)
        totals = t.all_there(threads=0)
        check("CLOCK_MONOTONIC_RAW" in totals["info"], "info does not name the clock")

    return once


@fault("time name space", (3, 20), "unshare --time with monotonic and boottime moved by 100,000 s and more")
def time_space(t):
    program, plain = t.both("stay.c", "-pthread")
    command = (lab.need("unshare"), "--time", "--monotonic", "100000", "--boottime", "777777")
    expected = t.run(*command, plain, "50")
    if expected.returncode:
        raise Skip("no time name spaces here")

    def once(number):
        os.path.exists(t.path("truth")) and os.remove(t.path("truth"))
        same_run(t.run(*command, program, "50"), expected)
        totals = t.all_there(threads=0)
        check(totals["duration_ns"] < 20e9, f"recorded for {totals['duration_ns']} ns")

    return once


# ---- under other tools ---------------------------------------------------------------------------


def under(name, how, tool, *words, runs=(1, 5), flags=(), milliseconds="20", output=None):
    @fault(name, runs, how)
    def prepare(t):
        lab.need(tool)
        program, plain = t.both("stay.c", "-pthread", *flags)
        expected = t.run(tool, *words, plain, milliseconds)
        if "not permitted" in expected.stderr:
            raise Skip(f"{tool} may not trace here")

        def once(number):
            os.path.exists(t.path("truth")) and os.remove(t.path("truth"))
            got = t.run(tool, *words, program, milliseconds)
            equal((got.returncode, got.stdout), (expected.returncode, expected.stdout), "run")
            if output:
                output(got, expected)
            t.all_there(threads=0)

        return once


def no_errors(got, expected):
    equal(got.stderr, expected.stderr, "what it says")


under("valgrind",
      "memcheck: the same silence, and every call", "valgrind", "-q", "--error-exitcode=9", output=no_errors)
under("strace -f", "stopped at every system call", "strace", "-f", "-o", "trace", milliseconds="50")


def debugged(name, how, *begin, refused=0):
    @fault(name, (1, 5), how)
    def prepare(t):
        return gdb(t, begin, refused)


def gdb(t, begin, refused):
    tool = lab.need("gdb")
    program = t.compile("stay.c", "-pthread")

    def once(number):
        words = []
        for command in ("set confirm off", "set debuginfod enabled off", "set breakpoint pending on", *begin,
                        "backtrace", "stepi 5", "continue", "delete", "continue"):
            words += ["-ex", command]
        done = t.run(tool, "-q", "-nx", "-batch", *words, program)
        text = done.stdout + done.stderr
        if "ptrace" in text and "not permitted" in text:
            raise Skip("no ptrace here")
        check(re.search(r"#0 .*middle.*\n#1 .*outer", text), f"no backtrace:\n{text[-1500:]}")
        check("exited normally" in text, f"no normal end:\n{text[-1500:]}")
        totals = t.totals()
        equal(t.truth() - totals["enters"], 2 if refused else 0, "entries that were not recorded")
        equal(", 1 refused (changed by another" in totals["info"], bool(refused), "a probe was refused, says info")
        if refused:
            t.lost = "the probe that the breakpoint lies on; info counts it as refused"

    return once


debugged("gdb, a breakpoint set while running",
         "on an instrumented function: hit twice, a backtrace, steps, on to the end",
         "break pthread_create", "run", "break middle", "continue")
debugged("gdb, a breakpoint set before the start",
         "the same; it lies on the place of a probe", "break middle", "run", refused=1)


def sanitized(name, how, *flags, wrapper=()):
    @fault(name, (1, 5), how)
    def prepare(t):
        if t.bench.compile("trees/nesting.c", "probe", *flags, plugin=None, fails=True).returncode:
            raise Skip("no sanitizer library here")
        program, plain = t.both("stay.c", "-pthread", *flags)
        tool = [lab.need(wrapper[0]), *wrapper[1:]] if wrapper else []
        expected = t.run(*tool, plain, "50")
        if expected.returncode or "unexpected memory mapping" in expected.stderr:
            raise Skip("it does not run on this kernel")

        def once(number):
            os.path.exists(t.path("truth")) and os.remove(t.path("truth"))
            same_run(t.run(*tool, program, "50"), expected)
            t.all_there(threads=1)  # the sanitizer's own constructor is a function, too

        return once


sanitized("AddressSanitizer", "leak check and all", "-fsanitize=address,undefined")
sanitized("ThreadSanitizer", "without randomised addresses: setarch -R", "-fsanitize=thread",
          wrapper=("setarch", "-R"))


@fault("stderr is closed, and written to", (5, 100), "a thread logs to descriptor 2 while the data file grows: it never is that file")
def stderr_closed(t):
    program, plain = t.both("logs.c", "-pthread")

    def once(number):
        same_run(t.run(program, status=0), t.run(plain, status=0))
        t.totals()

    return once
