# SPDX-License-Identifier: GPL-3.0-or-later
"""How a session is looked at: names of threads and processes, trees of threads, histograms,
external code, names that shells complete."""
import csv
import io
import subprocess

import lab


def recorded(bench, *args):
    program = bench.compile("programs/threads_named.c", "named", "-O1", "-fno-inline", "-pthread")
    bench.run(program, *args, status=0)


def sums(rows, key="elapsed_exclusive_ns"):
    return sum(row[key] or 0 for row in rows)


@lab.test("used/threads are called by their start routines")
def thread_names(bench):
    recorded(bench)
    names = sorted(row["name"] for row in bench.report("cinstr.data", "thread")["rows"])
    lab.equal(names, ["filler", "named", "worker", "worker"], "threads")
    merged = {row["name"]: row["threads"] for row in bench.report("cinstr.data", "thread-name")["rows"]}
    lab.equal(merged, {"worker": 2, "named": 1, "filler": 1}, "threads by name")
    for thread, calls in ("worker", 20), ("filler", 5), ("!worker", 6), ("named", 26):
        # a thread without a name is also called as the kernel calls it: like the program
        rows = bench.report("cinstr.data", "function", "--thread=" + thread)["rows"]
        got = {row["name"]: row["calls"] for row in rows}["leaf"]
        lab.equal(got, calls if thread != "named" else 21, f"calls of leaf with --thread={thread}")
    tree = bench.json("tree", "--by=thread-name", bench.path("cinstr.data"))["rows"]
    tops = {row["name"]: row for row in tree if row["depth"] == 1}
    lab.equal(sorted(tops), ["[threads filler]", "[threads named]", "[threads worker]"], "tree by thread-name")
    under = {row["name"]: row["calls"] for row in tree if row["parent"] == tops["[threads worker]"]["id"]}
    lab.equal(under["worker"], 2, "calls of worker below its threads")
    by_thread = bench.json("tree", "--by=thread", bench.path("cinstr.data"))
    lab.equal(len([row for row in by_thread["rows"] if row["depth"] == 1]), 4, "trees of threads")
    whole = bench.report()["session"]["elapsed_inclusive_ns"]
    lab.check(abs(sums(by_thread["rows"]) - whole) <= len(by_thread["rows"]), "the trees do not add up")
    bench.run(lab.COMMAND, "tree", "--by=thread", "--root=leaf", status=2)
    whole = bench.json("tree", bench.path("cinstr.data"))["rows"]
    most = sorted(whole, key=lambda row: -row["elapsed_inclusive_ns"])[:3]
    few = bench.json("tree", "--limit=3", bench.path("cinstr.data"))["rows"]
    lab.equal({row["elapsed_inclusive_ns"] for row in few}, {row["elapsed_inclusive_ns"] for row in most}, "--limit")


@lab.test("used/processes of one program are told apart")
def process_names(bench):
    recorded(bench, "again")
    table = bench.cinstr("report", "--by=process", bench.path("cinstr.data"))
    lab.check("named again" in table and "named once more" in table, table)
    for process in "named once more", "*once*":
        rows = bench.report("cinstr.data", "process", "--process=" + process)["rows"]
        lab.equal([row["command_line"].split()[1:] for row in rows], [["once", "more"]], f"--process='{process}'")


@lab.test("used/external code")
def external_code(bench):
    recorded(bench)
    whole, mine = bench.report(), bench.report("cinstr.data", "function", "--just-my-code")
    names = {row["name"] for row in mine["rows"]}
    lab.equal(names, {"main", "worker", "producer", "leaf", "compare", "[External Code]"}, "functions")
    lab.equal(mine["session"]["elapsed_inclusive_ns"], whole["session"]["elapsed_inclusive_ns"], "the total")
    lab.check(abs(sums(mine["rows"]) - sums(whole["rows"])) <= 20, "exclusive times do not add up")
    for row in mine["rows"]:
        same = [other for other in whole["rows"] if other["name"] == row["name"]]
        if same:
            lab.equal((row["calls"], row["elapsed_inclusive_ns"]), (same[0]["calls"], same[0]["elapsed_inclusive_ns"]),
                      row["name"])
    tree = bench.json("tree", "--just-my-code", bench.path("cinstr.data"))["rows"]
    rows = {row["id"]: row for row in tree}
    lab.check(not any(row["name"] == "[External Code]" == rows[row["parent"]]["name"] for row in tree
                      if row["parent"] in rows), "external code calls external code")
    called_back = [row for row in tree if row["name"] == "compare"]
    lab.equal({rows[row["parent"]]["name"] for row in called_back}, {"[External Code]"}, "who calls back")


@lab.test("used/histograms hold every call")
def histograms(bench):
    recorded(bench)
    shown = bench.json("report", "--histogram", "--function=leaf,main", bench.path("cinstr.data"))["histograms"]
    rows = {row["name"]: row for row in bench.report()["rows"]}
    lab.equal(sorted(one["name"] for one in shown), ["leaf", "main"], "functions")
    for one in shown:
        row, bins = rows[one["name"]], one["bins"]
        lab.equal(sum(bin["calls"] for bin in bins), row["calls"], f"calls of {one['name']}")
        lab.check(abs(sum(bin["time_percent"] for bin in bins) - 100) < 0.01, "shares of time")
        lab.check(all(a["to_ns"] == b["from_ns"] for a, b in zip(bins, bins[1:])), "bins side by side")
        low, high = max(row["min_elapsed_inclusive_ns"], 1), max(row["max_elapsed_inclusive_ns"], 1)
        lab.check(bins[0]["from_ns"] <= low and bins[-1]["to_ns"] * 1.05 >= high, f"{low} to {high}: {bins}")
        lab.check(bins[0]["calls"] and bins[-1]["calls"], f"empty bins outside: {bins}")
    text = bench.cinstr("report", "--histogram", "--function=leaf", "--format=csv", bench.path("cinstr.data"))
    lab.equal(sum(int(line["calls"]) for line in csv.DictReader(io.StringIO(text))), 26, "calls in csv")
    table = bench.cinstr("report", "--histogram", "--function=leaf", "--width=80", bench.path("cinstr.data"))
    lab.check("26 calls" in table and "###" in table, table)
    lab.check(max(map(len, table.split("\n"))) <= 80, "too wide")
    lab.check("goes with" in bench.run(lab.COMMAND, "report", "--histogram", "--by=thread", status=2).stderr, "threads")


@lab.test("used/shells complete names of functions")
def completion(bench):
    recorded(bench)
    bench.run("mkdir", bench.path("bin"))
    bench.run("ln", "-s", lab.COMMAND, bench.path("bin", "cinstr"))
    offered = bench.run(lab.COMMAND, "help", "--functions=pr", status=0).stdout.split()
    lab.equal(offered, ["producer"], "functions")
    lab.check({"leaf", "worker", "qsort"} <= set(bench.run(lab.COMMAND, "help", "--functions=").stdout.split()), "all")
    script = """PATH=$PWD/bin:$PATH
. <(cinstr help --completion=bash)
offer() { COMP_WORDS=("$@"); COMP_CWORD=$(($#-1)); COMPREPLY=(); _cinstr; echo "${COMPREPLY[*]}"; }
offer cinstr callers wo
offer cinstr annotate com
offer cinstr tree --root = l
offer cinstr report --color = al
"""
    done = subprocess.run(["bash", "-c", script], cwd=bench.folder, env=bench.environment(), capture_output=True, text=True,
                          timeout=60, check=True)
    lab.equal(done.stdout.split("\n")[:4], ["worker", "compare", "leaf", "always"], f"completed {done.stderr}")
