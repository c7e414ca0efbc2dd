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

SPIN = """
#include <math.h>
#include <stdlib.h>
#include <time.h>
volatile double sum;
__attribute__((noinline)) static int compare(const void *a, const void *b) { sum += 1; return *(const int *)a - *(const int *)b; }
__attribute__((noinline)) static void work(int *list, int n)
{
	for (int i = 0; i < n; i++)
		list[i] = rand();
	qsort(list, n, sizeof(*list), compare);
}
int main(void)
{
	static int list[20000];
	struct timespec now;
	do {
		work(list, 20000);
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	} while (!now.tv_sec && now.tv_nsec < 300000000);
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

# A view, and where the rows of its csv are in json: one below the other, or, with "sections", each
# in the group that its csv names.
VIEWS = {
    "report": "rows", "report --by=module": "rows", "report --by=line": "rows", "report --by=thread": "rows",
    "report --by=process": "rows", "report --by=mark": "rows", "report --by=site": "rows", "tree": "rows",
    "tree --by=thread": "rows", "callers work": "rows", "timeline": "", "annotate": "sources", "annotate work": "sources",
    "summary": "sections", "summary --advice": "sections", "summary --findings": "findings",
    "diff @": "rows", "diff --by=line @": "rows", "diff --by=path @": "rows", "diff --by=site @": "rows",
    "diff --per=process @": "rows", "ranks *": "paths", "ranks work": "paths", "suggest": "rows",
    "history list HISTORY": "runs", "history trend HISTORY": "changes", "history trend HISTORY work": "runs",
    "history trend HISTORY *": "changes",
}
SAMPLED = ["report", "report --by=line", "report --by=module", "report --by=thread", "tree",
           "callers work", "timeline", "annotate", "summary", "summary --advice", "summary --findings", "diff @", "suggest"]
# What json does not have of a text: how a view was asked for, the view's own constants, and
# quotients of two numbers that json has.
NOT_OF_THE_SESSION = [
    r"CF\d{4}", r"100 % (=|is|of)", r"\(95 %\)", r"--[a-z-]+(=\S+)?", r"\d+-\d\d-\d\d \d\d:\d\d(:\d\d)?", r"between 0 and x",
    r"with at least \d+ %", r"seen in \d+ runs", r"of 100 such", r"<= *[\d.,]+ *\w*", r"^ *\d+ [│└]? .*$", r"[\d.]+ \w+ each", r"[\d.]+ processors on the average", r"\d+ % of the samples due", r"^ +(sampled|not seen) +[\d,]+ +[\d.]+ %", r"\d+ % of \S+$", r"About [\d.]+ \w+ of CPU time", r"a share of 10 %", r"95 % CI", r"\S+\.(c|cc|h|so)\b[.:\d]*", r"\S*/\S+",
]


def record(bench):
    flags = ["-O2", "-pthread", *(f"-I{lab.ROOT}/include",)]
    program = bench.compile(bench.write("app.c", SOURCE), "app", *flags)
    bench.run(program, env={"CINSTR_TIMELINE": "unlimited"}, status=0)
    return bench.path("cinstr.data")


def as_cell(value):
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def near(a, b):
    if a == b or a.split() == b.split(","):  # lists of events of the system
        return True
    try:
        return float(a) == float(b)
    except ValueError:
        return False


def groups_in(value):
    """Each group with values, those that are in it behind it, with what is around it."""
    found = []

    def walk(value, around):
        if isinstance(value, list):
            for one in value:
                walk(one, around)
        elif isinstance(value, dict):
            own = {key: one for key, one in value.items() if not isinstance(one, (list, dict))}
            found.append((own, around))
            for key, one in value.items():
                if isinstance(one, list) and one and isinstance(one[0], dict):
                    walk(one, {**around, **own})

    walk(value, {})
    return found


def compare_rows(view, flat, data, where):
    """Each cell of csv is in json under its name, and the other way round."""
    rows = data.get(where, []) if isinstance(data, dict) else data
    around = data.get("session", {}) if isinstance(data, dict) else {}
    # of annotate: a file is around its lines
    nested = [(own, {**around, **outer}) for own, outer in groups_in(rows) if where != "sources" or "line" in own]
    lab.equal(len(flat), len(nested), f"{view}: rows")
    for cells, (row, outer) in zip(flat, nested):
        for key, cell in cells.items():
            lab.check(key in row or key in outer, f"{view}: {key} is in csv only")
            value = row[key] if key in row else outer[key]
            if not isinstance(value, (list, dict)):
                lab.check(near(cell, as_cell(value)), f"{view}: {key} is {cell} in csv and {value} in json")
        lab.equal(set(row) - set(cells), set(), f"{view}: in json only")


def compare_sections(view, flat, data):
    """Rows of csv that are in a group each, with a name and a value."""
    for cells in flat:
        group = data.get(cells["section"], data.get("session"))
        what = f"{view}: {cells['section']} {cells['rank']} {cells['name']}"
        lab.check(group is not None, f"{what}: json has no such group")
        if isinstance(group, list):
            one = group[int(cells["rank"]) - 1]
            values = [as_cell(value) for value in (one.values() if isinstance(one, dict) else [one])]
            if cells["percent"]:  # of what is in json, too
                wholes = [value for name in ("session", "time") for value in data.get(name, {}).values() if isinstance(value, int) and value]
                values += [cells["percent"] for whole in wholes if abs(100 * float(cells["value"]) / whole - float(cells["percent"])) < 0.001]
        else:
            keys = [key for key in group if key in (cells["name"], cells["name"] + "_ns", "_".join((cells["section"], cells["name"])))]
            lab.check(keys, f"{what}: json has no such value")
            values = [as_cell(group[keys[0]])]
        for key in ("value", "text") if isinstance(group, dict) else ("name", "value", "percent", "severity", "action", "file", "line"):
            if cells[key] and not (key == "text" and cells["value"]):
                lab.check(any(near(cells[key], value) for value in values), f"{what}: {key} {cells[key]} is not in json: {values}")
    told = {cells["section"] for cells in flat}
    lab.equal({key for key, value in data.items() if value} - told, set(), f"{view}: groups in json only")


def compare_text(view, text, data):
    """Each number of a text is in json, as exact as it is written, or in a text there."""
    numbers, strings, told = [], [], set()

    def walk(value, key):
        if isinstance(value, dict):
            for name, one in value.items():
                walk(one, name)
        elif isinstance(value, list):
            numbers.append(("count", len(value)))
            for one in value:
                walk(one, key)
        elif isinstance(value, str):
            strings.append(value)
        elif value is not None and not isinstance(value, bool):
            numbers.append((key, abs(value)))

    walk(data, "")
    waits = data.get("waits") if isinstance(data, dict) else None
    waiting = waits["all_ns"] - waits["processor_ns"] if waits else 0
    if waiting:
        numbers += [("percent", 100 * value / waiting) for key, value in numbers if key.endswith("_ns")]
    text = re.sub("(?m)" + "|".join(NOT_OF_THE_SESSION), " ", text)
    for value in sorted(strings, key=len, reverse=True):
        if len(value) > 3:
            text = text.replace(value, " ")
        for word in re.findall(r"[\d.,]*\d", value):
            told.add(float(word.replace(",", "")))
    missed = []
    for number, unit in re.findall(r"(?<![\w.:#-])(\d[\d,]*(?:\.\d+)?)(?![\w:.-]) ?(ns\b|us\b|ms\b|s\b|%)?", text):
        digits = number.replace(",", "")
        half = 0.501 * 10 ** -(len(digits.split(".")[1]) if "." in digits else 0)
        scales = {"ns": [1], "us": [1e-3], "ms": [1e-6], "s": [1e-9], "%": [1, 100], "": [1, 1e-3, 1e-6, 1e-9]}[unit]
        # json has whole nanoseconds
        found = any(abs(float(digits) - value * scale) <= max(half, 0.501 * scale if key.endswith("_ns") else 0) for key, value in numbers for scale in scales)
        if not found and float(digits) not in told:
            missed.append(f"{number} {unit}")
    lab.equal(missed, [], f"{view}: numbers of the text that json has not\n{text}\n")


def compare_all(bench, view, session, where, history):
    words = [{"@": session, "HISTORY": history}.get(word, word) for word in view.split()]
    what = words + ([session] if words[0] != "history" else [])
    flat = list(csv.DictReader(io.StringIO(bench.cinstr(*what, "--format=csv"))))
    data = json.loads(bench.cinstr(*what, "--format=json"))
    if where == "sections":
        compare_sections(view, flat, data)
    else:
        compare_rows(view, flat, data, where)
    compare_text(view, bench.cinstr(*what, "--width=0"), data)


def compare_views(bench, views, session):
    history = bench.path("history")
    for _ in range(7 if any("HISTORY" in view for view in views) else 0):
        bench.cinstr("history", "add", history, session)
    for view in views:
        compare_all(bench, view, session, VIEWS[view], history)


@lab.test("same_in_json/tables")
def _(bench):
    compare_views(bench, [view for view in VIEWS if view.split()[0] in ("report", "tree", "callers", "timeline")], record(bench))


@lab.test("same_in_json/summaries")
def _(bench):
    compare_views(bench, [view for view in VIEWS if view.split()[0] in ("summary", "annotate", "suggest", "ranks")], record(bench))


@lab.test("same_in_json/comparisons")
def _(bench):
    compare_views(bench, [view for view in VIEWS if view.split()[0] in ("diff", "history")], record(bench))


@lab.test("same_in_json/sampled")
def _(bench):
    program = bench.compile(bench.write("app.c", SPIN), "app", "-O2", "-g", plugin=None)
    bench.cinstr("record", "--sample", "--sample-source=timers", "--", program)
    compare_views(bench, SAMPLED, bench.path("cinstr.data"))


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
