# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs faults: every function marked @fault in the modules that have been imported, as often as it
says."""
import argparse
import fnmatch
import os
import shutil
import sys
import time
import traceback

import trial  # finds what the suites share
import markdown

BEGIN, END = "<!-- faults: begin -->", "<!-- faults: end -->"


def arguments(suite, what):
    parser = argparse.ArgumentParser(prog=f"testsuite/{suite}/run.sh", description=what)
    parser.add_argument("--full", action="store_true", help="the number of runs of a full count")
    parser.add_argument("--list", action="store_true", help="print the list in the end, as markdown")
    parser.add_argument("--write", metavar="FILE", help=f"put the lines into FILE's list, between {BEGIN} and {END}")
    parser.add_argument("--seed", default=None, help="of the random moments; it is printed when something fails")
    parser.add_argument("patterns", nargs="*", help="names of faults, as globs")
    return parser.parse_args()


class Row:
    def __init__(self, fault, trials, skipped=None):
        self.fault, self.trials, self.skipped = fault, trials, skipped
        self.lost = trials.lost.replace("{most}", f"{trials.most:,}") if trials else ""
        if trials and "{most}" in trials.lost and not trials.most:
            self.lost = f"{trial.NOTHING} in these runs"

    def item(self):
        """Its lines in the list of reliability.md."""
        if self.skipped:
            found = f"not run: {self.skipped}"
        else:
            found = f"{self.trials.survived:,} of {self.trials.done:,} survived; lost: {self.lost}"
        text = f"**{self.fault.name}**: {found}. How: {self.fault.how}"
        return "\n".join(markdown.wrapped(text, markdown.WIDTH, "- ", "  "))

    def is_good(self):
        return not self.trials or not self.trials.problems or (self.trials.known and not self.trials.survived)


def run_one(fault, full, seed, keep):
    trials = trial.Trials(fault.name, fault.runs[1 if full else 0], seed)
    start = time.monotonic()
    try:
        function = fault.prepare(trials)
        for number in range(trials.runs):
            trials.once(function, number)
    except trial.Skip as reason:
        print(f"skip {fault.name}: {reason}")
        return Row(fault, None, str(reason))
    except Exception as reason:
        what = str(reason) if isinstance(reason, trial.Failure) else traceback.format_exc(limit=-3)
        trials.problems.append(f"the test broke: {what}")
        trials.done += 1
    finally:
        trials.bench.end()
        if not keep:
            shutil.rmtree(trials.bench.folder, ignore_errors=True)
    row = Row(fault, trials)
    counts = f"runs {trials.done} survived {trials.survived} lost: {row.lost}"
    took = time.monotonic() - start
    if not row.is_good():
        print(f"FAIL {fault.name}: {counts} (seed {seed})")
        for problem in trials.problems[:3]:
            print("    " + problem.replace("\n", "\n    ")[:1500])
    else:
        print(f"ok {fault.name}: {counts}" + (f"  ({took:.1f} s)" if took > 2 else ""))
    sys.stdout.flush()
    return row


def write(path, rows):
    """Faults that were not run keep their lines."""
    with open(path) as file:
        before, rest = file.read().split(BEGIN)
    old, after = rest.split(END)
    items = {" ".join(item.split()).split("**")[1]: "- " + item.strip() for item in old.split("\n- ")[1:]}
    items.update({row.fault.name: row.item() for row in rows})
    with open(path, "w") as file:
        found = (items[fault.name] for fault in trial.FAULTS if fault.name in items)
        file.write(before + "\n".join([BEGIN, *found, END]) + after)


def main(suite, what):
    options = arguments(suite, what)
    seed = options.seed or str(int.from_bytes(os.urandom(4), "little"))
    rows = [run_one(fault, options.full, seed, bool(os.environ.get("KEEP"))) for fault in trial.FAULTS
            if not options.patterns or any(fnmatch.fnmatch(fault.name, p) for p in options.patterns)]
    if options.list:
        print("\n".join(row.item() for row in rows))
    if options.write:
        write(options.write, rows)
    failed = sum(1 for row in rows if not row.is_good())
    print(f"{sum(1 for row in rows if row.trials) - failed} passed, {failed} failed")
    return 1 if failed else 0

