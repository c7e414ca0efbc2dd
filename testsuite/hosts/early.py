# SPDX-License-Identifier: GPL-3.0-or-later
"""What the runtime does before the program's own initialisers, and in the dynamic loader: it calls
no function that the program can replace, and waits for nobody."""
import json
import os
import subprocess

import host
from host import BUILD, PLUGIN, Skip, check, equal, need, test

LINKED = ("-Wl,--no-as-needed", f"-L{BUILD}", f"-Wl,-rpath,{BUILD}", "-lcinstr")
STATIC = ("-static", os.path.join(BUILD, "libcinstr.a"))
OWN = ("-w", "-O2", "-fno-builtin")


def own_source(name="own_main.c"):
    return host.program(name)


def check_good(bench, program, env=None):
    """The program's own functions were not called, and it was recorded."""
    done = bench.run(program, env=env, timeout=20)
    equal((done.stdout, done.returncode, done.stderr), ("good\n", 7, ""), "output, end, stderr")
    equal(host.calls(bench, "work"), 100, "calls of work")
    bench.sound()


def build_own(bench, place, *flags):
    """place: where the own functions are."""
    few = [flag for flag in flags if flag == "-DOWN_FEW"]
    if place == "here":
        return bench.compile(own_source(), "own", *OWN, "-DOWN_HERE", *flags)
    if place == "unit":
        names = bench.compile(own_source("own_names.c"), "names.o", *OWN, *few, "-c", "-fPIC", plugin=None)
        return bench.compile([own_source(), names], "own", *OWN, *flags)
    bench.compile(own_source("own_names.c"), "libnames.so", *OWN, "-shared", "-fPIC", plugin=None)
    return bench.compile(own_source(), "own", *OWN, f"-L{bench.folder}", "-Wl,-rpath,$ORIGIN", "-lnames", *flags)


def own_test(place, name, flags):
    @test(f"early/own functions {name}")
    def run(bench):
        check_good(bench, build_own(bench, place, *flags))


for PLACE, WHERE in ("here", "in a unit with probes"), ("unit", "in another unit"), ("library", "in a library"):
    for HOW, FLAGS in (("linked", LINKED), ("linked, no PIE", LINKED + ("-no-pie",)), ("loaded", ()),
                       ("loaded, bound late", ("-Wl,-z,lazy",))):
        own_test(PLACE, f"{WHERE}, {HOW}", FLAGS)
for PLACE, WHERE in ("here", "in a unit with probes"), ("unit", "in another unit"):
    own_test(PLACE, f"{WHERE}, static", STATIC + ("-DOWN_FEW",))
    own_test(PLACE, f"{WHERE}, static PIE", ("-static-pie", "-fPIE", STATIC[1], "-DOWN_FEW"))


@test("early/own functions in a preloaded library")
def own_preloaded(bench):
    """Those of the library come before libc's in every search."""
    names = bench.compile(own_source("own_names.c"), "libnames.so", *OWN, "-DOWN_FEW", "-shared", "-fPIC", plugin=None)
    source = bench.write("main.c", "int own_ready, own_calls;\n" + '#include "own_main.c"\n')
    program = bench.compile(source, "own", *OWN, f"-I{os.path.dirname(own_source())}", *LINKED, "-rdynamic")
    check_good(bench, program, env={"LD_PRELOAD": names})


@test("early/an own dlopen that opens by the next one")
def own_dlopen(bench):
    """It is called by the program only; what it opens is recorded."""
    bench.compile(host.program("opened.c"), "libopened.so", "-O2", "-shared", "-fPIC")
    for flags in (), LINKED, ("-Wl,-z,lazy",):
        host.build(bench, "own_dlopen.c", *flags)
        host.same(bench)
        equal(host.calls(bench, "opened"), 1, f"calls of opened ({flags})")


@test("early/CINSTR=off leaves the code as it is in the file")
def code_as_in_file(bench):
    """So that a program that checks itself accepts it."""
    for flags in (), ("-no-pie", "-fno-pie"), LINKED, STATIC:
        bench.compile(host.program("checked.c"), "checked", "-O2", "-w", "-fplugin-arg-cinstr-small=0", *flags)
        for env in {"CINSTR": "off"}, {"CINSTR": "0"}:
            equal(bench.run("./checked", env=env).returncode, 0, f"exit status with {flags} and {env}")


