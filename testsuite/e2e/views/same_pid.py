# SPDX-License-Identifier: GPL-3.0-or-later
"""Processes with the same number (containers; a program that becomes another one) are told apart by
each view and export, and times of a call never contain another process's."""
import csv
import io
import json
import subprocess

import lab

SOURCE = """
#include <stdlib.h>
#include <unistd.h>
__attribute__((noinline)) static void nap(int us) { usleep(us); }
__attribute__((noinline)) static void work(int us) { nap(us); }
int main(int argc, char **argv)
{
	int us = atoi(argv[1]);
	for (int i = 0; i < 5; i++)
		work(us);
	if (argc > 2) /* becomes another program, with the same process number */
		execl(argv[0], argv[0], argv[2], argv[3], NULL);
	return 0;
}
"""


def chain(bench):
    bench.compile(bench.write("app.c", SOURCE), "app", "-O2")
    bench.run(bench.path("app"), "1", "2", "3", env={"CINSTR_TIMELINE": "unlimited"}, status=0)


def namespaces(bench):
    """Three processes at once, each of which is number 1."""
    bench.compile(bench.write("app.c", SOURCE), "app", "-O2")
    inner = ["unshare", "-Urpf"]
    if subprocess.run([*inner, "true"], capture_output=True).returncode:
        raise lab.Skip("no namespaces of process numbers here")
    lines = "".join(f"{' '.join(inner)} {bench.path('app')} {us} &\n" for us in (1000, 2000, 3000))
    bench.run(lab.COMMAND, "record", "--timeline=unlimited", "-o", "cinstr.data", "--", "sh", "-c", lines + "wait", status=0)


def rows_of(bench, *view):
    return list(csv.DictReader(io.StringIO(bench.cinstr(*view, "--format=csv", bench.path("cinstr.data")))))


def check_all(bench):
    session = bench.path("cinstr.data")
    processes = rows_of(bench, "report", "--by=process")
    lab.equal(len({row["pid"] for row in processes}), 1, "process numbers")
    lab.equal(sorted(int(row["process_number"]) for row in processes), [1, 2, 3], "process_number")
    longest = max(float(row["max_elapsed_inclusive_ns"]) for row in rows_of(bench, "report") if row["name"] == "usleep")

    bench.cinstr("export", "-f", "chrome", "-o", bench.path("e.json"), session)
    with open(bench.path("e.json")) as file:
        events = json.load(file)["traceEvents"]
    tracks, stacks = {}, {}
    for event in events:
        if event["ph"] == "M" and event["name"] == "process_name":
            lab.check(event["pid"] not in tracks, "a process has another one's track")
            tracks[event["pid"]] = event["args"]["name"]
        if event["ph"] == "B":
            stacks.setdefault(event["pid"], []).append(event)
        if event["ph"] == "E":
            begun = stacks[event["pid"]].pop()
            length = (event["ts"] - begun["ts"]) * 1000
            lab.check(begun["name"] != "usleep" or length <= longest + 5000, f"usleep of {length} ns, by report {longest} at most")
    pid = processes[0]["pid"]
    lab.equal(sorted(tracks.values()), sorted(["app", f"app (pid {pid}#2)", f"app (pid {pid}#3)"]), "tracks")

    heads = [row for row in rows_of(bench, "tree", "--by=thread") if row["depth"] == "1"]
    lab.equal(len(heads), 3, "threads at the top of the tree")
    folded = bench.cinstr("export", "-f", "collapsed", "--by=thread", session)
    lab.equal(len({line.partition("]")[0] for line in folded.splitlines()}), 3, "threads in collapsed")
    speedscope = json.loads(bench.cinstr("export", "-f", "speedscope", session))
    lab.equal(len({one["name"] for one in speedscope["profiles"]}), 3, "profiles of speedscope")
    sql = bench.cinstr("export", "-f", "sqlite", session)
    lab.equal(len({row for row in sql.split("INSERT INTO thread VALUES")[1].split(";")[0].splitlines() if row}), 3, "threads in SQL")
    timeline = rows_of(bench, "timeline")
    lab.equal({row["process_number"] for row in timeline}, {"1", "2", "3"}, "process_number in the timeline")

    for number, name in ((1, pid), (2, f"{pid}#2"), (3, f"{pid}#3")):
        one = rows_of(bench, "timeline", f"--process={name}")
        if number > 1:
            lab.equal({row["process_number"] for row in one}, {str(number)}, f"--process={name}")
    lab.equal(len(rows_of(bench, "report", "--by=process", f"--process={pid}")), 3, "--process=PID takes all of them")


@lab.test("same_pid/exec")
def _(bench):
    chain(bench)
    check_all(bench)


@lab.test("same_pid/namespaces")
def _(bench):
    namespaces(bench)
    check_all(bench)
