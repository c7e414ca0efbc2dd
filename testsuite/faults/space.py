# SPDX-License-Identifier: GPL-3.0-or-later
"""No room: disk, quota, folders, descriptors, address space, locked memory."""
import contextlib
import os
import resource
import shutil
import subprocess

import lab
from trial import NOTHING, Skip, check, data_files, equal, fault, same_but_said, same_run, wait_for_data

UP_TO_THERE = "what comes after that moment, up to {most} entries of 902,148; said on stderr and by info"
AT_LAST = "what comes behind 16 MB more of data, {most} entries; said on stderr and by info"
GROW = ("grow=10", "grow=13", "grow=15")


@contextlib.contextmanager
def small_disk(t, kilobytes):
    """A tmpfs of that size, in the trial's folder. The truth is kept outside."""
    os.mkdir(t.path("disk"))
    mount = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", t.path("disk")],
                           capture_output=True)
    if mount.returncode:
        raise Skip("cannot mount a small file system here")
    try:
        yield t.path("disk")
    finally:
        subprocess.run(["umount", "-l", t.path("disk")], check=False)


def sizes(runs, first, last):
    """Steps that grow: every one of the first, small ones."""
    ratio = (last / first) ** (1 / max(1, runs - 1))
    return [int(first * ratio ** i) for i in range(runs)]


@fault("full disk at every allocation", (30, 300),
       "tmpfs of 4 KB up to 160 MB in steps: each step of the file's growth fails once")
def full_disk(t):
    program, plain = t.both("phases.c", "-pthread")
    expected = t.run(plain, *GROW)
    t.lost = UP_TO_THERE
    steps = sizes(t.runs, 4, 160 << 10)

    def once(number):
        with small_disk(t, steps[number]) as disk:
            got = t.run(program, *GROW, env={"CINSTR_DATA": os.path.join(disk, "cinstr.data")})
            same_but_said(got, expected)
            t.stated(got, "disk/cinstr.data")

    return once


def limited(which, value):
    return lambda: resource.setrlimit(which, (value, resource.RLIM_INFINITY))


@fault("limit on the size of files (ulimit -f)", (30, 300), "0 up to 160 MB in steps; SIGXFSZ is never raised")
def file_limit(t):
    program, plain = t.both("phases.c", "-pthread")
    expected = t.run(plain, *GROW)
    t.lost = UP_TO_THERE
    # the program's own file needs 32768 bytes
    steps = [32768] + sizes(t.runs - 1, 40000, 160 << 20)

    def once(number):
        got = t.run(program, *GROW, preexec_fn=limited(resource.RLIMIT_FSIZE, steps[number]))
        same_but_said(got, expected)
        t.stated(got)

    return once


@fault("limit on the size of files, set while running", (5, 50), "setrlimit between phases")
def file_limit_later(t):
    program, plain = t.both("phases.c", "-pthread")
    t.lost = UP_TO_THERE

    def once(number):
        words = ("grow=10", f"fsize={t.random.randrange(0, 8 << 20)}", "grow=13", "grow=15")
        expected = t.run(plain, *words)
        os.remove(t.path("truth"))
        t.stated(same_but_said(t.run(program, *words), expected))

    return once


@fault("no address space (ulimit -v)", (40, 200), "from what the plain program needs up to 2 GB in steps")
def address_space(t):
    program, plain = t.both("phases.c", "-pthread")
    expected = t.run(plain, *GROW)
    t.lost = "all (not said where the runtime's own library finds no room), or " + UP_TO_THERE
    steps = sizes(t.runs, 2600 << 10, 2 << 30)

    def once(number):
        limit = limited(resource.RLIMIT_AS, steps[number])
        bare = t.run(plain, *GROW, preexec_fn=limit)
        os.remove(t.path("truth")) if os.path.exists(t.path("truth")) else None
        got = t.run(program, *GROW, preexec_fn=limit)
        if got.returncode == 127 and "error while loading shared libraries" in got.stderr:
            return  # the loader itself has no room for one more library
        if bare.returncode or got.returncode:
            same_but_said(got, bare)
            return
        same_but_said(got, expected)
        if steps[number] < 5 << 20 and not got.stderr and not os.path.exists(t.path("cinstr.data")):
            return  # not even the runtime's library: nobody is there to say so
        t.stated(got)

    return once


