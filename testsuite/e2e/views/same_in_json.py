# SPDX-License-Identifier: GPL-3.0-or-later
"""What text, csv and json tell is the same, under the same names."""
import csv
import io
import json
import re

import lab

SOURCE = """
#include <pthread.h>
#include <unistd.h>
#include <cinstr.h>
__attribute__((noinline)) static void work(void) { usleep(500); }
static void *run(void *arg) { work(); return arg; }
int main(void)
{
	pthread_t thread;
	work();
	cinstr_stop(CINSTR_PROCESS, 0);
	usleep(100000);
	cinstr_start(CINSTR_PROCESS, 0);
	cinstr_mark_text(1, "half");
	for (int i = 0; i < 3; i++)
		work();
	pthread_create(&thread, 0, run, 0);
	pthread_join(thread, 0);
	return 0;
}
"""

# A line of `cinstr info`, and the keys of its facts in json. A new line needs a row here.
INFO = {
    "executable": ["exe"], "folder": ["cwd"], "started": ["begin_realtime_ns", "recorded_ns"], "ended": ["ended"],
    "parent": ["parent_pid"], "data file": ["data_file", "data_file_bytes"], "machine": ["hostname", "kernel", "cpu", "cpus"],
    "clock": ["clock", "clock_hz"], "OS events": ["restartable", "os_threshold_ns"], "calibration": ["calibration"],
    "probes": ["probes", "attach_ns", "runtime_version"], "options": ["options"], "paused": ["paused_ns", "pauses"],
    "timeline": ["timeline", "timeline_bytes"], "switched": ["marks"], "marks": ["marks"], "phases": ["phases"], "threads": ["threads"], "modules": ["modules"],
}
VIEWS = [["report"], ["report", "--by=module"], ["report", "--by=line"], ["report", "--by=thread"], ["report", "--by=process"],
         ["report", "--by=mark"], ["report", "--by=site"], ["tree"], ["tree", "--by=thread"], ["callers", "work"],
         ["timeline"]]


def record(bench):
    flags = ["-O2", "-pthread", *(f"-I{lab.ROOT}/include",)]
    program = bench.compile(bench.write("app.c", SOURCE), "app", *flags)
    bench.run(program, env={"CINSTR_TIMELINE": "unlimited"}, status=0)
    return bench.path("cinstr.data")


def as_cell(value):
    return "" if value is None else str(value)


def near(a, b):
    if a == b or a.split() == b.split(","):  # lists of events of the system
        return True
    try:
        return float(a) == float(b)
    except ValueError:
        return False


@lab.test("same_in_json/tables")
def _(bench):
    """Each cell of csv is in json, and the other way round; a table of all columns has no heading
    without them."""
    session = record(bench)
    for view in VIEWS:
        flat = list(csv.DictReader(io.StringIO(bench.cinstr(*view, "--format=csv", session))))
        data = json.loads(bench.cinstr(*view, "--format=json", session))
        nested = data if isinstance(data, list) else data["rows"] if "rows" in data else None
        lab.check(nested is not None, f"{view}: json has no rows")
        lab.equal(len(flat), len(nested), f"{view}: rows")
        for cells, row in zip(flat, nested):
            lab.equal(set(cells) - set(row), set(), f"{view}: in csv only")
            lab.equal({key for key, value in row.items() if not isinstance(value, (list, dict))} - set(cells), set(), f"{view}: in json only")
            for key, cell in cells.items():
                if isinstance(row[key], (list, dict)):
                    continue
                lab.check(near(cell, as_cell(row[key])), f"{view}: {key} is {cell} in csv and {row[key]} in json")


@lab.test("same_in_json/info")
def _(bench):
    session = record(bench)
    text = bench.cinstr("info", session)
    data = json.loads(bench.cinstr("info", "--format=json", session))
    process = data["processes"][0]
    flat = list(csv.DictReader(io.StringIO(bench.cinstr("info", "--format=csv", session))))
    keys = {re.split(r"[.\[/]", row["key"])[0] for row in flat}
    for label in re.findall(r"^  ([A-Za-z]+(?: [a-z]+)?) {2,}\S", text, re.M):
        lab.check(label in INFO, f"info has a line {label!r}, of which it is not known what json calls it")
        for key in INFO[label]:
            lab.check(key in process, f"info: {label}: json has no {key}")
    paused = re.search(r"^  paused +(\S+) (\S+) in (\d+) pause", text, re.M)
    lab.check(paused, text)
    lab.equal(int(paused[3]), process["pauses"], "pauses")
    ns = float(paused[1]) * {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}[paused[2]]
    lab.check(abs(process["paused_ns"] - ns) <= ns / 100, f"paused {paused[0]!r}, in json {process['paused_ns']}")
    lab.check(process["paused_ns"] >= 100e6, f"paused_ns {process['paused_ns']}")
    lab.check("paused_ns" in keys or any("paused_ns" in row["key"] for row in flat), "csv has no paused_ns")
    events = re.search(r"([\d,]+) events in ", text)
    lab.equal(int(events[1].replace(",", "")), process["timeline"]["parts"][0]["events"], "events of the timeline")
