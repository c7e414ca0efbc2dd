# SPDX-License-Identifier: GPL-3.0-or-later
"""What `cinstr waits --critical-path --without=FUNCTION` foretells of programs (the median of three
recordings), and what their repair brings to the plain program: the median of its wall time over
turns, slow and repaired ones one after the other. In percent of the wall time.

    predictions.py [--runs=N] [NAME...]

within: at most 10 points apart; below: the repair brings more than was foretold.
"""
import argparse
import fnmatch
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
FINDINGS = os.path.join(HERE, "..", "findings")
WITHIN = 10  # points
RECORDINGS = 3
AIM = 18, 20


class Program:
    """asked: functions that the repair makes take nothing, or 20 % less (`is_fifth`)."""

    def __init__(self, name, asked, source=None, flags=(), repaired=("-DREPAIRED",), is_fifth=False):
        self.name, self.asked, self.flags, self.repaired, self.is_fifth = name, asked, list(flags), list(repaired), is_fifth
        self.source = source or os.path.join(FINDINGS, name)

    def build(self, folder, kind):
        binary = os.path.join(folder, f"{self.name}-{kind}")
        compiler = os.environ["CC"].replace("gcc", "g++") if self.source.endswith(".cpp") else os.environ["CC"]
        flags = {"slow": [], "repaired": self.repaired, "probes": [f"-fplugin={os.environ['BUILD']}/cinstr.so"]}[kind]
        subprocess.run([compiler, "-O2", "-g", "-pthread", *flags, *self.flags, self.source, "-o", binary, "-lm"], check=True, cwd=folder)
        return binary

    def foretold(self, binary, folder):
        """In percent of the wall time of a run without the recording's own work; None: it says that
        nothing is known."""
        session = binary + ".data"
        shutil.rmtree(session, ignore_errors=True)
        env = {**os.environ, "CINSTR_DATA": session, "LD_LIBRARY_PATH": os.environ["BUILD"]}
        run(binary, folder, env)
        command = [os.path.join(os.environ["BUILD"], "cinstr"), "waits", "--critical-path", "--format=json"]
        asked, every = (json.loads(subprocess.run([*command, f"--without={names}", session], check=True, capture_output=True, text=True).stdout)
                        ["critical_path"][0] for names in (self.asked, "*"))
        gone = asked["fifth_less_ns" if self.is_fifth else "without_ns"]
        return None if gone is None else 100 * gone / every["on_path_ns"]


def scene(name, asked="planted", repaired=("-DFACTOR=0",), is_fifth=False, kind=""):
    return Program(name + kind, asked, os.path.join(HERE, "predicted.c"), [f"-DSCENE={name}"], repaired, is_fifth)


def fifth(name):
    return scene(name, repaired=("-DFACTOR=80",), is_fifth=True, kind="-fifth")


PROGRAMS = [
    *map(scene, ("lock", "rwlock", "semaphore", "pipeline", "server", "stream", "shift", "barrier", "beside", "threads_anew", "tail", "polling")),
    *map(fifth, ("lock", "rwlock", "semaphore", "pipeline", "server", "barrier")),
    scene("lock", "pthread_mutex_lock", ("-DAPART",), kind="-apart"),
    Program("spool.c", "usleep"),
    Program("stock.c", "fsync"),
    Program("caller.c", "socket,connect,accept,close"),
    Program("letters.c", "read"),
    Program("fresh.c", "stat"),
    Program("guard.c", "pthread_mutex_lock"),
    Program("mosaic.cpp", "pthread_mutex_lock"),
]


def run(binary, folder, env=None):
    begin = time.monotonic()
    subprocess.run([binary], check=True, cwd=folder, stdout=subprocess.DEVNULL, env=env)
    return time.monotonic() - begin


def measure(program, folder, runs):
    """By turns. Returns what is foretold (None: in most runs nothing), what the slow program takes,
    and in percent what the repaired one takes less."""
    *plain, probes = [program.build(folder, kind) for kind in ("slow", "repaired", "probes")]
    times, said = [], []
    for turn in range(runs):
        times.append([run(binary, folder) for binary in plain])
        if turn < RECORDINGS:
            said.append(program.foretold(probes, folder))
    slow, repaired = (statistics.median(column) for column in zip(*times))
    known = [one for one in said if one is not None]
    return statistics.median(known) if 2 * len(known) > len(said) else None, slow, 100 * (slow - repaired) / slow


def verdict(said, true):
    if said is None:
        return "nothing is said"
    return "within" if abs(said - true) <= WITHIN else "below" if said < true else "above"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=9, help="of each plain program")
    parser.add_argument("names", nargs="*", help="globs; all")
    options = parser.parse_args()
    os.environ["BUILD"] = os.path.abspath(os.environ["BUILD"])
    folder = tempfile.mkdtemp(prefix="cinstr-predictions.")
    verdicts = []
    try:
        print(f"| {'program':22} | {'without':22} | takes  | foretold | repair | apart | {'':15} |")
        for program in PROGRAMS:
            if options.names and not any(fnmatch.fnmatch(program.name, name) for name in options.names):
                continue
            said, slow, true = measure(program, folder, options.runs)
            verdicts.append(verdict(said, true))
            figures = ("?", "") if said is None else (f"{said:.1f} %", f"{said - true:+.1f}")
            print(f"| {program.name:22} | {program.asked:22} | {slow:4.2f} s | {figures[0]:>8} | {true:4.1f} % | {figures[1]:>5} | {verdicts[-1]:15} |",
                  flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    within = verdicts.count("within")
    print(f"{within} of {len(verdicts)} within {WITHIN} points; the aim is {AIM[0]} of {AIM[1]}")
    return 0 if within * AIM[1] >= len(verdicts) * AIM[0] else 1


if __name__ == "__main__":
    sys.exit(main())
