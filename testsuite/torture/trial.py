# SPDX-License-Identifier: GPL-3.0-or-later
"""One test: built and run without and with the plugin, and compared.

An outcome is a dictionary: "compiled" (status of the compiler) and its "messages"; of programs that
were run also "status", "stdout", "stderr"; of recorded ones also "session" (what is wrong with it,
or "").
"""
import itertools
import os
import re
import shutil
import signal
import subprocess
import threading
import time

import tools

SAME, DIFFERENT, KNOWN, NOT_COMPARABLE, SKIPPED = "same", "different", "known", "not comparable", "skipped"
REPEATS = 2  # further runs that tell whether a difference is there each time


class Verdict:
    def __init__(self, test, kind, cause="", commands=()):
        self.test, self.kind, self.cause, self.commands = test, kind, cause, commands
        self.seconds = 0.0


class Trials:
    """Runs tests, from several threads, each in a folder of its own below `folder`."""

    def __init__(self, root, folder, kit, cache, keep=False):
        self.root, self.folder, self.kit, self.cache, self.keep = root, folder, kit, cache, keep
        self.numbers, self.lock = itertools.count(), threading.Lock()

    def run(self, test):
        """The verdict of a test."""
        if test.skip:
            return Verdict(test, SKIPPED, test.skip)
        with self.lock:
            place = os.path.join(self.folder, str(next(self.numbers)))
        begin = time.monotonic()
        try:
            verdict = self.compare(test, Bench(test, self.root, place, self.kit))
            verdict.seconds = time.monotonic() - begin
            return verdict
        except Exception as reason:  # one test's mishap must not end the run of thousands
            return Verdict(test, DIFFERENT, f"the harness broke: {reason!r}")
        finally:
            if not self.keep:
                shutil.rmtree(place, ignore_errors=True)

    def compare(self, test, bench):
        plain = self.cache.get(bench.key())
        if plain is None:
            plain = bench.plain()
            self.cache.put(bench.key(), plain)
        reason = unusable(test, plain)
        if reason:
            return Verdict(test, NOT_COMPARABLE, reason)
        cause = difference(plain, bench.probed())
        if not cause:
            return Verdict(test, SAME)
        return look_closer(test, bench, plain, cause)


def unusable(test, plain):
    """Why a test that behaves so without the plugin is not comparable; None if it is."""
    if plain["compiled"] == tools.TIMEOUT:
        return "the compiler does not end without the plugin"
    if plain["compiled"] and test.what != "compile":
        return "does not compile without the plugin: " + first_error(plain["messages"])
    if plain.get("status"):
        return f"{ending(plain['status'])} without the plugin"
    return None


def look_closer(test, bench, plain, cause):
    """The verdict where something differs. What varies from run to run without the plugin, too, is
    not compared; where -fchecking=2 alone makes a difference, the plugin does without it."""
    repeats = [bench.plain() for _ in range(REPEATS)]
    varying = {key for again in repeats for key in plain if again.get(key) != plain[key]}
    if "status" in varying:
        return Verdict(test, NOT_COMPARABLE, "exit status varies without the plugin")
    by_checking = difference(plain, bench.plain(["-fchecking=2"]), varying)
    bench.checking = not by_checking
    causes = [difference(plain, bench.probed(), varying) for _ in range(REPEATS)]
    notes = [f"{', '.join(sorted(varying))} varies without the plugin and is not compared"] if varying else []
    notes += [f"-fchecking=2, which alone does this, is left out: {by_checking}"] if by_checking else []
    if notes:
        cause = next(filter(None, causes), None)
        if not cause:
            return Verdict(test, SAME, "; ".join(notes))
    often = "" if all(causes) else f" (in {1 + sum(map(bool, causes))} of {1 + len(causes)} runs)"
    return Verdict(test, DIFFERENT, cause + often, bench.commands)


