# SPDX-License-Identifier: GPL-3.0-or-later
"""Stops a program (points.c) between two instructions of the runtime, by single steps (stepper.c),
and does something there.

signal, stop, step   the program's result is the same; its data are balanced and hold each call
kill, copy           (copy: what a kill there would leave) the data can be read, are balanced and
                     hold each call that had begun; at most the event in flight besides

  run.py [--all]     every instruction, or as far as the stride goes; without: a sample in about
                     a minute
"""
import argparse
import contextlib
import fnmatch
import json
import os
import pathlib
import random
import re
import shutil
import struct
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../lab"))
import lab  # noqa: E402

TIMELINE = {"CINSTR_TIMELINE": "64M"}
NEVER = 3000000  # instructions
THUNKS = ("fast_before", "fast_enter", "fast_exit", "fast_after")


class Target:
    """A place of the runtime's and the part of points.c that comes there."""

    def __init__(self, place, mode, actions, env=None, threads=1, hit=0, steps=None):
        self.place, self.mode, self.actions, self.env = place, mode, actions.split(), env or {}
        self.threads, self.hit = threads, hit
        self.steps = steps  # follow calls as far as this; None: as any other

    def __str__(self):
        return f"{self.place} ({self.mode})"


# What is static may have been put into its caller by the compiler: that is then gone through
# instead.
TARGETS = [
    Target("thread_fold", "fold", "copy kill signal stop step", TIMELINE, hit=1),
    Target("fold_run", "fold", "copy kill signal", hit=1),
    Target("fold_run", "paths", "copy signal", hit=1),
    Target("fold_run", "deep", "copy signal", hit=1),
    Target("fold_commit", "fold", "copy kill signal stop", hit=1),
    Target("more_cells", "paths", "copy signal stop"),
    Target("more_index", "paths", "copy signal"),
    Target("more_stack", "deep", "copy kill signal stop"),
    Target("thread_start_buffer", "fold", "copy signal", hit=1),
    Target("cinstr_slow", "fold", "copy kill signal stop step", hit=1),
    Target("cinstr_slow", "events", "copy kill signal stop step", hit=3),
    Target("cinstr_slow", "threads", "kill signal stop", threads=5),
    Target("slow_work", "events", "copy signal", hit=3),
    Target("put_group", "events", "copy kill signal stop", hit=3),
    Target("slow_note", "events", "copy signal", hit=2),
    Target("resume_settle", "events", "copy kill signal stop step", hit=3),
    Target("mark_now", "events", "copy kill signal stop", hit=1),
    Target("phases_next", "phases", "copy kill signal stop", hit=1),
    Target("phases_see", "phases", "copy kill signal stop", hit=1),
    # Phases begin, with calls open: within the budget of paths and beyond it.
    Target("fold_charge_across", "phases", "copy kill signal stop", hit=1, steps=20000),
    Target("fold_charge_across", "phases", "copy kill signal", {"CINSTR_PATHS": "100"}, hit=1, steps=20000),
    Target("fold_end_odd", "phases", "copy signal", hit=300),
    # Without restartable sequences, which would be aborted at every step, so that nothing is
    # measured.
    Target("calibrate", "events", "signal", {"GLIBC_TUNABLES": "glibc.pthread.rseq=0"}, hit=1, steps=30000),
    Target("time_of", "events", "kill", hit=16),  # in the fifth round: four are made at the start
    Target("thread_begin", "threads", "kill signal stop step", threads=5, hit=1),
    Target("thread_end", "threads", "kill signal stop step", threads=5, hit=1),
    Target("store_segment", "threads", "kill signal stop", TIMELINE, threads=5, hit=8),
    Target("store_segment", "fold", "copy", TIMELINE, hit=8),
    Target("store_free", "threads", "kill signal stop", threads=5, hit=2),
    Target("before_fork", "fork", "kill signal stop"),
    Target("after_fork_parent", "fork", "kill signal stop"),
    Target("after_fork_child", "fork", "signal stop kill", threads=2),
    Target("process_forked", "fork", "signal stop kill", threads=2),
    Target("thread_forked", "fork", "signal stop kill", threads=2),
    Target("thread_exit_process", "fold", "copy signal", TIMELINE),
    Target("store_trim", "fold", "copy kill signal"),
    Target("session_create", "events", "kill step"),
    Target("lock_make", "events", "kill step"),
    Target("session_keep", "events", "kill step"),
    Target("store_create", "events", "kill step"),
    Target("write_module", "events", "kill"),
    Target("module_add", "events", "kill step"),
    Target("patch_on", "events", "kill step"),
    # Buffers with what is left of their last use.
    Target("put_group", "fold", "copy kill", {"CINSTR_CLOCK": "monotonic"}, hit=30000),
] + [Target(thunk, "events", "each copy kill signal stop step", hit=5) for thunk in THUNKS] + [
    Target("indirect_before", "indirect", "each copy signal step", hit=5),
    Target("indirect_before", "memory", "each", hit=5),
    Target("indirect_before_keep", "kept", "each copy signal step", hit=5),
    Target("fast_before_keep", "kept", "each signal", hit=5),
    Target("fast_enter_keep", "kept", "each copy signal step", hit=5),
    Target("fast_after_keep", "kept", "each signal", hit=5),
    Target("fast_enter_only", "events", "each copy signal step", {"CINSTR_PROBES": "functions"}, hit=5),
    Target("after_alone", "library", "each copy kill signal stop step", hit=5),
    Target("fast_tail", "tail", "each", hit=5),
    Target("fast_landing", "landing", "each", hit=5),
    Target("fast_line", "lines", "each", {"CINSTR_PROBES": "lines"}, hit=5),
    Target("plain_enter", "events", "copy signal step", {"CINSTR_CLOCK": "monotonic"}, hit=5),
]
BEFORE_START = {"session_create", "lock_make", "session_keep", "store_create", "write_module", "module_add", "patch_on"}


