# SPDX-License-Identifier: GPL-3.0-or-later
"""What every test of the sampling method uses besides the end-to-end tests' lab: record, shares,
their errors."""
import math
import os
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(HERE, "../lab"))

import lab  # noqa: E402
from lab import Failure, Skip, TimeFailure, check, check_time, equal, need, test  # noqa: E402, F401

SIGMAS = 4.5  # a right share is called wrong once in 150,000 times


def program(name):
    return os.path.join(HERE, "programs", name)


def compile(bench, source, *flags, output=None, optimize="-O1"):
    """Compiles one of programs/ without the plugin, as its users have it."""
    output = output or os.path.splitext(source)[0]
    return bench.compile(program(source), output, optimize, *flags, plugin=None)


def record(bench, *command, options=(), session="cinstr.data", status=0, env=None, timeout=lab.TIMEOUT):
    """cinstr record --sample COMMAND; what it wrote."""
    sample = [] if any(o.startswith("--sample=") for o in options) else ["--sample"]
    return bench.run(lab.COMMAND, "record", *sample, *options, "-o", bench.path(session), "--", *command, env=env,
                     status=status, timeout=timeout)


def rows(bench, by="function", *args, session="cinstr.data"):
    return bench.report(session, by, *args)["rows"]


def exclusive(bench, session="cinstr.data"):
    """Exclusive samples by name of the function; and their sum."""
    counts = {}
    for row in rows(bench, session=session):
        counts[row["name"]] = counts.get(row["name"], 0) + row["exclusive_samples"]
    return counts, sum(counts.values())


def wait_for_samples(bench, session="cinstr.data", wanted=100):
    """Until a data file says so; its header has the number of samples at 568 (format.md)."""

    def are_there():
        for path in lab.data_files(bench.path(session)):
            with open(path, "rb") as file:
                file.seek(568)
                if int.from_bytes(file.read(8), "little") >= wanted:
                    return True
        return False

    lab.wait_for(are_there, f"{wanted} samples do not come")


def stays(count, seconds=0.5, tries=5):
    """A number that soon grows no more: the collector looks every 10 ms at what was asked for, when
    it has the processor."""
    for _ in range(tries):
        before = count()
        time.sleep(seconds)
        if count() == before:
            return before
    raise Failure(f"still {count()}, {before} before")


def is_share(n, total, share, sigmas=SIGMAS):
    """Whether n of total samples are what the share makes likely (binomial)."""
    return abs(n - total * share) <= sigmas * math.sqrt(total * share * (1 - share)) + 1


def check_share(n, total, share, what, sigmas=SIGMAS):
    if not is_share(n, total, share, sigmas):
        error = math.sqrt(share * (1 - share) / total) if total else 1
        raise TimeFailure(f"{what}: {n} of {total} samples = {n / max(total, 1):.4f}, not {share:.4f} +- {sigmas * error:.4f}")
