# SPDX-License-Identifier: GPL-3.0-or-later
"""What the neighbour does again and again while root's program starts and ends."""
import os
import random
import shutil
import time

from neighbour import Scene, attacking
from trial import fault

RACES = (60, 10000)


def swap_links(scene, name):
    """The name is a link to one of root's sessions, to a folder of root's, then nothing."""
    for to in ("treasure", "other"):
        os.symlink(os.path.join(scene.private, to), scene.path(name))
        time.sleep(random.random() * 0.003)
        os.unlink(scene.path(name))


def racing(t, attack, *arguments, mode=0o1777, owner=0, fresh=200):
    """fresh: after so many races the shared folder is a new one."""
    scene = Scene(t, mode, owner).begin()
    state = {}

    def once(number):
        if number % fresh == 0:
            scene.begin()
        scene.run("sh", "-c", 'umask 0; exec "$0"', scene.program)
        if number % 10 == 9 or number + 1 == t.runs:
            scene.unharmed()

    def whole(number):
        if number == 0:
            state["attack"] = attacking(attack, scene, *arguments)
            state["attack"].__enter__()
        try:
            once(number)
        finally:
            if number + 1 == t.runs:
                state["attack"].__exit__(None, None, None)

    return whole


@fault("race: FOLDER.old comes and goes", RACES, "as a link to root's folders, in a sticky folder")
def old(t):
    return racing(t, swap_links, "cinstr.data.old")


@fault("race: FOLDER comes and goes", RACES, "the same")
def folder(t):
    return racing(t, swap_links, "cinstr.data", fresh=1)


def exchange(scene):
    """In the neighbour's own folder: what root has made is renamed away and replaced by links."""
    for name in os.listdir(scene.shared):
        if not name.startswith("cinstr.data") or os.path.islink(scene.path(name)):
            continue
        os.rename(scene.path(name), scene.path("x" + name))
        os.symlink(os.path.join(scene.private, "treasure"), scene.path(name))


@fault("race: folders replaced by links", RACES, "in a folder of the neighbour's, as soon as they are made: what root has elsewhere stays")
def replaced(t):
    t.lost = "what was recorded: the neighbour has moved it"
    return racing(t, exchange, mode=0o755, owner=54321)


def rename_all(scene):
    """Every folder that root makes is called FOLDER.old, or FOLDER.new... of another, and back."""
    names = [name for name in os.listdir(scene.shared) if name.startswith("cinstr.data")]
    for name, other in zip(names, names[1:] + ["cinstr.data.old"]):
        os.rename(scene.path(name), scene.path("away"))
        os.rename(scene.path(other), scene.path(name))
        os.rename(scene.path("away"), scene.path(other))


@fault("race: folders take each other's names", RACES, "in a folder that everybody may write, without the sticky bit")
def renamed(t):
    t.lost = "what was recorded: the neighbour has moved it"
    return racing(t, rename_all, mode=0o777)


def fill(scene):
    """Files and FIFOs wherever they can be made."""
    for name in os.listdir(scene.shared):
        for file in ("session", "x.cinstr", "sampler.ring"):
            path = scene.path(name, file)
            if not os.path.exists(path):
                os.mkfifo(path)
            else:
                with open(path, "r+b") as opened:
                    opened.truncate(0)


@fault("race: files made and emptied", RACES, "in every folder of root's, where the neighbour may")
def filled(t):
    return racing(t, fill)


def own_session(scene):
    """A session of the neighbour's in root's way, the moment that its name is free."""
    path = scene.path("cinstr.data")
    os.mkdir(path)
    os.mkfifo(os.path.join(path, "session"))
    time.sleep(random.random() * 0.003)
    shutil.rmtree(path)


@fault("race: a session of the neighbour's", RACES, "comes and goes as FOLDER, with a FIFO in it")
def sessions(t):
    return racing(t, own_session, fresh=1)