@test("early/a library's thread opens libraries while the program starts")
def loader_in_a_thread(bench):
    bench.compile(host.program("opened.c"), "libopened.so", "-O2", "-shared", "-fPIC", plugin=None)
    bench.compile(host.program("opens_in_thread.c"), "libopens.so", "-O2", "-w", "-shared", "-fPIC", plugin=None)
    for binding in "-Wl,-z,lazy", "-Wl,-z,now":
        program = bench.compile(host.program("many_callees.c"), "program", "-O2", "-w", "-fno-builtin", binding,
                                f"-L{bench.folder}", "-Wl,-rpath,$ORIGIN", "-lopens", "-lm")
        for _ in range(10):
            bench.run("rm", "-rf", "cinstr.data")
            equal(bench.run(program, status=0, timeout=20).stdout, "500500 \n", "output")
            equal(host.calls(bench, "leaf"), 1000, "calls of leaf")


@test("early/children forked while another thread holds the loader's lock")
def forked_beside_the_loader(bench):
    bench.compile(host.program("busy_loader.c"), "plain", "-O2", "-w", "-pthread", plugin=None)
    bench.compile(host.program("busy_loader.c"), "probes", "-O2", "-w", "-pthread", "-rdynamic")
    host.same(bench, timeout=30)
    equal(host.calls(bench, "work"), 41, "calls of work")


@test("early/callees have the modules that they are bound to")
def modules_of_callees(bench):
    """Bound at the start, at the first call, without a table of calls; with either table of
    hashes."""
    for flags in (["-Wl,-z,lazy"], ["-Wl,-z,now"], ["-fno-plt"], ["-no-pie", "-fno-pie"], ["-Wl,-z,lazy", "-Wl,--hash-style=sysv"]):
        bench.compile(host.program("opens_in_thread.c"), "libopens.so", "-O2", "-w", "-shared", "-fPIC",
                      *[flag for flag in flags if "hash" in flag], plugin=None)
        program = bench.compile(host.program("many_callees.c"), "program", "-O2", "-w", "-fno-builtin", f"-L{bench.folder}",
                                "-Wl,-rpath,$ORIGIN", *flags, "-lopens", "-lm")
        bench.run("rm", "-rf", "cinstr.data")
        bench.run(program, status=0)
        rows = bench.functions()
        got = {name: rows[name]["module"].rsplit("/", 1)[-1] for name in ("opens_end", "printf")}
        equal(got, {"opens_end": "libopens.so", "printf": "libc.so.6"}, f"modules ({flags})")


@test("early/the environment as it is when the recording begins")
def environment(bench):
    """Also where the program has a copy of the variable, or its own by that name."""
    bench.compile(host.program("sets_environment.c"), "libsets.so", "-O2", "-shared", "-fPIC", plugin=None)
    sets = ("-Wl,--no-as-needed", f"-L{bench.folder}", "-Wl,-rpath,$ORIGIN", "-lsets")
    for flags in (), ("-no-pie", "-fno-pie"), ("-DOWN_ENVIRON",), LINKED, STATIC, sets, sets + ("-no-pie", "-fno-pie"):
        program = bench.compile(host.program("environment.c"), "program", "-O2", "-w", *flags)
        folder = "elsewhere" if "-lsets" in flags else "named"
        bench.run("rm", "-rf", folder)
        bench.run(program, env={"CINSTR_DATA": "named"}, status=0)
        equal(host.calls(bench, "work", folder), 1, f"calls of work ({flags})")


@test("early/a library in a name space of its own")
def name_space(bench):
    bench.compile(host.program("opened.c"), "libopened.so", "-O2", "-shared", "-fPIC", "-Wl,--no-as-needed", "-lc")
    bench.compile(host.program("new_space.c"), "program", "-O2", "-w", plugin=None)
    equal(bench.run(bench.path("program"), status=0).stdout, "2\n", "output")
    row = bench.functions()["opened"]
    equal((row["calls"], row["module"].rsplit("/", 1)[-1]), (1, "libopened.so"), "calls, module")


