# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs that have moved their code onto pages of no file: samples name its functions."""
import os
import subprocess

from host import check, lab, program, test


def build(bench):
    """With a page of its own before the text of the program, so that a part of it can be moved."""
    pad = bench.write("pad.S", '.section .text.unlikely, "ax"\n.skip 8192, 0x90\n.section .note.GNU-stack, "", @progbits\n')
    bench.compile([program("moved.c"), pad], "moved", "-O2", plugin=None)


def named(bench, session):
    names = bench.functions(session)
    check("step" in names, f"no samples of step: {sorted(names)}")
    check("[anonymous code]" not in names, "some of the code has no name")


def has_events(pid):
    folder = f"/proc/{pid}/fd"
    return any("perf_event" in os.readlink(os.path.join(folder, fd)) for fd in os.listdir(folder))


for source in "perf", "timers":
    for how in "whole", "part":
        @test(f"moved/{how}, {source}")
        def moved(bench, source=source, how=how):
            build(bench)
            bench.run(lab.COMMAND, "record", "--sample", f"--sample-source={source}", "-o", "session", "--",
                      bench.path("moved"), how, status=0)
            named(bench, "session")


@test("moved/before it is sampled")
def attached(bench):
    build(bench)
    with subprocess.Popen([bench.path("moved"), "whole", "wait"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          text=True) as process:
        check(process.stdout.readline() == "moved\n", "it did not start")
        recorder = subprocess.Popen([lab.COMMAND, "record", "--sample", "-o", bench.path("session"), "--pid",
                                     str(process.pid)], stderr=subprocess.PIPE, text=True)
        lab.wait_for(lambda: has_events(recorder.pid), "nobody samples it")
        process.stdin.write("go\n")
        process.stdin.flush()
        process.wait(timeout=60)
        said = recorder.communicate(timeout=60)[1]
    check(recorder.returncode == 0, said)
    named(bench, "session")
