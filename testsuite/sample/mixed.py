# SPDX-License-Identifier: GPL-3.0-or-later
"""Calls and samples in one run: cinstr record --mixed."""
import json
import signal
import struct

import lab
import sampled
from lab import Skip, check, equal, test

TIMERS = "--sample-source=timers"
# format.md: the header's pid, process_start, method, and the sampling's flags
PID, PROCESS_START, METHOD, FLAGS = ("<I", 24), ("<Q", 32), ("<I", 536), ("<I", 564)
SAMPLING, BESIDE = 1, 32
ANONYMOUS, TRUNCATED = "[anonymous code]", "[truncated stack]"


def build(bench, **more):
    return bench.compile(sampled.program("mixed.c"), "mixed", "-O1", "-pthread", "-fplugin-arg-cinstr-small=0", **more)


def record(bench, *command, options=(), status=0, **more):
    return bench.run(lab.COMMAND, "record", "--mixed", *options, "--", *command, status=status, **more)


def need_perf(bench):
    done = bench.run(lab.COMMAND, "record", "--list-events")
    if not any(line.startswith("cpu-clock") and "yes" in line for line in done.stdout.splitlines()):
        raise Skip("perf_event_open is not permitted")


def fields(path, *wanted):
    with open(path, "rb") as file:
        head = file.read(4096)
    return tuple(struct.unpack_from(how, head, at)[0] for how, at in wanted)


def files(bench, session="cinstr.data"):
    """(recorded, sampled): lists of (pid, process_start)"""
    both = [], []
    for path in lab.data_files(bench.path(session)):
        pid, start, method, flags = fields(path, PID, PROCESS_START, METHOD, FLAGS)
        check(method != SAMPLING or flags & BESIDE, f"{path}: flags {flags}")
        both[method == SAMPLING].append((pid, start))
    return sorted(both[0]), sorted(both[1])


def sampled_file(bench):
    found = [path for path in lab.data_files(bench.path("cinstr.data")) if fields(path, METHOD) == (SAMPLING,)]
    equal(len(found), 1, "files of samples")
    return found[0]


def stacks(bench, file=None):
    """[(names, outermost first; exclusive samples)] of the paths in the file of samples"""
    found, path = [], []
    for row in bench.json("tree", file or sampled_file(bench))["rows"]:
        path[row["depth"] - 1:] = [row["name"]]
        if row["exclusive_samples"]:
            found.append((list(path), row["exclusive_samples"]))
    return found


def each_has_both(bench, *options):
    program = build(bench)
    record(bench, program, "tree", "30", options=options)
    recorded, taken = files(bench)
    # the program; its child, before its exec and behind it
    equal(len(recorded), 3, "files of the runtime")
    equal(len(set(recorded)), 2, "processes")
    equal(taken, recorded, "files of samples")
    equal(bench.sound()["threads"], 4, "threads")
    rows = bench.report()["rows"]
    equal({row["name"]: row["calls"] for row in rows}["spin"], 4, "calls of spin")


@test("mixed/each process has both files")
def _(bench):
    need_perf(bench)
    each_has_both(bench)


@test("mixed/timers/each process has both files")
def _(bench):
    each_has_both(bench, TIMERS)


def check_callers(bench):
    """Whoever a probe interrupts is known: a sample in one has its caller, and that caller's. The
    slow path has a stack of its own. Returns how many of all samples were there."""
    functions = {"main", "probes", "many", "deep", "leaf", "indirect", "jumps"}
    inside = known = elsewhere = total = 0
    for path, n in stacks(bench):
        total += n
        elsewhere += n if path[0] == TRUNCATED else 0
        if path[-1] != ANONYMOUS:
            continue
        inside += n
        known += n if path[0] != TRUNCATED and path[-2] in functions and "many" in path else 0
    check(inside >= 5, f"only {inside} of {total} samples are in probes")
    # For some milliseconds at its begin the runtime measures its thunks, which no sled calls then.
    check(known >= 0.98 * inside - 10, f"{known} of {inside} samples in probes have their callers")
    check(elsewhere <= 0.75 * total, f"{elsewhere} of {total} samples are truncated")


@test("mixed/samples in probes have callers")
def _(bench):
    need_perf(bench)
    record(bench, build(bench), "probes", "200", options=("--timeline=none",))
    check_callers(bench)


@test("mixed/timers/samples in probes have callers")
def _(bench):
    """Signals of the timers end restartable sequences, and no event is lost by that."""
    record(bench, build(bench), "probes", "250", options=(TIMERS,))
    check_callers(bench)
    bench.sound()
    calls = {row["name"]: row["calls"] for row in bench.report()["rows"]}
    rounds = calls["many"] * 1000
    equal([calls[name] for name in ("leaf", "deep", "indirect", "jumps")], [11 * rounds, 9 * rounds, rounds, rounds],
          "calls")


