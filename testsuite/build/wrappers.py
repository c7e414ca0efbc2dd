# SPDX-License-Identifier: GPL-3.0-or-later
"""cinstr-gcc, cinstr-g++, cinstr-gfortran."""
import os

import lab
import yard


def wrapper(bench, compiler):
    """Of a compiler with a version in its name: a link."""
    path = os.path.join(lab.BUILD, "cinstr-" + compiler)
    if not os.path.exists(path):
        path = bench.path("cinstr-" + compiler)
        if not os.path.exists(path):
            os.symlink(yard.WRAPPER, path)
    return path


@lab.test("wrappers/gcc, g++, gfortran")
def languages(bench):
    yard.project(bench)
    yard.run(bench, wrapper(bench, yard.CC), "-O2", "main.c", "work.c", "-o", "app")
    yard.records(bench, "./app")
    yard.run(bench, wrapper(bench, yard.CXX), "-x", "c++", "-c", "work.c")
    lab.check(yard.has_probes(bench, "work.o"), "no probes by g++")
    lab.need(yard.CC.replace("gcc", "gfortran"))
    bench.write("a.f90", "program a\n  print *, sum([(i*i, i = 1, 10)])\nend program\n")
    yard.run(bench, wrapper(bench, yard.CC.replace("gcc", "gfortran")), "a.f90", "-o", "a")
    lab.check(yard.has_probes(bench, "a"), "no probes by gfortran")


@lab.test("wrappers/arguments for the plugin")
def arguments(bench):
    yard.project(bench)
    yard.run(bench, wrapper(bench, yard.CC), "-fplugin-arg-cinstr-exclude=leaf", "-fplugin-arg-cinstr-calls=none", "main.c", "work.c", "-o", "app")
    calls = yard.functions(bench, "./app")
    lab.check("work" in calls and "leaf" not in calls, str(calls))


@lab.test("wrappers/as CC of make, of a shell's PATH, within cinstr build")
def as_cc(bench):
    yard.project(bench)
    yard.run(bench, "make", "CC=" + wrapper(bench, yard.CC))
    yard.records(bench, "./app")
    yard.run(bench, "make", "clean")
    os.makedirs(bench.path("bin"))
    # in the compiler's place: the next one in PATH is it
    os.symlink(yard.WRAPPER, bench.path("bin", yard.CC))
    yard.run(bench, "make", "CC=" + yard.CC, env={"PATH": bench.path("bin") + ":" + os.environ["PATH"]})
    yard.records(bench, "./app")
    yard.run(bench, "make", "clean")
    yard.build(bench, "make", "CC=" + wrapper(bench, yard.CC))
    yard.records(bench, "./app")


@lab.test("wrappers/no plugin: refused, with the reason")
def refused(bench):
    bench.write("a.c", yard.WORK)
    yard.script(bench, "bin/odd-gcc", "#!/bin/sh\nexit 0\n")
    os.symlink(yard.WRAPPER, bench.path("cinstr-odd-gcc"))
    env = {"PATH": bench.path("bin") + ":" + os.environ["PATH"]}
    done = yard.run(bench, bench.path("cinstr-odd-gcc"), "-c", "a.c", env=env, status=1)
    yard.says(done.stderr, r"^cinstr: error: cinstr-odd-gcc: odd-gcc: \S")
    yard.run(bench, bench.path("cinstr-odd-gcc"), "--version", env=env)
    os.symlink(yard.WRAPPER, bench.path("cinstr-no-such-gcc"))
    yard.says(yard.run(bench, bench.path("cinstr-no-such-gcc"), "-c", "a.c", status=127).stderr,
              "there is no 'no-such-gcc' in PATH")
