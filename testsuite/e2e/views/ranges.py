# SPDX-License-Identifier: GPL-3.0-or-later
"""Filters and ranges: parts add up to the whole, exactly; cinstr timeline tells what the tree has
counted."""
import json
import os
import random
from collections import Counter

import lab

TREES = {"longjmp": (), "recursion": (), "callbacks": (), "tailcalls": (), "indirect": (), "threads": ("-pthread",),
         "shortlived": ("-pthread",), "forks": ()}
SYSTEM = """
static volatile int system_sink;
__attribute__((noinline, noclone)) static void system_inner(void (*call)(void))
{
	call();
	system_sink = 1;
}
__attribute__((noinline, noclone)) static void system_middle(void (*call)(void))
{
	system_inner(call);
	system_sink = 2;
}
__attribute__((noinline, noclone)) static void system_outer(void (*call)(void))
{
	system_middle(call);
	system_middle(call);
	system_sink = 3;
}
"""
ENTERS, EXITS = ("enter", "running"), ("exit", "implicit-exit")
ADDED = "calls", "elapsed_exclusive_ns", "off_cpu_exclusive_ns"
TOTALS = "elapsed_inclusive_ns", "runtime_ns", "paused_ns", "outside_functions_ns", "events", "exits", "implicit_exits"


def record(bench, program, *args, timeline="unlimited", **env):
    env = dict(env, CINSTR_PROBES=env.get("CINSTR_PROBES", "calls"))
    if timeline:
        env["CINSTR_TIMELINE"] = timeline
    bench.run(program, *args, env=env)


def program_of(bench):
    os.makedirs(bench.path("include/c++"), exist_ok=True)
    bench.write("include/c++/system.h", SYSTEM)
    include = os.path.join(lab.ROOT, "include")
    return bench.compile("programs/ranges.c", "program", "-O2", "-pthread", f"-I{include}", f"-I{bench.folder}")


def report(bench, *args, none_is_good=False):
    """The raw report; None: there is nothing there."""
    done = bench.run(lab.COMMAND, "report", "--raw", "--format=json", *args, bench.path("cinstr.data"))
    if none_is_good and done.returncode == 1 and "nothing was recorded there" in done.stderr:
        return None
    lab.check(done.returncode == 0, f"cinstr report {args}: {done.stderr}")
    return json.loads(done.stdout)


def rows_of(whole):
    """By function: times of other machines' folders do not matter here."""
    return {(row["name"], row["module"], row["file"], row["line"]): row for row in whole["rows"]}


def adds_up(bench, parts, what):
    """The sums over the reports are those of the whole; times are rounded to nanoseconds once a
    part."""
    whole, close = report(bench), len(parts) + 1
    rows, sums, totals = rows_of(whole), {}, Counter()
    for part in parts:
        lab.equal(part["session"]["conservation_ticks_off"], 0, f"{what}: conservation_ticks_off")
        lab.equal(part["session"]["unbalanced_events"], 0, f"{what}: unbalanced_events")
        for key, row in rows_of(part).items():
            sums.setdefault(key, Counter()).update({name: row[name] or 0 for name in ADDED})
        totals.update({name: part["session"][name] for name in TOTALS})
    lab.equal(sorted(map(str, sums)), sorted(map(str, rows)), f"{what}: functions")
    for key, row in rows.items():
        for name in ADDED:
            slack = 0 if name == "calls" else close
            lab.check(abs(sums[key][name] - row[name]) <= slack,
                      f"{what}: {key[0]}: {name}: parts {sums[key][name]}, whole {row[name]}")
    for name in TOTALS:
        slack = 0 if name in ("events", "exits", "implicit_exits") else close
        lab.check(abs(totals[name] - whole["session"][name]) <= slack,
                  f"{what}: {name}: parts {totals[name]}, whole {whole['session'][name]}")


def cut(bench, seed, n=5):
    """The reports of what lies between random moments."""
    generator = random.Random(seed)
    length = int(report(bench)["session"]["duration_ns"])
    moments = sorted(generator.sample(range(length), n))
    bounds = [None] + moments + [None]
    parts = []
    for a, b in zip(bounds, bounds[1:]):
        args = [f"--from={a}ns"] * (a is not None) + [f"--to={b}ns"] * (b is not None)
        parts.append(report(bench, *args, none_is_good=True))
    return [part for part in parts if part]


