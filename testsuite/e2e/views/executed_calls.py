# SPDX-License-Identifier: GPL-3.0-or-later
"""Executed machine instructions of each call (instructions=calls): no shares."""
import collections
import os
import re
import shutil
import signal

import executed_paths
import lab

OPTION = "-fplugin-arg-cinstr-instructions=calls"
PROGRAM = "programs/executed_calls.c"
# callgrind counts NOPs that align, and stubs of libraries' functions
SAME_CODE = ("-fno-plt", "-fno-align-loops", "-fno-align-jumps", "-fno-align-labels", "-fno-optimize-sibling-calls",
             "-fno-ipa-ra")


def record(bench, *args, flags=("-O1",), limit="unlimited", status=0):
    program = bench.compile(PROGRAM, "program", "-pthread", "-fplugin-arg-cinstr-small=0", OPTION, *SAME_CODE, *flags)
    bench.run(program, *args, status=status, env={"CINSTR_MAX_OVERHEAD": limit})


def by_callgrind(bench, program, *args):
    """Inclusive instructions of the program's own code by function, of single chains of callers."""
    valgrind, out = lab.need("valgrind"), bench.path("callgrind.out")
    bench.run(valgrind, "--tool=callgrind", "--separate-callers=99", "--separate-recs=1", "--compress-strings=no",
              "--compress-pos=no", f"--callgrind-out-file={out}", program, *args, status=0)
    found, inside, chain, is_call = collections.Counter(), False, "", False
    with open(out) as file:
        for line in file:
            if line.startswith("ob="):
                inside = line.strip().endswith("/" + program.rsplit("/", 1)[1])
            elif line.startswith("fn="):
                chain = line[3:].strip()
            elif line.startswith("calls="):
                is_call = True
            elif re.match(r"\d+ \d+$", line):
                if inside and not is_call:
                    for name in set(chain.split("'")):
                        found[name] += int(line.split()[1])
                is_call = False
    return found


def functions(bench, session="cinstr.data"):
    return {row["name"]: row for row in executed_paths.rows(bench, "report", bench.path(session))}


@lab.test("executed/of each call: inclusive as callgrind says")
def exact(bench):
    for flags in (("-O0",), ("-O2",), ("-O3",)):
        record(bench, "ways", flags=flags)
        rows = functions(bench)
        plain = bench.compile(PROGRAM, "plain", "-pthread", *SAME_CODE, *flags, plugin=False)
        expected = by_callgrind(bench, plain, "ways")
        lab.check(len(rows) > 10, f"only {len(rows)} functions")
        lab.equal({name: (int(row["inclusive_instructions"]), row["inclusive_instructions_is_estimate"])
                   for name, row in rows.items()}, {name: (expected[name], "0") for name in rows}, " ".join(flags))
        for path, row in executed_paths.tree(bench).items():
            lab.equal(row[3:], (0, 0), f"estimates of {path}")


@lab.test("executed/of each call: least, most, percentiles")
def each(bench):
    record(bench)
    rows, found = functions(bench), executed_paths.tree(bench)
    least, most = found["main few work"][1] // 10, found["main many work"][1] // 10
    lab.check(most > 50 * least, f"{least} to {most}")
    row = rows["work"]
    lab.equal((int(row["inclusive_instructions"]), int(row["calls"])), (10 * least + 10 * most, 20), "all of work")
    lab.equal([int(row["inclusive_instructions_" + name]) for name in ("min", "max")], [least, most], "least, most")
    lab.check(least <= int(row["inclusive_instructions_p50"]) <= 1.2 * least, f"p50 {row}")
    lab.check(most / 1.2 <= int(row["inclusive_instructions_p99"]) <= most, f"p99 {row}")
    for name, calls in ("few", 10), ("many", 10), ("main", 1):
        one = int(rows[name]["inclusive_instructions"]) // calls
        lab.equal({rows[name]["inclusive_instructions_" + kind] for kind in ("min", "max", "p50", "p99")}, {str(one)},
                  f"each call of {name}")


