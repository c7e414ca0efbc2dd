# SPDX-License-Identifier: GPL-3.0-or-later
"""Every view of one recording tells of the same samples (semantics S3, S4); what is of probes is
nowhere."""
import csv
import io
import json
import os

import lab
import sampled
from sampled import Skip, check, compile, equal, record, rows, test

SHARES = ["inclusive_samples", "exclusive_samples", "inclusive_percent", "exclusive_percent"]
NAMES = {"type", "name", "root_function", "recursive", "module", "file", "line", "function", "inlined_from", "callee", "address"}
OF_PROBES = ["calls", "elapsed", "application", "overhead", "off_cpu", "switches", "faults", "p99", "open_calls"]


def recorded(bench, ms=150, *options):
    record(bench, compile(bench, "views.c", "-g", "-pthread"), str(ms), options=("--sample=200us",) + options)
    return bench.report()["session"]["samples"]


def output(bench, *command, status=0):
    return bench.run(lab.COMMAND, *command, bench.path("cinstr.data"), status=status).stdout


def by_name(found):
    return {row["name"]: row for row in found}


@test("views/all levels have all samples")
def _(bench):
    total = recorded(bench)
    check(total > 200, f"only {total} samples")
    for by in ["function", "module", "line", "address", "thread", "process"]:
        found = rows(bench, by)
        equal(sum(row["exclusive_samples"] for row in found), total, f"exclusive samples by {by}")
        for row in found:
            check(0 <= row["exclusive_samples"] <= row["inclusive_samples"] <= total, f"by {by}: {row}")
            check(abs(row["inclusive_percent"] - 100 * row["inclusive_samples"] / total) < 1e-3, f"by {by}: {row}")
            check(row["inclusive_percent_low"] <= row["inclusive_percent"] <= row["inclusive_percent_high"], f"by {by}: {row}")
    equal(rows(bench, "process")[0]["inclusive_samples"], total, "the process has all")
    equal(len(rows(bench, "thread")), 2, "threads")
    tree = json.loads(output(bench, "tree", "--format=json"))["rows"]
    equal(sum(row["exclusive_samples"] for row in tree), total, "exclusive samples of the tree")
    equal(sum(row["inclusive_samples"] for row in tree if row["depth"] == 1), total, "inclusive samples of its roots")
    children = {}
    for row in tree:
        children[row["parent"]] = children.get(row["parent"], 0) + row["inclusive_samples"]
    for row in tree:
        equal(row["exclusive_samples"] + children.get(row["id"], 0), row["inclusive_samples"], f"below {row['name']}")


@test("views/each sample in the timeline is in the tree")
def _(bench):
    total = recorded(bench)
    moments = json.loads(output(bench, "timeline", "--format=json"))
    equal(len(moments), total, "moments")
    check(all(a["time_ns"] <= b["time_ns"] for a, b in zip(moments, moments[1:])), "they are in order of time")
    leaves, stacks = {}, {}
    for moment in moments:
        leaf = moment["function"], moment["module"]
        leaves[leaf] = leaves.get(leaf, 0) + 1
        for name in set(moment["stack"].split(";")):
            stacks[name] = stacks.get(name, 0) + 1
    found = rows(bench)
    names = [row["name"] for row in found]
    for row in found:
        name = row["name"]
        equal(leaves.get((name, row["module"]), 0), row["exclusive_samples"], f"exclusive samples of {name}")
        if names.count(name) == 1:  # clock_gettime is in the C library and in the kernel's page
            equal(stacks.get(name, 0), row["inclusive_samples"], f"inclusive samples of {name}, each once")


@test("views/callers add up")
def _(bench):
    recorded(bench)
    found = json.loads(output_callers(bench, "spin"))["rows"]
    root = [row for row in found if row["type"] == "root"][0]
    for value in ["inclusive_samples", "exclusive_samples"]:
        equal(sum(row[value] for row in found if row["type"] == "caller"), root[value], f"{value} of callers")
    callees = sum(row["inclusive_samples"] for row in found if row["type"] == "callee")
    equal(callees + root["exclusive_samples"], root["inclusive_samples"], "callees and itself")
    equal({row["name"] for row in found if row["type"] == "caller"}, {"left", "right", "deeper"}, "callers")
    check(any(row["name"] == "mixed" for row in found if row["type"] == "callee"), "what is inlined is called")
    recursive = json.loads(output_callers(bench, "deeper"))["rows"]
    check(any(row["recursive"] for row in recursive), "recursion is told")


