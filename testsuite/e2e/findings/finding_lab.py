# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs with a planted problem, and what cinstr summary finds in them."""
import os
import re
import shutil

import lab

FOLDER = "programs/findings/"
ATTEMPTS = 4


def clear(folder):
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        shutil.rmtree(path) if os.path.isdir(path) and not os.path.islink(path) else os.unlink(path)


def test(name, quiet=False):
    """As lab.test. On a busy machine threads wait for other reasons than the planted one: what is
    found must be right once."""

    def register(function):
        def attempt(bench):
            clear(bench.folder)
            function(bench)

        lab.test("findings/" + name, quiet)(lambda bench: lab.attempts(lambda: attempt(bench), ATTEMPTS))
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


def look(bench, program, *args, method=(), status=0):
    """Runs it, recorded, and looks."""
    session = "-".join([program, *args, *[word.strip("-") for word in method]])
    bench.run(lab.COMMAND, "record", *method, "-o", session, "./" + program, *args, status=status)
    return findings(bench, session)


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
