# SPDX-License-Identifier: GPL-3.0-or-later
"""The calls of a session as `cinstr timeline --format=csv` tells them, for comparison with what the
viewers of single calls get."""
import csv
import io

BEGINS, ENDS = ("enter", "call", "running"), ("exit", "return", "implicit-exit", "implicit-return")


class Call:
    def __init__(self, row, depth):
        self.name, self.module, self.begin, self.end = row["function"], row["module"], int(row["time_ns"]), None
        self.depth, self.duration = depth, None


def rows(bench, session, *options):
    return list(csv.DictReader(io.StringIO(bench.cinstr("timeline", "--format=csv", *options, session))))


def calls(events):
    """{tid: [Call] in order of their begins}, of what was recorded from its begin to its end."""
    threads, stacks, last = {}, {}, {}
    for row in events:
        if row["event"] in ("process-begin", "process-end"):
            for tid in [tid for (pid, tid) in stacks if pid == row["pid"]]:
                close(stacks.pop((row["pid"], tid)), last[tid])
        if not row["tid"]:
            continue
        tid, ns = int(row["tid"]), int(row["time_ns"])
        stack = stacks.setdefault((row["pid"], tid), [])
        if row["event"] == "missing":
            close(stack, ns - int(row["duration_ns"] or 0))
        last[tid] = ns
        if row["event"] in BEGINS:
            while len(stack) >= int(row["depth"]):
                stack.pop().end = ns
            call = Call(row, len(stack))
            stack.append(call)
            threads.setdefault(tid, []).append(call)
        elif row["event"] in ENDS:
            while len(stack) > int(row["depth"]):
                stack.pop().end = ns
            call = stack.pop()
            call.end = ns
            call.duration = int(row["duration_ns"]) if row["duration_ns"] else None
    for (_, tid), stack in stacks.items():
        close(stack, last[tid])
    return threads


def close(stack, ns):
    for call in stack:
        call.end = ns
    stack.clear()


def waits(events):
    """{tid: ns off the processor}"""
    sums = {}
    for row in events:
        if row["off_cpu_ns"]:
            sums[int(row["tid"])] = sums.get(int(row["tid"]), 0) + int(row["off_cpu_ns"])
    return sums


def marks(events):
    return [(int(row["time_ns"]), row["text"]) for row in events if row["event"] == "mark"]
