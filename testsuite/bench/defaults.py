#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""make bench: what a recording costs as it comes, with no option given, and whether it is true.

Programs that are not ours (programs.py), each some seconds long. Of each:

- time over the plain program, by the clock and on the processor, medians over ROUNDS pairs: of
  `cinstr record` without an option, of ./app alone, and of `record --full`
- points: percent of the time that are in other functions than samples of the plain program say, of
  the default and of --full, beside what chance alone makes of so many samples, and what the plain
  program differs from itself
- calls: of how many functions, and of how many pairs of caller and callee, the number is a lower
  bound; and how many others differ from callgrind's, in a build without sibling calls, which
  callgrind overlooks

"known": a program whose shares and waits are known, KNOWN times. Alone:
testsuite/bench/run.sh --defaults [PROGRAM...]; without names those that build in seconds.
"""
import collections
import json
import os
import re
import shutil
import statistics
import subprocess
import sys

import programs
import world

WORK = programs.WORK
ROUNDS = int(os.environ.get("ROUNDS", "3"))
KNOWN, CALLS = int(os.environ.get("KNOWN", "100")), 10 ** 8  # runs of known_work.c, its calls
QUICK = ("lua", "sqlite", "cjson", "tinyxml2", "bzip2")
SLOWEST, DISTORTION, DISTORTION_FULL = 1.25, 3.0, 8.0  # aims: time over plain, points beyond chance
INSIDE, AVERAGE, WAITS = 0.95, 10.0, 1.0  # aims: shares in their 95 % intervals; percent off
COUNTED = programs.FLAGS + " -fno-optimize-sibling-calls"


def session(name, kind):
    return os.path.join(WORK, f"default-{name}-{kind}.data")


def recorded(subject, binary, options, folder, args=None):
    """What Subject.run() returns, of a run that is recorded into the folder."""
    shutil.rmtree(folder, ignore_errors=True)
    return subject.run(binary, [world.COMMAND, "record", "-o", folder, *options, "--"], args)


def alone(subject, binary, folder):
    """The same without `cinstr record`."""
    shutil.rmtree(folder, ignore_errors=True)
    return subject.run(binary, ["env", "CINSTR_DATA=" + folder])


def times(subject, plain, usual, name):
    """Medians of the time over plain: {way: [by the clock, on the processor]}"""
    ways = {"default": lambda: recorded(subject, usual, [], session(name, "default")),
            "alone": lambda: alone(subject, usual, session(name, "alone")),
            "full": lambda: recorded(subject, usual, ["--full"], session(name, "full"))}
    ratios = {way: [] for way in ways}
    for number in range(ROUNDS):
        base, output = subject.run(plain)
        for way, make in ways.items():
            if way == "full" and number:
                continue  # it takes long, and does not vary as much as it takes
            figures, got = make()
            ratios[way].append([figure / plain_figure for figure, plain_figure in zip(figures, base)])
            if got != output:
                raise RuntimeError(f"{name}, {way}: another output than the plain program's")
    return {way: [statistics.median(column) for column in zip(*rows)] for way, rows in ratios.items()}


def json_of(*args):
    text = subprocess.run([world.COMMAND, *args, "--format=json"], capture_output=True, text=True, check=False)
    if text.returncode not in (0, 1):
        raise RuntimeError(f"{args}: {text.stderr.strip()}")
    return json.loads(text.stdout)


def distortion(one, other):
    """(points, points by chance)"""
    text = subprocess.run([world.COMMAND, "diff", "--format=json", one, other], capture_output=True, text=True, check=False)
    if text.returncode not in (0, 1):
        raise RuntimeError(text.stderr.strip())
    return [float(re.search(rf'"{what}": *"?([\d.]+)', text.stdout).group(1))
            for what in ("distortion_percent", "distortion_by_chance_percent")]


# ---- calls ---------------------------------------------------------------------------------------

def whole(name):
    """The function that a clone or part made by the compiler belongs to."""
    return re.sub(r"\.(part|constprop|isra|cold)(\.\d+)?", "", name)


class Calls:
    """Calls of functions, and of functions by one another, of one program."""

    def __init__(self):
        self.functions, self.edges = collections.Counter(), collections.Counter()
        self.least_functions, self.least_edges = set(), set()  # lower bounds

    def bounds(self):
        """How many of all functions, and of all edges, are lower bounds."""
        return f"{len(self.least_functions)}/{len(self.functions)}", f"{len(self.least_edges)}/{len(self.edges)}"

    def differ(self, theirs):
        """Those that are exact here, and another number there."""
        return [f"{name} {self.functions[name]} ({theirs.functions[name]})" for name in self.functions
                if name in theirs.functions and name not in self.least_functions and self.functions[name] != theirs.functions[name]] + \
               [f"{' > '.join(edge)} {self.edges[edge]} ({theirs.edges[edge]})" for edge in self.edges
                if edge in theirs.edges and edge not in self.least_edges and self.edges[edge] != theirs.edges[edge]]


def calls_of(folder, binary):
    """Of a recording, of functions of this program."""
    calls = Calls()
    for row in json_of("report", "--names=assembler", folder)["rows"]:
        if row["module"] == binary and row["calls"] is not None:
            calls.functions[whole(row["name"])] += row["calls"]
            if row["calls_bound"] != "exact":
                calls.least_functions.add(whole(row["name"]))
    for row in json_of("report", "--by=site", "--names=assembler", folder)["rows"]:
        for callee in (row["callee"] or "").split("; "):
            edge = whole(row["name"]), whole(callee)
            if edge[1] in calls.functions and row["module"] == binary:
                calls.edges[edge] += row["calls"] or 0
                if row["calls_bound"] != "exact" or ";" in row["callee"]:
                    calls.least_edges.add(edge)
    return calls


def callgrind(subject, binary):
    """The same by callgrind's count; None: there is none."""
    if not shutil.which("valgrind"):
        return None
    calls, here, there, caller, callee = Calls(), "", "", None, None
    with open(programs.callgrind(subject, binary, subject.few), encoding="utf-8", errors="replace") as file:
        for line in file:
            key, _, value = line.strip().partition("=")
            if key == "ob":
                here = value
            elif key == "cob":
                there = value
            elif key == "fn":
                caller = whole(re.sub(r"'\d+$", "", value))
            elif key == "cfn":
                callee = whole(re.sub(r"'\d+$", "", value))
            elif key == "calls":
                if (there or here) == binary:
                    calls.functions[callee] += int(value.split()[0])
                    calls.edges[caller, callee] += int(value.split()[0])
                there = ""
    return calls


