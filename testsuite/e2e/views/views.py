# SPDX-License-Identifier: GPL-3.0-or-later
"""cinstr callers, annotate, summary on programs with known counts, against what `cinstr tree`
says."""
import collections
import csv
import io
import json
import re

import lab

SUMS = ("elapsed_inclusive_ns", "elapsed_exclusive_ns", "application_inclusive_ns", "application_exclusive_ns",
        "probe_overhead_inclusive_ns", "off_cpu_ns")
OUTSIDE = "[outside]"
THREADS, ROUNDS = 3, 30


def record(bench, *flags):
    bench.same_as_plain("programs/views.c", "-O2", "-fno-optimize-sibling-calls", "-pthread", *flags)
    bench.sound()


def callers(bench, function, *more):
    return bench.json("callers", function, bench.path("cinstr.data"), *more)["rows"]


def of_type(rows, kind):
    return {row["name"]: row for row in rows if row["type"] == kind}


def edges_of_tree(rows):
    """Calls, inclusive and exclusive time by (caller, callee), each once an interval (R6), from the
    paths alone."""
    edges = collections.defaultdict(lambda: [0, 0, 0])
    path = []
    for row in rows:
        del path[row["depth"] - 1:]
        caller = path[-1][0] if path else OUTSIDE
        edge = (caller, row["name"])
        sums = edges[edge]
        sums[0] += row["calls"]
        sums[1] += 0 if any(edge == above[1] for above in path) else row["elapsed_inclusive_ns"]
        sums[2] += row["elapsed_exclusive_ns"]
        path.append((row["name"], edge))
    return edges


@lab.test("callers/each function's callers and callees are those of the tree")
def of_the_tree(bench):
    record(bench)
    rows = bench.json("tree", "--min-percent=0", bench.path("cinstr.data"))["rows"]
    edges = edges_of_tree(rows)
    functions = sorted({callee for _, callee in edges})
    lab.check(len(functions) > 12, f"functions: {functions}")
    for function in functions:
        got = callers(bench, function)
        for kind, others in (("caller", {a: v for (a, b), v in edges.items() if b == function}),
                             ("callee", {b: v for (a, b), v in edges.items() if a == function})):
            others = {name: v for name, v in others.items() if v[0]}
            lab.equal(sorted(of_type(got, kind)), sorted(others), f"{kind}s of {function}")
            for name, (calls, inclusive, exclusive) in others.items():
                row = of_type(got, kind)[name]
                lab.equal(row["calls"], calls, f"calls {kind} {name} of {function}")
                for key, want in ("elapsed_inclusive_ns", inclusive), ("elapsed_exclusive_ns", exclusive):
                    lab.check(abs(row[key] - want) <= len(rows), f"{key} of {kind} {name} of {function}: {row[key]}, "
                                                                 f"the tree has {want}")


@lab.test("callers/the sums of the original system")
def sums(bench):
    record(bench)
    for function in "leaf", "hot", "work", "sorting", "usleep", "compare", "main":
        rows = callers(bench, function)
        root = of_type(rows, "root")[function]
        for key in SUMS:
            total = sum(row[key] for row in rows if row["type"] == "caller")
            lab.check(abs(total - root[key]) <= len(rows), f"{function}: callers' {key} {total}, its own {root[key]}")
        lab.equal(sum(row["calls"] for row in rows if row["type"] == "caller"), root["calls"], f"calls of {function}")
        for inclusive, exclusive in SUMS[0:2], SUMS[2:4]:
            below = sum(row[inclusive] for row in rows if row["type"] == "callee")
            lab.check(abs(root[exclusive] + below - root[inclusive]) <= len(rows),
                      f"{function}: {root[exclusive]} + {below} is not {root[inclusive]} ({inclusive})")
        lab.check(not any(row["recursive"] for row in rows), f"{function}: recursive")


@lab.test("callers/counts, recursion, call sites")
def counts(bench):
    record(bench)
    each = THREADS * ROUNDS
    leaf = of_type(callers(bench, "leaf"), "caller")
    lab.equal({name: row["calls"] for name, row in leaf.items()},
              {"hot": each, "even": each, "deeper": each, "work": each}, "callers of leaf")
    lab.equal(of_type(callers(bench, "compare"), "caller").keys(), {"qsort"}, "callers of compare")
    lab.equal(of_type(callers(bench, "work"), "caller").keys(), {OUTSIDE}, "callers of work")
    deeper = callers(bench, "deeper")
    lab.equal({name: (row["calls"], row["recursive"]) for name, row in of_type(deeper, "caller").items()},
              {"deeper": (5 * each, 1), "work": (each, 0)}, "callers of deeper")
    even = of_type(callers(bench, "even"), "caller")
    lab.equal({name: (row["calls"], row["recursive"]) for name, row in even.items()},
              {"work": (each, 0), "odd": (5 * each, 1)}, "callers of even")
    sites = [row for row in callers(bench, "leaf", "--sites") if row["type"] == "caller"]
    with open(lab.os.path.join(lab.E2E, "programs", "views.c")) as file:
        source = file.read().splitlines()
    lab.equal(len(sites), 4, "call sites")
    for row in sites:
        lab.check("leaf(" in source[row["line"] - 1], f"{row['name']} calls leaf at line {row['line']}")
        lab.check(row["address"].startswith("0x"), f"address {row['address']}")


