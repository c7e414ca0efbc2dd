# SPDX-License-Identifier: GPL-3.0-or-later
"""What every fault uses: trials that are counted, and what "survived" means.

A fault is a function that gets its Trials, prepares (compiles), and returns a function of the
trial's number, which does the harm once: it returns when that was survived, raises Failure when
not, Skip when it cannot be done here.
"""
import os
import random
import re
import shutil
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../lab"))

import lab  # noqa: E402
from lab import Failure, Skip, check, equal, same_run  # noqa: E402, F401

FAULTS = []
NOTHING = "nothing"


class Fault:
    def __init__(self, name, runs, how, prepare):
        self.name, self.runs, self.how, self.prepare = name, runs, how, prepare


def fault(name, runs, how):
    """runs: how often for `make check`, and for the full run. how: one line that says how it is
    done."""

    def register(prepare):
        FAULTS.append(Fault(name, runs, how, prepare))
        return prepare

    return register


class Trials:
    """One fault's trials: a scratch folder each, in a common one with the programs."""

    def __init__(self, name, runs, seed):
        self.bench = lab.Bench("fault " + name)
        os.chmod(self.bench.folder, 0o755)  # for other users
        self.runs, self.seed = runs, seed
        self.random = random.Random(f"{seed} {name}")
        self.done = self.survived = 0
        self.problems = []
        # what is lost when it is survived; may name {most}, the largest number that was lost
        self.lost = NOTHING
        self.known = False  # it is known not to be survived
        self.most = 0
        self.folder = self.bench.folder
        self.compiled = {}

    # ---- programs --------------------------------------------------------------------------------

    def compile(self, source, *flags, plugin=lab.PLUGIN, output=None):
        name = output or os.path.splitext(os.path.basename(source))[0] + ("" if plugin else ".plain")
        if name not in self.compiled:
            path = source if os.path.isabs(source) else os.path.join(HERE, "programs", source)
            if not os.path.exists(path):
                path = source  # one of the end-to-end tests'
            self.compiled[name] = self.bench.compile(path, name, "-O2", "-w", *flags, plugin=plugin)
        return self.compiled[name]

    def both(self, source, *flags):
        """The program with probes, and without."""
        return self.compile(source, *flags), self.compile(source, *flags, plugin=None)

    def run(self, *command, **more):
        """In the trial's folder."""
        return self.bench.run(*command, cwd=more.pop("cwd", self.folder), **more)

    def start(self, *command, **more):
        return self.bench.start(*command, cwd=more.pop("cwd", self.folder), **more)

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    # ---- what survived means ---------------------------------------------------------------------

    def totals(self, session="cinstr.data", by="thread"):
        """R10 of a session that report and info can read. Returns its totals."""
        session = self.path(session)
        text = self.run(lab.COMMAND, "info", session, status=0).stdout
        done = self.bench.json("report", f"--by={by}", session)
        totals = done["session"]
        equal(totals["conservation_ticks_off"], 0, "conservation_ticks_off")
        equal(totals["unbalanced_events"], 0, "unbalanced_events")
        totals["info"], totals["rows"] = text, done["rows"]
        return totals

    def functions(self, session="cinstr.data"):
        """Calls by name, of all modules together."""
        calls = {}
        for row in self.totals(session, "function")["rows"]:
            name = row["name"].split("(")[0]
            calls[name] = calls.get(name, 0) + (row["calls"] or 0)
        return calls

    def truth(self):
        """Entries that the program itself counted (count.h). None, if it was killed before the
        first."""
        try:
            with open(self.path("truth"), "rb") as file:
                data = file.read()
        except FileNotFoundError:
            return 0
        return sum(int.from_bytes(data[i:i + 8], "little") for i in range(0, len(data), 8))

    def all_there(self, session="cinstr.data", threads=1, late=0):
        """Nothing is lost: entries as the program counted them; each thread may have been between
        its probe and its count. late: so many may have been made behind the end of their
        threads, counted as lost."""
        totals, truth = self.totals(session), self.truth()
        lost = truth - totals["enters"]
        if 0 < lost <= late:
            check(totals["lost_events"] >= lost, f"{lost} entries lost, {totals['lost_events']} events said to be")
            self.lose(lost)
            return totals
        check(-threads <= lost <= 0, f"{totals['enters']} entries recorded, made: {truth}")
        equal((totals["lost_events"], totals["lost_threads"]), (0, 0), "lost events and threads")
        return totals

    def stated(self, got, session="cinstr.data"):
        """Recording ended early: the program's stderr and info say so. Or it did not: nothing is
        lost."""
        said = said_lines(got.stderr)
        if not os.path.isdir(self.path(session)) or not data_files(self.path(session)):
            check(said, "there is no data, and nobody said so")
            return None
        totals = self.totals(session)
        stopped = re.search(r"^ +stopped +(.*)$", totals["info"], re.M)
        if stopped:
            check(said or totals["live"], f"recording stopped ({stopped.group(1)}), and nobody said so")
            self.lose(self.truth() - totals["enters"])
            check(got.returncode or "after exit's handlers (status 0)" in totals["info"],
                  "info does not say how it ended")
        else:
            equal(totals["lost_threads"], 0, "lost threads")
            truth = self.truth()
            check(truth <= totals["enters"] <= truth + 1, f"{totals['enters']} entries recorded, made: {truth}")
        return totals

    def lose(self, n):
        self.most = max(self.most, n)

    # ---- a trial ---------------------------------------------------------------------------------

    def once(self, function, number):
        self.folder = self.bench.path("trial")
        shutil.rmtree(self.folder, ignore_errors=True)
        os.mkdir(self.folder)
        os.chmod(self.folder, 0o777)
        try:
            with lab.limited(self.bench):
                function(number)
        except Failure as reason:
            self.problems.append(f"trial {number}: {reason}")
        else:
            self.survived += 1
        finally:
            self.done += 1
            self.bench.end()
            self.bench.started.clear()


def said_lines(stderr):
    return [line for line in stderr.splitlines() if line.startswith("cinstr: ")]


def same_but_said(got, expected, most=1):
    """The program's own result; the runtime may have said at most one line."""
    said = said_lines(got.stderr)
    check(len(said) <= most, f"more than {most} line said: {got.stderr!r}")
    got.stderr, all_of_it = "".join(line for line in got.stderr.splitlines(True) if line.rstrip("\n") not in said), \
        got.stderr
    same_run(got, expected)
    got.stderr = all_of_it
    return got


def data_files(folder):
    return [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if name.endswith(".cinstr")]


def wait_for_data(process, session, seconds=120):
    """Until the process records."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            for path in data_files(session):
                with open(path, "rb") as file:
                    if file.read(6) == b"CINSTR":
                        return
        except OSError:
            pass
        if process.poll() is not None:
            raise Failure(f"it ended by itself, with {process.returncode}")
        time.sleep(0.001)
    raise Failure("it does not begin to record")
