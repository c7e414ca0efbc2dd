# SPDX-License-Identifier: GPL-3.0-or-later
"""Every way a program ends: same end, and the session holds everything up to it, open frames included (D5, R15)."""
import signal
import time

import lab

ENDINGS = {
    "return": 6, "exit": 3, "_exit": 4, "quick_exit": 5, "pthread_exit": 0,
    "abort": -signal.SIGABRT, "sigterm": -signal.SIGTERM, "sigkill": -signal.SIGKILL, "segv": -signal.SIGSEGV,
}


def run_ending(bench, how):
    done = bench.same_as_plain("programs/endings.c", "-O2", "-fno-builtin", args=[how])
    lab.equal(done.returncode, ENDINGS[how], "exit status")
    tree = bench.tree()
    outer = tree["main"][1]["outer"]
    steps = 1001 if how == "return" else 1000
    lab.equal(outer[1]["step"][0], steps, "calls of step")
    lab.equal(tree["main"][1]["outer"][1]["finish"][0], 1, "calls of finish")
    bench.sound()


for ending in ENDINGS:
    lab.TESTS.append((f"ending/{ending}", lambda bench, ending=ending: run_ending(bench, ending)))


@lab.test("ending/what the last call tells is no riddle")
def told(bench):
    for how, is_unknown in ("_exit", 0), ("sigkill", 1):
        bench.same_as_plain("programs/endings.c", "-O2", "-fno-builtin", args=[how])
        advice = bench.json("summary", bench.path("cinstr.data"))["advice"]
        lab.equal(sum(item["id"] == "CI0211" for item in advice), is_unknown, f"{how}: advice on unknown ends")


@lab.test("ending/killed from outside")
def killed(bench):
    program = bench.compile("programs/work.c", "program", "-O2")
    process = bench.start(program, "60000")
    lab.wait_for(lambda: lab.data_files(bench.path("cinstr.data")), "no data file")
    lab.wait_for(lambda: bench.functions().get("work", {}).get("calls", 0) > 2, "no calls")
    process.kill()
    lab.equal(process.wait(), -signal.SIGKILL, "exit status")
    rows = bench.functions()
    lab.check(rows["leaf"]["calls"] >= 1000, f"leaf: {rows['leaf']['calls']} calls")
    lab.check(rows["leaf"]["calls"] <= rows["work"]["calls"] * 1000 and
              rows["leaf"]["calls"] >= (rows["work"]["calls"] - 1) * 1000, "calls of leaf and work do not fit")
    bench.sound()


@lab.test("ending/stopped and continued")
def stopped(bench):
    program = bench.compile("programs/work.c", "program", "-O2")
    process = bench.start(program, "1500")
    lab.wait_for(lambda: lab.data_files(bench.path("cinstr.data")), "no data file")
    process.send_signal(signal.SIGSTOP)
    time.sleep(0.2)
    process.send_signal(signal.SIGCONT)
    lab.equal(process.wait(lab.TIMEOUT), 0, "exit status")
    bench.sound()
