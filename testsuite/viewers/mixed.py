# SPDX-License-Identifier: GPL-3.0-or-later
"""Sessions in which not all was timed: calls that were only counted, times from samples, samples
only. Totals are csv's in all formats, and so is what is told of their certainty."""
import collections
import csv
import io
import json
import os
import re

import callgrind
import collapsed
import dot
import golden
import lab
import parquet
import perf
import pprof
import sqlite

ESTIMATE, LEAST = "\N{ALMOST EQUAL TO}", ">= "


def counted(bench):
    """Functions whose calls are counted."""
    program = bench.compile("programs/counting.c", "program", "-O2", "-pthread", "-ldl", lab.INCLUDE)
    bench.run(program, "all", env={"CINSTR_MAX_OVERHEAD": "0.0001", "CINSTR_DATA": bench.path("counted")}, status=0)
    return bench.path("counted")


def mixed(bench):
    """... and their time is from samples."""
    source = os.path.join(lab.ROOT, "testsuite/sample/programs/mixed.c")
    program = bench.compile(source, "mixed", "-O1", "-pthread", "-fplugin-arg-cinstr-small=0")
    bench.run(lab.COMMAND, "record", "--mixed", "--", program, "probes", "300", env={"CINSTR_DATA": bench.path("both")}, status=0)
    return bench.path("both")


def is_estimated(row):
    return row.get("source_exclusive") in ("estimate", "both") and int(row["elapsed_exclusive_ns"]) > 0


def compare(bench, session, measures):
    rows = perf.functions(golden.csv_rows(bench, session, "--columns=all"))
    samples, types = pprof.raw(bench, golden.export(bench, "pprof", session)) if golden.shutil.which("go") else ([], [])
    database = sqlite.database(bench, session, "x.db")
    events = callgrind.exclusive(bench, golden.export(bench, "callgrind", session)) if "samples" not in measures else {}
    for measure in measures:
        stacks = collapsed.read(golden.export(bench, "collapsed", session, f"--measure={measure}"))
        golden.same_values(collapsed.by_leaf(stacks), rows, measure, "collapsed", lambda name: name.replace(";", ":"))
        if types:
            golden.same_values(pprof.by_leaf(samples, types.index(measure)), rows, measure, "pprof")
        if measure in events:
            golden.same_values(events[measure], rows, measure, "callgrind")
        column = measure if measure in ("calls", "samples", "switches") else f"{measure}_ns"
        found = sqlite.query(database, f"SELECT f.name, sum({column}) AS n FROM path p JOIN function f ON f.id = p.function GROUP BY f.id")
        golden.same_values({row["name"]: int(row["n"]) for row in found}, rows, measure, "sqlite")
    return rows, database


def boxes_are_csvs(bench, session, rows):
    """What boxes of dot say of calls and times is what csv's columns say."""
    boxes = dot.graph(bench, golden.export(bench, "dot", session, "--min-percent=0", "--limit=1000"))
    for node in boxes["objects"]:
        same = [row for row in rows if row["name"] == node["tooltip"]]
        if len(same) != 1 or not int(same[0]["calls"] or 0):
            continue
        lab.equal(f"\\n{LEAST}" in node["label"], same[0]["calls_bound"] == "at least", f"{node['label']}: calls")
        own = node["label"].split("\\n")[1]
        lab.equal(ESTIMATE in own, is_estimated(same[0]), f"{node['label']}: {same[0]}")


def paths_are_trees(bench, session, database):
    """Of a program with one thread."""
    told = csv.DictReader(io.StringIO(bench.cinstr("tree", "--format=csv", "--columns=all", session)))
    keys = "depth", "name", "calls", "calls_bound", "source_exclusive"
    expected = collections.Counter(tuple(row[key] for key in keys) for row in told
                                   if int(row["elapsed_exclusive_ns"]) > 1000 and not row["name"].startswith("["))
    found = sqlite.query(database, """SELECT p.depth, f.name, p.calls, p.calls_bound, p.source FROM path p
        JOIN function f ON f.id = p.function""")
    lab.check(len(expected) > 5, f"paths: {expected}")
    lab.equal(expected - collections.Counter(tuple(row.values()) for row in found), collections.Counter(), "paths that SQL has otherwise")


COUNTED = """SELECT f.name, p.calls FROM path p JOIN path above ON above.id = p.parent
    JOIN function f ON f.id = p.function JOIN function caller ON caller.id = above.function
    WHERE caller.name = '[calls that were only counted]'"""