@test("mixed/samples in the recording's own task have callers")
def _(bench):
    """The task that attaches the process works on the thread's stack, further down: of its samples,
    the program's start is the first caller."""
    need_perf(bench)
    record(bench, build(bench), "probes", "1", options=("--mixed=20us",))
    # What was sampled before the program's exec has a file of its own.
    files_of_samples = [path for path in lab.data_files(bench.path("cinstr.data")) if fields(path, METHOD) == (SAMPLING,)]
    inside = [(path, n) for file in files_of_samples for path, n in stacks(bench, file) if "run_errand" in path]
    check(inside, "no sample is in the task")
    cut = [path for path, n in inside if path[0] == TRUNCATED]
    check(not cut, f"{len(cut)} of {len(inside)} paths are truncated: {cut[:1]}")


@test("mixed/a program without probes is sampled")
def _(bench):
    need_perf(bench)
    program = build(bench, plugin=None)
    got = record(bench, program, "spin", "30")
    check("no calls were recorded" in got.stderr, got.stderr)
    recorded, taken = files(bench)
    equal((len(recorded), len(taken)), (0, 1), "files")
    check("spin" in sampled.exclusive(bench)[0], "spin is not seen")


@test("mixed/what others start is recorded")
def _(bench):
    """A shell without probes, and a program with them: the shell's samples are set aside."""
    need_perf(bench)
    program = build(bench)
    record(bench, "sh", "-c", f"i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done; {program} spin 20; exit 3", status=3)
    recorded, taken = files(bench)
    equal(len(recorded), 1, "files of the runtime")
    equal(len(taken), 2, "files of samples")
    equal([row["name"] for row in bench.report("cinstr.data", "process")["rows"]], ["mixed"], "processes")


@test("mixed/ends like the program")
def _(bench):
    program = build(bench)
    got = record(bench, program, "status", "7", status=7)
    check("recorded 1 process" in got.stderr, got.stderr)
    record(bench, "sh", "-c", "kill -TERM $$", status=-signal.SIGTERM)
    record(bench, bench.path("none"), status=127)


@test("mixed/signals are passed on")
def _(bench):
    program = build(bench)
    process = bench.start(lab.COMMAND, "record", "--mixed", "--", program, "wait")
    equal(process.stdout.readline(), "waits\n", "output")
    process.send_signal(signal.SIGTERM)
    equal(process.wait(lab.TIMEOUT), 5, "status")
    equal(len(files(bench)[0]), 1, "files of the runtime")


@test("mixed/stopped and started")
def _(bench):
    """The runtime's control block counts, for the samples as well."""
    need_perf(bench)
    program = build(bench)
    process = bench.start(lab.COMMAND, "record", "--mixed", "--paused", "--", program, "wait")
    equal(process.stdout.readline(), "waits\n", "output")
    shown = json.loads(bench.cinstr("control", bench.path("cinstr.data"), "status", "--format=json"))["processes"]
    equal([one["name"] for one in shown], ["mixed"], "processes")
    bench.cinstr("control", str(shown[0]["pid"]), "on")
    bench.cinstr("control", str(shown[0]["pid"]), "off")
    process.send_signal(signal.SIGTERM)
    equal(process.wait(lab.TIMEOUT), 5, "status")
    record(bench, program, "spin", "100", options=("--paused",))
    recorded, taken = files(bench)
    equal((len(recorded), len(taken)), (1, 1), "files")
    kept = bench.report(sampled_file(bench))["session"]["samples"]
    check(kept <= 30, f"{kept} samples were kept while it was off")


@test("mixed/an older session is kept")
def _(bench):
    program = build(bench)
    for _ in range(2):
        record(bench, program, "spin", "5")
    equal(bench.sessions(), ["cinstr.data", "cinstr.data.old"], "sessions")


@test("mixed/options that contradict one another")
def _(bench):
    for options, said in (
        (["--sample"], "--sample does not go with --mixed"),
        (["--for=1s"], "--for does not go with --mixed"),
        (["--stacks=none"], "--stacks=none does not go"),
        (["--stacks=frame-pointers"], "--stacks=frame-pointers does not go"),
        (["--event=page-faults"], "--event=page-faults does not go"),
        (["--mixed=soon"], "--mixed takes a time"),
        (["--mixed=1us"], "--mixed: an interval"),
        (["--pid=1"], "--pid does not go with --mixed"),
    ):
        got = record(bench, "true", options=options, status=2)
        check(said in got.stderr, f"{options}: {got.stderr}")
    equal(bench.sessions(), [], "sessions")
