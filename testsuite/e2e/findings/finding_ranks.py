# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings on the ranks of a job (CF06xx), of the session and of what was merged of it."""
import re

import finding_lab as findings
import lab

RANKS = 5


def job(bench, *arguments):
    """One rank after another, so that they do not take the processor from each other."""
    bench.compile(findings.FOLDER + "ranks.c", "ranks", "-O1")

    def record():
        for rank in range(RANKS):
            bench.run("./ranks", str(rank), *arguments, env={"PMIX_RANK": str(rank), "PMIX_NAMESPACE": "4712", "CINSTR_DATA": "job"}, status=0)
        bench.run(lab.COMMAND, "merge", "-o", "merged", "job", status=0)
        return [findings.findings(bench, name) for name in ("job", "merged")]

    return findings.recorded(bench, "job", record)


@findings.test("ranks with unequal work")
def unequal(bench):
    for found in job(bench, "unequal"):
        one = findings.present(found, "CF0601", "compute", r"computes .* in rank 3, .* in the mean of 5 ranks", least=5)
        findings.at(one, "ranks.c", "static void compute")
        findings.present(found, "CF0602", None, r"^rank 3 has more to do than all others")
        findings.absent(found, "CF0603")


@findings.test("ranks with equal work")
def equal(bench):
    for found in job(bench, "equal"):
        findings.absent(found, "CF0601", "CF0602", "CF0603")


@findings.test("ranks that wait in MPI, busy or asleep")
def waits(bench):
    busy = {}
    for way in ("polls", "sleeps"):
        for found in job(bench, way):
            one = findings.present(found, "CF0603", None, r"wait for one another in MPI for .* busy on a processor.*longest in MPI_Barrier in main")
            busy[way] = float(re.search(r", ([0-9.]+) % of that busy", one["text"])[1])
            findings.absent(found, "CF0601", "CF0602")  # who waits busy has no more to do
            lab.check(not [one for one in found if one["id"] == "CF0209" and one["subject"] != "compute"], f"waits are no hot spot: {found}")
    lab.check(busy["polls"] > busy["sleeps"], f"busy: {busy}")


@findings.test("what calls of MPI call waits, and is no unequal work")
def below(bench):
    for found in job(bench, "calls"):
        findings.present(found, "CF0603", None, r"wait for one another in MPI.*longest in MPI_Barrier in main")
        findings.absent(found, "CF0601", "CF0602")


@findings.test("processes that are no ranks have no equal work")
def no_ranks(bench):
    bench.compile(findings.FOLDER + "ranks.c", "ranks", "-O1")
    for rank in range(RANKS):
        bench.run("./ranks", str(rank), "unequal", env={"CINSTR_DATA": f"all{rank}"}, status=0)
    bench.run(lab.COMMAND, "merge", "-o", "merged", *(f"all{rank}" for rank in range(RANKS)), status=0)
    findings.absent(findings.findings(bench, "merged"), "CF0601", "CF0602", "CF0603")
