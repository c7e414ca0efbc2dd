# SPDX-License-Identifier: GPL-3.0-or-later
"""D7: what can go wrong around the program; it runs on as if nothing were there, with at most one
clear line."""
import os
import subprocess

import lab

PLAIN = ("-O2", "-fno-optimize-sibling-calls")


def runs_on(bench, done, plain, message=True):
    lab.equal(done.returncode, plain.returncode, "exit status")
    lab.equal(done.stdout, plain.stdout, "output")
    lines = done.stderr.strip().splitlines()
    lab.check(len(lines) <= 1, f"more than one line on stderr: {done.stderr!r}")
    if message:
        lab.check(lines and "cinstr" in lines[0], f"no message: {done.stderr!r}")


@lab.test("fault/session folder cannot be made")
def unwritable(bench):
    program = bench.compile("trees/nesting.c", "program", *PLAIN)
    plain = bench.run(bench.compile("trees/nesting.c", "plain", *PLAIN, plugin=None))
    bench.write("file", "")
    runs_on(bench, bench.run(program, env={"CINSTR_DATA": "file/inside"}), plain)
    runs_on(bench, bench.run(program, cwd="/proc"), plain)


@lab.test("fault/current folder is read-only")
def readonly(bench):
    program = bench.compile("trees/nesting.c", "program", *PLAIN)
    plain = bench.run(bench.compile("trees/nesting.c", "plain", *PLAIN, plugin=None))
    os.mkdir(bench.path("readonly"), 0o555)
    command = [program]
    if os.getuid() == 0:
        os.chmod(bench.folder, 0o755)
        command = [lab.need("setpriv"), "--reuid=65534", "--regid=65534", "--clear-groups", program]
    runs_on(bench, bench.run(*command, cwd=bench.path("readonly")), plain)


@lab.test("fault/a file stands where the session should be")
def file_there(bench):
    program = bench.compile("trees/nesting.c", "program", *PLAIN)
    plain = bench.run(bench.compile("trees/nesting.c", "plain", *PLAIN, plugin=None))
    bench.write("cinstr.data", "precious")
    runs_on(bench, bench.run(program), plain, message=False)
    kept = [n for n in ("cinstr.data", "cinstr.data.old") if os.path.isfile(bench.path(n))]
    lab.check(kept and open(bench.path(kept[0])).read() == "precious", "the file was destroyed")


@lab.test("fault/limit on the size of files")
def file_limit(bench):
    """RLIMIT_FSIZE would send SIGXFSZ for growing the data file."""
    program = bench.compile("programs/manypaths.c", "program", *PLAIN)
    plain = bench.run(bench.compile("programs/manypaths.c", "plain", *PLAIN, plugin=None))
    for blocks in ("0", "8", "1000"):
        runs_on(bench, bench.run("/bin/sh", "-c", f'ulimit -f {blocks}; exec "$0"', program), plain, message=False)


@lab.test("fault/limit on the address space")
def address_limit(bench):
    program = bench.compile("programs/manypaths.c", "program", *PLAIN)
    plain = bench.run(bench.compile("programs/manypaths.c", "plain", *PLAIN, plugin=None))
    for kilobytes in ("8000", "20000"):
        runs_on(bench, bench.run("/bin/sh", "-c", f'ulimit -v {kilobytes}; exec "$0"', program), plain, message=False)


@lab.test("fault/no free descriptors")
def descriptors(bench):
    program = bench.compile("trees/nesting.c", "program", *PLAIN)
    plain = bench.run(bench.compile("trees/nesting.c", "plain", *PLAIN, plugin=None))
    # 3 is what the loader needs for the libraries; closed standard streams must not become the data
    # file.
    runs_on(bench, bench.run("/bin/sh", "-c", 'ulimit -n 4; exec "$0"', program), plain, message=False)
    done = bench.run("/bin/sh", "-c", 'exec "$0" 2>&-', program)
    lab.equal((done.returncode, done.stdout), (plain.returncode, plain.stdout), "with stderr closed")
    bench.run("/bin/sh", "-c", 'exec "$0" >&-', program)
    lab.equal(bench.functions()["leaf"]["calls"], 10, "calls of leaf with stdout closed")
    bench.sound()


@lab.test("fault/full disk")
def full_disk(bench):
    os.mkdir(bench.path("small"))
    mount = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=600k", "tmpfs", bench.path("small")],
                           capture_output=True)
    if mount.returncode:
        raise lab.Skip("cannot mount a small file system here")
    try:
        program = bench.compile("programs/manypaths.c", "program", *PLAIN)
        plain = bench.run(bench.compile("programs/manypaths.c", "plain", *PLAIN, plugin=None))
        runs_on(bench, bench.run(program, cwd=bench.path("small")), plain)
        done = bench.run(lab.COMMAND, "report", "--format=json", bench.path("small", "cinstr.data"))
        lab.check(done.returncode in (0, 1), f"report of what is there: status {done.returncode}, {done.stderr}")
    finally:
        subprocess.run(["umount", bench.path("small")], check=False)


@lab.test("fault/options that make no sense")
def options(bench):
    program = bench.compile("trees/nesting.c", "program", *PLAIN)
    plain = bench.run(bench.compile("trees/nesting.c", "plain", *PLAIN, plugin=None))
    runs_on(bench, bench.run(program, env={"CINSTR_PROBES": "everything"}), plain)


@lab.test("fault/session to join is gone")
def join_gone(bench):
    program = bench.compile("trees/nesting.c", "program", *PLAIN)
    plain = bench.run(bench.compile("trees/nesting.c", "plain", *PLAIN, plugin=None))
    runs_on(bench, bench.run(program, env={"CINSTR_SESSION": bench.path("gone")}), plain, message=False)


@lab.test("fault/fork in a storm of signals")
def fork_storm(bench):
    program = bench.compile("programs/stormfork.c", "program", "-O2")
    bench.run(program, env={"CINSTR_TIMELINE": "64M"}, status=0)
    bench.sound()


@lab.test("fault/first event on a small alternate stack")
def small_stack(bench):
    program = bench.compile("programs/smallstack.c", "program", "-O2", "-pthread")
    bench.run(program, status=0)
    lab.equal(bench.functions()["work"]["calls"], 1, "calls of work")


@lab.test("fault/a folder of the user's is not taken for a session")
def foreign_folder(bench):
    program = bench.compile("trees/nesting.c", "program", "-O2")
    os.mkdir(bench.path("mine"))
    with open(bench.path("mine/session"), "w") as file:
        file.write("notes of mine\n")
    bench.run(program, env={"CINSTR_DATA": "mine"}, status=0)
    with open(bench.path("mine/session")) as file:
        lab.equal(file.read(), "notes of mine\n", "the user's file")
    lab.check(not os.path.exists(bench.path("mine.old")), "the user's folder was moved")
