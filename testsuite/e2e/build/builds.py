# SPDX-License-Identifier: GPL-3.0-or-later
"""Every way to compile and link: same output, same calls. Also: no runtime, off."""
import os
import pty
import re
import shutil
import subprocess

import lab

PLAIN = ("-O2", "-fno-optimize-sibling-calls")
CALLS = {"main": 1, "outer": 3, "middle": 6, "leaf": 10, "printf": 1}
WAYS = {
    "O1": ("-O1", "-fno-optimize-sibling-calls"),
    "O3": ("-O3", "-fno-optimize-sibling-calls"),
    "Os": ("-Os", "-fno-optimize-sibling-calls"),
    "Og": ("-Og",),
    "no-pie": PLAIN + ("-no-pie", "-fno-pie"),
    "pie": PLAIN + ("-pie", "-fPIE"),
    "gc-sections": PLAIN + ("-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections"),
    "Ofast": ("-Ofast", "-fno-optimize-sibling-calls"),
    "split DWARF": PLAIN + ("-gsplit-dwarf",),
    "hidden": PLAIN + ("-fvisibility=hidden", "-fPIE", "-pie"),
    "general registers only": PLAIN + ("-mgeneral-regs-only",),
    "OpenMP on": PLAIN + ("-fopenmp",),
    "lto": PLAIN + ("-flto",),
    "lto, fat objects": PLAIN + ("-flto", "-ffat-lto-objects"),
    "lto in parts": PLAIN + ("-flto=1", "-flto-partition=1to1"),
    "profiled with -pg": PLAIN + ("-pg",),
    "frame pointers, no CET": PLAIN + ("-fno-omit-frame-pointer", "-fcf-protection=none"),
    "CET": PLAIN + ("-fcf-protection=full",),
    "stack protector": PLAIN + ("-fstack-protector-all", "-fstack-clash-protection"),
    "patchable-function-entry": PLAIN + ("-fpatchable-function-entry=8,2",),
    "no debug information": PLAIN + ("-g0",),
    "strip": PLAIN + ("-s",),
    "static pie without the runtime": PLAIN + ("-static-pie",),
    "static without the runtime": PLAIN + ("-static",),
    "shared -lcinstr": PLAIN + ("-L" + lab.BUILD, "-Wl,-rpath," + lab.BUILD, "-lcinstr"),
    "shared -lcinstr, not as needed": PLAIN + ("-L" + lab.BUILD, "-Wl,-rpath," + lab.BUILD, "-Wl,--no-as-needed",
                                               "-lcinstr"),
    "static -lcinstr": PLAIN + ("-static", "-L" + lab.BUILD, "-lcinstr"),
    "static pie -lcinstr": PLAIN + ("-static-pie", "-L" + lab.BUILD, "-lcinstr"),
    "static lto -lcinstr": PLAIN + ("-static", "-flto", "-L" + lab.BUILD, "-lcinstr"),
}


def calls(bench, session="cinstr.data"):
    rows = bench.functions(session)
    lab.equal({n: rows[n]["calls"] for n in CALLS if n in rows}, CALLS, "calls")
    bench.sound(session)


def run_build(bench, way):
    bench.same_as_plain("trees/nesting.c", *WAYS[way], "-fno-builtin")
    if way.endswith("without the runtime"):
        lab.equal(bench.sessions(), [], "session folders")
    else:
        calls(bench)


for build in WAYS:
    lab.TESTS.append((f"build/{build}", lambda bench, build=build: run_build(bench, build)))


THUNKS = (("-mindirect-branch=thunk",), ("-mindirect-branch=thunk-inline",),
          ("-mindirect-branch=thunk", "-mindirect-branch-cs-prefix"))


@lab.test("build/indirect calls by thunks")
def thunks(bench):
    """Against speculation: the register that the thunk returns to is what is called, of functions
    without probes too."""
    with open(os.path.join(lab.E2E, "trees/indirect.tree")) as file:
        expected = [line.rstrip("\n") for line in file if not line.startswith("#")]
    for flags in THUNKS:
        for level in "-O0", "-O2":
            bench.same_as_plain("trees/indirect.c", level, "-fno-optimize-sibling-calls", "-fcf-protection=none", *flags)
            lab.compare_trees(lab.tree_lines(bench.tree()), expected)
            bench.sound()
    bench.compile("trees/indirect.c", "program", "-O2", "-fcf-protection=none", "-mindirect-branch=thunk-inline")
    bench.run(bench.path("program"), status=0)
    lab.check("[unknown]" not in bench.functions(), "the target of a jump through a thunk is not known")


