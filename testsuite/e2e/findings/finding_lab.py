# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs with a planted problem, and what cinstr summary finds in them."""
import collections
import os
import re
import shutil
import time

import lab

FOLDER = "programs/findings/"
ATTEMPTS = 8  # of each recording


class Recordings:
    """What a test has recorded, in order. When something is wrong the last one is made again, since
    those before it were right; each fourth time all of them, as it may be about several."""

    def __init__(self):
        self.found, self.next, self.failures = [], 0, collections.Counter()

    def take(self, record):
        if self.next == len(self.found):
            self.found.append(record())
        self.next += 1
        return self.found[self.next - 1]

    def again(self, reason):
        """Of a test that begins anew. Whoever takes the processor from it may soon have gone."""
        self.failures[self.next] += 1
        if self.failures[self.next] == ATTEMPTS:
            raise reason
        print(f"again: {reason}", flush=True)
        time.sleep(self.failures[self.next] / 2)
        del self.found[max(0, self.next - 1) if self.failures[self.next] % 4 else 0:]
        self.next = 0


def test(name, quiet=False):
    """As lab.test. On a busy machine threads wait for other reasons than the planted one: what is
    found must be right once in each recording."""

    def register(function):
        def attempts(bench):
            bench.recordings = Recordings()
            while True:
                try:
                    return function(bench)
                except lab.Failure as reason:
                    bench.recordings.again(reason)

        lab.test("findings/" + name, quiet)(attempts)
        return function

    return register


def build(bench, sources, *flags):
    """Compiles programs/findings/SOURCES, a name or a list; the program's name."""
    names = [sources] if isinstance(sources, str) else sources
    output = os.path.splitext(names[0])[0]
    bench.compile([FOLDER + name for name in names], output, "-O1", "-pthread", *flags)
    return output


def findings(bench, session="cinstr.data"):
    """What --findings tells, the first one first."""
    return bench.json("summary", "--findings", bench.path(session))["findings"]


def recorded(bench, folder, record):
    """What `record` returns, which makes a session `folder`; in a test of test() what it returned
    before, unless that was wrong."""

    def anew():
        shutil.rmtree(bench.path(folder), ignore_errors=True)
        return record()

    return bench.recordings.take(anew) if hasattr(bench, "recordings") else anew()


def look(bench, program, *args, method=(), status=0):
    """Runs it, recorded, and looks."""
    session = "-".join([program, *args, *[word.strip("-") for word in method]])

    def record():
        bench.run(lab.COMMAND, "record", *method, "-o", session, "./" + program, *args, status=status)
        return findings(bench, session)

    return recorded(bench, session, record)


def line_of(source, text):
    with open(os.path.join(lab.E2E, FOLDER, source)) as file:
        return next(n for n, line in enumerate(file, 1) if text in line)


def present(found, rule, subject, pattern, first=False, least=0):
    """There is one of the rule about `subject` (None: about none), whose text matches; first: it is
    the first; least: percent. Returns it."""
    of_rule = [one for one in found if one["id"] == rule and one["subject"] == subject]
    lab.check(of_rule, f"no {rule} about {subject}: {found}")
    one = of_rule[0]
    lab.check(re.search(pattern, one["text"]), f"{rule}: {one['text']!r}, expected {pattern!r}")
    lab.check(one["percent"] >= least, f"{rule}: {one['percent']} %, expected {least} at least")
    lab.check(not first or found[0] is one, f"{rule} is not the first: {found}")
    return one


def absent(found, *rules):
    """None of these; with no rules given: none at all."""
    wrong = [one for one in found if not rules or one["id"] in rules]
    lab.check(not wrong, f"false alarm: {wrong}")


def at(one, source, text):
    """The finding is at the line that holds `text`."""
    lab.equal((os.path.basename(one["file"] or ""), one["line"]), (source, line_of(source, text)), "place")
