# SPDX-License-Identifier: GPL-3.0-or-later
"""Tail calls: who is left by a jump is the caller of where it leads (R15)."""
import re

import lab

PROGRAM = "programs/jumps.c"
WITHOUT = "-fno-optimize-sibling-calls"
OPERATIONS = 200


def paths(bench):
    """Call paths by name, with their calls."""
    rows = {row["id"]: row for row in bench.tree_rows()}
    found = {}
    for row in rows.values():
        path, at = [], row
        while at:
            path.append(at["name"])
            at = rows.get(at["parent"])
        found[tuple(reversed(path))] = row
    return found


def edges(bench, name, kind):
    rows = bench.json("callers", name)["rows"]
    return {row["name"]: row["calls"] for row in rows if row["type"] == kind}


@lab.test("jumps/who jumps is the caller")
def caller(bench):
    """cache_refill leaves by a jump to what sleeps, ten times 20 ms."""
    for flags in (("-O2",), ("-O3",), ("-O2", "-flto"), ("-O2", WITHOUT)):
        program = bench.compile(PROGRAM, "program", *flags)
        bench.run(program, "refill", env={"CINSTR_TIMELINE": "unlimited"}, status=0)
        bench.sound()
        lab.check("gives the same tree" in bench.cinstr("refold"), f"{flags}: another tree by the timeline")
        rows = bench.functions()
        for name in ("refill", "handle", "cache_refill", "pause20"):
            lab.check(200e6 <= rows[name]["elapsed_inclusive_ns"] < 900e6, f"{flags}: {name}: {rows[name]}")
        lab.check(rows["cache_refill"]["min_elapsed_inclusive_ns"] >= 20e6, f"{flags}: {rows['cache_refill']}")
        lab.check(rows["cache_refill"]["elapsed_exclusive_ns"] < 10e6, f"{flags}: {rows['cache_refill']}")
        lab.equal(edges(bench, "pause20", "caller"), {"cache_refill": 10}, f"{flags}: callers of pause20")
        lab.equal(edges(bench, "cache_refill", "callee"), {"pause20": 10}, f"{flags}: callees of cache_refill")
        path = ("main", "refill", "handle", "cache_refill", "pause20", "nanosleep")
        lab.equal(paths(bench)[path]["calls"], 10, f"{flags}: calls on the path")
        sites = [row for row in bench.json("report", "--by=site")["rows"] if row["callee"] == "pause20"]
        lab.equal([(row["calls"], row["name"]) for row in sites], [(10, "cache_refill")], f"{flags}: sites of pause20")


@lab.test("jumps/the same functions as without jumps")
def same(bench):
    """Calls exactly, and who has called, but for loops of jumps."""
    for how in (("refill",), ("callbacks",), ("machine", "5000")):
        found = []
        for flags in ((), (WITHOUT,)):
            program = bench.compile(PROGRAM, "program", "-O2", *flags)
            bench.run(program, *how, status=0)
            bench.sound()
            found.append({name: row["calls"] for name, row in bench.functions().items()})
        lab.equal(found[0], found[1], f"calls: {how}")


@lab.test("jumps/a machine of states is no tree of paths")
def machine(bench):
    """Each of 200 operations jumps to one of two others, 100,000 times: as many paths as there are
    jumps and targets."""
    program = bench.compile(PROGRAM, "program", "-O2")
    bench.run(program, "machine", "100000", env={"CINSTR_PATHS": "1000000"}, status=0)
    bench.sound()
    rows = bench.functions()
    operations = {name: row["calls"] for name, row in rows.items() if name.startswith("op")}
    lab.equal(sum(operations.values()), 100001, "calls of all operations")
    found = paths(bench)
    lab.check(max(len(path) for path in found) <= 3 + 16, "deeper than a chain of jumps may get")
    at_machine = [path for path in found if path[:2] == ("main", "machine")]
    lab.check(len(at_machine) < 2 * OPERATIONS + 50, f"{len(at_machine)} paths")
    sites = [row for row in bench.json("report", "--by=site")["rows"] if row["name"].startswith("op")]
    lab.check(len(sites) > len(operations), f"{len(sites)} call sites of operations")
    # Nothing but probes is in it: what is left without them may be less than its uncertainty.
    measured = {name: rows[name]["elapsed_inclusive_ns"] + rows[name]["probe_overhead_inclusive_ns"] for name in ("main", "machine")}
    lab.check(measured["machine"] > 0.5 * measured["main"], f"machine: {rows['machine']}")


