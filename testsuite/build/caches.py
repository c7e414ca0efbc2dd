# SPDX-License-Identifier: GPL-3.0-or-later
"""ccache: it keeps working, and what it keeps is never mixed: plain and instrumented, plugins,
options, filters."""
import json
import os
import re
import shutil

import lab
import yard

MASQUERADE = "/usr/lib/ccache"
# How a build comes to ccache: what is added to its environment, and its compiler.
WAYS = {
    "first in PATH": ({"PATH": MASQUERADE + ":" + os.environ["PATH"]}, yard.CC),
    "CC='ccache gcc'": ({}, "ccache " + yard.CC),
    "by its path": ({}, "/usr/bin/ccache " + yard.CC),
    "both": ({"PATH": MASQUERADE + ":" + os.environ["PATH"]}, "ccache " + yard.CC),
}
MODES = {
    "direct": {},
    "preprocessed": {"CCACHE_NODIRECT": "1"},
    "depend": {"CCACHE_DEPEND": "1"},
    "hard links": {"CCACHE_HARDLINK": "1"},
    "by content": {"CCACHE_COMPILERCHECK": "content"},
}


class Cache:
    """A project, and ccache's folder, in the test's."""

    def __init__(self, bench, way, mode="direct"):
        lab.need("ccache")
        if "PATH" in WAYS[way][0] and not os.path.exists(os.path.join(MASQUERADE, yard.CC)):
            raise lab.Skip(f"no {MASQUERADE}/{yard.CC} here")
        self.bench, (env, self.cc) = bench, WAYS[way]
        self.env = {"CCACHE_DIR": bench.path("ccache"), **env, **MODES[mode]}
        self.command = lab.COMMAND
        bench.write("a.c", yard.WORK)
        bench.write("Makefile", "a.o: a.c\n\t$(CC) -O2 -MD -c a.c -o a.o\n")

    def hits(self):
        text = yard.run(self.bench, "ccache", "--print-stats", env=self.env).stdout
        return sum(int(n) for n in re.findall(r"^(?:direct|preprocessed)_cache_hit\s+(\d+)", text, re.MULTILINE))

    def compile(self, probed, hit, *options):
        """Once; whether with the plugin, and whether it is to come from the cache. Returns what was
        said."""
        before = self.hits()
        if os.path.exists(self.bench.path("a.o")):
            os.unlink(self.bench.path("a.o"))
        with_plugin = [self.command, "build", *options, "--"] if probed else []
        done = yard.run(self.bench, *with_plugin, "make", env={**self.env, "CC": self.cc})
        lab.equal(yard.has_probes(self.bench, "a.o"), probed, "probes")
        lab.equal(self.hits() - before, hit, "from the cache")
        return done


def never_mixed(bench, way, mode):
    cache = Cache(bench, way, mode)
    cache.compile(False, 0)
    cache.compile(True, 0)
    cache.compile(False, 1)
    cache.compile(True, 1)
    cache.compile(True, 0, "--small=0")
    cache.compile(True, 1)
    cache.compile(True, 1, "--small=0")


for name in WAYS:
    lab.TESTS.append((f"ccache/{name}", lambda bench, way=name: never_mixed(bench, way, "direct")))
for name in MODES:
    lab.TESTS.append((f"ccache/{name}", lambda bench, mode=name: never_mixed(bench, "first in PATH", mode)))
    lab.TESTS.append((f"ccache/ccache gcc, {name}", lambda bench, mode=name: never_mixed(bench, "CC='ccache gcc'", mode)))


def another_plugin(bench, way):
    """One that was built anew."""
    cache = Cache(bench, way)
    cache.command = yard.installation(bench)
    cache.compile(True, 0)
    cache.compile(True, 1)
    os.utime(bench.path("installed/cinstr.so"), (1, 1))
    cache.compile(True, 0)
    cache.compile(True, 1)


def another_filter(bench, way):
    """The same file, with other rules in it."""
    cache = Cache(bench, way)
    bench.write("a.filter", "small 0\n")
    cache.compile(True, 0, "--filter=a.filter")
    cache.compile(True, 1, "--filter=a.filter")
    first = notes(bench)
    bench.write("a.filter", "small 0\nexclude leaf\n")
    cache.compile(True, 0, "--filter=a.filter")
    lab.check(notes(bench) != first, "the filter changed, but not what is instrumented")
    cache.compile(True, 1, "--filter=a.filter")
    cache.compile(True, 0)


def notes(bench):
    return yard.run(bench, "objdump", "-d", bench.path("a.o")).stdout


for name in WAYS:
    lab.TESTS.append((f"ccache/another plugin, {name}", lambda bench, way=name: another_plugin(bench, way)))
    lab.TESTS.append((f"ccache/another filter, {name}", lambda bench, way=name: another_filter(bench, way)))


@lab.test("ccache/what it had is counted")
def counted(bench):
    for way in ("first in PATH", "CC='ccache gcc'"):
        cache = Cache(bench, way)
        shutil.rmtree(bench.path("ccache"), ignore_errors=True)
        cache.compile(True, 0)
        yard.instrumented(cache.compile(True, 1), 1)


@lab.test("ccache/cinstr-gcc with it first in PATH")
def wrapper(bench):
    cache = Cache(bench, "first in PATH")
    path = bench.path("cinstr-" + yard.CC)
    os.symlink(yard.WRAPPER, path)
    for hit in 0, 1:
        before = cache.hits()
        yard.run(bench, path, "-c", "a.c", env=cache.env)
        lab.check(yard.has_probes(bench, "a.o"), "no probes")
        lab.equal(cache.hits() - before, hit, "from the cache")
    flag, before = "-fplugin-arg-cinstr-filter=a.filter", cache.hits()
    for rules in "small 0\n", "small 0\nexclude leaf\n":
        bench.write("a.filter", rules)
        yard.run(bench, path, flag, "-c", "a.c", env=cache.env)
    lab.equal(cache.hits() - before, 0, "from the cache, though the filter changed")


@lab.test("ccache/as CMake's launcher")
def launcher(bench):
    lab.need("cmake")
    cache = Cache(bench, "CC='ccache gcc'")
    bench.write("CMakeLists.txt", "cmake_minimum_required(VERSION 3.13)\nproject(t C)\nfind_program(c ccache)\n"
                "set(CMAKE_C_COMPILER_LAUNCHER ${c})\nadd_library(a STATIC a.c)\n")
    for folder, with_plugin in ("plain", []), ("probed", [lab.COMMAND, "build", "--"]), ("again", [lab.COMMAND, "build", "--"]):
        before = cache.hits()
        env = {**cache.env, "CC": yard.CC, "CCACHE_BASEDIR": bench.folder, "CCACHE_NOHASHDIR": "1"}
        done = yard.run(bench, *with_plugin, "sh", "-c", f"cmake -B {folder} >{folder}.log && cmake --build {folder}", env=env)
        lab.equal(yard.has_probes(bench, folder, "CMakeFiles/a.dir/a.c.o"), folder != "plain", "probes")
        if folder == "again":
            lab.equal(cache.hits() - before, 1, "from the cache")
            yard.instrumented(done, 1)
