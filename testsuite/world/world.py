# SPDX-License-Identifier: GPL-3.0-or-later
"""lua5.4 and sqlite3 from Debian's sources: how they are built and what they are given to do."""
import glob
import os
import resource
import shlex
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(os.path.join(HERE, "../.."))
BUILD = os.path.abspath(os.environ.get("BUILD", os.path.join(ROOT, "build")))
CC = shlex.split(os.environ.get("CC", "gcc"))
WORLD = os.path.join(BUILD, "world")
PLUGIN = os.path.join(BUILD, "cinstr.so")
COMMAND = os.path.join(BUILD, "cinstr")


class Program:
    """Sources, flags, the arguments of its work and what it reads."""

    def __init__(self, sources, flags, libraries, args, script=None):
        self.sources, self.flags, self.libraries = sources, flags, libraries
        self.args, self.script = args, script

    def run(self, binary, env=None, wrap=(), cwd=WORLD, args=None):
        clean = {k: v for k, v in os.environ.items() if not k.startswith("CINSTR")}
        # every call is timed, and nothing sampled, unless env or a flag says so
        clean.update({"CINSTR_METHOD": "instrumentation"}, **(env or {}))
        with open(self.script or os.devnull) as work:
            return subprocess.run([*wrap, binary, *(self.args if args is None else args)], stdin=work, env=clean,
                                  cwd=cwd, capture_output=True, check=False)


def fetch(*names):
    """Gets the sources of these programs (see fetch.sh); of none named: of programs()."""
    subprocess.run([os.path.join(HERE, "fetch.sh"), *names], check=True, env=dict(os.environ, BUILD=BUILD))
    # Debian's package makes this header while it builds.
    os.makedirs(os.path.join(WORLD, "include"), exist_ok=True)
    with open(os.path.join(WORLD, "include", "lua5.4-deb-multiarch.h"), "w") as header:
        header.write('#define DEB_HOST_MULTIARCH ""\n')


def programs():
    lua = [s for s in sorted(glob.glob(os.path.join(WORLD, "lua/src/*.c"))) if os.path.basename(s) != "luac.c"]
    sqlite = [os.path.join(WORLD, "sqlite", name) for name in ("sqlite3.c", "shell.c")]
    return {
        "lua": Program(lua, ["-DLUA_USE_POSIX", "-DLUA_USE_DLOPEN", "-I" + os.path.join(WORLD, "include")],
                       ["-lm", "-ldl"], [os.path.join(HERE, "work.lua"), "10"]),
        "sqlite": Program(sqlite, ["-DSQLITE_THREADSAFE=1"], ["-lm", "-ldl", "-lpthread"],
                          [":memory:"], os.path.join(HERE, "work.sql")),
    }


def compile(program, binary, flags, plugin=False):
    """Compiles one source at a time (as make would) and links. Returns seconds of processor time
    used."""
    folder = binary + ".o"
    os.makedirs(folder, exist_ok=True)
    with_plugin = ["-fplugin=" + PLUGIN] if plugin else []
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    objects = []
    for source in program.sources:
        objects.append(os.path.join(folder, os.path.basename(source)[:-2] + ".o"))
        subprocess.run([*CC, "-w", *with_plugin, *flags, *program.flags, "-c", source, "-o", objects[-1]], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([*CC, *with_plugin, *flags, *objects, "-o", binary, *program.libraries], check=True)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
