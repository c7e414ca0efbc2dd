#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes the source in one place at a time, and counts how many of the changes the tests notice.

mutants.py [--sample N] [--seed N] [--jobs N] [--only GLOB] [--resume] [--seconds N] [--survivors]
           [--quick]
mutants.py --check

The changes are of FOLDERS: operators, constants, conditions, statements, returned values
(changes.py). Of all of them a sample is drawn by a seed. Each is made in a copy of the source
($BUILD/mutants), compiled, and shown to the tests that are likely to notice it, until one fails, or
crashes, or does not end (notices.py). A change that does not compile, or compiles to the same code,
or is in equivalent.txt, is replaced by the next one.

--only GLOB: changes of these files. --resume: takes what runs before found out about the same
change of the same file. --seconds N: begins no more trials after that. --survivors: tries again
what nobody noticed. --quick: without end-to-end tests. --check: whether each entry of
equivalent.txt is a change of the source as it is; for lint.

Prints each change that nobody noticed. Exit status 0: at least 95 of 100 were noticed.
"""
import argparse
import concurrent.futures
import fnmatch
import glob
import hashlib
import json
import os
import queue
import random
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.abspath(os.path.join(HERE, "../.."))
os.environ.setdefault("BUILD", os.path.join(ROOT, "build"))
sys.path.append(os.path.join(HERE, "../lab"))

import changes  # noqa: E402
import equivalent  # noqa: E402
import notices  # noqa: E402
import trial  # noqa: E402
import tree  # noqa: E402

FOLDERS = ["runtime/fold", "runtime/choice", "report/values", "report/rows", "report/mixed", "report/findings"]
WORK = os.path.join(os.path.abspath(os.environ["BUILD"]), "mutants")
WANTED = 0.95


def sources():
    return {os.path.relpath(path, ROOT): read(path)
            for folder in FOLDERS for path in sorted(glob.glob(os.path.join(ROOT, folder, "*.[ch]")))}


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def all_changes(texts):
    return [change for path, text in texts.items() for change in changes.changes_of(path, text)]


def name_of(change, text):
    """Of a change of this very file."""
    return hashlib.sha256(repr((text, change.path, change.begin, change.end, change.text)).encode()).hexdigest()[:16]


class Results:
    """What became of each change, kept for --resume and --survivors."""

    def __init__(self, path):
        self.path, self.lock, self.known = path, threading.Lock(), {}
        if os.path.exists(path):
            self.known = json.loads(read(path))

    def put(self, name, how):
        with self.lock:
            self.known[name] = how
            with open(self.path + ".new", "w", encoding="utf-8") as file:
                json.dump(self.known, file)
            os.rename(self.path + ".new", self.path)


class Run:
    """Tries changes in the order of the sample until enough of them count."""

    def __init__(self, options, texts, sample, results):
        self.options, self.texts, self.sample, self.results = options, texts, sample, results
        self.explained = equivalent.read(os.path.join(HERE, "equivalent.txt"))
        self.counted, self.same, self.survivors = 0, 0, []
        self.trees, self.end = queue.SimpleQueue(), 0

    def prepare(self):
        for number in range(self.options.jobs):
            one = tree.Tree(ROOT, os.path.join(WORK, f"copy-{number}"))
            one.prepare(self.options.jobs)
            self.trees.put(one)
        self.end = time.monotonic() + self.options.seconds

    def go(self):
        """Batches of as many as are still wanted, so that the order decides which ones count."""
        left = iter(self.sample)
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            while self.counted < self.options.sample and time.monotonic() < self.end:
                batch = [change for change, _ in zip(left, range(self.options.sample - self.counted))]
                if not batch:
                    return
                for change, how in zip(batch, pool.map(self.one, batch)):
                    self.count(change, how)

    def count(self, change, how):
        if how == "same":
            self.same += 1
        elif how and how != "broken":
            self.counted += 1
            if how == "survived":
                self.survivors.append(change)

    def one(self, change):
        text = self.texts[change.path]
        name = name_of(change, text)
        how = self.results.known.get(name) if self.options.resume else None
        if equivalent.key_of(change) in self.explained:
            return "same"
        if how or time.monotonic() > self.end:
            return how
        copy = self.trees.get()
        begin = time.monotonic()
        try:
            how = trial.try_change(copy, change, text, self.options.quick)
        finally:
            self.trees.put(copy)
        self.results.put(name, how)
        if how not in ("broken", "same"):
            print(f"{how:60.60} {time.monotonic() - begin:5.1f} s  {change.path}:{change.line}", flush=True)
        if how == "survived":
            print(change, flush=True)
        return how


def chosen(options, texts, results):
    found = all_changes(texts)
    if options.only:
        found = [change for change in found if fnmatch.fnmatch(change.path, options.only)]
    random.Random(options.seed).shuffle(found)
    found = list(dict.fromkeys(found))  # "return 0" is both a constant and a value
    if options.survivors:
        found = [change for change in found if results.known.get(name_of(change, texts[change.path])) == "survived"]
        options.sample, options.resume = len(found), False
    return found


def check(texts):
    """Prints entries of the list that are no change of the source."""
    known = {equivalent.key_of(change) for change in all_changes(texts)}
    wrong = [key for key in equivalent.read(os.path.join(HERE, "equivalent.txt")) if key not in known]
    for path, before, after in wrong:
        print(f"testsuite/mutants/equivalent.txt: {path} has no such change: {before} -> {after}")
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1])
    parser.add_argument("--sample", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=min(2, os.cpu_count() or 1))
    parser.add_argument("--only")
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--survivors", action="store_true")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    texts = sources()
    if options.check:
        return check(texts)
    os.makedirs(WORK, exist_ok=True)
    results = Results(os.path.join(WORK, "results.json"))
    run = Run(options, texts, chosen(options, texts, results), results)
    run.prepare()
    run.go()
    noticed = run.counted - len(run.survivors)
    if run.survivors:
        print("\nNobody noticed:")
    for change in run.survivors:
        print(change)
    print(f"{noticed} of {run.counted} changes noticed; {run.same} more change nothing")
    return 0 if noticed >= WANTED * run.counted else 1


if __name__ == "__main__":
    sys.exit(main())
