# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds each slow program and its repaired twin (-DREPAIRED), records both without any option,
and prints one line for each: the cause that is expected, the first finding of `cinstr summary`,
what it says could be saved at most, what the repair gains, and how well the finding tells the
cause.

    score.py [--runs=N] [--keep] [--pairs=FOLDER] [NAME...]

A program's first comment names its cause: "expect: RULE|RULE FUNCTION|FUNCTION; wall", or
"processor": the time in which its gain is measured; a line "flags:" what it is compiled with.
--pairs: a folder of programs of others, NAME_WORD.ext with the twin NAMEf.ext; its file `expected`
may have lines "NAME RULE FUNCTION; wall".

named: the first finding has the rule and the function; half: the first one has the function, or a
later one both; missed: none of it; misleading: missed, and the first finding is about half of the
run or more.
"""
import argparse
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
TWIN = 5  # percent: from here on a finding on a repaired twin is listed


class Program:
    def __init__(self, source, twin=None, expected=None):
        self.name, self.source, self.twin = os.path.splitext(os.path.basename(source))[0], source, twin
        with open(source, encoding="utf-8") as file:
            text = file.read()
        flags = re.search(r"flags: (.*)", text)
        self.flags = flags.group(1).split() if flags else ["-fopenmp"] if "$omp" in text else []
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


def findings(program, folder, repaired):
    command = os.path.join(os.environ["BUILD"], "cinstr")
    built = program.build(folder, repaired, True)
    session = built + ".data"
    env = {**os.environ, "CINSTR_DATA": session, "LD_LIBRARY_PATH": os.environ["BUILD"]}
    shutil.rmtree(session, ignore_errors=True)
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


def said(finding):
    bound = f", saves at most {finding['bound_percent']:.0f} %" if finding["bound_percent"] is not None else ""
    return f"{finding['percent']:.0f} % {finding['id']} {finding['subject'] or ''}{bound}"


def report(program, folder, runs):
    found, calm = (findings(program, folder, repaired) for repaired in (False, True))
    slow, gained = gain(program, folder, runs) if runs else (0, 0)
    result = score(program, found, gained)
    cause = f"{'|'.join(program.rules)} {program.functions[0] if program.functions else ''}"
    print(f"{program.name:12} {cause:26} {said(found[0]) if found else 'nothing':52.52} {slow:5.2f} s {gained:4.0f} % {program.time:9} {result}")
    for one in calm:
        if one["percent"] >= TWIN:
            print(f"{'':12} {'  the repaired twin:':26} {said(one)}")
    sys.stdout.flush()
    return result


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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5, help="of the plain programs; 0: no gain is measured")
    parser.add_argument("--keep", action="store_true", help="the folder with programs, sessions and summaries")
    parser.add_argument("--pairs", help="a folder of more programs")
    parser.add_argument("names", nargs="*", help="globs; all")
    options = parser.parse_args()
    os.environ["BUILD"] = os.path.abspath(os.environ["BUILD"])
    programs = [Program(os.path.join(HERE, file)) for file in sorted(os.listdir(HERE)) if os.path.splitext(file)[1] in COMPILERS]
    programs += pairs_of(os.path.abspath(options.pairs)) if options.pairs else []
    folder, results = tempfile.mkdtemp(prefix="cinstr-findings."), []
    try:
        for program in programs:
            if not options.names or any(fnmatch.fnmatch(program.name, name) for name in options.names):
                results.append(report(program, folder, options.runs))
    finally:
        if options.keep:
            print(f"kept: {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)
    print(", ".join(f"{results.count(one)} {one}" for one in ("named", "half", "missed", "misleading", "BOUND") if one in results))
    return 1 if "BOUND" in results else 0


if __name__ == "__main__":
    sys.exit(main())