@fault("no memory for data (RLIMIT_DATA)", (20, 100), "the limit comes between phases, in steps of 64 KB from 0")
def data_limit(t):
    program, plain = t.both("phases.c", "-pthread")
    t.lost = UP_TO_THERE

    def once(number):
        words = ("grow=10", f"data={number << 16}", "grow=13", "grow=15")
        expected = t.run(plain, *words)
        os.remove(t.path("truth"))
        t.stated(same_but_said(t.run(program, *words), expected))

    return once


@fault("limit on the address space, set while running", (5, 50),
       "setrlimit to 256 MB and 64 to 192 MB of malloc between phases")
def address_space_later(t):
    program, plain = t.both("phases.c", "-pthread")

    def once(number):
        words = ("grow=10", f"as={256 << 20}", f"alloc={t.random.randrange(64 << 20, 192 << 20)}", "grow=13", "grow=14")
        expected = t.run(plain, *words)
        os.remove(t.path("truth"))
        same_run(t.run(program, *words), expected)
        t.all_there()

    return once


# ---- folders -------------------------------------------------------------------------------------


def as_user():
    """Words before a command that run it without the rights of root."""
    return [lab.need("setpriv"), "--reuid=65534", "--regid=65534", "--clear-groups"] if os.getuid() == 0 else []


@fault("read-only folder", (3, 10), "a user without the right to write there")
def readonly(t):
    program, plain = t.both("trees/nesting.c")
    t.lost = "all; said on stderr"
    expected = t.run(plain)

    def once(number):
        os.mkdir(t.path("readonly"), 0o555)
        got = same_but_said(t.run(*as_user(), program, cwd=t.path("readonly")), expected)
        check(got.stderr, "nobody said that there is no recording")

    return once


def moved(name, runs, how, words, session, lost=NOTHING, user=False, needs_data=True):
    @fault(name, runs, how)
    def prepare(t):
        if words[1].startswith(("chroot", "setuid")) and os.getuid():
            raise Skip("only for root")
        program, plain = t.both("phases.c", "-pthread")
        t.lost = lost
        os.chmod(program, 0o755)

        def once(number):
            for one in "cinstr.data", "jail":  # what the plain program does the same to
                os.mkdir(t.path(one))
                os.chmod(t.path(one), 0o777)
            expected = t.run(*(as_user() if user else []), plain, *words)
            for leftover in os.listdir(t.folder):
                path = t.path(leftover)
                shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)
            os.mkdir(t.path("jail"))
            os.chmod(t.path("jail"), 0o777)
            got = same_but_said(t.run(*(as_user() if user else []), program, *words), expected)
            if lost == NOTHING:
                equal(got.stderr, expected.stderr, "stderr")
                t.all_there(session)
            elif needs_data:
                t.stated(got, session)
            else:
                check(got.stderr, "nobody said that recording ended")

        return once


moved("folder moved while running", (5, 50), "rename between phases, not as root, then the file grows",
      ("grow=10", "rename=cinstr.data:elsewhere", "grow=13", "grow=15"), "elsewhere", user=True)
moved("folder moved twice, the second time into another", (3, 20), "its name is then one that the program never had",
      ("grow=10", "rename=cinstr.data:first", "grow=13", "rename=first:jail/a b\nc", "grow=15"), "jail/a b\nc",
      user=True)
moved("folder moved, then fork", (3, 20), "the child's file goes where the folder is now",
      ("grow=10", "rename=cinstr.data:elsewhere", "fork", "grow=13", "grow=15"), "elsewhere", user=True)
moved("folder deleted while running", (5, 50), "unlink and rmdir between phases",
      ("grow=10", "rmtree=cinstr.data", "grow=13", "grow=15"), "cinstr.data",
      lost="all; said on stderr", needs_data=False)
moved("chroot() while running", (3, 30),
      "between phases; the file is out of reach from then on: 16 MB more, then recording ends",
      ("grow=10", "chroot=jail", "grow=13", "grow=15", "grow=17"), "cinstr.data", lost=AT_LAST)
moved("setuid() while running", (3, 30), "root drops its rights between phases: the file is root's; as above",
      ("grow=10", "setuid=65534", "grow=13", "grow=15", "grow=17"), "cinstr.data", lost=AT_LAST)


