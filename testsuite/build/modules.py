# SPDX-License-Identifier: GPL-3.0-or-later
"""The CMake package and the Meson subproject (contrib/)."""
import os
import shutil

import lab
import yard

CONTRIB = os.path.join(yard.HERE, "../../contrib")
LISTS = """cmake_minimum_required(VERSION 3.18)
project(t C CXX)
find_package(cinstr REQUIRED)
add_library(work STATIC work.c)
add_executable(app main.c)
add_executable(other work.c main.c)
target_link_libraries(app PRIVATE work cinstr::cinstr)
cinstr_instrument(app work %s)
"""


def installed(bench):
    """By `make install`, as a tree of its own."""
    root = lab.ROOT
    yard.run(bench, "make", "-s", "-C", root, "install", "CC=" + " ".join(lab.CC), "O=" + lab.BUILD,
             "PREFIX=" + bench.path("tree"), "GCC_PLUGINS=")


def cmake(bench, *options, lists="", status=0, env=None, prefix="tree"):
    lab.need("cmake")
    if not os.path.exists(bench.path("main.c")):
        installed(bench)
        yard.project(bench)
    bench.write("CMakeLists.txt", LISTS % lists if "project" not in lists else lists)
    return yard.run(bench, "cmake", "-B", "b", "-DCMAKE_PREFIX_PATH=" + bench.path(prefix), *options, status=status,
                    env={"CC": yard.CC, "CXX": yard.CXX, **(env or {})})


def make(bench):
    return yard.run(bench, "cmake", "--build", "b")


@lab.test("CMake package/targets")
def targets(bench):
    cmake(bench)
    make(bench)
    yard.records(bench, "b/app", cwd=".")
    lab.check(not yard.has_probes(bench, "b/other"), "a target that was not named has probes")


@lab.test("CMake package/options and a filter")
def options(bench):
    with open(bench.path("app.filter"), "w") as file:
        file.write("exclude leaf\n")
    cmake(bench, lists="FILTER app.filter OPTIONS calls=none small=0")
    make(bench)
    lab.equal(sorted(yard.functions(bench, "b/app")), ["main", "work"], "filtered")
    bench.write("app.filter", "exclude work\n")
    make(bench)
    lab.equal(sorted(yard.functions(bench, "b/app")), ["leaf", "main"], "filtered anew")


@lab.test("CMake package/a tree that was moved")
def moved(bench):
    cmake(bench)
    os.rename(bench.path("tree"), bench.path("moved here"))
    shutil.rmtree(bench.path("b"))
    cmake(bench, prefix="moved here")
    make(bench)
    yard.records(bench, "b/app")


@lab.test("an installed tree, moved: cinstr build, cinstr-gcc, static programs")
def installed_tree(bench):
    installed(bench)
    os.rename(bench.path("tree"), bench.path("moved"))
    yard.project(bench)
    command, wrapper = bench.path("moved/bin/cinstr"), bench.path("moved/bin/cinstr-gcc")
    for flags in [], ["LDFLAGS=-static"]:
        yard.instrumented(yard.run(bench, command, "build", "--", "make", *flags, env={"CC": yard.CC}), 2)
        yard.records(bench, "./app")
        yard.run(bench, "make", "clean")
    if yard.CC == "gcc":
        yard.run(bench, wrapper, "main.c", "work.c", "-o", "app", "-static")
        yard.records(bench, "./app")
        lab.equal(os.path.realpath(bench.path("moved/bin/cinstr-gfortran")), wrapper, "cinstr-gfortran")


@lab.test("CMake package/-flto")
def lto(bench):
    cmake(bench, "-DCMAKE_INTERPROCEDURAL_OPTIMIZATION=ON", "-DCMAKE_C_FLAGS=-O2")
    make(bench)
    yard.records(bench, "b/app")


@lab.test("CMake package/clang is noted")
def clang(bench):
    lab.need("clang")
    lab.need("clang++")
    done = cmake(bench, env={"CC": "clang", "CXX": "clang++"})
    yard.says(done.stdout, "^-- cinstr: C is not instrumented: Clang takes no GCC plugins$")
    lab.equal(done.stdout.count("C is not"), 1, "notes")
    make(bench)
    lab.check(not yard.has_probes(bench, "b/app"), "clang's program has probes")


