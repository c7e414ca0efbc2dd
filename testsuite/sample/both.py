# SPDX-License-Identifier: GPL-3.0-or-later
"""Both methods together: what samples point at is instrumented, and has the same shares there."""
import csv
import io
import json
import re
import subprocess

import lab
import sampled
from sampled import check, equal, test

PLUGIN_FLAG = "-fplugin-arg-cinstr-"
MS = "1500"


def rules(text):
    return [line[len("include "):] for line in text.splitlines() if line.startswith("include ")]


def build(bench):
    return sampled.compile(bench, "together.cc", output="plain")


def instrumented(bench, filter_file, output="probed", *flags):
    """With the filter; the plugin's own default of small functions, which the lab would switch
    off."""
    return bench.compile(sampled.program("together.cc"), output, "-O1", f"{PLUGIN_FLAG}filter={filter_file}",
                         f"{PLUGIN_FLAG}small=10", *flags)


def listed(bench, filter_file):
    """What the plugin says of each function: {name with parameters: what}."""
    done = subprocess.run(lab.COMPILERS[".cc"] + ["-O1", "-D_GNU_SOURCE", "-c", sampled.program("together.cc"), "-o",
                          "/dev/null", f"-fplugin={lab.PLUGIN}", f"{PLUGIN_FLAG}filter={filter_file}", f"{PLUGIN_FLAG}list"],
                          capture_output=True, text=True, timeout=lab.TIMEOUT)
    found = re.findall(r"together\.cc:\d+: (.*?): (instrumented|left out: [^\n]*)", done.stderr)
    check(found, done.stderr)
    return {name: what.split(",")[0] for name, what in found}


def diff(bench, *args):
    return json.loads(bench.cinstr("diff", "--format=json", "--threshold=0", *args))


def by_name(found):
    return {row["name"]: row for row in found["rows"]}


LONG = "work::chosen(long)"
HIDDEN = "(anonymous namespace)::hidden(char* const*, long)"


@test("together/what is suggested is what is instrumented")
def suggested(bench):
    program = build(bench)
    sampled.record(bench, program, MS)
    text = bench.cinstr("suggest", "--percent=0.5", bench.path("cinstr.data"))
    path = bench.write("app.filter", text)
    equal(bench.cinstr("suggest", "--percent=0.5", "-o", bench.path("other.filter"), bench.path("cinstr.data")), "", "stdout")
    with open(bench.path("other.filter")) as file:
        equal(file.read(), text, "the file")
    wanted = {"main", "work::chosen(char const\\*, long)", "_ZN4work4madeIlEET_S1_", "work::Box::operator\\[](long) const",
              "(anonymous namespace)::hidden(char\\* const\\*, long)", "[w]ork::chosen(long)", "sort()", "recursive(long)"}
    got = set(rules(text))
    missing = {rule for rule in wanted if rule not in got and rule.replace("sort()", "_ZL4sortv") not in got
               and rule.replace("recursive(long)", "_ZL9recursivel") not in got}
    check(not missing, f"not suggested: {missing}\n{text}")
    check(not any("rare" in rule or "spin" in rule for rule in got), f"rare(), or spin(), which is inlined:\n{text}")
    found = listed(bench, path)
    inside = {name for name, what in found.items() if what == "instrumented"}
    check({"main", "work::chosen(char const*, long)", "work::chosen(long)", "work::made<long>(long)", "recursive(long)",
           "work::Box::operator[](long) const", "(anonymous namespace)::hidden(char* const*, long)", "sort()"} <= inside,
          f"instrumented: {inside}")
    equal(found["rare()"], "left out: it is not included", "rare()")
    # Never seen to call anything, and short: the plugin decides.
    if any("order" in rule for rule in got):
        check(any(rule.startswith("[") and "order" in rule for rule in got), f"order():\n{text}")
    if any("get" in rule for rule in got):
        equal(found["get()"], "left out: it is small", f"get():\n{text}")

    # The program itself has these and no others.
    bench.run(instrumented(bench, path), MS, env={"CINSTR_DATA": bench.path("probes")}, status=0)
    rows = json.loads(bench.cinstr("report", "--format=json", bench.path("probes")))["rows"]
    names = {row["name"] for row in rows if row["calls"] and row["module_name"] == "probed"}
    # rare() has none, but main() calls it; get() is small, so that not even its calls have probes.
    equal(names - {"long work::made<long>(long)"}, (inside | {"rare()"}) - {"work::made<long>(long)"}, "functions with calls")