def callgrind_has_calls(bench, path, rows, database):
    """Callers that only samples met have 1 there, which is one of the calls that were counted."""
    found, of_csv = callgrind.calls(bench, path), golden.of_csv(rows, "calls")
    names = [row["name"] for row in sqlite.query(database, COUNTED) if int(row["calls"]) > 100]
    lab.check(names, "functions whose calls were only counted")
    lab.equal({name: found.get(name) for name in names}, {name: of_csv.get(name) for name in names}, "calls in callgrind")


@lab.test("not timed/calls that were counted")
def of_counted(bench):
    lab.need("sqlite3")
    session = counted(bench)
    rows, database = compare(bench, session, ["elapsed", "waiting", "application", "calls", "switches"])
    boxes_are_csvs(bench, session, rows)
    lab.check(any(row["calls_bound"] == "at least" for row in rows), "calls that are not all known")
    nowhere = sqlite.query(database, COUNTED)
    lab.check(sum(int(row["calls"]) for row in nowhere) > 1000, f"they are below a name of their own: {nowhere}")


@lab.test("not timed/estimates from samples")
def of_mixed(bench):
    lab.need("sqlite3")
    session = mixed(bench)
    rows, database = compare(bench, session, ["elapsed", "waiting", "application", "calls", "switches"])
    lab.check(any(is_estimated(row) for row in rows), "times that are from samples")
    boxes_are_csvs(bench, session, rows)
    paths_are_trees(bench, session, database)
    path = golden.export(bench, "callgrind", session)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    lab.check(re.search(r"^desc: Calls: of \d+ of \d+ callers there may be more$", text, re.M), "callgrind says that of calls")
    lab.check("desc: Times of functions without probes are estimates by samples" in text, "and that of times")
    with open(golden.export(bench, "speedscope", session), encoding="utf-8") as file:
        text = file.read()
    lab.check(": elapsed, with estimates" in text and ": calls, at least" in text, "speedscope's profiles say it")
    for measure, said in ("elapsed", ", with estimates"), ("calls", ", at least"):
        with open(golden.export(bench, "firefox", session, f"--measure={measure}"), encoding="utf-8") as file:
            lab.check(json.load(file)["meta"]["product"].endswith(said), f"firefox: {measure}")


LATE = """
#define NOIPA __attribute__((noipa))
static volatile unsigned sink;
NOIPA static void leaf(void) { for (unsigned i = 0; i < 20; i++) sink += i; }
NOIPA static void early(unsigned n) { while (n--) leaf(); }
NOIPA static void late(unsigned n) { while (n--) leaf(); }
int main(void) { early(3000000); late(3000000); return 0; }
"""


@lab.test("not timed/callers that only samples met")
def of_late_callers(bench):
    """By the time that late() runs leaf() is only counted: samples alone tell who calls it."""
    lab.need("sqlite3")
    bench.write("late.c", LATE)
    program = bench.compile(bench.path("late.c"), "late", "-O1", "-fplugin-arg-cinstr-small=0")
    session = bench.path("data")
    bench.run(lab.COMMAND, "record", "--mixed", "-o", session, "--", program, status=0)
    path = golden.export(bench, "callgrind", session)
    with open(path, encoding="utf-8") as file:
        lab.check(re.search(r"^desc: Calls: [1-9]\d* of \d+ callers have 1 whose calls are not known$", file.read(), re.M), "such callers")
    rows = perf.functions(golden.csv_rows(bench, session, "--columns=all"))
    callgrind_has_calls(bench, path, rows, sqlite.database(bench, session, "x.db"))


@lab.test("not timed/samples only")
def of_samples(bench):
    lab.need("sqlite3")
    rows, database = compare(bench, perf.record(bench), ["samples"])
    lab.equal(sqlite.query(database, "SELECT count(calls) + count(elapsed_ns) + count(source) AS n FROM path"), [{"n": "0"}], "nothing else")
    lab.check(sum(int(row["exclusive_samples"]) for row in rows) > 10, "samples")


@lab.test("not timed/the words of parquet are those of sqlite")
def in_both_tables(bench):
    lab.need("sqlite3")
    session = mixed(bench)
    database = sqlite.database(bench, session, "x.db")
    (rows,) = parquet.ask(parquet.exported(bench, session), parquet.OF_NAMES)
    has = "coalesce(p.calls, 0) + coalesce(p.elapsed_ns, 0)"
    expected = words_of(sqlite.query(database, f"SELECT f.name, p.calls_bound, p.source FROM path p JOIN function f ON f.id = p.function WHERE {has}"))
    found = words_of(row for row in rows if int(row["calls"] or 0) + int(row["elapsed_ns"] or 0))
    lab.equal(found, expected, "words by function")
    lab.check({bound for _, bound, _ in found} == {"exact", "at least"} and {"timed", "both"} <= {source for _, _, source in found}, f"{found}")


def words_of(rows):
    return {(row["name"], row["calls_bound"] or "", row["source"] or "") for row in rows}