@lab.test("build/lto without the plugin at the link")
def lto_half(bench):
    """The tables are made at link time: without the plugin there the program is simply plain."""
    flags = PLAIN + ("-flto", "-c")
    bench.compile("trees/nesting.c", "nesting.o", *flags)
    program = bench.compile(bench.path("nesting.o"), "program", "-O2", "-flto", plugin=None)
    bench.run(program, status=0)


@lab.test("build/objects with and without probes")
def mixed(bench):
    bench.compile("programs/library.c", "library.o", "-O2", "-c", plugin=None)
    program = bench.compile([os.path.join(lab.E2E, "programs/linked.c"), bench.path("library.o")], "program", "-O2",
                            "-DE2E_NO_SINK")
    bench.run(program, status=0)
    lab.equal(bench.functions()["own"]["calls"], 10, "calls of own")
    bench.sound()


@lab.test("build/lto: compiled, archived, linked apart")
def lto_steps(bench):
    """Slim and fat objects, some from an archive: the plugin at the link instruments them all."""
    slim = bench.compile("programs/library.c", "library.o", "-O2", "-flto", "-c")
    fat = bench.compile("programs/linked.c", "linked.o", "-O2", "-flto", "-ffat-lto-objects", "-c", "-DE2E_NO_SINK")
    bench.run(lab.CC[0].replace("gcc", "gcc-ar"), "rc", bench.path("library.a"), slim, status=0)
    program = bench.compile([fat, bench.path("library.a")], "program", "-O2", "-flto")
    bench.run(program, status=0)
    lab.equal(bench.functions()["own"]["calls"], 10, "calls of own")
    bench.sound()


def run_linker(bench, linker):
    lab.need("ld." + linker)
    flags = PLAIN + ("-fno-builtin", "-fuse-ld=" + linker, "-ffunction-sections", "-Wl,--gc-sections")
    if linker == "gold":
        flags += ("-fplugin-arg-cinstr-gold",)
    bench.same_as_plain("trees/nesting.c", *flags)
    calls(bench)


for name in "bfd", "gold", "lld":
    lab.TESTS.append((f"build/ld.{name}", lambda bench, name=name: run_linker(bench, name)))


MODULE = """
export module shapes;
__attribute__((noipa)) int leaf(int x) { return x + 1; }
export __attribute__((noipa)) int outer(int n) { int sum = 0; while (n-- > 0) sum += leaf(n); return sum; }
export template <class T> __attribute__((noipa)) T half(T x) { return x / 2; }
"""
IMPORTER = """
import shapes;
int main() { return outer(3) + half(8) == 10 ? 0 : 1; }
"""


@lab.test("build/C++ modules")
def modules(bench):
    module, importer = bench.write("shapes.cc", MODULE), bench.write("importer.cc", IMPORTER)
    for level in "-O0", "-O2":
        for plugin, name in (None, "plain"), (lab.PLUGIN, "program"):
            objects = [bench.compile(source, source + ".o", level, "-std=c++20", "-fmodules-ts", "-c", plugin=plugin)
                       for source in (module, importer)]
            bench.run(*lab.COMPILERS[".cc"], *objects, "-o", bench.path(name), status=0)
        bench.run(bench.path("plain"), status=0)
        bench.run(bench.path("program"), env={"CINSTR_DATA": bench.path(f"data{level}")}, status=0)
        rows = bench.functions(bench.path(f"data{level}"))
        # How a module's functions are mangled differs by release.
        lab.equal({part: [row["calls"] for name, row in rows.items() if part in name]
                   for part in ("outer", "leaf", "half")}, {"outer": [1], "leaf": [3], "half": [1]}, f"of {list(rows)}")


