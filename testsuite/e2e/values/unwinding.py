# SPDX-License-Identifier: GPL-3.0-or-later
"""Ways out that are not returns: their time is that of what threw or jumped, and hangs below who
called that (R4, R15)."""
import statistics

import lab

PROGRAM = "programs/unwinding.cc"
TIMES = 20
LINES = "-fplugin-arg-cinstr-lines"
# Who called what does not return, and how often a time.
WAYS = {
    "__cxa_throw": {"thrower": 3, "compare": 1, "same_frame": 1},
    "__cxa_rethrow": {"rethrower": 1},
    "longjmp": {"jumper": 1},
    "siglongjmp": {"handler": 1},
    "pthread_exit": {"ender": 1},
}


def unreturned(bench):
    """The timeline's implicit returns of a name: their durations, in ns."""
    found = {}
    for row in bench.json("timeline"):
        if row["event"] == "implicit-return":
            found.setdefault(row["function"], []).append(row["duration_ns"])
    return found


@lab.test("unwinding/the time is that of what threw")
def thrown(bench):
    for flags in (("-O0",), ("-O2", "-fno-inline"), ("-O2", "-fno-inline", LINES)):
        program = bench.compile(PROGRAM, "program", "-pthread", *flags)
        env = {"CINSTR_TIMELINE": "unlimited", "CINSTR_PROBES": "lines" if LINES in flags else "calls"}
        bench.run(program, env=env, status=0)
        bench.sound()
        lab.check("gives the same tree" in bench.cinstr("refold"), f"{flags}: another tree by the timeline")
        for name, callers in WAYS.items():
            rows = {row["name"]: row for row in bench.json("callers", name, "--raw", "--names=short")["rows"]
                    if row["type"] == "caller"}
            lab.equal({caller: row["calls"] for caller, row in rows.items()},
                      {caller: TIMES * n for caller, n in callers.items()}, f"{flags}: callers of {name}")
            for caller, row in rows.items():
                lab.check(row["elapsed_inclusive_ns"] > 0, f"{flags}: {name} by {caller} took no time: {row}")
        durations = unreturned(bench)
        for name in WAYS:  # of longjmp some processors' clock makes 0: it goes in steps of 10 ns
            lab.check(statistics.median(durations[name]) > 0, f"{flags}: {name}: {durations[name]}")


@lab.test("unwinding/frames between have it in their inclusive time")
def inclusive(bench):
    """22 frames, of which the innermost throws: whoever catches has nothing of it for itself."""
    program = bench.compile(PROGRAM, "program", "-pthread", "-O1")
    bench.run(program, status=0)
    rows = {row["id"]: row for row in bench.json("tree", "--raw")["rows"]}
    throws = [row for row in rows.values() if row["name"] == "__cxa_throw"]
    deepest = 0
    for row in throws:
        took, at, depth = row["elapsed_inclusive_ns"], rows.get(row["parent"]), 0
        lab.check(took > 0, f"no time: {row}")
        while at:
            lab.check(at["elapsed_inclusive_ns"] >= took, f"{at} has less than __cxa_throw below it, {took}")
            at, depth = rows.get(at["parent"]), depth + 1
        deepest = max(deepest, depth)
    lab.check(deepest >= 22, f"the deepest throw is below {deepest} functions")
