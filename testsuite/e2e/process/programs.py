# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs that are hard on a profiler: signals at a high rate, deep tail recursion, debuggers,
valgrind."""
import contextlib
import glob
import io
import os
import re
import shutil
import sys

import hangs
import lab
import quiet


def run_signals(bench, hertz, env=None, lost=0):
    program = bench.compile("programs/signals.c", "program", "-O2", "-fno-optimize-sibling-calls")
    bench.run(program, str(hertz), bench.path("count"), env=env, status=0)
    with open(bench.path("count")) as file:
        handled, worked = map(int, file.read().split())
    rows = bench.functions()
    got = {name: rows[name]["calls"] for name in ("handler", "in_handler", "work", "inner")}
    lab.equal(got, {"handler": handled, "in_handler": 2 * handled, "work": worked, "inner": 2 * worked}, "calls")
    lab.check(handled > hertz / 10, f"only {handled} signals at {hertz} Hz")
    bench.sound(lost=lost)


for rate in (1000, 10000):
    lab.TESTS.append((f"signals/{rate} Hz", lambda bench, rate=rate: run_signals(bench, rate)))


@lab.test("tail recursion/100 million deep in 1 MB of stack")
def tail_recursion(bench):
    program = bench.compile("programs/tailrecursion.c", "program", "-O2")
    done = bench.run("/bin/sh", "-c", 'ulimit -s 1024; exec "$0" 100000000', program, status=0)
    lab.equal(done.stdout, "1\n", "output")
    rows = bench.functions()
    lab.equal((rows["even"]["calls"], rows["odd"]["calls"]), (50000001, 50000000), "calls of even and odd")
    bench.sound()


@lab.test("debugger/breakpoint on an instrumented function")
def debugger(bench):
    gdb = lab.need("gdb")
    program = bench.compile("trees/nesting.c", "program", "-O2", "-fno-optimize-sibling-calls")
    done = bench.run(gdb, "-q", "-nx", "-batch", "-ex", "set confirm off", "-ex", "set debuginfod enabled off",
                     "-ex", "break middle", "-ex", "run", "-ex", "backtrace", "-ex", "finish", "-ex", "delete",
                     "-ex", "continue", program)
    text = done.stdout + done.stderr
    if "ptrace" in text and "not permitted" in text:
        raise lab.Skip("no ptrace here")
    lab.check(re.search(r"#0 .*middle.*\n#1 .*outer.*\n#2 .*main", text), f"no backtrace through the frames:\n{text}")
    lab.check("exited normally" in text, f"the program did not end normally under gdb:\n{text}")
    rows = bench.functions()
    lab.equal((rows["outer"]["calls"], rows["middle"]["calls"], rows["leaf"]["calls"]), (3, 6, 10), "calls")
    bench.sound()


@lab.test("debugger/backtrace from a callee")
def backtrace(bench):
    gdb = lab.need("gdb")
    program = bench.compile("programs/endings.c", "program", "-O2", "-fno-builtin")
    done = bench.run(gdb, "-q", "-nx", "-batch", "-ex", "set debuginfod enabled off", "-ex", f"run abort",
                     "-ex", "backtrace", "--args", program, "abort")
    text = done.stdout + done.stderr
    if "ptrace" in text and "not permitted" in text:
        raise lab.Skip("no ptrace here")
    lab.check(re.search(r"abort.*\n#\d+ .*finish.*\n#\d+ .*outer.*\n#\d+ .*main", text), f"backtrace:\n{text}")


@lab.test("valgrind")
def valgrind(bench):
    tool = lab.need("valgrind")
    program = bench.compile("trees/nesting.c", "program", "-O2", "-fno-optimize-sibling-calls")
    plain = bench.compile("trees/nesting.c", "plain", "-O2", plugin=None)
    done = bench.run(tool, "-q", "--error-exitcode=9", program, status=0)
    lab.equal(done.stdout, bench.run(plain).stdout, "output")
    rows = bench.functions()
    lab.equal((rows["outer"]["calls"], rows["middle"]["calls"], rows["leaf"]["calls"]), (3, 6, 10), "calls")
    bench.sound()


@lab.test("sanitizer/program with -fsanitize=address,undefined")
def sanitizer(bench):
    if bench.compile("trees/nesting.c", "probe", "-fsanitize=address", plugin=None, fails=True).returncode:
        raise lab.Skip("no sanitizer library here")
    bench.same_as_plain("trees/nesting.c", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
    lab.equal(bench.functions()["leaf"]["calls"], 10, "calls of leaf")
    bench.sound()


@lab.test("fallback/CINSTR_CLOCK=monotonic")
def monotonic(bench):
    bench.same_as_plain("trees/callbacks.c", "-O2", env={"CINSTR_CLOCK": "monotonic"})
    lab.equal(bench.functions()["compare"]["calls"], 8, "calls of compare")
    bench.sound()


@lab.test("fallback/CINSTR_RESTARTABLE=off")
def no_restart(bench):
    bench.same_as_plain("trees/callbacks.c", "-O2", env={"CINSTR_RESTARTABLE": "off"})
    lab.equal(bench.functions()["compare"]["calls"], 8, "calls of compare")
    bench.sound()


@lab.test("fallback/CINSTR_RESTARTABLE=off, 1000 signals a second")
def no_restart_signals(bench):
    """Without restartable sequences a signal can cost an event; the numbers stay within that and
    conserved."""
    program = bench.compile("programs/signals.c", "program", "-O2", "-fno-optimize-sibling-calls")
    bench.run(program, "1000", bench.path("count"), env={"CINSTR_RESTARTABLE": "off"}, status=0)
    with open(bench.path("count")) as file:
        handled, worked = map(int, file.read().split())
    rows = bench.functions()
    for name, calls in ("handler", handled), ("work", worked), ("inner", 2 * worked):
        lab.check(abs(rows[name]["calls"] - calls) <= 2 * handled, f"{name}: {rows[name]['calls']} of {calls} calls")
    lab.equal(bench.report()["session"]["conservation_ticks_off"], 0, "conservation_ticks_off")


HANGING = """
import lab

