# SPDX-License-Identifier: GPL-3.0-or-later
"""Where time began (R14), by line and by instruction, with and without line events, against the
program's own clock."""
import os
import re
import subprocess

import lab
import virtual_lab as virtual

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
    called = {int(at, 16): name for at, name in re.findall(r"^ +([0-9a-f]+):\s+(?:cs )*call\s+[0-9a-f]+ <([^>@]+)", code, re.M)}
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
    lab.check(re.search(rf"ms +[0-9.]+ +.* in {line}-\d+, after the calls in {line}\n", done.stdout), done.stdout)
    lab.check(re.search(rf" {line} \S+ .*leaf\(4\); SPIN", done.stdout), done.stdout)


def named_lines():
    with open(os.path.join(lab.E2E, "programs/ranges_of_lines.c")) as file:
        return {text.split("/*")[1].split()[0]: number for number, text in enumerate(file, 1) if number > 2 and "/*" in text}


@lab.test("places/time of a loop is of a range of lines")
def ranges(bench):
    """What follows a call up to the next one is of the lines that the code in between has, back in
    a loop as well."""
    at = named_lines()
    program = virtual.build(bench, "programs/ranges_of_lines.c", "-DIN_VIRTUAL_TIME")
    bench.run(program, env=virtual.costs(), status=0)
    rows = {row["line"]: row for row in bench.report("cinstr.data", "line")["rows"] if row["line"]}
    found = {name: (rows[at[name]]["line_from"], rows[at[name]]["line_to"]) for name in ("begin", "inside")}
    begin, end = found["begin"]
    lab.check(begin == at["begin"] and at["end"] - 1 <= end <= at["end"], f"behind the first call up to the last one: {found}, {at}")
    first, last = found["inside"]
    lab.check(first == at["loop"] and at["behind"] <= last <= at["behind"] + 1, f"around a call: {found}, lines {at}")
    outer = next(row for row in rows.values() if row["function"] == "outer")
    lab.check(outer["line_from"] <= at["call"] <= outer["line_to"], f"inlined code is of the line that calls it: {outer}")
    lab.check(outer["line_from"] > at["inside"], f"not where it stands: {outer}")
    # Tables name the range, annotate spans it, and no line has the percentage.
    session = bench.path("cinstr.data")
    table = bench.cinstr("report", "--by=line", session)
    lab.check(re.search(rf"ranges_of_lines.c:{begin}-{end}\b", table), table)
    lab.check(re.search(rf"ranges_of_lines.c:{at['inside']} \({first}-{last}\)", table), table)
    text = bench.cinstr("annotate", "around", session)
    lab.check(re.search(rf"ms +[0-9.]+ .*\u250c\S* in {first}-{last}, after the calls in {at['inside']}\n", text), text)
    for line in range(first, last):
        lab.check(re.search(rf" {line} [ \u2502\u2514]*[\u2502\u2514]", text), f"line {line} is not in the bracket: {text}")
    lab.check(re.search(rf"\n +100 +[0-9.]+ ms +(?:[0-9.]+ [unm]s +)?{at['inside']} ", text), f"line {at['inside']}: {text}")
    flat = bench.cinstr("annotate", "--format=csv", "around", session)
    lab.check(re.search(rf"^line,[^,]*,{at['inside']},around,.*,{first},{last},", flat, re.M), flat)
    # Without the code, all lines of the function that are known.
    os.rename(program, program + ".gone")
    rows = {row["line"]: row for row in bench.report("cinstr.data", "line")["rows"] if row["line"]}
    lab.check(rows[at["begin"]]["line_from"] < at["begin"] and rows[at["begin"]]["line_to"] > end,
              f"without the program: {rows[at['begin']]}")


@lab.test("places/lines inlined from elsewhere stand at the line that inlines them")
def inlined(bench):
    at = named_lines()
    program = bench.compile("programs/ranges_of_lines.c", "program", *FLAGS, LINES)
    bench.run(program, env={"CINSTR_PROBES": "lines"}, status=0)
    rows = {row["line"]: row for row in bench.report("cinstr.data", "line")["rows"] if row["line"]}
    lab.check(all(row["line_to"] is None for row in rows.values()), f"a line that is known has a range: {rows}")
    session = bench.path("cinstr.data")
    text = bench.cinstr("annotate", "outer", session)
    calls = rows[at["inner"]]["calls"]
    lab.check(re.search(rf" {at['call']} .*\n(.*-> .*\n)* +{calls:,} .* -> inlined, inlined \(ranges_of_lines.c:{at['inner']}\)",
                        text), text)
    lines = bench.json("annotate", "outer", session)["sources"][0]["lines"]
    line = next(line for line in lines if line["line"] == at["call"])
    lab.check(any(inner["calls"] == calls and inner["elapsed_exclusive_ns"] == rows[at["inner"]]["elapsed_exclusive_ns"]
                  for inner in line["inlined"]), f"{line}")


@lab.test("places/calls in inlined functions stand below the line that they are inlined on")
def inlined_calls(bench):
    source = os.path.join(lab.E2E, "programs/inlined_calls.c")
    with open(source) as file:
        texts = file.read().split("\n")
    at = {what: 1 + next(n for n, text in enumerate(texts) if f"/* {comment} */" in text)
          for what, comment in (("inner", "the inner call"), ("outer", "the outer call"), ("main", "in main"))}
    bench.run(bench.compile("programs/inlined_calls.c", "program", "-O1", "-fno-builtin"), status=0)
    rows = {row["line"]: row for row in bench.report("cinstr.data", "line")["rows"] if row["line"]}
    chain = rows[at["inner"]]["inlined_from"]
    lab.check(re.fullmatch(rf"take at \S+inlined_calls\.c:{at['outer']}, use at \S+inlined_calls\.c:{at['main']}", chain), chain)
    text = bench.cinstr("annotate", "main", bench.path("cinstr.data"))
    lab.check(re.search(rf" {at['main']} .*use\(100\).*\n(.*->.*\n)* +50 .* -> take, inlined \(inlined_calls\.c:{at['inner']}\)(, time of \d+-\d+)?\n"
                        r" +50 .*    -> malloc\n", text), text)
    lab.check(re.search(rf" -> use, inlined \(inlined_calls\.c:{at['outer']}\)(, time of \d+-\d+)?\n +50 .*    -> free\n", text), text)


@lab.test("places/calls of what GCC has split from a function, and of setjmp, have a line")
def split(bench):
    program = bench.compile("programs/split.c", "program", "-O2", "-fplugin-arg-cinstr-small=0")
    parts = subprocess.run(["nm", program], capture_output=True, text=True, check=True).stdout
    lab.check("maybe.part" in parts, "GCC has not split the function: " + parts)
    bench.run(program, status=0)
    with open(os.path.join(lab.E2E, "programs/split.c")) as file:
        truth = {match[1]: n for n, line in enumerate(file, 1) if (match := re.search(r"/\* (\w+) \*/$", line.rstrip()))}
    sites = {row["name"]: (row["callee"], row["line"]) for row in bench.report("cinstr.data", "site")["rows"] if row["name"] in truth}
    lab.equal(sites, {"first": ("maybe", truth["first"]), "second": ("maybe", truth["second"]),
                      "third": ("_setjmp", truth["third"])}, "sites")
