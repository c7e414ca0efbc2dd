# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the end-to-end tests: every function marked @lab.test in the modules of the folders beside
this file."""
import glob
import importlib
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "../lab"))

import lab  # noqa: E402


def main():
    modules = sorted(glob.glob(os.path.join(HERE, "*/*.py")))
    sys.path += sorted({os.path.dirname(module) for module in modules})
    names = [os.path.basename(module) for module in modules]
    twice = {name for name in names if names.count(name) > 1}
    if twice:  # the second one would not be imported
        sys.exit(f"two modules of tests are called {', '.join(sorted(twice))}")
    for module in modules:
        found = importlib.import_module(os.path.basename(module)[:-3])
        if not os.path.samefile(found.__file__, module):
            sys.exit(f"{module} would not be imported: {found.__file__} has its name")
    return lab.run_tests()


if __name__ == "__main__":
    sys.exit(main())