class Bench:
    """A test's folder, with a subfolder for each way to build it; their paths are of one length."""

    def __init__(self, test, root, folder, kit):
        self.test, self.root, self.folder, self.kit = test, root, folder, kit
        self.checking, self.commands = True, []

    def key(self):
        """What the outcome without the plugin depends on."""
        return " ".join([self.test.what, *self.test.sources, *self.command([])[1:]]).replace(self.root, "")

    def plain(self, extra=()):
        """The outcome without the plugin."""
        return self.outcome("plain", list(extra))

    def probed(self):
        """The outcome with the plugin and recording on."""
        outcome = self.outcome("probe", self.kit.with_plugin(checking=self.checking))
        if "status" in outcome:
            outcome["session"] = self.session(outcome["status"])
        return outcome

    def outcome(self, kind, extra):
        place = os.path.join(self.folder, kind)
        shutil.rmtree(place, ignore_errors=True)
        for sub in ("run", "tmp"):
            os.makedirs(os.path.join(place, sub))
        command, files = self.command(extra), os.path.join(place, "compiler")
        env = tools.environment(TMPDIR=os.path.join(place, "tmp"))
        outcome = {"compiled": tools.run(command, os.path.join(place, "run"), env, tools.COMPILE_LIMIT, files)}
        outcome["messages"] = clean("".join(tools.output(files)), place)
        if self.test.what == "run" and outcome["compiled"] == 0:
            files = os.path.join(place, "program")
            env.update(CINSTR_DATA=os.path.join(self.folder, "data"), CINSTR_PROBES=self.kit.probes)
            shutil.rmtree(env["CINSTR_DATA"], ignore_errors=True)
            outcome["status"] = tools.run(["./test.exe"], os.path.join(place, "run"), env, tools.RUN_LIMIT, files)
            outcome["stdout"], outcome["stderr"] = (clean(text, place) for text in tools.output(files))
        self.commands = [" ".join(command)]
        return outcome

    def command(self, extra):
        """The compiler's command. Flags of the level first, as in GCC's harness; with -flto, tests
        that are only compiled go through the whole compiler all the same."""
        sources = [os.path.join(self.root, source) for source in self.test.sources]
        command = self.kit.compiler(sources[0]) + self.test.level.split() + ["-w"] + self.test.flags + extra
        if self.test.what in ("run", "link"):
            return command + sources + ["-o", "test.exe", "-lm"]
        whole = ["-r", "-flinker-output=nolto-rel"] if "-flto" in command else ["-c"]
        return command + whole + sources + ["-o", "test.o"]

    def session(self, status):
        """What is wrong with the session of the program that was run; "" if nothing is."""
        folder = os.path.join(self.folder, "data")
        if not os.path.isdir(folder):
            return "there is none" if self.kit.keeps_all else ""
        try:
            totals = self.kit.session(folder)
        except (ValueError, KeyError, subprocess.TimeoutExpired) as reason:
            return str(reason)
        return "; ".join(wrong(totals, status, self.test, self.kit.keeps_all))


def wrong(totals, status, test, keeps_all):
    """What does not hold in a session's totals."""
    for key in ("conservation_ticks_off", "unbalanced_events", "lost_events", "lost_threads", "orphan_events"):
        if totals[key]:
            yield f"{key} {totals[key]}"
    ended = totals["exits"] + totals["implicit_exits"] + totals["open_frames"]
    if totals["enters"] != ended:
        yield f"{totals['enters']} functions entered, {ended} left or open"
    if totals["open_frames"] and status == 0 and not test.may_leave_open:
        yield f"{totals['open_frames']} functions open though the program returned from main"
    # What is open when its function's probes go ends there.
    if totals["implicit_exits"] and not test.may_jump_out and not totals.get("taken_out"):
        yield f"{totals['implicit_exits']} functions left without an exit though the program does not jump"
    if keeps_all and not totals["enters"]:
        yield "no function was entered"


def clean(text, place):
    """Messages without the names of temporary files and of the folder."""
    text = text.replace(place, ".")
    text = re.sub(r"\./tmp/cc\w{6}", "./tmp/cc", text)
    # Messages of the assembler and the linker tell lines and offsets, which the probes move.
    text = re.sub(r"(\./tmp/cc[.\w]*):\d+:", r"\1:", text)
    return re.sub(r":\((\.[\w.]+)\+0x[0-9a-f]+\)", r":(\1)", text)


def difference(plain, probed, ignored=()):
    """One line that says what differs; "" if nothing does."""
    for key, tell in (("compiled", compile_cause), ("messages", message_cause), ("status", status_cause),
                      ("session", session_cause), ("stdout", output_cause), ("stderr", output_cause)):
        if key not in ignored and plain.get(key, "") != probed.get(key, ""):
            return tell(key, plain, probed)
    return ""


def compile_cause(_, plain, probed):
    endings = f"{ending(probed['compiled'])}, plain {ending(plain['compiled'])}"
    return f"compile: {endings}: {first_error(probed['messages'])}"


def message_cause(key, plain, probed):
    return "compile: messages: " + first_unlike(plain[key], probed[key])


def status_cause(key, plain, probed):
    said = probed.get("stderr", "").strip().split("\n")[-1]
    return f"run: {ending(probed.get(key))}, plain {ending(plain.get(key))}" + (f": {said}" if said else "")


def session_cause(key, _, probed):
    return f"session: {probed[key]}"


def output_cause(key, plain, probed):
    return f"run: {key}: " + first_unlike(plain[key], probed[key])


def ending(status):
    """A status as words."""
    if isinstance(status, int) and status < 0:
        return signal.Signals(-status).name if -status in set(signal.Signals) else f"signal {-status}"
    return "does not end" if status == tools.TIMEOUT else f"status {status}"


def first_error(messages):
    """The line that says why a compiler failed."""
    lines = [line for line in messages.split("\n") if re.search(r"error|internal|undefined", line, re.I)]
    return (lines or messages.strip().split("\n"))[0][:300]


def first_unlike(plain, probed):
    """The first line that differs."""
    for a, b in itertools.zip_longest(plain.split("\n"), probed.split("\n")):
        if a != b:
            return f"{shown(b)}, plain {shown(a)}"
    return ""


def shown(line):
    return "nothing" if line is None else repr(line[:120])
