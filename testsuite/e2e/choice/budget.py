# SPDX-License-Identifier: GPL-3.0-or-later
"""--max-overhead: the probes that cost most go, calls are counted instead, what is left is right,
and what was done is said."""
import os

import lab
import quiet

HOT = "programs/hot.c"
LIMIT = {"CINSTR_MAX_OVERHEAD": "5"}


def test(name, threads=1):
    """When a function goes depends on the time it takes: who takes the processor from it for long
    may spoil that (check_time). Counts, and what must not go, are right in each run."""

    def register(function):
        lab.test("budget/" + name)(lambda bench: quiet.measured(lambda: function(bench), threads))
        return function

    return register


def taken_out(bench, session="cinstr.data"):
    """{(function, pid): what the report says}."""
    outs = bench.report(session)["session"]["taken_out"]
    return {(out["function"], out["pid"]): out for out in outs}


def by_function(bench, session="cinstr.data"):
    return {name: out for (name, _), out in taken_out(bench, session).items()}


def are_counted(outs, totals, *names):
    """On a busy machine it takes more than a second, and may end while one of them is back on
    trial."""
    on_trial = totals["elapsed_inclusive_ns"] > 1e9
    for name in names:
        lab.check_time(name in outs and outs[name]["lowest"] == "counted", f"{name} is not counted: {outs}")
        lab.check_time(outs[name]["probes"] == "counted" or on_trial, f"probes left of {name}: {outs[name]['probes']}")


@test("a hot leaf goes, big functions stay")
def hot(bench):
    bench.same_as_plain(HOT, "-O2", args=["hot", "50000000"], env=LIMIT)
    totals = bench.sound()
    rows, outs = bench.functions(), by_function(bench)
    are_counted(outs, totals, "leaf")
    lab.equal([n for n in ("big", "main") if n in outs], [], "functions out that cost nothing")
    lab.check_time(outs["leaf"]["first_ns"] < 200e6, f"leaf stayed for {outs['leaf']['first_ns'] / 1e6} ms")
    lab.equal(rows["leaf"]["calls"], 50000000, "calls of leaf")
    lab.equal(rows["big"]["calls"], 5, "calls of big")
    lab.equal(rows["loop"]["calls"], 5, "calls of loop")
    lab.equal(rows["main"]["calls"], 1, "calls of main")
    share = rows["main"]["elapsed_inclusive_ns"] / totals["elapsed_inclusive_ns"]
    lab.check_time(share > 0.9, f"main has {share} of the time: what leaf takes is its callers'")
    lab.check_time(rows["loop"]["elapsed_exclusive_ns"] > rows["leaf"]["elapsed_exclusive_ns"],
                   "the time of leaf since it went is not its caller's")


@test("a hot leaf slows the program down no more")
def fast(bench):
    program = bench.compile(HOT, "program", "-O2")

    def seconds(env):
        """Of processor time: the machine may be busy."""
        start = os.times()
        bench.run(program, "hot", "30000000", env=env, status=0)
        end = os.times()
        return end.children_user + end.children_system - start.children_user - start.children_system

    without, limited = seconds({}), seconds(LIMIT)
    lab.check_time(limited < without / 2, f"{limited} s with the limit, {without} s without")


@test("what is said of it")
def said(bench):
    program = bench.compile(HOT, "program", "-O2")
    bench.run(lab.COMMAND, "record", "--max-overhead=2.5", program, "hot", "20000000", status=0)
    info = bench.cinstr("info", bench.path("cinstr.data")).splitlines()
    lab.check(any("at most 2.5 % of the program's own time; estimated: " in line and "from then on" in line
                  for line in info), "\n".join(info))
    lab.check_time(any(" leaf at " in line and "(counted" in line for line in info), "\n".join(info))
    report = bench.cinstr("report", "--view=full", "--verbose", bench.path("cinstr.data"))
    lab.check_time("by the limit on overhead" in report, report)
    marked = [line for line in report.splitlines() if line.split() and line.split()[0].endswith("*")]
    lab.check_time(any(" leaf " in line for line in marked), "leaf is not marked\n" + report)
    lab.check(not any(" big " in line for line in marked), "big is marked\n" + report)
    marks = [line.split("\t") for line in
             bench.cinstr("info", "--marks", bench.path("cinstr.data")).splitlines()]
    lab.check_time(any(m[4] == "leaf" and m[6] == "demoted" and m[7] == "3" for m in marks), str(marks))