def cut_tree(bench, name, probes):
    flags = ("-fplugin-arg-cinstr-lines",) if probes == "lines" else ()
    program = bench.compile(f"trees/{name}.c", "program", "-O2", "-w", *flags, *TREES[name])
    record(bench, program, CINSTR_PROBES=probes)
    adds_up(bench, cut(bench, 1), "parts")
    told(bench)


for tree in TREES:
    mode = {"longjmp": "lines", "recursion": "functions"}.get(tree, "calls")
    lab.TESTS.append((f"range/parts of {tree} add up, {mode}",
                      lambda bench, name=tree, probes=mode: cut_tree(bench, name, probes)))


# ---- 1,000 cuts ----------------------------------------------------------------------------------

CUT = {"programs/cuts.c": "-O2 -pthread", "trees/tailchains.c": "-O2", "trees/tailcalls.c": "-O2", "trees/jumps.c": "-O2",
       "trees/recursion.c": "-O1", "trees/longjmp.c": "-O1", "trees/setjmploop.c": "-O2", "trees/contexts.c": "-O2",
       "trees/exceptions.cc": "-O1", "trees/coroutines.cc": "-O2 -std=c++20", "trees/threads.c": "-O1 -pthread",
       "trees/exceptionthreads.cc": "-O2 -pthread"}
CUTS = 1000


@lab.test("range/1,000 random cuts add up to the tick")
def thousand_cuts(bench):
    """Every value of every function, in ticks: build/unit --cuts, one process for all cuts of a
    program."""
    unit, done = os.path.join(lab.BUILD, "unit"), 0
    if not os.path.exists(unit):
        raise lab.Skip("build/unit is not built")
    include = lab.INCLUDE
    for number, (source, flags) in enumerate(CUT.items()):
        sources, plain = [source], os.path.splitext(source)[0] + "_plain" + os.path.splitext(source)[1]
        if os.path.exists(os.path.join(lab.E2E, plain)):
            sources.append(bench.compile(plain, "extra.o", *flags.split(), "-c", plugin=None))
        program = bench.compile(sources, "program", "-w", include, *flags.split())
        record(bench, program)
        for file in lab.data_files(bench.path("cinstr.data")):
            wanted = (CUTS - done) // (len(CUT) - number)
            ran = bench.run(unit, "--cuts", file, str(number + 1), str(wanted))
            lab.check(ran.returncode == 0, f"{source}: {ran.stdout}{ran.stderr}")
            lab.check(f"{wanted} cuts of" in ran.stdout, f"{source}: {ran.stdout}")
            done += wanted
    lab.equal(done, CUTS, "cuts")


# ---- the timeline --------------------------------------------------------------------------------

def timeline(bench, *args):
    return bench.json("timeline", *args, bench.path("cinstr.data"))


def told(bench):
    """What is told is what was counted, in order, and calls nest."""
    events, totals, stacks = timeline(bench, "--events=all"), report(bench)["session"], {}
    kinds = Counter(event["event"] for event in events)
    lab.equal(kinds["enter"] + kinds["running"], totals["enters"], "enters told")
    lab.equal(kinds["exit"], totals["exits"], "exits told")
    lab.equal(kinds["implicit-exit"], totals["implicit_exits"], "implicit exits told")
    times = [event["time_ns"] for event in events]
    lab.check(times == sorted(times), "not in order of time")
    for event in events:
        stack = stacks.setdefault((event["pid"], event["tid"]), [])
        if event["event"] in ENTERS + ("call",):
            stack.append(event["function"])
            lab.equal(event["depth"], len(stack), f"depth of {event}")
        elif event["event"] in EXITS + ("return", "implicit-return"):
            lab.check(stack and stack.pop() == event["function"], f"it was not on top: {event}")
    open_frames = sum(len(stack) for stack in stacks.values())
    lab.check(open_frames >= totals["open_frames"], f"{open_frames} left open, the tree has {totals['open_frames']}")
    return events


@lab.test("timeline/durations are those of the tree")
def durations(bench):
    record(bench, program_of(bench), "phases")
    events = told(bench)
    rows = {row["name"]: row for row in report(bench)["rows"]}
    for name in "leaf", "leaves", "compare", "sort", "phases", "nanosleep":
        ends = [e["duration_ns"] for e in events if e["function"] == name and e["event"] in ("exit", "return")]
        lab.equal(len(ends), rows[name]["calls"], f"calls of {name}")
        lab.check(abs(sum(ends) - rows[name]["elapsed_inclusive_ns"]) <= len(ends) + 1,
                  f"{name}: {sum(ends)} ns told, the tree has {rows[name]['elapsed_inclusive_ns']}")
    sleep = next(e for e in events if e["function"] == "nanosleep" and e["event"] == "return")
    lab.check("voluntary" in sleep["os_events"] and "syscall" in sleep["os_events"], f"nanosleep: {sleep}")
    lab.check(25e6 < sleep["off_cpu_ns"] <= sleep["duration_ns"], f"nanosleep off the processor: {sleep}")
    lab.equal([e["text"] for e in events if e["event"] == "mark"],
              ["first (1)", "second (2)", "third (3)", "end (4)"], "marks")


