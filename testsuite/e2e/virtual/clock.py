# SPDX-License-Identifier: GPL-3.0-or-later
"""Virtual time itself, and what a recording's values are by it: all by equality."""
import os

import lab
import virtual_lab as virtual

WORK = """
FN void leaf(void) { virtual_compute(300); }
FN void waiter(void) { virtual_switch(5000, 1); virtual_compute(40); }
FN void outer(void) { virtual_compute(100); leaf(); virtual_compute(50); leaf(); waiter(); }
int main(void) { for (int i = 0; i < 10; i++) outer(); return 0; }
"""


def four(row):
    return [row[f"{kind}_{reach}_ns"] for kind in ("elapsed", "application") for reach in ("inclusive", "exclusive")]


def check_work(rows):
    """Ten rounds of WORK, whatever the probes have cost."""
    lab.equal(four(rows["leaf"]), [6000, 6000, 6000, 6000], "leaf")
    lab.equal(four(rows["waiter"]), [50400, 50400, 0, 0], "waiter")
    lab.equal(four(rows["outer"]), [57900, 1500, 7500, 1500], "outer")
    lab.equal(four(rows["main"]), [57900, 0, 7500, 0], "main")
    for name, avg in ("leaf", 300), ("waiter", 5040), ("outer", 5790):
        lab.equal([rows[name][f"{which}_elapsed_inclusive_ns"] for which in ("min", "avg", "max")], [avg] * 3, f"a call of {name}")


@lab.test("virtual/four values, whatever a probe costs")
def four_values(bench):
    """The second figure is a tenth of the threshold: nearly all take the slow path; none but those
    in which the thread waited."""
    program = virtual.program(bench, WORK)
    for probe, runtime in (0, 10), (0, 1000), (1, 10), (20, 10), (20, 1000), (90, 10), (90, 1000), (333, 1000):
        bench.run(program, env=virtual.costs(probe, runtime), status=0)
        bench.sound()
        check_work(bench.functions())
        raw = {row["name"]: row for row in bench.report("cinstr.data", "function", "--raw")["rows"]}
        lab.equal(raw["leaf"]["elapsed_inclusive_ns"], 6000 + 20 * probe, f"by the clock, with probes of {probe} ticks")


TURNS = """
static struct virtual_lock lock;
FN void hold(uint64_t ticks) { virtual_take(&lock); virtual_compute(ticks); virtual_give(&lock); }
FN void *worker(void *ticks) { for (int i = 0; i < 10; i++) { virtual_compute(500); hold((uint64_t)ticks); virtual_wait(100); } return 0; }
int main(void) {
    int first = virtual_start(worker, (void *)3000), second = virtual_start(worker, (void *)2000);
    virtual_compute(100);
    virtual_join(first), virtual_join(second);
    return 0;
}
"""


MANY = """
FN void tiny(void) { virtual_compute(5); }
FN void batch(void) { for (int i = 0; i < 1000; i++) tiny(); virtual_compute(50000); }
int main(void) { for (int i = 0; i < 100; i++) batch(); return 0; }
"""


@lab.test("virtual/a recording is the same each time")
def same(bench):
    """With threads, and where probes are taken out. RUNS=50 beside what else the machine does."""
    for name, text, env in ("turns", TURNS, {"CINSTR_TIMELINE": "1M"}), ("limit", MANY, {"CINSTR_MAX_OVERHEAD": "20"}):
        program, seen = virtual.program(bench, text), set()
        for _ in range(int(os.environ.get("RUNS", "4"))):
            bench.run(program, env={**virtual.costs(), **env}, status=0)
            seen.add(virtual.fingerprint(bench, timeline="CINSTR_TIMELINE" in env))
        lab.equal(len(seen), 1, f"{name}: different recordings")
