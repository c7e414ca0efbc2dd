# SPDX-License-Identifier: GPL-3.0-or-later
"""cinstr merge of sessions in which calls were counted (a limit on overhead), and timed by samples:
the values, counts, bounds and sources of the sessions; the same bytes in any order."""
import csv
import io
import os
import random
import re
import shutil

import lab

PROGRAM = "programs/counting.c"
LIMITED = {"CINSTR_MAX_OVERHEAD": "0.0001"}
SITES = {"CINSTR_MAX_OVERHEAD": "0.0001", "CINSTR_COUNTS": "sites"}
MIXED = {"CINSTR_METHOD": "mixed"}
VIEWS = (("report",), ("report", "--by=site"), ("report", "--by=module"), ("report", "--view=os"), ("report", "--by=line"), ("report", "--by=address"),
         ("tree", "--min-percent=0"), ("callers", "main"), ("callers", "write", "--sites"))
# Of a part of a function's own time; how far off is put together by a rule of its own.
PLACES = ("--by=line", "--by=address")
NOT_KEPT = ("process_", "imbalance", "contributors", "line_from", "line_to")


def merge(bench, output, *inputs, status=0):
    return bench.run(lab.COMMAND, "merge", "-o", output, *inputs, status=status).stderr


def content(bench, name):
    with open(bench.path(name), "rb") as file:
        return file.read()


def rows(bench, view, session):
    text = bench.run(lab.COMMAND, *view, session, "--format=csv", status=0).stdout
    found, paths = {}, {}
    for row in csv.DictReader(io.StringIO(text)):
        path = (*paths.get(row.get("parent") or None, ()), row["name"])
        if row.get("id"):
            paths[row["id"]] = path
        for name in ("function", "callee"):  # joined in the order in which they were found
            if row.get(name):
                row[name] = "; ".join(sorted(row[name].split("; ")))
        key = (path, *(row.get(name) for name in ("type", "module", "line", "function", "callee", "address")))
        found.setdefault(key, []).append({name: value for name, value in row.items() if name not in ("id", "parent") and not name.startswith(NOT_KEPT)})
    return {key: sorted(part, key=lambda row: (row.get("calls"), row.get("elapsed_inclusive_ns"))) for key, part in found.items()}


def is_near(column, a, b, is_place):
    """What lies between two numbers may be rounded to either."""
    if a == b:
        return True
    if not a or not b or not column.endswith(("_ns", "_percent")):
        return False
    if "uncertainty" in column:
        return True
    if is_place:  # what is subtracted, and shared out by samples, is of each place (semantics.md)
        return True
    return abs(float(a) - float(b)) <= (1 if column.endswith("_ns") else 1e-4)


def compare(bench, expected, got, views=VIEWS):
    for view in views:
        x, y = rows(bench, view, expected), rows(bench, view, got)
        lab.equal(sorted(map(str, y)), sorted(map(str, x)), f"{got}: rows of {view}")
        for key, values in x.items():
            for row, other in zip(values, y[key], strict=True):
                wrong = [(column, row[column], other[column]) for column in row if not is_near(column, row[column], other[column], view[-1] in PLACES)]
                lab.equal(wrong, [], f"{got}: {view}: {key}")


def together(bench, name, *sessions):
    os.mkdir(bench.path(name))
    for session in sessions:
        shutil.copytree(bench.path(session), bench.path(name, session))


def record(bench, kind, env, times):
    program = bench.compile(PROGRAM, "program", "-O2", "-pthread", "-ldl", lab.INCLUDE)
    names = [f"{kind}{i}" for i in range(times)]
    for name in names:
        bench.run(program, "all", env={**env, "CINSTR_DATA": name}, status=0)
    return names


def record_beside(bench, times):
    program = bench.compile(PROGRAM, "program", "-O2", "-pthread", "-ldl", lab.INCLUDE)
    names = [f"beside{i}" for i in range(times)]
    for name in names:
        bench.run(lab.COMMAND, "record", "--mixed=250us", "-o", name, program, "all", status=0)
    return names


