#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""make bench: what a mixed recording costs, and whether what it says is true.

Five programs that are not ours, each some seconds long. Of each: time of the full method and of the
mixed one over the plain program, medians over ROUNDS pairs, by the clock and by processor time,
with probes in every function, and in those that have them by default ("usual");
functions whose calls differ from the full method's and from callgrind's, or are more than these
where only a lower bound is known; how many points of the time are in other functions than samples
of the plain program say, beside what chance alone makes of so many samples, and what the plain
program differs from itself. "known": a program whose shares and waits are known, KNOWN times.
Alone: testsuite/bench/run.sh --mixed [PROGRAM...]
"""
import collections
import copy
import json
import os
import re
import shutil
import statistics
import subprocess
import sys

import world

HERE = os.path.dirname(os.path.abspath(__file__))
WORK = os.path.join(world.BUILD, "bench")
ROUNDS = int(os.environ.get("ROUNDS", "3"))
CLOCKED, FIGURES = os.path.join(WORK, "clocked"), os.path.join(WORK, "clocked.txt")
KNOWN, CALLS = int(os.environ.get("KNOWN", "100")), 10 ** 8  # runs of known_work.c, its calls
SLOWEST, DISTORTION = 1.25, 3.0  # aims: time over plain, points beyond chance
INSIDE, AVERAGE, WAITS = 0.95, 10.0, 1.0  # aims: shares in their 95 % intervals; percent off
SITES_ARE_COUNTED = False  # calls of functions without probes are exact, too
CXX = ["-lstdc++"]


def programs():
    """{name: (program, the same with work that callgrind can do in a minute)}"""
    sources = world.programs()

    def source(*names):
        return os.path.join(world.WORLD, *names)

    sources["cjson"] = world.Program([os.path.join(HERE, "json_work.c"), source("cjson/cJSON.c")], ["-I" + source("cjson")],
                                     ["-lm"], ["8000"])
    sources["tinyxml2"] = world.Program([os.path.join(HERE, "xml_work.cc"), source("tinyxml2/tinyxml2.cpp")],
                                        ["-I" + source("tinyxml2")], CXX, ["9000"])
    bzip2 = "blocksort huffman crctable randtable compress decompress bzlib bzip2"
    sources["bzip2"] = world.Program([source("bzip2", name + ".c") for name in bzip2.split()], [], [],
                                     ["-k", "-c", os.path.join(WORK, "to-compress")])
    lua = [os.path.join(HERE, "lua_work.lua"), os.path.join(world.HERE, "work.lua")]
    sources["lua"].args = [*lua, "12", "10"]
    # else hashes go by the time and addresses, and so how often strings collide, are found
    sources["lua"].flags += ["-Dluai_makeseed(L)=1", "-DSTRCACHE_N=1", "-DSTRCACHE_M=2"]
    few = {"lua": [*lua, "1", "1"], "cjson": ["20"], "tinyxml2": ["20"],
           "bzip2": ["-k", "-c", os.path.join(WORK, "to-compress-few")]}
    both = {}
    for name, program in sources.items():
        less = copy.copy(program)
        less.args = few.get(name, program.args)
        both[name] = program, less
    sources["sqlite"].script = os.path.join(WORK, "work-often.sql")
    return both


def make_input():
    """Text that bzip2 can compress to a fifth, and sqlite's work several times."""
    for name, lines in ("to-compress", 1200000), ("to-compress-few", 20000):
        with open(os.path.join(WORK, name), "w", encoding="ascii") as file:
            for i in range(lines):
                file.write(f"{i * 7919 % 10007:x} {i * i % 997} some text that repeats {i % 13}\n")
    with open(os.path.join(world.HERE, "work.sql"), encoding="utf-8") as file:
        work = file.read()
    with open(os.path.join(WORK, "work-often.sql"), "w", encoding="utf-8") as file:
        file.write("\n.open :memory:\n".join([work] * 9))


def build(name, program):
    """Plain, with probes in every function, and with probes as by default."""
    # names of one length: lua interns its own name only where that is short
    plain, probed, usual = (os.path.join(WORK, f"mixed-{name}-{kind}") for kind in ("plain", "dense", "usual"))
    world.compile(program, plain, ["-O2", "-g"])
    world.compile(program, probed, ["-O2", "-g", "-fplugin-arg-cinstr-small=0"], plugin=True)
    world.compile(program, usual, ["-O2", "-g"], plugin=True)
    return plain, probed, usual


def session(name, kind):
    return os.path.join(WORK, f"mixed-{name}-{kind}.data")


