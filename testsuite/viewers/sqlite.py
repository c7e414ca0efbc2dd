# SPDX-License-Identifier: GPL-3.0-or-later
"""SQL for sqlite3: read by it, as text that another command writes; the queries of doc/exports.md
say what csv says."""
import csv
import io
import os
import re
import subprocess

import golden
import lab
import timeline_csv


def database(bench, session, name, *options):
    lab.need("sqlite3")
    path = bench.path(name)
    with open(golden.export(bench, "sqlite", session, *options, output=name + ".sql"), "rb") as file:
        done = subprocess.run(["sqlite3", "-bail", path], stdin=file, capture_output=True, text=True, timeout=lab.TIMEOUT)
    lab.equal((done.returncode, done.stdout, done.stderr), (0, "", ""), "sqlite3 reads it")
    lab.equal(query(path, "PRAGMA integrity_check"), [{"integrity_check": "ok"}], "it is sound")
    return path


def query(path, sql):
    done = subprocess.run(["sqlite3", "-bail", "-header", "-csv", path], input=sql, capture_output=True, text=True,
                          cwd=os.path.dirname(path), timeout=lab.TIMEOUT)
    lab.equal((done.returncode, done.stderr), (0, ""), sql)
    return list(csv.DictReader(io.StringIO(done.stdout)))


def examples():
    """Those of the document, without their limits."""
    with open(os.path.join(lab.ROOT, "doc/exports.md"), encoding="utf-8") as file:
        blocks = re.findall(r"\n\n((?:    (?:SELECT|ATTACH)[^\n]*)(?:\n    [^\n]*)*)", file.read())
    return [re.sub(r" LIMIT \d+", "", block) for block in blocks]


@lab.test("sqlite/queries of the document say what csv says")
def queries(bench):
    session = golden.record(bench, env={"CINSTR_TIMELINE": "unlimited"})
    bench.run(bench.path("golden"), env={"CINSTR_DATA": bench.path("before")}, status=0)
    path = database(bench, session, "app.db")
    own, inclusive, threads, callers, slowest, changed = examples()
    rows = golden.csv_rows(bench, session)
    found = query(path, own)
    for column, measure in ("own_ns", "elapsed"), ("calls", "calls"), ("waiting_ns", "waiting"):
        golden.same_values({row["name"]: int(row[column]) for row in found}, rows, measure, "own")
    of = {row["name"]: int(row["elapsed_inclusive_ns"]) for row in rows}
    for row in query(path, inclusive):
        if row["name"] in of:
            lab.check(abs(int(row["inclusive_ns"]) - of[row["name"]]) <= 100, f"{row}: csv has {of[row['name']]}")
    by_thread = {row["tid"]: row for row in csv.DictReader(io.StringIO(bench.cinstr("report", "--by=thread", "--format=csv", session)))}
    for row in query(path, threads):
        lab.equal((row["name"], row["pid"]), (by_thread[row["tid"]]["name"], by_thread[row["tid"]]["pid"]), "a thread")
        lab.check(abs(int(row["waiting_ns"]) - int(by_thread[row["tid"]]["off_cpu_ns"])) <= 100, f"waiting of {row}")
    told = {}
    for row in csv.DictReader(io.StringIO(bench.cinstr("callers", "--format=csv", "spin(unsigned int)", session))):
        if row["type"] == "caller":
            told[row["name"]] = told.get(row["name"], 0) + int(row["calls"])
    sums = {}
    for row in query(path, callers):
        name = next((one for one in told if row["name"] == one or row["name"].startswith(one + " ")), row["name"])
        sums[name] = sums.get(name, 0) + int(row["calls"])
    lab.equal(sums, told, "callers")
    calls = timeline_csv.calls(timeline_csv.rows(bench, session))
    expected = sorted((call.begin, str(tid), call.name, call.end - call.begin) for tid, some in calls.items() for call in some)
    found = query(path, slowest)
    lab.equal(sorted((int(row["begin_ns"]), row["tid"], row["name"], int(row["ns"])) for row in found), expected, "calls")
    lab.check(any(row["name"] == "usleep" and int(row["waiting_ns"] or 0) > 1000000 for row in found), "usleep waits")
    database(bench, bench.path("before"), "old.db")
    before = golden.of_csv(golden.csv_rows(bench, bench.path("before")), "elapsed")
    now = golden.of_csv(rows, "elapsed")
    grew = {row["name"]: int(row["grew_ns"]) for row in query(path, changed)}
    for name in "usleep", "pthread_join", "spin(unsigned int)":
        lab.equal(grew[name], now[name] - before[name], f"{name} grew")


