# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs in virtual time (testsuite/virtual): what tests of this folder share."""
import os
import re

import lab

FOLDER = os.path.join(lab.BUILD, "virtual")
SOURCES = os.path.join(lab.ROOT, "testsuite/virtual")


def build(bench, source, *flags):
    """Compiles a program that is recorded in virtual time."""
    lab.check(os.path.exists(os.path.join(FOLDER, "libcinstr.so")), "no virtual runtime: make build/virtual/libcinstr.so")
    return bench.compile(source, "program", "-O1", "-pthread", f"-I{SOURCES}", f"-I{lab.ROOT}/include", f"-L{FOLDER}",
                         f"-Wl,-rpath,{FOLDER}", "-Wl,--no-as-needed", *flags, "-lcinstr")


def program(bench, text, *flags):
    """The same, of these lines."""
    return build(bench, bench.write("program.c", '#include "virtual.h"\n#define FN __attribute__((noinline, noclone))\n' + text), *flags)


def record(bench, text, *flags, env=None):
    """Compiles and runs it; returns the rows of its functions by name."""
    done = bench.run(program(bench, text, *flags), env={**costs(), **(env or {})}, status=0)
    lab.equal(done.stderr, "", "messages")
    bench.sound()
    return bench.functions()


def costs(probe=20, runtime=1000):
    """Of readings of the clock. An interval over ten times the second one takes the slow path."""
    return {"VIRTUAL_PROBE_TICKS": str(probe), "VIRTUAL_RUNTIME_TICKS": str(runtime)}


def fingerprint(bench, timeline=False):
    """What is the same in each run: all that is reported, but numbers of processes and dates."""
    views = [["report"], ["tree"], ["report", "--by=thread"], ["report", "--by=site"]] + [["timeline"]] * timeline
    text = "".join(bench.cinstr(*words, "--format=json", bench.path("cinstr.data")) for words in views)
    return re.sub(r'"(pid|tid|begin_realtime_ns|time)": "?[0-9T:.-]+"?', "", text)
