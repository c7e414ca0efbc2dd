# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds each slow program and its repaired twin (-DREPAIRED), records both without any option,
and prints one line for each: the cause that is expected, the first finding of `cinstr summary`,
what it says could be saved, what the repair gains, and how well the finding tells the cause: then
how good bounds and estimates are. Then what is said of programs without a fault: the twins, and
those of honest/.

    score.py [--runs=N] [--alarms] [--beside=N] [--keep] [--pairs=FOLDER] [--table] [NAME...]

A program's first comment names its cause: "expect: RULE|RULE FUNCTION|FUNCTION; wall", or
"processor": the time in which its gain is measured; a line "flags:" what it is compiled with.
A line "true:" names the rules that may speak of it where it has no fault, and why; any may be
called a hot spot. Programs of others are not judged.
--pairs: a folder of programs of others, NAME_WORD.ext with the twin NAMEf.ext; its file `expected`
may have lines "NAME RULE FUNCTION; wall".
--table: prints the line of a program as a row of testing.md's table.
--alarms: programs without a fault only, which are recorded once each; --beside=N: N processes spin
beside them.

named: the first finding has the rule and the function; half: the first one has the function, or a
later one both; missed: none of it; misleading: missed, and the first finding is about half of the
run or more.
"""
import argparse
import contextlib
import fnmatch
import json
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
COMPILERS = {".c": ("gcc", []), ".cpp": ("g++", ["-std=c++17"]), ".f90": ("gfortran", ["-cpp"])}
LINKED = ["-pthread", "-lm"]
MISLEADING = 50  # percent of the run
TOLD = 5  # percent: from here on a finding on a program without a fault is listed
ALWAYS_TRUE = {"CF0209"}  # a hot spot says where, not that anything is wrong
# False alarms on all programs without a fault, by themselves and beside others.
ALARMS_MOST, ALARMS_BESIDE_MOST = 0, 2


class Program:
    def __init__(self, source, twin=None, expected=None):
        self.name, self.source, self.twin = os.path.splitext(os.path.basename(source))[0], source, twin
        with open(source, encoding="utf-8") as file:
            text = file.read()
        flags = re.search(r"flags: (.*)", text)
        self.flags = flags.group(1).split() if flags else ["-fopenmp"] if "$omp" in text else []
        true = re.search(r"true: (\S+)", text)
        self.true = ALWAYS_TRUE | set(true.group(1).split("|") if true else [])
        expected = expected or (re.search(r"expect: (.*)", text) or [None, None])[1]
        match = re.match(r"(\S+) (\S+?); (wall|processor)", expected or "")
        self.rules, self.functions, self.time = (match[1].split("|"), match[2].split("|"), match[3]) if match else ([], [], "wall")

    def build(self, folder, repaired, plugin):
        source = self.twin if repaired and self.twin else self.source
        extension = os.path.splitext(source)[1]
        compiler, flags = COMPILERS[extension]
        compiler = os.environ["CC"].replace("gcc", compiler) if compiler != "gcc" else os.environ["CC"]
        program = os.path.join(folder, f"{self.name}{'-repaired' if repaired else ''}{'-probes' if plugin else ''}")
        extra = [f"-fplugin={os.path.join(os.environ['BUILD'], 'cinstr.so')}"] if plugin else []
        command = [compiler, "-O2", "-g", *flags, *(["-DREPAIRED"] if repaired else []), *extra, source, "-o", program, *LINKED, *self.flags]
        subprocess.run(command, check=True, cwd=folder)
        return program

    def is_told_by(self, finding, whole):
        """By rule and function, or by the function alone."""
        places = [finding.get("subject") or "", finding.get("inlined") or "", finding.get("text") or "", finding.get("callee") or ""]
        function = not self.functions or any(re.search(rf"\b{re.escape(name)}\b", place) for name in self.functions for place in places)
        return function and (finding["id"] in self.rules or not whole)


def run(program, folder):
    """Wall and processor time of one run."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run([program], check=True, cwd=folder, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {"wall": time.monotonic() - begin,
            "processor": after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime}


def gain(program, folder, runs):
    """In percent, by medians of runs in turns."""
    plain = [program.build(folder, repaired, False) for repaired in (False, True)]
    times = [[], []]
    for _ in range(runs):
        for each, one in zip(times, plain):
            each.append(run(one, folder)[program.time])
    slow, repaired = (statistics.median(each) for each in times)
    return slow, 100 * (slow - repaired) / slow


@contextlib.contextmanager
def spinning(n):
    """Beside n processes that do nothing but compute."""
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(n)]
    try:
        yield
    finally:
        for one in others:
            one.kill()
            one.wait()


def findings(program, folder, repaired, beside=0):
    command = os.path.join(os.environ["BUILD"], "cinstr")
    built = program.build(folder, repaired, True)
    session = built + ".data"
    env = {**os.environ, "CINSTR_DATA": session, "LD_LIBRARY_PATH": os.environ["BUILD"]}
    shutil.rmtree(session, ignore_errors=True)
    with spinning(beside):
        subprocess.run([built], check=True, cwd=folder, stdout=subprocess.DEVNULL, env=env)
    text = subprocess.run([command, "summary", session], check=True, capture_output=True, text=True, env={**env, "COLUMNS": "100"}).stdout
    with open(built + ".summary", "w", encoding="utf-8") as file:
        file.write(text)
    found = subprocess.run([command, "summary", "--findings", "--format=json", session], check=True, capture_output=True, text=True, env=env)
    return json.loads(found.stdout)["findings"]