@lab.test("callers/csv, and what is asked for and not there")
def formats(bench):
    record(bench)
    session = bench.path("cinstr.data")
    rows = list(csv.DictReader(io.StringIO(bench.cinstr("callers", "--format=csv", "e*", session), newline="")))
    lab.equal({row["type"] for row in rows}, {"caller", "root", "callee"}, "types")
    lab.equal({row["root_function"] for row in rows}, {"even"}, "root functions")
    lab.check(int(next(row["calls"] for row in rows if row["type"] == "root")) == 6 * THREADS * ROUNDS, "calls of even")
    text = bench.cinstr("callers", "leaf", "--limit=2", session)
    lab.check(re.search(r"^2 rows hidden \(\S+ %\); --limit=5 shows all", text, re.M), text)
    done = bench.run(lab.COMMAND, "callers", "evne", session, status=1)
    lab.check("no function 'evne' was called; there is even" in done.stderr, done.stderr)
    bench.run(lab.COMMAND, "callers", status=2)


# ---- summary -------------------------------------------------------------------------------------


def first(rows, key, n=10):
    return [row["name"] for row in sorted((r for r in rows if r[key] and r[key] > 0),
                                          key=lambda r: (-r[key], r["name"]))][:n]


@lab.test("summary/lists are those of the reports")
def lists(bench):
    record(bench)
    got = bench.json("summary", bench.path("cinstr.data"))
    rows = bench.report()["rows"]
    for name, key in (("elapsed_exclusive", "elapsed_exclusive_ns"), ("application_exclusive", "application_exclusive_ns"),
                      ("elapsed_inclusive", "elapsed_inclusive_ns"), ("waiting", "off_cpu_exclusive_ns"),
                      ("voluntary_switches", "voluntary_switches_exclusive"),
                      ("involuntary_switches", "involuntary_switches_exclusive"), ("system_calls", "system_calls_exclusive")):
        values = {row["name"]: row[key] for row in rows}
        # of equal numbers either may be first: those here are rounded
        lab.equal([values[row["name"]] for row in got[name]], [values[shown] for shown in first(rows, key)], name)
    lab.equal(len(got["threads"]), THREADS + 1, "threads")
    lab.equal(len(got["processes"]), 1, "processes")
    lab.check("usleep" in [row["name"] for row in got["waiting"]], "usleep does not wait")
    lab.equal({row["name"]: row["system_calls_exclusive"] for row in got["system_calls"]}["usleep"], 5 * THREADS, "usleep")
    time = got["time"]
    parts = sum(time[part + "_ns"] for part in ("on_processor", "waiting", "preempted", "page_ins", "disk"))
    lab.check(abs(parts - time["elapsed_ns"]) <= 10, f"parts of the time {parts}, all {time['elapsed_ns']}")
    # where the disk is busy its writes come into intervals that wait for something else
    waited = time["waiting_ns"] + time["disk_ns"]
    lab.check(waited >= THREADS * 5 * 2e6, f"{waited} ns of waiting")
    csv_rows = list(csv.DictReader(io.StringIO(bench.cinstr("summary", "--format=csv", bench.path("cinstr.data")), newline="")))
    lab.equal([row["name"] for row in csv_rows if row["section"] == "elapsed_inclusive"],
              [row["name"] for row in got["elapsed_inclusive"]], "csv")
    lab.equal({row["name"]: row["module"] for row in csv_rows if row["section"] == "advice"},
              {advice["id"]: advice["severity"] for advice in got["advice"]}, "advice in csv")


def hot_path(rows):
    """From the root with the most time on always the child with the most, while it has at least
    half of its parent's."""
    children, path = collections.defaultdict(list), []
    for row in rows:
        del path[row["depth"] - 1:]
        children[tuple(path)].append(row)
        path.append(row["id"])
    hot, at = [], ()
    while children[at]:
        best = max(children[at], key=lambda row: row["elapsed_inclusive_ns"])
        if hot and 2 * best["elapsed_inclusive_ns"] < hot[-1]["elapsed_inclusive_ns"]:
            break
        hot.append(best)
        at += (best["id"],)
    return [row["name"] for row in hot]


