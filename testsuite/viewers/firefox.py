# SPDX-License-Identifier: GPL-3.0-or-later
"""Profiles for Firefox Profiler: sound by what its source says of the format, and read by its own
importer, in its command for terminals; what that has understood is csv's.

The command is an npm package, which is fetched into the build folder; nothing of it is in the
source.
"""
import collections
import json
import os
import subprocess
import time

import golden
import lab
import perf
import timeline_csv

PACKAGE = "@firefox-devtools/profiler-cli@0.10.0"
VERSION = 60
OFF = {"Waiting", "Preempted"}
COLOURS = {"transparent", "purple", "green", "orange", "yellow", "lightblue", "blue", "brown", "magenta", "red", "lightred", "darkgrey", "grey"}
NS_PER_MS = 1000000


# ---- the file ---------------------------------------------------------------------------------

TABLES = {
    "stackTable": ["frame", "prefix"],
    "frameTable": ["address", "inlineDepth", "category", "subcategory", "func", "nativeSymbol", "innerWindowID", "line", "column"],
    "funcTable": ["name", "isJS", "relevantForJS", "resource", "source", "lineNumber", "columnNumber"],
    "resourceTable": ["lib", "name", "host", "type"],
    "sources": ["uuid", "filename"],
    "nativeSymbols": ["libIndex", "address", "name", "functionSize"],
}
# (table, column, of which table it has numbers)
NUMBERS = [("stackTable", "frame", "frameTable"), ("frameTable", "func", "funcTable"), ("funcTable", "name", "stringArray"), ("funcTable", "resource", "resourceTable"),
           ("funcTable", "source", "sources"), ("resourceTable", "name", "stringArray"), ("sources", "filename", "stringArray")]


def same_lengths(table, columns, what):
    lab.equal({column: len(table[column]) for column in columns}, {column: table["length"] for column in columns}, what)


def sound(path):
    """The file, which has what the viewer's src/types/profile.ts asks for."""
    with open(path, encoding="utf-8") as file:
        read = json.load(file)
    meta, shared = read["meta"], read["shared"]
    lab.equal(meta["preprocessedProfileVersion"], VERSION, "version of the format")
    lab.equal(meta["categories"][0]["color"], "grey", "what is nobody's")
    lab.check(all(one["color"] in COLOURS and one["subcategories"] for one in meta["categories"]), "categories")
    for name, columns in TABLES.items():
        same_lengths(shared[name], columns, name)
    for table, column, other in NUMBERS:
        n = len(shared[other]) if other == "stringArray" else shared[other]["length"]
        lab.check(all(number is None or -1 <= number < n for number in shared[table][column]), f"{table}.{column}")
    lab.check(all(prefix is None or prefix < i for i, prefix in enumerate(shared["stackTable"]["prefix"])), "callers come first")
    lab.check(all(0 <= one < len(meta["categories"]) for one in shared["frameTable"]["category"]), "categories of frames")
    for thread in read["threads"]:
        samples, markers = thread["samples"], thread["markers"]
        lab.check(isinstance(thread["pid"], str) and isinstance(thread["tid"], int), "numbers of the thread")
        same_lengths(samples, ["stack", "time", "weight"], "samples")
        same_lengths(markers, ["name", "startTime", "endTime", "phase", "category", "data"], "markers")
        lab.equal(samples["time"], sorted(samples["time"]), "samples are in order of time")
        lab.check(all(stack is None or stack < shared["stackTable"]["length"] for stack in samples["stack"]), "stacks of samples")
    return read


class Profile:
    def __init__(self, read):
        self.shared, self.categories, self.threads = read["shared"], read["meta"]["categories"], read["threads"]

    def function(self, stack):
        return self.shared["frameTable"]["func"][self.shared["stackTable"]["frame"][stack]]

    def name(self, stack):
        return self.shared["stringArray"][self.shared["funcTable"]["name"][self.function(stack)]]

    def category(self, stack):
        return self.categories[self.shared["frameTable"]["category"][self.shared["stackTable"]["frame"][stack]]]["name"]

    def functions(self, stack):
        """{number of the function: its name}; several can have one name."""
        found = {}
        while stack is not None:
            found[self.function(stack)] = self.name(stack)
            stack = self.shared["stackTable"]["prefix"][stack]
        return found

    def pieces(self, thread):
        """(stack, weight), in ns where they are times."""
        samples = thread["samples"]
        unit = NS_PER_MS if samples["weightType"] == "tracing-ms" else 1
        return [(stack, round(weight * unit)) for stack, weight in zip(samples["stack"], samples["weight"])]

    def sums(self, threads=None, keep=lambda category: True):
        """{function: its own value}"""
        sums = collections.Counter()
        for thread in threads or self.threads:
            for stack, weight in self.pieces(thread):
                if stack is not None and keep(self.category(stack)):
                    sums[self.name(stack)] += weight
        return sums

    def inclusive(self, thread):
        sums = collections.Counter()
        for stack, weight in self.pieces(thread):
            for name in self.functions(stack).values():
                sums[name] += weight
        return sums


