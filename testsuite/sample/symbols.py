# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of sampled code: inlined functions, programs without symbols, with separate debug files,
deleted ones."""
import fcntl
import glob
import os
import pty
import re
import subprocess
import time

import lab
from sampled import check, check_share, equal, exclusive, need, record, rows, test

# heavy() is three quarters of the work; all of both is in mix(), which is inlined.
SOURCE = """
static inline __attribute__((always_inline)) unsigned mix(unsigned x)
{
	for (int i = 0; i < 10; i++)
		x = x * 1103515245u + 12345u;
	return x;
}
__attribute__((noinline)) static unsigned light(unsigned x)
{
	for (int i = 0; i < 10000; i++)
		x = mix(x);
	return x;
}
__attribute__((noinline)) static unsigned heavy(unsigned x)
{
	for (int i = 0; i < 30000; i++)
		x = mix(x);
	return x;
}
int main(int argc, char **argv)
{
	unsigned x = argv ? (unsigned)argc : 0;

	for (int i = 0; i < 2000; i++)
		x = heavy(light(x));
	return x == 7;
}
"""


def build(bench):
    return bench.compile(bench.write("mixed.c", SOURCE), "mixed", "-O2", plugin=None)


def inclusive(bench, *args):
    return {row["name"]: row["inclusive_samples"] for row in rows(bench, "function", *args)}


def check_names(bench, *args):
    """Inclusive samples are those of the functions, mix() has nearly all exclusive ones."""
    found = inclusive(bench, *args)
    total = found["main"]
    check_share(found["heavy"], total, 0.75, "heavy")
    check_share(found["light"], total, 0.25, "light")
    check(found["mix"] > 0.8 * total, f"mix has {found['mix']} of {total}")


@test("symbols/inlined functions")
def _(bench):
    record(bench, build(bench))
    check_names(bench)
    found = inclusive(bench, "--inlines=off")
    check("mix" not in found, "mix is shown although inlined functions are not")
    check_share(found["heavy"], found["main"], 0.75, "heavy")


@test("symbols/a stripped program, and its debug file later")
def _(bench):
    program = build(bench)
    need("objcopy")
    os.mkdir(bench.path("debug"))
    subprocess.run(["objcopy", "--only-keep-debug", program, bench.path("debug", "mixed.debug")], check=True)
    subprocess.run(["objcopy", "--strip-all", "--add-gnu-debuglink", bench.path("debug", "mixed.debug"), program], check=True)
    record(bench, program)
    counts, total = exclusive(bench)
    guessed = sorted((n for name, n in counts.items() if re.fullmatch(r"mixed\+0x[0-9a-f]+", name)), reverse=True)
    check(len(guessed) >= 2 and guessed[0] + guessed[1] > 0.8 * total, f"functions: {counts}")
    check_share(guessed[0], guessed[0] + guessed[1], 0.75, "heavy")
    check_names(bench, "--debug-dir=" + bench.path("debug"))


@test("symbols/a program that is deleted")
def _(bench):
    program = build(bench)
    os.mkdir(bench.path("gone"))
    copy = bench.path("gone", "mixed")
    os.rename(program, copy)
    script = bench.write("run.sh", 'exec 3<"$1"\nrm "$1"\nexec /proc/self/fd/3\n')
    record(bench, "sh", script, copy)
    equal(os.path.exists(copy), False, "the program is still there")
    check_names(bench)


def record_at_a_prompt(bench, program):
    """As an interactive shell runs a command: with a terminal, and a process group of its own."""
    pid, terminal = pty.fork()
    if not pid:
        os.chdir(bench.path())
        os.execv(lab.COMMAND, [lab.COMMAND, "record", "--sample", "-o", bench.path("cinstr.data"), "--", program])
    said = b""
    try:
        while part := os.read(terminal, 1000):
            said += part
    except OSError:  # nobody has the terminal any more
        pass
    equal(os.waitpid(pid, 0)[1], 0, f"status; {said}")
    os.close(terminal)


@test("symbols/of a program that is deleted when its recording has ended")
def _(bench):
    """The names are written while the user goes on: from the file as it was."""
    program = build(bench)
    record_at_a_prompt(bench, program)
    os.remove(program)
    check_names(bench)


@test("symbols/of an interactive shell are written by a process of their own")
def _(bench):
    """The data file is complete then, and the next recording takes its place."""
    program = build(bench)
    for _ in range(3):
        record_at_a_prompt(bench, program)
    path, = glob.glob(bench.path("cinstr.data", "mixed.*.cinstr"))
    with open(path, "rb") as file:
        fcntl.flock(file, fcntl.LOCK_SH)
    os.remove(program)
    check_names(bench)
    equal(sorted(n for n in os.listdir(bench.path()) if n.startswith("cinstr.data")), ["cinstr.data", "cinstr.data.old"], "sessions")


@test("symbols/who reads them waits until they are written")
def _(bench):
    program = build(bench)
    record(bench, program)
    check_names(bench)
    path, = glob.glob(bench.path("cinstr.data", "mixed.*.cinstr"))
    with open(path, "rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # as who writes them has it
        reader = bench.start(lab.COMMAND, "report", bench.path("cinstr.data"))
        time.sleep(1)
        equal(reader.poll(), None, "status of a report while the file is locked")
    equal(reader.wait(timeout=60), 0, "status")
