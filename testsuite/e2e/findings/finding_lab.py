# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs with a planted problem, and what cinstr summary finds in them."""
import collections
import os
import re
import shutil
import time

import lab
import quiet

FOLDER = "programs/findings/"
TRIES = 8  # of each recording


class FalseAlarm(lab.Failure):
    """In whichever recording it is told: it is wrong."""


class Again(Exception):
    """Not yet known of the last recording."""


class Found(list):
    """What one recording tells. before: what was told of those that were made instead of it
    earlier."""

    before = ()


class Recordings:
    """What a test has recorded, in order. When something is wrong the last one is made again, since
    those before it were right; each fourth time all of them, as it may be about several. Of each
    one quiet.Runs decides: wrong twice without a neighbour is wrong; so is what is wrong in each of
    TRIES."""

    def __init__(self):
        self.made, self.runs, self.next, self.failures = [], collections.defaultdict(lambda: quiet.Runs(TRIES)), 0, 0
        self.replaced = {}

    def take(self, record):
        """What `record` returns, or has returned before. All that was told of the recording before
        it is right, then."""
        self.settle()
        if self.next == len(self.made):
            watch = quiet.Watch(quiet.MANY)
            self.made.append([record(), watch.disturbed(), False])
            self.keep(self.made[-1][0])
        self.next += 1
        return self.made[self.next - 1][0]

    def settle(self, reason=None):
        """Counts the last recording that was taken."""
        if not self.next or self.made[self.next - 1][2]:
            return
        last = self.made[self.next - 1]
        runs = self.runs[self.next]
        if not runs.decide(reason, last[1]) and runs.may_go_on():
            raise Again
        last[2] = True

    def keep(self, result):
        """Tells what is found now what was found before it."""
        now = result if isinstance(result, list) and not isinstance(result, Found) else [result]
        before = self.replaced.get(self.next, [])
        for number, one in enumerate(now):
            if isinstance(one, Found):
                one.before = [earlier[number] for earlier in before]
        self.replaced[self.next] = before + [now]

    def again(self):
        """Of a test that begins anew. Whoever takes the processor from it may soon have gone."""
        self.failures += 1
        time.sleep(min(self.failures, 4) / 4)
        del self.made[self.next - 1 if self.failures % 4 else 0:]
        self.next = 0


def test(name, quiet=False):
    """As lab.test. On a busy machine threads wait for other reasons than the planted one: such
    recordings are made again (Recordings). A false alarm fails at once."""

    def register(function):
        lab.test("findings/" + name, quiet)(lambda bench: run(function, bench))
        return function

    return register


def run(function, bench):
    bench.recordings = recordings = Recordings()
    while True:
        try:
            try:
                function(bench)
                return recordings.settle()
            except FalseAlarm:
                raise
            except lab.Failure as reason:
                if not recordings.next:
                    raise
                recordings.made[recordings.next - 1][2] = False
                recordings.settle(lab.TimeFailure(str(reason)))
        except Again:
            recordings.again()


def build(bench, sources, *flags):
    """Compiles programs/findings/SOURCES, a name or a list; the program's name."""
    names = [sources] if isinstance(sources, str) else sources
    output = os.path.splitext(names[0])[0]
    bench.compile([FOLDER + name for name in names], output, "-O1", "-pthread", *flags)
    return output


def findings(bench, session="cinstr.data"):
    """What --findings tells, the first one first."""
    return Found(bench.json("summary", "--findings", bench.path(session))["findings"])


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


def absent(found, *rules, but=()):
    """None of these, which may be beginnings of their names (none given: all), in this recording
    and in none that it was made instead of."""
    for recording in (*found.before, found):
        wrong = [one for one in recording if one["id"].startswith(rules or "") and one["id"] not in but]
        if wrong:
            raise FalseAlarm(f"false alarm: {wrong}")


def at(one, source, text):
    """The finding is at the line that holds `text`."""
    lab.equal((os.path.basename(one["file"] or ""), one["line"]), (source, line_of(source, text)), "place")
