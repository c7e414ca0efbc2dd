# SPDX-License-Identifier: GPL-3.0-or-later
"""Who ended which wait, and where, is what the program logs itself, whatever the machine does: of
mutexes, and of semaphores with one poster each."""
import collections

import lab

# Where give_first and give_second are places 0 and 1, as work_short and work_long are.
PLACES = {"give_first": "work_short", "give_second": "work_long"}


def truth_of(output):
    """{(kind, waiter, giver, place): waits}, and by kind those of more than 10 us"""
    waits, long = collections.Counter(), collections.Counter()
    for kind, waiter, giver, place, number, are_long in map(str.split, output.splitlines()):
        waits[kind, int(waiter), int(giver), place] += int(number)
        long[kind] += int(are_long)
    return waits, long


def found_by(bench, *args):
    """The same of `cinstr waits`, and by kind those of which nobody is known"""
    waits, unknown = collections.Counter(), collections.Counter()
    for row in bench.json("waits", *args)["waits"]:
        if row["ended_by"]:
            place = PLACES.get(row["ended_by"], row["ended_by"])
            waits[row["kind"], row["waiter_tid"], row["ended_by_tid"], place] += row["waits"]
        else:
            unknown[row["kind"]] += row["waits"]
    return waits, unknown


def compare(bench, program, *args, env):
    done = bench.run(program, *args, status=0, env=env)
    truth, long = truth_of(done.stdout)
    found, unknown = found_by(bench)
    for key, waits in found.items():
        if key[0] in long:
            lab.check(waits <= truth[key], f"{env}: {key}: {waits} waits, the program had {truth[key]}; all: {truth}")
    for kind, waits in long.items():
        known = sum(number for key, number in found.items() if key[0] == kind)
        lab.check(known >= waits * 0.95 - 5, f"{env}: {kind}: of {waits} waits that took long {known} are known, of {unknown[kind]} nobody is")
    return truth


@lab.test("waits/what a program knows itself")
def by_itself(bench):
    """Under any limit: calls that wait stay timed."""
    program = bench.compile("programs/lock_truth.c", "program", "-O2", "-g", "-pthread")
    for env in {}, {"CINSTR_MAX_OVERHEAD": "unlimited"}, {"CINSTR_MAX_OVERHEAD": "0"}:
        compare(bench, program, env=env)


@lab.test("waits/given once more before the waiter has run")
def too_late(bench):
    program = bench.compile("programs/lock_truth.c", "program", "-O2", "-g", "-pthread")
    for env in {}, {"CINSTR_MAX_OVERHEAD": "unlimited"}, {"CINSTR_MAX_OVERHEAD": "0"}:
        truth = compare(bench, program, "late", env=env)
        lab.check(any(place == "work_long" for _, _, _, place in truth), f"it was never too late: {truth}")