def score(program, found, gained):
    if found and found[0]["bound_percent"] is not None and found[0]["bound_percent"] < gained:
        return "BOUND"
    if not program.rules:
        return "-"
    if found and program.is_told_by(found[0], True):
        return "named"
    if (found and program.is_told_by(found[0], False)) or any(program.is_told_by(one, True) for one in found):
        return "half"
    return "misleading" if found and found[0]["percent"] >= MISLEADING else "missed"


def gain_said(finding):
    """What a finding says of its gain: a bound, an estimate, or nothing."""
    if finding["bound_percent"] is not None:
        return f"at most {finding['bound_percent']:.0f} %"
    if finding["estimate_high_percent"] is not None:
        return f"{finding['estimate_low_percent']:.0f} to {finding['estimate_high_percent']:.0f} %"
    return ""


def said(finding):
    return f"{finding['percent']:.0f} % {finding['id']} {finding['subject'] or ''}{', ' * bool(gain_said(finding))}{gain_said(finding)}"


class Gains:
    """How good what is said of gains is, of the first findings of all programs."""
    def __init__(self):
        self.bounds = self.low = self.estimates = self.near = self.inside = 0

    def add(self, finding, gained):
        if finding["bound_percent"] is not None:
            self.bounds += 1
            self.low += finding["bound_percent"] < gained
        elif finding["estimate_high_percent"] is not None:
            low, high = finding["estimate_low_percent"], finding["estimate_high_percent"]
            self.estimates += 1
            self.near += abs((low + high) / 2 - gained) <= gained / 3
            self.inside += low <= gained <= high

    def text(self):
        return (f"{self.bounds} bounds, {self.low} of them below the gain; {self.estimates} estimates, "
                f"{self.near} within a third of the gain, {self.inside} with the gain in their interval")


def report(program, folder, options, gains):
    found = findings(program, folder, False)
    slow, gained = gain(program, folder, options.runs) if options.runs else (0, 0)
    result = score(program, found, gained)
    cause = f"{'|'.join(program.rules)} {program.functions[0] if program.functions else ''}"
    if found:
        gains.add(found[0], gained)
    if options.table:
        first = f"{found[0]['id']} | {found[0]['percent']:.0f} % | {gain_said(found[0])}" if found else " | | "
        print(f"| {program.name} | {first} | {gained:.0f} % {program.time} | {result} |")
    else:
        print(f"{program.name:12} {cause:26} {said(found[0]) if found else 'nothing':52.52} {slow:5.2f} s {gained:4.0f} % {program.time:9} {result}")
    sys.stdout.flush()
    return result


def alarms(program, folder, repaired, beside):
    """Prints what is said of a program without a fault. Returns how much of it is false."""
    told = [one for one in findings(program, folder, repaired, beside) if one["percent"] >= TOLD]
    untrue = [one for one in told if one["id"] not in program.true]
    verdict = "not judged" if program.twin else "FALSE"
    if not told and not repaired:
        print(f"{program.name:12} nothing")
    for one in told:
        name = "" if repaired else program.name
        print(f"{name:12} {'  the repaired twin' if repaired else '':26} {said(one):82.82} {verdict if one in untrue else 'true'}")
    sys.stdout.flush()
    return 0 if program.twin else len(untrue)


def pairs_of(folder):
    """Programs of others, which have a twin."""
    files, expected = sorted(os.listdir(folder)), {}
    if "expected" in files:
        with open(os.path.join(folder, "expected"), encoding="utf-8") as file:
            expected = dict(line.split(None, 1) for line in file if line.strip())
    for file in files:
        stem, extension = os.path.splitext(file)
        twin = stem.split("_")[0] + "f" + extension
        if extension in COMPILERS and twin in files and twin != file:
            yield Program(os.path.join(folder, file), os.path.join(folder, twin), expected.get(stem.split("_")[0]))


def programs_in(folder):
    """Those of the test suite."""
    return [Program(os.path.join(folder, file)) for file in sorted(os.listdir(folder)) if os.path.splitext(file)[1] in COMPILERS]


def try_all(options, folder):
    """Scores of the slow programs, and false alarms on those without a fault."""
    slow = programs_in(HERE) + list(pairs_of(os.path.abspath(options.pairs)) if options.pairs else [])
    results, false, calm, gains = [], 0, 0, Gains()
    most = ALARMS_BESIDE_MOST if options.beside else ALARMS_MOST

    def wanted(programs):
        return [one for one in programs if not options.names or any(fnmatch.fnmatch(one.name, name) for name in options.names)]

    for program in wanted(slow):
        if not options.alarms:
            results.append(report(program, folder, options, gains))
        false += alarms(program, folder, True, options.beside)
        calm += 1
    for program in wanted(programs_in(os.path.join(HERE, "honest"))):
        false += alarms(program, folder, False, options.beside)
        calm += 1
    if results:
        print(", ".join(f"{results.count(one)} {one}" for one in ("named", "half", "missed", "misleading", "BOUND") if one in results))
        print(gains.text())
    print(f"{calm} programs without a fault: {false} false alarms, of {most} at most")
    return 1 if "BOUND" in results or false > most else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5, help="of the plain programs; 0: no gain is measured")
    parser.add_argument("--alarms", action="store_true", help="programs without a fault only")
    parser.add_argument("--beside", type=int, default=0, help="so many processes spin beside programs without a fault")
    parser.add_argument("--keep", action="store_true", help="the folder with programs, sessions and summaries")
    parser.add_argument("--table", action="store_true", help="rows of testing.md")
    parser.add_argument("--pairs", help="a folder of more programs")
    parser.add_argument("names", nargs="*", help="globs; all")
    options = parser.parse_args()
    os.environ["BUILD"] = os.path.abspath(os.environ["BUILD"])
    folder = tempfile.mkdtemp(prefix="cinstr-findings.")
    try:
        return try_all(options, folder)
    finally:
        if options.keep:
            print(f"kept: {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
