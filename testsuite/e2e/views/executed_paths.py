# SPDX-License-Identifier: GPL-3.0-or-later
"""Executed machine instructions by call path."""
import csv
import io
import json
import re

import lab

OPTION = "-fplugin-arg-cinstr-instructions"
PROGRAM = "programs/executed_paths.c"
N = 10  # passes of main's loop
COMPARED = ("depth", "name", "calls", "inclusive_instructions", "exclusive_instructions",
            "inclusive_instructions_is_estimate", "exclusive_instructions_is_estimate")


def rows(bench, *args):
    text = bench.cinstr(*args, "--measure=instructions", "--format=csv")
    return list(csv.DictReader(io.StringIO(text)))


def tree(bench, session="cinstr.data"):
    """By path: (calls, inclusive, exclusive, whether these are estimates), of what was executed."""
    found, path = {}, []
    for row in rows(bench, "tree", bench.path(session)):
        path[int(row["depth"]) - 1:] = [row["name"]]
        if int(row["inclusive_instructions"]):
            found[" ".join(path)] = tuple(int(row[name]) for name in COMPARED[2:])
    return found


def own(bench, session="cinstr.data"):
    return {row["name"]: int(row["instructions"]) for row in rows(bench, "report", bench.path(session))}


def record(bench, limit="unlimited", session="cinstr.data", n=N):
    program = bench.compile(PROGRAM, "program", "-O1", OPTION, "-fplugin-arg-cinstr-small=10")
    bench.run(program, str(n), status=0, env={"CINSTR_DATA": session, "CINSTR_MAX_OVERHEAD": limit})


