# SPDX-License-Identifier: GPL-3.0-or-later
"""What the tests of building use: small projects, the environment of a build, whether an object has
probes.

Nothing is kept outside the test's folder: HOME and the caches are there, too.
"""
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "../lab"))

import lab  # noqa: E402

CC = lab.CC[-1]  # the compiler that the plugin in BUILD is for: gcc, gcc-11
CXX = CC.replace("gcc", "g++")
VERSION = subprocess.run([CC, "-dumpfullversion"], capture_output=True, text=True).stdout.strip()
WRAPPER = os.path.join(lab.BUILD, "cinstr-gcc")
# What the caller's own settings would change.
NOT_PASSED_ON = {"CC", "CXX", "FC", "CFLAGS", "CXXFLAGS", "LDFLAGS", "MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES",
                 "V", "O", "XDG_CACHE_HOME", "TMPDIR"}

MAIN = """#include <stdio.h>
int work(int n);
int main(void) { printf("%d\\n", work(3)); return 0; }
"""
WORK = """__attribute__((noinline)) int leaf(int n) { int s = 0; for (int i = 0; i < n; i++) s += i * i; return s; }
__attribute__((noinline)) int work(int n) { int s = 0; while (n--) s += leaf(n); return s; }
"""
MAKEFILE = """OBJECTS = main.o work.o
app: $(OBJECTS)
\t$(CC) $(LDFLAGS) -o $@ $(OBJECTS)
clean:
\trm -f app *.o
"""


def environment(bench, **more):
    env = {k: v for k, v in os.environ.items() if k not in NOT_PASSED_ON and not k.startswith(("CINSTR", "CCACHE"))}
    env.update({"HOME": bench.folder, "LC_ALL": "C", **more})
    return env


def run(bench, *command, status=0, env=None, cwd=None):
    """As Bench.run, with that environment: what a test adds to it may be CINSTR_..., too."""
    done = subprocess.run(command, env=environment(bench, **(env or {})), cwd=cwd or bench.folder, capture_output=True,
                          text=True, errors="replace", timeout=lab.TIMEOUT)
    if done.returncode != status:
        raise lab.Failure(f"{' '.join(map(os.path.basename, command))}: ended with {done.returncode}, not {status}\n"
                          f"{done.stdout.strip()[-1000:]}\n{done.stderr.strip()[-1500:]}")
    return done


def build(bench, *command, options=(), status=0, env=None, cwd=None):
    """`cinstr build`: CC is the compiler that the plugin is for."""
    return run(bench, lab.COMMAND, "build", *options, "--", *command, status=status, cwd=cwd,
               env={"CC": CC, "CXX": CXX, **(env or {})})


def project(bench, makefile=MAKEFILE, where="."):
    os.makedirs(bench.path(where), exist_ok=True)
    for name, text in {"main.c": MAIN, "work.c": WORK, "Makefile": makefile}.items():
        bench.write(os.path.join(where, name), text)


def has_probes(bench, *path):
    """Whether the object, or program, has the plugin's tables."""
    sections = subprocess.run(["readelf", "-SW", bench.path(*path)], capture_output=True, text=True, check=True).stdout
    return ".cinstr" in sections


def says(text, pattern):
    lab.check(re.search(pattern, text, re.MULTILINE), f"nothing matches {pattern!r}: {text!r}")


def says_not(text, pattern):
    lab.check(not re.search(pattern, text, re.MULTILINE), f"{pattern!r} matches: {text!r}")


def fits(text):
    """No line of what cinstr itself says is wider than a terminal, but for paths in it."""
    for line in text.splitlines():
        lab.check(not line.startswith("cinstr: ") or len(re.sub(r"/\S*", "", line)) <= 80, f"too wide: {line!r}")


def instrumented(done, count):
    word = "compilation" if count == 1 else "compilations"
    says(done.stderr, rf"^cinstr: instrumented {count} {word} by GCC {re.escape(VERSION)}$")
    fits(done.stderr)


def functions(bench, program, *args, cwd="."):
    """Runs it, and returns {function: calls} of its session, which is removed."""
    folder = bench.path(cwd, "cinstr.data")
    shutil.rmtree(folder, ignore_errors=True)
    run(bench, program, *args, cwd=bench.path(cwd))
    rows = bench.functions(os.path.join(cwd, "cinstr.data"))
    shutil.rmtree(folder)
    return {name: row["calls"] for name, row in rows.items()}


def records(bench, program, cwd="."):
    calls = functions(bench, program, cwd=cwd)
    lab.equal({n: calls.get(n) for n in ("main", "work", "leaf")}, {"main": 1, "work": 1, "leaf": 3}, "calls")


def script(bench, name, text):
    """An executable."""
    os.makedirs(os.path.dirname(bench.path(name)), exist_ok=True)
    path = bench.write(name, text)
    os.chmod(path, 0o755)
    return path


def installation(bench):
    """A copy of what is built, whose plugin a test may change. Returns the command."""
    os.makedirs(bench.path("installed"))
    for name in "cinstr", "cinstr-gcc", "cinstr.so", "libcinstr.so":
        shutil.copy2(os.path.join(lab.BUILD, name), bench.path("installed", name))
    return bench.path("installed", "cinstr")