def output_callers(bench, name):
    return bench.run(lab.COMMAND, "callers", name, "--format=json", bench.path("cinstr.data"), status=0).stdout


def annotated(bench, name, *options):
    table = output(bench, "annotate", name, "--format=csv", *options)
    return [row for row in csv.DictReader(io.StringIO(table)) if row["type"] == "line"]


@test("views/inlined functions are part of what holds them, if wished")
def _(bench):
    recorded(bench)
    shown, hidden = by_name(rows(bench)), by_name(rows(bench, "function", "--inlines=off"))
    check("mixed" in shown and "mixed" not in hidden, f"{shown.keys()} {hidden.keys()}")
    equal(hidden["spin"]["exclusive_samples"], shown["spin"]["exclusive_samples"] + shown["mixed"]["exclusive_samples"],
          "exclusive samples of spin")
    equal(hidden["spin"]["inclusive_samples"], shown["spin"]["inclusive_samples"], "inclusive samples of spin")
    lines = annotated(bench, "spin", "--inlines=off")
    equal(sum(int(row["exclusive_samples"] or 0) for row in lines), hidden["spin"]["exclusive_samples"], "lines of spin")
    call, = [row for row in lines if "= mixed(x)" in row["text"]]
    check(int(call["exclusive_samples"]) >= shown["mixed"]["exclusive_samples"], f"the line that calls: {call}")


@test("views/annotate has the function's samples by line")
def _(bench):
    recorded(bench)
    for name in ["spin", "left"]:
        lines = annotated(bench, name)
        own = by_name(rows(bench, "function"))[name]
        equal(sum(int(row["exclusive_samples"] or 0) for row in lines), own["exclusive_samples"], f"lines of {name}")
        calling = [row for row in lines if "spin(60000)" in row["text"]]
        beside = sum(int(row["exclusive_samples"] or 0) for row in lines if row not in calling)
        check(name == "spin" or [int(row["inclusive_samples"]) for row in calling] == [own["inclusive_samples"] - beside],
              f"the calling line of {name}: {lines}")


@test("views/columns: samples right behind the names, nothing of probes")
def _(bench):
    recorded(bench, 40)
    for command in [["report"], ["report", "--by=line"], ["report", "--by=thread"], ["tree"], ["callers", "spin"],
                    ["report", "--by=address"], ["report", "--by=site"]]:
        header = output(bench, *command, "--format=csv").splitlines()[0].split(",")
        first = header.index(SHARES[0])
        equal(header[first:first + 4], SHARES, f"{command}")
        check(set(header[:first]) <= NAMES, f"{command}: {header}")
        check(not any(word in column for word in OF_PROBES for column in header), f"{command}: {header}")


@test("views/few samples: the report says how well shares are known")
def _(bench):
    total = recorded(bench, 40)
    table = bench.run(lab.COMMAND, "report", "--width=120", bench.path("cinstr.data"), status=0).stdout
    if total >= 1000:
        raise Skip("more samples than there is processor time")
    check("95 % CI" in table and f"Only {total} samples: a share of 10 % is known within" in table, table)
    check("blocked time is not seen" in output(bench, "report", "--verbose"), "no word on what is not seen")
    check("CI0113" in output(bench, "summary", "--advice"), "advice")


@test("views/sampled and instrumented sessions in one folder are not added up")
def _(bench):
    os.makedirs(bench.path("both"))
    record(bench, compile(bench, "views.c", "-g", "-pthread"), "40", session=os.path.join("both", "sampled"))
    program = bench.compile(sampled.program("views.c"), "instrumented", "-O1", "-pthread")
    bench.run(program, "10", env={"CINSTR_DATA": bench.path("both", "instrumented")}, status=0)
    said = bench.run(lab.COMMAND, "report", bench.path("both"), status=1).stderr
    check("sampled data" in said and "instrumented data" in said, said)
    for name in ["sampled", "instrumented"]:
        bench.run(lab.COMMAND, "report", bench.path("both", name), status=0)