def compare_calls(subject, name):
    """(lower bounds among functions, among edges, those that differ from callgrind's)"""
    if subject.few is None:
        return None
    plain, usual = (subject.build(name + "-calls", kind, COUNTED) for kind in ("plain", "usual"))
    recorded(subject, usual, [], session(name, "calls"), subject.few)
    ours, theirs = calls_of(session(name, "calls"), usual), callgrind(subject, plain)
    return *ours.bounds(), None if theirs is None else ours.differ(theirs)


# ---- one program ---------------------------------------------------------------------------------

def judge(name, subject):
    plain, usual = (subject.build(name, kind) for kind in ("plain", "usual"))
    ratio = times(subject, plain, usual, name)
    for kind in "sampled", "again":
        recorded(subject, plain, ["--sample"], session(name, kind))
    points, chance = distortion(session(name, "sampled"), session(name, "default"))
    full_points, full_chance = distortion(session(name, "sampled"), session(name, "full"))
    itself, _ = distortion(session(name, "sampled"), session(name, "again"))
    found = compare_calls(subject, name)
    differ = found[2] if found and found[2] else []
    missed = [what for what, is_met in (("time", ratio["default"][1] <= SLOWEST), ("points", points <= max(chance, itself) + DISTORTION),
                                        ("full", full_points <= max(full_chance, itself) + DISTORTION_FULL), ("calls", not differ))
              if not is_met]
    numbers = [*ratio["default"], *ratio["alone"], *ratio["full"]]
    print(f"  {name:9}" + "".join(f"{number:7.2f}" for number in numbers) + f"{points:8.1f}{chance:8.1f}{itself:8.1f}{full_points:8.1f}"
          + "".join(f"{word:>11}" for word in (found[:2] if found else ("-", "-"))) + f"{len(differ) if found else '-':>7}"
          + f"   {'MISSED: ' + ', '.join(missed) if missed else 'met'}", flush=True)
    if differ:
        print(f"    calls differ from callgrind's (in brackets): {', '.join(differ[:6])}{' ...' if len(differ) > 6 else ''}", flush=True)


