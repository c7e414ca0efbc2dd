# SPDX-License-Identifier: GPL-3.0-or-later
"""Where time began (R14), by line and by instruction, with and without line events, against the program's own clock."""
import os
import re
import subprocess

import lab

FLAGS = ("-O1", "-fplugin-arg-cinstr-small=0")
LINES = "-fplugin-arg-cinstr-lines"


def record(bench, *flags, env=None):
    """What the program says it spent by line; ns."""
    program = bench.compile("programs/after.c", "program", *FLAGS, *flags)
    said = bench.run(program, env=env, status=0).stdout
    spent = {int(line): float(ns) for line, ns in (text.split() for text in said.splitlines())}
    lab.equal(len(spent), 4, "lines that spin")
    bench.sound()
    return spent


def rows_of(bench, by):
    return [row for row in bench.report("cinstr.data", by)["rows"] if os.path.basename(row["file"] or "") == "after.c"]


def check_lines(bench, spent):
    """Each line that spins has that time, and what it called hardly any."""
    rows = {row["line"]: row for row in rows_of(bench, "line")}
    for line, truth in spent.items():
        value = rows[line]["elapsed_exclusive_ns"]
        lab.check(0.98 * truth - 50e3 <= value <= 1.02 * truth + 500e3,
                  f"line {line}: {value} ns, by the program's clock {truth}")
    return rows


def check_sums(bench):
    for by in "line", "address":
        sums = [sum(row["elapsed_exclusive_ns"] for row in bench.report("cinstr.data", view)["rows"])
                for view in (by, "function")]
        lab.check(abs(sums[0] - sums[1]) <= 100, f"by {by} {sums[0]} ns, by function {sums[1]}")


@lab.test("places/lines that call have the time after the call")
def calls(bench):
    spent = record(bench)
    rows = check_lines(bench, spent)
    whole = bench.functions()["recursive"]["elapsed_inclusive_ns"]
    deep = rows[min(spent)]["elapsed_inclusive_ns"]
    lab.check(deep <= whole + 1, f"R6: the recursive line has {deep} ns inclusive, its function {whole}")
    lab.check(not bench.json("report", "--by=line", bench.path("cinstr.data"))["line_events"], "line_events")
    check_sums(bench)


@lab.test("places/the same with line events")
def lines(bench):
    check_lines(bench, record(bench, LINES, env={"CINSTR_PROBES": "lines"}))
    lab.check(bench.json("report", "--by=line", bench.path("cinstr.data"))["line_events"], "line_events")
    check_sums(bench)


@lab.test("places/addresses are those of call instructions")
def addresses(bench):
    spent = record(bench)
    code = subprocess.run(["objdump", "-d", "--no-show-raw-insn", bench.path("program")], capture_output=True, text=True,
                          check=True).stdout
    called = {int(at, 16): name for at, name in re.findall(r"^ +([0-9a-f]+):\s+call\s+[0-9a-f]+ <([^>@]+)", code, re.M)}
    by_line = dict.fromkeys(spent, 0)
    found = 0
    for row in rows_of(bench, "address"):
        if row["callee"]:
            lab.equal(called.get(int(row["address"], 16)), row["callee"], f"what {row['name']} calls")
            found += 1
        if row["line"] in by_line:
            by_line[row["line"]] += row["elapsed_exclusive_ns"]
    lab.check(found >= 8, f"{found} call instructions")
    lines_have = {row["line"]: row["elapsed_exclusive_ns"] for row in rows_of(bench, "line")}
    for line, value in by_line.items():
        lab.check(abs(value - lines_have[line]) <= 10, f"line {line}: its instructions {value} ns, itself {lines_have[line]}")


@lab.test("places/sources without line events")
def annotated(bench):
    spent = record(bench)
    done = bench.run(lab.COMMAND, "annotate", "several", bench.path("cinstr.data"), status=0)
    lab.check("Lines are resolved to calls" in done.stdout, done.stdout)
    line = max(spent)
    lab.check(re.search(rf"ms +[0-9.]+ ms .* {line}  .*leaf\(4\); SPIN", done.stdout), done.stdout)
