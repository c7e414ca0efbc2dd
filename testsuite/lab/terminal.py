# SPDX-License-Identifier: GPL-3.0-or-later
"""A terminal with a command in it, by tmux: sends keys, waits for what the screen is to show."""
import itertools
import os
import re
import shlex
import subprocess
import time

import lab

DEADLINE = int(os.environ.get("DEADLINE", "60"))  # seconds for a screen: machines are busy
ENDED = "ended with "
NUMBERS = itertools.count()


class Terminal:
    """with Terminal(bench, command, ...) as terminal: the command runs in it."""

    def __init__(self, bench, *command, width=80, height=24, env=None, before=""):
        lab.need("tmux")
        self.socket = bench.path(f"tmux-{next(NUMBERS)}")  # the one before may still be ending
        self.environment = bench.environment({"LC_ALL": "C.UTF-8", **(env or {})})
        self.environment.pop("TMUX", None)
        # What the command leaves on the screen is followed by its exit status.
        script = f"{before} {' '.join(map(shlex.quote, command))}; echo {ENDED}$?; exec cat"
        self.tmux("new-session", "-d", "-x", str(width), "-y", str(height), "-c", bench.folder,
                  *[word for item in (env or {}).items() if item[0] != "TERM" for word in ("-e", "=".join(item))],
                  "sh", "-c", script)

    def tmux(self, *args):
        done = subprocess.run(["tmux", "-S", self.socket, "-f", os.devnull, "-u", *args], env=self.environment, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=lab.TIMEOUT, errors="replace")
        lab.equal(done.returncode, 0, f"tmux {args[0]}: {done.stderr}")
        return done.stdout

    def __enter__(self):
        return self

    def __exit__(self, *_):
        subprocess.run(["tmux", "-S", self.socket, "kill-server"], capture_output=True, timeout=lab.TIMEOUT)

    def keys(self, *keys):
        for key in keys:
            self.tmux("send-keys", key)

    def type(self, text):
        self.tmux("send-keys", "-l", text)

    def resize(self, width, height):
        self.tmux("resize-window", "-x", str(width), "-y", str(height))

    def screen(self, *how):
        return self.tmux("capture-pane", "-p", *how)

    def lines(self):
        return self.screen().split("\n")

    def pid(self):
        """Of the command: the shell's child."""
        return int(subprocess.run(["pgrep", "-P", self.tmux("display", "-p", "#{pane_pid}").strip()], text=True,
                                  capture_output=True).stdout.split()[0])

    def wait(self, *patterns, line=None):
        """Until each is found on the screen, or on one of its lines. Returns the screen."""
        end = time.monotonic() + DEADLINE
        while True:
            screen = self.screen()
            looked_at = screen if line is None else "".join(screen.split("\n")[line:][:1])
            if all(re.search(pattern, looked_at, re.M) for pattern in patterns):
                return screen
            lab.check(time.monotonic() < end, f"the screen has not {patterns}:\n{screen}")
            time.sleep(0.02)

    def ended(self, status):
        self.wait(f"^{ENDED}{status}$")