def run(program, binary, how, folder):
    """(seconds, seconds on the processor) that the program took, its output. how: options of
    record; None: it runs alone."""
    shutil.rmtree(folder, ignore_errors=True)
    record = [] if how is None else [world.COMMAND, "record", "-o", folder, *how, "--"]
    done = program.run(binary, wrap=[*record, CLOCKED, FIGURES], cwd=WORK)
    if done.returncode not in (0, 1):  # sqlite's work has a wrong statement in it
        raise RuntimeError(f"{binary} {how}: ended with {done.returncode}: {done.stderr.decode()[-300:]}")
    with open(FIGURES, encoding="ascii") as figures:
        return [float(figure) for figure in figures.read().split()], done.stdout


def times(program, plain, probed, usual, name):
    """Medians of the time over plain: {how: (by the clock, on the processor)}"""
    ways = {"full": (probed, []), "mixed": (probed, ["--mixed"]), "usual": (usual, ["--mixed"])}
    ratios = {way: ([], []) for way in ways}
    for _ in range(ROUNDS):
        base, output = run(program, plain, None, session(name, "none"))
        for way, (binary, how) in ways.items():
            figures, got = run(program, binary, how, session(name, way))
            for ratio, figure, alone in zip(ratios[way], figures, base):
                ratio.append(figure / alone)
            if got != output:
                raise RuntimeError(f"{name}, {way}: another output than the plain program's")
    return {way: [statistics.median(r) for r in both] for way, both in ratios.items()}


def report(folder):
    text = subprocess.run([world.COMMAND, "report", "--format=json", folder], capture_output=True, text=True, check=False)
    if text.returncode:
        raise RuntimeError(f"{folder}: {text.stderr.strip()}")
    return json.loads(text.stdout)


class Calls:
    """Of a session, by (function, file): how often, is it a lower bound, has it probes."""

    def __init__(self, folder, program):
        self.calls, self.least, self.probed = collections.Counter(), set(), set()
        for row in report(folder)["rows"]:
            key = row["name"], row["file"] or row["module"]
            self.calls[key] += row["calls"] or 0
            if row["calls_bound"] != "exact":
                self.least.add(key)
            if row["module"] == program:
                self.probed.add(key)

    def is_wrong(self, key, truth):
        if key in self.least and (key in self.probed or SITES_ARE_COUNTED):
            return True
        return self.calls[key] > truth if key in self.least else self.calls[key] != truth


def callgrind(program, plain, probed):
    """Functions with probes whose calls differ between a mixed recording and callgrind's of one
    work: (how many were compared, those that differ)"""
    if not shutil.which("valgrind"):
        return None
    sys.path.insert(0, world.HERE)
    import run as world_run  # pylint: disable=import-outside-toplevel

    theirs = world_run.callgrind_calls(program, plain, program.args)
    folder = session("callgrind", "mixed")
    shutil.rmtree(folder, ignore_errors=True)
    program.run(probed, wrap=[world.COMMAND, "record", "-o", folder, "--mixed", "--"], cwd=WORK)
    mixed, ours = Calls(folder, probed), collections.Counter()
    for key in mixed.probed:
        ours[world_run.whole(key[0])] += mixed.calls[key]
    common = [name for name in ours if name in theirs]
    return len(common), [f"{n} {ours[n]} ({theirs[n]})" for n in common if ours[n] != theirs[n]]


def distortion(one, other):
    """(points, points by chance)"""
    text = subprocess.run([world.COMMAND, "diff", "--format=json", one, other], capture_output=True, text=True, check=False)
    if text.returncode not in (0, 1):
        raise RuntimeError(text.stderr.strip())
    shares = json.loads(text.stdout)
    found = re.search(r'"distortion_percent": *"?([\d.]+)', text.stdout), re.search(
        r'"distortion_by_chance_percent": *"?([\d.]+)', text.stdout)
    del shares
    return float(found[0].group(1)), float(found[1].group(1))


def judge(name, program, few):
    plain, probed, usual = build(name, program)
    ratio = times(program, plain, probed, usual, name)
    full, mixed = (Calls(session(name, kind), probed) for kind in ("full", "mixed"))
    differ = [f"{key[0]} {'>= ' if key in mixed.least else ''}{mixed.calls[key]} ({full.calls[key]})"
              for key in full.calls.keys() | mixed.calls.keys() if mixed.is_wrong(key, full.calls[key])]
    for kind in "sampled", "again":
        run(program, plain, ["--sample"], session(name, kind))
    points, chance = distortion(session(name, "sampled"), session(name, "mixed"))
    full_points, _ = distortion(session(name, "sampled"), session(name, "full"))
    itself, _ = distortion(session(name, "sampled"), session(name, "again"))
    theirs = callgrind(few, plain, probed)
    is_met = ratio["usual"][1] <= SLOWEST and points <= max(chance, itself) + DISTORTION and not differ
    print(f"  {name:9}{ratio['full'][0]:7.2f}{ratio['full'][1]:7.2f}{ratio['mixed'][0]:7.2f}{ratio['mixed'][1]:7.2f}"
          f"{ratio['usual'][0]:7.2f}{ratio['usual'][1]:7.2f}"
          f"{sum(full.calls.values()):14,}{len(mixed.least):7}{len(differ):7}{'-' if theirs is None else len(theirs[1]):>10}"
          f"{full_points:9.1f}{points:8.1f}{chance:8.1f}{itself:8.1f}   {'met' if is_met else 'MISSED'}", flush=True)
    for what, list_ in ("the full method's", differ), ("callgrind's", theirs[1] if theirs else []):
        if list_:
            print(f"    calls differ from {what} (in brackets): {', '.join(list_[:6])}{' ...' if len(list_) > 6 else ''}")