@lab.test("summary/hot path")
def path(bench):
    record(bench)
    rows = bench.json("tree", "--min-percent=0", bench.path("cinstr.data"))["rows"]
    got = bench.json("summary", bench.path("cinstr.data"))["hot_path"]
    lab.equal([level["name"] for level in got], hot_path(rows), "hot path")


@lab.test("summary/fits 80 columns and 30 lines, with what to do next")
def fits(bench):
    record(bench)
    for columns in "80", "200":
        text = bench.run(lab.COMMAND, "summary", env={"COLUMNS": columns}, status=0).stdout.splitlines()
        lab.check(len(text) <= 30, f"{len(text)} lines")
        full = bench.run(lab.COMMAND, "summary", "--verbose", env={"COLUMNS": columns}, status=0).stdout.splitlines()
        lab.check(len(text) < len(full) <= 60, f"{len(full)} lines with --verbose")
        lab.check(max(map(len, text)) <= int(columns), f"a line of {max(map(len, text))} columns")
        lab.check(text[-1].startswith("Next: cinstr callers "), text[-1])
    whole = bench.cinstr("summary").splitlines()
    command = whole[-1].removeprefix("Next: ").split("; ")[0].split()
    bench.cinstr(*command[1:])


@lab.test("summary/advice: a killed process, small functions, nothing recorded")
def advice(bench):
    record(bench)

    def ids(*more):
        return {a["id"]: a for a in bench.json("summary", "--advice", bench.path("cinstr.data"), *more)["advice"]}

    lab.check("CI0109" not in ids() and "CI0003" not in ids(), f"{ids().keys()}")
    bench.run(lab.COMMAND, "record", "--", "sh", "-c", "./program > /dev/null; kill -SEGV $$")
    bench.run(lab.COMMAND, "record", "--paused", "--", bench.path("program"), status=0)
    got = ids()
    lab.check("CI0003" in got and "paused" in got["CI0003"]["text"], f"{got}")
    source = bench.write("killed.c", """
        #include <signal.h>
        __attribute__((noipa)) static int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }
        int main(void) { f(22); raise(SIGABRT); return 0; }""")
    program = bench.compile(source, "killed", "-O1")
    bench.run(lab.COMMAND, "record", "--", program)
    got = ids()
    lab.check("CI0109" in got and "SIGABRT" in got["CI0109"]["text"], f"{got}")
    lab.check("CI0101" in got and re.search("--probes=functions --not=f[ ,]", got["CI0101"]["action"]), f"{got}")
    report = " ".join(bench.cinstr("report", "--verbose").split())
    lab.check("died by signal 6 (SIGABRT, Aborted) while in raise (called by main)" in report, report)
    lab.check("(CI0101)" in report and "cinstr summary --advice" in report, report)
    lab.check(re.search(r"\d notes: cinstr summary --advice\s+\(details: --verbose\)", bench.cinstr("report")), "no notes")


# ---- annotate ------------------------------------------------------------------------------------


def source_lines(name):
    with open(lab.os.path.join(lab.E2E, "programs", name)) as file:
        return file.read().splitlines()


@lab.test("annotate/lines, their text, and what they call")
def lines(bench):
    bench.same_as_plain("programs/views.c", "-O1", "-pthread", "-fplugin-arg-cinstr-lines", env={"CINSTR_PROBES": "lines"})
    session, text = bench.path("cinstr.data"), source_lines("views.c")
    got = bench.json("annotate", "views.c", "--newer", session)["sources"]
    lab.equal([part["note"] for part in got], [None], "notes")
    rows = {row["line"]: row for row in got[0]["lines"]}
    for row in rows.values():
        lab.equal(row["text"], text[row["line"] - 1], f"text of line {row['line']}")
    by_line = {row["line"]: row for row in bench.report("cinstr.data", "line")["rows"]
               if (row["file"] or "").endswith("/views.c") and row["calls"]}
    lab.equal({n for n, row in rows.items() if row["calls"]}, set(by_line), "lines")
    for number, row in by_line.items():
        for key in SUMS[:4]:
            lab.equal(rows[number][key], row[key], f"{key} of line {number}")
    marked = {comment: number for number, line in enumerate(text, 1) for comment in ("hot", "leaf directly", "waits")
              if f"/* {comment} */" in line}
    for comment, callee, calls in (("hot", "hot", THREADS * ROUNDS), ("leaf directly", "leaf", THREADS * ROUNDS),
                                   ("waits", "usleep", THREADS * 5)):
        callees = {c["callee"]: c for c in rows[marked[comment]]["callees"]}
        lab.equal({name: c["calls"] for name, c in callees.items()}, {callee: calls}, f"callees of '{comment}'")
        lab.check(callees[callee]["elapsed_inclusive_ns"] <= rows[marked[comment]]["elapsed_inclusive_ns"] + 1,
                  f"'{comment}': {callees} in {rows[marked[comment]]}")
    flat = list(csv.DictReader(io.StringIO(bench.cinstr("annotate", "hot", "--newer", "--format=csv", session), newline="")))
    lab.equal([row["name"] for row in flat if row["type"] == "callee"], ["leaf"], "callees in csv")
    lab.check(all(text[int(row["line"]) - 1] == row["text"] for row in flat if row["type"] == "line"), f"{flat}")


