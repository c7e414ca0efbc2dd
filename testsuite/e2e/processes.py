# SPDX-License-Identifier: GPL-3.0-or-later
"""R17: forks, execs, libraries that come and go."""
import time

import lab


def family(bench, how):
    return bench.same_as_plain("programs/family.c", "-O2", "-fno-builtin", args=[how])


def processes(bench, n):
    lab.equal(len(bench.report("cinstr.data", "process")["rows"]), n, "processes in the session")
    lab.equal(bench.sessions(), ["cinstr.data"], "session folders")


@lab.test("process/fork")
def fork(bench):
    lab.check("status 7" in family(bench, "fork").stdout, "the child did not return 7")
    processes(bench, 2)
    rows = bench.functions()
    lab.equal(rows["child_work"]["calls"], 100, "calls of child_work")
    lab.equal(rows["parent_work"]["calls"], 3, "calls of parent_work")
    bench.sound()


@lab.test("process/child outlives its parent")
def orphan(bench):
    family(bench, "orphan")
    for _ in range(50):
        time.sleep(0.1)
        rows = bench.functions()
        if rows.get("child_work", {}).get("calls") == 100:
            break
    lab.equal(rows["child_work"]["calls"], 100, "calls of child_work")
    processes(bench, 2)


def run_other(bench, how):
    family(bench, how)
    rows = bench.functions()
    lab.equal(rows["leaf_work"]["calls"], 10, "calls of leaf_work")
    processes(bench, 3 if how == "exec" else 2)
    bench.sound()


for way in ("exec", "system", "spawn", "vfork"):
    lab.TESTS.append((f"process/{way}", lambda bench, way=way: run_other(bench, way)))


@lab.test("process/exec without fork")
def exec_self(bench):
    family(bench, "execself")
    rows = bench.functions()
    lab.equal(rows["leaf_work"]["calls"], 10, "calls of leaf_work")
    lab.equal(rows["main"]["calls"], 2, "calls of main: the old and the new program's")
    lab.equal(bench.sessions(), ["cinstr.data"], "session folders")
    bench.sound()


@lab.test("library/dlopen and dlclose")
def dlopen(bench):
    bench.compile("programs/library.c", "library.so", "-O2", "-fPIC", "-shared")
    bench.same_as_plain("programs/loader.c", "-O2", "-fno-builtin", args=[bench.path("library.so")])
    rows = bench.functions()
    expected = {"library_work": 30, "helper": 36, "own": 33, "library_start": 3, "library_end": 3, "dlclose": 3}
    lab.equal({name: rows[name]["calls"] for name in expected if name in rows}, expected, "calls")
    lab.check("library.so" in rows["helper"]["module"], f"module of helper: {rows['helper']['module']}")
    own = bench.tree()["main"][1]["library_work"][1]["own"]
    lab.equal(own[0], 30, "calls of own by library_work")
    bench.sound()


@lab.test("library/dlopen, program without probes")
def dlopen_plain(bench):
    bench.compile("programs/library.c", "library.so", "-O2", "-fPIC", "-shared")
    program = bench.compile("programs/loader.c", "program", "-O2", plugin=None)
    bench.run(program, bench.path("library.so"), status=0)
    rows = bench.functions()
    lab.equal(rows["library_work"]["calls"], 30, "calls of library_work")
    bench.sound()


@lab.test("library/linked")
def linked(bench):
    library = bench.compile("programs/library.c", "liblibrary.so", "-O2", "-fPIC", "-shared")
    bench.same_as_plain("programs/linked.c", "-O2", "-L" + bench.folder, "-llibrary", "-Wl,-rpath," + bench.folder)
    rows = bench.functions()
    expected = {"library_work": 10, "own": 10, "helper": 12, "main": 1}
    lab.equal({name: rows[name]["calls"] for name in expected if name in rows}, expected, "calls")
    modules = {row["name"] for row in bench.report("cinstr.data", "module")["rows"]}
    lab.check(any("liblibrary" in m for m in modules), f"modules: {modules}, {library} is missing")
    bench.sound()
