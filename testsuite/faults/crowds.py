# SPDX-License-Identifier: GPL-3.0-or-later
"""Very many of something: threads, nested calls, call paths."""
import os

import lab
import quiet
from trial import NOTHING, check, data_files, equal, fault, same_but_said, same_run

MIB = 1 << 20


def read_number(t, name):
    with open(t.path(name)) as file:
        return [int(word) for word in file.read().split()]


def file_bytes(t):
    return sum(os.stat(path).st_size for path in data_files(t.path("cinstr.data")))


def run_both(t, program, plain, *words, env=None):
    """Same result; returns how much more memory it took, in bytes."""
    expected = t.run(plain, *words)
    least = read_number(t, "memory")[0]
    os.remove(t.path("truth"))
    same_run(t.run(program, *words, env=env), expected)
    return (read_number(t, "memory")[0] - least) << 10


@fault("4,096 threads alive", (1, 5), "each makes 10 calls, then waits for the last")
def alive(t):
    program, plain = t.both("crowd.c", "-pthread")

    def once(number):
        run_both(t, program, plain, "alive", "4096")
        totals = t.all_there(threads=0)
        check(totals["threads"] >= 1, "no threads")
        check(file_bytes(t) < 4097 * (400 << 10), f"data of {file_bytes(t)} bytes")

    return once


@fault("100,000 short-lived threads", (1, 2),
       "one after another (20,000 in make check); file below 64 MB, memory within 64 MB of the plain program's")
def turn(t):
    program, plain = t.both("crowd.c", "-pthread")
    n = "20000" if t.runs == 1 else "100000"

    def once(number):
        more = run_both(t, program, plain, "turn", n)
        t.all_there(threads=0)
        check(file_bytes(t) < 64 * MIB, f"data of {file_bytes(t) // MIB} MB")
        check(more < 64 * MIB, f"{more // MIB} MB more than the plain program")

    return once


@fault("call depth 1,000,000", (1, 5), "one function, nested")
def depth(t):
    program, plain = t.both("crowd.c", "-pthread", "-fno-optimize-sibling-calls")

    def once(number):
        run_both(t, program, plain, "depth", "1000000")
        t.all_there(threads=0)
        equal(t.functions()["down"], 1000001, "calls of down")

    return once


@fault("a million call paths and a budget of 1,000", (1, 3),
       "calls of functions are exact, their times as without the budget (within a factor of 3)")
def paths(t):
    program, plain = t.both("crowd.c", "-pthread")
    t.lost = "the paths beyond 1,000; no value of a function"

    def times():
        rows = t.totals("cinstr.data", "function")["rows"]
        return {row["name"]: row["elapsed_inclusive_ns"] + row["probe_overhead_inclusive_ns"] for row in rows}

    def compare():
        run_both(t, program, plain, "paths", "18")
        t.all_there(threads=0)
        whole = times()
        run_both(t, program, plain, "paths", "18", env={"CINSTR_PATHS": "1000"})
        t.all_there(threads=0)
        calls, cut = t.functions(), times()
        equal([calls["left"], calls["right"]], read_number(t, "calls"), "calls of left and right")
        check(t.totals()["merged_calls"] > 100000, "the budget was not used up")
        for name in "left", "right", "paths":
            lab.check_time(whole[name] / 3 < cut[name] < whole[name] * 3,
                           f"{name}: {cut[name]} ns, without budget {whole[name]}")

    def once(number):
        quiet.measured(compare)  # a neighbour makes one of the two runs slower

    return once


@fault("no memory for threads (ulimit -v)", (10, 100), "64 threads, 200 MB up to 1 GB in steps")
def thread_memory(t):
    import resource

    program, plain = t.both("crowd.c", "-pthread")
    t.lost = "threads for which there is no room, said on stderr"
    expected = t.run(plain, "alive", "64")
    steps = [200 * MIB + i * 800 * MIB // t.runs for i in range(t.runs)]

    def once(number):
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (steps[number], resource.RLIM_INFINITY))
        same_but_said(t.run(program, "alive", "64", preexec_fn=limit), expected)
        totals = t.totals()
        if not totals["lost_threads"] and "stopped" not in totals["info"]:
            t.all_there(threads=0)

    return once
