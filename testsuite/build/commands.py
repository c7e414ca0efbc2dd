# SPDX-License-Identifier: GPL-3.0-or-later
"""cinstr build, as its user sees it: make, configure, several compilers, what it says."""
import os
import shutil
import signal

import lab
import yard


@lab.test("make")
def make(bench):
    yard.project(bench)
    done = yard.build(bench, "make")
    yard.instrumented(done, 2)
    yard.says(done.stderr, "^cinstr: run the program as always, then: cinstr summary$")
    yard.records(bench, "./app")


@lab.test("make -j: every compilation is counted")
def parallel(bench):
    names = [f"part{i}" for i in range(60)]
    for name in names:
        bench.write(name + ".c", f"int {name}(int n) {{ return n * {len(name)}; }}\n")
    bench.write("Makefile", "all: " + " ".join(n + ".o" for n in names) + "\n")
    yard.instrumented(yard.build(bench, "make", "-j8"), 60)


@lab.test("up to date")
def up_to_date(bench):
    yard.project(bench)
    yard.build(bench, "make")
    done = yard.build(bench, "make")
    yard.says(done.stderr, "^cinstr: nothing was instrumented: no compiler was called through cinstr$")
    yard.says(done.stderr, "make clean")
    yard.fits(done.stderr)
    os.unlink(bench.path("app"))
    done = yard.build(bench, "make")
    yard.says(done.stderr, "nothing was instrumented: the build compiled no sources")


@lab.test("a compiler named by its path")
def absolute(bench):
    """In the makefile itself it is out of reach; in a variable, or on make's command line, it is
    not."""
    path = shutil.which(yard.CC)
    yard.project(bench, f"CC = {path}\n" + yard.MAKEFILE)
    done = yard.build(bench, "make")
    yard.says(done.stderr, "no compiler was called through cinstr")
    for variable in {"env": {"CC": path}}, {"command": ["CC=" + path]}, {"env": {"CC": path + " -O2"}}:
        yard.project(bench)
        yard.run(bench, "make", "clean")
        done = yard.build(bench, "make", *variable.get("command", []), env=variable.get("env"))
        yard.instrumented(done, 2)
        yard.says_not(done.stdout, f"^{path} ")
        yard.records(bench, "./app")


@lab.test("CC and its like are kept if asked")
def variables(bench):
    show = ["sh", "-c", 'echo "$CC,$CXX"']
    for name in "gcc", "g++":
        lab.need(name)  # some have gcc-11 only
    unset = {"CC": "", "CXX": ""}
    lab.equal(yard.build(bench, *show, env=unset).stdout, "gcc,g++\n", "unset")
    lab.equal(yard.build(bench, *show, env=unset, options=["--keep-variables"]).stdout, ",\n", "kept")
    lab.equal(yard.build(bench, *show, env={"CC": "tcc", "CXX": "/opt/x"}).stdout, "tcc,/opt/x\n", "others")


@lab.test("end: exit status and signals are the command's")
def ends(bench):
    lab.equal(yard.build(bench, "sh", "-c", "exit 37", status=37).stdout, "", "output")
    yard.build(bench, "sh", "-c", "kill -TERM $$", status=-signal.SIGTERM)
    yard.says(yard.build(bench, "nonesuch", status=127).stderr, "cannot run 'nonesuch'")
    yard.build(bench, bench.folder, status=126)
    yard.project(bench)
    bench.write("work.c", "int work(int n) { return x; }\n")
    done = yard.build(bench, "make", status=2)
    yard.says_not(done.stderr, "cinstr report")
    yard.says(yard.run(bench, lab.COMMAND, "build", status=2).stderr, "which command")


@lab.test("configure: its programs are plain and record nothing")
def configure(bench):
    yard.project(bench)
    yard.script(bench, "configure", """#!/bin/sh -e
echo 'int f(int n) { return n + 1; } int main(void) { return f(-1); }' > conftest.c
$CC -O0 -o conftest conftest.c && ./conftest
cp conftest plain
cp conftest.c ztest.c
$CC -O0 -c ztest.c && $CC -o ztest ztest.o && ./ztest
""")
    done = yard.build(bench, "sh", "-c", "./configure && make")
    lab.check(not yard.has_probes(bench, "plain"), "conftest has probes")
    lab.equal(bench.sessions(), [], "sessions")
    yard.instrumented(done, 3)
    yard.records(bench, "./app")
    yard.build(bench, "./configure", options=["--record"])
    lab.equal(bench.sessions(), ["cinstr.data"], "sessions with --record")
    shutil.rmtree(bench.path("cinstr.data"))
    yard.build(bench, "./configure", env={"CINSTR": "on"})
    lab.equal(bench.sessions(), ["cinstr.data"], "sessions with CINSTR=on")


@lab.test("options of the plugin")
def options(bench):
    yard.project(bench)
    os.makedirs(bench.path("sub"))
    bench.write("app.filter", "exclude leaf\nsmall 0\ncalls none\n")
    done = yard.build(bench, "make", "-C", "..", options=["--filter=../app.filter"], cwd=bench.path("sub"))
    yard.says_not(done.stderr, "matches")  # in main.c there is no leaf
    lab.equal(sorted(yard.functions(bench, "./app")), ["main", "work"], "filtered")
    yard.run(bench, "make", "clean")
    yard.build(bench, "make", options=["--include=*", "--exclude=wor*", "--exclude=leaf", "--small=0", "--calls=none"])
    lab.equal(sorted(yard.functions(bench, "./app")), ["main"], "excluded")
    yard.run(bench, "make", "clean")
    yard.build(bench, "make", options=["--exclude=wor*", "--include=w*", "--calls=none", "--small=0"])
    lab.equal(sorted(yard.functions(bench, "./app")), ["work"], "included, in this order")


