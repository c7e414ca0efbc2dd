# SPDX-License-Identifier: GPL-3.0-or-later
"""Processes of a job in the page: the strip of a function has what csv says of each rank, digit for
digit; of what was merged there are least, mean and most."""
import csv
import io
import json

import browser
import lab

READY = "document.body.dataset.ready && document.body.dataset.view === 'function'"
RANKS = 12
# Rank 5 takes six times as long; rank 7 has no extra().
PROGRAM = """#include <stdlib.h>
static volatile double sink;
__attribute__((noipa)) static void compute(int n) { for (int i = 0; i < n * 20000; i++) sink += i * 0.5; }
__attribute__((noipa)) static void extra(void) { for (int i = 0; i < 20000; i++) sink += i; }
int main(void) { int rank = atoi(getenv("OMPI_COMM_WORLD_RANK")); static int n[2] = { 10, 60 }; compute(n[rank == 5]); if (rank != 7) extra(); return 0; }"""
STRIP = "JSON.stringify([...document.querySelectorAll('.ranks li')].map(one => [one.title, one.className, one.firstChild.getBoundingClientRect().height]))"


def job(bench):
    program = bench.compile(bench.write("ranks.c", PROGRAM), "ranks", "-O1")
    for rank in reversed(range(RANKS)):  # the page puts them in order
        bench.run(program, status=0, env={"CINSTR_DATA": bench.path("job.data"), "OMPI_COMM_WORLD_RANK": str(rank), "OMPI_COMM_WORLD_SIZE": str(RANKS),
                                          "PMIX_NAMESPACE": "4711", "KUBERNETES_SERVICE_HOST": "x", "HOSTNAME": f"node{rank // 4}"})
    bench.run(lab.COMMAND, "merge", "-o", "job.cinstr", "job.data", status=0)


def opened(bench, session, state, **how):
    bench.cinstr("html", "-o", bench.path("page.html"), bench.path(session))
    return browser.page(bench.path("page.html") + f"#{state}", wait=READY, **how)


def rows_of(bench, *arguments):
    return list(csv.DictReader(io.StringIO(bench.cinstr("report", "--format=csv", *arguments))))


@lab.test("ranks/the strip of a function is csv's")
def strip(bench):
    job(bench)
    session = bench.path("job.data")
    pids = {int(row["rank"]): row["pid"] for row in rows_of(bench, "--by=process", session)}
    of_all = {row["name"]: row for row in rows_of(bench, session)}
    with opened(bench, "job.data", "function?function=compute") as page:
        for name in ("compute", "extra"):
            if name != "compute":
                page.evaluate("delete document.body.dataset.ready")
                page.go(page.address.partition("#")[0] + f"#function?function={name}")
            page.wait(READY + f" && document.querySelector('h2').textContent === '{name}'")
            found = json.loads(page.evaluate(STRIP))
            lab.equal(len(found), RANKS, f"bars of {name}")
            for rank, (title, kind, height) in enumerate(found):
                mine = [row["cpu_exclusive_ns"] for row in rows_of(bench, f"--process={pids[rank]}", session) if row["name"] == name]
                want = f"cpu_exclusive_ns: {mine[0]} ns" if mine else "does not have it"
                lab.equal(title, f"rank {rank}\npid {pids[rank]}\nhost node{rank // 4}\n{want}", f"{name} of rank {rank}")
                who = [word for word, column in (("most", "process_max_who"), ("least", "process_min_who")) if of_all[name][column] == f"rank {rank}"]
                lab.equal(kind, "none" if not mine else who[0] if who else "", f"{name} of rank {rank}")
                lab.check(bool(mine) or height <= 1, f"{name} of rank {rank}: {height} high")
            facts = page.text("#view")
            lab.check(f"in {of_all[name]['process_max_who']}" in facts, f"who has most of {name}: {facts}")
            titles = page.evaluate("[...document.querySelectorAll('.facts div')].map(one => one.title).join('\\n')")
            for column in ("process_mean_ns", "process_min_ns", "process_max_ns", "process_deviation_ns", "imbalance_cost_ns"):
                lab.check(f"{column}: {of_all[name][column]}" in titles.split("\n"), f"{column} of {name}: {of_all[name][column]} is not in {titles}")
        lab.check(found[7][1] == "none" and found[7][2] == 0 and found[5][2] > 0, f"rank 7 has no extra(): {found}")


@lab.test("ranks/what was merged has a range")
def merged(bench):
    job(bench)
    row = {row["name"]: row for row in rows_of(bench, bench.path("job.cinstr"))}["compute"]
    lab.equal(row["process_max_who"], "rank 5", "who")
    with opened(bench, "job.cinstr", "function?function=compute") as page:
        lab.equal(page.evaluate("document.querySelectorAll('.ranks, .range').length + ' ' + document.querySelectorAll('.range i').length"), "1 2", "a range")
        titles = page.evaluate("[...document.querySelectorAll('.facts div')].map(one => one.title).join('\\n')").split("\n")
        for column in ("process_mean_ns", "process_min_ns", "process_max_ns", "process_max_who"):
            lab.check(f"{column}: {row[column]}" in titles, f"{column}: {titles}")


@lab.test("ranks/of what was merged no threads are shown")
def no_threads(bench):
    """It has no moments, and one row for all threads."""
    job(bench)
    for session, there in ("job.data", {"time", "threads"}), ("job.cinstr", set()):
        with opened(bench, session, "function?function=compute") as page:
            lab.equal(set(json.loads(page.evaluate("JSON.stringify(shown().map(view => view.id))"))) & {"time", "threads", "marks"}, there, "views")
            page.evaluate("delete document.body.dataset.ready; go('summary')")
            page.wait("document.body.dataset.ready && document.body.dataset.view === 'summary'")
            lab.equal("Threads over time" in page.evaluate("document.body.innerText"), bool(there), f"strips of {session}")
            page.wait("document.body.dataset.prepared")


@lab.test("ranks/light, dark, narrow; none where there is one process")
def look(bench):
    job(bench)
    for session in "job.data", "job.cinstr":
        for width, dark in ((1280, False), (1280, True), (390, False), (390, True)):
            with opened(bench, session, "function?function=compute", width=width, dark=dark) as page:
                for check in "overflow", "contrast", "names":
                    lab.equal(page.check_with(check), [], f"{session}, {width} wide, {'dark' if dark else 'light'}: {check}")
                page.evaluate("(document.querySelector('.ranks') ?? document.querySelector('.range')).scrollIntoView()")
                page.screenshot(f"ranks-{session}-{width}-{'dark' if dark else 'light'}")
    bench.run(bench.path("ranks"), status=0, env={"CINSTR_DATA": bench.path("one.data"), "OMPI_COMM_WORLD_RANK": "0"})
    with opened(bench, "one.data", "function?function=compute") as page:
        lab.equal(page.evaluate("document.querySelectorAll('.ranks, .range').length"), 0, "strips of one process")