def without(events, *kinds):
    return [event for event in events if event["event"] not in kinds]


@lab.test("timeline/filters leave the rest as it is")
def filters(bench):
    record(bench, program_of(bench), "phases")
    events = without(timeline(bench), "line")
    ends = EXITS + ("return", "implicit-return")
    middle = sorted(e["duration_ns"] for e in events if e["event"] in ends)[-20]
    long = timeline(bench, f"--min-duration={middle}ns")
    lab.equal([e for e in long if e["event"] in ends],
              [e for e in events if e["event"] in ends and e["duration_ns"] >= middle], "ends of long calls")
    begins = Counter(e["function"] for e in long if e["event"] in ("enter", "call"))
    lab.equal(begins, Counter(e["function"] for e in long if e["event"] in ends), "begins of long calls")
    lab.equal(timeline(bench, "--depth=3"), [e for e in events if (e["depth"] or 0) <= 3], "--depth")
    lab.equal(timeline(bench, "--limit=10"), events[:10], "--limit")
    lab.equal(timeline(bench, "--function=lea*,!leaves"), [e for e in events if e["function"] in (None, "leaf")],
              "--function")
    lab.equal(timeline(bench, "--events=mark"), [e for e in events if e["event"] == "mark"], "--events")
    marks = {e["text"]: e["time_ns"] for e in events if e["event"] == "mark"}
    lab.equal(without(timeline(bench, "--from=second", "--to=3"), "process-end"),
              [e for e in events if marks["second (2)"] <= e["time_ns"] < marks["third (3)"]], "between marks")


@lab.test("timeline/rings and budgets say what is missing")
def holes(bench):
    program = bench.compile("programs/timeline.c", "program", "-O2", "-pthread")
    for budget, first in ("ring:128K", True), ("64K", False):
        record(bench, program, "bits", "130000", timeline=budget)
        events = [e for e in timeline(bench) if e["event"] not in ("process-begin", "thread-begin")]
        kinds = [e["event"] for e in events]
        lab.equal(kinds.count("missing"), 1, f"{budget}: holes")
        lab.equal(kinds.index("missing") < 10, first, f"{budget}: the hole is at the begin")
        lab.check(kinds.count("exit") > 1000, f"{budget}: {kinds.count('exit')} exits")
    lab.check("running" in kinds or not first, "nobody was running behind the hole")
    last = events[kinds.index("missing") - 1]["time_ns"] // 1000  # that was kept
    lab.check("does not hold all" in bench.run(lab.COMMAND, "report", f"--from={last + 1}us", status=1).stderr, "range beyond the budget")
    lab.check(report(bench, f"--to={last - 1}us")["session"]["events"] > 0, "no range within the budget")


# ---- ranges between marks, filters ---------------------------------------------------------------

def between_marks(bench, *args):
    return {row["name"]: row for row in report(bench, *args)["rows"]}


def known_phases(bench, extremes):
    first, second = between_marks(bench, "--from=first", "--to=second"), between_marks(bench, "--from=2", "--to=third")
    third = between_marks(bench, "--from=third", "--to=end")
    lab.equal([part["leaf"]["calls"] if "leaf" in part else 0 for part in (first, second, third)], [30, 70, 0], "leaf")
    lab.equal([part["leaves"]["calls"] if "leaves" in part else 0 for part in (first, second, third)], [1, 1, 0], "leaves")
    lab.check(first["wait_ms"]["elapsed_inclusive_ns"] >= 30e6, f"the wait: {first['wait_ms']}")
    lab.check(not any(part.get("wait_ms", {}).get("elapsed_inclusive_ns") for part in (second, third)), "a wait elsewhere")
    lab.check(third["qsort"]["calls"] == 1 and third["compare"]["calls"] > 100, f"qsort: {third.get('qsort')}")
    lab.equal(first["phases"]["calls"], 0, "calls of what was open at the begin")
    lab.check(first["phases"]["elapsed_inclusive_ns"] >= first["wait_ms"]["elapsed_inclusive_ns"], "phases")
    if extremes:
        lab.check(first["leaves"]["min_elapsed_inclusive_ns"] > 0, "no extreme of what lies within")
        lab.check(first["phases"]["min_elapsed_inclusive_ns"] is None, "an extreme of what does not lie within")