@lab.test("options that are wrong are told before anything is built")
def wrong_options(bench):
    for option, what in {"--filter=nonesuch": "--filter=nonesuch: No such file", "--small=x": "takes N",
                         "--exclude=operator==": "for the second '='", "--calls=some": "all.unknown.none",
                         "--exculde=x": "did you mean --exclude"}.items():
        done = yard.build(bench, "touch", bench.path("built"), options=[option], status=2)
        yard.says(done.stderr, what)
        yard.fits(done.stderr)
    lab.check(not os.path.exists(bench.path("built")), "it was built")


@lab.test("clang, -m32, another GCC: told, not instrumented")
def others(bench):
    bench.write("a.c", yard.WORK)
    done = yard.build(bench, yard.CC, "-m32", "-c", "a.c")
    yard.says(done.stderr, r"^cinstr: not instrumented: 1 compilation with -m32: probes are for x86-64")
    yard.says_not(done.stderr, "nothing was")
    yard.fits(done.stderr)
    if shutil.which("clang"):
        done = yard.build(bench, "sh", "-c", "clang -c a.c; clang -c a.c")
        yard.says(done.stderr, r"^cinstr: not instrumented: 2 compilations by clang [0-9.]*: takes no GCC plugins$")
        lab.check(not yard.has_probes(bench, "a.o"), "clang's object has probes")


@lab.test("a GCC without a plugin compiles as ever")
def no_plugin(bench):
    bench.write("a.c", yard.WORK)
    command = yard.installation(bench)
    # which is no plugin
    os.rename(bench.path("installed/libcinstr.so"), bench.path("installed/cinstr.so"))
    done = yard.run(bench, command, "build", "--", yard.CC, "-c", "a.c", env={"CC": yard.CC})
    if "instrumented 1 " in done.stderr:
        raise lab.Skip("this compiler has the plugin installed in its own folder")
    yard.says(done.stderr, rf"^cinstr: warning: GCC {yard.VERSION} compiles without probes here:")
    yard.fits(done.stderr)
    yard.says(done.stderr, rf"^cinstr: not instrumented: 1 compilation by GCC {yard.VERSION}:")
    lab.check(not yard.has_probes(bench, "a.o"), "it has probes")


@lab.test("a build below a build counts there")
def nested(bench):
    yard.project(bench)
    done = yard.build(bench, "sh", "-c", f"{lab.COMMAND} build --exclude=leaf --calls=none -- make && {yard.CC} -c work.c -o x.o")
    yard.instrumented(done, 3)
    lab.equal(done.stderr.count("instrumented"), 1, "summaries")
    calls = yard.functions(bench, "./app")
    lab.check("work" in calls and "leaf" not in calls, f"the inner build's options hold: {calls}")


@lab.test("-flto, compiled and linked apart")
def lto(bench):
    yard.project(bench)
    yard.instrumented(yard.build(bench, "make", "CFLAGS=-O2 -flto", "LDFLAGS=-O2 -flto"), 2)
    yard.records(bench, "./app")


@lab.test("static programs record")
def static(bench):
    yard.project(bench)
    yard.build(bench, "make", "LDFLAGS=-static")
    yard.records(bench, "./app")


@lab.test("musl-gcc, static")
def musl(bench):
    lab.need("musl-gcc")
    yard.project(bench)
    yard.build(bench, "musl-gcc", "-O2", "-static", "main.c", "work.c", "-o", "app", env={"REALGCC": yard.CC})
    yard.records(bench, "./app")


@lab.test("a project that gives the plugin itself")
def given(bench):
    yard.project(bench)
    yard.instrumented(yard.build(bench, "make", "CFLAGS=-fplugin=" + lab.PLUGIN), 2)
    yard.records(bench, "./app")


@lab.test("CMake: a folder that was configured without")
def cmake_before(bench):
    lab.need("cmake")
    yard.project(bench)
    bench.write("CMakeLists.txt", "cmake_minimum_required(VERSION 3.13)\nproject(t C)\nadd_executable(app main.c work.c)\n")
    env = {"CC": yard.CC}
    yard.run(bench, "cmake", "-B", "plain", env=env)
    done = yard.build(bench, "cmake", "--build", "plain")
    yard.says(done.stderr, "CMakeCache.txt keeps /.*:\ncinstr:   configure a new folder: cinstr build -- cmake -B")
    yard.fits(done.stderr)
    done = yard.build(bench, "sh", "-c", "cmake -B probed && cmake --build probed")
    yard.instrumented(done, 2)
    yard.records(bench, "probed/app")
    # It keeps the shim: who builds there later gets the same.
    os.utime(bench.path("work.c"))
    yard.run(bench, "cmake", "--build", "probed")
    lab.check(yard.has_probes(bench, "probed/CMakeFiles/app.dir/work.c.o"), "built later, it has no probes")
    path = shutil.which(yard.CC)
    yard.build(bench, "cmake", "-B", "direct", "-DCMAKE_C_COMPILER=" + path)
    yard.instrumented(yard.build(bench, "cmake", "--build", "direct"), 2)


@lab.test("Meson")
def meson(bench):
    lab.need("meson")
    lab.need("ninja")
    yard.project(bench)
    bench.write("meson.build", "project('t', 'c')\nexecutable('app', 'main.c', 'work.c')\n")
    yard.instrumented(yard.build(bench, "sh", "-c", "meson setup b >meson.log && ninja -C b"), 2)
    yard.records(bench, "b/app")
