# SPDX-License-Identifier: GPL-3.0-or-later
"""R17: forks, execs, libraries that come and go; hundreds of processes; sessions of several
machines in one folder."""
import collections
import os
import shutil
import subprocess
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
    for name in "main", "fork":  # the child goes on with the parent's calls, and has none itself
        least, mean, most = (rows[name][f"{what}_elapsed_inclusive_ns"] for what in ("min", "avg", "max"))
        lab.check(rows[name]["calls"] == 1 and least - 1 <= mean <= most + 1, f"{name}: {least} to {most}, {mean} on average")
    bench.sound()


@lab.test("process/child outlives its parent")
def orphan(bench):
    family(bench, "orphan")
    lab.wait_for(lambda: bench.functions().get("child_work", {}).get("calls") == 100, "no 100 calls of child_work")
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


# ---- many processes ------------------------------------------------------------------------------

PROGRAMS = 300


def number(row):
    """The argument of counted: besides main and atoi there are as many calls of counted() and of
    leaf()."""
    return (row["calls"] - 2) / 2


@lab.test("processes/a test suite of hundreds of programs")
def suite(bench):
    """Each makes as many calls as its number says: every one is there, and nothing of one is in
    another."""
    bench.compile("programs/counted.c", "counted", "-O2", "-fno-builtin")
    bench.write("suite.sh", "seq %d | xargs -P 4 -n 1 sh -c './counted $0 || exit 255'" % PROGRAMS)
    bench.run(lab.COMMAND, "record", "-o", "s.data", "--", "sh", "suite.sh", status=0, timeout=600)
    begin = time.monotonic()
    rows = bench.report("s.data", "process")["rows"]
    took = time.monotonic() - begin
    got = collections.Counter(number(row) for row in rows)
    wrong = {n: got[n] for n in set(got) | set(range(1, PROGRAMS + 1)) if got[n] != (1 <= n <= PROGRAMS)}
    lab.equal(wrong, {}, "programs that are not there once")
    lab.equal(len({row["pid"] for row in rows}), PROGRAMS, "process numbers")
    lab.equal({row["name"] for row in rows}, {"counted"}, "programs")
    functions = bench.functions("s.data")
    lab.equal(functions["leaf"]["calls"], PROGRAMS * (PROGRAMS + 1) // 2, "calls of leaf")
    bench.sound("s.data")
    size = sum(os.stat(bench.path("s.data", name)).st_blocks * 512 for name in os.listdir(bench.path("s.data")))
    lab.check(size < PROGRAMS * 1.5e6, f"{size / PROGRAMS / 1e3:.0f} KB a process")
    lab.check(took < 60, f"the report took {took:.1f} s")


@lab.test("processes/parents, children, exec chains")
def lineage(bench):
    """A shell that forks and execs programs that fork: who is whose child, and one process through
    several programs."""
    bench.compile("programs/counted.c", "counted", "-O2", "-fno-builtin")
    bench.compile("programs/family.c", "family", "-O2", "-fno-builtin")
    bench.compile("programs/execs.c", "execs", "-O2")
    bench.run(lab.COMMAND, "record", "-o", "s.data", "--", "./execs", "./execs", "./family", "fork", status=None)
    rows = bench.report("s.data", "process")["rows"]
    chain = [row for row in rows if row["name"] == "execs"]
    parent = [row for row in rows if row["name"] == "family" and row["pid"] == chain[0]["pid"]]
    child = [row for row in rows if row["name"] == "family" and row["pid"] != chain[0]["pid"]]
    lab.equal((len(chain), len(parent), len(child)), (2, 1, 1), f"programs of the chain, parent, child: {rows}")
    lab.equal(len({row["pid"] for row in chain}), 1, "process numbers of the chain")
    lab.equal({row["parent_pid"] for row in chain + parent}, {chain[0]["parent_pid"]}, "parents of the chain")
    lab.equal(child[0]["parent_pid"], parent[0]["pid"], "parent of the child")
    info = bench.cinstr("info", bench.path("s.data"))
    lab.check(f"pid {parent[0]['pid']}, of which this one was forked while it was recorded" in info, "info")
    bench.sound("s.data")


def let_end(fifo, runs):
    """Those that wait at it, by now; whether all have ended."""
    try:
        os.close(os.open(fifo, os.O_WRONLY | os.O_NONBLOCK))
    except OSError:
        pass  # nobody has opened it
    return all(run.poll() is not None for run in runs)


@lab.test("session/eight at once, twenty times")
def eight(bench):
    """Recorders that start at the same moment in one folder: eight sessions, each with what belongs
    to it."""
    bench.compile("programs/counted.c", "counted", "-O2", "-fno-builtin")
    begin, end = bench.path("begin"), bench.path("end")
    os.mkfifo(begin)
    os.mkfifo(end)
    # so that a shell may come to its line before or after that is written
    begin_fd = os.open(begin, os.O_RDWR)
    for attempt in range(20):
        numbers = [1000 * attempt + i for i in range(1, 9)]
        # All wait for the same moment, and none ends before all have begun.
        runs = [bench.start("sh", "-c", f"read x < {begin}; exec {lab.COMMAND + ' record --' if n % 2 else ''} "
                            f"./counted {n} {end}") for n in numbers]
        time.sleep(0.05)
        os.write(begin_fd, b"\n" * len(runs))
        for run in runs:
            lab.equal(run.stdout.readline(), "counted\n", "output")
        lab.wait_for(lambda: let_end(end, runs), "they do not end")
        for run in runs:
            errors = run.communicate(timeout=lab.TIMEOUT)[1]
            lab.equal(run.returncode, 0, f"exit status ({errors})")
        got = []
        for name in bench.sessions():
            report = bench.report(name)
            totals = report["session"]
            lab.equal((totals["processes"], totals["conservation_ticks_off"], totals["lost_events"]), (1, 0, 0), name)
            got += [row["calls"] for row in report["rows"] if row["name"] == "leaf"]
            shutil.rmtree(bench.path(name))
        lab.equal(sorted(got), numbers, "calls by session")
    os.close(begin_fd)


# ---- several machines ----------------------------------------------------------------------------


def machine(bench, name, *command):
    """Runs the command on a machine of this name, as its first processes: the numbers are the same
    on each."""
    unshare = ["unshare", "--uts", "--pid", "--fork", "--mount-proc", "--kill-child"]
    if not shutil.which("unshare") or subprocess.run([*unshare, "true"], capture_output=True).returncode:
        raise lab.Skip("no unshare here, or it is not allowed")
    line = " ".join(command)
    bench.run(*unshare, "sh", "-c", f"hostname {name} && {line}; exit $?", status=0)


@lab.test("machines/their sessions in one folder")
def machines(bench):
    bench.compile("programs/counted.c", "counted", "-O2", "-fno-builtin")
    for name, n in (("alpha", 10), ("beta", 200)):
        machine(bench, name, lab.COMMAND, "record", "-o", name + ".data", "--", "sh", "-c", f"'./counted {n}; ./counted {n + 1}'")
    os.mkdir(bench.path("flat"))
    os.mkdir(bench.path("nested"))
    bench.run("sh", "-c", "cp -r alpha.data/* flat/ && cp -r beta.data/* flat/ && cp -r alpha.data beta.data nested/", status=0)
    for together in ("flat", "nested"):
        report = bench.report(together, "process")
        rows = report["rows"]
        lab.equal(report["session"]["hosts"], 2, f"hosts in {together}")
        got = sorted((row["host"], number(row)) for row in rows)
        lab.equal(got, [("alpha", 10), ("alpha", 11), ("beta", 200), ("beta", 201)], f"processes in {together}")
        numbers = {host: sorted(row["pid"] for row in rows if row["host"] == host) for host in ("alpha", "beta")}
        lab.equal(numbers["alpha"], numbers["beta"], "process numbers, the same on both machines")
        threads = bench.report(together, "thread")["rows"]
        lab.equal(sorted((row["host"], number(row)) for row in threads), got, "threads")
        lab.equal(bench.functions(together)["leaf"]["calls"], 10 + 11 + 200 + 201, "calls of leaf")
        lab.check("4 processes on 2 machines" in bench.cinstr("report", bench.path(together)), "the heading")
        bench.sound(together)


@lab.test("machines/files of equal names, numbers and moments")
def unique_names(bench):
    """Names of files differ although program, process number and folder are the same."""
    bench.compile("programs/counted.c", "counted", "-O2", "-fno-builtin")
    names = set()
    for i in range(3):
        machine(bench, "same", lab.COMMAND, "record", "-o", f"{i}.data", "--", "./counted", "1")
        names.update(n for n in os.listdir(bench.path(f"{i}.data")) if n.endswith(".cinstr"))
    lab.equal(len(names), 3, f"names {names}")
    lab.equal(len({n.rsplit(".", 2)[0] for n in names}), 1, f"programs and process numbers in {names}")
