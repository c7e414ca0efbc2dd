# SPDX-License-Identifier: GPL-3.0-or-later
"""Large sessions in small: many call paths, many processes; the same output from one thread of the
command and from several."""
import os
import re
import sys

import lab

WIDTH, DEPTH, THREADS = 7, 5, 8
PATHS = sum(WIDTH ** level for level in range(DEPTH + 1))
VIEWS = (["report"], ["report", "--by=thread"], ["report", "--by=site"], ["tree"], ["tree", "--fold", "--sort=calls"])


def command_output(bench, threads, *args):
    return bench.run(lab.COMMAND, *args, env={"CINSTR_REPORT_THREADS": str(threads)}, status=0).stdout


def same_by_any_threads(bench, session):
    for view in VIEWS:
        one = command_output(bench, 1, *view, session)
        for threads in 2, 4:
            lab.check(command_output(bench, threads, *view, session) == one,
                      f"cinstr {' '.join(view)}: {threads} threads give another output than one")


def check_paths(rows, times):
    """rows: below f0 called by thread(), `times` times the whole tree."""
    level = [0] * (DEPTH + 1)
    for row in rows:
        lab.equal(row["calls"], times, f"calls of path {row['id']} ({row['name']})")
        level[row["depth"] - 1] += 1
    lab.equal(level, [WIDTH ** n for n in range(DEPTH + 1)], "paths by level")


def data_file(bench, session="cinstr.data"):
    files = [n for n in os.listdir(bench.path(session)) if n.endswith(".cinstr")]
    lab.equal(len(files), 1, "data files")
    return bench.path(session, files[0])


@lab.test("size/paths of several threads")
def paths(bench):
    program = bench.compile("programs/paths.c", "program", "-O2", "-pthread")
    bench.run(program, str(WIDTH), str(DEPTH), str(THREADS), env={"CINSTR_PATHS": "1000000"}, status=0)
    # Its file is mapped when nobody else may write to it, and read otherwise.
    os.chmod(data_file(bench), 0o600)
    lab.check(os.path.getsize(data_file(bench)) > 8 << 20, "the file is too small to be mapped")
    tree = bench.json("tree", "--root=f0", bench.path("cinstr.data"))
    rows = [row for row in tree["rows"] if row["name"].startswith("f")]
    lab.equal(len(rows), PATHS, "paths")
    check_paths(rows, THREADS)
    # by real time: on a busy machine another path may have more
    lab.check(sum(row["hot"] for row in rows if row["depth"] == 1) <= 1, "several roots are on the hot path")
    shown = bench.json("tree", "--min-percent=1", bench.path("cinstr.data"))
    lab.equal(len(shown["rows"]) + shown["session"]["rows_hidden"],
              len(bench.json("tree", bench.path("cinstr.data"))["rows"]), "shown and hidden")
    mapped = bench.cinstr("tree", "--format=csv", bench.path("cinstr.data"))
    os.chmod(data_file(bench), 0o622)
    lab.check(mapped == bench.cinstr("tree", "--format=csv", bench.path("cinstr.data")),
              "a mapped file gives another tree than one that is read")
    same_by_any_threads(bench, bench.path("cinstr.data"))
    bench.sound()


# A process's peak is at least that of who has started it: these tests may have grown to more.
MEASURE = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def peak(bench, *args):
    """Megabytes that the command takes."""
    return int(bench.run(sys.executable, "-c", MEASURE, lab.COMMAND, *args, status=0).stdout) / 1024


OPEN = """
#include <stdlib.h>
__attribute__((noipa)) static void down(int n) { if (!n) exit(3); down(n - 1); }
int main(void) { down(5); return 0; }
"""
ALL = "--function=*"  # where functions are chosen all rows are made before the first is written


