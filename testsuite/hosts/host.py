# SPDX-License-Identifier: GPL-3.0-or-later
"""What every test of a host program uses besides the end-to-end tests' lab: builds one of programs/
plain and with probes, runs both, compares what they print and how they end."""
import os
import shutil
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "../lab"))

import lab  # noqa: E402
from lab import BUILD, PLUGIN, Failure, Skip, check, equal, need, test  # noqa: E402, F401


def program(name):
    return os.path.join(HERE, "programs", name)


def build(bench, source, *flags, optimize="-O2"):
    """Builds programs/SOURCE (or several, in a list) as "plain" and as "probes" in the test's
    folder."""
    sources = [program(name) for name in ([source] if isinstance(source, str) else source)]
    bench.compile(sources, "plain", optimize, "-w", *flags, plugin=None)
    bench.compile(sources, "probes", optimize, "-w", *flags)


def run(bench, name, *args, env=None, timeout=60):
    """Runs "plain" or "probes". Its session is the folder cinstr.data, made anew."""
    if name == "probes":
        shutil.rmtree(bench.path("cinstr.data"), ignore_errors=True)
    return bench.run(bench.path(name), *args, env=env, timeout=timeout)


def same(bench, *args, runs=1, env=None, timeout=60, may_say=False):
    """Runs the plain program once and the one with probes `runs` times: output and end are equal
    each time. may_say: error output may have a line of the runtime's. Returns the last run."""
    expected = run(bench, "plain", *args, timeout=timeout)
    for _ in range(runs):
        got = run(bench, "probes", *args, env=env, timeout=timeout)
        if may_say:
            got.stderr = "".join(line for line in got.stderr.splitlines(True) if not line.startswith("cinstr: "))
        lab.same_run(got, expected)
    return got


def calls(bench, function, session="cinstr.data"):
    """Calls of the function in the session; None: no row has that name."""
    row = bench.functions(session).get(function)
    return row and row["calls"]
