# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the tests of pages: every function marked @lab.test in the modules case_*.py beside this
file. All of them share one browser."""
import glob
import importlib
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "../lab"))

import browser  # noqa: E402
import lab  # noqa: E402


def main():
    for module in sorted(glob.glob(os.path.join(HERE, "case_*.py"))):
        importlib.import_module(os.path.basename(module)[:-3])
    try:
        return lab.run_tests()
    finally:
        browser.end()


if __name__ == "__main__":
    sys.exit(main())