@lab.test("CMake package/wrong use")
def wrong(bench):
    project = "cmake_minimum_required(VERSION 3.18)\nproject(t C)\nadd_executable(app main.c work.c)\n"
    cmake(bench)
    for line, what in {"cinstr_instrument(nonesuch)": "there is no target nonesuch",
                       "cinstr_instrument(app FILTER nonesuch)": r"there is no filter\s+/.*/nonesuch",
                       "cinstr_instrument(cinstr::cinstr)": "cinstr::cinstr is not compiled here",
                       "cinstr_instrument()": "which targets"}.items():
        done = cmake(bench, lists=project + "find_package(cinstr REQUIRED)\n" + line + "\n", status=1)
        yard.says(done.stderr, what)
    version = yard.run(bench, lab.COMMAND, "--version").stdout.split()[1]
    major, minor = version.split(".")[:2]
    for wanted in version, version + " EXACT", f"{major}.{minor}":
        cmake(bench, lists=project + f"find_package(cinstr {wanted} REQUIRED)\n")
    for wanted in f"{major}.{int(minor) + 1}", f"{int(major) + 1}":
        done = cmake(bench, lists=project + f"find_package(cinstr {wanted} REQUIRED)\n", status=1)
        yard.says(done.stderr, "version: " + version)


@lab.test("CMake package/no plugin for the compiler")
def no_plugin(bench):
    cmake(bench)
    shutil.rmtree(bench.path("b"))
    plugins = bench.path("tree/lib/cinstr/gcc-" + yard.VERSION.partition(".")[0])
    shutil.copy(lab.RUNTIME, os.path.join(plugins, "cinstr.so"))  # which is no plugin
    if yard.run(bench, "sh", "-c", f"tree/bin/cinstr --plugin-path {yard.CC} || true").stdout:
        raise lab.Skip("this compiler has the plugin installed in its own folder")
    yard.says(cmake(bench, status=1).stderr, "GCC")


@lab.test("Meson subproject")
def meson(bench):
    lab.need("meson")
    lab.need("ninja")
    yard.project(bench)
    os.makedirs(bench.path("subprojects"))
    shutil.copytree(os.path.join(CONTRIB, "meson"), bench.path("subprojects/cinstr"))
    bench.write("app.filter", "exclude leaf\n")
    bench.write("meson.build", "project('t', 'c', 'cpp')\n"
                "cinstr = dependency('cinstr-instrument', fallback: 'cinstr')\n"
                "executable('app', 'main.c', 'work.c', dependencies: cinstr)\nexecutable('other', 'main.c', 'work.c')\n")
    env = {"CC": yard.CC, "CXX": yard.CXX, "PATH": lab.BUILD + ":" + os.environ["PATH"]}
    yard.run(bench, "meson", "setup", "b", env=env)
    yard.run(bench, "ninja", "-C", "b", env=env)
    yard.records(bench, "b/app")
    lab.check(not yard.has_probes(bench, "b/other"), "a target without the dependency has probes")
    yard.run(bench, "meson", "setup", "c", "-Dcinstr:options=calls=none,small=0", "-Dcinstr:filter=app.filter",
             "-Db_lto=true", env=env)
    yard.run(bench, "ninja", "-C", "c", env=env)
    lab.equal(sorted(yard.functions(bench, "c/app")), ["main", "work"], "filtered")


@lab.test("Meson native file")
def native(bench):
    """As in doc/build-systems.md: the wrappers are the compilers."""
    lab.need("meson")
    lab.need("ninja")
    yard.project(bench)
    os.makedirs(bench.path("bin"))
    for compiler in yard.CC, yard.CXX:
        os.symlink(yard.WRAPPER, bench.path("bin/cinstr-" + compiler))
    bench.write("native.ini", f"[binaries]\nc = 'cinstr-{yard.CC}'\ncpp = 'cinstr-{yard.CXX}'\n")
    bench.write("meson.build", "project('t', 'c', 'cpp')\nexecutable('app', 'main.c', 'work.c')\n")
    env = {"PATH": bench.path("bin") + ":" + os.environ["PATH"]}
    yard.run(bench, "meson", "setup", "b", "--native-file", "native.ini", env=env)
    yard.run(bench, "ninja", "-C", "b", env=env)
    lab.equal([n for n in os.listdir(bench.path("b")) if n.startswith("cinstr")], [], "sessions of Meson's probes")
    yard.records(bench, "b/app")