def marks_have_phases(path):
    """Each mark joins the paths of the phase that it begins."""
    found = query(path, "SELECT m.text, m.phase, count(p.id) > 0 AS paths FROM mark m LEFT JOIN path p ON p.phase = m.phase GROUP BY m.text ORDER BY m.time_ns")
    lab.equal([(row["text"], row["phase"], row["paths"]) for row in found],
              [('begin; "of" <all> (1)', 'begin; "of" <all>', "1"), ("end (2)", "end", "1")], "marks and phases")


@lab.test("sqlite/tables")
def tables(bench):
    session = golden.record(bench, env={"CINSTR_TIMELINE": "unlimited"})
    path = database(bench, session, "app.db")
    events = timeline_csv.rows(bench, session)
    lab.equal([(int(row["time_ns"]), row["text"]) for row in query(path, "SELECT * FROM mark ORDER BY time_ns")],
              timeline_csv.marks(events), "marks")
    waits = {int(row["tid"]): int(row["ns"]) for row in
             query(path, "SELECT tid, sum(end_ns - begin_ns) AS ns FROM wait JOIN thread t ON t.id = wait.thread GROUP BY tid")}
    for tid, ns in timeline_csv.waits(events).items():
        lab.check(abs(waits.get(tid, 0) - ns) <= ns // 1000 + 10, f"thread {tid} waits")
    wrong = """SELECT c.id FROM call c LEFT JOIN call p ON p.id = c.parent LEFT JOIN function f ON f.id = c.function
               WHERE f.id IS NULL OR (c.parent IS NULL) != (c.depth = 1)
               OR (c.parent AND (p.depth != c.depth - 1 OR p.begin_ns > c.begin_ns OR p.end_ns < c.end_ns OR p.thread != c.thread))"""
    lab.equal(query(path, wrong), [], "calls lie in their callers")
    wrong = """SELECT p.id FROM path p LEFT JOIN path a ON a.id = p.parent WHERE p.last < p.id OR p.function NOT IN (SELECT id FROM function)
               OR p.thread NOT IN (SELECT id FROM thread) OR (p.parent AND (a.last < p.last OR a.id >= p.id OR a.depth != p.depth - 1))"""
    lab.equal(query(path, wrong), [], "paths lie in those of their callers")
    wrong = """SELECT p.id FROM path p WHERE p.recursion !=
               (SELECT count(*) FROM path a WHERE a.function = p.function AND a.id < p.id AND a.last >= p.id)"""
    lab.equal(query(path, wrong), [], "functions that are on the path already")
    lab.check(int(query(path, "SELECT max(recursion) AS n FROM path")[0]["n"]) >= 5, "fib calls itself")
    lab.equal([row["phase"] for row in query(path, "SELECT phase FROM path GROUP BY phase ORDER BY min(id)")],
              ["(begin of the recording)", 'begin; "of" <all>', "end"], "phases")
    lab.equal(query(path, f"SELECT count(*) AS n FROM function WHERE name LIKE '%{golden.HOSTILE.replace(chr(39), chr(39) * 2)}%'"),
              [{"n": "1"}], "a name that no viewer expects")
    marks_have_phases(path)
    bench.run(bench.path("golden"), env={"CINSTR_DATA": bench.path("plain")}, status=0)
    path = database(bench, bench.path("plain"), "plain.db")
    lab.equal([row["text"] for row in query(path, "SELECT text FROM mark ORDER BY time_ns")], ['begin; "of" <all> (1)', "end (2)"], "without a timeline")
    marks_have_phases(path)
    path = database(bench, session, "paths.db", "--measure=calls")
    lab.equal(query(path, "SELECT (SELECT count(*) FROM call) AS n, count(elapsed_ns) AS ns, sum(calls) > 100 AS calls FROM path"),
              [{"n": "0", "ns": "0", "calls": "1"}], "--measure leaves only that")
