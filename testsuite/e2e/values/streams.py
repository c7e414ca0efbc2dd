# SPDX-License-Identifier: GPL-3.0-or-later
"""Input and output by the library is an event of the operating system where it enters the kernel,
and only there (R11)."""
import lab

PROGRAM = "programs/streams.c"
FUNCTIONS = {"blocks": "fread", "bytes": "fread", "characters": "fgetc", "lines": "fgets", "buffered": "fputs",
             "flushed": "fflush", "sized": "fwrite", "unbuffered": "fputs", "printed": "fprintf", "by_line": "fputs"}


def calls(bench):
    """By caller and callee, what was called from there."""
    return {(row["name"], row["callee"]): row for row in bench.json("report", "--by=site", "--raw")["rows"]}


def run(bench, program, env):
    """The kernel's counts by function."""
    done = bench.run(program, env=env)
    if done.returncode == 77:
        raise lab.Skip("the kernel does not count a thread's reads and writes")
    lab.equal(done.returncode, 0, "exit status")
    bench.sound()
    return {line.split()[0]: int(line.split()[1]) for line in done.stdout.splitlines()}


@lab.test("streams/as often as the kernel has counted")
def counted(bench):
    for flags in (("-O0",), ("-O2",)):
        program = bench.compile(PROGRAM, "program", "-fno-builtin", *flags)
        for env in ({"CINSTR_TIMELINE": "unlimited"}, {"CINSTR_RESTARTABLE": "off"}, {"CINSTR_CLOCK": "monotonic"},
                    {"CINSTR_PATHS": "5"}):
            truth = run(bench, program, env)
            rows = calls(bench)
            for function, callee in FUNCTIONS.items():
                row = rows[function, callee]
                lab.equal(row["system_calls_exclusive"], truth[function], f"{flags} {env}: {callee} by {function}")
                if truth[function] == row["calls"]:
                    lab.equal(row["application_exclusive_ns"], 0, f"{flags} {env}: {callee} by {function}")
                else:
                    lab.check(row["application_exclusive_ns"] > 0, f"{flags} {env}: {row}")
            if env.get("CINSTR_TIMELINE"):
                lab.check("gives the same tree" in bench.cinstr("refold"), "another tree by the timeline")
                told = sum(row["function"] == "fgetc" and "syscall" in (row["os_events"] or "")
                           for row in bench.json("timeline"))
                lab.equal(told, truth["characters"], f"{flags}: in the timeline")


@lab.test("streams/reading by blocks is no application time, by bytes it is")
def application(bench):
    program = bench.compile(PROGRAM, "program", "-O2")
    truth = run(bench, program, {})
    rows = calls(bench)
    lab.equal(truth["blocks"], 50, "reads of 64 KB")
    lab.equal(rows["blocks", "fread"]["application_inclusive_ns"], 0, "by blocks")
    lab.check(rows["bytes", "fread"]["application_inclusive_ns"] > 0, "by bytes")
    lab.check("stdio and streams that entered the kernel" in " ".join(bench.cinstr("report", "--verbose").split()), "the foot")
    by_kernel = bench.json("report", "--by=site", "--raw", "--os-events=voluntary")["rows"]
    row = next(row for row in by_kernel if (row["name"], row["callee"]) == ("blocks", "fread"))
    lab.check(row["application_inclusive_ns"] > 0, "with system calls as time of the application")


@lab.test("streams/C++")
def cxx(bench):
    program = bench.compile("programs/streams.cc", "program", "-O1", "-fno-inline")
    bench.run(program, status=0)
    bench.sound()
    rows = bench.functions()
    for name, entered in (("flushed", 100), ("buffered", 0)):
        row = next(row for key, row in rows.items() if name in key)
        lab.equal(row["system_calls_inclusive"], entered, name)
