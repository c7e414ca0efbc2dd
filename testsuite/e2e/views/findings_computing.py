# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings on computing: of each rule a program that shows it, told with its figures and its place,
and programs that look like it and are silent."""
import os
import re

import lab

FOLDER = "programs/findings/"
RULES = {
    "scan": "201", "search": "202", "recursion": "203", "allocation": "204", "formatting": "205",
    "exceptions": "206", "short": "207", "pointer": "208", "hot": "209",
}


def findings(bench, session):
    """Text by id."""
    found = bench.json("summary", "--findings", bench.path(session))["findings"]
    return {one["id"][-3:]: f"{one['subject']} {one['text']}" for one in found}


def build(bench, sources, *flags):
    names = [sources] if isinstance(sources, str) else sources
    output = os.path.splitext(names[0])[0]
    bench.compile([FOLDER + name for name in names], output, "-O2", *flags)
    return output


def look(bench, program, *args, method=()):
    session = "-".join([program, *args, *[word.strip("-") for word in method]])
    bench.run(lab.COMMAND, "record", *method, "-o", session, "./" + program, *args, status=0)
    return findings(bench, session)


def tells(found, rule, pattern, what):
    text = found.get(RULES[rule], "")
    lab.check(re.search(pattern, text), f"{what}: {rule}: {text!r}, expected {pattern!r}; all: {found}")


def silent(found, what, *rules):
    for rule in rules:
        lab.check(RULES[rule] not in found, f"{what}: {found}")


def line_of(name, text):
    with open(os.path.join(lab.E2E, FOLDER, name)) as file:
        return next(n for n, line in enumerate(file, 1) if text in line)


@lab.test("findings/scans in a loop")
def scans(bench):
    program = build(bench, "scans.c", "-fno-builtin-strcat")
    place = line_of("scans.c", "i < strlen(s)")
    tells(look(bench, program, "strlen"), "scan",
          rf"strlen is called 40,001 times for each call of upper \(scans.c:{place}\)", "strlen")
    tells(look(bench, program, "strcat"), "scan", r"strcat is called 20,000 times for each call of join", "strcat")
    tells(look(bench, program, "front"), "scan", r"memmove is called 40,000 times for each call of insert_front", "front")
    for what in "once", "lines", "back":
        silent(look(bench, program, what), what, "scan")


@lab.test("findings/a search in a loop")
def searches(bench):
    program = build(bench, "quadratic.c")
    place = line_of("quadratic.c", "!find(&name)")
    tells(look(bench, program, "list"), "search",
          rf"called 1,500 times for each call of collect_list \(quadratic.c:{place}\), and calls same 750 times each", "list")
    for what in "hash", "image", "requests":
        silent(look(bench, program, what), what, "search", "scan")


@lab.test("findings/a recursion that explodes")
def recursions(bench):
    program = build(bench, "recursion.c", "-fno-optimize-sibling-calls")
    tells(look(bench, program, "again"), "recursion", r"calls itself [12],\d{3},\d{3} times for each call", "again")
    for what in "kept", "tree":
        silent(look(bench, program, what), what, "recursion")


@lab.test("findings/memory allocation")
def allocations(bench):
    program = build(bench, "allocations.c")
    tells(look(bench, program, "copies"), "allocation", r"400,000 blocks, 20 a call \(allocations.c:\d+\)", "copies")
    silent(look(bench, program, "places"), "places", "allocation")


@lab.test("findings/text formatting")
def formatting(bench):
    program = build(bench, "formatting.c")
    tells(look(bench, program, "all"), "formatting", r"with_key .*snprintf and the like, 200,000 calls", "all")
    silent(look(bench, program, "some"), "some", "formatting")
    program = build(bench, "streams.cc")
    tells(look(bench, program, "all"), "formatting", r"describe", "streams, all")
    silent(look(bench, program, "some"), "streams, some", "formatting")


@lab.test("findings/exceptions")
def exceptions(bench):
    program = build(bench, "exceptions.cc")
    place = line_of("exceptions.cc", "throw std")
    tells(look(bench, program, "throws"), "exceptions", rf"throws 40,000 exceptions \(exceptions.cc:{place}\)", "throws")
    for what in "tells", "rare":
        silent(look(bench, program, what), what, "exceptions")


@lab.test("findings/short functions in other files")
def short(bench):
    both = ["calls_across.c", "calls_across_table.c"]
    tells(look(bench, build(bench, both)), "short", r"called 2,000,000 times from another source file, by main", "across")
    silent(look(bench, build(bench, both, "-DWORK=200"), "20000"), "work", "short")
    silent(look(bench, build(bench, both[0], "-DSAME")), "same file", "short")


@lab.test("findings/a pointer with one target")
def pointers(bench):
    program = build(bench, "virtual.cc")
    tells(look(bench, program, "one"), "pointer", r"square::area.* 1,000,000 times through a pointer", "one")
    silent(look(bench, program, "two"), "two", "pointer")


@lab.test("findings/a hot spot")
def hot(bench):
    program = build(bench, "hotspot.c")
    tells(look(bench, program, "one"), "hot", r"solve .*8\d % of the computing, by itself, in 200 calls", "one")
    silent(look(bench, program, "even"), "even", "hot")


@lab.test("findings/computing, mixed")
def mixed(bench):
    """Calls are exact, or told to be at least so many."""
    program = build(bench, "exceptions.cc")
    found = look(bench, program, "throws", method=("--mixed",))
    tells(found, "exceptions", r"throws (at least \d[\d,]*|40,000) exceptions", "throws")
    program = build(bench, "scans.c")
    tells(look(bench, program, "front", method=("--mixed",)), "scan", r"memmove is called 40,000 times", "front")


@lab.test("findings/computing, samples")
def sampled(bench):
    """Shares, and nothing of calls."""
    program = bench.compile(FOLDER + "formatting.c", "formatting", "-O2", plugin=None)
    bench.run(lab.COMMAND, "record", "--sample", "-o", "samples", program, "all", "2000000", status=0)
    found = findings(bench, "samples")
    tells(found, "formatting", r"with_key .*of the samples", "all")
    silent(found, "samples", "scan", "search", "recursion", "short", "pointer")
