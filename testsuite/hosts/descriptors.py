# SPDX-License-Identifier: GPL-3.0-or-later
"""Descriptors are the program's: the runtime takes none of its numbers, and works on none of its
files, also while the data file grows, threads begin, children are made, and at the exit."""
import glob
import os

import host
from host import check, equal, test

GROWS = {"CINSTR_PATHS": "1000000", "CINSTR_TIMELINE": "unlimited", "CINSTR_MAX_OVERHEAD": "unlimited"}
RUNS = 3


def unharmed(bench, *args, **env):
    host.build(bench, "descriptors.c", "-pthread")
    got = host.same(bench, *args, runs=RUNS, env={**GROWS, **env})
    equal(got.stdout, "0 wrong, 0 changed\n", "what the program lost")


def grown(bench):
    """The data file has grown, several times."""
    size = max(os.path.getsize(file) for file in glob.glob(bench.path("cinstr.data", "*.cinstr")))
    check(size > 3_000_000, f"a data file of {size} bytes")


for mode in "dup2", "dup3", "fcntl", "close_range", "close_all", "open", "socket", "pipe", "last":
    @test(f"descriptors/growth/{mode}")
    def growth(bench, mode=mode):
        unharmed(bench, mode)
        grown(bench)

for mode in "dup2", "open", "pipe":
    @test(f"descriptors/growth/{mode} where 0 to 2 are closed")
    def growth_closed(bench, mode=mode):
        unharmed(bench, mode, "closed")

for mode in "threads", "forks", "clones", "exit":
    @test(f"descriptors/{mode}")
    def beside(bench, mode=mode):
        unharmed(bench, mode)

for mode in "dup2", "threads", "exit":
    @test(f"descriptors/mixed/{mode}")
    def mixed(bench, mode=mode):
        unharmed(bench, mode, CINSTR_METHOD="mixed")
