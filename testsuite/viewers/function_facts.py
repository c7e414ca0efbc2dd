# SPDX-License-Identifier: GPL-3.0-or-later
"""What does not add up over call paths, of functions: lengths of calls, uncertainties, faults.
Tables have csv's values, callgrind and pprof tell of the functions with most time."""
import os
import re

import callgrind
import golden
import lab
import mixed
import parquet
import pprof
import sqlite
import tables

FACTS = [f"{word}_elapsed_inclusive_ns" for word in ("min", "max", "p50", "p90", "p95", "p99")] + \
        [f"elapsed_{kind}_uncertainty_ns" for kind in ("inclusive", "exclusive")] + \
        ["open_calls", "major_fault_intervals_exclusive", "minor_fault_intervals_exclusive"]


def facts(rows, name="name"):
    """By function, with its place: several have one name."""
    return sorted((row[name].partition(" (")[0].partition("(")[0], str(row["file"] or ""), str(row["line"] or ""),
                   *("" if row[fact] is None else str(row[fact]) for fact in FACTS)) for row in rows if not row["name"].startswith("["))


def same_in_tables(bench, session):
    expected = facts(golden.csv_rows(bench, session, "--columns=all"))
    lab.check(len(expected) > 5 and any(row[3] for row in expected), f"csv: {expected}")
    database = sqlite.database(bench, session, os.path.basename(session) + ".db")
    lab.equal(facts(sqlite.query(database, "SELECT * FROM function WHERE id IN (SELECT function FROM path)")), expected, "sqlite")
    (found,) = tables.hyparquet([parquet.exported(bench, session) + "/function.parquet"])
    lab.equal(facts(found), expected, "parquet")


@lab.test("function facts/tables have those of csv")
def in_tables(bench):
    session = golden.record(bench)
    same_in_tables(bench, session)
    path = golden.export(bench, "parquet", session, "--measure=calls", output="tables/calls")
    (rows,) = tables.hyparquet([bench.path("tables/calls/function.parquet")])
    lab.check(path and rows and not any(row[fact] is not None for row in rows for fact in FACTS), "--measure leaves only that")


@lab.test("function facts/tables of a merged session, and of a mixed one")
def of_others(bench):
    bench.cinstr("merge", "-o", bench.path("merged"), golden.record(bench))
    same_in_tables(bench, bench.path("merged"))
    same_in_tables(bench, mixed.mixed(bench))


@lab.test("function facts/callgrind and pprof tell of those with most time")
def as_text(bench):
    lab.need("go")
    session = golden.record(bench)
    rows = sorted(golden.csv_rows(bench, session), key=lambda row: -int(row["elapsed_exclusive_ns"]))
    line = re.compile(re.escape(rows[0]["name"]) + r": a call p50 [\d.,]+ \w+, p99 [\d.,]+ \w+, min [\d.,]+ \w+, max [\d.,]+ \w+; its own time \+- [\d.,]+ \w+$")
    comments = pprof.pprof(bench, "-comments", golden.export(bench, "pprof", session)).splitlines()
    shown = callgrind.annotate(bench, golden.export(bench, "callgrind", session))
    for what, lines in ("pprof", comments), ("callgrind_annotate", shown):
        told = [one for one in lines if ": a call p50 " in one]
        lab.check(told and line.match(told[0]), f"{what}: {told[:1]}")
        lab.equal(len(told), min(20, sum(int(row["elapsed_exclusive_ns"]) > 0 for row in rows)), f"{what}: functions")