@fault("data file truncated by someone, before its process goes on", (3, 30),
       "to nothing; see below")
def truncated(t):
    program = t.compile("phases.c", "-pthread")
    t.lost, t.known = "the program: SIGBUS at its next probe", True

    def once(number):
        process = t.start(program, "grow=10", "ready", "grow=10", stdin=subprocess.PIPE)
        wait_for_data(process, t.path("cinstr.data"))
        while process.stdout.readline() != "ready\n":
            check(process.poll() is None, "it ended")
        os.truncate(data_files(t.path("cinstr.data"))[0], 0)
        process.communicate("\n", timeout=lab.TIMEOUT)
        equal(process.returncode, 0, "exit status")

    return once


@fault("session's lock file truncated by someone, before its process goes on", (3, 30),
       "to nothing; see below")
def lock_truncated(t):
    program = t.compile("phases.c", "-pthread")
    t.lost, t.known = "the program: SIGBUS at its next look at the session's state", True

    def once(number):
        process = t.start(program, "grow=10", "ready", "grow=13", stdin=subprocess.PIPE)
        wait_for_data(process, t.path("cinstr.data"))
        while process.stdout.readline() != "ready\n":
            check(process.poll() is None, "it ended")
        os.truncate(t.path("cinstr.data", "session"), 0)
        process.communicate("\n", timeout=lab.TIMEOUT)
        equal(process.returncode, 0, "exit status")

    return once


# ---- descriptors ---------------------------------------------------------------------------------


@fault("no descriptors left at start", (8, 8), "ulimit -n 0 to 7")
def descriptors(t):
    program, plain = t.both("trees/nesting.c")
    t.lost = "all; said on stderr if that is open"

    def once(number):
        limit = lab.need("prlimit"), f"--nofile={number}"
        expected = t.run(*limit, plain)
        got = t.run(*limit, program)
        if got.returncode == 127 and "error while loading shared libraries" in got.stderr:
            return  # the loader itself needs one for each library
        same_but_said(got, expected)

    return once


@fault("no descriptors left when the file grows", (5, 50),
       "the program takes all of 64 between phases, and gives them back")
def eaten(t):
    program, plain = t.both("phases.c", "-pthread")
    words = ("nofile=64", "grow=10", "eat", "grow=13", "grow=14", "release", "fd", "grow=15")
    expected = t.run(plain, *words)

    def once(number):
        os.remove(t.path("truth")) if os.path.exists(t.path("truth")) else None
        same_run(t.run(program, *words), expected)
        t.all_there()

    return once


@fault("program closes every descriptor", (5, 50), "between phases")
def closes(t):
    program, plain = t.both("phases.c", "-pthread")
    words = ("grow=10", "closeall", "fd", "grow=13", "closeall", "grow=15", "fd")
    expected = t.run(plain, *words)

    def once(number):
        same_run(t.run(program, *words), expected)
        t.all_there()

    return once


@fault("program closes every descriptor, all the time", (10, 100),
       "a thread closes 3 to 199 in a loop while the file grows")
def close_loop(t):
    program, plain = t.both("phases.c", "-pthread")
    words = ("closeloop",) + GROW
    expected = t.run(plain, *words)

    def once(number):
        same_run(t.run(program, *words), expected)
        t.all_there()

    return once


# ---- locked memory -------------------------------------------------------------------------------


def locked(name, words):
    @fault(name, (8, 60), "memlock of 64 KB to 1 MB (the plain program fails, too), and of 16 MB to 1 GB, not as root")
    def prepare(t):
        program, plain = t.both("phases.c", "-pthread")
        steps = sizes(t.runs // 4, 64 << 10, 1 << 20) + sizes(t.runs - t.runs // 4, 16 << 20, 1 << 30)
        t.lost = UP_TO_THERE

        def once(number):
            these = (f"memlock={steps[number]}",) + words
            expected = t.run(*as_user(), plain, *these)
            os.remove(t.path("truth"))
            t.stated(same_but_said(t.run(*as_user(), program, *these), expected))

        return once


locked("mlockall(MCL_CURRENT) with a limit", ("grow=10", "lock=current", "grow=13", "grow=15"))
locked("mlockall(MCL_FUTURE) with a limit", ("grow=10", "lock=future", "grow=13", "grow=15"))
