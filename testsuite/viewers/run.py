# SPDX-License-Identifier: GPL-3.0-or-later
"""One session (golden.py) through all formats of `cinstr export`, each read again by what it is
for: what these say is what `cinstr report --format=csv` says, to the nanosecond. Every function
marked @lab.test in the modules beside this file; a test whose viewer is not installed is skipped
(contrib/install-deps viewers)."""
import glob
import importlib
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "../lab"))

import lab  # noqa: E402


def main():
    for module in sorted(glob.glob(os.path.join(HERE, "*.py"))):
        name = os.path.basename(module)[:-3]
        if name not in ("run",):
            importlib.import_module(name)
    return lab.run_tests()


if __name__ == "__main__":
    sys.exit(main())
