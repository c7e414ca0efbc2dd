#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Executed instructions of programs that are not ours (programs.py), against callgrind's.

Of each program, with little work to do:

- instructions: of how many the number of executions was compared, callgrind's run of the same
  binary beside our own, and of how many it differs
- functions: how many were executed, and how many execute another number of instructions than those
  of the plain program, which callgrind runs: as compiled by default, and with -fno-ipa-ra

NOPs are left out, and `rep` counts once. Alone: testsuite/bench/run.sh --exact [PROGRAM...].
"""
import collections
import os
import re
import shutil
import subprocess
import sys

import programs
import world

sys.path.insert(0, os.path.join(programs.HERE, "../lab"))
import segments  # noqa: E402

COUNTING = ["env", "CINSTR_METHOD=instrumentation", "CINSTR_ONLY=none"]


def subjects():
    known = programs.subjects()
    known["lapack"].few = ["60"]
    known["threads"] = programs.Sources([os.path.join(programs.HERE, "thread_work.cc")], ["-pthread"], ["-pthread"], [], [2000],
                                        compiler="cxx")
    return {name: known[name] for name in ("threads", "bzip2", "cjson", "tinyxml2", "lapack", "lua", "sqlite")}


def counted(subject, binary):
    """Returns executions by our own counters: by address, the instructions' text, and faults."""
    folder = binary + ".data"
    shutil.rmtree(folder, ignore_errors=True)
    subject.run(binary, [*COUNTING, "CINSTR_DATA=" + folder], subject.few)
    return segments.executions(binary, folder)


def by_callgrind(subject, binary):
    """Returns executions by address."""
    return segments.callgrind_of(programs.callgrind(subject, binary, subject.few, "--dump-instr=yes", "--skip-plt=no"), binary)


def by_function(counts, texts, binary):
    """Returns the sum of executions of each function's instructions, but of NOPs."""
    name, sums, addresses = segments.namer(binary), collections.Counter(), sorted(texts)
    following = dict(zip(addresses, addresses[1:]))
    for address, text in texts.items():
        if not segments.is_nop(text):
            rounds = re.match(r"(rep|repz|repnz) \w+s", text) and following.get(address)
            sums[name(address)] += counts.get(rounds or address) or 0
    return sums


def unlike_plain(subject, name, binary, flags):
    """Returns of how many functions, and which, the sum differs from the plain program's."""
    plain = subject.build(name, "plain", flags)
    ours, texts, _ = counted(subject, binary)
    ours = by_function(ours, texts, binary)
    theirs = by_function(by_callgrind(subject, plain), segments.code_of(plain)[1], plain)
    executed = [name for name in ours if ours[name] and name in theirs]
    return len(executed), [f"{name} {ours[name]} ({theirs[name]})" for name in executed if ours[name] != theirs[name]]


def judge(name, subject):
    choice = "-fplugin-arg-cinstr-instructions"
    usual = subject.build(name + "-exact", "usual", f"{programs.FLAGS} {choice}")
    ours, texts, faults = counted(subject, usual)
    faults += segments.differences(ours, texts, by_callgrind(subject, usual), usual)
    number, differ = unlike_plain(subject, name + "-exact", usual, programs.FLAGS)
    flags = programs.FLAGS + " -fno-ipa-ra"
    _, without = unlike_plain(subject, name + "-ra", subject.build(name + "-ra", "usual", f"{flags} {choice}"), flags)
    print(f"  {name:9}{len(ours):13}{len(faults):9}{number:12}{len(differ):9}{len(without):12}", flush=True)
    for what, found in ("of an instruction", faults), ("unlike plain", differ), ("with -fno-ipa-ra", without):
        for line in found[:5]:
            print(f"    {what}: {line}")


def main(names):
    os.makedirs(programs.WORK, exist_ok=True)
    chosen = [name for name in subjects() if not names or name in names]
    world.fetch(*(name for name in chosen if name != "threads"))
    programs.make_input()
    compiler = subprocess.run([*world.CC, "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]
    print(f"\n{compiler}: executed instructions, and callgrind's; functions, and the plain program's\n"
          f"  {'':9}{'instructions':>13}{'differ':>9}{'functions':>12}{'differ':>9}{'no ipa-ra':>12}", flush=True)
    for name in chosen:
        judge(name, subjects()[name])


if __name__ == "__main__":
    main(sys.argv[1:])
