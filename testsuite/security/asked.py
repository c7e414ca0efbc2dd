# SPDX-License-Identifier: GPL-3.0-or-later
"""Root's program is asked to take part in a session of the neighbour's, or finds one by itself; and
what the command does there."""
import mmap
import os

import lab
from neighbour import NEIGHBOUR, Scene, as_neighbour, attacking, become
from trial import check, equal, fault


def make_session(scene, page):
    os.mkdir(scene.path("theirs"))
    os.chmod(scene.path("theirs"), 0o777)
    for name in ("session", "a.1.00000000.cinstr"):
        with open(scene.path("theirs", name), "wb") as file:
            file.write(page)


def cut(scene):
    """Who follows what is in it dies of SIGBUS."""
    for name in os.listdir(scene.path("theirs")):
        with open(scene.path("theirs", name), "r+b") as file:
            file.truncate(0)
            file.truncate(4096)


def page_of(scene):
    with open(os.path.join(scene.private, "treasure", "session"), "rb") as file:
        return file.read()


@fault("CINSTR_SESSION names the neighbour's", (20, 10000), "while its files are emptied again and again: it is not joined")
def session_variable(t):
    scene = Scene(t).begin()
    as_neighbour(make_session, scene, page_of(scene))

    def once(number):
        with attacking(cut, scene):
            done = scene.run(env={"CINSTR_SESSION": scene.path("theirs")})
        check("cannot join" in done.stderr, f"nothing said: {done.stderr!r}")
        equal(len(os.listdir(scene.path("theirs"))), 2, "files in the neighbour's session")
        scene.recorded()

    return once


def be_ancestor(scene, program):
    """Of this process's, which becomes the neighbour and maps a file of its own, a child that is
    root's runs the program."""
    ready, go = os.pipe()
    child = os.fork()
    if not child:
        os.close(go)
        os.read(ready, 1)  # until the parent is another user
        os.chdir(scene.shared)
        os.execve(program, [program], lab.Bench.environment())
    os.close(ready)
    become()
    lock = os.open(scene.path("theirs", "session"), os.O_RDWR)
    import fcntl
    fcntl.flock(lock, fcntl.LOCK_SH)
    with open(scene.path("theirs", "a.1.00000000.cinstr"), "r+b") as file:
        mapped = mmap.mmap(file.fileno(), 4096)
    os.close(go)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    mapped.close()
    return status


@fault("an ancestor is the neighbour's", (10, 2000), "and seems to record: it maps a file by that name, in a session in use")
def ancestor(t):
    scene = Scene(t).begin()
    as_neighbour(make_session, scene, page_of(scene))

    def once(number):
        pid = os.fork()
        if not pid:
            status = 99
            try:
                status = be_ancestor(scene, scene.program)
            finally:
                os._exit(status & 127)
        equal(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 0, "exit status")
        equal(len(os.listdir(scene.path("theirs"))), 2, "files in the neighbour's session")
        scene.recorded()

    return once


def links(scene):
    """A session folder of links to what root owns."""
    os.mkdir(scene.path("theirs"))
    os.symlink(os.path.join(scene.private, "treasure", "session"), scene.path("theirs", "session"))
    for name in os.listdir("/proc/self/fd"):
        del name
    os.symlink(os.path.join(scene.private, "other", "notes.cinstr"), scene.path("theirs", "b.2.00000000.cinstr"))
    os.mkfifo(scene.path("theirs", "c.3.00000000.cinstr"))


@fault("the command in a folder of the neighbour's", (5, 300), "report, info, summary, control: links are not followed, nothing waits")
def command(t):
    scene = Scene(t)

    def once(number):
        scene.begin()
        check(as_neighbour(links, scene), "no links")
        for words in (("report",), ("info",), ("summary",), ("tree",)):
            scene.run(lab.COMMAND, *words, scene.path("theirs"), status=None)
        for words in (("status",), ("off",), ("mark", "x"), ("choose", "only=x")):
            scene.run(lab.COMMAND, "control", scene.path("theirs"), *words, status=None)
        scene.unharmed()

    return once


@fault("cinstr record beside the neighbour", (10, 2000), "links and FIFOs by the names it uses, with both methods")
def record(t):
    scene = Scene(t)

    def once(number):
        scene.begin()
        as_neighbour(os.symlink, os.path.join(scene.private, "treasure"), scene.path("cinstr.data.old"))
        as_neighbour(os.symlink, os.path.join(scene.private, "other"), scene.path("cinstr.data"))
        method = ("--sample=250us", "--event=cpu-clock") if number % 2 else ()
        scene.run(lab.COMMAND, "record", *method, "--", scene.program, status=None)
        scene.unharmed()
        owners = {os.lstat(scene.path(name)).st_uid for name in scene.sessions()}
        check(owners <= {0, NEIGHBOUR}, f"owners {owners}")
        if not method:
            scene.recorded()

    return once
