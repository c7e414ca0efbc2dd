# SPDX-License-Identifier: GPL-3.0-or-later
"""The two users: root, whose program is recorded, and a neighbour who wants to harm it; and what
root owns besides."""
import contextlib
import hashlib
import os
import shutil
import signal
import stat
import time
import traceback

import lab
import trial
from trial import Skip, check, equal

NEIGHBOUR = 54321
DEADLINE = 60  # seconds: nothing may hang


def need_two_users():
    if os.getuid():
        raise Skip("only for root: it needs a second user")


def become():
    os.setgroups([])
    os.setresgid(NEIGHBOUR, NEIGHBOUR, NEIGHBOUR)
    os.setresuid(NEIGHBOUR, NEIGHBOUR, NEIGHBOUR)


def as_neighbour(function, *arguments):
    """Does it as the other user. Returns whether it could be done."""
    pid = os.fork()
    if not pid:
        status = 2
        try:
            become()
            function(*arguments)
            status = 0
        except OSError:
            status = 1
        except BaseException:
            traceback.print_exc()
        os._exit(status)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    check(status in (0, 1), f"the neighbour's attempt broke: {status}")
    return status == 0


@contextlib.contextmanager
def attacking(function, *arguments):
    """The other user does it again and again meanwhile."""
    pid = os.fork()
    if not pid:
        try:
            become()
            os.nice(0)
            while True:
                with contextlib.suppress(OSError):
                    function(*arguments)
        finally:
            os._exit(0)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def tree_of(folder):
    """All that can be told of a folder: names, modes, owners, contents."""
    found = []
    for path, folders, files in os.walk(folder):
        for name in sorted(folders + files):
            whole = os.path.join(path, name)
            status = os.lstat(whole)
            data = b""
            if stat.S_ISREG(status.st_mode):
                with open(whole, "rb") as file:
                    data = file.read()
            found.append((os.path.relpath(whole, folder), status.st_mode, status.st_uid, status.st_ino,
                          hashlib.sha256(data).hexdigest()))
    return sorted(found)


class Scene:
    """A shared folder, where root's program runs, and root's own folder with what must not
    change."""

    def __init__(self, t, mode=0o1777, owner=0):
        need_two_users()
        self.t = t
        self.program = t.compile("brief.c")
        self.shared = t.bench.path("shared")
        self.private = t.bench.path("private")
        self.mode, self.owner = mode, owner
        self.make_private()

    def make_private(self):
        """A session, a folder with a file `session` that is none, files by names that cinstr
        deletes elsewhere."""
        os.mkdir(self.private, 0o700)
        self.t.run(self.program, cwd=self.private, status=0)
        os.rename(os.path.join(self.private, "cinstr.data"), os.path.join(self.private, "treasure"))
        os.mkdir(os.path.join(self.private, "other"))
        for name in ("session", "notes.cinstr", "notes"):
            with open(os.path.join(self.private, "other", name), "w") as file:
                file.write("cinstr session\n" if name == "session" else "precious\n")
        self.before = tree_of(self.private)

    def begin(self):
        """A new shared folder."""
        while os.path.exists(self.shared):  # the neighbour may still be at it
            os.chown(self.shared, 0, 0)
            os.chmod(self.shared, 0o700)
            shutil.rmtree(self.shared, ignore_errors=True)
        os.mkdir(self.shared)
        os.chown(self.shared, self.owner, self.owner)
        os.chmod(self.shared, self.mode)
        return self

    def path(self, *parts):
        return os.path.join(self.shared, *parts)

    def run(self, *command, status=0, env=None):
        """Root's program ends as it does alone, in time."""
        done = self.t.run(*(command or (self.program,)), cwd=self.shared, timeout=DEADLINE, env=env, status=status)
        return done

    def unharmed(self):
        equal(tree_of(self.private), self.before, "what root owns elsewhere")

    def sessions(self):
        return sorted(name for name in os.listdir(self.shared) if name.startswith("cinstr.data"))

    def own_sessions(self):
        """Root's sessions with data: nobody else may read or write them."""
        found = []
        for name in self.sessions():
            status = os.lstat(self.path(name))
            if status.st_uid or not stat.S_ISDIR(status.st_mode) or name.endswith(".old") or \
                    not any(map(os.path.isfile, trial.data_files(self.path(name)))):
                continue
            equal(stat.S_IMODE(status.st_mode), 0o700, f"mode of {name}")
            for file in os.listdir(self.path(name)):
                file_status = os.lstat(self.path(name, file))
                equal((file_status.st_uid, stat.S_IMODE(file_status.st_mode)), (0, 0o600), f"owner, mode of {file}")
                if file.endswith(".cinstr"):
                    found.append(name)
        return found

    def recorded(self):
        check(self.own_sessions(), f"root's program was not recorded; there is {os.listdir(self.shared)}")


def wait_until(condition, what):
    end = time.monotonic() + DEADLINE
    while not condition():
        check(time.monotonic() < end, f"{what}: waited {DEADLINE} s")
        time.sleep(0.001)


def report(scene, session):
    return scene.run(lab.COMMAND, "report", "--format=csv", scene.path(session), status=None)
