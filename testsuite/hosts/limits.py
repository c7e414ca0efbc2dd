# SPDX-License-Identifier: GPL-3.0-or-later
"""A program under a control group's limit of processor time: waiting is not told as other
programs'. Wants root, and version 1 or 2 of control groups."""
import os

from host import Skip, build, check, test

KINDS = {"/sys/fs/cgroup/cpu/cinstr-test": (("cpu.cfs_period_us", "100000"), ("cpu.cfs_quota_us", "20000")),
         "/sys/fs/cgroup/cinstr-test": (("cpu.max", "20000 100000"),)}


def group():
    """A new control group's folder, with a limit of a fifth of a processor."""
    for folder, settings in KINDS.items():
        folder += f"-{os.getpid()}"
        try:
            os.mkdir(folder)
            if all(os.path.exists(os.path.join(folder, name)) for name, _ in settings):
                for name, value in settings:
                    with open(os.path.join(folder, name), "w", encoding="ascii") as file:
                        file.write(value)
                return folder
            os.rmdir(folder)
        except OSError:
            continue
    raise Skip("no control group can be made here")


@test("limits/a fifth of a processor")
def fifth(bench):
    build(bench, "refused_work.c", "-g")
    for inner in "", "/inner":
        folder = group()
        try:
            if inner:
                os.mkdir(folder + inner)
            start = f"echo $$ > {folder}{inner}/cgroup.procs; exec {bench.path('probes')} 150000"
            bench.run("sh", "-c", start, env={"CINSTR_MAX_OVERHEAD": "unlimited"}, status=3)
        finally:
            for name in ([folder + inner] if inner else []) + [folder]:
                os.rmdir(name)
        text = " ".join(bench.cinstr("summary", "--advice", bench.path("cinstr.data")).split())
        check("CI0112" in text and "the limit of 0.2 processors" in text, text[:1500])
        check("while others had it" not in text, text[:1500])
