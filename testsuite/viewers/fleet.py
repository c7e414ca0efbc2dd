# SPDX-License-Identifier: GPL-3.0-or-later
"""A fleet of 200 processes, simulated on this machine, through every step: recorded with ranks,
hosts and jobs, merged, reported, compared, as tables, in a history, pushed, as a page. How often
each rank calls is known, and every step has these totals; times are those of the sessions."""
import csv
import io
import json
import os
import shutil
import sys

import lab
import push
import push_every
import tables

sys.path.append(os.path.join(lab.ROOT, "testsuite/html"))

JOBS, HOSTS, RANKS_OF_HOST = 5, 5, 8
RANKS = HOSTS * RANKS_OF_HOST
AT_ONCE = 8
PROGRAM = """#include <stdlib.h>
static volatile double sink;
__attribute__((noipa)) static void step(int n) { for (int i = 0; i < n; i++) sink += i * 0.5; }
__attribute__((noipa)) static void work(int n) { for (int i = 0; i < n; i++) step(200); }
int main(int argc, char **argv) { work(atoi(argv[1])); return 0; }"""


def steps_of(job, rank):
    """Rank 3 has most to do; the last job does all of it twice."""
    return (20 + rank % 7) * (6 if rank == 3 else 1) * (2 if job == JOBS - 1 else 1)


def record(bench):
    program = bench.compile(bench.write("member.c", PROGRAM), "member", "-O1")
    os.mkdir(bench.path("fleet"))
    members = [(job, rank) for rank in range(RANKS) for job in range(JOBS)]
    for at in range(0, len(members), AT_ONCE):
        started = [bench.start(program, str(steps_of(job, rank)), env={
            "CINSTR_DATA": bench.path(f"fleet/job{job}"), "OMPI_COMM_WORLD_RANK": str(rank), "OMPI_COMM_WORLD_SIZE": str(RANKS), "PMIX_NAMESPACE": f"job{job}",
            "KUBERNETES_SERVICE_HOST": "x", "HOSTNAME": f"node{rank // RANKS_OF_HOST}"}) for job, rank in members[at:at + AT_ONCE]]
        for process in started:
            lab.equal((process.communicate(timeout=lab.TIMEOUT)[1], process.returncode), ("", 0), "a process")


def rows(bench, *arguments):
    return list(csv.DictReader(io.StringIO(bench.run(lab.COMMAND, *arguments, "--format=csv", status=0).stdout)))


def totals(bench, session):
    return {row["name"]: (int(row["calls"]), int(row["elapsed_exclusive_ns"])) for row in rows(bench, "report", session)}


def merge(bench):
    """By job, and these together; the same bytes as all at once."""
    for job in range(JOBS):
        bench.run(lab.COMMAND, "merge", "-o", f"job{job}.cinstr", f"fleet/job{job}", status=0)
    bench.run(lab.COMMAND, "merge", "-o", "all.cinstr", *(f"job{job}.cinstr" for job in range(JOBS)), status=0)
    bench.run(lab.COMMAND, "merge", "-o", "flat.cinstr", "fleet", status=0)
    with open(bench.path("all.cinstr"), "rb") as one, open(bench.path("flat.cinstr"), "rb") as other:
        lab.check(one.read() == other.read(), "merged by job and all at once are not the same bytes")


