# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the faults: every function marked @fault in the modules below, as often as it says."""
import sys

import runner
import kills, space, starts, crowds, storms, families, libraries, surroundings  # noqa: F401 (they register, in this order)

if __name__ == "__main__":
    sys.exit(runner.main("faults", __doc__))
