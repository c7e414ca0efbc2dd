# SPDX-License-Identifier: GPL-3.0-or-later
"""cinstr diff of jobs of many processes: calls are counted, so what each rank has is known."""
import csv
import io
import json
import statistics

import lab

# Rank r calls step() CALLS[r] times.
PROGRAM = """#include <stdlib.h>
volatile unsigned sink;
__attribute__((noipa)) static void step(void) { sink++; }
__attribute__((noipa)) static void other(void) { sink++; }
__attribute__((noipa)) static void work(int n) { for (int i = 0; i < n; i++) step(); }
int main(int argc, char **argv) { work(atoi(argv[1])); for (int i = 0; i < atoi(argv[1]); i++) other(); other(); return 0; }"""


def job(bench, program, name, calls):
    """A session of so many ranks, and what they give merged."""
    for rank, n in enumerate(calls):
        bench.run(program, str(n), status=0, env={"CINSTR_DATA": bench.path(name + ".data"), "OMPI_COMM_WORLD_RANK": str(rank),
                                                  "OMPI_COMM_WORLD_SIZE": str(len(calls)), "PMIX_NAMESPACE": name})
    bench.run(lab.COMMAND, "merge", "-o", name + ".cinstr", name + ".data", status=0)


def diff(bench, a, b, *options, status=0):
    text = bench.run(lab.COMMAND, "diff", "--format=csv", "--column=calls", "--threshold=0", *options, a, b, status=status).stdout
    return {row["path"] or row["name"]: row for row in csv.DictReader(io.StringIO(text))}


def jobs(bench):
    program = bench.compile(bench.write("ranks.c", PROGRAM), "ranks", "-O1")
    plain = [100 + rank % 4 for rank in range(8)]
    sides = {"plain": plain, "wide": plain + plain, "slow": [n * (6 if rank == 3 else 1) for rank, n in enumerate(plain)], "all": [2 * n for n in plain]}
    for name, calls in sides.items():
        job(bench, program, name, calls)
    return sides


def check_side(row, side, calls, what):
    """Its mean, deviation, and who has most."""
    lab.check(abs(float(row[side]) - statistics.mean(calls)) < 1e-5, f"{what}: mean {row[side]} of {calls}")
    lab.check(abs(float(row[f"deviation_{side}"]) - statistics.stdev(calls)) < 1e-5, f"{what}: deviation {row[f'deviation_{side}']} of {calls}")
    lab.equal((row[f"processes_{side}"], row[f"most_{side}"]), (str(len(calls)), str(max(calls))), what)
    lab.check(calls[int(row[f"most_who_{side}"].removeprefix("rank "))] == max(calls), f"{what}: {row}")
    lab.check(abs(float(row[f"imbalance_percent_{side}"]) - 100 * (max(calls) / statistics.mean(calls) - 1)) < 1e-4, f"{what}: imbalance {row}")


@lab.test("diff/processes of jobs: means and spread, merged and not")
def known(bench):
    sides = jobs(bench)
    for other, verdict in (("wide", "same"), ("slow", "more"), ("all", "more")):
        merged = diff(bench, "plain.cinstr", other + ".cinstr")
        for found, what in ((merged, "merged"), (diff(bench, "plain.data", other + ".data", "--per=process"), "sessions")):
            row = found["step"]
            lab.equal(row["verdict"], verdict, f"{other}, {what}: {row}")
            check_side(row, "a", sides["plain"], f"plain, {what}")
            check_side(row, "b", sides[other], f"{other}, {what}")
            lab.equal(row["deviation_bound_a"], "", f"{other}, {what}: {row}")
    lab.check("rank 3" in diff(bench, "plain.cinstr", "slow.cinstr")["step"]["most_who_b"], "who is slow")
    sums = diff(bench, "plain.cinstr", "wide.cinstr", "--per=session")["step"]
    lab.equal((sums["a"], sums["b"], "deviation_a" in sums), (str(sum(sides["plain"])), str(sum(sides["wide"])), False), "sums")


@lab.test("diff/processes of jobs: a function with two call paths has a bound")
def bound(bench):
    sides = jobs(bench)
    row = diff(bench, "plain.cinstr", "slow.cinstr")["other"]
    truth = statistics.stdev([n + 1 for n in sides["slow"]])
    lab.check(row["deviation_bound_b"] == "most" and float(row["deviation_b"]) >= truth - 1e-5 and not row["most_who_b"], f"merged: {row}, {truth}")
    exact = diff(bench, "plain.data", "slow.data", "--per=process")["other"]
    lab.check(not exact["deviation_bound_b"] and abs(float(exact["deviation_b"]) - truth) < 1e-5 and exact["most_who_b"] == "rank 3", f"sessions: {exact}")
    paths = diff(bench, "plain.cinstr", "slow.cinstr", "--by=path")
    lab.check(all(not row["deviation_bound_b"] for name, row in paths.items() if name.endswith("step")), f"paths: {paths}")


@lab.test("diff/processes of jobs: what is said, and refused")
def said(bench):
    jobs(bench)
    text = bench.run(lab.COMMAND, "diff", "--column=calls", "plain.cinstr", "wide.cinstr", "--width=80", status=0).stdout
    for part in ("(processes: 8)", "(processes: 16)", "means of a process", "as the numbers differ"):
        lab.check(part in " ".join(text.split()), f"{part!r} is missing: {text}")
    lab.check(max(map(len, text.splitlines())) <= 80, f"too wide: {text}")
    session = json.loads(bench.run(lab.COMMAND, "diff", "--format=json", "plain.cinstr", "wide.cinstr", status=0).stdout)["session"]
    lab.equal((session["processes_a"], session["processes_b"], session["confidence"]), (8, 16, 0.95), "json")
    done = bench.run(lab.COMMAND, "diff", "--column=calls", "--function=step", "--fail-over=50", "plain.cinstr", "all.cinstr")
    lab.check(done.returncode == 1 and "step: calls grew by 100.0 %" in done.stderr, f"--fail-over: {done.stderr}")
    done = bench.run(lab.COMMAND, "diff", "--column=calls", "--fail-over=40", "plain.cinstr", "slow.cinstr")
    lab.check(done.returncode == 1 and "step: calls grew by 63" in done.stderr, f"one rank of eight: {done.stderr}")
    for options in (["--relative"], ["--by=line"], ["--single"], ["--column=open_calls"], ["--raw"]):
        done = bench.run(lab.COMMAND, "diff", "--per=process", *options, "plain.cinstr", "wide.cinstr")
        lab.check(done.returncode == 2 and "--per=process" in done.stderr, f"{options}: {done.stderr}")
    bench.run(lab.COMMAND, "diff", "--relative", "plain.cinstr", "wide.cinstr", status=0)
    done = bench.run(lab.COMMAND, "diff", "--fail-over=5", "plain.cinstr", "wide.data")
    lab.check(done.returncode == 2 and "give --single" in done.stderr, f"one of them merged: {done.stderr}")
