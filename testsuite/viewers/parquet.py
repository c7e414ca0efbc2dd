# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of Parquet files, read by DuckDB and by hyparquet: both have the same rows, and these say
what csv says. The queries of doc/tables.md, too."""
import csv
import glob
import io
import os
import re
import resource
import shutil
import signal
import subprocess

import golden
import lab
import tables

MEASURES = {"calls": "calls", "elapsed": "elapsed_ns", "application": "application_ns", "waiting": "waiting_ns", "switches": "switches"}


def exported(bench, session, name="tables/a", *options):
    golden.export(bench, "parquet", session, *options, output=name)
    return bench.path(name)


def views(pattern):
    with open(os.path.join(lab.ROOT, "doc/tables.md"), encoding="utf-8") as file:
        text = file.read().split("## With ClickHouse")[0].replace("'tables/*", f"'{pattern}")
    text = text.split("## Histories")[0]
    blocks = re.findall(r"\n\n((?:    (?:CREATE|SELECT|WITH)[^\n]*)(?:\n    [^\n]*)*)", text)
    made = [one for one in blocks[0].split(";") if one.strip()]
    return made, [re.sub(r" LIMIT \d+", "", block) for block in blocks[1:]]


def ask(pattern, *questions):
    made, _ = views(pattern)
    return tables.duckdb(*made, *questions)[len(made):]


def sums(rows, column):
    """{name: value}"""
    found = {}
    for row in rows:
        found[row["name"]] = found.get(row["name"], 0) + int(row[column] or 0)
    return found


def by_hyparquet(folder):
    """Values, each with the name of its path."""
    files = sorted(glob.glob(folder + "/value/**/*.parquet", recursive=True))
    paths, *values = tables.hyparquet([folder + "/path.parquet", *files])
    names = {row["path"]: row["name"] for row in paths}
    return [{**row, "name": names[row["path"]]} for some in values for row in some]


OF_NAMES = "SELECT p.name, v.* FROM value v JOIN path p ON p.run = v.run AND p.path = v.path"


def same_as_csv(bench, session, folder, what, measures=tuple(MEASURES), *options):
    rows = golden.csv_rows(bench, session, *options)
    (engine,) = ask(folder, OF_NAMES)
    other = by_hyparquet(folder)
    for measure in measures:
        column = MEASURES.get(measure, measure)
        if measure == "samples": # of nobody's code, too, whose names are in brackets
            for read in engine, other:
                lab.equal({name: n for name, n in sums(read, column).items() if n}, golden.of_csv(rows, measure), what)
            continue
        golden.same_values(sums(engine, column), rows, measure, f"{what}: DuckDB")
        golden.same_values(sums(other, column), rows, measure, f"{what}: hyparquet")
    plain = [sorted(tuple(str(row.get(column)) for column in other[0]) for row in rows) for rows in (engine, other)]
    lab.equal(plain[0] == plain[1], True, f"{what}: both readers have the same {len(other)} rows")
    return engine


@lab.test("parquet/values are csv's")
def values(bench):
    session = golden.record(bench)
    folder = exported(bench, session)
    rows = same_as_csv(bench, session, folder, "probes")
    lab.equal(sorted({row["phase"] for row in rows}), ["(begin of the recording)", 'begin; "of" <all>', "end"], "phases")
    (hostile,) = ask(folder, "SELECT name FROM path WHERE contains(name, 'ev;il') GROUP BY name")
    lab.check(len(hostile) == 1 and golden.HOSTILE in hostile[0]["name"], f"{hostile}")
    wrong = """SELECT p.path FROM path p LEFT JOIN path a ON a.run = p.run AND a.path = p.parent WHERE p.last < p.position
               OR (p.parent IS NULL) != (p.depth = 1)
               OR (p.parent IS NOT NULL AND (a.last < p.last OR a.position >= p.position OR a.depth != p.depth - 1))"""
    missing = "SELECT * FROM value v WHERE place NOT IN (SELECT place FROM place) OR path NOT IN (SELECT path FROM path)"
    lab.equal(ask(folder, wrong, missing), [[], []], "paths lie in those of their callers, nothing lacks")
    before = folder + "/path.parquet"
    with open(before, "rb") as file:
        bytes_of_paths = file.read()
    exported(bench, session)  # in the place of what is there
    with open(before, "rb") as file:
        lab.check(file.read() == bytes_of_paths, "the same session gives the same bytes")
    lab.equal(os.listdir(bench.path("tables")), ["a"], "nothing is left beside it")


@lab.test("parquet/sampled, mixed, merged, filtered")
def kinds(bench):
    session = golden.record(bench)
    folder = exported(bench, session, "tables/some", "--function=fib*")
    (rows,) = ask(folder, OF_NAMES)
    fib = {name: value for name, value in golden.of_csv(golden.csv_rows(bench, session), "calls").items() if name.startswith("fib")}
    lab.equal({name: n for name, n in sums(rows, "calls").items() if name.startswith("fib")}, fib, "--function")
    lab.check({row["name"] for row in rows} == set(fib), "fib calls nothing else")
    folder = exported(bench, session, "tables/two", "--thread=two", "--measure=calls,elapsed")
    same_as_csv(bench, session, folder, "--thread", ("calls", "elapsed"), "--thread=two")
    (rows,) = ask(folder, "SELECT count(waiting_ns) AS n, count(DISTINCT v.place) AS threads FROM value v")
    lab.equal([str(value) for value in rows[0].values()], ["0", "1"], "--measure, --thread")
    bench.cinstr("merge", "-o", bench.path("merged"), session)
    same_as_csv(bench, bench.path("merged"), exported(bench, bench.path("merged"), "tables/merged"), "merged", ("calls", "elapsed", "application"))
    for method in "--sample", "--mixed":
        path = bench.path("data" + method)
        done = bench.run(lab.COMMAND, "record", method, "-o", path, bench.path("golden"))
        lab.equal(done.returncode, 0, f"record {method}: {done.stderr}")
        folder = exported(bench, path, "tables/" + method.strip("-"))
        same_as_csv(bench, path, folder, method, ("samples",) if method == "--sample" else ("calls", "elapsed"))
        lab.equal(ask(folder, "SELECT method FROM run"), [[{"method": {"--sample": "samples", "--mixed": "mixed"}[method]}]], "method")


def slurm(rank, job):
    return {"SLURM_PROCID": str(rank), "SLURM_NTASKS": "3", "SLURM_JOB_ID": job, "SLURM_STEP_ID": "0"}


@lab.test("parquet/jobs and hosts are folders")
def partitions(bench):
    golden.record(bench, session="other")
    session, job = bench.path("job"), "7 \"a/b\" ü%=*"
    os.makedirs(session)
    for name, env in ("a", slurm(0, job)), ("b", slurm(1, job + "2")), ("c", {}):
        bench.run(bench.path("golden"), env={"CINSTR_DATA": bench.path(name), **env}, status=0)
        for path in glob.glob(bench.path(name, "*.cinstr")):
            shutil.copy(path, session)
    folder = exported(bench, session)
    same_as_csv(bench, session, folder, "three processes")
    jobs, groups = ask(folder, "SELECT DISTINCT v.job, t.job AS its, t.rank FROM value v JOIN place t USING (place) ORDER BY t.rank",
                       f"SELECT DISTINCT file_name, row_group_id FROM parquet_metadata('{glob.escape(folder)}/value/**/*.parquet')")
    kept = jobs[0]["its"]
    lab.check(kept and "a/b" in kept, f"{jobs}")
    lab.equal([(row["job"], row["its"], row["rank"]) for row in jobs], [(kept, kept, 0), (kept + "2", kept + "2", 1), (None, None, None)], "jobs")
    lab.equal(len(groups), 3, "a row group for each process")


@lab.test("parquet/queries of the document")
def queries(bench):
    session = golden.record(bench)
    for name in "before", "ranks":
        for rank in range(3 if name == "ranks" else 1):
            bench.run(bench.path("golden"), env={"CINSTR_DATA": bench.path(name), **(slurm(rank, "7") if name == "ranks" else {})}, status=0)
    exported(bench, session)
    exported(bench, bench.path("before"), "tables/b")
    exported(bench, bench.path("ranks"), "ranks/a")
    _, (own, inclusive, threads, shared, callers, changed) = views("")
    rows, before = golden.csv_rows(bench, session), golden.csv_rows(bench, bench.path("before"))
    one = bench.path("tables/a")
    own, inclusive, threads, callers = ask(one, own, inclusive, threads, callers)
    for column, measure in ("own_ns", "elapsed"), ("calls", "calls"), ("waiting_ns", "waiting"):
        golden.same_values(sums(own, column), rows, measure, "own time")
    of = {row["name"]: int(row["elapsed_inclusive_ns"]) for row in rows}
    known = [row for row in inclusive if row["name"] in of]
    lab.check(len(known) > 10, "functions with inclusive time")
    for row in known:
        lab.check(abs(int(row["inclusive_ns"]) - of[row["name"]]) <= 100, f"{row}: csv has {of[row['name']]}")
    by_thread = {row["tid"]: row for row in csv.DictReader(io.StringIO(bench.cinstr("report", "--by=thread", "--format=csv", session)))}
    lab.equal(len(threads), len(by_thread), "threads")
    for row in threads:
        lab.equal((row["thread"], str(row["pid"])), (by_thread[str(row["tid"])]["name"], by_thread[str(row["tid"])]["pid"]), "a thread")
        lab.check(abs(int(row["waiting_ns"]) - int(by_thread[str(row["tid"])]["off_cpu_ns"])) <= 100, f"waiting of {row}")
    told = {}
    for row in csv.DictReader(io.StringIO(bench.cinstr("callers", "--format=csv", "spin(unsigned int)", session))):
        if row["type"] == "caller":
            told[row["name"]] = told.get(row["name"], 0) + int(row["calls"])
    found = {}
    for name, calls in sums(callers, "calls").items():
        name = next((one for one in told if name == one or name.startswith(one + " ")), name)
        found[name] = found.get(name, 0) + calls
    lab.equal(found, told, "callers")
    check_shared(bench, ask(bench.path("ranks/a"), shared)[0])
    (changed,) = ask(bench.path("tables/*"), changed)
    grew = sums(changed, "grew_ns")
    first, second = golden.of_csv(rows, "elapsed"), golden.of_csv(before, "elapsed")
    for name in "usleep", "pthread_join", "spin(unsigned int)":
        lab.equal(grew[name], second[name] - first[name], f"{name} grew")


def check_shared(bench, shared):
    session, of = bench.path("ranks"), {}
    for row in csv.DictReader(io.StringIO(bench.cinstr("report", "--by=process", "--format=csv", session))):
        some = golden.of_csv(golden.csv_rows(bench, session, f"--process={row['pid']}"), "elapsed")
        of[int(row["rank"])] = some.get("usleep", 0)
    (row,) = [row for row in shared if row["name"] == "usleep"]
    lab.equal(row["processes"] in (3, "3"), True, f"{row}")
    most = max(of.values())
    lab.check(abs(int(row["most_ns"]) - most) <= 10 and of[row["most_rank"]] >= most - 10, f"{row}: {of}")
    lab.check(abs(int(row["all_ns"]) - sum(of.values())) <= 30, f"{row}: {of}")
    lab.check(abs(row["imbalance"] - (most / (sum(of.values()) / 3) - 1)) < 1e-6, f"{row}: {of}")


@lab.test("parquet/what cannot be written leaves nothing")
def failures(bench):
    session = golden.record(bench)

    def export(*arguments, before=None):
        return subprocess.run([lab.COMMAND, "export", "-f", "parquet", *arguments], capture_output=True, text=True, cwd=bench.folder,
                              preexec_fn=before, timeout=lab.TIMEOUT)

    def full():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

    done = export("-o", "new", session, before=full)
    lab.equal((done.returncode, done.stdout), (1, ""), "a full disk")
    lab.check("nothing is left of it" in done.stderr, done.stderr)
    lab.equal(glob.glob(bench.path("new*")), [], "what is left")
    done = export("-o", "new", bench.path("golden.cc"))
    lab.equal((done.returncode, glob.glob(bench.path("new*"))), (1, []), "no session")
    bench.write("mine", "something")
    os.makedirs(bench.path("folder/deep"))
    bench.write("folder/deep/letter.txt", "dear")
    for name, word in ("mine", "no folder"), ("folder", "letter.txt"):
        done = export("-o", name, session)
        lab.equal(done.returncode, 1, f"-o {name}")
        lab.check(word in done.stderr, done.stderr)
    lab.check(os.path.exists(bench.path("folder/deep/letter.txt")), "it stays")
    for arguments in ([], ["-o", "-"]):
        done = export(*arguments, session)
        lab.equal((done.returncode, "-o FOLDER" in done.stderr), (2, True), "without a folder")
    done = export("--dry-run", session)
    lab.check(re.match(r"about [\d.]+ KB: \d+ values of \d+ call paths in 3 threads\n$", done.stdout), done.stdout + done.stderr)


@lab.test("parquet/a history in DuckDB")
def history(bench):
    session = golden.record(bench)
    for name in "main", "main", "other":
        bench.cinstr("history", "add", bench.path("perf.history"), session, f"--label={name}")
    with open(os.path.join(lab.ROOT, "doc/tables.md"), encoding="utf-8") as file:
        text = file.read().split("## Histories")[1].split("## With ClickHouse")[0].replace("perf.history", bench.path("perf.history"))
    made, query = re.findall(r"\n\n((?:    (?:CREATE|SELECT)[^\n]*)(?:\n    [^\n]*)*)", text)
    *_, found, runs, all_rows = tables.duckdb(*[one for one in made.split(";") if one.strip()], re.sub(r" LIMIT \d+", "", query),
                                            "SELECT run, label FROM runs ORDER BY run", "SELECT * FROM history")
    rows = golden.csv_rows(bench, session)
    lab.equal([(str(row["run"]), row["label"]) for row in runs], [("000001", "main"), ("000002", "main"), ("000003", "other")], "runs")
    lab.check(len(found) > 10 and all(row["n"] in (2, "2") and float(row["deviation"] or 0) < 1e-9 for row in found), "the same session twice")
    for number in "000001", "000002", "000003":
        for measure, column in MEASURES.items():
            if measure != "switches":
                golden.same_values(sums([row for row in all_rows if str(row["run"]) == number], column), rows, measure, f"run {number}")