def symbols(path):
    """Addresses by name, without the suffixes that the compiler gives."""
    out = subprocess.run(["nm", path], capture_output=True, text=True, check=True).stdout
    rows = [line.split() for line in out.splitlines()]
    return {row[2].split(".")[0]: int(row[0], 16) for row in rows if len(row) == 3 and row[1] in "tTbBdD"}


class Points:
    def __init__(self, options):
        self.options = options
        self.bench = bench = lab.Bench("points")
        self.runtime = symbols(lab.RUNTIME)
        self.stepper = bench.compile(os.path.join(HERE, "stepper.c"), "stepper", "-O2", plugin=None)
        flags = ("-O2", "-pthread", "-fplugin-arg-cinstr-mark=top,marked", "-fplugin-arg-cinstr-lines")
        self.program = bench.compile(os.path.join(HERE, "points.c"), "points", *flags)
        self.program_symbols = symbols(self.program)
        self.expected, self.lengths = {}, {}
        self.random = random.Random(options.seed)
        self.steps = 2000000 if options.all else 6000

    def where(self, place):
        """As stepper.c wants it: a function, or function+offset. None: there is no such
        function."""
        place, _, more = place.partition("+")
        if place not in self.runtime:
            return None
        # in the first module's thunks
        if place.startswith(("fast_", "indirect_", "plain_", "after_alone")):
            offset = self.runtime[place] - self.runtime["thunk_template"] + int(more or "0")
            begin = self.program_symbols["here"]
            return f"{self.program}+{begin:x},libcinstr.so*{self.runtime['pages']:x}+{offset:x}"
        return f"libcinstr.so+{self.runtime[place]:x}"

    def fresh(self):
        # a program killed early makes none
        pathlib.Path(self.bench.path("counts")).write_bytes(bytes(8))
        for name in os.listdir(self.bench.folder):
            if name.startswith("cinstr.data"):
                shutil.rmtree(self.bench.path(name), ignore_errors=True)

    def plain_output(self, mode, env):
        key = mode, tuple(sorted(env.items()))
        if key not in self.expected:
            self.fresh()
            self.expected[key] = self.bench.run(self.program, "counts", mode, env=env, status=0).stdout
            self.check_data(self.bench.path("cinstr.data"), self.bench.path("counts"), 0)
        return self.expected[key]

    def run(self, target, action, start, stride, extra="2", steps=None, every=1):
        """(result, hits, actions, longest, status of the program)"""
        self.fresh()
        env = dict(target.env, STEPPER_PRELOAD=lab.RUNTIME, STEPPER_COUNTS=self.bench.path("counts"),
                   STEPPER_EVERY=str(every))
        if steps:
            env["STEPPER_STEPS"] = str(steps)
        done = self.bench.run(self.stepper, action, self.where(target.place), str(target.hit), str(start), str(stride),
                              extra, "--", self.program, "counts", target.mode, timeout=900, env=env, status=0)
        words = done.stderr.strip().splitlines()[-1].split()
        lab.equal(words[0], "stepper:", f"what the stepper says: {done.stderr[-300:]!r}")
        return (done, *map(int, words[1:]))

    # ---- what must hold --------------------------------------------------------------------------

    def totals(self, session):
        """Of a report on the session. A file that the kill left without any data is named by it,
        and taken away."""
        for _ in range(2):
            done = self.bench.run(lab.COMMAND, "report", "--by=process", "--format=json", session)
            empty = re.match(r"cinstr: error: (.*): the file holds no data yet: ", done.stderr.strip())
            if not done.returncode or not empty or len(os.listdir(session)) < 3:
                break
            os.unlink(empty[1])
        lab.equal(done.returncode, 0, f"status of cinstr report: {done.stderr.strip()}")
        return json.loads(done.stdout)["session"]

    def is_not_begun(self, session):
        """Nothing but a file whose magic is not written yet."""
        done = self.bench.run(lab.COMMAND, "report", session)
        return len(os.listdir(session)) == 2 and "the file holds no data yet: " in done.stderr

    def check_data(self, session, counts, in_flight, may_lose=False):
        """may_lose: what a thread does behind the end of its recording is lost, and counted."""
        with open(counts, "rb") as file:
            entered = struct.unpack("Q", file.read(8))[0]
        if not entered and self.is_not_begun(session):
            return  # killed while it was calibrated, before the program's first call
        totals = self.totals(session)
        lost = totals["lost_events"] if may_lose else 0
        lab.equal(totals["conservation_ticks_off"], 0, "conservation_ticks_off")
        lab.equal((totals["lost_events"], totals["lost_threads"]), (lost, 0), "lost")
        lab.equal(totals["orphan_events"], 0, "events without a begin")
        lab.check(entered - lost <= totals["enters"] <= entered + in_flight,
                  f"{totals['enters']} entries recorded of {entered} made; lost: {lost}")

    def check_calibration(self, session):
        if self.is_not_begun(session):
            return
        done = self.bench.run(lab.COMMAND, "info", "--format=json", session, status=0)
        calibration = json.loads(done.stdout)["processes"][0]["calibration"]
        for kind, cost in calibration.items():
            if not isinstance(cost, dict) or "lowest_ns" not in cost:
                continue  # how often, and what a whole call costs
            low, mean, high = (float(cost[key]) for key in ("lowest_ns", "mean_ns", "highest_ns"))
            lab.check(low - 0.01 <= mean <= high + 0.01, f"{kind}: mean {mean}, lowest {low}, highest {high} ns")

    def check_survivor(self, target, action, done, status):
        expected = self.plain_output(target.mode, target.env)
        lab.equal((status, done.stdout, done.stderr.strip().count("\n")), (0, expected, 0), "status, output, messages")
        self.check_data(self.bench.path("cinstr.data"), self.bench.path("counts"), 0,
                        may_lose=action == "signal" and target.mode == "threads")

    def length_of(self, target):
        """Instructions that the call takes, as far as it is followed."""
        if target not in self.lengths:
            _, hits, _, longest, _ = self.run(target, "kill", NEVER, 0, steps=target.steps or self.steps)
            lab.check(hits > target.hit, f"{target} is not called")
            self.lengths[target] = longest
        return self.lengths[target]

    # ---- sweeps ----------------------------------------------------------------------------------

    def survive(self, target, action, length, deadline):
        """One call of the function after another, each stopped farther on."""
        self.plain_output(target.mode, target.env)
        n, begin, stride = 0, self.random.randrange(7), 1
        if not self.options.all:
            stride = max(1, length // 23)
        while n < length:
            done, _, actions, longest, status = self.run(target, action, begin + n, stride, steps=target.steps or self.steps)
            try:
                self.check_survivor(target, action, done, status)
            except lab.Failure as reason:
                raise lab.Failure(f"{action} from instruction {begin + n} in steps of {stride}: {reason}")
            n += actions * stride or length
            if time.monotonic() > deadline:
                break
        return n // stride

    def step(self, target, action="step"):
        """A tracer that looks at each instruction."""
        self.plain_output(target.mode, target.env)
        done, _, _, longest, status = self.run(target, "step", NEVER, 0, steps=target.steps or self.steps)
        self.check_survivor(target, action, done, status)
        return longest

    def instructions(self, thunk):
        """Offsets of the instructions of a thunk, without what line_full does: flags and single
        steps do not go together."""
        begin = self.runtime[thunk]
        end = min(at for name, at in self.runtime.items() if at > begin and (at % 64 == 0 or name == "line_full"))
        out = subprocess.run(["objdump", "-d", "--no-show-raw-insn", f"--start-address={begin}", f"--stop-address={end}",
                              lab.RUNTIME], capture_output=True, text=True, check=True).stdout
        lines = [line.split("\t") for line in out.splitlines() if re.match(r" +[0-9a-f]+:\t", line)]
        return [int(words[0].strip().rstrip(":"), 16) - begin for words in lines if "nop" not in words[1]]

    def each(self, target):
        """
        Interrupts a thunk at one instruction: not by steps, the first of which would make the
        kernel abort the restartable sequence, but by a breakpoint there; with a signal at every
        seventh.
        """
        self.plain_output(target.mode, target.env)
        offsets = self.instructions(target.place)
        if not self.options.all:
            offsets = offsets[self.random.randrange(4)::4]
        n = 0
        for offset in offsets:
            at = Target(f"{target.place}+{offset}", target.mode, "", target.env, hit=3)
            for action in ("step", "signal"):
                done, hits, actions, _, status = self.run(at, action, 0, 0, every=7)
                try:
                    self.check_survivor(at, action, done, status)
                except lab.Failure as reason:
                    raise lab.Failure(f"{action} at {at.place}: {reason}")
                n += actions
        return n

    def kill(self, target, length, deadline):
        n, stride = 0, max(1, length // (200 if self.options.all else 6))
        for start in range(0, length, stride):
            done, _, actions, _, status = self.run(target, "kill", start, 0)
            n += actions
            try:
                if target.place in BEFORE_START:
                    self.after_early_kill(target)
                elif "child" in target.place or "forked" in target.place:
                    lab.equal(status, 0, "status of the parent of what was killed")
                    self.check_data(self.bench.path("cinstr.data"), self.bench.path("counts"), target.threads)
                elif actions:
                    lab.equal(status, 137, "status of the killed program")
                    self.check_data(self.bench.path("cinstr.data"), self.bench.path("counts"), target.threads)
                    self.check_calibration(self.bench.path("cinstr.data"))
            except lab.Failure as reason:
                raise lab.Failure(f"kill at instruction {start}: {reason}")
            if time.monotonic() > deadline:
                break
        return n

    def after_early_kill(self, target):
        """What is there can be read or is said not to be data, and the next run finds its way."""
        for name in self.bench.sessions():
            done = self.bench.run(lab.COMMAND, "report", self.bench.path(name))
            lab.check(done.returncode in (0, 1), f"cinstr report ends with {done.returncode}: {done.stderr}")
        expected = self.plain_output(target.mode, {})
        self.bench.run(self.program, "counts", target.mode, status=0)
        lab.check(expected, "no output")
        self.check_data(self.bench.path("cinstr.data"), self.bench.path("counts"), 0)

    def copy(self, target, length, deadline, action="copy"):
        copies = self.bench.path("copies")
        shutil.rmtree(copies, ignore_errors=True)
        os.makedirs(copies)
        # The session's folder is known by now: the counts lie in it as well.
        session = self.bench.path("cinstr.data")
        os.symlink(session, os.path.join(copies, "from"))
        stride = max(1, length // (300 if self.options.all else 40))
        self.plain_output(target.mode, target.env)
        done, _, actions, _, status = self.run(target, "copy", 0, stride, copies, steps=target.steps or self.steps)
        self.check_survivor(target, action, done, status)
        numbers = sorted(int(name) for name in os.listdir(copies) if name.isdigit())
        lab.equal(len(numbers), actions, "copies")
        for number in numbers:
            folder = os.path.join(copies, str(number))
            counts = os.path.join(copies, f"{number}.counts")
            try:
                self.check_data(folder, counts, target.threads)
            except lab.Failure as reason:
                raise lab.Failure(f"as at a kill at instruction {number}: {reason}")
        shutil.rmtree(copies)
        return len(numbers)

    def sweep(self, target, action):
        if action in ("step", "each"):
            return getattr(self, action)(target)
        deadline = time.monotonic() + (600 if self.options.all else 0.3)
        return getattr(self, {"signal": "survive", "stop": "survive"}.get(action, action))(
            target, *([action] if action in ("signal", "stop") else []), self.length_of(target), deadline)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("names", nargs="*", default=os.environ.get("T", "*").split())
    options = parser.parse_args()
    points = Points(options)
    print(f"seed {options.seed}")
    passed = failed = stopped = 0
    for target in TARGETS:
        for action in target.actions:
            name = f"{action} in {target}"
            if not any(fnmatch.fnmatch(name, pattern) for pattern in options.names):
                continue
            if not points.where(target.place):
                print(f"skip {name}: the compiler has put it into its callers")
                continue
            begin = time.monotonic()
            try:
                with contextlib.nullcontext() if options.all else lab.limited(points.bench):
                    n = points.sweep(target, action)
                lab.check(n > 0, "nothing was done")
                passed += 1
                stopped += n
                print(f"ok {name}: {n} points  ({time.monotonic() - begin:.1f} s)")
            except lab.Failure as reason:
                failed += 1
                print(f"FAIL {name}: {reason}")
            sys.stdout.flush()
    if not os.environ.get("KEEP"):
        shutil.rmtree(points.bench.folder, ignore_errors=True)
    print(f"{stopped} points")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