@lab.test("waits")
def waits(bench):
    bench.start("sleep", "1234").wait()

@lab.test("told")
def told(bench):
    bench.run("sh", "-c", "sleep 1235; true", timeout=1)

@lab.test("goes on")
def goes_on(bench):
    pass

lab.run_tests()
"""


@lab.test("lab/a test that hangs")
def hanging(bench):
    """It fails by its name, with stacks; what it runs is gone; the next test runs."""
    done = bench.run(sys.executable, "-c", HANGING, env={"LIMIT": "4", "PYTHONPATH": lab.HERE, "BUILD": lab.BUILD, "T": "*"})
    for pattern in (r"^FAIL waits: it does not end", r"process \d+, .*: sleep 1234$", r"^FAIL told: sh does not end",
                    r"process \d+, .*: sleep 1235$", r"^ok goes on  \(.* s\)$", "^1 passed, 2 failed$"):
        lab.check(re.search(pattern, done.stdout, re.M), f"not there: {pattern}\n{done.stdout}{done.stderr}")
    if shutil.which("gdb"):
        lab.check(re.search(r"^    #\d+ ", done.stdout, re.M), f"no stacks: {done.stdout}")
    lab.equal(hangs.descendants(os.getpid()), [], "processes that are left")


@lab.test("lab/a suite that hangs")
def hanging_suite(bench):
    done = bench.run(sys.executable, hangs.__file__, "2", "sh", "-c", "echo begun; sleep 1236; echo never", status=124)
    lab.check(done.stdout.startswith("begun\nno output for 2 s") and "sleep 1236" in done.stdout, done.stdout)
    lab.equal(bench.run(sys.executable, hangs.__file__, "60", "sh", "-c", "echo one; exit 5", status=5).stdout, "one\n", "output")


AGAIN = """
import os, sys
sys.path.append("lab")
import lab

for name, results in %r.items():
    def run(bench, name=name, results=results):
        with open("runs." + name, "a+") as runs:
            runs.write(".")
            if "skip" in results:
                raise lab.Skip(results[5:])
            lab.check(results[runs.tell() - 1] == "+", "because: of this")
    lab.test("again/" + name)(run)
