# SPDX-License-Identifier: GPL-3.0-or-later
"""make world: real programs, their own test suites.

PROGRAMS=jq,redis chooses; KEEP=1 keeps what was built and recorded; JOBS=N: jobs of the builds.
"""
import collections
import json
import os
import re
import shutil
import subprocess
import sys
import time

import builds
import suite
import suites
import world

# callgrind overlooks some jumps to other functions, so calls are compared in a build without any.
COUNTED = "O2 no sibling calls"
LEVELS = {"O2": ["-O2", "-g"], COUNTED: ["-O2", "-fno-optimize-sibling-calls"], "O0": ["-O0"],
          "O3 lto": ["-O3", "-flto=1"]}
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
    calls, here, there, callee = collections.Counter(), "", "", None
    with open(out) as file:
        for line in file:
            key, _, value = line.strip().partition("=")
            if key == "ob":
                here = value
            elif key == "cob":
                there = value
            elif key == "cfn":
                callee = re.sub(r"'\d+$", "", value)
            elif key == "calls":
                if (there or here) == binary:
                    calls[whole(callee)] += int(value.split()[0])
                there = ""
    return calls


def whole(name):
    """The function that a clone or part made by the compiler belongs to."""
    return re.sub(r"\.(part|constprop|isra|cold)(\.\d+)?", "", name)


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
    """Calls equal callgrind's. lua hashes addresses, so that a few of its calls differ by
    less than one percent from run to run."""
    if not shutil.which("valgrind"):
        print(f"skip {name}: call counts: no valgrind here")
        return
    folder = os.path.join(world.WORLD, "cinstr.data")
    shutil.rmtree(folder, ignore_errors=True)
    program.run(probed, args=args)
    ours = collections.Counter()
    for row in report(folder)["rows"]:
        if row["line"]:
            ours[whole(row["name"])] += row["calls"]
    theirs = callgrind_calls(program, plain, args)
    common = [n for n in ours if n in theirs]
    differ = [n for n in common if ours[n] != theirs[n]]
    text = ", ".join(f"{n} {ours[n]} ({theirs[n]})" for n in differ[:10])
    problem = None
    if len(common) < 100:
        problem = f"only {len(common)} functions in common"
    elif any(abs(ours[n] - theirs[n]) > theirs[n] / 100 for n in differ) or len(differ) > len(common) / 50:
        problem = f"{len(differ)} of {len(common)} functions differ, callgrind's in brackets: {text}"
    verdict(f"{name}: calls of {len(common)} functions equal callgrind's" +
            (f", but for {text}" if differ and not problem else ""), problem)


def scripts(name, program):
    """Our work for lua and sqlite, at several levels of optimisation."""
    small = {"lua": [os.path.join(world.HERE, "work.lua"), "1"], "sqlite": [":memory:"]}
    for level in LEVELS:
        plain, probed = same_output(name, program, level)
        if level == COUNTED:
            same_counts(name, program, plain, probed, small[name])


def own_suite(description):
    """The program's own tests. Returns its row of the table."""
    start = time.monotonic()
    outcome = suite.run_suite(description, verdict, progress)
    progress(f"{description.name}: done in {time.monotonic() - start:.0f} s")
    return outcome


def progress(text):
    print("# " + text, flush=True)


def seconds(outcome, kind):
    return f"{outcome.seconds[kind]:.1f} s" if kind in outcome.seconds else "-"


def print_table(outcomes):
    """One line a program."""
    form = "{:10}{:>8}{:>8}{:>11}{:>9}{:>11}{:>17}{:>10}{:>10}"
    print("\n" + form.format("program", "tests", "same", "different", "failing", "processes", "events", "plain", "recorded"))
    for o in outcomes:
        print(form.format(o.name, o.tests, o.same, o.different, o.failing, o.processes, f"{o.events:,}",
                          seconds(o, "plain"), seconds(o, "probed")))
    print("failing: without the plugin, too\n")


def chosen(names):
    wanted = os.environ.get("PROGRAMS")
    unknown = set(wanted.split(",")) - set(names) if wanted else ()
    if unknown:
        sys.exit(f"PROGRAMS: {', '.join(sorted(unknown))}: not one of {', '.join(names)}")
    return wanted.split(",") if wanted else list(names)


def main():
    suite.become_reaper()
    outcomes, descriptions = [], suites.suites()
    for name in chosen(descriptions):
        try:
            world.fetch(name)
        except subprocess.CalledProcessError:
            verdict(name, "no source")
            continue
        outcomes.append(own_suite(descriptions[name]))
        if name in world.programs():
            scripts(name, world.programs()[name])
        if name == "zstd":
            builds.builds(verdict)
    print_table(outcomes)
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
