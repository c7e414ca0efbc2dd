# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs GCC's execution tests with the plugin: see --help, and doc/hacking.md."""
import argparse
import collections
import concurrent.futures
import fnmatch
import hashlib
import json
import os
import re
import shutil
import sys
import tempfile
import threading
import time

import plan
import sources
import tools
import trial

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.abspath(os.environ.get("BUILD", os.path.join(HERE, "../../build")))
FOLDER = os.path.join(BUILD, "torture")
# keeps its findings apart, so that `make check` leaves those of `make torture`
SAMPLE = len(sys.argv) == 1
RESULTS, DIFFERENCES = (os.path.join(FOLDER, "sample" if SAMPLE else "", name)
                        for name in ("results.txt", "differences.txt"))
KINDS = [trial.SAME, trial.KNOWN, trial.DIFFERENT, trial.NOT_COMPARABLE, trial.SKIPPED]
EPILOG = """Without arguments: the sample, as in `make check`. Tests are named as below build/torture/src.
Each test that passes without the plugin must compile, end and print the same with it, and its session must balance.
CC: the compiler, and by its name g++. GCC_SOURCE: archive or folder of GCC's source, instead of package
gcc-N-source, N being the compiler's release."""


def options():
    parser = argparse.ArgumentParser(prog="run.sh", description=__doc__.split(":")[0] + ".", epilog=EPILOG,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true", help="every test (the default with any other option)")
    parser.add_argument("--levels", metavar="LIST", help="flags to compile with, separated by commas; default "
                        f"\"{','.join(plan.LEVELS)}\"")
    parser.add_argument("--match", metavar="GLOB", action="append", help="only tests so named (or so their base name)")
    parser.add_argument("--sample", metavar="N", type=int, default=1, help="every N-th file only, others at each level")
    parser.add_argument("--jobs", metavar="N", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--plugin-args", metavar="LIST", default="",
                        help="options of the plugin, without -fplugin-arg-cinstr-, separated by spaces")
    parser.add_argument("--probes", choices=["functions", "calls", "lines"], default="calls")
    parser.add_argument("--list", metavar="KIND", choices=["tests", "differences"] + KINDS,
                        help=f"run nothing: what would be run, or the last run's: differences, {', '.join(KINDS)}")
    parser.add_argument("--keep", action="store_true", help="leave the tests' folders in build/torture/work-...")
    parser.add_argument("--fresh", action="store_true", help="forget the results without the plugin")
    return parser.parse_args(join_levels(sys.argv[1:]))


def join_levels(arguments):
    """argparse takes `--levels -O2` for two options."""
    joined = []
    for argument in arguments:
        if joined and joined[-1] in ("--levels", "--plugin-args"):
            joined[-1] += "=" + argument
        else:
            joined.append(argument)
    return joined


# ---- what was found before -----------------------------------------------------------------------


class Cache:
    """Outcomes without the plugin, of earlier runs, in a file of lines: [key, outcome]. Any
    thread."""

    def __init__(self, identity, fresh):
        digest = hashlib.sha256(identity.encode()).hexdigest()[:16]
        self.path = os.path.join(FOLDER, "cache", digest + ".jsonl")
        self.outcomes, self.lock = {}, threading.Lock()
        os.makedirs(os.path.dirname(self.path), exist_ok=True)
        if os.path.exists(self.path) and not fresh:
            self.load()
        self.file = open(self.path, "a" if self.outcomes else "w")

    def load(self):
        with open(self.path) as file:
            for line in file:
                try:
                    key, outcome = json.loads(line)
                    self.outcomes[key] = outcome
                except ValueError:
                    pass  # the last line of a run that was killed

    def get(self, key):
        return self.outcomes.get(key)

    def put(self, key, outcome):
        """Keeps what has an end: a program that took too long may have met a busy machine."""
        if tools.TIMEOUT in outcome.values():
            return
        with self.lock:
            self.file.write("\n" + json.dumps([key, outcome]))
            self.file.flush()


class Known:
    """Differences that have a reason, in the file `known`: lines GLOB LEVELS "CAUSE" under comments
    that say why."""

    def __init__(self):
        self.rules = []
        with open(os.path.join(HERE, "known")) as file:
            for line in file:
                rule = re.fullmatch(r'(\S+)\s+(\S+)\s+"(.*)"', line.strip())
                if rule:
                    self.rules.append(rule.groups())

    def has(self, verdict):
        level = verdict.test.level.replace(" ", "")
        return any(fnmatch.fnmatchcase(verdict.test.name, name) and (levels == "*" or level in levels.split(","))
                   and re.match(cause, verdict.cause) for name, levels, cause in self.rules)


# ---- telling -------------------------------------------------------------------------------------


class Progress:
    """Counts the verdicts and tells of them: in one line on a terminal, else in a line for each
    hundred."""

    def __init__(self, total, known):
        self.total, self.known, self.started = total, known, time.monotonic()
        self.counts = collections.defaultdict(collections.Counter)
        self.results, self.differences = open(RESULTS, "w"), open(DIFFERENCES, "w")
        self.terminal = sys.stdout.isatty()

    def add(self, verdict):
        if verdict.kind == trial.DIFFERENT and self.known.has(verdict):
            verdict.kind = trial.KNOWN
        self.counts[verdict.test.suite.name, verdict.test.level][verdict.kind] += 1
        fields = verdict.kind, verdict.test.level, verdict.test.name, f"{verdict.seconds:.1f}", verdict.cause
        print(*fields, sep="\t", file=self.results, flush=True)
        if verdict.kind == trial.DIFFERENT:
            self.tell_difference(verdict)
        self.tell()

    def tell_difference(self, verdict):
        self.clear()
        print(f"FAIL {verdict.test}: {verdict.cause}", flush=True)
        lines = [f"{verdict.test}: {verdict.cause}", *verdict.commands, ""]
        print(*lines, sep="\n    ", file=self.differences, flush=True)

    def done(self):
        return sum(sum(counts.values()) for counts in self.counts.values())

    def sum(self, kind):
        return sum(counts[kind] for counts in self.counts.values())

    def tell(self):
        done = self.done()
        if not self.terminal and done % 100:
            return
        took = time.monotonic() - self.started
        line = f"{done} of {self.total}, {self.sum(trial.DIFFERENT)} different, {took:.0f} s" + \
            (f", {took / done * (self.total - done):.0f} s left" if done > 20 else "")
        print(f"\r\033[K{line}" if self.terminal else line, end="" if self.terminal else "\n", flush=True)

    def clear(self):
        if self.terminal:
            print("\r\033[K", end="")

    def summary(self):
        """A table of the suites and levels, and the suites' last line."""
        self.clear()
        print(f"\n{'suite':14s} {'level':10s} {'run':>6s}" + "".join(f"{kind:>16s}" for kind in KINDS))
        for (suite, level), counts in sorted(self.counts.items()):
            run = sum(counts[kind] for kind in KINDS[:3])
            print(f"{suite:14s} {level:10s} {run:6d}" + "".join(f"{counts[kind]:16d}" for kind in KINDS))
        run = sum(self.sum(kind) for kind in KINDS[:3])
        total = f"{run:6d}" + "".join(f"{self.sum(kind):16d}" for kind in KINDS)
        print(f"{'all':14s} {'':10s} {total}   {time.monotonic() - self.started:.0f} s")
        print(f"{self.sum(trial.SAME) + self.sum(trial.KNOWN)} passed, {self.sum(trial.DIFFERENT)} failed")


def show_last(kind):
    """Prints what the last run found of a kind."""
    if kind == "differences":
        kind = trial.DIFFERENT
    try:
        with open(RESULTS) as file:
            lines = [line.rstrip("\n").split("\t") for line in file]
    except FileNotFoundError:
        sys.exit("no run yet")
    for _, level, name, _, cause in (line for line in lines if line[0] == kind):
        print(f"{name} [{level}]" + (f": {cause}" if cause else ""))


# ---- running -------------------------------------------------------------------------------------


def sample(root):
    """The tests that the file `sample` names: a line with a level in brackets, then names."""
    suites = {suite.folder: suite for suite in plan.SUITES}
    tests, level = [], None
    with open(os.path.join(HERE, "sample")) as file:
        for line in filter(None, (line.split("#")[0].strip() for line in file)):
            if line.startswith("["):
                level = line.strip("[]")
                continue
            for name in line.split():
                tests.append(plan.make(root, suites[os.path.dirname(name)], name, level))
    return tests


def chosen(root, given):
    """The tests to run."""
    if SAMPLE:
        return sample(root)

    def wanted(name):
        return not given.match or any(fnmatch.fnmatchcase(part, glob) for glob in given.match
                                      for part in (name, os.path.basename(name)))

    levels = given.levels.split(",") if given.levels else plan.LEVELS
    return plan.everything(root, levels, wanted, max(given.sample, 1))


def run_all(tests, trials, progress, jobs):
    """Threads suffice: all they do is to wait for processes."""
    with concurrent.futures.ThreadPoolExecutor(max(jobs, 1)) as pool:
        try:
            for future in concurrent.futures.as_completed([pool.submit(trials.run, test) for test in tests]):
                progress.add(future.result())
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def main():
    given = options()
    if given.list and given.list != "tests":
        return show_last(given.list)
    os.makedirs(os.path.dirname(RESULTS), exist_ok=True)
    try:
        root = sources.extract(FOLDER)
    except sources.Missing as reason:
        print(f"skip torture: {reason}\n0 passed, 0 failed")
        return 0 if SAMPLE else 1
    tests = chosen(root, given)
    if given.list:
        return print(*tests, sep="\n")
    tools.limit_files()
    kit = tools.Tools(BUILD, given.plugin_args.split(), given.probes)
    work = tempfile.mkdtemp(prefix="work-", dir=FOLDER)
    print(f"{kit.identity}; plugin: {' '.join(kit.plugin_args) or 'no options'}; probes: {kit.probes}; "
          f"{len(tests)} tests, {given.jobs} jobs", flush=True)
    progress = Progress(len(tests), Known())
    cache = Cache(kit.identity + open(os.path.join(root, ".from")).read(), given.fresh)
    try:
        run_all(tests, trial.Trials(root, work, kit, cache, given.keep), progress, given.jobs)
    except KeyboardInterrupt:
        print("\ninterrupted")
        return 130
    finally:
        progress.summary()
        if not given.keep:
            shutil.rmtree(work, ignore_errors=True)
    return progress.sum(trial.DIFFERENT) > 0


if __name__ == "__main__":
    sys.exit(main())
