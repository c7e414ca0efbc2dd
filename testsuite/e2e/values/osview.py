# SPDX-License-Identifier: GPL-3.0-or-later
"""What the operating system did to the program: counts by kind against what the program asked for
and the kernel counted."""
import csv
import io
import re

import lab
import quiet

SLEEPS, READS, ROUNDS, WRITES = 20, 500, 3, 16
KINDS = {"voluntary": "voluntary_switches", "minor": "minor_fault_intervals", "major": "major_fault_intervals",
         "in": "block_input_intervals", "out": "block_output_intervals"}


def record(bench):
    bench.run(bench.compile("programs/osview.c", "program", "-O2", "-fplugin-arg-cinstr-small=0"), status=0)
    with open(bench.path("truth")) as file:
        lines = [line.split() for line in file]
    return {line[0]: dict(zip(KINDS, map(int, line[1:]))) for line in lines}


def slept(truth):
    """Sleeps that the kernel counts as switches: not one whose time is up before a preempted thread
    comes to wait."""
    return min(SLEEPS, truth["sleeper"]["voluntary"])


@lab.test("os/counts by kind, against the kernel's")
def counts(bench):
    truth = record(bench)
    rows = bench.functions()
    totals = bench.sound()
    lab.equal(totals["voluntary_switches"], totals["kernel_voluntary_switches"], "switches recorded")
    lab.equal(rows["read"]["system_calls_exclusive"], READS, "system calls of read")
    lab.equal(rows["reader"]["system_calls_exclusive"], 0, "system calls of reader alone")
    known = rows["reader"]["system_calls_inclusive"]
    # open and close may be known ones
    lab.check(READS <= known <= READS + 2, f"system calls of reader: {known}")
    lab.equal(rows["nanosleep"]["system_calls_exclusive"], SLEEPS, "system calls of nanosleep")
    lab.check(rows["nanosleep"]["voluntary_switches_exclusive"] >= slept(truth) > SLEEPS / 2,
              f"switches of nanosleep: {rows['nanosleep']['voluntary_switches_exclusive']}")
    for function, kernel in truth.items():
        row = rows[function]
        for kind, column in KINDS.items():
            got = row[column + "_inclusive"]
            lab.check(got >= row[column + "_exclusive"], f"{function}: {column} inclusive {got} below exclusive")
            # One of a short interval just before may count here.
            lab.check(got <= kernel[kind] + (kind != "voluntary"),
                      f"{function}: {column} {got}, but the kernel counted {kernel[kind]}")
            # An interval may hold several; none may be without a trace.
            large = kernel[kind] >= (1 if kind in ("voluntary", "major") else 32)
            lab.check(got or not large, f"{function}: {column} 0, but the kernel counted {kernel[kind]}")
    lab.check(rows["sleeper"]["voluntary_switches_inclusive"] >= slept(truth), "switches of sleeper")
    faults = rows["toucher"]["minor_fault_intervals_exclusive"]
    lab.check(ROUNDS <= faults <= ROUNDS + 2, f"intervals of toucher with minor faults: {faults}")
    main = rows["main"]
    lab.equal(main["voluntary_switches_inclusive"], totals["voluntary_switches"], "switches of main")
    for kind in ("reader", "sleeper"):
        lab.check(main["system_calls_inclusive"] >= rows[kind]["system_calls_inclusive"], "system calls of main")


@lab.test("os/the view, by every kind of row")
def view(bench):
    truth = record(bench)
    table = bench.cinstr("report", "--view=os", "--verbose", "--width=140", bench.path("cinstr.data")).splitlines()
    line = next((line for line in table[6:] if re.search(r"\bnanosleep\b", line)), "")
    # Of who is off the processor most: the sleeper, unless others had it for longer than its 20 ms.
    # The rows are in that order (below), whoever comes first.
    lab.check(any(float(word) >= 20 for word in re.findall(r"\d+\.\d+", line)), f"nanosleep in {table}")
    lab.check("Switches" in table[4] and "Off-CPU" in table[4] and "System calls" in table[4], table[4])
    lab.check(any(line.startswith("OS events") for line in table), "no line says where the counts come from")
    lab.check("Application" not in "\n".join(table), "the view tells of Application time")
    sums = {}
    for by in ("function", "site", "module", "thread", "process"):
        text = bench.cinstr("report", "--view=os", f"--by={by}", "--format=csv", bench.path("cinstr.data"))
        rows = list(csv.DictReader(io.StringIO(text)))
        off = [int(row["off_cpu_exclusive_ns"]) for row in rows]
        lab.equal(off, sorted(off, reverse=True), f"order by {by}")
        sums[by] = sum(int(row["system_calls_exclusive"]) for row in rows)
    lab.equal(len(set(sums.values())), 1, f"system calls by each kind of row: {sums}")
    sites = {row["callee"]: row for row in bench.report(by="site")["rows"]}
    lab.equal(sites["nanosleep"]["name"], "sleeper", "who calls nanosleep")
    lab.check(sites["nanosleep"]["voluntary_switches_exclusive"] >= slept(truth), "switches at the call of nanosleep")
    lab.equal(sites["write"]["system_calls_exclusive"], WRITES, "system calls at the call of write")


