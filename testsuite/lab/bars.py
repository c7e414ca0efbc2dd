# SPDX-License-Identifier: GPL-3.0-or-later
"""How wide the bars of corrected values may be (R9), by what the processor was measured to do."""
import math
import re

import lab

PRINTED = 0.1  # ns: what cinstr info rounds to
DEVIATION = 0.3  # of what is subtracted: that of the calibration's rounds, at most


def truth(bench):
    """What the program wrote into the file `truth`: {name: ns}."""
    with open(bench.path("truth")) as file:
        return {name: float(value) for name, value in (line.split() for line in file)}


def whole_call(bench):
    """What cinstr info says that all probes of a call cost, in ns: (by themselves, beside,
    subtracted, at least, at most)."""
    text = bench.cinstr("info")
    found = re.search(r"a whole call ([\d.]+) by itself, ([\d.]+) beside other work; subtracted ([\d.]+) "
                      r"\(may be\s+([\d.]+) to ([\d.]+)\)", text)
    lab.check(found, "no surroundings in cinstr info:\n" + text)
    return tuple(map(float, found.groups()))


def check_limits(calls):
    """What a call costs at least and at most follows from what was measured, as R9 says it. Both
    are within what is subtracted, but where the processor hides nine tenths of a probe or more:
    there probes by themselves cost less than twice as much as one call after the other."""
    alone, beside, subtracted, low, high = calls
    loop = max((4 * subtracted - alone) / 3, PRINTED)  # what is subtracted is (3 loop + alone) / 4
    least, most = 2 / (1 / max(beside, PRINTED) + 1 / loop), alone + (alone - beside) / 2
    for limit, expected in (low, least), (high, most):
        lab.check_time(abs(limit - subtracted) <= math.hypot(expected - subtracted, DEVIATION * subtracted) + 3 * PRINTED,
                       f"a call costs {limit}, by the rule {expected:.1f}: {calls}")
    part = (max(subtracted - low, high - subtracted) + PRINTED) / (subtracted - PRINTED / 2)
    lab.check_time(part < 1 if beside >= alone / 10 else alone < 2 * loop, f"what a call costs: {calls}")
    return part


def check_width(row, name, calls):
    """A bar that holds everything says nothing: it follows from what the processor was measured to
    hide of a probe, on an Intel processor a third of it, on one of AMD's nine tenths, or all."""
    alone, beside, subtracted, low, high = calls
    part = check_limits(calls)
    # a difference may be off by so much; of cheap calls that is 1 %
    late = (alone - beside + PRINTED) / 2 / (subtracted - PRINTED / 2)
    lab.check_time(late < 1 and low > beside - (high - low) / 10, f"what a call costs: {calls}")
    for which, most in ("inclusive", part), ("exclusive", part + late):
        bar, overhead = row[f"elapsed_{which}_uncertainty_ns"], row[f"probe_overhead_{which}_ns"]
        lab.check_time(0 < bar <= 1.06 * most * overhead + 1000,
                       f"{name}: {which} bar of {bar} ns, overhead {overhead} ns; a call: {calls}")
