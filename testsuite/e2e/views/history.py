# SPDX-License-Identifier: GPL-3.0-or-later
"""cinstr history: what is kept of a session is what csv says of it; a step is found where it is;
nothing is lost of runs that are added at once, and nothing is added of what is damaged."""
import csv
import glob
import io
import json
import os
import resource
import signal
import subprocess

import lab


def record(bench, times, name="cinstr.data"):
    bench.run(bench.path("program"), str(times), env={"CINSTR_DATA": bench.path(name)}, status=0)
    return bench.path(name)


def history(bench, *arguments, status=0):
    done = bench.run(lab.COMMAND, "history", *arguments)
    lab.equal(done.returncode, status, f"history {' '.join(arguments)}: {done.stdout}{done.stderr}")
    return done


def rows(bench, *arguments):
    return list(csv.DictReader(io.StringIO(history(bench, *arguments, "--format=csv").stdout)))


COLUMNS = {"elapsed": "elapsed_exclusive_ns", "inclusive": "elapsed_inclusive_ns", "application": "application_exclusive_ns",
           "waiting": "off_cpu_exclusive_ns", "calls": "calls"}


def own_preempted(bench, session, name):
    lines = bench.cinstr("export", "--format=collapsed", "--measure=preempted", session).splitlines()
    return sum(int(line.rpartition(" ")[2]) for line in lines if line.rpartition(" ")[0].rpartition(";")[2] == name)


@lab.test("history/what is kept is what csv says")
def kept(bench):
    bench.compile("programs/steps.c", "program", "-O2")
    store = bench.path("store")
    session = record(bench, 100)
    done = history(bench, "add", store, session, "--commit=1234abc", "--label=a;\"b\"\n", "--time=2026-01-02T03:04:05")
    of = {row["name"]: row for row in csv.DictReader(io.StringIO(bench.cinstr("report", "--format=csv", session)))}
    lab.check(len(of) >= 3 and done.stdout.endswith(f": run 1, {len(of)} functions\n"), done.stdout)
    for measure, column in COLUMNS.items():
        for name in "work", "rest", "main":
            (row,) = rows(bench, "trend", store, name, f"--measure={measure}")
            lab.equal(row["value"], of[name][column], f"{name}: {measure}")
    for name in "work", "rest", "main":
        values = [int(rows(bench, "trend", store, name, f"--measure={measure}")[0]["value"]) for measure in ("elapsed", "unpreempted")]
        preempted = own_preempted(bench, session, name)
        lab.check(abs(values[0] - preempted - values[1]) <= 1, f"{name}: {values}, preempted {preempted}")
        lab.equal(int(rows(bench, "trend", store, name)[0]["value"]), values[1], "what is compared by default")
    (row,) = rows(bench, "trend", store, "[[]all functions]", "--measure=calls")
    lab.equal(row["value"], str(sum(int(row["calls"]) for row in of.values())), "all calls")
    (run,) = json.loads(history(bench, "list", store, "--format=json").stdout)["runs"]
    lab.equal((run["commit"], run["label"], run["time_ns"], run["functions"]), ("1234abc", 'a;"b"\\n', 1767323045000000000, len(of)), "the run")
    sampled = bench.path("sampled")
    done = bench.run(lab.COMMAND, "record", "--sample", "-o", sampled, bench.path("program"), "3000000")
    history(bench, "add", store, sampled)
    lab.equal([row["method"] for row in rows(bench, "list", store)], ["probes", "samples"], "methods")


