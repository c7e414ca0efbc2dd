# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs that start at the same moment in one folder: no session is lost, and none is in a later
one's way."""
import os
import shutil
import struct

import lab
from trial import check, data_files, equal, fault

MAGIC = b"CINSTR\x1a\n"


def sessions(folder):
    return sorted(name for name in os.listdir(folder) if name.startswith("cinstr.data"))


def header_pid(path):
    """The process of a data file; 0: it was killed before it had begun it."""
    with open(path, "rb") as file:
        header = file.read(32)
    return struct.unpack_from("<I", header, 24)[0] if header.startswith(MAGIC) else 0


def pids_in(t, names):
    return {header_pid(path) for name in names for path in data_files(t.path(name))} - {0}


def started(t, n, killed, seed, program):
    """Starts them: {pid: status}."""
    done = t.run(t.starter, str(n), str(killed), str(seed), program, status=0)
    equal(done.stderr, "", "said on stderr")
    return {int(pid): int(status) for pid, status in (line.split() for line in done.stdout.splitlines())}


def all_recorded(t, ended):
    """Each that has ended by itself has its file: in FOLDER, FOLDER.PID, or, if another began
    behind its end, FOLDER.old."""
    names = [name for name in sessions(t.folder) if ".new." not in name]
    found = pids_in(t, names)
    missing = [pid for pid, status in ended.items() if status == 0 and pid not in found]
    check(not missing, f"not recorded: {len(missing)} of {len(ended)}; there are {sessions(t.folder)}")


def next_is_recorded(t, program):
    done = t.run(program, status=0)
    equal(done.stderr, "", "said by a later run")
    check(pids_in(t, ["cinstr.data"]), "a later run is not in cinstr.data")


def whole(t, before):
    """What was in cinstr.data before is there, or in .old, or, if that many came since, gone with
    all of it."""
    for name in sessions(t.folder):
        files = {os.path.basename(path) for path in data_files(t.path(name))}
        check(not files & before or files == before, f"half of the session of before is in {name}")


def starts(t, n, killed):
    t.starter = t.compile("starter.c", plugin=None)
    program = t.compile("brief.c")
    folder = t.bench.path("together")
    os.mkdir(folder)

    def once(number):
        t.folder = folder  # the same for all trials: what one leaves is there for the next
        before = {os.path.basename(path) for path in data_files(t.path("cinstr.data"))} if number else set()
        all_recorded(t, started(t, n, killed, t.random.randrange(1 << 30), program))
        whole(t, before)
        next_is_recorded(t, program)
        if number % 50 == 49:
            t.totals()
        for name in sessions(folder):
            if name not in ("cinstr.data", "cinstr.data.old"):
                shutil.rmtree(t.path(name))

    return once


@fault("two programs at one moment", (150, 10000), "in one folder, that of the trial before: each is recorded")
def two(t):
    return starts(t, 2, 0)


@fault("four programs at one moment", (75, 10000), "the same; one of them is killed in its first milliseconds")
def four(t):
    t.lost = "what was killed before it had begun its file"
    return starts(t, 4, 1)


@fault("sixteen programs at one moment", (25, 10000), "the same; five of them are killed")
def sixteen(t):
    t.lost = "what was killed before it had begun its file"
    return starts(t, 16, 5)


def broken_folders(t):
    """What the version that deleted by path has left: an .old without its lock file."""
    t.run(t.program, status=0)
    t.run(t.program, status=0)
    os.remove(t.path("cinstr.data.old", "session"))


@fault("a folder left broken by an earlier version", (3, 100),
       "FOLDER.old, or FOLDER, without its file `session`: the next run is recorded in FOLDER")
def broken(t):
    t.program = t.compile("brief.c")

    def once(number):
        broken_folders(t)
        if number % 2:
            os.remove(t.path("cinstr.data", "session"))
        for _ in range(3):
            next_is_recorded(t, t.program)
        equal(sessions(t.folder), ["cinstr.data", "cinstr.data.old"], "sessions")

    return once


@fault("400 runs by xargs -P 3", (1, 25), "seq 1 400 | xargs -P 3 -I{} ./program: each is recorded")
def xargs(t):
    program = t.compile("brief.c")
    tool = lab.need("xargs")

    def once(number):
        words = "".join(f"{i}\n" for i in range(1, 401))
        done = t.run(tool, "-P", "3", "-I{}", program, input=words, status=0)
        equal(done.stderr, "", "said on stderr")
        # Those that ended one after another have taken each other's place: FOLDER, FOLDER.old and
        # those beside it are left.
        names = sessions(t.folder)
        check(all(len(data_files(t.path(name))) == 1 for name in names), f"not one process a session: {names}")
        next_is_recorded(t, program)

    return once


@fault("through a pipe, and make -j", (3, 100), "program | program, and four goals of one make at once")
def pipes(t):
    program = t.compile("brief.c")
    make = lab.need("make")

    def once(number):
        done = t.run("sh", "-c", '"$0" | "$0"', program, status=0)
        equal(done.stderr, "", "said on stderr")
        check(len(sessions(t.folder)) >= 1, "no session")
        with open(t.path("Makefile"), "w") as file:
            file.write("all: 1 2 3 4\n1 2 3 4:\n\t@" + program + "\n")
        done = t.run(make, "-j4", status=0)
        equal(done.stderr, "", "said on stderr")
        next_is_recorded(t, program)

    return once