# ---- its viewer -------------------------------------------------------------------------------


def app():
    """The command."""
    folder = os.path.join(lab.BUILD, "viewers", PACKAGE.replace("/", "-"))
    script = os.path.join(folder, "package/dist/profiler-cli.js")
    lab.need("node")
    if os.path.exists(script):
        return script
    lab.need("npm")
    os.makedirs(folder, exist_ok=True)
    got = subprocess.run(["npm", "pack", "--silent", PACKAGE], cwd=folder, capture_output=True, text=True, timeout=lab.TIMEOUT)
    if got.returncode:
        raise lab.Skip(f"npm has no {PACKAGE} for us")
    subprocess.run(["tar", "xzf", got.stdout.strip()], cwd=folder, check=True, timeout=lab.TIMEOUT)
    return script


class Viewer:
    """It stays, and answers, until it is told to stop."""

    def __init__(self, bench, path):
        self.bench, self.path, self.env = bench, path, {"PROFILER_CLI_SESSION_DIR": bench.path("v")}

    def ask(self, *words):
        done = self.bench.run("node", app(), *words, env=self.env, status=0)
        return json.loads(done.stdout) if "--json" in words else done.stdout

    def __enter__(self):
        """The viewer waits half a second for its own server; a busy machine starts it later."""
        done = None
        for _ in range(20):
            done = self.bench.run("node", app(), "load", self.path, env=self.env)
            if "did not become ready" not in done.stdout + done.stderr:
                break
            time.sleep(0.5)
        lab.equal((done.returncode, done.stderr), (0, ""), "the viewer loads the profile")
        return self

    def __exit__(self, *error):
        self.ask("stop", "--all")

    def functions(self, number):
        """{function: (its own value, its inclusive one)} of the thread; ns where they are times."""
        read = self.ask("thread", "functions", "--json", "--include-idle", "--limit", "100000", "--thread", f"t-{number}")
        unit = NS_PER_MS if read["weightType"] == "tracing-ms" else 1
        sums = {}
        for one in read["functions"]:
            own, inclusive = sums.get(one["name"], (0, 0))
            sums[one["name"]] = own + round(one["selfSamples"] * unit), inclusive + round(one["totalSamples"] * unit)
        return sums

    def markers(self, number):
        return self.ask("thread", "markers", "--json", "--list", "--thread", f"t-{number}")


def seen(bench, path, profile):
    """The viewer has understood all threads as they stand in the file."""
    with Viewer(bench, path) as viewer:
        for number, thread in enumerate(profile.threads):
            if not thread["samples"]["length"]:
                continue
            shown = viewer.functions(number)
            own, inclusive = profile.sums([thread]), profile.inclusive(thread)
            for name, (self_ns, total_ns) in shown.items():
                lab.check(abs(self_ns - own[name]) <= 1, f"{name}: the viewer says {self_ns} itself, the file {own[name]}")
                lab.check(abs(total_ns - inclusive[name]) <= 1, f"{name}: the viewer says {total_ns} in all, the file {inclusive[name]}")
            lab.equal({name for name, value in inclusive.items() if value} - set(shown), set(), "functions that the viewer does not show")


# ---- what is in it ----------------------------------------------------------------------------


@lab.test("firefox/call paths are csv's")
def paths(bench):
    session = golden.record(bench)
    rows = golden.csv_rows(bench, session)
    for by in "thread", "thread-name", "all":
        path = golden.export(bench, "firefox", session, f"--by={by}")
        profile = Profile(sound(path))
        lab.equal(len(profile.threads), 1 if by == "all" else 3, f"--by={by}: threads")
        golden.same_values(profile.sums(), rows, "elapsed", by)
        waits = profile.sums(keep=lambda category: category in OFF)
        for name, ns in golden.of_csv(rows, "waiting").items():
            found = sum(value for other, value in waits.items() if other == name or other.startswith(name + " "))
            lab.check(abs(found - ns) <= 3, f"{name} waits {found} ns, csv: {ns}")
        lab.check({"Program", "Waiting"} <= {profile.category(stack) for thread in profile.threads for stack in thread["samples"]["stack"]}, "categories")
    path = golden.export(bench, "firefox", session)
    profile = Profile(sound(path))
    lab.equal(sorted(thread["name"] for thread in profile.threads), ["golden", "two", 'work;er "1"'], "threads")
    lab.equal([thread["isMainThread"] for thread in profile.threads].count(True), 1, "the main thread")
    marks = [profile.shared["stringArray"][name] for name in profile.threads[0]["markers"]["name"]]
    lab.equal(marks, ["(begin of the recording)", 'begin; "of" <all>', "end"], "marks")
    seen(bench, path, profile)