# ---- where the truth is known --------------------------------------------------------------------

TENTHS = {"tenth": 1, "two_tenths": 2, "three_tenths": 3, "four_tenths": 4}


def known_shares(program, probed, truth):
    """Of one run: (how many shares are in their intervals, percent that ns a call are off)"""
    run(program, probed, ["--mixed"], session("known", "mixed"))
    rows = {row["name"]: row for row in report(session("known", "mixed"))["rows"]}
    whole = sum(rows[name]["cpu_exclusive_ns"] for name in TENTHS)
    for name, tenths in TENTHS.items():
        if rows[name]["calls"] != CALLS * tenths // 10:
            raise RuntimeError(f"{name} has {rows[name]['calls']} calls")
    inside = sum(abs(rows[name]["cpu_exclusive_ns"] - tenths / 10 * whole) <= rows[name]["elapsed_exclusive_uncertainty_ns"]
                 for name, tenths in TENTHS.items())
    return inside, 100 * abs(whole / CALLS / truth - 1)


def known_waits(program, probed):
    """{how: percent that the most wrong kind of waiting is off from what the program measured}"""
    off = {}
    for how, options in ("full", []), ("mixed", ["--mixed"]):
        _, output = run(program, probed, options, session("known", how))
        rows = {row["name"]: row for row in report(session("known", how))["rows"]}
        words = output.decode().split()
        off[how] = max(100 * abs(rows[name]["elapsed_inclusive_ns"] / float(ns) - 1) for name, ns in zip(words[::2], words[1::2]))
    return off


def judge_known():
    program = world.Program([os.path.join(HERE, "known_work.c")], ["-pthread"], ["-lpthread"], ["shares", str(CALLS)])
    plain, probed, _ = build("known", program)
    truth = statistics.median(float(run(program, plain, None, session("known", "none"))[1]) for _ in range(5))
    runs = [known_shares(program, probed, truth) for _ in range(KNOWN)]
    inside, off = sum(r[0] for r in runs) / len(runs) / len(TENTHS), statistics.median(r[1] for r in runs)
    program.args = ["waits", "3000000"]
    waits = known_waits(program, probed)
    is_met = inside >= INSIDE and off <= AVERAGE and waits["mixed"] <= max(WAITS, waits["full"])
    print(f"  {'known':9} shares in their 95 % intervals {100 * inside:.0f} % of {len(runs) * len(TENTHS)}; {truth:.2f} ns a call, off "
          f"by {off:.1f} %; waits off by {waits['mixed']:.2f} % (full {waits['full']:.2f} %)   {'met' if is_met else 'MISSED'}",
          flush=True)


def attempt(name, what, *args):
    try:
        what(*args)
    except (RuntimeError, ValueError, KeyError, AttributeError) as reason:
        print(f"  {name:9} no figures: {reason!r}", flush=True)


def main(names=()):
    os.makedirs(WORK, exist_ok=True)
    world.fetch("lua", "sqlite", "cjson", "tinyxml2", "bzip2")
    make_input()
    subprocess.run([*world.CC, "-O2", "-o", CLOCKED, os.path.join(HERE, "clocked.c")], check=True)
    print(f"\nMixed recordings: time over plain (by the clock, on the processor), calls: how many are lower bounds (>=) and wrong,\n"
          f"points of time in other functions than samples of the plain program say; {ROUNDS} rounds; aims: usual cpu {SLOWEST}, points\n"
          f"at most {DISTORTION:.0f} beyond chance and what plain differs from itself; known: {100 * INSIDE:.0f} % in intervals, ns a call within "
          f"{AVERAGE:.0f} %, waits {WAITS:.0f} %\n"
          f"  {'':9}{'full':>7}{'cpu':>7}{'mixed':>7}{'cpu':>7}{'usual':>7}{'cpu':>7}{'calls':>14}{'>=':>7}{'wrong':>7}{'callgrind':>10}{'full':>9}{'mixed':>8}"
          f"{'chance':>8}{'itself':>8}")
    for name, (program, few) in programs().items():
        if not names or name in names:
            attempt(name, judge, name, program, few)
    if not names or "known" in names:
        attempt("known", judge_known)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
