# SPDX-License-Identifier: GPL-3.0-or-later
"""cinstr merge: totals as those of the sessions, the same bytes whatever the order, damage."""
import csv
import glob
import hashlib
import io
import json
import os
import random
import shutil
import signal
import time

import lab

# How far values may be off is put together by a rule of its own (semantics.md).
OWN_RULE = "_uncertainty_ns"

# programs, how they are built and run
PROGRAMS = {
    "osview": ("programs/osview.c", ("-O1",), ()),
    "callbacks": ("trees/callbacks.c", ("-O1",), ()),
    "jumps": ("trees/jumps.c", ("-O2",), ()),
    "longjmp": ("trees/longjmp.c", ("-O1",), ()),
    "threads": ("programs/threads_named.c", ("-O1", "-pthread"), ()),
    "forks": ("trees/forks.c", ("-O1",), ()),
    "lines": ("programs/lines.c", ("-O1", "-fplugin-arg-cinstr-lines"), ()),
}


def merge(bench, output, *inputs, status=0, **options):
    return bench.run(lab.COMMAND, "merge", "-o", output, *inputs, status=status, **options)


def content(bench, name):
    with open(bench.path(name), "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def rows(bench, session, *view):
    text = bench.run(lab.COMMAND, *view, session, "--format=csv", status=0).stdout
    found = {}
    paths = {}  # of a tree: names from the root on
    for row in csv.DictReader(io.StringIO(text)):
        path = (*paths.get(row.get("parent") or None, ()), row["name"])
        if row.get("id"):
            paths[row["id"]] = path
        for name in ("function", "callee"):  # joined in the order in which they were found
            if row.get(name):
                row[name] = "; ".join(sorted(row[name].split("; ")))
        key = (path, *(row.get(name) for name in ("type", "module", "file", "line", "line_from", "line_to", "inlined_from", "function", "callee", "address")))
        found.setdefault(key, []).append({name: value for name, value in row.items() if OWN_RULE not in name and name not in ("id", "parent")})
    return found


def in_order(part):
    return sorted(part, key=lambda row: (row.get("calls"), row.get("elapsed_inclusive_ns")))


def is_near(column, a, b, ns, contributors=0):
    """
    Equal; what lies between two numbers may be rounded to either. By line and address a node's own
    time is divided into parts, of which the last nanoseconds are rounded.
    """
    if a == b:
        return True
    # of differences of what is rounded
    if a and b and column in ("process_deviation_ns", "imbalance_percent", "process_min_who", "process_max_who"):
        return True
    if a and b and column in ("process_mean_ns", "process_min_ns", "process_max_ns", "imbalance_cost_ns"):
        return abs(float(a) - float(b)) <= 20 + 2 * contributors + 0.002 * abs(float(a))
    most = max(ns, 0.002 * abs(float(a))) if a and b and ns else 1e-4 if column.endswith("percent") else column.endswith("_ns")
    return bool(a and b and most) and abs(float(a) - float(b)) <= most


def is_unknown(column, value, view):
    """Who has least and most is kept of single call paths, and of functions."""
    return not value and view not in (("report",), ("report", "--view=os")) and column.startswith(("process_m", "process_d", "imbalance", "contributors"))


def record(bench, name, times=1):
    """Sessions NAME.1 to NAME.N of one program."""
    source, flags, arguments = PROGRAMS[name]
    program = bench.compile(source, "p-" + name, *flags)
    for i in range(1, times + 1):
        bench.run(program, *arguments, env={"CINSTR_DATA": f"{name}.{i}", **({"CINSTR_PROBES": "lines"} if name == "lines" else {})})
    return [f"{name}.{i}" for i in range(1, times + 1)]


@lab.test("merge/all values are those of the sessions, to the nanosecond")
def equal_values(bench):
    for name in PROGRAMS:
        sessions = record(bench, name, 3)
        os.mkdir(bench.path("all"))
        for session in sessions:
            shutil.copytree(bench.path(session), bench.path("all", session))
        merge(bench, "merged", *sessions)
        for view in (("report",), ("report", "--by=site"), ("report", "--by=module"), ("report", "--by=line"), ("report", "--by=address"),
                     ("report", "--view=os"), ("tree", "--min-percent=0"), ("callers", "main"), ("report", "--just-my-code")):
            expected, got = rows(bench, "all", *view), rows(bench, "merged", *view)
            lab.equal(sorted(map(str, got)), sorted(map(str, expected)), f"{name}: rows of {view}")
            near = 20 if view[-1] in ("--by=line", "--by=address") else 0
            for key, values in expected.items():
                for row, other in zip(in_order(got[key]), in_order(values), strict=True):
                    wrong = [(column, row[column], other[column]) for column in row
                             if not is_near(column, row[column], other[column], near, int(row.get("contributors") or 0))
                             and not is_unknown(column, row[column], view)]
                    lab.equal(wrong, [], f"{name}: {view}: {key}")
        shutil.rmtree(bench.path("all"))


def many(bench, number):
    """So many sessions of a program that does other things each time."""
    program = bench.compile("programs/views.c", "program", "-O1")
    other = bench.compile("trees/recursion.c", "other", "-O1")
    for i in range(number):
        bench.run(*(program, str(i % 7)) if i % 3 else (other,), env={"CINSTR_DATA": f"in/{i % 10}/%p", "PBS_JOBID": str(i % 2)})
    return sorted(os.path.relpath(path, bench.path(".")) for path in glob.glob(bench.path("in/*/*")))


def merge_in_groups(bench, chance, sessions, name):
    """Merges in groups of random size, and these again, until one is left."""
    todo = sessions[:]
    round_number = 0
    while len(todo) > 1:
        chance.shuffle(todo)
        size, after = chance.choice((3, 7, 20, 60, len(todo))), []
        for i in range(0, len(todo), size):
            output = f"{name}.{round_number}.{i}"
            merge(bench, output, *todo[i:i + size])
            after.append(output)
        todo, round_number = after, round_number + 1
    result = content(bench, todo[0])
    for path in glob.glob(bench.path(name + ".*")):
        os.remove(path)
    return result


def any_grouping(bench, inputs, groupings):
    sessions = many(bench, inputs)
    lab.equal(len(sessions), inputs, "sessions")
    merge(bench, "flat", *sessions)
    expected, chance = content(bench, "flat"), random.Random(21)
    for i in range(groupings):
        lab.equal(merge_in_groups(bench, chance, sessions, f"g{i}"), expected, f"bytes of grouping {i}")


@lab.test("merge/the same bytes in any order and grouping")
def groupings(bench):
    any_grouping(bench, 24, 6)


@lab.test("merge/the same bytes in 20 groupings of 84 sessions")
def groupings_many(bench):
    """Of 42 kinds, which many() makes, two each."""
    any_grouping(bench, 84, 20)


@lab.test("merge/all commands take what was merged")
def commands(bench):
    sessions = record(bench, "osview", 2)
    merge(bench, "merged", *sessions)
    for command in (("info",), ("report",), ("report", "--by=process"), ("report", "--by=rank"), ("report", "--by=host"), ("report", "--by=job"), ("tree",), ("summary",), ("summary", "--findings"),
                    ("summary", "--advice"), ("callers", "main"), ("annotate", "main"), ("report", "--histogram"), ("tree", "--columns=processes,name"),
                    ("html", "-o", "page.html"), ("export", "--format=collapsed", "-o", "stacks")):
        done = bench.run(lab.COMMAND, *command[:1], *command[1:], "merged")
        lab.equal((done.returncode, done.stderr), (0, ""), f"{command}")
    merge(bench, "one", sessions[0])
    table = bench.run(lab.COMMAND, "ranks", "main", "one", status=0).stdout
    lab.check("0 %" in table and "-0 %" not in table, f"imbalance of one process: {table}")
    done = bench.run(lab.COMMAND, "diff", sessions[0], "merged")
    lab.check(done.returncode == 0 and "toucher" in done.stdout, f"diff: {done.stdout} {done.stderr}")
    for view, why in (("--by=thread", "do not keep threads"), ("--by=mark", "do not keep marks"), ("--process=x", "do not keep processes"),
                      ("--thread=x", "do not keep threads"), ("--from=1ms", "keep no times")):
        done = bench.run(lab.COMMAND, "report", view, "merged")
        lab.check(done.returncode == 1 and why in done.stderr and len(done.stderr.splitlines()) == 1, f"{view}: {done.stderr}")
    text = bench.run(lab.COMMAND, "info", "merged", status=0).stdout
    lab.check("2 processes" in text and os.uname().nodename in text, f"info: {text}")
    lab.check("calibration" not in text and "ticks" not in text and "one after another" not in text, f"of no process: {text}")
    counts = [sum(row["calls"] for row in bench.report(name)["rows"]) for name in (*sessions, "merged")]
    lab.equal(counts[2], counts[0] + counts[1], "calls")


@lab.test("merge/a program that is listed before its probes are, as a library ran first")
def listed_twice(bench):
    library = bench.compile("programs/library.c", "liblibrary.so", "-O1", "-shared", "-fPIC")
    program = bench.compile("trees/recursion.c", "program", "-O1", "-Wl,--no-as-needed", library)
    for session in "a", "b":
        bench.run(program, env={"CINSTR_DATA": session})
    merge(bench, "ab", "a", "b")
    merge(bench, "ba", "b", "a")
    lab.equal(content(bench, "ba"), content(bench, "ab"), "bytes")
    one, both = ({name: int(row[0]["calls"]) for (name, *_), row in rows(bench, session, "report").items()} for session in ("a", "ab"))
    lab.equal(both, {name: 2 * calls for name, calls in one.items()}, "calls")


@lab.test("merge/stdin, stdout, lists")
def streams(bench):
    sessions = record(bench, "callbacks", 3)
    merge(bench, "flat", *sessions)
    bench.write("list", "\n".join(sessions[1:]) + "\n")
    merge(bench, "listed", sessions[0], "@list")
    lab.equal(content(bench, "listed"), content(bench, "flat"), "of a list")
    command = f"{lab.COMMAND} merge -o - {sessions[0]} {sessions[2]} | {lab.COMMAND} merge -o piped - {sessions[1]}"
    bench.run("sh", "-c", command, status=0)
    lab.equal(content(bench, "piped"), content(bench, "flat"), "through a pipe")


def at_once(bench, output, threads, *inputs):
    return merge(bench, output, "-v", *inputs, env={"CINSTR_REPORT_THREADS": str(threads)}).stderr


@lab.test("merge/processes divide the files of a folder, and of a list")
def divided(bench):
    sessions = many(bench, 20)
    os.mkdir(bench.path("all"))
    for i, session in enumerate(sessions):
        shutil.copytree(bench.path(session), bench.path("all", str(i)))
    lab.check(" by " not in at_once(bench, "alone", 1, "all"), "one thread, one process")
    lab.check(at_once(bench, "several", 3, "all").endswith(" by 3 processes\n"), "a folder")
    bench.write("list", "\n".join(sessions) + "\n")
    lab.check(at_once(bench, "listed", 2, "@list").endswith(" by 2 processes\n"), "a list")
    command = f"{lab.COMMAND} merge -o piped @/dev/stdin -v <list"
    lab.check(" by 2 " in bench.run("sh", "-c", command, env={"CINSTR_REPORT_THREADS": "2"}, status=0).stderr, "a file as stdin")
    done = bench.run("sh", "-c", f"cat list | {command.replace('<list', '').replace('piped', 'once')}", env={"CINSTR_REPORT_THREADS": "2"}, status=0)
    lab.check(" by " not in done.stderr, f"what can be read once: {done.stderr}")
    for name in ("several", "listed", "piped", "once"):
        lab.equal(content(bench, name), content(bench, "alone"), f"bytes of {name}")


@lab.test("merge/a folder that grows meanwhile")
def growing(bench):
    """The second process begins, and the first one is held up: it finds a file more."""
    sessions = many(bench, 20)
    os.mkdir(bench.path("all"))
    for i, session in enumerate(sessions[:-1]):
        shutil.copytree(bench.path(session), bench.path("all", str(i)))
    merge(bench, "before", "all")
    slow = bench.start(lab.need("strace"), "-f", "-qq", "-o", "trace", "-e", "trace=clone,fork,vfork", "-e", "inject=clone,fork,vfork:delay_exit=1500000",
                       lab.COMMAND, "merge", "-o", "merged", "all", env={"CINSTR_REPORT_THREADS": "2"})
    time.sleep(0.7)
    shutil.copytree(bench.path(sessions[-1]), bench.path("new"))
    os.rename(bench.path("new"), bench.path("all", "new"))
    lab.equal(slow.wait(timeout=60), 0, "exit status")
    merge(bench, "after", "all")
    lab.check(content(bench, "merged") in (content(bench, "before"), content(bench, "after")), "some files twice, or not at all")


@lab.test("merge/what is damaged is named and left out")
def damaged(bench):
    *sessions, other = record(bench, "callbacks", 4)
    merge(bench, "good", *sessions[:2])
    path, = glob.glob(bench.path(sessions[2], "*.cinstr"))
    os.truncate(path, os.path.getsize(path) // 2)
    done = merge(bench, "most", *sessions, status=1)
    lab.check(os.path.basename(path) in done.stderr and "skipped" in done.stderr, f"stderr: {done.stderr}")
    lab.equal(content(bench, "most"), content(bench, "good"), "without the damaged one")
    size = os.path.getsize(bench.path("good"))
    for at in range(4200, size - 64, max(1, (size - 4300) // 40)):
        shutil.copy(bench.path("good"), bench.path("hit"))
        with open(bench.path("hit"), "r+b") as file:
            file.seek(at)
            file.write(b"\x5a\xa5\xff\xff\x00\xff\xff\x7f")
        done = bench.run(lab.COMMAND, "merge", "-o", "again", other, "hit")
        lab.check(done.returncode == 0 or "hit: skipped" in done.stderr or "hit" in done.stderr, f"at {at}: {done.stderr}")
        if done.returncode == 0:  # between segments, where nothing stands
            lab.check("hit: skipped" not in done.stderr, f"at {at}: {done.stderr}")
    merge(bench, "nothing", "there-is-none", status=1)
    lab.check(not os.path.exists(bench.path("nothing")), "a file of nothing")
    merge(bench, "no/folder/out", *sessions[:2], status=1)
    merge(bench, "most", status=2)


MERGED_SEGMENT = 21  # cinstr/format.h
SEALED_AT, USED_AT, PAYLOAD_AT = 28, 16, 64


def unsealed(path):
    """Takes away the checksum of what was merged: from where to where that goes."""
    with open(path, "r+b") as file:
        data, at = file.read(), 4096
        while int.from_bytes(data[at + 4:at + 8], "little") != MERGED_SEGMENT:
            at += int.from_bytes(data[at + 8:at + 16], "little")
        file.seek(at + SEALED_AT)
        file.write(bytes(4))
    return at + PAYLOAD_AT, at + PAYLOAD_AT + int.from_bytes(data[at + USED_AT:at + USED_AT + 8], "little")


@lab.test("merge/trees of many paths, the same and others, in any order")
def many_paths(bench):
    program = bench.compile("programs/many_paths.c", "program", "-O1")
    sessions = []
    for i, left_out in enumerate(("0", "0", "0x40", "0", "0x7fff0000", "0x11111111", "0x40")):
        bench.run(program, left_out, env={"CINSTR_DATA": f"s{i}", "CINSTR_PATHS": "1000000"})
        sessions.append(f"s{i}")
    merge(bench, "all", *sessions)
    lab.check(os.path.getsize(bench.path("all")) > 500000, "many paths")
    merge(bench, "alone", "s0")
    columns = "--columns=name,depth,calls,minima,maxima,p50,elapsed_exclusive"
    rows = [sorted(list(row.values()) for row in csv_of(bench, "tree", name, columns)) for name in ("s0", "alone")]
    lab.check(len(rows[0]) > 5000, "more than are kept decoded")
    lab.equal(rows[1], rows[0], "rows of one session")
    expected, chance = content(bench, "all"), random.Random(7)
    for i in range(6):
        chance.shuffle(sessions)
        k = chance.randrange(1, len(sessions))
        merge(bench, "one", *sessions[:k])
        merge(bench, "two", *sessions[k:])
        merge(bench, "both", *(("one", "two") if i % 2 else ("two", "one")))
        lab.equal(content(bench, "both"), expected, f"bytes of order {i}")
        merge(bench, "both", "two", *sessions[:k])
        lab.equal(content(bench, "both"), expected, f"bytes of order {i}, with sessions")


@lab.test("merge/what is damaged leaves nothing, whatever its checksum says")
def damaged_inside(bench):
    """Few items, and more than are kept while they are checked."""
    program = bench.compile("programs/many_paths.c", "program", "-O1")
    bench.run(program, "0x3fffffff", env={"CINSTR_DATA": "few"})
    bench.run(program, "0", env={"CINSTR_DATA": "many", "CINSTR_PATHS": "1000000"})
    merge(bench, "good", "few")
    for name in ("few", "many"):
        n_skipped = 0
        merge(bench, "merged", name)
        begin, end = unsealed(bench.path("merged"))
        merge(bench, "whole", "few", "merged")
        for i in range(25):
            shutil.copy(bench.path("merged"), bench.path("hit"))
            with open(bench.path("hit"), "r+b") as file:
                file.seek(begin + (end - begin - 8) * (i + 1) // 26)
                file.write(b"\xff" * 8)
            done = bench.run(lab.COMMAND, "merge", "-o", "again", "few", "hit")
            if done.returncode:
                n_skipped += 1
                lab.check("hit: skipped: it is damaged" in done.stderr, f"{name} {i}: {done.stderr}")
                lab.equal(content(bench, "again"), content(bench, "good"), f"{name} {i}: without the damaged one")
        lab.check(n_skipped > 15, f"{name}: {n_skipped} of 25 were found to be damaged")


@lab.test("merge/who is killed leaves no half of a file")
def killed(bench):
    sessions = record(bench, "osview", 2)
    merge(bench, "merged", *sessions)
    expected = content(bench, "merged")
    os.mkdir(bench.path("out"))
    for i in range(25):
        process = bench.start(lab.COMMAND, "merge", "-o", "out/merged", *sessions)
        time.sleep(i * 0.001)
        process.send_signal(signal.SIGKILL)
        process.wait()
        names = os.listdir(bench.path("out"))
        lab.check(set(names) <= {"merged"}, f"left: {names}")
        if names:
            lab.equal(content(bench, "out/merged"), expected, "what has the name")
            os.remove(bench.path("out/merged"))


@lab.test("merge/samples are refused by name")
def sampled(bench):
    program = bench.compile("programs/work.c", "program", "-O1", plugin=None)
    bench.run(lab.COMMAND, "record", "--sample", "--event=cpu-clock", "-o", "sampled", "--", program, "50", status=0)
    calls = record(bench, "callbacks", 1)
    done = merge(bench, "merged", "sampled", *calls, status=1)
    lab.check("samples cannot be merged" in done.stderr, f"stderr: {done.stderr}")
    lab.check(bench.report("merged")["rows"], "the others are not there")


@lab.test("merge/who had least and most of a function")
def who(bench):
    program = bench.compile(bench.write("sleeps.c", SLEEPS), "program", "-O1")
    for rank in range(4):
        bench.run(program, str(100 if rank == 2 else 5), env={"PMIX_RANK": str(rank), "PMIX_NAMESPACE": f"47{os.getpid()}", "CINSTR_DATA": "job"}, status=0)
    merge(bench, "merged", "job")
    text = bench.run(lab.COMMAND, "info", "merged", status=0).stdout
    lab.check("0 to 3" in text and "(rank 2, " in text, f"info: {text}")


def csv_of(bench, *command):
    return list(csv.DictReader(io.StringIO(bench.run(lab.COMMAND, *command, "--format=csv", status=0).stdout)))


@lab.test("merge/builds of a program meet by the names of its functions")
def builds(bench):
    for number, flag in ((0, "-O1"), (1, "-O2")):
        os.mkdir(bench.path(f"build{number}"))
        bench.compile("programs/work.c", f"build{number}/program", flag)
        bench.run(f"build{number}/program", "30", env={"PMIX_RANK": str(number), "PMIX_NAMESPACE": f"48{os.getpid()}", "CINSTR_DATA": f"s{number}"}, status=0)
    merge(bench, "merged", "s0", "s1")
    merge(bench, "other", "s1", "s0")
    lab.equal(content(bench, "merged"), content(bench, "other"), "in the other order")
    calls = [{row["name"]: int(row["calls"]) for row in csv_of(bench, "report", name)} for name in ("s0", "s1", "merged")]
    lab.equal(calls[2], {name: calls[0].get(name, 0) + calls[1].get(name, 0) for name in calls[2]}, "calls by function")
    lab.equal(len(csv_of(bench, "report", "merged")), len(calls[2]), "rows: one for each function")
    main = [row for row in csv_of(bench, "tree", "merged", "--min-percent=0") if row["name"] == "main"]
    lab.equal([(row["contributors"], row["contributors_of"]) for row in main], [("2", "2")], "main in the tree")
    row, = json.loads(bench.run(lab.COMMAND, "ranks", "main", "merged", "--format=json", status=0).stdout)["paths"]
    ranks = {row["least_rank"], row["most_rank"]}
    lab.check(row["n"] == 2 and (ranks == {0, 1} or (row["least_ns"] == row["most_ns"] and len(ranks) == 1)), f"main of both ranks: {row}")
    one, two = (bench.run(lab.COMMAND, "ranks", *operands, status=0).stdout for operands in (["merged"], ["*", "merged"]))
    lab.equal(one, two, "one operand is the session")


# Sleeps for argv[1] milliseconds, and computes for a part of that.
SLEEPS = """
#include <stdlib.h>
#include <unistd.h>
__attribute__((noinline)) static void work(int ms) { for (volatile int i = 0; i < ms * 50000; i++); usleep(ms * 1000); }
int main(int argc, char **argv) { work(atoi(argv[1])); return 0; }
"""


@lab.test("merge/rows of ranks, hosts and jobs are those of the sessions")
def groups(bench):
    program = bench.compile(bench.write("program.c", SLEEPS), "program", "-O1")
    for number in range(6):
        rank, job = number % 3, number // 3
        bench.run(program, str(300 if (rank, job) == (1, 0) else 20), env={"SLURM_PROCID": str(rank), "SLURM_NTASKS": "3", "SLURM_JOB_ID": str(job), "SLURM_STEP_ID": "0",
                                                                     "CINSTR_DATA": f"in{number}"}, status=0)
    merge(bench, "merged", *(f"in{number}" for number in range(6)))
    os.makedirs(bench.path("all"))
    for number in range(6):
        shutil.copytree(bench.path(f"in{number}"), bench.path("all", str(number)))
    for by, expected in (("rank", 6), ("host", 1), ("job", 2), ("process", 6)):
        tables = [sorted(csv_of(bench, "report", f"--by={by}", name), key=lambda row: (row["job"], row["rank"])) for name in ("all", "merged")]
        lab.equal([len(table) for table in tables], [expected, expected], f"rows by {by}")
        for row, other in zip(*tables, strict=True):
            for column in ("name", "calls", "rank", "job", "host", "processes", "pid"):
                lab.equal(other[column], row[column], f"{column} by {by}")
            for column in ("elapsed_inclusive_ns", "application_inclusive_ns", "off_cpu_ns", "probe_overhead_inclusive_ns"):
                lab.check(abs(int(row[column]) - int(other[column])) <= 20, f"{column} by {by}: {row[column]}, {other[column]}")
    for name in ("all", "merged"):
        row, = [row for row in csv_of(bench, "tree", "--min-percent=0", name) if int(row["depth"]) == 2 and row["process_max_who"]
                and row["name"] == csv_of(bench, "tree", name)[1]["name"]]
        lab.equal((row["process_max_who"], row["contributors"], row["contributors_of"]), ("rank 1", "6", "6"), f"who has most in {name}")
        lab.check(100 < float(row["imbalance_percent"]) < 500, f"imbalance in {name}: {row['imbalance_percent']}")