@lab.test("jumps/callbacks")
def callbacks(bench):
    """qsort has no probes: there is no event at the end of what its callback jumps to, if that has
    none either."""
    program = bench.compile(PROGRAM, "program", "-O2")
    for env in ({}, {"CINSTR_RESTARTABLE": "off"}, {"CINSTR_PROBES": "functions"}):
        bench.run(program, "callbacks", env=env, status=0)
        bench.sound()
        rows = bench.functions()
        lab.equal(edges(bench, "compare_library", "caller"), {"qsort": rows["compare_library"]["calls"]}
                  if not env.get("CINSTR_PROBES") else edges(bench, "compare_library", "caller"), f"{env}: a callback")
        lab.equal(rows["compare_values"]["calls"], rows["compare_jump"]["calls"], f"{env}: calls")
        lab.equal(edges(bench, "compare_values", "caller"), {"compare_jump": rows["compare_jump"]["calls"]}, f"{env}")
        lab.equal(bench.report()["session"]["implicit_exits"], 0, f"{env}: implicit exits")


@lab.test("jumps/a slow call that ends in a jump is kept")
def slowest(bench):
    program = bench.compile(PROGRAM, "program", "-O2")
    bench.run(program, "refill", env={"CINSTR_KEEP_SLOWEST": "cache_refill:10ms"}, status=0)
    marks = bench.json("info", "--marks")["marks"]
    took = [int(mark["text"].split()[2]) for mark in marks if mark["text"].startswith("cache_refill:10ms took")]
    lab.check(took and min(took) >= 20000, f"marks: {marks}")


def narrow(bench, *args):
    """A table of 80 columns, without what stands below it; and that."""
    text = bench.run(lab.COMMAND, *args, env={"COLUMNS": "80"}, status=0).stdout
    lab.check(max(map(len, text.splitlines())) <= 80, f"{args}: wider than 80 columns:\n{text}")
    table, _, foot = text.rpartition("\n\n")
    return table, " ".join(foot.split())


@lab.test("jumps/rows that were reached by a jump say so")
def marked(bench):
    """In tables, csv and json; below a table it is explained where it occurs."""
    program = bench.compile(PROGRAM, "program", "-O2")
    bench.run(program, "refill", env={"CINSTR_TIMELINE": "unlimited"}, status=0)
    views = {("tree",): r"\bpause20 \(jump\)$", ("tree", "--fold"): r"cache_refill > pause20 \(jump\) > nanosleep$",
             ("callers", "pause20"): r"called by \(jump\) +cache_refill$",
             ("callers", "--sites", "pause20"): r"called by \(jump\) +cache_refill:25$",
             ("callers", "cache_refill"): r"calls \(jump\) +pause20$",
             ("report", "--by=site"): r"\bcache_refill:25 => pause20$"}
    for view, pattern in views.items():
        _, foot = narrow(bench, *view)
        columns = "calls,type,name" if view[0] == "callers" else "calls,name"
        wide = bench.run(lab.COMMAND, *view, f"--columns={columns}", env={"COLUMNS": "200"}, status=0).stdout
        lab.check(re.search(pattern, wide, re.M), f"{view}: nothing is {pattern}:\n{wide}")
        lab.equal(len(re.findall(r"\(jump\)| => ", wide.rpartition("\n\n")[0])), 1, f"{view}: marks:\n{wide}")
        lab.check(": a tail call" in foot, f"{view}: not explained: {foot}")
    table, foot = narrow(bench, "callers", "handle")
    lab.check("(jump)" not in table + foot, f"callers of handle:\n{table}{foot}")
    jumps = {row["name"]: row["tail_calls"] for row in bench.tree_rows()}
    lab.equal({name: n for name, n in jumps.items() if n}, {"pause20": 10}, "tail_calls of the tree")
    rows = bench.json("callers", "pause20")["rows"]
    lab.equal({row["name"]: row["tail_calls"] for row in rows if row["type"] != "root"},
              {"cache_refill": 10, "nanosleep": 0}, "tail_calls of callers")
    story = bench.json("timeline")
    lab.equal({(event["event"], event["function"]) for event in story if event["tail_call"]}, {("enter", "pause20")},
              "jumps in the timeline")
    lab.equal(sum(event["tail_call"] or 0 for event in story), 10, "jumps in the timeline")
    text = bench.cinstr("timeline")
    lab.equal(text.count("Enter pause20 (jump)  "), 10, "jumps in the timeline's table")
    lab.check(text.endswith("\n(jump): a tail call, which left its caller by a jump\n"), text[-200:])


@lab.test("jumps/who jumped in a loop of jumps")
def who(bench):
    """Operations hang below the first of them; the place of the jump is in another one, which
    `--sites` names."""
    program = bench.compile(PROGRAM, "program", "-O2")
    bench.run(program, "machine", "5000", status=0)
    counts = {name: row["calls"] for name, row in bench.functions().items() if name.startswith("op")}
    name = max(counts, key=counts.get)
    rows = [row for row in bench.json("callers", "--sites", name)["rows"] if row["type"] == "caller" and row["tail_calls"]]
    lab.check(rows and all(row["name"].startswith("op") for row in rows if row["calls"] > 1), f"callers of {name}: {rows}")
    lab.check(len({row["name"] for row in rows}) == len(rows), f"places of {name}: {rows}")
    lab.equal(sum(row["calls"] for row in rows), counts[name], f"calls of {name}")
