# SPDX-License-Identifier: GPL-3.0-or-later
"""What the neighbour has put there before root's program starts."""
import os

import lab
from neighbour import Scene, as_neighbour, report
from trial import check, equal, fault


def link_as_old(scene):
    os.symlink(os.path.join(scene.private, "treasure"), scene.path("cinstr.data.old"))


@fault("FOLDER.old is a symbolic link", (5, 500), "of the neighbour's, in a sticky folder, to a session of root's: it stays")
def old_link(t):
    scene = Scene(t)

    def once(number):
        scene.begin()
        check(as_neighbour(link_as_old, scene), "no link")
        for _ in range(3):
            scene.run()
        scene.unharmed()
        scene.recorded()

    return once


@fault("FOLDER is a symbolic link", (5, 500), "to a session of root's, to a folder of root's, to nothing")
def folder_link(t):
    scene = Scene(t)

    def once(number):
        to = ("treasure", "other", "nothing")[number % 3]
        scene.begin()
        check(as_neighbour(os.symlink, os.path.join(scene.private, to), scene.path("cinstr.data")), "no link")
        scene.run()
        scene.run()
        scene.unharmed()
        scene.recorded()

    return once


def make_fifo_session(scene, name):
    os.mkdir(scene.path(name))
    os.mkfifo(scene.path(name, "session"))
    os.mkfifo(scene.path(name, "a.1.00000000.cinstr"))


@fault("FIFOs in place of files", (6, 500), "`session` in FOLDER and in FOLDER.old, a data file, FOLDER itself: nothing waits for them")
def fifos(t):
    scene = Scene(t)

    def once(number):
        scene.begin()
        owner = as_neighbour if number % 2 else lambda function, *arguments: not function(*arguments)
        if number % 3 == 2:
            check(owner(os.mkfifo, scene.path("cinstr.data")), "no FIFO")
        else:
            name = "cinstr.data" if number % 3 else "cinstr.data.old"
            check(owner(make_fifo_session, scene, name), "no FIFO")
            report(scene, name)
            scene.run(lab.COMMAND, "info", scene.path(name), status=None)
            scene.run(lab.COMMAND, "control", scene.path(name), "status", status=None)
        scene.run()
        scene.run()
        scene.recorded()

    return once


def make_session(scene, name, session):
    os.mkdir(scene.path(name))
    with open(scene.path(name, "session"), "wb") as file:
        file.write(session)


@fault("FOLDER is a session of the neighbour's", (5, 500), "finished: it is neither moved nor written into")
def foreign_session(t):
    scene = Scene(t)
    with open(os.path.join(scene.private, "treasure", "session"), "rb") as file:
        page = file.read()

    def once(number):
        scene.begin()
        for name in ("cinstr.data", "cinstr.data.old")[:1 + number % 2]:
            check(as_neighbour(make_session, scene, name, page), "no session")
        before = os.lstat(scene.path("cinstr.data")).st_ino
        for _ in range(3):
            scene.run()
        equal(os.lstat(scene.path("cinstr.data")).st_ino, before, "the folder")
        equal(os.listdir(scene.path("cinstr.data")), ["session"], "what is in the neighbour's folder")
        scene.recorded()
        scene.unharmed()

    return once


def take_names(scene, first, n):
    for pid in range(first, first + n):
        os.mkdir(scene.path(f"cinstr.data.{pid}"))
        with open(scene.path(f"cinstr.data.{pid}", "x"), "w"):
            pass


@fault("all names are taken", (3, 200), "FOLDER and FOLDER.PID of the next 300 processes: it is FOLDER.PID.N then")
def names_taken(t):
    scene = Scene(t)

    def once(number):
        scene.begin()
        check(as_neighbour(make_session, scene, "cinstr.data", b"x"), "no session")
        pid = os.fork()
        if not pid:
            os._exit(0)
        os.waitpid(pid, 0)
        check(as_neighbour(take_names, scene, pid, 300), "no names")
        scene.run()
        scene.recorded()

    return once


def write_into(path, size):
    with open(path, "r+b") as file:
        if size is not None:
            file.truncate(size)
        file.write(os.urandom(64))


def read_all(path):
    with open(path, "rb") as file:
        file.read()


@fault("a daemon with umask 0", (6, 500), "and with a group's and everybody's right to read (CINSTR_MODE): nobody writes into its files")
def umask(t):
    scene = Scene(t)
    program = t.compile(os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs", "masked.c"))

    def once(number):
        mode = ("0600", "0640", "0644")[number % 3]
        scene.begin()
        scene.run("sh", "-c", 'umask 0; exec "$0"', program, env={"CINSTR_MODE": mode})
        for folder in scene.sessions():
            for name in [""] + os.listdir(scene.path(folder)):
                path = scene.path(folder, name)
                expected = int(mode, 8) if name else int(mode, 8) | 0o700 | (int(mode, 8) & 0o044) >> 2
                equal(oct(os.lstat(path).st_mode & 0o777), oct(expected), f"mode of {folder}/{name}")
                if name:
                    check(not as_neighbour(write_into, path, None), f"the neighbour wrote into {name}")
                    equal(as_neighbour(read_all, path), mode == "0644", f"the neighbour reads {name}")
        equal(len(os.listdir(scene.path("cinstr.data"))), 3, "files: session, parent, child")

    return once