@test("early/a library in a name space of its own that needs no other one")
def name_space_alone(bench):
    """The dynamic loader is not in that name space then."""
    bench.compile(host.program("opened.c"), "libopened.so", "-O2", "-shared", "-fPIC", "-Wl,--as-needed")
    bench.compile(host.program("new_space.c"), "program", "-O2", "-w", plugin=None)
    equal(bench.run(bench.path("program"), status=0).stdout, "2\n", "output")
    equal(host.calls(bench, "opened"), 1, "calls")


@test("early/nothing is imported")
def no_imports(bench):
    """So that no library, preloaded or not, comes between."""
    done = bench.run(need("nm"), "-D", "-u", os.path.join(BUILD, "libcinstr.so"), status=0)
    equal(done.stdout, "", "imports")


# ---- musl ---------------------------------------------------------------------------------------

def musl(bench, *flags, source="threads_and_forks.c", option="-fplugin-arg-cinstr-small=0"):
    compiler = need("musl-gcc")
    command = [compiler, "-O2", "-g", "-w", host.program(source), "-o", bench.path("program"), *flags]
    plain = subprocess.run(command, capture_output=True, text=True, timeout=60)
    if plain.returncode:
        raise Skip(f"musl-gcc does not work here: {plain.stderr[:200]}")
    done = subprocess.run(command[:1] + [f"-fplugin={PLUGIN}", option] + command[1:],
                          capture_output=True, text=True, timeout=60)
    equal(done.returncode, 0, f"the compiler's exit status ({done.stderr[:500]})")
    return bench.path("program")


def musl_test(name, flags):
    @test(f"musl/{name}")
    def run(bench):
        done = bench.run(musl(bench, *flags), timeout=20)
        equal((done.stdout, done.returncode, done.stderr), ("436 7\n", 5, ""), "output, end, stderr")
        equal(host.calls(bench, "work"), 2, "calls of work")
        bench.sound()
        session = bench.json("info", "--format=json", "cinstr.data")
        equal(sorted(process["ended"] for process in session["processes"]), ["exit?", "exit?"], "ends")
        bench.run(os.path.join(BUILD, "cinstr"), "record", "-o", "recorded", "--", bench.path("program"), status=5)
        ends = [process["ended"] for process in bench.json("info", "--format=json", "recorded")["processes"]]
        check("exit 5" in ends, f"ends, as cinstr record has seen them: {ends}")


musl_test("dynamic, linked", LINKED)
musl_test("dynamic, the archive", STATIC[1:])
musl_test("dynamic, loaded", ())
musl_test("static", STATIC)
musl_test("static PIE", ("-static-pie", "-fPIE", STATIC[1]))


def instructions(bench, program):
    """Executed instructions by function, and by thread, the first one first."""
    bench.run("rm", "-rf", "cinstr.data")
    equal(bench.run(program, status=0).stdout, "238\n", "output")
    functions, threads = (json.loads(bench.cinstr("report", "--measure=instructions", f"--by={by}", "--format=json",
                                                  bench.path("cinstr.data")))["rows"] for by in ("function", "thread"))
    check(all(row["tid"] for row in threads), f"instructions of no thread: {threads}")
    return ({row["name"]: (row["instructions"], row["calls"], row["instructions_is_estimate"]) for row in functions},
            sorted(row["instructions"] for row in threads))


@test("musl/executed instructions")
def musl_instructions(bench):
    """As with glibc, to the last one: musl does not tell whether there are threads."""
    for option in "", "=calls":
        option = f"-fplugin-arg-cinstr-instructions{option}"
        for flags in STATIC, ("-static-pie", "-fPIE", STATIC[1]):
            program = bench.compile(host.program("counted_early.c"), "glibc", "-O2", "-g", "-w", "-pthread", option, *flags)
            expected = instructions(bench, program)
            equal(set(expected[0]), {"before", "work", "run", "main"}, "functions")
            program = musl(bench, *flags, source="counted_early.c", option=option)
            equal(instructions(bench, program), expected, f"{option} {flags[0]}")