@test("without it nothing is taken out")
def without(bench):
    program = bench.compile(HOT, "program", "-O2")
    bench.run(program, "hot", "5000000", status=0)
    lab.equal(taken_out(bench), {}, "functions out")
    lab.equal(bench.functions()["leaf"]["calls"], 5000000, "calls of leaf")
    info = bench.cinstr("info", bench.path("cinstr.data"))
    lab.check("own time" not in info, info)


@test("what becomes rare comes back")
def phases(bench):
    program = bench.compile(HOT, "program", "-O2")
    bench.run(program, "phases", "10000000", env=LIMIT, status=0)
    bench.sound()
    outs = by_function(bench)
    lab.check_time("leaf" in outs, f"leaf never went: {outs}")
    out = outs["leaf"]
    lab.check_time((out["lowest"], out["probes"]) == ("counted", "all"), f"leaf in the first phase, and at the end: {out}")
    lab.check_time(out["last_ns"] - out["first_ns"] > 500e6, "it came back at once")
    lab.check_time(out["times"] < 5, f"it went {out['times']} times")


@test("of several threads each finds its own", threads=quiet.MANY)
def threads(bench):
    bench.same_as_plain(HOT, "-O2", "-pthread", args=["threads"], env=LIMIT)
    totals = bench.sound()
    outs, rows = by_function(bench), bench.functions()
    are_counted(outs, totals, "leaf", "other_leaf")
    lab.equal([rows[n]["calls"] for n in ("loop", "other_loop")], [2, 2], "calls of the loops")


@test("a child goes on with what is out")
def fork(bench):
    bench.same_as_plain(HOT, "-O2", args=["fork"], env=LIMIT)
    bench.sound()
    processes = {row["pid"]: row for row in bench.report(by="process")["rows"]}
    outs = taken_out(bench)
    leaf = sorted((out["first_ns"], pid) for (name, pid), out in outs.items() if name == "leaf")
    lab.check_time(len(leaf) == 2, f"processes that say leaf is out: {leaf}")
    lab.check_time({pid for _, pid in leaf} == set(processes), f"these processes: {leaf}, not {processes}")
    lab.equal(bench.functions()["big"]["calls"], 1, "calls of big")


@test("odd values")
def values(bench):
    program = bench.compile(HOT, "program", "-O2")
    for value in "x", "-5", "5x", "5.", ".5", "1e1", "10001", "99999999999999999999", " 5", "5 %":
        done = bench.run(program, "hot", "1000", env={"CINSTR_MAX_OVERHEAD": value}, status=0)
        lab.check("CINSTR_MAX_OVERHEAD=" + value in done.stderr and "no such value" in done.stderr,
                  f"{value!r}: {done.stderr!r}")
    for value, said in ("5", "5 %"), ("0.25", "0.25 %"), ("10000", "10000 %"), ("007.5", "7.5 %"):
        done = bench.run(program, "hot", "1000", env={"CINSTR_MAX_OVERHEAD": value}, status=0)
        lab.equal(done.stderr, "", f"{value!r}: said")
        info = bench.cinstr("info", bench.path("cinstr.data"))
        lab.check(f"at most {said} of the program's own time" in info, f"{value!r}: {info}")
    bench.run(program, "hot", "1000", env={"CINSTR_MAX_OVERHEAD": "unlimited"}, status=0)
    lab.check("own time" not in bench.cinstr("info", bench.path("cinstr.data")), "unlimited is a limit")


@lab.test("budget/what is open when its probes go ends there")
def ends(bench):
    """Nothing is below itself, at whatever moment a function is taken out or tried again: no call
    goes on after it has ended, and each is counted once. Without that, two runs of three had a
    function below itself."""
    rounds = 40000
    program = bench.compile("programs/tail_locks.c", "program", "-O2", "-pthread", "-fplugin-arg-cinstr-small=0")
    for _ in range(4):
        bench.run(program, str(rounds), env=LIMIT, status=0)
        bench.sound()
        path = []
        for row in bench.tree_rows():
            path[row["depth"] - 1:] = [row["name"]]
            lab.check(row["name"] not in path[:-1], f"below itself: {' > '.join(path)}, {row['calls']} calls")
        rows = bench.functions()
        lab.equal({name: rows[name]["calls"] for name in ("work", "locked", "spin")},
                  {"work": 4, "locked": 4 * rounds, "spin": 8 * rounds}, "calls")