@lab.test("os/begin, end and cause of the end of processes and threads")
def lives(bench):
    source = bench.write("lives.c", """
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static void *thread(void *arg) { usleep(20000); return arg; }
static void child(int which)
{
	usleep(20000);
	if (which == 0)
		_exit(3);
	if (which == 1)
		kill(getpid(), SIGKILL);
	if (which == 2)
		execl("/bin/true", "true", (char *)0);
	exit(4);
}
int main(void)
{
	pthread_t id;
	for (int which = 0; which < 4; which++) {
		pid_t pid = fork();
		if (!pid)
			child(which);
		waitpid(pid, 0, 0);
	}
	pthread_create(&id, 0, thread, 0);
	pthread_join(id, 0);
	return 5;
}
""")
    program = bench.compile(source, "program", "-pthread")
    # Others may have the processor between two looks at the clock, at the begin and at the end.
    quiet.measured(lambda: lived(bench, program))


def lived(bench, program):
    bench.run(program, status=5)
    rows = bench.report(by="process")["rows"]
    lab.equal(sorted(row["ended"] for row in rows), ["_exit", "exec", "exit 4?", "exit 5?", "signal"], "ends")
    parent = next(row for row in rows if row["ended"] == "exit 5?")
    lab.equal(parent["begin_ns"], 0, "begin of the first process")
    for row in rows:
        lab.check(row["end_ns"] - row["begin_ns"] >= 20e6, f"{row['ended']}: lived from {row['begin_ns']} to {row['end_ns']}")
        lab.check_time(row["end_ns"] <= parent["end_ns"] + 1e6, f"{row['ended']}: ended at {row['end_ns']}, after its parent")
        lab.check_time(row["on_cpu_percent"] < 95, f"{row['ended']}: {row['on_cpu_percent']} % on a processor, but it slept")
        lab.check(row is parent or row["parent_pid"] == parent["pid"], f"{row['ended']}: parent {row['parent_pid']}")
        lab.check(row["command_line"].endswith("program"), f"command line {row['command_line']}")
    for process in bench.json("info", bench.path("cinstr.data"))["processes"]:
        length = process["recorded_ns"]
        lab.check_time(20e6 <= length <= parent["end_ns"], f"{process['ended']}: recorded for {length} ns")
        lab.check_time(all(t["begin_ns"] + t["length_ns"] <= length + 1e6 for t in process["threads"]),
                       f"{process['ended']}: threads beyond {length} ns: {process['threads']}")
    threads = bench.report(by="thread")["rows"]
    ended = [row for row in threads if row["pid"] == parent["pid"] and row["tid"] != row["pid"]]
    lab.equal([row["ended"] for row in ended], ["ended"], "the thread")
    lab.check(ended[0]["begin_ns"] > 80e6 and ended[0]["process"] == "program", f"the thread: {ended[0]}")
    modules = bench.report("cinstr.data", "module", "--functions")["rows"]
    names = {row["id"]: row["name"] for row in modules if row["depth"] == 1}
    lab.equal({names[row["parent"]] for row in modules if row["name"] in ("main", "child", "thread")}, {"program"},
              "module of the program's functions")
    by_module = {name: sum(row["elapsed_exclusive_ns"] for row in modules if row["parent"] == number)
                 for number, name in names.items()}
    for row in modules:
        lab.check(row["depth"] == 2 or abs(by_module[row["name"]] - row["elapsed_exclusive_ns"]) <= len(modules),
                  f"{row['name']}: {row['elapsed_exclusive_ns']} ns, its functions {by_module.get(row['name'])}")


@lab.test("os/the summary's times off the processor are the table's")
def summed(bench):
    """Four at once on few processors: short calls are preempted, and shorter than was measured."""
    program = bench.compile("programs/work.c", "program", "-O1")
    for process in [bench.start(program, "300") for _ in range(4)]:
        process.communicate(timeout=lab.TIMEOUT)
        lab.equal(process.returncode, 0, "exit status")
    for session in bench.sessions():
        times = bench.json("summary", bench.path(session))["time"]
        report = bench.report(session)
        off = sum(row["off_cpu_exclusive_ns"] for row in report["rows"])
        outside = report["session"]["outside_functions_ns"]  # as behind main()'s return
        told = sum(times[f"{kind}_ns"] for kind in ("waiting", "preempted", "page_ins", "disk"))
        lab.check(-20 <= told - off <= outside + 20, f"{session}: {told} ns off the processor, rows {off}, outside {outside}")
        lab.check(abs(times["on_processor_ns"] + told - times["elapsed_ns"]) <= 20, f"{session}: {times}")
