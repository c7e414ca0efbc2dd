# SPDX-License-Identifier: GPL-3.0-or-later
"""A program's own test suite, run plain and recorded: built twice, tested twice, results compared,
recording checked.

Used by run.py. Each side has a copy of the source in $BUILD/world/suites/NAME/tree-{0,1}; the
recording is beside them. Nothing that a suite starts outlives it.
"""
import collections
import ctypes
import dataclasses
import glob
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import time

import world

JOBS = os.environ.get("JOBS", str(len(os.sched_getaffinity(0))))  # for building only
FOLDER = os.path.join(world.WORLD, "suites")
BUILD_LIMIT = 900  # seconds
GRACE = 3  # seconds that what a suite has left behind gets to end by itself
# The folder of each, beside one another; of the same length, since some tests depend on that of
# their path.
KINDS = {"plain": "tree-0", "probed": "tree-1"}
# Of `cinstr report`: nothing may be missing from a recording, in any process (sums of what is never
# negative).
MUST_BE_ZERO = ("conservation_ticks_off", "lost_events", "lost_threads", "unbalanced_events", "orphan_events")
# What `make world` exports for these scripts, and the caller's own settings: not for the programs.
NOT_PASSED_ON = {"CC", "CXX", "CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS", "BUILD", "ROOT", "PYTHON", "MAKEFLAGS",
                 "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES", "SOURCES", "PROGRAMS", "V"}
PR_SET_CHILD_SUBREAPER = 36


@dataclasses.dataclass
class Suite:
    """How a program is built and tested. Commands are shell lines, run in the program's folder;
    {cc} is the compiler, with the plugin or without, quoted; {here} the folder of these scripts,
    {jobs} how many jobs to build with."""
    name: str
    build: list
    test: list
    results: str  # regex: the lines of the test's output that are results (MULTILINE)
    failing: str = r"$^"  # regex: those of them that are failures
    # (regex, replacement) in these lines: what may differ
    scrub: list = dataclasses.field(default_factory=list)
    same_files: list = dataclasses.field(default_factory=list)  # globs: configured alike
    env: dict = dataclasses.field(default_factory=dict)
    limit: int = 300  # seconds for the tests of one side
    least: int = 1  # results that there must be


@dataclasses.dataclass
class Outcome:
    """What became of one suite; a row of the table."""
    name: str
    tests: int = 0
    same: int = 0
    different: int = 0
    failing: int = 0
    processes: int = 0
    events: int = 0
    seconds: dict = dataclasses.field(default_factory=dict)


class Problem(Exception):
    """Why a suite cannot be judged."""


# ---- running -------------------------------------------------------------------------------------


def become_reaper():
    """Daemons that a suite leaves behind become children of this process, which can then end
    them."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def parents():
    """{pid: pid of its parent} of all processes."""
    found = {}
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(path) as file:
                text = file.read()
        except OSError:
            continue
        found[int(text.split(" ", 1)[0])] = int(text.rpartition(")")[2].split()[1])
    return found


def descendants():
    """Processes below this one, without the ended."""
    tree, found = parents(), []
    for pid in tree:
        above = pid
        while above in tree and above != os.getpid():
            above = tree[above]
        if above == os.getpid() and pid != above:
            found.append(pid)
    return found


def reap():
    """Buries ended children."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def end_leftovers(grace):
    """Ends what the last command has left running. Returns how many had to be killed."""
    killed, until = set(), time.monotonic() + grace
    while True:
        reap()
        left = descendants()
        if not left:
            return len(killed)
        if time.monotonic() >= until:
            for pid in left:
                killed.add(pid)
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
        time.sleep(0.05)


def environment(suite):
    clean = {k: v for k, v in os.environ.items() if not k.startswith("CINSTR") and k not in NOT_PASSED_ON}
    return {**clean, "LC_ALL": "C", "LANG": "C", **suite.env}