# ---- where the truth is known --------------------------------------------------------------------

TENTHS = {"tenth": 1, "two_tenths": 2, "three_tenths": 3, "four_tenths": 4}


def rows_of(folder):
    return {row["name"]: row for row in json_of("report", folder)["rows"]}


def known_shares(subject, usual, truth):
    """Of one run: (how many shares are in their intervals, percent that ns a call are off)"""
    recorded(subject, usual, [], session("known", "default"))
    rows = rows_of(session("known", "default"))
    sum_ns = sum(rows[name]["cpu_exclusive_ns"] for name in TENTHS)
    for name, tenths in TENTHS.items():
        if rows[name]["calls"] != CALLS * tenths // 10:
            raise RuntimeError(f"{name} has {rows[name]['calls']} calls")
    inside = sum(abs(rows[name]["cpu_exclusive_ns"] - tenths / 10 * sum_ns) <= rows[name]["elapsed_exclusive_uncertainty_ns"]
                 for name, tenths in TENTHS.items())
    return inside, 100 * abs(sum_ns / CALLS / truth - 1)


def known_waits(subject, usual):
    """Percent that the most wrong kind of waiting is off from what the program measured"""
    _, output = recorded(subject, usual, [], session("known", "default"), ["waits", "3000000"])
    rows, words = rows_of(session("known", "default")), output.decode().split()
    return max(100 * abs(rows[name]["elapsed_inclusive_ns"] / float(ns) - 1) for name, ns in zip(words[::2], words[1::2]))


def judge_known():
    subject = programs.Sources([os.path.join(programs.HERE, "known_work.c")], ["-pthread", "-fplugin-arg-cinstr-small=0"], ["-lpthread"],
                               ["shares", CALLS])
    plain_flags = programs.Sources(subject.sources, ["-pthread"], subject.libraries, subject.args)
    plain, usual = plain_flags.build("known", "plain"), subject.build("known", "usual")
    truth = statistics.median(float(subject.run(plain)[1]) for _ in range(5))
    runs = [known_shares(subject, usual, truth) for _ in range(KNOWN)]
    inside, off = sum(r[0] for r in runs) / len(runs) / len(TENTHS), statistics.median(r[1] for r in runs)
    waits = known_waits(subject, usual)
    is_met = inside >= INSIDE and off <= AVERAGE and waits <= WAITS
    print(f"  {'known':9} shares in their 95 % intervals {100 * inside:.0f} % of {len(runs) * len(TENTHS)}; {truth:.2f} ns a call, off "
          f"by {off:.1f} %; waits off by {waits:.2f} %   {'met' if is_met else 'MISSED'}", flush=True)


def attempt(name, what, *args):
    try:
        what(*args)
    except (RuntimeError, ValueError, KeyError, AttributeError, OSError, subprocess.SubprocessError) as reason:
        print(f"  {name:9} no figures: {reason!r}", flush=True)


def main(names=()):
    names = names or [*QUICK, "known"]
    os.makedirs(WORK, exist_ok=True)
    sources = [name for name in names if name not in ("known", "fiber")]
    if sources:
        world.fetch(*sources)
    programs.make_input()
    print(f"\nWithout any option: time over plain (by the clock, on the processor) under cinstr record, alone, and with record --full; points of\n"
          f"time in other functions than samples of the plain program say, by chance, plain beside itself, with --full; functions and edges\n"
          f"of which calls are a lower bound; calls unlike callgrind's. {ROUNDS} rounds; aims: cpu {SLOWEST}, points at most {DISTORTION:.0f} "
          f"beyond chance and itself, --full {DISTORTION_FULL:.0f};\n"
          f"known: {100 * INSIDE:.0f} % in intervals, ns a call within {AVERAGE:.0f} %, waits {WAITS:.0f} %\n"
          f"  {'':9}{'default':>7}{'cpu':>7}{'alone':>7}{'cpu':>7}{'full':>7}{'cpu':>7}{'points':>8}{'chance':>8}{'itself':>8}{'full':>8}{'functions':>11}"
          f"{'edges':>11}{'wrong':>7}")
    for name, subject in programs.subjects().items():
        if name in names:
            attempt(name, judge, name, subject)
    if "known" in names:
        attempt("known", judge_known)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