@lab.test("runtime/none to be found")
def no_runtime(bench):
    os.mkdir(bench.path("elsewhere"))
    plugin = shutil.copy(lab.PLUGIN, bench.path("elsewhere"))
    program = bench.compile("trees/nesting.c", "program", *PLAIN, plugin=plugin)
    plain = bench.compile("trees/nesting.c", "plain", *PLAIN, plugin=None)
    lab.same_run(bench.run(program), bench.run(plain))
    line = f"cinstr: not recorded: {bench.path('elsewhere/libcinstr.so')} is not there\n"
    for value, said in (("1", line), ("0", ""), ("", "")):
        lab.equal(bench.run(program, env={"CINSTR_VERBOSE": value}).stderr, said, f"CINSTR_VERBOSE={value}")
    lab.equal(on_terminal(program), line.replace("\n", "\r\n"), "on a terminal")
    for variable in "CINSTR=off", "CINSTR_SESSION=" + bench.path("cinstr.data"):
        lab.equal(on_terminal("env", variable, program), "", f"on a terminal, with {variable}")
    bench.write("elsewhere/libcinstr.so", "")
    lab.check("libcinstr.so cannot be loaded\n" in bench.run(program, env={"CINSTR_VERBOSE": "1"}).stderr, "an empty file")
    lab.equal(bench.sessions(), [], "session folders")


def on_terminal(*command):
    """What a program writes to its stderr if that is a terminal."""
    ours, its = pty.openpty()
    with open(ours, "rb", buffering=0) as terminal:
        subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=its, check=False)
        os.write(its, b"\0")
        os.close(its)
        return terminal.read(1000).split(b"\0")[0].decode()


@lab.test("runtime/none to be found, and nobody reads what is said")
def nobody_reads(bench):
    """Neither a signal, nor a line of each library."""
    os.mkdir(bench.path("elsewhere"))
    plugin = shutil.copy(lab.PLUGIN, bench.path("elsewhere"))
    part = bench.write("part.c", "int part(int n) { return n * 3; }\n")
    bench.compile(part, "libpart.so", *PLAIN, "-shared", "-fPIC", plugin=plugin)
    program = bench.compile("trees/nesting.c", "program", *PLAIN, "-Wl,--no-as-needed", bench.path("libpart.so"),
                            plugin=plugin)
    lab.equal(bench.run(program, env={"CINSTR_VERBOSE": "1"}).stderr.count("not recorded"), 1, "lines")
    ours, its = os.pipe()
    os.close(ours)
    done = subprocess.run([program], stdout=subprocess.DEVNULL, stderr=its, env=dict(os.environ, CINSTR_VERBOSE="1"),
                          restore_signals=True, check=False)
    os.close(its)
    lab.equal(done.returncode, bench.run(program).returncode, "exit status, as by SIGPIPE")


@lab.test("runtime/cinstr record says why nothing was recorded")
def why(bench):
    os.mkdir(bench.path("elsewhere"))
    plugin = shutil.copy(lab.PLUGIN, bench.path("elsewhere"))
    open(bench.path("elsewhere/libcinstr.so"), "w").close()
    bench.compile("trees/nesting.c", "gone", *PLAIN, plugin=plugin)
    os.unlink(bench.path("elsewhere/libcinstr.so"))
    for link in "-static", "-static-pie":
        bench.compile("trees/nesting.c", "app" + link, *PLAIN, link)
    bench.compile("trees/nesting.c", "plain", *PLAIN, plugin=None)
    for program, reason in (("gone", "its recorder is not there any more: .*/elsewhere/libcinstr.so"),
                            ("app-static", "is linked statically, so it can load no recorder: link it with -lcinstr"),
                            ("app-static-pie", "is linked statically, so it can load no recorder: link it with -lcinstr"),
                            ("plain", "was not built with -fplugin=cinstr.so")):
        said = bench.run(lab.COMMAND, "record", "./" + program).stderr
        lab.check(re.search(f"^cinstr: warning: nothing was recorded: .*{reason}", said), f"{program}: {said!r}")


@lab.test("runtime/CINSTR=off does not even load it")
def off(bench):
    program = bench.compile("programs/maps.c", "program", *PLAIN)
    lab.equal(bench.run(program, env={"CINSTR": "off"}).stdout, "no runtime\n", "CINSTR=off")
    lab.equal(bench.sessions(), [], "session folders")
    lab.equal(bench.run(program).stdout, "runtime\n", "without CINSTR=off")
    lab.equal(bench.sessions(), ["cinstr.data"], "session folders")
