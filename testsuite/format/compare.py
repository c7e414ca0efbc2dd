#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares what decoder.py finds in data files with what the command says about them.

    compare.py           the files in golden/, and the same programs recorded now
    compare.py --make    records golden/ anew, for a format that has changed
    compare.py NAME...   only these

Golden files say nothing about how long something takes; they are there because a reader has to read
what others wrote. Functions without probes are told by module and address: their names may come
from another libc here. Ticks become ns by the header's clock pairs, and may differ by the rounding
of each number in a sum.
"""
import argparse
import functools
import glob
import json
import lzma
import os
import re
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile
import traceback

import decoder

HERE = os.path.dirname(os.path.abspath(__file__))
GOLDEN = os.path.join(HERE, "golden")
BUILD = os.path.abspath(os.environ.get("BUILD", os.path.join(HERE, "../../build")))
COMMAND = os.path.join(BUILD, "cinstr")
PLACE = "/var/tmp/cinstr-golden"  # golden files have paths inside: always the same
PACKED = "exceptions"  # the recipe whose files are packed, too
VIEWS = ("functions", "threads", "tree", "info", "marks", "undone")
VALUES = ("elapsed_inclusive", "elapsed_exclusive", "application_inclusive", "application_exclusive")

# name: source below ../e2e, flags of the compiler, arguments, environment
RECIPES = {
    "recursion": ("trees/recursion.c", "", "", {}),
    "threads": ("trees/threads.c", "-pthread", "", {}),
    "pool": ("programs/phases.c", "-O1 -pthread", "many 12", {}),
    "callbacks": ("trees/callbacks.c", "", "", {}),
    "indirect": ("trees/indirect.c", "", "", {}),
    "jumps": ("trees/jumps.c", "", "", {}),
    "tailcalls": ("trees/tailcalls.c", "-O2", "", {}),
    "exceptions": ("../format/throw.cc", "", "", {}),
    "functions": ("trees/callbacks.c", "", "", {"CINSTR_PROBES": "functions"}),
    "lines": ("programs/lines.c", "-O1 -fplugin-arg-cinstr-lines", "", {"CINSTR_PROBES": "lines"}),
    "calm": ("trees/recursion.c", "-fplugin-arg-cinstr-lines", "", {"CINSTR_PROBES": "lines"}),
    "phases": ("programs/phases.c", "-O1 -pthread", "storm 1", {}),
    "budget": ("programs/phases.c", "-O1 -pthread", "flat 8", {"CINSTR_PATHS": "60"}),
    "switches": ("programs/phases.c", "-O1 -pthread", "sleep 3", {}),
    "counting": ("programs/counting.c", "-O2 -pthread", "threads", {"CINSTR_MAX_OVERHEAD": "0.0001", "CINSTR_COUNTS": "functions"}),
    "timeline": ("trees/recursion.c", "", "", {"CINSTR_TIMELINE": "1M"}),
}


SAMPLED_VIEWS = ("functions", "threads", "lines", "tree", "info", "marks")
# Recorded without the plugin, by cinstr record with these options: source below ../sample, flags,
# arguments, options.
SAMPLED_RECIPES = {
    "sampled": ("programs/shares.c", "-O1 -pthread", "4 200", "--sample=200us"),
}


class Differs(Exception):
    pass


# ---- recording -----------------------------------------------------------------------------------

# By enum cinstr_end, with the status.
ENDS = {1: "exit {}", 5: "exit {}?"}


def record(name, place, build=BUILD):
    """Builds and records a recipe's program in the folder PLACE; the path of its data file."""
    if name in SAMPLED_RECIPES:
        return record_sampled(name, place, build)
    source, flags, arguments, environment = RECIPES[name]
    source = os.path.join(HERE, "../e2e", source)
    os.makedirs(place)
    include = os.path.join(HERE, "../../include")
    for file in [source] + glob.glob(os.path.join(os.path.dirname(source), "*.h")) + [
            os.path.join(HERE, "../e2e/trees/e2e.h"), os.path.join(include, "cinstr.h")]:
        shutil.copy(file, place)
    compiler = shlex.split(os.environ.get("CC", "gcc"))
    if source.endswith(".cc"):
        compiler = shlex.split(os.environ.get("CXX", "")) or [word.replace("gcc", "g++") for word in compiler]
    compile_ = compiler + ["-D_GNU_SOURCE", "-g", "-I.", f"-fplugin={build}/cinstr.so", "-fplugin-arg-cinstr-small=0"]
    run(compile_ + flags.split() + [os.path.basename(source), "-o", name], place)
    clean = {key: value for key, value in os.environ.items() if not key.startswith("CINSTR")}
    run(["./" + name] + arguments.split(), place, clean | {"CINSTR_METHOD": "instrumentation"} | environment | {"CINSTR_DATA": "data"})
    files = glob.glob(os.path.join(place, "data", name + ".*.cinstr"))
    if len(files) != 1:
        raise Differs(f"{len(files)} data files, not 1")
    return files[0]


