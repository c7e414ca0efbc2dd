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


# Code without probes waits, and ends the recording: no event is between.
PAUSES = """
#include <cinstr.h>
#define PLAIN __attribute__((noipa, no_instrument_function))
PLAIN void halts(void) { virtual_switch(7000, 1); cinstr_stop(CINSTR_THREAD, CINSTR_SELF); }
PLAIN void goes_on(void) { virtual_compute(300); cinstr_start(CINSTR_THREAD, CINSTR_SELF); }
FN void work(void) { virtual_compute(50); }
int main(void) { halts(); goes_on(); work(); return 0; }
"""


@lab.test("virtual/a wait is told at the pause that ends it")
def at_pause(bench):
    virtual.record(bench, PAUSES, env={"CINSTR_TIMELINE": "unlimited"})
    events = [one for one in bench.json("timeline", bench.path("cinstr.data")) if one["tid"]]
    lab.equal({one["event"]: one["off_cpu_ns"] for one in events if one["off_cpu_ns"]}, {"pause": 7000}, "off the processor")
