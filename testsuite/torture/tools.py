# SPDX-License-Identifier: GPL-3.0-or-later
"""Compilers and programs as processes: bounded in time and size, with their output in files."""
import json
import os
import re
import resource
import select
import shlex
import signal
import subprocess

COMPILE_LIMIT = 300  # seconds
RUN_LIMIT = 20
OUTPUT_LIMIT = 1 << 20  # bytes of a program's output that are compared
TIMEOUT = "timeout"
# Options of the plugin by which a program may be recorded without any function.
LEAVES_OUT = r"small=0*[1-9]|include|exclude|region|start|suspend|stop|resume|filter|list"


def limit_files():
    """For all processes that are started from here: no core files, and no file that fills the
    disk."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 30, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))


def environment(**more):
    """The environment without make's variables and without options of cinstr but those given."""
    left_out = ("CINSTR", "MAKE", "MFLAGS", "GCC_", "LD_PRELOAD")
    kept = {k: v for k, v in os.environ.items() if not k.startswith(left_out)}
    return dict(kept, LC_ALL="C", **more)


def run(command, folder, env, limit, output):
    """Runs a command in a folder, with its output in OUTPUT.out and .err. Returns its status (-N:
    signal N), or TIMEOUT. What it started and left running is killed: its group lives as long as
    the leader is not waited for."""
    with open(output + ".out", "wb") as out, open(output + ".err", "wb") as err:
        process = subprocess.Popen(command, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                                   start_new_session=True)
    watch = os.pidfd_open(process.pid)
    try:
        poll = select.poll()
        poll.register(watch, select.POLLIN)
        ended = poll.poll(limit * 1000)
    finally:
        os.close(watch)
        os.killpg(process.pid, signal.SIGKILL)
        status = process.wait()
    return status if ended else TIMEOUT


def output(name):
    """What a command printed: stdout and stderr as text. Bytes that are no UTF-8 stay distinct."""
    texts = []
    for end in (".out", ".err"):
        with open(name + end, "rb") as file:
            texts.append(file.read(OUTPUT_LIMIT).decode(errors="backslashreplace"))
    return texts


class Tools:
    """The compilers, the plugin with its options, and the command."""

    def __init__(self, build, plugin_args, probes):
        self.build = build
        self.cc = shlex.split(os.environ.get("CC", "gcc"))
        self.cxx = self.cc[:-1] + [os.path.join(os.path.dirname(self.cc[-1]),
                                                os.path.basename(self.cc[-1]).replace("gcc", "g++"))]
        self.plugin = os.path.join(build, "cinstr.so")
        self.command = os.path.join(build, "cinstr")
        self.probes = probes
        self.identity = self.compiler_identity()
        default = ["small=0"] if not any(a.startswith("small=") for a in plugin_args) and self.has("small=0") else []
        self.plugin_args = default + plugin_args
        # Rules that leave functions out may leave out all of them.
        self.keeps_all = not any(re.match(LEAVES_OUT, arg) for arg in self.plugin_args)

    def compiler_identity(self):
        asked = [subprocess.run(self.cc + [flag], capture_output=True, text=True, env=environment(), check=True).stdout
                 for flag in ("-dumpmachine", "--version")]
        return " ".join(asked[0].split() + asked[1].split("\n")[0].split())

    def with_plugin(self, args=None, checking=True):
        """The flags that instrument; the second level of GCC's own checks is on."""
        given = self.plugin_args if args is None else args
        return ["-fchecking=2"] * checking + [f"-fplugin={self.plugin}"] + \
            [f"-fplugin-arg-cinstr-{arg}" for arg in given]

    def has(self, option):
        """Whether the plugin takes an option."""
        command = self.cc + self.with_plugin([option]) + ["-S", "-x", "c", os.devnull, "-o", os.devnull]
        return subprocess.run(command, capture_output=True, env=environment()).returncode == 0

    def compiler(self, source):
        return self.cxx if source.endswith((".C", ".cc")) else self.cc

    def session(self, folder):
        """A session's totals. Grouped by process, no symbols are read, which is a tenth of the
        time."""
        done = subprocess.run([self.command, "report", "--by=process", "--format=json", folder], capture_output=True,
                              text=True, errors="replace", env=environment(), timeout=RUN_LIMIT * 3)
        if done.returncode or done.stderr:
            raise ValueError(f"cinstr report: status {done.returncode}: {done.stderr.strip()[-300:]}")
        return json.loads(done.stdout)["session"]
