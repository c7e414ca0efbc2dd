# SPDX-License-Identifier: GPL-3.0-or-later
"""Time off the processor, as the timeline tells it, and as rows have it."""
import lab
import virtual_lab as virtual

# Probes of `empty` cost half of what the calibration says, and so nearly all of what was measured
# in it was off the processor.
PREEMPTED = """
FN void empty(void) { virtual_compute(0); }
FN void preempted(uint64_t ticks) { virtual_switch(ticks, 0); }
FN void other(void) { empty(); virtual_compute(70); }
int main(void) {
    virtual_self.probe_ticks /= 2;
    for (int i = 0; i < 100; i++) empty();
    for (int i = 0; i < 100; i++) preempted(i % 10 ? 0 : 50000);
    for (int i = 0; i < 100; i++) other();
    virtual_wait(7000);
    virtual_self.probe_ticks *= 2;
    return 0;
}
"""


@lab.test("virtual/rows have all time off the processor that the timeline tells")
def off_processor(bench):
    """No overhead is taken from it: probes run on the processor."""
    rows = virtual.record(bench, PREEMPTED, env={"CINSTR_TIMELINE": "unlimited"})
    events = bench.json("timeline", "--events=os", bench.path("cinstr.data"))
    lab.equal(sorted(event["off_cpu_ns"] for event in events if event["off_cpu_ns"]), [7000] + [50000] * 10, "told")
    lab.equal(rows["preempted"]["off_cpu_ns"], 500000, "off the processor")
    for by in "thread", "process":
        lab.equal(sum(row["off_cpu_ns"] for row in bench.report(by=by)["rows"]), 507000, f"by {by}")
