# SPDX-License-Identifier: GPL-3.0-or-later
"""Other instrumentation beside ours, with recording on: sanitizers find the same bugs at the same
places, gcov and gprof count the same."""
import glob
import os
import re

import lab

LEAVES = {"heap": 1001, "overflow": 1001, "race": 3000}


def findings(text):
    """The kind of bug and the program's frames of a sanitizer's report."""
    kinds = re.findall(r"SUMMARY: (\w+: [\w-]+)|(runtime error: .*)", text)
    frames = re.findall(r"#\d+ (?:0x\w+ in )?(\w+) (\S*seeded\.c:\d+)", text)
    return [a or b for a, b in kinds], frames


def run_sanitizer(bench, flags, bug):
    flags = ("-O1", "-g", "-pthread") + flags
    if bench.compile("programs/seeded.c", "probe", *flags, plugin=None, fails=True).returncode:
        raise lab.Skip("no sanitizer library here")
    plain = bench.compile("programs/seeded.c", "plain", *flags, plugin=None)
    program = bench.compile("programs/seeded.c", "program", *flags)
    lab.same_run(bench.run(program, "none"), bench.run(plain, "none"))
    expected = bench.run(plain, bug)
    if "unexpected memory mapping" in expected.stderr:
        raise lab.Skip("ThreadSanitizer does not run on this kernel")
    got = bench.run(program, bug)
    lab.equal(got.returncode, expected.returncode, "exit status")
    lab.equal(got.stdout, expected.stdout, "output")
    kinds, frames = findings(expected.stderr)
    lab.check(kinds and (frames or bug == "overflow"), f"the plain program's bug is not found: {expected.stderr}")
    if bug == "race":  # which of the two threads comes first differs
        kinds, frames = set(kinds), {name for name, _ in frames}
        got_kinds, got_frames = findings(got.stderr)
        lab.equal((set(got_kinds), {name for name, _ in got_frames}), (kinds, frames), "what is found")
    else:
        lab.equal(findings(got.stderr), (kinds, frames), "what is found")
    leaves = bench.functions()["leaf"]["calls"]
    lab.equal(leaves, LEAVES[bug], "calls of leaf")
    bench.sound()


for sanitizer, seeded in ("address", "heap"), ("undefined", "overflow"), ("thread", "race"):
    lab.TESTS.append((f"beside/-fsanitize={sanitizer}", lambda bench, flags=(f"-fsanitize={sanitizer}",), bug=seeded:
                      run_sanitizer(bench, flags, bug)))
lab.TESTS.append(("beside/-fsanitize=address -static-libasan", lambda bench: run_sanitizer(
    bench, ("-fsanitize=address", "-static-libasan"), "heap")))


def twice(bench, *flags):
    """trees/callbacks.c compiled and run without and with the plugin, each in a folder of its
    own."""
    for name in "plain", "program":
        os.makedirs(bench.path(name))
        plugin = {"plugin": None} if name == "plain" else {}
        bench.compile("trees/callbacks.c", os.path.join(name, "program"), *flags, **plugin)
        for notes in glob.glob(bench.path("*.gcno")):  # where they land differs by release
            os.replace(notes, bench.path(name, os.path.basename(notes)))
        bench.run(bench.path(name, "program"), cwd=bench.path(name), status=0)
    bench.sound(os.path.join("program", "cinstr.data"))


@lab.test("beside/--coverage")
def coverage(bench):
    gcov = lab.need(" ".join(lab.CC).replace("gcc", "gcov"))
    texts = []
    twice(bench, "-O1", "--coverage", "-fno-inline")
    for name in "plain", "program":
        data = glob.glob(bench.path(name, "*.gcda")) or glob.glob(bench.path("*.gcda"))
        lab.check(data, "no .gcda file was written")
        text = bench.run(gcov, "-t", data[0], cwd=bench.path(name), status=0).stdout
        texts.append([line for line in text.splitlines() if not re.search(r":\s*0:", line)])
    lab.equal(texts[1], texts[0], "gcov")
    lab.check(len(texts[0]) > 20, f"gcov told nothing: {texts[0]}")


@lab.test("beside/-pg")
def gprof(bench):
    tool = lab.need("gprof")
    twice(bench, "-O1", "-pg", "-no-pie", "-fno-inline")
    counts = []
    for name in "plain", "program":
        lab.check(os.path.exists(bench.path(name, "gmon.out")), f"{name}: no gmon.out")
        text = bench.run(tool, "-b", "-p", "-z", "./program", "gmon.out", cwd=bench.path(name), status=0).stdout
        rows = [line.split() for line in text.splitlines()]
        counts.append({row[-1]: row[3] for row in rows if len(row) > 4 and row[3].isdigit()})
    lab.equal(counts[1], counts[0], "calls that gprof counts")
    lab.check("helper" in counts[0], f"gprof told nothing: {counts[0]}")
