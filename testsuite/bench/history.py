# SPDX-License-Identifier: GPL-3.0-or-later
"""
cinstr history: how often it sees a change where there is none.

    history.py [RUNS [ORDERS]]  each of five programs, recorded RUNS (200) times as it comes while
                                two processes load the machine; then cinstr history trend is asked
                                after each run, in the order of recording and in ORDERS (4) others

What is stated is a rate of looks (--alpha): 1 of 100 shows a change of any function by chance.
Looks after one another have most of their runs in common, so that what one shows the next ones do,
too: the other orders tell whether a change was one of the machine.
"""
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

import compare
import gate

PROGRAMS = ("integers", "allocation", "sorting", "threads", "many")  # many: gate.py's 200 functions
FIRST = 5  # runs before the first look
LOAD = 2


class Load:
    def __enter__(self):
        code = f"import os\nwhile os.getppid() == {os.getpid()}:\n    for i in range(100000): pass\n"
        self.processes = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(LOAD)]

    def __exit__(self, *_):
        for process in self.processes:
            process.kill()
            process.wait()


def build():
    gate.FLAGS.remove("-fplugin-arg-cinstr-instructions")
    compare.build_programs()
    gate.build_parts()
    os.replace(gate.link(), "many")


def record(name, runs):
    for i in range(runs):
        gate.must(f"./{name}", env={**os.environ, "CINSTR_DATA": f"{name}.{i}"})


def look(store):
    """What has changed since which run: (name, run)."""
    found = json.loads(gate.must(gate.COMMAND, "history", "trend", store, "--format=json"))
    if found["session"]["measure"] != "unpreempted":
        sys.exit(f"history trend compares {found['session']['measure']}")
    return [(change["function"], change["run"]) for change in found["changes"]]


def judge(name, order):
    """The looks that show something."""
    shown = []
    shutil.rmtree("store", ignore_errors=True)
    for n, run in enumerate(order, 1):
        gate.must(gate.COMMAND, "history", "add", "store", f"{name}.{run}", f"--time={n}")
        changes = look("store") if n >= FIRST else []
        shown += [(n, changes)] if changes else []
    return shown


def tell(what, looks, shown):
    print(f"  {what:24} {len(shown):4} of {looks:5} looks show a change ({100 * len(shown) / looks:.2f} %)", flush=True)
    for n, changes in shown[:3]:
        print(f"    after {n} runs: " + ", ".join(f"{function} since run {run}" for function, run in changes[:5]))


def main():
    runs, orders = (int(one) for one in (sys.argv[1:] + ["200", "4"][len(sys.argv) - 1:])[:2])
    looks, all_shown = runs - FIRST + 1, {"as recorded": [], "other orders": []}
    with tempfile.TemporaryDirectory(prefix="cinstr-history-") as folder:
        os.chdir(folder)
        build()
        for name in PROGRAMS:
            with Load():
                record(name, runs)
            print(f"{name}, {runs} runs", flush=True)
            for number in range(orders + 1):
                order, what = list(range(runs)), "other orders" if number else "as recorded"
                random.Random(number).shuffle(order) if number else None
                shown = judge(name, order)
                tell(f"order {number}" if number else what, looks, shown)
                all_shown[what] += shown
    print(f"all, {len(PROGRAMS)} x {runs} runs")
    tell("as recorded", looks * len(PROGRAMS), all_shown["as recorded"])
    if orders:
        tell("other orders", looks * len(PROGRAMS) * orders, all_shown["other orders"])


main()