@lab.test("range/between marks, from the timeline")
def marks_of_timeline(bench):
    record(bench, program_of(bench), "phases")
    known_phases(bench, True)
    parts = [report(bench, "--to=first"), report(bench, "--from=first", "--to=second"),
             report(bench, "--from=second", "--to=third"), report(bench, "--from=third", "--to=end"),
             report(bench, "--from=end")]
    adds_up(bench, parts, "marks")


@lab.test("range/between marks, without a timeline")
def marks_of_phases(bench):
    record(bench, program_of(bench), "phases", timeline=None)
    known_phases(bench, False)
    first = int(bench.cinstr("info", "--marks", bench.path("cinstr.data")).split()[0])
    done = bench.run(lab.COMMAND, "report", f"--from={first + 10000000}ns", status=1)
    lab.check("no timeline was recorded" in done.stderr and "CINSTR_TIMELINE" in done.stderr, done.stderr)
    done = bench.run(lab.COMMAND, "timeline", status=1)
    lab.check("no timeline was recorded" in done.stderr, done.stderr)


@lab.test("filter/threads and processes add up")
def family(bench):
    record(bench, program_of(bench), "family", timeline=None)
    calls = lambda *args: between_marks(bench, *args)["leaf"]["calls"]
    lab.equal([calls("--thread=alpha"), calls("--thread=bet*"), calls("--thread=!alpha,!beta")], [11, 13, 36], "leaf")
    pids = [row["pid"] for row in report(bench, "--by=process")["rows"]]
    lab.equal(len(pids), 2, "processes")
    lab.equal(sorted(calls(f"--process={pid}") for pid in pids), [17, 43], "leaf by process")
    adds_up(bench, [report(bench, f"--process={pid}") for pid in pids], "processes")
    threads = [report(bench, f"--thread={row['tid']}") for row in report(bench, "--by=thread")["rows"]]
    adds_up(bench, threads, "threads")
    some = report(bench, "--function=leaf")
    lab.equal([row["name"] for row in some["rows"]], ["leaf"], "rows of leaf")
    lab.equal(some["rows"][0], next(r for r in report(bench)["rows"] if r["name"] == "leaf"), "values of leaf")
    bench.cinstr("report", "--thread=alpha", "--save-filter=" + bench.path("saved"), bench.path("cinstr.data"))
    lab.equal(between_marks(bench, "--filter=" + bench.path("saved"))["leaf"]["calls"], 11, "leaf by the saved filter")


@lab.test("filter/just my code")
def just_my_code(bench):
    """One level of the system is left, with the time of those below; callbacks stay."""
    record(bench, program_of(bench), "outside", CINSTR_PROBES="functions")
    whole, mine = between_marks(bench), between_marks(bench, "--just-my-code")
    lab.equal(sorted(set(whole) - set(mine)), ["system_inner", "system_middle", "system_outer"], "what is left out")
    inner = sum(whole[name]["elapsed_exclusive_ns"] for name in ("system_outer", "system_middle", "system_inner"))
    lab.check(abs(mine["[External Code]"]["elapsed_exclusive_ns"] - inner) <= 3, "time of the system's functions")
    for name in "main", "back", "leaves", "leaf":
        lab.equal(mine[name], whole[name], name)
    lab.equal([mine["[External Code]"]["calls"], mine["back"]["calls"]], [1, 2], "calls")
    corrected = bench.report(), bench.report("cinstr.data", "function", "--just-my-code")
    totals = [one["session"]["elapsed_inclusive_ns"] for one in corrected]
    lab.equal(totals[1], totals[0], "corrected")
    tree = bench.json("tree", "--just-my-code", bench.path("cinstr.data"))["rows"]
    paths = [(row["depth"], row["name"]) for row in tree]
    lab.equal(paths, [(1, "main"), (2, "[External Code]"), (3, "back"), (4, "leaves"), (5, "leaf")], "tree")
    functions = {e["function"] for e in timeline(bench, "--just-my-code")}
    lab.check("system_inner" not in functions and {"system_outer", "back"} <= functions, f"timeline: {functions}")
    record(bench, program_of(bench), "phases", timeline=None)
    mine = between_marks(bench, "--just-my-code")
    lab.check(mine["compare"]["calls"] > 100 and "qsort" not in mine, "qsort and what it calls back")