@test("together/stripped and system code is not suggested")
def stripped(bench):
    program = build(bench)
    bench.run("strip", program, status=0)
    sampled.record(bench, program, "300")
    done = bench.run(lab.COMMAND, "suggest", bench.path("cinstr.data"), status=1)
    check("nothing to suggest: what has a share is of the system's libraries, or stripped" in done.stderr, done.stderr)


@test("together/the summary ends with what to instrument")
def summary(bench):
    sampled.record(bench, build(bench), MS)
    text = bench.cinstr("summary", bench.path("cinstr.data"))
    at = text.index("To instrument next (cinstr suggest")
    check(text.index("Next: ") > at > text.index("Most samples by themselves"), text)
    found = json.loads(bench.cinstr("summary", "--format=json", bench.path("cinstr.data")))["suggest"]
    equal(found[0]["include"], "main", "the first")
    equal([one["include"] for one in found], rules(bench.cinstr("suggest", bench.path("cinstr.data"))), "the same list")
    table = csv.DictReader(io.StringIO(bench.cinstr("summary", "--format=csv", bench.path("cinstr.data"))))
    equal([row["text"] for row in table if row["section"] == "suggest"], [one["include"] for one in found], "csv")


@test("together/shares of both methods side by side")
def beside(bench):
    program = build(bench)
    sampled.record(bench, program, MS, session="samples")
    path = bench.write("app.filter", bench.cinstr("suggest", "--percent=0.5", bench.path("samples")))
    bench.run(instrumented(bench, path), MS, env={"CINSTR_DATA": bench.path("probes")}, status=0)
    samples, probes = bench.path("samples"), bench.path("probes")
    found = diff(bench, samples, probes)
    session = found["session"]
    equal(session["kind"], "sampled_and_instrumented", "kind")
    equal(session["instrumented_time"], "application_on_cpu", "time")
    rows = by_name(found)
    # Long calls, few probes: what is left of these is chance, and what other work of the machine
    # does to caches.
    for name in (LONG, HIDDEN):
        row = rows[name]
        check(abs(row["difference"]) <= max(4, 1.5 * (row["interval_high"] - row["difference"])), f"{name}: {row}")
        check(row["sampled_exclusive_percent_low"] < row["sampled_exclusive_percent"] < row["sampled_exclusive_percent_high"],
              f"{name}: {row}")
    check(0 <= session["distortion_percent"] <= 25, f"distortion: {session}")
    shares = sum(row["sampled_exclusive_percent"] for row in found["rows"])
    check(abs(shares - 100) < 0.01, f"sampled shares add up to {shares}")
    shares = sum(row["instrumented_exclusive_percent"] for row in found["rows"])
    check(abs(shares - 100) < 0.5, f"instrumented shares add up to {shares}")
    # What the C library does within qsort() is qsort()'s, as for probes.
    check("qsort" in rows and "msort_with_tmp" not in {n for n, r in rows.items() if r["sampled_exclusive_percent"] > 0},
          f"rows: {sorted(rows)}")
    equal(diff(bench, probes, samples)["rows"], found["rows"], "the other way round")
    table = bench.cinstr("diff", "--verbose", samples, probes)
    check(re.search(r"^Distortion +with probes [\d.]+ % of the time is in other functions than samples say", table, re.M), table)
    lines = list(csv.DictReader(io.StringIO(bench.cinstr("diff", "--format=csv", samples, probes))))
    check(lines and all(row["verdict"] for row in lines), "csv")

    def ends(status, says, *args):
        done = bench.run(lab.COMMAND, "diff", *args, status=status)
        check(says in done.stderr, f"{args}: {done.stderr!r} does not say {says!r}")

    ends(0, "", "--fail-over=60", samples, probes)
    ends(2, "one side has both sampled and instrumented", samples, probes, "--", samples)
    ends(2, "can be compared --by=function", "--by=line", samples, probes)
    ends(2, "inclusive_percent and exclusive_percent can be compared", "--column=calls", samples, probes)


