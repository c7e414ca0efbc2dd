# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the end-to-end tests: every function marked @lab.test in the modules below."""
import sys

import lab
import accuracy, api, beside, budget, builds, choosing, control, csv_cells, diff, endings, extremes, faults, hotpath, install, lines, names, osview, outside, phases, processes  # noqa: F401 (they register)
import jumps, messages, outside_threads, percall, places, programs, ranges, rules, seccomp, sessions, size, streams, switching, thread_names, timeline, together, trees, truth, unwinding, views  # noqa: F401


if __name__ == "__main__":
    sys.exit(lab.run_tests())
