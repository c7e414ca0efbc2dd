# SPDX-License-Identifier: GPL-3.0-or-later
"""make bench: what sampling costs sqlite3 as the distribution ships it, in pairs of runs with and
without.

A figure is the median over the pairs, with the 95 % interval of that median by bootstrap: time of
the program and its processor time, both without what the tool does before it begins and after it
has ended, and the processor time of all, the collector's too. 4 times ROUNDS pairs of each variant,
the plain run first in one and last in the next.
"""
import os
import random
import shutil
import statistics
import subprocess
import sys

import world

HERE = os.path.dirname(os.path.abspath(__file__))
WORK = os.path.join(world.BUILD, "bench")
CLOCKED, FIGURES = os.path.join(WORK, "clocked"), os.path.join(WORK, "clocked.txt")
SESSION = os.path.join(WORK, "sampled.data")
PAIRS = 4 * int(os.environ.get("ROUNDS", "5"))
RECORD = [os.path.join(world.BUILD, "cinstr"), "record", "-o", SESSION]
PERF = ["perf", "record", "-q", "-o", os.path.join(WORK, "perf.data"), "-c", "1000000", "-e", "cpu-clock:u"]
# name: command before the program's. Aim: time over plain, at most.
VARIANTS = {
    "cinstr record --sample": (RECORD + ["--sample", "--"], 1.02),
    "... --stacks=frame-pointers": (RECORD + ["--sample", "--stacks=frame-pointers", "--"], None),
    "... --stacks=none": (RECORD + ["--sample", "--stacks=none", "--"], None),
    "... --sample=100us": (RECORD + ["--sample=100us", "--"], None),
    "... --sample-source=timers": (RECORD + ["--sample", "--sample-source=timers", "--"], None),
    "perf record -g": (PERF + ["-g", "--"], None),
    "perf record --call-graph=dwarf": (PERF + ["--call-graph=dwarf", "--"], None),
}


def run(wrap, program, text):
    """(seconds, seconds of processor time, and that of all) of one run."""
    shutil.rmtree(SESSION, ignore_errors=True)
    before = os.times()
    done = subprocess.run(wrap + [CLOCKED, FIGURES] + program, input=text, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          cwd=WORK, check=False)
    after = os.times()
    if done.returncode not in (0, 1):  # the work has a wrong statement in it
        raise RuntimeError(f"{' '.join(wrap)}: ended with {done.returncode}: {done.stderr.decode()[-300:]}")
    with open(FIGURES, encoding="ascii") as f:
        seconds, own = map(float, f.read().split())
    return seconds, own, after.children_user + after.children_system - before.children_user - before.children_system


def interval(ratios):
    """Median and its 95 % interval."""
    rng = random.Random(1)
    medians = sorted(statistics.median(rng.choices(ratios, k=len(ratios))) for _ in range(2000))
    return statistics.median(ratios), medians[50], medians[1949]


def measure(wrap, program, text):
    """Ratios of time and of processor time to the plain run."""
    pairs = []
    for i in range(PAIRS):
        order = [[], wrap] if i % 2 == 0 else [wrap, []]
        got = {bool(w): run(w, program, text) for w in order}
        pairs.append([sampled / plain for sampled, plain in zip(got[True], got[False])])
    return [interval([p[k] for p in pairs]) for k in range(3)]


def main():
    program = [shutil.which("sqlite3") or "", ":memory:"]
    if not program[0]:
        print("sqlite3 is missing: no figures of sampling")
        return
    os.makedirs(WORK, exist_ok=True)
    with open(os.path.join(HERE, "..", "world", "work.sql"), "rb") as f:
        once = f.read()
    subprocess.run([os.environ.get("CC", "gcc"), "-O2", "-o", CLOCKED, os.path.join(HERE, "clocked.c")], check=True)
    run([], program, once)
    seconds = run([], program, once)[0]
    tables = ["item", "sale", "doc"]
    again = "".join(f"DROP TABLE IF EXISTS {t};\n" for t in tables).encode()
    text = (again + once) * max(1, round(2.0 / seconds))
    plain = run([], program, text)[0]
    print(f"\nSampling of the distribution's sqlite3 ({plain:.1f} s), {PAIRS} pairs; over plain, median [95 %]\n"
          f"{'':34}{'time':>24}{'its processor time':>24}{'and the collector':>24}")
    for name, (wrap, aim) in VARIANTS.items():
        if not shutil.which(wrap[0]):
            continue
        result = measure(wrap, program, text)
        columns = [f"{median:.3f} [{low:.3f}, {high:.3f}]" for median, low, high in result]
        note = "" if aim is None else f"   aim {aim:.2f}: {'met' if result[0][0] <= aim else 'MISSED'}"
        print(f"  {name:32}{columns[0]:>24}{columns[1]:>24}{columns[2]:>24}{note}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
