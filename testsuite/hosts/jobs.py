# SPDX-License-Identifier: GPL-3.0-or-later
"""Processes beside others: ranks of a job whose session cannot be where it is wanted, and forked
children."""
import time

import host
from host import check, equal, test

RANK = {"OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "2", "OMPI_COMM_WORLD_LOCAL_RANK": "1",
        "PMIX_NAMESPACE": "prterun-here-1@1"}
WAIT_S = 20  # how long ranks wait for one another


@test("jobs/a rank whose folder's parent is not there")
def no_parent(bench):
    host.build(bench, "spaces.c")
    begin = time.monotonic()
    got = host.run(bench, "probes", "none", env={**RANK, "CINSTR_DATA": "not/there/data"})
    seconds = time.monotonic() - begin
    equal(got.returncode, 0, "exit status")
    check(seconds < WAIT_S, f"the rank and its child took {seconds:.0f} s")
    equal([line for line in got.stderr.splitlines() if "No such file or directory" in line], got.stderr.splitlines(),
          "what is said")
    equal(len(got.stderr.splitlines()), 1, "lines")


@test("jobs/a forked child reserves no addresses")
def forked(bench):
    host.build(bench, "spaces.c")
    got = host.same(bench, "size")
    check("0 GB" in got.stdout, got.stdout)


@test("jobs/a handler forks while calls are counted")
def handler_forks(bench):
    host.build(bench, "handler_forks.c")
    equal(host.same(bench, env={"CINSTR_MAX_OVERHEAD": "0"}).stdout, "0 children died\n", "output")
