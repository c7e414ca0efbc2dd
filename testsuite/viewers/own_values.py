# SPDX-License-Identifier: GPL-3.0-or-later
"""The program's tags and counts as tables: of each value what csv says, of each call path what
e2e/programs/user_values.c counts."""
import csv
import io

import golden
import lab
import pprof
import sqlite
import tables

# (name, path): calls of cinstr_count(), and their sum
COUNTED = {("rows", "main;all;load;parse"): (20, 100), ("rows", "worker;load;parse"): (10, 50),
           ("rows", "main;all;handle;skip"): (5, 5), ("batches", "main;all;load;parse"): (10, 10),
           ("batches", "worker;load;parse"): (5, 5)}


def recorded(bench):
    program = bench.compile("../e2e/programs/user_values.c", "user_values", "-O2", "-g", "-pthread", lab.INCLUDE)
    bench.run(program, "end", status=0, env={"CINSTR_MAX_OVERHEAD": "unlimited", "CINSTR_DATA": bench.path("own.data")})
    return bench.path("own.data")


def as_texts(rows):
    return [{name: "" if value is None else str(value) for name, value in row.items() if name != "run"} for row in rows]


def same(bench, session, tags, counted, what):
    expected = list(csv.DictReader(io.StringIO(bench.cinstr("report", "--by=tag", "--format=csv", session))))
    lab.equal(as_texts(tags), expected, f"{what}: tags")
    found = {(row["name"], row["path"]): (int(row["calls"]), int(row["count_exclusive"])) for row in counted}
    lab.equal(found, COUNTED, f"{what}: counts")
    lab.equal({row["function"] for row in counted}, {"parse", "skip"}, f"{what}: who counts")


@lab.test("own values/as tables of sqlite, also of a merged session, and none of a choice")
def of_sqlite(bench):
    session = recorded(bench)
    bench.cinstr("merge", "-o", bench.path("merged"), session)
    for name in session, bench.path("merged"):
        path = sqlite.database(bench, name, "own.db" if name == session else "merged.db")
        same(bench, name, sqlite.query(path, "SELECT * FROM tag"), sqlite.query(path, "SELECT * FROM counted"), name)
    path = sqlite.database(bench, session, "chosen.db", "--function=parse")
    lab.equal(sqlite.query(path, "SELECT * FROM tag") + sqlite.query(path, "SELECT * FROM counted"), [], "of a choice")


@lab.test("own values/as tables of Parquet")
def of_parquet(bench):
    session = recorded(bench)
    golden.export(bench, "parquet", session, output="tables")
    folder = bench.path("tables")
    tags, counted = tables.hyparquet([folder + "/tag.parquet", folder + "/counted.parquet"])
    same(bench, session, tags, counted, "hyparquet")
    tags, counted = tables.duckdb(f"SELECT * FROM '{folder}/tag.parquet'", f"SELECT * FROM '{folder}/counted.parquet'")
    same(bench, session, tags, counted, "DuckDB")
    # of a session without any they are there, and empty
    golden.export(bench, "parquet", session, "--thread=user_values", output="none")
    lab.equal(tables.hyparquet([bench.path("none") + "/tag.parquet"]), [[]], "no tags")
    lab.equal(tables.duckdb(f"SELECT count(*) n FROM '{bench.path('none')}/tag.parquet'")[0], [{"n": "0"}], "no tags in DuckDB")


@lab.test("own values/what was counted is a value of pprof, beside times that stay")
def of_pprof(bench):
    session = recorded(bench)
    path = golden.export(bench, "pprof", session)
    samples, types = pprof.raw(bench, path)
    lab.equal(types[-2:], ["batches", "rows"], "what was counted")
    found = {}
    for values, labels, stack in samples:
        for name in "batches", "rows":
            value = values[types.index(name)]
            if value:
                found[name, ";".join(function for function, _ in reversed(stack))] = value
                lab.equal(sum(values[:-2]), 0, f"a count has no time: {values}")
    lab.equal(found, {key: total for key, (_, total) in COUNTED.items()}, "counts by path")
    lab.equal(pprof.tops(bench, path, "-sample_index=rows"), {"parse": 150, "skip": 5}, "go tool pprof -top")
    rows = golden.csv_rows(bench, session)
    golden.same_values(pprof.by_leaf(samples, types.index("elapsed")), rows, "elapsed", "times")
    chosen = pprof.raw(bench, golden.export(bench, "pprof", session, "--measure=calls", output="calls.pb.gz"))
    lab.check("rows" not in chosen[1], f"of chosen measures there are none: {chosen[1]}")
