# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the tests of hosts: every function marked @test in the modules beside this file."""
import importlib
import os
import sys

import host

HERE = os.path.dirname(os.path.abspath(__file__))


def main():
    for name in sorted(os.listdir(HERE)):
        if name.endswith(".py") and name != "run.py":
            importlib.import_module(name[:-3])
    return host.lab.run_tests()


if __name__ == "__main__":
    sys.exit(main())
