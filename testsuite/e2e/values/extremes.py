# SPDX-License-Identifier: GPL-3.0-or-later
"""Min and Max of functions of which one call has thousands of times the probes of the others (R8).
Nothing here depends on how long anything takes: what is compared was measured in the same run."""
import lab

VALUES = [f"{time}_{part}" for time in ("elapsed", "application") for part in ("inclusive", "exclusive")]
PARTS = [("elapsed_exclusive", "elapsed_inclusive"), ("application_inclusive", "elapsed_inclusive"),
         ("application_exclusive", "application_inclusive"), ("application_exclusive", "elapsed_exclusive")]
ROUNDING = 1  # ns


def record(bench, **env):
    program = bench.compile("programs/extremes.c", "program", "-O1", "-fplugin-arg-cinstr-small=0", "-lpthread")
    bench.run(program, env=env, status=0)
    bench.sound()


def in_order(row, what):
    for value in VALUES:
        least, mean, most = (row[f"{which}_{value}_ns"] for which in ("min", "avg", "max"))
        lab.check(least <= mean + ROUNDING and mean <= most + ROUNDING, f"{what}, {value}: {least} <= {mean} <= {most}")
    for part, whole in PARTS:
        for which in ("min", "max"):
            of_part, of_whole = row[f"{which}_{part}_ns"], row[f"{which}_{whole}_ns"]
            lab.check(of_part <= of_whole + ROUNDING, f"{what}: {which} {part} {of_part}, {whole} {of_whole}")


def known_truth(rows, what):
    """One call is not more than all; of one call, all are the same; a caller has what its callee
    has."""
    for name in ("req", "work", "request", "serve"):
        for value in VALUES:
            most, all_ = rows[name][f"max_{value}_ns"], rows[name][f"{value}_ns"]
            lab.check(most <= all_ + ROUNDING, f"{what}: Max of {name}, {value}: {most} of {all_} ns in all")
    for value in VALUES:
        for which in ("min", "avg", "max"):
            one, all_ = rows["main"][f"{which}_{value}_ns"], rows["main"][f"{value}_ns"]
            lab.check(abs(one - all_) <= ROUNDING, f"{what}: {which} of main, {value}: {one} of {all_}")
    most, of_callee, own = (rows["request"]["max_elapsed_inclusive_ns"], rows["work"]["max_elapsed_inclusive_ns"],
                            rows["request"]["max_elapsed_exclusive_ns"])
    bar = rows["request"]["elapsed_inclusive_uncertainty_ns"]
    lab.check(most <= of_callee + own + bar, f"{what}: Max of request {most}, of its only callee {of_callee}, own {own}")


@lab.test("extremes/a rare call with many probes, functions that only call, recursion, threads", quiet=True)
def extremes(bench):
    record(bench)
    for options in ([], ["--application=on-cpu"]):
        rows = {row["name"]: row for row in bench.report("cinstr.data", "function", *options)["rows"]}
        for name in ("tick", "req", "work", "request", "deep", "serve", "main"):
            in_order(rows[name], " ".join([name] + options))
        known_truth(rows, " ".join(["function"] + options))


@lab.test("extremes/levels: sites, modules, threads, and callees taken into their callers", quiet=True)
def levels(bench):
    record(bench)
    for by in ("site", "module", "thread", "process"):
        for row in bench.report("cinstr.data", by)["rows"]:
            if row["calls"]:
                in_order(row, f"{by} {row['name']}")
    for row in bench.report("cinstr.data", "function", "--just-my-code")["rows"]:
        if row["name"] in ("req", "request", "work", "serve"):
            least, most = row["min_elapsed_inclusive_ns"], row["max_elapsed_inclusive_ns"]
            lab.check(least <= most <= row["elapsed_inclusive_ns"] + ROUNDING, f"{row['name']}: {least}, {most}")


@lab.test("extremes/--raw: by the clock", quiet=True)
def raw(bench):
    record(bench)
    corrected = bench.functions()
    for row in bench.report("cinstr.data", "function", "--raw")["rows"]:
        for value in VALUES:
            least, most, all_ = row[f"min_{value}_ns"], row[f"max_{value}_ns"], row[f"{value}_ns"]
            lab.check(least <= most, f"{row['name']}: {value} {least} <= {most}")
            if row["name"] in ("req", "work", "request"):
                lab.check(most <= all_ + ROUNDING, f"Max of {row['name']}, {value}: {most} of {all_} ns in all")
            lab.check(most + ROUNDING >= corrected[row["name"]][f"max_{value}_ns"] or value.startswith("application"),
                      f"{row['name']}: {value} {most}, corrected more")


@lab.test("extremes/the same from the timeline, and beyond the budget of paths", quiet=True)
def refolded(bench):
    record(bench, CINSTR_TIMELINE="unlimited")
    told = bench.cinstr("refold", bench.path("cinstr.data"))
    lab.check("gives the same tree" in told, f"another tree by the timeline: {told}")
    record(bench, CINSTR_PATHS="3")
    rows = bench.functions()
    for name in ("req", "work", "request"):
        row = rows[name]
        lab.check(row["min_elapsed_inclusive_ns"] <= row["max_elapsed_inclusive_ns"], f"{name}: {row['min_elapsed_inclusive_ns']}")