@lab.test("annotate/without line events; a source that is newer than the module")
def no_lines(bench):
    source = bench.write("own.c", "\n".join(source_lines("views.c")) + "\n")
    program = bench.compile(source, "program", "-O2", "-pthread", "-fno-optimize-sibling-calls")
    bench.run(program, status=0)
    session = bench.path("cinstr.data")
    text = bench.cinstr("annotate", "", session)
    lab.check("Lines are resolved to calls" in text and "hot, " in text, text)
    lab.check("leaf(n); /* 30 a thread */" in text and "-> leaf" in text, text)
    lab.os.utime(source)
    text = bench.cinstr("annotate", "hot", session)
    lab.check("Note: the source is newer than the module" in text, text)
    lab.check("30 a thread" not in text and "-> leaf" in text, text)
    lab.check("30 a thread" in bench.cinstr("annotate", "hot", "--newer", session), "--newer")
    lab.os.unlink(source)
    text = bench.cinstr("annotate", "hot", session)
    lab.check("Note: the source is not there" in text and "-> leaf" in text, text)


@lab.test("callers/C++ names with and without scopes and parameters; filters")
def cxx(bench):
    source = bench.write("names.cc", """
        namespace outer { struct Thing {
            __attribute__((noipa)) int get(int n) { return n + 1; }
            __attribute__((noipa)) int get(double n) { return (int)n + get(2); }
        }; }
        __attribute__((noipa)) static int user(outer::Thing &t) { return t.get(1) + t.get(1.5); }
        int main(void) { outer::Thing t; return user(t) + user(t) == 0; }""")
    bench.run(bench.compile(source, "program", "-O1"), status=0)
    session = bench.path("cinstr.data")

    def named(name, *more):
        return json.loads(bench.cinstr("callers", name, "--format=json", "--names=full", *more, session))["rows"]

    for name, overloads in (("outer::Thing::get", 2), ("Thing::get", 2), ("get", 2), ("outer::Thing::get(int)", 1),
                            ("*get(double)", 1), ("_ZN5outer5Thing3getEi", 1)):
        rows = named(name)
        lab.equal(len([row for row in rows if row["type"] == "root"]), overloads, f"functions that '{name}' means")
    rows = [(row["type"], row["name"], row["calls"]) for row in named("get(int)", "--function=*user*,*get*")
            if row["type"] != "root"]
    lab.equal(sorted(rows), [("caller", "outer::Thing::get(double)", 2), ("caller", "user(outer::Thing&)", 2)], "callers")
    text = bench.cinstr("callers", "get(int)", "--names=full", "--function=user*", session)
    lab.check("Function" in text and "Thing::get(double)" not in text, text)
    done = bench.run(lab.COMMAND, "callers", "main", "--function=nosuch", session, status=1)
    lab.check("nosuch" in done.stderr, done.stderr)


@lab.test("callers/the same code in two programs of a session")
def two_programs(bench):
    text = "__attribute__((noipa)) static int leaf(int n) { return n; }\nint main(void) { return leaf(1) - 1; }\n"
    programs = []
    for name, lines in ("first", 0), ("second", 7):
        programs.append(bench.compile(bench.write(name + ".c", "\n" * lines + text), name, "-O1"))
    bench.run(lab.COMMAND, "record", "--", "sh", "-c", " && ".join(programs), status=0)
    rows = [row for row in callers(bench, "leaf", "--sites") if row["type"] == "caller"]
    lab.equal(sorted((lab.os.path.basename(row["file"]), row["line"], row["calls"]) for row in rows),
              [("first.c", 2, 1), ("second.c", 9, 1)], "call sites")