def check_groups(bench, want):
    """By rank (of each job), host and job."""
    calls = sum(n for n, _ in want.values())
    for session in "fleet", "all.cinstr":
        for by, n in ("rank", JOBS * RANKS), ("host", HOSTS), ("job", JOBS):
            found = rows(bench, "report", f"--by={by}", session)
            lab.equal((len(found), sum(int(row["calls"]) for row in found)), (n, calls), f"rows and calls by {by} of {session}")
            lab.equal({row["processes"] for row in found}, {str(JOBS * RANKS // n)}, f"processes by {by} of {session}")


def check_ranks(bench):
    (row,) = json.loads(bench.run(lab.COMMAND, "ranks", "step", "all.cinstr", "--value=elapsed", "--format=json", status=0).stdout)["paths"]
    lab.equal((row["calls"], row["n"], row["processes"]), (sum(steps_of(j, r) for j in range(JOBS) for r in range(RANKS)), JOBS * RANKS, JOBS * RANKS), "ranks")
    return row["mean_ns"]


def check_diff(bench):
    for a, b, verdict in ((0, 1, "same"), (0, JOBS - 1, "more")):
        found = {row["name"]: row for row in rows(bench, "diff", "--column=calls", f"job{a}.cinstr", f"job{b}.cinstr")}["step"]
        mean = [sum(steps_of(job, rank) for rank in range(RANKS)) / RANKS for job in (a, b)]
        lab.check(abs(float(found["a"]) - mean[0]) < 1e-4 and abs(float(found["b"]) - mean[1]) < 1e-4, f"means {mean}: {found}")
        lab.equal((found["verdict"], found["most_who_a"], found["most_who_b"]), (verdict, "rank 3", "rank 3"), f"diff of {a}, {b}")


def check_tables(bench, want):
    for session in "fleet", "all.cinstr":
        bench.run(lab.COMMAND, "export", "--format=parquet", "--force", "-o", f"tables/{session}", session, status=0)
        where = bench.path("tables", session)
        (found,) = tables.duckdb(f"SELECT p.name, SUM(v.calls) AS calls, SUM(v.elapsed_ns) AS ns FROM read_parquet('{where}/value/**/*.parquet') v "
                                 f"JOIN read_parquet('{where}/path.parquet') p ON p.path = v.path WHERE p.name IN ('step', 'work', 'main') GROUP BY p.name")
        lab.equal({row["name"]: (int(row["calls"]), int(row["ns"])) for row in found}, {name: want[name] for name in ("step", "work", "main")}, f"tables of {session}")


def check_history(bench):
    for job in range(JOBS):
        bench.run(lab.COMMAND, "history", "add", "store", f"job{job}.cinstr", f"--commit={job}", f"--time=2026-01-0{job + 1}T00:00:00", status=0)
    runs = json.loads(bench.run(lab.COMMAND, "history", "list", "store", "--format=json", status=0).stdout)["runs"]
    lab.equal([run["commit"] for run in runs], [str(job) for job in range(JOBS)], "runs of the history")
    trend = rows(bench, "history", "trend", "store", "step", "--measure=calls")
    lab.equal([float(row["value"]) for row in trend], [float(sum(steps_of(job, rank) for rank in range(RANKS))) for job in range(JOBS)], "trend of calls")


def check_push(bench, want):
    with push.store() as server:
        for session in "fleet", "all.cinstr":
            push.push(bench, server.url, session)
        for profile in push_every.profiles(server):
            types, found = push_every.samples(profile)
            at = [types.index("calls"), types.index("elapsed")]
            for name in "step", "work", "main":
                mine = [[values[i] for i in at] for stack, values in found.items() if stack[0] == name]
                lab.equal((sum(one[0] for one in mine), sum(one[1] for one in mine)), want[name], f"{name} in what was pushed")


def check_page(bench, want):
    import browser
    for session in "fleet", "all.cinstr":
        bench.run(lab.COMMAND, "html", "-o", "page.html", session, status=0)
        with browser.page(bench.path("page.html"), wait="document.body.dataset.ready === '1'") as page:
            found = json.loads(page.evaluate("""JSON.stringify(Object.fromEntries(Array.from(upTo(model.functions.n),
                i => [model.functionName(i), ['calls', 'elapsed_exclusive_ns'].map(name => model.functions.get(name)[i])])))"""))
            lab.equal({name: tuple(found[name]) for name in ("step", "work", "main")}, {name: want[name] for name in ("step", "work", "main")}, f"the page of {session}")


@lab.test("fleet/200 processes through every step")
def all_steps(bench):
    record(bench)
    merge(bench)
    want = totals(bench, "fleet")
    lab.equal(want["step"][0], sum(steps_of(job, rank) for job in range(JOBS) for rank in range(RANKS)), "calls of step")
    lab.equal(totals(bench, "all.cinstr"), want, "merged")
    check_groups(bench, want)
    mean = check_ranks(bench)
    lab.check(abs(mean * JOBS * RANKS - want["step"][1]) <= JOBS * RANKS, f"mean of ranks {mean}, all {want['step']}")
    check_diff(bench)
    check_history(bench)
    check_push(bench, want)
    check_tables(bench, want)
    if shutil.which("chromium"):
        check_page(bench, want)