def record_sampled(name, place, build):
    source, flags, arguments, options = SAMPLED_RECIPES[name]
    os.makedirs(place)
    shutil.copy(os.path.join(HERE, "../sample", source), place)
    run(shlex.split(os.environ.get("CC", "gcc")) + ["-g"] + flags.split() + [os.path.basename(source), "-o", name], place)
    run([os.path.join(build, "cinstr"), "record", *options.split(), "-o", "data", "--", "./" + name] + arguments.split(), place)
    files = glob.glob(os.path.join(place, "data", name + ".*.cinstr"))
    if len(files) != 1:
        raise Differs(f"{len(files)} data files, not 1")
    return files[0]


def run(command, place=None, environment=None):
    done = subprocess.run(command, cwd=place, env=environment, capture_output=True, text=True, timeout=300)
    if done.returncode:
        raise Differs(f"{' '.join(command)}: exit status {done.returncode}: {done.stderr.strip()[-400:]}")
    return done.stdout


def make(names):
    os.makedirs(GOLDEN, exist_ok=True)
    for name in names:
        shutil.rmtree(PLACE, ignore_errors=True)
        os.makedirs(os.path.join(PLACE, "build"))
        for file in glob.glob(os.path.join(BUILD, "*cinstr*")):
            if os.path.isfile(file):
                shutil.copy(file, os.path.join(PLACE, "build"))
        with open(record(name, os.path.join(PLACE, name), os.path.join(PLACE, "build")), "rb") as file, open(os.path.join(GOLDEN, name + ".cinstr.xz"), "wb") as golden:
            golden.write(lzma.compress(file.read(), preset=9 | lzma.PRESET_EXTREME))
    shutil.rmtree(PLACE, ignore_errors=True)


# ---- comparing -----------------------------------------------------------------------------------


def ask(verb, file, *options):
    return json.loads(run([COMMAND, verb, *options, "--format=json", "--names=assembler", file]))


def equal(got, expected, what):
    """What the command says, what the decoder says."""
    if got != expected:
        raise Differs(f"{what}: the command says {got!r}, the decoder {expected!r}")