@lab.test("history/a step is found where it is")
def step(bench):
    bench.compile("programs/steps.c", "program", "-O2")
    store = bench.path("store")
    for run in range(24):
        history(bench, "add", store, record(bench, 100 if run < 14 else 105), f"--commit=c{run + 1}", "--label=" + ("main" if run % 2 else "other"))
    (change,) = rows(bench, "trend", store, "work", "--measure=calls")[14:15]
    lab.equal((change["run"], change["commit"], change["value"], float(change["change_percent"])), ("15", "c15", "105", 5), "the step")
    lab.check(0 < float(change["chance"]) < 0.001, f"chance {change['chance']}")
    others = int(rows(bench, "trend", store, "[[]all functions]", "--measure=calls")[0]["value"]) - 100
    found = rows(bench, "trend", store, "--measure=calls")
    lab.equal([(row["function"], row["run"], float(row["before"]), float(row["after"])) for row in found],
              [("[all functions]", "15", others + 100, others + 105), ("work", "15", 100, 105)], "what has changed")
    lab.equal(rows(bench, "trend", store, "--measure=calls", "--min-percent=6"), [], "what is smaller than --min-percent")
    (none,) = rows(bench, "trend", store, "r*st", "--measure=calls")[:1]
    lab.equal((none["value"], none["chance"]), ("10", ""), "what has not changed")
    history(bench, "trend", store, "--measure=calls", "--fail-within=9")
    failed = history(bench, "trend", store, "--measure=calls", "--fail-within=10", status=1)
    lab.check("work: +5.0 % since run 15 c15" in failed.stderr, failed.stderr)
    lab.equal(len(rows(bench, "trend", store, "work", "--label=main", "--measure=calls")), 12, "--label")
    lab.equal(len(rows(bench, "trend", store, "work", "--last=7", "--measure=calls")), 7, "--last")
    table = history(bench, "trend", store, "--measure=calls", "--width=80").stdout
    lab.check("+5.0 %" in table and f"functions over 24 runs: calls, medians." in table and max(map(len, table.splitlines())) <= 80, table)
    lab.check(history(bench, "trend", store, "--last=5").stdout.startswith("Nothing can be said"), "too few runs are no history")


@lab.test("history/added at once")
def at_once(bench):
    bench.compile("programs/steps.c", "program", "-O2")
    store, session = bench.path("deep/store"), record(bench, 100)
    started = [subprocess.Popen([lab.COMMAND, "history", "add", store, session, f"--commit={n}"], stdout=subprocess.PIPE, text=True) for n in range(20)]
    said = [process.communicate(timeout=lab.TIMEOUT)[0] for process in started]
    lab.equal([process.returncode for process in started], [0] * 20, "statuses")
    found = rows(bench, "list", store)
    lab.equal(sorted(int(row["run"]) for row in found), list(range(1, 21)), "numbers")
    lab.equal(sorted(int(row["commit"]) for row in found), list(range(20)), "nothing is lost")
    for row in found:
        lab.check(f": run {row['run']}," in said[int(row["commit"])], "each was told its own")
    lab.equal(len(os.listdir(store)), 20, "nothing else is there")


@lab.test("history/damaged")
def damaged(bench):
    bench.compile("programs/steps.c", "program", "-O2")
    store, session = bench.path("store"), record(bench, 100)
    (path,) = glob.glob(session + "/program*.cinstr")
    with open(path, "rb") as file:
        whole = file.read()
    with open(path, "r+b") as file:
        file.truncate(len(whole) // 2)
    done = history(bench, "add", store, session, status=1)
    lab.check("nothing was added" in done.stderr and not done.stdout, done.stderr)
    lab.equal(os.listdir(store), [], "what was added")
    history(bench, "add", store, bench.path("nowhere"), status=1)
    with open(path, "wb") as file:
        file.write(whole)

    def full():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500))

    done = subprocess.run([lab.COMMAND, "history", "add", store, session], capture_output=True, text=True, preexec_fn=full, timeout=lab.TIMEOUT)
    lab.equal((done.returncode, "nothing was added: File too large" in done.stderr, os.listdir(store)), (1, True, []), f"full: {done.stderr}")
    for _ in range(3):
        history(bench, "add", store, session)
    os.truncate(store + "/run=000002/run.parquet", 50)
    os.truncate(store + "/run=000003/function.parquet", 50)
    done = history(bench, "list", store, "--format=csv", status=1)
    lab.check("run=000002/run.parquet: left out" in done.stderr and len(done.stdout.splitlines()) == 3, done.stderr + done.stdout)
    done = history(bench, "trend", store, "work", "--format=csv", status=1)
    lab.check("run=000003/function.parquet: left out" in done.stderr and len(done.stdout.splitlines()) == 2, done.stderr + done.stdout)
    for arguments in (["add"], ["list"], ["trend"], ["drop", store], ["list", store, "more"], ["add", store, session, "--time=soon"], []):
        history(bench, *arguments, status=2)
    history(bench, "trend", bench.path("nowhere"), status=1)
