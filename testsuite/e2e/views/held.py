# SPDX-License-Identifier: GPL-3.0-or-later
"""Memory that was not freed (R22): programs/held.c says how many bytes and blocks each of its
functions leaves."""
import signal

import lab

TIMES = 50
HELD = {"CINSTR_HELD": "on"}
KINDS = {"grows": (90, 1), "realloc_fails": (21, 1), "all_kinds": (1158, 3)}


def truth(times):
    """By itself."""
    return {"make": (100 * times, times), "leaks": (0, 0), "frees": (0, 0), "gives": (16 * 20, 20), "main": (0, 0), **KINDS}


def own(row):
    return row["held_own"], row["held_blocks_own"]


def inclusive(row):
    return row["held_inclusive"], row["held_blocks"]


def rows_of(bench, *arguments):
    return {row["name"]: row for row in bench.report("cinstr.data", *arguments)["rows"]}


def compiled(bench, *options):
    return bench.compile("programs/held.c", "held", "-O1", "-g", "-pthread", "-Wno-alloc-size-larger-than", *options)


def recorded(bench, program, how, times=TIMES, status=0, **env):
    bench.run("rm", "-rf", bench.path("cinstr.data"), status=0)
    bench.run(program, how, str(times), status=status, env={**HELD, **env})


@lab.test("held/by function, path, thread, and after kill -9")
def exact(bench):
    program = compiled(bench)
    sums = tuple(sum(column) for column in zip(*truth(TIMES).values()))
    for how in "end", "kill":
        recorded(bench, program, how, status=-signal.SIGKILL if how == "kill" else 0)
        rows = rows_of(bench)
        lab.equal({name: own(rows[name]) for name in truth(TIMES)}, truth(TIMES), f"{how}: by itself")
        lab.equal({name: inclusive(rows[name]) for name in ("leaks", "frees", "main")},
                  {"leaks": (100 * TIMES, TIMES), "frees": (0, 0), "main": (sums[0] - 160, sums[1] - 10)}, f"{how}: inclusive")
        lab.equal([inclusive(row) for row in bench.report("cinstr.data", "process")["rows"]], [sums], f"{how}: the process")
        threads = sorted(inclusive(row) for row in bench.report("cinstr.data", "thread")["rows"])
        lab.equal(threads, [(160, 10), (sums[0] - 160, sums[1] - 10)], f"{how}: threads")
    paths = [own(row) for row in bench.json("tree", "--min-percent=0")["rows"] if row["name"] == "make"]
    lab.equal(sorted(paths), [(0, 0), (100 * TIMES, TIMES)], "one of two paths leaks")
    page = bench.cinstr("summary", bench.path("cinstr.data"))
    lab.check(f"Not freed: {sums[0]:,} bytes in {sums[1]} blocks -> cinstr tree --view=held" in page, page)
    lab.check(f"  {TIMES} blocks of {2 * TIMES}  held.c:" in page, page)


@lab.test("held/functions that are only counted free all the same")
def counted(bench):
    program = compiled(bench)
    for option in {"CINSTR_MAX_OVERHEAD": "0"}, {"CINSTR_NOT": "frees,gives"}:
        recorded(bench, program, "end", 20000, **option)
        rows = bench.report("cinstr.data")["rows"]
        lab.equal([inclusive(row) for row in bench.report("cinstr.data", "process")["rows"]],
                  [(2_000_000 + 1269 + (320 if "CINSTR_NOT" not in option else 0),
                    20_005 + (20 if "CINSTR_NOT" not in option else 0))], f"{option}: the process")
        lab.equal([own(row) for row in rows if row["name"] == "make"], [(2_000_000, 20_000)], f"{option}: make")


@lab.test("held/a forked child has its own blocks only")
def forked(bench):
    program = compiled(bench)
    recorded(bench, program, "fork")
    whole = sorted(inclusive(row) for row in bench.report("cinstr.data", "process")["rows"])
    sums = tuple(sum(column) for column in zip(*truth(TIMES).values()))
    lab.equal(whole, [(100, 1), sums], "child and parent")


@lab.test("held/a table that is full keeps a sample")
def sampled(bench):
    program = compiled(bench)
    recorded(bench, program, "end", 100_000, CINSTR_HELD="4096")
    rows = rows_of(bench)
    lab.check(abs(rows["make"]["held_blocks_own"] / 100_000 - 1) < 0.15, f"about 100,000 blocks: {own(rows['make'])}")
    text = bench.cinstr("report", "--view=held")
    lab.check("estimates from 1 block in" in text, f"it says so: {text}")


@lab.test("held/nothing without the option; merged sessions keep it")
def without(bench):
    program = compiled(bench)
    wrong = bench.run(program, "end", "10", status=0, env={"CINSTR_HELD": "many"}).stderr
    lab.check("CINSTR_HELD=many: no such value; it takes off|on|BLOCKS" in wrong, f"a wrong value: {wrong}")
    lab.check("held_own" not in bench.report("cinstr.data")["rows"][0], "no such column")
    lab.check("--held=on" in bench.cinstr("report", "--view=held"), "how to get it")
    recorded(bench, program, "end")
    bench.cinstr("merge", "--output=" + bench.path("merged"), "cinstr.data")
    rows = {row["name"]: row for row in bench.report("merged")["rows"]}
    lab.equal(own(rows["make"]), (100 * TIMES, TIMES), "merged")