class Comparison:
    def __init__(self, path):
        self.path, self.facts = path, decoder.read(path).facts()
        header = self.facts["header"]
        self.ns_per_tick = (header["ns_last"] - header["ns_begin"]) / (header["ticks_last"] - header["ticks_begin"])

    def same_ns(self, got, ticks, what, numbers=1):
        if got is None and ticks is None:
            return
        if got is None or ticks is None or abs(got - ticks * self.ns_per_tick) > numbers + got * 1e-9:
            raise Differs(f"{what}: the command says {got} ns, the decoder {ticks} ticks = "
                          f"{ticks and round(ticks * self.ns_per_tick, 2)} ns")

    def same_row(self, got, row, what):
        equal(got["calls"], row["calls"], what + ": calls")
        for value in VALUES:
            self.same_ns(got[value + "_ns"], row[value], f"{what}: {value}")
            self.same_ns(got[f"min_{value}_ns"], row["minimum"].get(value), f"{what}: min_{value}")
            self.same_ns(got[f"max_{value}_ns"], row["maximum"].get(value), f"{what}: max_{value}")
        self.same_ns(got["off_cpu_exclusive_ns"], row["off_cpu"], what + ": off_cpu_exclusive")
        for percent in (50, 90, 99):
            self.same_percentile(got[f"p{percent}_elapsed_inclusive_ns"], row["durations"], percent, f"{what}: p{percent}")
        for kind in ("voluntary", "involuntary"):
            equal(got[kind + "_switches_exclusive"], row[kind], f"{what}: {kind} switches")

    @functools.cached_property
    def report(self):
        return ask("report", self.path, "--raw")

    @functools.cached_property
    def addresses(self):
        """Addresses by what rows of the tree have: module and name."""
        return {(row["module"], row["name"]): int(row["address"], 16) for row in self.report["rows"] if row["address"]}

    def same_percentile(self, got, durations, percent, what):
        """The command's is one of the slot, with slots of its own."""
        if got is None and not durations:
            return
        rank = -(-sum(durations.values()) * percent // 100)
        for slot in sorted(durations):
            rank -= durations[slot]
            if rank <= 0:
                break
        low, high = (decoder.slot_begin(s) * self.ns_per_tick for s in (slot, slot + 1))
        if got is None or not low * 0.95 - 1 <= got <= high * 1.05 + 1:
            raise Differs(f"{what}: the command says {got} ns, the decoder {low:.0f} to {high:.0f} ns")

    def match(self, got, rows, what):
        """Pairs of rows of one function; none must be left."""
        ours = {}
        for row in rows:
            if "line" in row:
                ours[row["module"], row["name"], row["line"]] = row
            else:
                ours[row["module"], row["address"], row["name"]] = ours[row["module"], row["address"]] = row
                ours[row["name"]] = row
        equal(len(got), len(rows), what + ": number of rows")
        for row in got:
            module, name = row["module"] if row["module"] != "[unknown]" else None, row["name"]
            address = self.addresses.get((module, name))
            found = ours.get((module, name, row["line"])) or ours.get((module, address, name)) or ours.get(
                (module, address)) or ours.get(None if name.startswith("[calls beyond") else name)
            if not found:
                raise Differs(f"{what}: the decoder has no {name} of {module}")
            yield row, found

    def functions(self):
        report = self.report
        threads = self.facts["threads"]
        for key in "events enters exits implicit_exits lost_events merged_calls pauses".split():
            equal(report["session"][key], sum(thread[key] for thread in threads), key)
        for thread in threads:
            for key in "conservation_ticks_off frames_off activations_off unfolded".split():
                equal(0, thread[key], f"thread {thread['tid']}: {key}")
        equal(report["session"]["conservation_ticks_off"], 0, "conservation_ticks_off")
        for row in self.facts["functions"]:
            if row["elapsed_inclusive"] > sum(thread["ticks"] for thread in threads):
                raise Differs(f"{row['name']}: {row['elapsed_inclusive']} ticks inclusive are more than there are")
        for row, found in self.match(report["rows"], self.facts["functions"], "functions"):
            self.same_row(row, found, row["name"])
            equal(row["open_calls"], found["open"], row["name"] + ": open calls")

    def threads(self):
        rows = ask("report", self.path, "--raw", "--by=thread")["rows"]
        equal(sorted(row["tid"] for row in rows), sorted(t["tid"] for t in self.facts["threads"]), "threads")
        program, = {t["name"] for t in self.facts["threads"] if t["tid"] in {row["pid"] for row in rows}}
        for row in rows:
            thread, = [t for t in self.facts["threads"] if t["tid"] == row["tid"]]
            what = f"thread {row['tid']}"
            if thread["name"] != program or row["tid"] == row["pid"]:  # else its start routine's
                equal(row["name"], thread["name"], what)
            equal(row["calls"], thread["calls"], what + ": calls")
            self.same_ns(row["elapsed_inclusive_ns"], thread["ticks"], what + ": elapsed")
            self.same_ns(row["application_inclusive_ns"], thread["application_ticks"], what + ": application")
            equal(row["voluntary_switches_inclusive"], thread["voluntary"], what + ": voluntary switches")
            equal(row["involuntary_switches_inclusive"], thread["involuntary"], what + ": involuntary switches")

    def tree(self):
        rows = ask("tree", self.path, "--raw")["rows"]
        below = {}
        for row in rows:
            below.setdefault(row["parent"], []).append(row)
        self.same_paths(below, None, self.facts["paths"], "tree")

    def same_paths(self, below, parent, paths, what):
        for row, found in self.match(below.get(parent, []), paths, what):
            self.same_row(row, found, f"{what}: {row['name']}")
            self.same_paths(below, row["id"], found["children"], f"{what}: {row['name']}")

    def info(self):
        process, = ask("info", self.path)["processes"]
        header, properties = self.facts["header"], self.facts["properties"]
        for ours, theirs in ("pid", "pid"), ("parent_pid", "parent_pid"), ("begin_realtime_ns", "start_realtime_ns"), (
                "data_file_version", "version"), ("attach_ns", "attach_ns"), ("lost_events", "lost_events"), (
                "lost_threads", "lost_threads"), ("lost_marks", "marks_lost"), ("timeline_bytes", "timeline_bytes"):
            equal(process[ours], header[theirs], ours)
        for key in "exe cwd hostname kernel cpu cpus options runtime_version".split():
            equal(process[key], properties[key], key)
        for key in "launcher rank ranks job pod".split():
            equal(process.get(key), properties.get(key), key)
        equal(process["problems"], 0, "problems")
        equal(process["probes"], ["functions", "calls", "lines"][header["probes"] - 1], "probes")
        equal(process["clock"], ["tsc", "monotonic"][header["clock"] - 1], "clock")
        equal(process["ended"], ENDS.get(header["end"], "?").format(header["end_status"]), "ended")
        self.same_ns(process["os_threshold_ns"], header["threshold_ticks"], "threshold")
        self.calibration(process["calibration"])
        equal(len(process["threads"]), len(self.facts["threads"]), "number of threads")
        # Of two that begin at once either stands first in the file.
        for got, thread in zip(*(sorted(all, key=lambda t: t["tid"]) for all in (process["threads"], self.facts["threads"]))):
            what = f"info of thread {thread['tid']}"
            for ours, theirs in ("tid", "tid"), ("name", "name"), ("members", "members"), ("events", "events"), (
                    "ended", "ended"), ("voluntary_switches", "voluntary"), ("pauses", "pauses"), ("open_calls", "depth"):
                equal(got[ours], thread[theirs], f"{what}: {ours}")
            self.same_ns(got["runtime_ns"], thread["runtime_ticks"], what + ": runtime")
            self.same_ns(got["paused_ns"], thread["paused_ticks"], what + ": paused")
        equal(len(process["modules"]), len(self.facts["modules"]), "number of modules")
        for got, module in zip(process["modules"], self.facts["modules"]):
            for ours, theirs in ("path", "path"), ("build_id", "build_id"), ("functions", "n_functions"), (
                    "functions_left_out", "n_left_out"), ("probes", "sleds"), ("probes_on", "patched"), (
                    "probes_refused", "refused"):
                equal(got[ours], module[theirs], f"{module['path']}: {ours}")
            equal(int(got["base"], 16), module["base"], f"{module['path']}: base")

    def undone(self):
        """What the file says if the last fold had been cut off."""
        cut = Comparison(cut_off(self.path))
        for view in ("functions", "threads", "tree"):
            getattr(cut, view)()

    def calibration(self, got):
        ours = self.facts["header"]["calibration"]
        equal(got["rounds"], ours["rounds"], "rounds of calibration")
        for kind, name in enumerate("call return before after enter exit line".split()):
            for what, ticks in ("mean", ours[f"sum{kind}"] / max(ours["rounds"], 1)), (
                    "lowest", ours[f"lowest{kind}"]), ("highest", ours[f"highest{kind}"]):
                if abs(got[name][what + "_ns"] - ticks / 1024 * self.ns_per_tick) > 0.001:
                    raise Differs(f"calibration of {name}: {what}: {got[name][what + '_ns']}, {ticks} / 1024 ticks")

    def marks(self):
        got = ask("info", self.path, "--marks")["marks"]
        ours = sorted((mark["tid"], mark["id"], mark["text"]) for mark in self.facts["marks"])
        equal(sorted((mark["tid"], mark["id"] or 0, mark["text"]) for mark in got), ours, "marks")
        begin = self.facts["header"]["ticks_begin"]
        for mark, ticks in zip(sorted(m["time_ns"] for m in got), sorted(m["ticks"] for m in self.facts["marks"])):
            self.same_ns(mark, ticks - begin, "time of a mark")
        phases = sorted(mark["ticks"] for mark in self.facts["marks"] if mark["phase"])
        equal(len(phases), len(self.facts["phases"]), "marks that begin a phase")


def module_of(row):
    return None if row["module"] in (None, "", "[kernel]", "[unknown]", "[anonymous code]") else row["module"]


def counts(rows, *keys):
    """{(module, keys ...): [exclusive, inclusive]} of the command's rows."""
    found = {}
    for row in rows:
        key = (module_of(row),) + tuple(row[k] for k in keys)
        entry = found.setdefault(key, [0, 0])
        entry[0] += row["exclusive_samples"]
        entry[1] += row["inclusive_samples"]
    return found


def as_source(name):
    """The command shows clones by the name of their function."""
    return name and re.sub(r"(\.(constprop|isra|part|cold|lto_priv|localalias|clone|nonlocalalias|\d+))+$", "", name)


class SampledComparison:
    def __init__(self, path):
        self.path, self.facts = path, decoder.read(path, as_source).facts()

    def same_counts(self, got, ours, what):
        ours = {row[:-2]: list(row[-2:]) for row in ours}
        for key in sorted(set(got) | set(ours), key=str):
            equal(got.get(key), ours.get(key), f"{what} {key}: exclusive, inclusive")

    def functions(self):
        report, sampling = ask("report", self.path), self.facts["sampling"]
        self.same_counts(counts(report["rows"], "name"), self.facts["functions"], "function")
        equal(report["session"]["samples"], sum(self.facts["samples_of_tasks"]), "samples")
        for key in "kept discarded paused lost truncated".split():
            equal(report["session"]["samples_" + key], sampling[key], key)
        equal(sum(row[-2] for row in self.facts["functions"]), sampling["kept"], "the sum of exclusive samples")

    def lines(self):
        rows = ask("report", self.path, "--by=line")["rows"]
        for row in rows:  # functions without lines have a row of their own
            row["name"], row["line"] = (row["file"], row["line"]) if row["file"] else (row["name"], None)
        got = {key[:3] if key[2] else key[:2]: n for key, n in counts(rows, "name", "line").items()}
        self.same_counts(got, self.facts["lines"], "line")

    def threads(self):
        rows = {row["tid"]: row for row in ask("report", self.path, "--by=thread")["rows"]}
        for task, n in zip(self.facts["tasks"], self.facts["samples_of_tasks"]):
            equal(n, task["kept"], f"samples of thread {task['tid']}")
            if n:
                equal(rows[task["tid"]]["inclusive_samples"], n, f"thread {task['tid']}")

    def tree(self):
        below = {}
        for row in ask("tree", self.path)["rows"]:
            below.setdefault(row["parent"], []).append(row)
        self.same_paths(below, None, self.facts["paths"], "tree")

    def same_paths(self, below, parent, paths, what):
        got = below.get(parent, [])
        for row in got:
            row["name"] = None if row["name"] == "[truncated stack]" else row["name"]
        self.same_counts(counts(got, "name"), [path[:4] for path in paths], what)
        ids = {(module_of(row), row["name"]): row["id"] for row in got}
        equal(len(ids), len(got), what + ": rows of one name")
        for path in paths:
            self.same_paths(below, ids[path[:2]], path[4], f"{what}: {path[1]}")

    def info(self):
        process, = ask("info", self.path)["processes"]
        header, sampling = self.facts["header"], self.facts["sampling"]
        for ours, theirs in ("pid", "pid"), ("parent_pid", "parent_pid"), ("begin_realtime_ns", "start_realtime_ns"), (
                "data_file_version", "version"), ("lost_marks", "marks_lost"):
            equal(process[ours], header[theirs], ours)
        equal(process["method"], "sampling", "method")
        equal(process["ended"], ENDS.get(header["end"], "?").format(header["end_status"]), "ended")
        for key in "interval kept discarded paused lost truncated throttled stack_bytes".split():
            equal(process["sampling"][key], sampling[key], key)
        equal(process["sampling"]["collector_pid"], sampling["collector"], "collector")
        equal(process["sampling"]["complete"], bool(sampling["flags"] & 2), "complete")
        for key in "exe cwd hostname kernel cpu cpus".split():
            equal(process[key], self.facts["properties"].get(key), key)
        equal(process["sampling"]["event"], self.facts["properties"]["event"], "event")
        for got, task in zip(process["threads"], self.facts["tasks"], strict=True):
            for key in "tid name kept discarded paused truncated".split():
                equal(got[key], task[key], f"thread {task['tid']}: {key}")
        for got, module in zip(process["modules"], self.facts["modules"], strict=True):
            equal((got["path"], got["build_id"] or "", int(got["base"], 16)),
                  (module["path"], module["build_id"], module["base"]), "module")

    def marks(self):
        got = ask("info", self.path, "--marks")["marks"]
        equal(sorted((mark["tid"], mark["text"]) for mark in got),
              sorted((mark["tid"], mark["text"]) for mark in self.facts["marks"]), "marks")


def cut_off(path):
    """Makes a copy in which each thread's last fold is not complete; its path."""
    file = decoder.read(path)
    data = bytearray(decoder.unpacked(open(path, "rb").read()))
    for (at, _, _), thread in zip(file.payloads(decoder.THREAD), file.threads):
        equal(thread.commit, thread.journal_commit + 1, "no fold to undo: number of folds")
        struct.pack_into("<Q", data, at + decoder.THREAD_COMMIT, thread.journal_commit)
    copy = os.path.join(os.path.dirname(path), "cut." + os.path.basename(path))
    with open(copy, "wb") as target:
        target.write(data)
    return copy


def packed(path):
    """A copy that `cinstr pack` has packed; its path."""
    copy = os.path.join(os.path.dirname(path), "packed." + os.path.basename(path))
    shutil.copy(path, copy)
    run([COMMAND, "pack", copy])
    if os.path.getsize(copy) * 2 > os.path.getsize(path):
        raise Differs(f"{os.path.getsize(copy)} bytes packed, {os.path.getsize(path)} before")
    return copy


def views_of(name):
    return SAMPLED_VIEWS if name.split()[-1] in SAMPLED_RECIPES else VIEWS


def compare(name, path):
    """Prints a line for each view; the number of failures."""
    failed, comparison = 0, None
    for view in views_of(name):
        try:
            comparison = comparison or (SampledComparison if views_of(name) is SAMPLED_VIEWS else Comparison)(path)
            getattr(comparison, view)()
            print(f"ok {name}: {view}")
        except Differs as difference:
            print(f"FAIL {name}: {view}: {difference}")
            failed += 1
        except Exception as error:  # the decoder's, or something that is missing in JSON
            where = traceback.extract_tb(error.__traceback__)[-1]
            print(f"FAIL {name}: {view}: {type(error).__name__} {error} at {where.name}:{where.lineno}")
            failed += 1
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--make", action="store_true", help="record golden/ anew")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(RECIPES | SAMPLED_RECIPES))
    options = parser.parse_args()
    names = options.names or list(RECIPES | SAMPLED_RECIPES)
    sys.setrecursionlimit(100000)
    if options.make:
        return make(names)
    failed = total = 0
    with tempfile.TemporaryDirectory(prefix="cinstr-format-") as work:
        for name in names:
            golden = os.path.join(work, name + ".cinstr")
            for what in ("golden", "fresh"):
                try:
                    if what == "golden":
                        with lzma.open(os.path.join(GOLDEN, name + ".cinstr.xz")) as source, open(golden, "wb") as target:
                            shutil.copyfileobj(source, target)
                        path = golden
                    else:
                        path = record(name, os.path.join(work, name))
                    failed += compare(f"{what} {name}", path)
                    total += len(views_of(name))
                    if name == PACKED:
                        failed += compare(f"packed {what} {name}", packed(path))
                        total += len(views_of(name))
                except (Differs, OSError) as reason:
                    print(f"FAIL {what} {name}: {reason}")
                    failed, total = failed + 1, total + 1
    print(f"{total - failed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