def run(command, folder, log, env, limit):
    """Runs an argument vector, output appended to `log`. Returns (exit status, or None when it took
    too long, seconds)."""
    start = time.monotonic()
    with open(log, "ab") as output:
        child = subprocess.Popen(command, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=output,
                                 stderr=subprocess.STDOUT, start_new_session=True)
        try:
            status = child.wait(timeout=limit)
        except subprocess.TimeoutExpired:
            status = None
            end_leftovers(0)
            child.wait()
    seconds = time.monotonic() - start
    end_leftovers(GRACE)
    return status, seconds


# ---- one side: plain or probed -------------------------------------------------------------------


class Side:
    """A suite's program as built with or without the plugin."""

    def __init__(self, suite, kind):
        self.suite, self.kind = suite, kind
        self.base = os.path.join(FOLDER, suite.name)
        self.folder = os.path.join(self.base, KINDS[kind])
        self.log = os.path.join(self.base, kind + ".log")
        self.data = os.path.join(self.base, "data")

    def compiler(self):
        plugin = ["-fplugin=" + world.PLUGIN] if self.kind == "probed" else []
        return shlex.quote(" ".join([*world.CC, *plugin]))

    def script(self, commands):
        """All commands as one shell line."""
        values = {"{cc}": self.compiler(), "{here}": shlex.quote(world.HERE), "{jobs}": JOBS}
        text = "\n".join(commands)
        for name, value in values.items():
            text = text.replace(name, value)
        return ["bash", "-c", text]

    def tail(self):
        with open(self.log, errors="replace") as file:
            return "\n".join(file.read().splitlines()[-12:])

    def copy_source(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(os.path.join(world.WORLD, self.suite.name), self.folder, symlinks=True)
        if os.path.exists(self.log):
            os.unlink(self.log)

    def make(self):
        """Builds the program. What it runs while it is built is not recorded."""
        self.copy_source()
        env = {**environment(self.suite), "CINSTR": "off"}
        status, seconds = run(self.script(["set -e", *self.suite.build]), self.folder, self.log, env, BUILD_LIMIT)
        if status != 0:
            raise Problem(f"{self.kind} build: exit status {status}\n{self.tail()}")
        return seconds

    def test(self):
        """Runs the tests, recorded if there is something to record. Returns (results, seconds)."""
        shutil.rmtree(self.data, ignore_errors=True)
        before = os.path.getsize(self.log)
        wrap = [world.COMMAND, "record", "-o", self.data, "--"] if self.kind == "probed" else []
        status, seconds = run([*wrap, *self.script(self.suite.test)], self.folder, self.log,
                              environment(self.suite), self.suite.limit)
        if status is None:
            raise Problem(f"{self.kind} tests take more than {self.suite.limit} s\n{self.tail()}")
        with open(self.log, errors="replace") as file:
            file.seek(before)
            found = self.results(file.read())
        found.append(f"exit status {status}")
        return found, seconds

    def results(self, text):
        """The result lines, without what is allowed to differ."""
        text = re.sub(r"\x1b\[[\d;]*m", "", text)  # colours
        # what `cinstr record` says at its end
        text = re.sub(r"^cinstr: recorded .*\n", "", text, flags=re.MULTILINE)
        lines = [m.group(0) for m in re.finditer(self.suite.results, text, re.MULTILINE)]
        for pattern, new in [(re.escape(self.folder), "@"), *self.suite.scrub]:
            lines = [re.sub(pattern, new, line) for line in lines]
        return lines


# ---- judging -------------------------------------------------------------------------------------


def compare(plain, probed):
    """(number of equal results, [lines that tell the differences])."""
    a, b = collections.Counter(plain), collections.Counter(probed)
    lines = ["- " + line for line in (a - b).elements()] + ["+ " + line for line in (b - a).elements()]
    return sum((a & b).values()), lines


def different_files(suite, sides):
    """Files that both builds should have made alike, and have not."""
    found = []
    for pattern in suite.same_files:
        paths = sorted(glob.glob(os.path.join(sides["plain"].folder, pattern)))
        if not paths:
            found.append(pattern + " (missing)")
        for path in paths:
            name = os.path.relpath(path, sides["plain"].folder)
            with open(path, "rb") as a, open(os.path.join(sides["probed"].folder, name), "rb") as b:
                if a.read() != b.read():
                    found.append(name)
    return found


def session_totals(folder):
    """Totals of a session by `cinstr report`."""
    done = subprocess.run([world.COMMAND, "report", "--format=json", "--limit=1", folder], capture_output=True,
                          text=True, timeout=BUILD_LIMIT)
    if done.returncode:
        raise Problem(f"report: exit status {done.returncode}: {done.stderr.strip()[-500:]}")
    return json.loads(done.stdout)["session"]


def strays(folder):
    """Recordings that are not where they should be: the environment did not reach a process."""
    return [os.path.join(path, name) for path, folders, _ in os.walk(folder) for name in folders
            if name.startswith("cinstr.data")]


def judge_recording(side, outcome):
    """None or what is wrong with the recording."""
    if not os.path.isdir(side.data):
        return "nothing was recorded"
    try:
        totals = session_totals(side.data)
    except (Problem, ValueError, KeyError) as reason:
        return str(reason)
    outcome.processes, outcome.events = totals["processes"], totals["events"]
    bad = {k: totals[k] for k in MUST_BE_ZERO if totals[k]}
    files = len(glob.glob(os.path.join(side.data, "*.cinstr")))
    if files != outcome.processes:
        bad["files"] = files
    if not outcome.events:
        bad["events"] = 0
    away = strays(side.folder) + glob.glob(side.data + ".*")
    if away:
        bad["recorded elsewhere"] = away[:3]
    return f"{bad} in {outcome.processes} processes" if bad else None


def judge_results(suite, results, outcome):
    """None or how the results differ."""
    outcome.tests = len(results["plain"])
    outcome.failing = sum(bool(re.search(suite.failing, line)) for line in results["plain"])
    outcome.same, lines = compare(results["plain"], results["probed"])
    outcome.different = max(sum(line[0] == sign for line in lines) for sign in "-+") if lines else 0
    problems = []
    if outcome.tests < suite.least:
        problems.append(f"only {outcome.tests} results, expected {suite.least}")
    if lines:
        problems.append("\n".join([f"{outcome.different} of {outcome.tests} results differ", *lines[:20]]))
    return "; ".join(problems) or None


def tidy(side):
    """Recordings of many processes are large. The logs stay."""
    shutil.rmtree(side.data, ignore_errors=True)
    shutil.rmtree(side.folder, ignore_errors=True)


def build_and_test(sides, outcome, say):
    """Both sides, one after the other. Returns {kind: results}."""
    results = {}
    for kind, side in sides.items():
        say(f"{outcome.name}: building {kind}")
        took = side.make()
        say(f"{outcome.name}: built {kind} in {took:.0f} s; testing")
        results[kind], outcome.seconds[kind] = side.test()
    return results


def judge(suite, sides, outcome, say):
    """Generates (name, None or what is wrong) for each thing checked."""
    try:
        results = build_and_test(sides, outcome, say)
        files = different_files(suite, sides)
        yield f"{suite.name}: configured alike", "differ: " + ", ".join(files) if files else None
        problem = judge_results(suite, results, outcome)
        yield f"{suite.name}: same results, {outcome.tests}", problem
        problem = judge_recording(sides["probed"], outcome)
        yield f"{suite.name}: {outcome.processes} processes recorded, {outcome.events} events", problem
    except (Problem, OSError, subprocess.SubprocessError) as reason:
        yield suite.name, str(reason)


def run_suite(suite, verdict, say):
    """Runs a suite both ways. verdict(name, problem or None) is called for each thing checked,
    say(text) tells progress. What was built and recorded goes unless something is wrong or KEEP
    is set. Returns the Outcome."""
    outcome, good = Outcome(suite.name), True
    sides = {kind: Side(suite, kind) for kind in KINDS}
    os.makedirs(os.path.join(FOLDER, suite.name), exist_ok=True)
    for name, problem in judge(suite, sides, outcome, say):
        verdict(name, problem)
        good = good and not problem
    if good and not os.environ.get("KEEP"):
        for side in sides.values():
            tidy(side)
    return outcome
