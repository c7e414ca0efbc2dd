# SPDX-License-Identifier: GPL-3.0-or-later
"""Executed machine instructions of each call (instructions=calls): no shares."""
import collections
import re
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


def functions(bench):
    return {row["name"]: row for row in executed_paths.rows(bench, "report", bench.path("cinstr.data"))}


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