@lab.test("size/rows that exist while they are written")
def streamed(bench):
    unit = os.path.join(lab.BUILD, "unit")
    if not os.path.exists(unit):
        raise lab.Skip("build/unit is not built")
    for n in range(5):
        bench.run(unit, "--make-random", f"random.500{n}.cinstr", str(n), status=0)
    os.mkdir(bench.path("timed"))
    bench.run(unit, "--make", "timed/app.4242.cinstr", status=0)
    merged = [bench.path(f"random.500{n}.cinstr") for n in range(5)]
    bench.cinstr("merge", "-o", bench.path("all.cinstr"), *merged)
    os.mkdir(bench.path("joined"))
    for n in "1", "4", "11":
        bench.run(unit, "--make-random-mixed", "joined", n, status=0)
    bench.cinstr("merge", "-o", bench.path("estimates.cinstr"), bench.path("joined"))
    bench.run(bench.compile(bench.write("open.c", OPEN), "open", "-O1"), env={"CINSTR_DATA": "open.data"}, status=3)
    lab.check(any(row["open_calls"] for row in bench.json("tree", bench.path("open.data"))["rows"]), "no call is open")
    for session in *merged, *map(bench.path, ("timed", "all.cinstr", "estimates.cinstr", "open.data")):
        for words in [], ["--depth=4"], ["--limit=9"], ["--by=thread"], ["--raw"]:
            lab.equal(bench.cinstr("tree", "--format=csv", *words, session),
                      bench.cinstr("tree", "--format=csv", *words, ALL, session), f"tree {words} of {session}")
            lab.equal(bench.json("tree", *words, session)["rows"], bench.json("tree", *words, ALL, session)["rows"],
                      f"tree {words} of {session} in json")
    program = bench.compile("programs/paths.c", "program", "-O2", "-pthread")
    for session in "a", "b":
        bench.run(program, "7", "6", "1", status=0,
                  env={"CINSTR_PATHS": "1000000", "CINSTR_MAX_OVERHEAD": "unlimited", "CINSTR_DATA": session})
    bench.cinstr("merge", "-o", bench.path("large.cinstr"), bench.path("a"), bench.path("b"))
    streaming, keeping = (peak(bench, "tree", "--format=csv", *words, bench.path("large.cinstr")) for words in ([], [ALL]))
    # 137,000 rows of 850 bytes
    lab.check(streaming + 80 < keeping, f"streamed rows take {streaming:.0f} MB, rows that are kept {keeping:.0f} MB")


@lab.test("size/100 processes")
def processes(bench):
    program = bench.compile("programs/paths.c", "program", "-O2", "-pthread")
    bench.run(program, "3", "3", "1", "100", status=0)
    processes = bench.report("cinstr.data", "process")["rows"]
    lab.equal(len(processes), 101, "processes")
    functions = bench.functions()
    lab.equal(sum(functions[f"f{i}"]["calls"] for i in range(3)), 100 * (1 + 3 + 9 + 27), "calls")
    lab.equal(functions["thread"]["calls"], 100, "threads")
    tree = [row for row in bench.tree_rows() if row["name"].startswith("f") and row["name"] != "fork"]
    lab.equal(sum(row["calls"] for row in tree), 100 * 40, "calls in the tree")
    lab.equal(len(tree), 40, "paths of all processes, merged")
    same_by_any_threads(bench, bench.path("cinstr.data"))
    bench.sound()


@lab.test("size/recursion 100,000 deep is a line")
def deep(bench):
    source = bench.write("deep.c", """
#include <stdio.h>
volatile int sink;
__attribute__((noipa)) int even(int n);
__attribute__((noipa)) int down(int n) { int r = n ? down(n - 1) : 0; sink++; return r + 1; }
__attribute__((noipa)) int odd(int n) { int r = n ? even(n - 1) : 0; sink++; return r + 1; }
__attribute__((noipa)) int even(int n) { int r = n ? odd(n - 1) : 0; sink++; return r + 1; }
int main(void) { printf("%d\\n", down(99999) + even(50000)); return 0; }
""")
    program = bench.compile(source, "program", "-O1")
    done = bench.run("sh", "-c", "ulimit -s unlimited 2>/dev/null || ulimit -s 65536; exec " + program,
                     env={"CINSTR_PATHS": "1000000"}, status=0)
    lab.equal(done.stdout, "150001\n", "output")
    table = bench.run(lab.COMMAND, "tree", "--verbose", bench.path("cinstr.data"), status=0).stdout.splitlines()
    lab.check(len(table) < 60, f"the table has {len(table)} lines")
    # The innermost levels are below 0.5 % of the time: those of one function are in its line all
    # the same.
    for pattern in r"down \(x 100,000\)", r"(even|odd) > .* > \.\.\. [\d,]+ more \.\.\. > (even|odd)":
        lab.check(any(re.search(pattern, line) for line in table), f"no line has {pattern}:\n" + "\n".join(table[:12]))
    lab.check(any(line.startswith("Folded") for line in table), "nothing says so")
    rows = bench.tree_rows()
    lab.equal(max(row["depth"] for row in rows if row["name"] == "down"), 100001, "depth of down()")
    lab.equal(sum(row["calls"] for row in rows if row["name"] in ("even", "odd")), 50001, "calls of even() and odd()")
