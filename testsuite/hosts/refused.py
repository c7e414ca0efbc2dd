# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs whose code may not be changed (MemoryDenyWriteExecute): they run as without probes, say
the true reason, take no good session's place, and give samples."""
import os

import host
from host import Skip, build, calls, check, equal, lab, program, test

REASONS = {"mdwe": "MemoryDenyWriteExecute (PR_SET_MDWE) or SELinux forbids it",
           "filter": "a filter of system calls (MemoryDenyWriteExecute) or mseal forbids it"}
CALLS = "40000"  # 40 ms and more: timers take a sample every 4


def refused(bench, how):
    """Builds the program and what starts it so, and returns the command's words."""
    build(bench, "refused_work.c", "-g")
    bench.compile(program("refused.c"), "start", "-O2", plugin=None)
    words = [bench.path("start"), how]
    if bench.run(*words, "/bin/true").returncode:
        raise Skip("the kernel does not know this way to refuse")
    return words + [bench.path("probes")]


def ends_as_plain(bench, done, *arguments):
    expected = host.run(bench, "plain", *arguments)
    equal((done.returncode, done.stdout), (expected.returncode, expected.stdout), "end and output")


for way in REASONS:
    @test(f"refused/a good session stays, {way}")
    def session_stays(bench, way=way):
        words = refused(bench, way)
        host.run(bench, "probes")
        for _ in range(2):
            done = bench.run(*words)
            ends_as_plain(bench, done)
            equal(len(done.stderr.splitlines()), 1, f"lines said: {done.stderr}")
            check(REASONS[way] in done.stderr, f"another reason is told: {done.stderr}")
        equal(calls(bench, "leaf"), 2000, "calls of leaf in the session of before")
        check(not os.path.exists(bench.path("cinstr.data.old")), "the session of before was moved")

    @test(f"refused/cinstr record tells why, {way}")
    def told_by_record(bench, way=way):
        words = refused(bench, way)
        host.run(bench, "probes")
        done = bench.run(lab.COMMAND, "record", "--", *words, env={"CINSTR_METHOD": "instrumentation"})
        ends_as_plain(bench, done)
        check("nothing was recorded" in done.stderr and REASONS[way] in done.stderr, f"said: {done.stderr}")
        check("not built with" not in done.stderr, f"another reason is told: {done.stderr}")
        equal(calls(bench, "leaf"), 2000, "calls of leaf in the session of before")

    @test(f"refused/there are samples, {way}")
    def sampled(bench, way=way):
        words = refused(bench, way)
        for options in [], ["--mixed"], ["--sample", "--sample-source=timers"]:
            if way == "filter" and "--sample" in options:
                continue  # timers are the program's own system calls
            done = bench.run(lab.COMMAND, "record", *options, "-o", "samples", "--", *words, CALLS,
                             env={"CINSTR_METHOD": "auto"})
            ends_as_plain(bench, done, CALLS)
            check("leaf" in bench.functions("samples"), f"{options}: no samples of leaf: {done.stderr}")