@lab.test("executed/of each call: threads, forked children, handlers, and what was killed")
def ways(bench):
    record(bench)
    alone = executed_paths.tree(bench)
    work = {n: (alone["main many work"][1] - alone["main few work"][1]) * (n - 4) // 496 // 10
            + alone["main few work"][1] // 10 for n in (1, 2, 3, 10, 100, 200, 300)}
    more_few, more_many = (alone[f"main {name}"][2] // 10 for name in ("few", "many"))
    record(bench, "threads")
    found = executed_paths.tree(bench)
    lab.equal({path: row[1] for path, row in found.items() if path.startswith("in_thread ")},
              {"in_thread few": 20 * (work[1] + work[2] + work[3] + 3 * more_few),
               "in_thread few work": 20 * (work[1] + work[2] + work[3]),
               "in_thread many": 20 * (work[100] + work[200] + work[300] + 3 * more_many),
               "in_thread many work": 20 * (work[100] + work[200] + work[300])}, "in threads")
    record(bench, "fork")
    found = executed_paths.tree(bench)
    lab.equal(found["main in_child few"][:2], (1, work[2] + more_few), "few in the child")
    lab.equal(found["main in_child many"][:2], (1, work[300] + more_many), "many in the child")
    lab.equal(found["main few"], alone["main few"], "few before the fork")
    record(bench, "signal")
    found = executed_paths.tree(bench)
    lab.equal(found["main raise handle work"][:2], (5, 5 * work[10]), "in the handler")
    record(bench, "killed", status=-signal.SIGKILL)
    found = executed_paths.tree(bench)
    for path in "main few", "main few work", "main many", "main many work":
        lab.equal(found[path], alone[path], f"{path} of a process that was killed")


@lab.test("executed/of each call: estimates where calls were only counted")
def limited(bench):
    record(bench, "ways", limit="1")
    rows = functions(bench)
    if "probes taken out of" in bench.cinstr("tree", "--measure=instructions", bench.path("cinstr.data")):
        lab.equal({row["inclusive_instructions_min"] for row in rows.values()}, {""}, "of single calls")


def by_path(bench, *sessions):
    """By path and column: the sums over these sessions, where they are not 0."""
    found, path = collections.Counter(), []
    for session in sessions:
        for row in executed_paths.rows(bench, "tree", bench.path(session)):
            path[int(row["depth"]) - 1:] = [row["name"]]
            for name in executed_paths.COMPARED[2:]:
                found[" ".join(path), name] += int(row[name])
    return {key: n for key, n in found.items() if n}


@lab.test("executed/of each call: merged: the sum of the sessions, whatever the order")
def merged(bench):
    def merge(output, *inputs):
        bench.cinstr("merge", "-o", bench.path(output), *(bench.path(session) for session in inputs))
        with open(bench.path(output), "rb") as file:
            return file.read()
    ways = "", "threads", "fork", "signal", "ways", "killed"
    program = bench.compile(PROGRAM, "program", "-O1", "-pthread", "-fplugin-arg-cinstr-small=0", OPTION)
    plain = bench.compile(PROGRAM, "plain", "-O1", "-pthread")
    sessions = [f"session{i}" for i in range(len(ways))]
    for session, way in zip(sessions, ways):
        bench.run(program, *way.split(), status=-signal.SIGKILL if way == "killed" else 0,
                  env={"CINSTR_DATA": session, "CINSTR_MAX_OVERHEAD": "unlimited"})
    bench.run(plain, status=0, env={"CINSTR_DATA": "nothing"})
    all_of_them = merge("merged", *sessions, "nothing")
    merge("first", "nothing", sessions[4])
    merge("second", *sessions[1:4])
    lab.equal(merge("backwards", sessions[5], "second", "first", sessions[0]) == all_of_them, True, "are the same bytes")
    found, expected = by_path(bench, "merged"), by_path(bench, *sessions)
    lab.check(len(found) > 100, f"only {len(found)} values")
    lab.equal(sorted(found.items() - expected.items()), sorted(expected.items() - found.items()), "by call path")
    lab.equal([key for key in found if key[1].endswith("estimate")], [], "estimates")
    os.mkdir(bench.path("all"))  # one session of all their processes
    for session in sessions:
        for name in os.listdir(bench.path(session)):
            if name.endswith(".cinstr"):
                shutil.copy(os.path.join(bench.path(session), name), bench.path("all"))
    merged_rows, rows = functions(bench, "merged"), functions(bench, "all")
    lab.check(len(rows) > 10, f"only {len(rows)} functions")
    percentiles = {f"inclusive_instructions_p{n}" for n in (50, 99)}
    for name, row in rows.items():
        lab.equal({key: n for key, n in merged_rows[name].items() if key not in percentiles},
                  {key: n for key, n in row.items() if key not in percentiles}, name)
        for key in percentiles:  # within the width of a slot, or of its part that a process has
            ratio = (int(merged_rows[name][key]) + 16) / (int(row[key]) + 16)
            lab.check(1 / 1.26 < ratio < 1.26, f"{key} of {name}: {merged_rows[name][key]}, not {row[key]}")


@lab.test("executed/of each call: merged: shares where not all sessions have them")
def merged_shares(bench):
    record(bench)
    os.rename(bench.path("cinstr.data"), bench.path("exact"))
    program = bench.compile(PROGRAM, "other", "-O1", "-pthread", "-fplugin-arg-cinstr-small=0", executed_paths.OPTION)
    bench.run(program, status=0, env={"CINSTR_DATA": "shares", "CINSTR_MAX_OVERHEAD": "unlimited"})
    for output, *inputs in ("one", "exact", "shares"), ("two", "shares", "exact"), ("three", "one", "exact"):
        bench.cinstr("merge", "-o", bench.path(output), *(bench.path(session) for session in inputs))
        lab.equal(executed_paths.tree(bench, output)["main few work"][3:], (1, 1), f"estimates of {output}")