@lab.test("firefox/other measures")
def measures(bench):
    session = golden.record(bench)
    rows = golden.csv_rows(bench, session)
    for measure in "calls", "waiting", "application":
        path = golden.export(bench, "firefox", session, f"--measure={measure}")
        profile = Profile(sound(path))
        golden.same_values(profile.sums(), rows, measure, measure)
        seen(bench, path, profile)


@lab.test("firefox/a timeline")
def timeline(bench):
    session = golden.record(bench, env={"CINSTR_TIMELINE": "unlimited"})
    events = timeline_csv.rows(bench, session)
    path = golden.export(bench, "firefox", session)
    profile = Profile(sound(path))
    threads = {thread["tid"]: thread for thread in profile.threads if thread["samples"]["length"]}
    calls, waits = timeline_csv.calls(events), timeline_csv.waits(events)
    lab.equal(sorted(threads), sorted(calls), "threads")
    for tid, thread in threads.items():
        own, n, open_calls = collections.Counter(), collections.Counter(), []
        for call in calls[tid]:
            del open_calls[call.depth:]
            own[call.name] += call.end - call.begin
            n[call.name] += 1
            if open_calls:
                own[open_calls[-1].name] -= call.end - call.begin
                n[open_calls[-1].name] += 1
            open_calls.append(call)
        found = profile.sums([thread])
        lab.equal({name for name in found if not name.startswith("[")} - set(own), set(), f"thread {tid}: functions that made no call")
        for name, ns in own.items():
            lab.check(abs(found[name] - ns) <= 2 * n[name], f"thread {tid}: {name} has {found[name]} ns itself, csv: {ns}")
        off = sum(profile.sums([thread], keep=lambda category: category in OFF).values())
        lab.check(abs(off - waits.get(tid, 0)) <= waits.get(tid, 0) // 1000 + 10, f"thread {tid} waits {off} ns, csv: {waits.get(tid, 0)}")
        below = profile.shared["stackTable"]["prefix"]  # None: it waits outside any function
        lab.check(all(profile.category(stack) not in OFF or below[stack] is None or profile.function(stack) != profile.function(below[stack])
                      for stack in thread["samples"]["stack"] if stack is not None), "who waits is on the stack once")
        times = [round(time * NS_PER_MS) for time in thread["samples"]["time"]]
        lab.check(all(time + weight == after for time, (_, weight), after in zip(times, profile.pieces(thread), times[1:])), "no gaps")
        lab.check(min(call.begin for call in calls[tid]) in times, "the first call begins then")
    marks = [(round(time * NS_PER_MS), profile.shared["stringArray"][name]) for thread in profile.threads
             for time, name in zip(thread["markers"]["startTime"], thread["markers"]["name"])]
    lab.equal(sorted(marks), timeline_csv.marks(events), "marks")
    seen(bench, path, profile)


@lab.test("firefox/samples")
def samples(bench):
    session = perf.record(bench)
    rows = golden.csv_rows(bench, session)
    path = golden.export(bench, "firefox", session)
    profile = Profile(sound(path))
    weights = {weight for thread in profile.threads for _, weight in profile.pieces(thread)}
    lab.equal(len(weights), 1, "what a sample stands for")
    counts = {name: value // weights.copy().pop() for name, value in profile.sums().items()}
    golden.same_values(counts, perf.functions(rows), "samples", "firefox")
    lab.check({"work 12 (3):", "x"} <= {thread["name"] for thread in profile.threads}, "threads")
    seen(bench, path, profile)
    chosen = Profile(sound(golden.export(bench, "firefox", session, "--thread=x", output="x.json")))
    lab.equal({thread["name"] for thread in chosen.threads}, {"x"}, "--thread")
    by_path = Profile(sound(golden.export(bench, "firefox", session, "--measure=samples", output="paths.json")))
    golden.same_values(by_path.sums(), perf.functions(rows), "samples", "firefox, paths")