def expected(own_of, n, compares):
    """What follows from calls: leaf was called 100 times by a of 400, and has called tiny 3 or 10
    times each time, which nobody knows: 33 of 400 times."""
    leaf, tiny = own_of["leaf"], own_of["tiny"]
    below_a, tiny_a = leaf // 4, tiny // 4
    below_b, tiny_b = leaf - below_a, tiny - tiny_a
    a, b = own_of["a"] + own_of["only_a"] + below_a + tiny_a, own_of["b"] + below_b + tiny_b
    sort = own_of["sort"] + own_of["compare"]
    return {
        "main": (1, sum(own_of.values()), own_of["main"], 0, 0),
        "main a": (n, a, own_of["a"], 1, 0),
        "main a only_a": (100 * n, own_of["only_a"], own_of["only_a"], 0, 0),
        "main a leaf": (100 * n, below_a + tiny_a, below_a, 1, 1),
        "main a leaf tiny": (3300 * n // 4, tiny_a, tiny_a, 1, 1),
        "main b": (n, b, own_of["b"], 1, 0),
        "main b leaf": (300 * n, below_b + tiny_b, below_b, 1, 1),
        "main b leaf tiny": (3 * 3300 * n // 4, tiny_b, tiny_b, 1, 1),
        "main sort": (n, sort, own_of["sort"], 0, 0),
        "main sort qsort": (n, own_of["compare"], 0, 0, 0),
        "main sort qsort compare": (compares, own_of["compare"], own_of["compare"], 0, 0),
    }


@lab.test("executed/by call path: shares by calls, which add up")
def by_path(bench):
    record(bench)
    found, own_of = tree(bench), own(bench)
    lab.equal((own_of["leaf"] % 4, own_of["tiny"] % 4, own_of["tiny"]), (0, 0, 5 * 3300 * N),
              "what the numbers below divide")
    lab.equal(found, expected(own_of, N, found["main sort qsort compare"][0]), "by call path")


@lab.test("executed/by call path: in files for other viewers")
def exported(bench):
    record(bench)
    found = {path.replace(" ", ";"): row[2] for path, row in tree(bench).items()}
    def export(form, *words):
        return bench.cinstr("export", f"--format={form}", *words, bench.path("cinstr.data"))
    paths = dict(line.rsplit(" ", 1) for line in export("collapsed", "--measure=instructions").splitlines())
    lab.equal({path: int(value) for path, value in paths.items()}, {path: value for path, value in found.items() if value}, "collapsed")
    text = export("callgrind", "--measure=instructions,calls")
    total = sum(found.values())
    lab.check(f"\nsummary: {total}\n" in text and "shares by calls" in text, text)
    lab.check(f"\\nof {tree(bench)['main a'][1]:,}\u2248 (" in export("dot", "--measure=instructions"), "dot: a's are an estimate")
    (profile,) = json.loads(export("speedscope", "--measure=instructions"))["profiles"]
    lab.equal((profile["endValue"], profile["name"].partition(": ")[2]), (total, "instructions, with estimates"), "speedscope")


@lab.test("executed/by call path: the same where probes were taken out")
def limited(bench):
    record(bench, n=200)
    record(bench, limit="1", session="limited", n=200)
    whole, limited_ = tree(bench), tree(bench, "limited")
    lab.check("probes taken out of" in bench.cinstr("tree", "--measure=instructions", bench.path("limited")),
              "no probes were taken out")
    exact = {path: row[:3] for path, row in whole.items() if "compare" not in path and "sort" not in path}
    lab.equal({path: row[:3] for path, row in limited_.items() if path in exact}, exact, "by call path")
    for path in "main a only_a", "main":
        lab.equal(limited_[path], whole[path], path)


@lab.test("executed/inclusive by function, and of callers")
def by_function(bench):
    record(bench)
    found = tree(bench)
    functions = {row["name"]: row for row in rows(bench, "report", bench.path("cinstr.data"))}

    def inclusive(name):
        row = functions[name]
        return int(row["inclusive_instructions"]), int(row["inclusive_instructions_is_estimate"])

    lab.equal({name: inclusive(name) for name in ("main", "a", "b", "sort", "only_a", "tiny")},
              {"main": (found["main"][1], 0), "a": (found["main a"][1], 1), "b": (found["main b"][1], 1),
               "sort": (found["main sort"][1], 0), "only_a": (found["main a only_a"][1], 0),
               "tiny": (int(functions["tiny"]["instructions"]), 0)}, "inclusive by function")
    both = int(functions["leaf"]["instructions"]) + int(functions["tiny"]["instructions"])
    lab.equal(inclusive("leaf"), (both, 0), "of all calls of leaf, which alone calls tiny")
    lab.equal(functions["leaf"]["inclusive_instructions_per_call"], f"{both / (400 * N):.6f}", "per call")
    edges = {(row["type"], row["name"]): tuple(int(row[name]) for name in COMPARED[2:])
             for row in rows(bench, "callers", "leaf", bench.path("cinstr.data"))}
    lab.equal(edges, {("caller", "a"): found["main a leaf"], ("caller", "b"): found["main b leaf"],
                      ("root", "leaf"): (400 * N, both, int(functions["leaf"]["instructions"]), 0, 0),
                      ("callee", "tiny"): (3300 * N, inclusive("tiny")[0], inclusive("tiny")[0], 0, 0)},
              "callers and callees of leaf")


@lab.test("executed/by call path, of merged sessions and threads")
def merged(bench):
    record(bench)
    record(bench, session="second")
    bench.cinstr("merge", "-o", bench.path("merged"), bench.path("cinstr.data"), bench.path("second"))
    one, both = tree(bench), tree(bench, "merged")
    lab.equal({path: row[:3] for path, row in both.items()},
              {path: tuple(2 * n for n in row[:3]) for path, row in one.items()}, "twice as many")
    program = bench.compile("programs/executed.c", "program", "-O1", "-pthread", OPTION)
    bench.run(program, "threads", status=0, env={"CINSTR_DATA": "third"})
    found, own_of = tree(bench, "third"), own(bench, "third")
    lab.equal(found["main"][1] + found["in_thread"][1], sum(own_of.values()), "main and threads")
    lab.equal(found["in_thread"][3:], (0, 0), "estimates in threads")
    lab.equal(found["main loops"][1] + found["in_thread loops"][1], own_of["loops"], "loops, of each thread its own")


@lab.test("executed/by call path: what does not go with it")
def refused(bench):
    record(bench)
    session = bench.path("cinstr.data")
    for option, why in (("--raw", "it is about times"), ("--from=1s", "instructions are counted for the whole")):
        said = bench.run(lab.COMMAND, "tree", "--measure=instructions", option, session, status=2).stderr
        lab.check(why in said, f"{option}: {said}")
    said = bench.run(lab.COMMAND, "tree", "--measure=instructions", "--sort=off_cpu", session, status=2).stderr
    lab.check("executed instructions have no" in said, said)
    said = bench.run(lab.COMMAND, "tree", "--sort=inclusive_instructions", session, status=2).stderr
    lab.check("--measure=instructions" in said, said)


@lab.test("executed/exported for callgrind_annotate: calls, inclusive")
def exported(bench):
    tool = lab.need("callgrind_annotate")
    record(bench)
    found = tree(bench)
    bench.cinstr("export", "-f", "callgrind", "--measure=instructions", "-o", bench.path("out"), bench.path("cinstr.data"))
    shown = bench.run(tool, "--threshold=100", "--auto=no", "--show-percs=no", "--inclusive=yes", "--tree=calling",
                      bench.path("out"), status=0).stdout
    functions, calls, caller = {}, {}, None
    for n, sign, name, times in re.findall(r"^ *([\d,]+) +([*>]) +\S+:(\w+)(?: \(([\d,]+)x\))?", shown, re.M):
        n = int(n.replace(",", ""))
        if sign == "*":
            caller, functions[name] = name, n
        else:
            calls[caller, name] = int(times.replace(",", "")), n
    inclusive = {row["name"]: int(row["inclusive_instructions"]) for row in rows(bench, "report", bench.path("cinstr.data"))}
    lab.equal({name: n for name, n in functions.items() if name in inclusive}, inclusive, "inclusive by function")
    paths = {tuple(path.split()[-2:]): (row[0], row[1]) for path, row in found.items() if " " in path}
    both = found["main a leaf tiny"], found["main b leaf tiny"]
    paths["leaf", "tiny"] = sum(row[0] for row in both), sum(row[1] for row in both)
    lab.equal({edge: cost for edge, cost in calls.items() if cost[1]}, paths, "calls")
