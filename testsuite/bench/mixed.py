#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""make bench: what a mixed recording costs, and whether what it says is true.

Five programs that are not ours. Of each: time of the full method and of the mixed one over the
plain program, medians over ROUNDS pairs; functions whose calls differ from the full method's and
from callgrind's; how many points of the time are in other functions than samples of the plain
program say, beside what chance alone makes of so many samples, and what the plain program differs
from itself. Alone: testsuite/bench/run.sh --mixed [PROGRAM...]
"""
import collections
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
ROUNDS = int(os.environ.get("ROUNDS", "5"))
CLOCKED, FIGURES = os.path.join(WORK, "clocked"), os.path.join(WORK, "clocked.txt")
SLOWEST, DISTORTION = 1.25, 3.0  # aims: time over plain, points beyond chance
CXX = ["-lstdc++"]


def programs():
    """{name: (program, arguments for callgrind)}"""
    sources = world.programs()

    def source(*names):
        return os.path.join(world.WORLD, *names)

    sources["cjson"] = world.Program([os.path.join(HERE, "json_work.c"), source("cjson/cJSON.c")], ["-I" + source("cjson")],
                                     ["-lm"], ["3000"])
    sources["tinyxml2"] = world.Program([os.path.join(HERE, "xml_work.cc"), source("tinyxml2/tinyxml2.cpp")],
                                        ["-I" + source("tinyxml2")], CXX, ["3000"])
    bzip2 = "blocksort huffman crctable randtable compress decompress bzlib bzip2"
    sources["bzip2"] = world.Program([source("bzip2", name + ".c") for name in bzip2.split()], [], [],
                                     ["-k", "-c", os.path.join(WORK, "to-compress")])
    few = {"lua": [os.path.join(world.HERE, "work.lua"), "1"], "cjson": ["20"], "tinyxml2": ["20"]}
    return {name: (program, few.get(name)) for name, program in sources.items()}


def make_input():
    """Text that bzip2 can compress to a fifth."""
    with open(os.path.join(WORK, "to-compress"), "w", encoding="ascii") as file:
        for i in range(400000):
            file.write(f"{i * 7919 % 10007:x} {i * i % 997} some text that repeats {i % 13}\n")


def build(name, program):
    plain, probed = (os.path.join(WORK, f"mixed-{name}-{kind}") for kind in ("plain", "probed"))
    world.compile(program, plain, ["-O2", "-g"])
    world.compile(program, probed, ["-O2", "-g", "-fplugin-arg-cinstr-small=0"], plugin=True)
    return plain, probed


def session(name, kind):
    return os.path.join(WORK, f"mixed-{name}-{kind}.data")


def run(program, binary, how, folder):
    """Seconds that the program took. how: options of record; None: it runs alone."""
    shutil.rmtree(folder, ignore_errors=True)
    record = [] if how is None else [world.COMMAND, "record", "-o", folder, *how, "--"]
    done = program.run(binary, wrap=[*record, CLOCKED, FIGURES], cwd=WORK)
    if done.returncode not in (0, 1):  # sqlite's work has a wrong statement in it
        raise RuntimeError(f"{binary} {how}: ended with {done.returncode}: {done.stderr.decode()[-300:]}")
    with open(FIGURES, encoding="ascii") as figures:
        return float(figures.read().split()[0]), done.stdout


def times(program, plain, probed, name):
    """Medians of the time over plain: {how: ratio}"""
    ways = {"full": [], "mixed": ["--mixed"]}
    ratios = {way: [] for way in ways}
    for _ in range(ROUNDS):
        base, output = run(program, plain, None, session(name, "none"))
        for way, how in ways.items():
            seconds, got = run(program, probed, how, session(name, way))
            ratios[way].append(seconds / base)
            if got != output:
                raise RuntimeError(f"{name}, {way}: another output than the plain program's")
    return {way: statistics.median(r) for way, r in ratios.items()}


def report(folder):
    text = subprocess.run([world.COMMAND, "report", "--format=json", folder], capture_output=True, text=True, check=False)
    if text.returncode:
        raise RuntimeError(f"{folder}: {text.stderr.strip()}")
    return json.loads(text.stdout)


def calls_of(folder):
    """{(function, file): calls} of the functions that have a source line, and all together."""
    calls = collections.Counter()
    for row in report(folder)["rows"]:
        if row["line"]:
            calls[row["name"], row["file"]] += row["calls"] or 0
    return calls


def callgrind(program, plain, args, probed):
    """Functions whose calls differ between a mixed recording and callgrind's of the same work."""
    if not shutil.which("valgrind"):
        return None
    sys.path.insert(0, world.HERE)
    import run as world_run  # pylint: disable=import-outside-toplevel

    theirs = world_run.callgrind_calls(program, plain, args or program.args)
    folder = session("callgrind", "mixed")
    shutil.rmtree(folder, ignore_errors=True)
    program.run(probed, wrap=[world.COMMAND, "record", "-o", folder, "--mixed", "--"], cwd=WORK, args=args)
    ours = collections.Counter()
    for (name, _), n in calls_of(folder).items():
        ours[world_run.whole(name)] += n
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
    plain, probed = build(name, program)
    ratio = times(program, plain, probed, name)
    full, mixed = calls_of(session(name, "full")), calls_of(session(name, "mixed"))
    differ = [f"{key[0]} {mixed[key]} ({full[key]})" for key in full.keys() | mixed.keys() if full[key] != mixed[key]]
    for kind in "sampled", "again":
        run(program, plain, ["--sample"], session(name, kind))
    points, chance = distortion(session(name, "sampled"), session(name, "mixed"))
    full_points, _ = distortion(session(name, "sampled"), session(name, "full"))
    itself, _ = distortion(session(name, "sampled"), session(name, "again"))
    theirs = callgrind(program, plain, few, probed)
    print(f"  {name:9}{ratio['full']:7.2f}{ratio['mixed']:8.2f}{sum(full.values()):14,}{len(differ):8}"
          f"{'-' if theirs is None else len(theirs[1]):>10}{full_points:9.1f}{points:8.1f}{chance:8.1f}{itself:8.1f}   "
          f"{'met' if ratio['mixed'] <= SLOWEST and points <= chance + DISTORTION and not differ else 'MISSED'}", flush=True)
    for what, list_ in ("the full method's", differ), ("callgrind's", theirs[1] if theirs else []):
        if list_:
            print(f"    calls differ from {what} (in brackets): {', '.join(list_[:6])}{' ...' if len(list_) > 6 else ''}")


def main(names=()):
    os.makedirs(WORK, exist_ok=True)
    world.fetch("lua", "sqlite", "cjson", "tinyxml2", "bzip2")
    make_input()
    subprocess.run([*world.CC, "-O2", "-o", CLOCKED, os.path.join(HERE, "clocked.c")], check=True)
    print(f"\nMixed recordings: time over plain, calls that differ, points of time in other functions than samples of the\n"
          f"plain program say; {ROUNDS} rounds; aims: time {SLOWEST}, points at most {DISTORTION:.0f} beyond chance\n"
          f"  {'':9}{'full':>7}{'mixed':>8}{'calls':>14}{'differ':>8}{'callgrind':>10}{'full':>9}{'mixed':>8}{'chance':>8}{'itself':>8}")
    for name, (program, few) in programs().items():
        if not names or name in names:
            try:
                judge(name, program, few)
            except (RuntimeError, ValueError, KeyError, AttributeError) as reason:
                print(f"  {name:9} no figures: {reason!r}", flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