@test("together/two sampled sessions")
def twice(bench):
    """Two runs of a program whose functions all do the same: neighbours slow sorting down by
    another factor than computing, by which shares of together.cc differed by 14.7 points once. Of
    1,500 samples, shares of one half differ by 1.8 points (standard deviation): by 10 once in 20
    million times."""
    same, program = sampled.compile(bench, "shares.c", "-pthread"), build(bench)
    for name in "one", "two":
        sampled.record(bench, same, "1", MS, session=name)
    for name, factor in (("a", "1"), ("c", "12")):
        sampled.record(bench, program, MS, factor, session=name)
    one, two, a, c = map(bench.path, ("one", "two", "a", "c"))
    equal(diff(bench, one, two)["session"]["kind"], "sampled", "kind")
    bench.run(lab.COMMAND, "diff", "--fail-over=10", one, two, status=0)
    changed = by_name(diff(bench, "--inlines=off", a, c))
    equal(changed[LONG]["verdict"], "more", f"{changed[LONG]}")
    equal(by_name(diff(bench, "--inlines=off", c, a))[LONG]["verdict"], "less", "the other way round")
    done = bench.run(lab.COMMAND, "diff", "--fail-over=5", a, c, status=1)
    check("the share differs by +" in done.stderr, done.stderr)
    runs = by_name(diff(bench, "--inlines=off", a, a, "--", c, c))
    # two runs a side: nothing is certain
    check(runs[LONG]["difference"] > 15, f"several runs: {runs[LONG]}")
    for by in ("line", "module", "path"):
        check(diff(bench, f"--by={by}", a, c)["rows"], f"--by={by}")


@test("together/who left by a jump has its samples")
def jumps(bench):
    """first() jumps to second(), that to last(): no sample has first() on its stack. Who jumped to
    twice() is not clear."""
    plain = sampled.compile(bench, "jumpshares.c", optimize="-O2")
    sampled.record(bench, plain, MS, session="samples")
    program = bench.compile(sampled.program("jumpshares.c"), "probed", "-O2")
    bench.run(program, MS, env={"CINSTR_DATA": bench.path("probes")}, status=0)
    samples, probes = bench.path("samples"), bench.path("probes")
    found = diff(bench, "--column=inclusive_percent", samples, probes)
    rows, session = by_name(found), found["session"]
    inclusive = {name: rows[name]["sampled_inclusive_percent"] for name in ("first", "second", "last", "twice", "one", "other")}
    check(inclusive["last"] > 20 and inclusive["twice"] > 10, f"shares: {inclusive}")
    check(abs(inclusive["first"] - inclusive["second"]) < 1, f"first() is there as long as second(): {inclusive}")
    check(inclusive["second"] >= inclusive["last"] + rows["second"]["sampled_exclusive_percent"] - 1e-3, f"{inclusive}")
    check(abs(inclusive["first"] - rows["first"]["instrumented_inclusive_percent"]) < 15, f"first: {rows['first']}")
    check(abs(session["below_tail_calls_percent"] - inclusive["first"]) < 1, f"{session}")
    check(abs(session["unclear_tail_calls_percent"] - inclusive["twice"]) < 1, f"{session}")
    check(inclusive["one"] < 1 and inclusive["other"] < 1, f"{inclusive}")
    table = bench.cinstr("diff", "--verbose", samples, probes)
    check(re.search(r"^Jumps +[\d.]+ % of the samples are below tail calls; who jumped was put back$", table, re.M), table)
    check(re.search(r"^Not clear +of [\d.]+ % of the samples it is not clear who jumped there", table, re.M), table)
