# SPDX-License-Identifier: GPL-3.0-or-later
"""What single calls took: least, most and percentiles against the program's own clock."""
import lab
import quiet

FLAGS = ("-O2", "-fplugin-arg-cinstr-small=0")
# ns: outside of the program's clock, or (folds, calibration) within it, but of no call
OUTSIDE = 250e3


def raw_rows(bench):
    """By function, with the probes' cost in them: the program's clock has it as well."""
    return {row["name"]: row for row in bench.json("report", "--raw", bench.path("cinstr.data"))["rows"]}


def near(value, truth, what, share=0.02):
    lab.check_time(truth - OUTSIDE <= value <= truth * (1 + share) + OUTSIDE, f"{what}: {value} ns, by the program's clock {truth}")


def known(bench):
    program = bench.compile("programs/percall.c", "program", *FLAGS)
    taken = sorted(int(line) for line in bench.run(program, status=0).stdout.split())
    row = raw_rows(bench)["work"]
    lab.equal(row["calls"], 101, "calls of work")
    near(row["min_elapsed_inclusive_ns"], taken[0], "least")
    near(row["max_elapsed_inclusive_ns"], taken[-1], "most")
    for name, index in (("p50", 49), ("p90", 89), ("p99", 98)):
        value = row[name + "_elapsed_inclusive_ns"]
        lab.check_time(0.88 * taken[index] - OUTSIDE <= value <= 1.12 * taken[index] + OUTSIDE, f"{name}: {value} ns, truth {taken[index]}")


@lab.test("percall/least, most and percentiles", quiet=True)
def percall(bench):
    # others may have the processor between the program's look at the clock and ours
    quiet.measured(lambda: known(bench))


def waits(bench):
    program = bench.compile("programs/percall.c", "program", *FLAGS)
    bench.run(program, status=0)
    rows = raw_rows(bench)
    pause, work = rows["pause_for"], rows["work"]
    lab.check(pause["min_elapsed_inclusive_ns"] >= 1000000, f"least of pause_for: {pause['min_elapsed_inclusive_ns']} ns")
    lab.check_time(pause["max_application_inclusive_ns"] < 1000000, f"its AI: {pause['max_application_inclusive_ns']} ns")
    lab.equal(rows["nanosleep"]["max_application_inclusive_ns"], 0, "most application time of nanosleep")
    # What waited came back late, and then there was nothing left to do.
    lab.check(work["min_application_inclusive_ns"] < work["min_elapsed_inclusive_ns"], "AI min of work is its EI min")
    lab.check(work["max_application_inclusive_ns"] <= work["max_elapsed_inclusive_ns"], "AI max of work")
    lab.check(work["min_elapsed_exclusive_ns"] <= work["min_elapsed_inclusive_ns"], "EE min of work")


@lab.test("percall/what waits has no application time", quiet=True)
def waiting(bench):
    quiet.measured(lambda: waits(bench))
