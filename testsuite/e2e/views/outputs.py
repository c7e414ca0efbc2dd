# SPDX-License-Identifier: GPL-3.0-or-later
"""Where commands write to: what is no plain file stays what it is, and gets what a file would."""
import os
import stat
import threading

import lab

COMMANDS = (
    ("merge",),
    ("html",),
    ("export", "--format=collapsed"),
)


def written(bench, command, name, session):
    done = bench.run(lab.COMMAND, *command, "-o", name, session)
    lab.equal(done.returncode, 0, f"{command[0]} to {os.path.basename(name)}: {done.stderr}")


def read_all(path, into):
    with open(path, "rb") as file:
        into.append(file.read())


@lab.test("outputs/links, pipes and devices stay what they are")
def kinds(bench):
    session = bench.path("cinstr.data")
    bench.run(bench.compile("programs/jumps.c", "jumps", "-O1"), "callbacks", env={"CINSTR_DATA": session}, status=0)
    for command in COMMANDS:
        plain, target, link, pipe = (bench.path(f"{command[0]}-{name}") for name in ("plain", "target", "link", "pipe"))
        written(bench, command, plain, session)
        with open(plain, "rb") as file:
            expected = file.read()
        lab.check(expected, f"{command[0]} writes something")
        with open(target, "w") as file:
            file.write("before")
        os.symlink(os.path.basename(target), link)
        written(bench, command, link, session)
        lab.check(os.path.islink(link), f"{command[0]}: a link stays one")
        with open(target, "rb") as file:
            lab.equal(len(file.read()), len(expected), f"{command[0]}: what the link names is written")
        os.mkfifo(pipe)
        got = []
        reader = threading.Thread(target=read_all, args=(pipe, got), daemon=True)
        reader.start()
        written(bench, command, pipe, session)
        reader.join(lab.TIMEOUT)
        lab.check(stat.S_ISFIFO(os.lstat(pipe).st_mode), f"{command[0]}: a pipe stays one")
        lab.equal([len(one) for one in got], [len(expected)], f"{command[0]}: what comes out of the pipe")