sys.exit(lab.run_tests())
"""


def checked(bench):
    """A function that runs tests, {name: results}, by a check.py of their own, and returns what it
    printed."""
    shutil.copy(os.path.join(lab.ROOT, "testsuite/check.py"), bench.path("check.py"))
    os.symlink(lab.HERE, bench.path("lab"))
    os.mkdir(bench.path("e2e"))
    bench.write("slow.txt", "")
    bench.write("skips.txt", "# so\n\ne2e again/far*: no [network] *\n")
    bench.write("e2e/run.sh", f"#!/bin/sh\nexec {sys.executable} e2e/run.py \"$@\"\n")
    os.chmod(bench.path("e2e/run.sh"), 0o755)

    def come_out(tests, status, *options, **env):
        for path in glob.glob(bench.path("runs.*")):
            os.unlink(path)
        bench.write("e2e/run.py", AGAIN % tests)
        return bench.run(sys.executable, "check.py", "--full", "--jobs=1", *options, "e2e",
                         env={"BUILD": bench.path("."), "T": "*", "CI": "", **env}, status=status).stdout

    return come_out


@lab.test("lab/what failed is run again alone, and is unsteady if it passes each time")
def again(bench):
    come_out = checked(bench)
    some = {"good": "+", "once": "-+++", "twice": "-++-", "bad": "----", "once, and": "-+++"}
    text = come_out(some, 1, "--again=3")
    lab.equal(re.findall(r"^(FAIL|UNSTEADY) e2e: again/(.*): because: of this$", text, re.M),
              [("FAIL", "twice"), ("FAIL", "bad"), ("UNSTEADY", "once"), ("UNSTEADY", "once, and")], text)
    lab.check(text.endswith("\n3 passed, 2 failed, 0 skipped\n"), text)
    lab.check(come_out(some, 1).endswith("\n1 passed, 4 failed, 0 skipped\n"), "not asked for")
    lab.check(come_out({"once": "-+++", "good": "+"}, 0, "--again=3").endswith("\n2 passed, 0 failed, 0 skipped\n"), "one of them")
    text = come_out({f"once {number}": "-+++" for number in range(4)}, 1, "--again=3")
    lab.check("too many" in text and text.endswith("\n0 passed, 4 failed, 0 skipped\n"), text)


@lab.test("lab/a skip is counted, and one that is not listed is a failure under CI")
def skips(bench):
    come_out = checked(bench)
    listed = {"good": "+", "far 1": "skip no [network] here", "far": "skip no [network] there"}
    for ci in "", "true":
        lab.check(come_out(listed, 0, CI=ci).endswith("\n1 passed, 0 failed, 2 skipped\n"), f"listed, CI={ci}")
    for name, reason in ("far", "no n here"), ("near", "no [network] here"), ("so far", "no [network] here"), ("far", "no [network]"):
        tests = {**listed, name: "skip " + reason}
        n = len(tests) - 1
        lab.check(come_out(tests, 0).endswith(f"\n1 passed, 0 failed, {n} skipped\n"), f"{name}: {reason}, by hand")
        text = come_out(tests, 1, "--again=3", CI="true")
        lab.check(text.endswith(f"\n1 passed, 1 failed, {n} skipped\n"), text)
        lab.check(f"\nFAIL e2e: again/{name}: {reason} (skipped, and not listed in testsuite/skips.txt)\n" in text, text)


def verdict_of(story):
    """What comes of runs that are wrong (-), right (+), or these while others disturb them (w, r):
    yes, no, or skip. Behind the story's end all is as its last run."""
    runs = quiet.Runs()
    for number in range(quiet.TRIES):
        one = story[min(number, len(story) - 1)]
        try:
            reason = lab.TimeFailure(str(number)) if one in "-w" else None
            if runs.decide(reason, "by others" if one in "wr" else "") or not runs.may_go_on():
                return f"yes {number + 1}"
        except lab.Skip:
            return f"skip {number + 1}"
        except lab.TimeFailure:
            return f"no {number + 1}"
    return "too many"


@lab.test("lab/of runs that others disturb")
def disturbed_runs(bench):
    for story, verdict in {"+": "yes 1", "r": "yes 1", "--": "no 2", "-+-": "no 3", "-++": "yes 3", "w+": "yes 2", "w-+-": "no 4",
                           "w": "no 8", "wwwwwww-": "no 8", "wwr": "yes 8", "wwwr": "yes 8", "wwwwr": "skip 8", "wr-r-": "no 5",
                           "w-r+r+": "yes 6", "wrrrrwww": "skip 8", "wrrrrrww": "yes 8"}.items():
        with contextlib.redirect_stdout(io.StringIO()):
            got = verdict_of(story)
        lab.equal(got, verdict, story)


@lab.test("lab/who else has the processors is seen")
def neighbours(bench):
    """All of them are taken, and more: whatever else the machine does, it is disturbed."""
    watch = quiet.Watch()
    with bench.beside(2 * os.cpu_count()):
        bench.run("sh", "-c", "i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done", status=0)
        lab.check(watch.disturbed(), "nobody")
    lab.equal(quiet.Watch().disturbed(), "", "by nobody, in no time")
