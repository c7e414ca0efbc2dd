# SPDX-License-Identifier: GPL-3.0-or-later
"""How wide the bars of corrected values may be (R9), by what the processor was measured to do."""
import re

import lab

PRINTED = 0.1  # ns: what cinstr info rounds to
HIDDEN = 1.1  # of a bar in what is subtracted, where nine tenths of a probe and more are hidden


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


def check_width(row, name, calls):
    """A bar that holds everything says nothing: it follows from what the processor was measured to
    hide of a probe, on an Intel processor a third of it, on one of AMD's nine tenths, or all."""
    alone, beside, subtracted, low, high = calls
    # a difference may be off by so much; of cheap calls that is 1 %
    rounded, least = PRINTED, subtracted - PRINTED / 2
    part = (max(subtracted - low, high - subtracted) + rounded) / least
    late = (alone - beside + rounded) / 2 / least
    lab.check(part < (HIDDEN if beside < alone / 10 else 1) and late < 1 and low > beside - (high - low) / 10, f"what a call costs: {calls}")
    for which, most in ("inclusive", part), ("exclusive", part + late):
        bar, overhead = row[f"elapsed_{which}_uncertainty_ns"], row[f"probe_overhead_{which}_ns"]
        lab.check(0 < bar <= 1.06 * most * overhead + 1000,
                  f"{name}: {which} bar of {bar} ns, overhead {overhead} ns; a call: {calls}")
