# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the tests of building: every function marked @lab.test in the modules beside this file."""
import sys

import yard
import caches, commands, modules, shims, wrappers  # noqa: F401 (they register)


if __name__ == "__main__":
    sys.exit(yard.lab.run_tests())
