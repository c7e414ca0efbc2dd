# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the attacks of another user: every function marked @fault in the modules below, as often as
it says."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "faults"))

import runner  # noqa: E402
import standing, races, asked, files  # noqa: E402, F401 (they register, in this order)

if __name__ == "__main__":
    sys.exit(runner.main("security", __doc__))
