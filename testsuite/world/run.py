# SPDX-License-Identifier: GPL-3.0-or-later
"""make world: real programs, real scripts."""
import collections
import json
import os
import re
import shutil
import subprocess
import sys

import world

LEVELS = {"O2": ["-O2", "-g"], "O0": ["-O0"], "O3 lto": ["-O3", "-flto"]}
passed, failed = 0, 0


def verdict(name, problem):
    global passed, failed
    passed, failed = passed + (not problem), failed + bool(problem)
    print(f"FAIL {name}: {problem}" if problem else f"ok {name}", flush=True)


def report(folder):
    text = subprocess.run([world.COMMAND, "report", "--format=json", folder], capture_output=True,
                          text=True)
    if text.returncode:
        raise RuntimeError(text.stderr.strip())
    return json.loads(text.stdout)


def callgrind_calls(program, binary, args):
    """Calls of each function of the program by callgrind's count, of the plain binary."""
    out = binary + ".callgrind"
    wrap = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", "--compress-strings=no", "--compress-pos=no"]
    done = program.run(binary, wrap=wrap, args=args)
    if done.returncode not in (0, 1):
        raise RuntimeError(done.stderr.decode()[-500:])
    calls, callee = collections.Counter(), None
    with open(out) as file:
        for line in file:
            if line.startswith("cfn="):
                callee = re.sub(r"'\d+$", "", line[4:].strip())
            elif line.startswith("calls=") and callee:
                calls[callee] += int(line[6:].split()[0])
                callee = None
    return calls


def same_output(name, program, level):
    plain, probed = (os.path.join(world.WORLD, f"{name}-{level.replace(' ', '-')}-{kind}") for kind in ("plain", "probed"))
    world.compile(program, plain, LEVELS[level])
    world.compile(program, probed, LEVELS[level], plugin=True)
    folder = os.path.join(world.WORLD, "cinstr.data")
    shutil.rmtree(folder, ignore_errors=True)
    a, b = program.run(plain), program.run(probed)
    problem = None
    if a.returncode != b.returncode:
        problem = f"exit status {b.returncode}, plain {a.returncode}: {b.stderr.decode()[-300:]}"
    elif a.stdout != b.stdout or a.stderr != b.stderr:
        problem = "output differs from the plain program's"
    verdict(f"{name} -{level}: same output", problem)
    try:
        totals = report(folder)["session"]
        bad = {k: totals[k] for k in ("conservation_ticks_off", "lost_events") if totals[k]}
        verdict(f"{name} -{level}: conserved, {totals['events']} events", str(bad) if bad else None)
    except (RuntimeError, ValueError, KeyError) as reason:
        verdict(f"{name} -{level}: report", repr(reason))
    return plain, probed


def same_counts(name, program, plain, probed, args):
    """Calls equal callgrind's. It counts a jump to another function as a call too, as we do."""
    if not shutil.which("valgrind"):
        print(f"skip {name}: call counts: no valgrind here")
        return
    folder = os.path.join(world.WORLD, "cinstr.data")
    shutil.rmtree(folder, ignore_errors=True)
    program.run(probed, args=args)
    ours = {row["name"]: row["calls"] for row in report(folder)["rows"] if row["line"]}
    theirs = callgrind_calls(program, plain, args)
    common = [n for n in ours if n in theirs]
    wrong = [f"{n} {ours[n]} ({theirs[n]})" for n in common if ours[n] != theirs[n]]
    # A few names stand for more than one static function.
    problem = None
    if len(common) < 100:
        problem = f"only {len(common)} functions in common"
    elif len(wrong) > len(common) / 100:
        problem = f"{len(wrong)} of {len(common)} functions differ (callgrind's in brackets): " + ", ".join(wrong[:10])
    verdict(f"{name}: calls of {len(common)} functions equal callgrind's, {len(wrong)} differ", problem)
    if wrong and not problem:
        print("    " + ", ".join(wrong[:10]))


def main():
    world.fetch()
    small = {"lua": [os.path.join(world.HERE, "work.lua"), "1"], "sqlite": [":memory:"]}
    for name, program in world.programs().items():
        for level in LEVELS:
            plain, probed = same_output(name, program, level)
            if level == "O2":
                same_counts(name, program, plain, probed, small[name])
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