def one_and_several(bench, sessions):
    """One process is what it was; several are their sum."""
    merge(bench, "one", sessions[0])
    compare(bench, sessions[0], "one")
    together(bench, "all", *sessions)
    merge(bench, "merged", *sessions)
    compare(bench, "all", "merged")


@lab.test("merge_counted/a limit on overhead")
def limited(bench):
    one_and_several(bench, record(bench, "limited", LIMITED, 2))


@lab.test("merge_counted/calls by site")
def sites(bench):
    one_and_several(bench, record(bench, "sites", SITES, 2))


@lab.test("merge_counted/samples of the threads themselves")
def mixed(bench):
    one_and_several(bench, record(bench, "mixed", MIXED, 2))


@lab.test("merge_counted/samples of the collector")
def beside(bench):
    one_and_several(bench, record_beside(bench, 2))


@lab.test("merge_counted/all kinds together, in any order and grouping")
def together_in_any_order(bench):
    sessions = [*record(bench, "full", {}, 1), *record(bench, "limited", LIMITED, 2), *record(bench, "mixed", MIXED, 2), *record_beside(bench, 1)]
    merge(bench, "merged", *sessions)
    together(bench, "all", *sessions)
    compare(bench, "all", "merged", (("report",), ("report", "--by=site"), ("report", "--by=module"), ("tree", "--min-percent=0"), ("callers", "main")))
    expected, chance = content(bench, "merged"), random.Random(3)
    for i in range(12):
        chance.shuffle(sessions)
        k, middle = sorted(chance.sample(range(1, len(sessions)), 2))
        for number, part in enumerate((sessions[:k], sessions[k:middle], sessions[middle:])):
            merge(bench, f"part{number}", *part)
        merge(bench, "two", "part2", "part0")
        merge(bench, "again", *chance.sample(["two", "part1"], 2))
        lab.check(content(bench, "again") == expected, f"grouping {i}: other bytes")


@lab.test("merge_counted/a lower bound stays one, an exact count too")
def bounds(bench):
    """`write` is called by counted functions in the one, and by timed ones in the other."""
    exact, bound = record(bench, "full", {}, 1) + record(bench, "limited", LIMITED, 1)
    merge(bench, "merged", exact, bound)
    for view in (("report",), ("report", "--by=site"), ("tree", "--min-percent=0")):
        sets = [rows(bench, view, session) for session in (exact, bound, "merged")]
        for key, values in sets[2].items():
            parts = [part[key] for part in sets[:2] if key in part]
            if len(values) > 1 or any(len(part) > 1 for part in parts):
                continue
            least = any(part[0].get("calls_bound") == "at least" for part in parts)
            lab.equal(values[0]["calls_bound"], "at least" if least else "exact", f"{view}: {key}")
            known = [int(part[0]["calls"] or 0) for part in parts]
            lab.equal(int(values[0]["calls"] or 0), sum(known), f"calls, {view}: {key}")


@lab.test("merge_counted/all commands take them")
def commands(bench):
    sessions = [*record(bench, "mixed", MIXED, 2), *record(bench, "limited", LIMITED, 1)]
    merge(bench, "merged", *sessions)
    merge(bench, "other", *sessions[1:])
    for command in (("info",), ("report", "--by=process"), ("report", "--by=rank"), ("summary", "--findings"), ("summary", "--advice"), ("annotate", "main"),
                    ("report", "--histogram"), ("suggest",), ("diff", "other"), ("html", "-o", "page.html"), ("export", "--format=collapsed", "-o", "stacks"),
                    ("export", "--format=pprof", "-o", "pprof"), ("export", "--format=parquet", "-o", "tables"), ("history", "add", "history")):
        done = bench.run(lab.COMMAND, *command, "merged")
        lab.equal((done.returncode, done.stderr if command[0] != "suggest" else ""), (0, ""), f"{command}")
    text = bench.run(lab.COMMAND, "ranks", "main", "merged", status=0).stdout
    lab.check(re.search(r"3 of 3 +main", text), f"ranks: {text}")
