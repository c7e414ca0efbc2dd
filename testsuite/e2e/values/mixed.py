# SPDX-License-Identifier: GPL-3.0-or-later
"""Mixed sessions: counts are exact, waits are intervals, the rest is shared out by samples, and all
of it adds up."""
import os
import re
import shutil
import subprocess

import lab

ROUNDS = 150000
WORK = {"one": 1, "two": 2, "four": 4}
TIMES = ("elapsed_inclusive_ns", "elapsed_exclusive_ns")


def record(bench, rounds=ROUNDS):
    program = bench.compile("programs/shares.c", "program", "-O2", "-fplugin-arg-cinstr-small=0")
    bench.run(lab.COMMAND, "record", "--mixed=250us", "--max-overhead=5", program, str(rounds), status=0)
    return bench.sound()


def check_sums(rows, session):
    """R10: no nanosecond is lost; each row is rounded."""
    exclusive = sum(row["elapsed_exclusive_ns"] for row in rows) + session["outside_functions_ns"]
    lab.check(abs(exclusive - session["elapsed_inclusive_ns"]) <= len(rows) + 1,
              f"{exclusive} ns of {session['elapsed_inclusive_ns']} are somebody's")


def check_shares(rows, joined):
    """Five standard deviations of the binomial, and what a call costs besides its work."""
    together = sum(rows[name]["application_exclusive_ns"] for name in WORK)
    for name, work in WORK.items():
        truth = work / sum(WORK.values())
        share = rows[name]["application_exclusive_ns"] / together
        off = 5 * (truth * (1 - truth) / joined) ** 0.5 + 0.02
        lab.check(abs(share - truth) < off, f"{name} has {share} of the work, not {truth} +- {off}")


@lab.test("mixed/counts, waits and shares are right")
def shares(bench):
    session = record(bench)
    view = bench.report()
    rows = {row["name"]: row for row in view["rows"]}
    for name in (*WORK, "small"):
        lab.equal(rows[name]["calls"], ROUNDS, f"calls of {name}")
    for name in ("rest", "usleep"):
        lab.equal(rows[name]["calls"], ROUNDS // 1000, f"calls of {name}")
    lab.check(rows["usleep"]["elapsed_exclusive_ns"] >= ROUNDS // 1000 * 1000000, "usleep slept too little")
    # an activation that was open when its function came to be counted may have kept some waits
    lab.check(rows["usleep"]["source_exclusive"] == "timed", "usleep is an estimate")
    lab.check(session["samples_joined"] > 200, f"{session['samples_joined']} samples")
    check_shares(rows, session["samples_joined"])
    check_sums(view["rows"], view["session"])


@lab.test("mixed/shares of functions of a few ns lie within their bars")
def bars(bench):
    """95 of 100 do (make bench): of 24, 17 and more, whatever else the machine does."""
    tenths = {"tenth": 1, "two_tenths": 2, "three_tenths": 3, "four_tenths": 4}
    program = bench.compile(os.path.join(lab.ROOT, "testsuite/bench/known_work.c"), "known", "-O2", "-pthread",
                            "-fplugin-arg-cinstr-small=0")
    inside, calls = 0, 30000000
    for run in range(6):
        bench.run(lab.COMMAND, "record", "-o", f"{run}.data", "--mixed=250us", program, "shares", str(calls), status=0)
        rows = {row["name"]: row for row in bench.report(f"{run}.data")["rows"]}
        lab.equal([rows[name]["calls"] for name in tenths], [calls * n // 10 for n in tenths.values()], "calls")
        whole = sum(rows[name]["cpu_exclusive_ns"] for name in tenths)
        for name, n in tenths.items():
            off = abs(rows[name]["cpu_exclusive_ns"] - n / 10 * whole) / rows[name]["elapsed_exclusive_uncertainty_ns"]
            lab.check(off < 4, f"{name} is off by {off} bars")
            inside += off <= 1
    lab.check(inside >= 17, f"only {inside} of 24 shares are within their bars")


@lab.test("mixed/what is an estimate says so")
def sources(bench):
    record(bench)
    rows = {row["name"]: row for row in bench.report()["rows"]}
    for name in WORK:
        row = rows[name]
        lab.check(row["source"] in ("estimate", "both"), f"source of {name}: {row['source']}")
        lab.equal((row["min_elapsed_inclusive_ns"], row["p50_elapsed_inclusive_ns"]), (None, None), "extremes")
        lab.equal(row["avg_elapsed_exclusive_ns"], round(row["elapsed_exclusive_ns"] / ROUNDS), "average")
        lab.check(row["elapsed_exclusive_uncertainty_ns"] > 0, f"{name} is certain")
    # "both": a sample in main, when no event had told yet that main went on
    lab.check(rows["main"]["source"] in ("timed", "both"), f"source of main: {rows['main']['source']}")
    lab.equal((rows["main"]["calls"], rows["strtol"]["source"]), (1, "timed"), "what was only timed")
    lab.check(rows["small"]["elapsed_inclusive_ns"] >= rows["rest"]["elapsed_inclusive_ns"],
              "what rest takes is not in who called it")
    table = bench.cinstr("report", "--verbose", bench.path("cinstr.data"))
    for word in ("\u2248", "Counted ", "Samples ", "Processor time "):
        lab.check(word in table, f"no {word} in the table")
    lab.check(re.search(r"^Recorded .*\d functions counted, and timed by samples", table, re.M), table)
    tree = bench.json("tree", bench.path("cinstr.data"), "--min-percent=0")["rows"]
    depths = {row["name"]: row["depth"] for row in tree}
    lab.equal((depths["main"], depths["one"]), (1, 2), "depths")
    bench.cinstr("callers", "four", bench.path("cinstr.data"))
    raw = {row["name"]: row for row in bench.json("report", bench.path("cinstr.data"), "--raw")["rows"]}
    lab.check(raw["one"]["elapsed_exclusive_ns"] >= rows["one"]["elapsed_exclusive_ns"], "raw is less")


@lab.test("mixed/a function that was short first, and runs long later")
def later(bench):
    rounds = 600000
    program = bench.compile("programs/later.c", "program", "-O2", "-fplugin-arg-cinstr-small=0")
    bench.run(lab.COMMAND, "record", "--mixed=250us", program, str(rounds), status=0)
    session = bench.sound()
    rows = {row["name"]: row for row in bench.report()["rows"]}
    for name in ("light", "heavy"):
        lab.equal(rows[name]["calls"], rounds + rounds // 4, f"calls of {name}")
    lab.equal(rows["run"]["calls"], rounds // 4 + 1, "calls of run")
    times = {name: rows[name]["application_exclusive_ns"] for name in ("light", "heavy", "run", "main")}
    share = times["heavy"] / (times["heavy"] + times["light"])
    off = 5 * (0.75 * 0.25 / session["samples_joined"]) ** 0.5 + 0.04
    lab.check(abs(share - 0.75) < off, f"heavy has {share} of the work, not 0.75 +- {off}")
    # What is left are two calls a round: less than the work.
    lab.check(times["run"] + times["main"] < 0.5 * sum(times.values()), f"{times}")
    lab.check(rows["run"]["application_inclusive_ns"] > 0.9 * rows["main"]["application_inclusive_ns"], "run is not in main")


@lab.test("mixed/a function whose calls have become rare and long is timed again", quiet=True)
def rare(bench):
    """Its first trial would be due a second after it came to be counted, when the program has ended
    unless others had the processor for long."""
    program = bench.compile("programs/rare.c", "program", "-O2", "-fplugin-arg-cinstr-small=0")
    bench.run(lab.COMMAND, "record", "--mixed", program, "20000000", "250", status=0)
    bench.sound()
    lab.equal({row["name"]: row["calls"] for row in bench.report()["rows"]}["both"], 20000250, "calls of both")
    marks = [mark for mark in bench.json("info", "--marks", bench.path("cinstr.data"))["marks"] if mark["function"] == "both"]
    lab.equal([mark["kind"] for mark in marks[:2]], ["demoted", "restored"], "marks of both")


@lab.test("mixed/calls of what waits are timed where nothing is counted")
def only_main(bench):
    """main runs long: the probes at its calls cost too much, but those of system calls stay."""
    program = bench.compile("programs/only_main.c", "program", "-O2")
    bench.run(lab.COMMAND, "record", "--mixed", program, "3000000", status=0)
    session = bench.sound()
    lab.equal({out["function"]: out["lowest"] for out in session["taken_out"]}, {"main": "entry"}, "taken out")
    read = {row["name"]: row for row in bench.report()["rows"]}["read"]
    lab.equal((read["calls"], read["calls_bound"]), (100000, "exact"), "calls of read")


@lab.test("mixed/diff knows how far estimates can be off")
def diff(bench):
    session = record(bench)
    n, data = session["samples_joined"], bench.path("cinstr.data")
    bench.run(lab.COMMAND, "record", "-o", "sampled.data", "--sample", "--sample-source=timers", bench.path("program"),
              str(ROUNDS), status=0)
    sampled = bench.path("sampled.data")
    rows = {row["name"]: row for row in bench.json("diff", sampled, data, "--threshold=0")["rows"]}
    for name in ("one", "two", "four", "main"):  # main has what they were not given
        share = rows[name]["instrumented_exclusive_percent"] / 100
        width = (rows[name]["instrumented_exclusive_percent_high"] - rows[name]["instrumented_exclusive_percent_low"]) / 100
        least = 2 * 1.96 * (share * (1 - share) / n) ** 0.5
        lab.check(min(share, least) * 0.7 < width < 2 * least + 0.1, f"{name}: {share} is known within {width}, {n} samples")
    lab.equal([rows["one"][key] for key in ("calls_bound", "source")], ["exact", "both"], "of one, beside samples")
    bench.run(lab.COMMAND, "record", "-o", "again.data", "--mixed=250us", "--max-overhead=5",
              bench.path("program"), str(ROUNDS), status=0)
    both = bench.json("diff", data, bench.path("again.data"), "--threshold=0", "--single=0.001",
                      "--column=elapsed_exclusive")["rows"]
    for row in both:
        if row["name"] in WORK:
            lab.equal([row[key + side] for side in "ab" for key in ("calls_bound_", "source_")],
                      ["exact", "both"] * 2, f"of {row['name']}")
            width = (row["interval_high"] - row["interval_low"]) / row["a"]
            lab.check(width > 2 / n ** 0.5, f"{row['name']}: the change is known within {width} of it")
    table = bench.cinstr("diff", data, bench.path("again.data"), "--threshold=0")
    lab.check(table.count("\u2248") > 6, table)
    table = bench.cinstr("diff", data, bench.path("again.data"), "--threshold=0", "--verbose")
    lab.check("Mixed" in table, table)
    rules = bench.cinstr("suggest", data)
    lab.check(f"\u2248 program, {ROUNDS:,} calls\ninclude " in rules and "estimate from samples" in rules, rules)


@lab.test("mixed/packed, copied, put together, by one file")
def kept_together(bench):
    """Wherever the files go, the samples are found beside them."""
    record(bench)
    bench.run(lab.COMMAND, "record", "-o", "other.data", "--mixed=250us", bench.path("program"), str(ROUNDS), status=0)
    truth = bench.report()["rows"]
    packed = bench.cinstr("pack", bench.path("cinstr.data"))
    lab.check("1 of 2 files packed" in packed, packed)
    lab.equal(bench.report()["rows"], truth, "packed")
    shutil.copytree(bench.path("cinstr.data"), bench.path("copy"))
    lab.equal(bench.report("copy")["rows"], truth, "copied")
    for path in lab.data_files(bench.path("copy")):
        alone = bench.report(path)
        if "elapsed_inclusive_ns" in alone["session"]:
            lab.equal([(r["name"], r["calls"], r["elapsed_exclusive_ns"]) for r in alone["rows"]],
                      [(r["name"], r["calls"], r["elapsed_exclusive_ns"]) for r in truth], "by one file")
    for path in lab.data_files(bench.path("other.data")):
        shutil.copy(path, bench.path("copy"))
    both = {row["name"]: row for row in bench.report("copy")["rows"]}
    other = {row["name"]: row for row in bench.report("other.data")["rows"]}
    for row in truth:
        if row["name"] in WORK:
            lab.equal(both[row["name"]]["calls"], 2 * ROUNDS, "calls of both")
            sums = row["elapsed_exclusive_ns"] + other[row["name"]]["elapsed_exclusive_ns"]
            lab.check(abs(both[row["name"]]["elapsed_exclusive_ns"] - sums) <= 2, f"{row['name']} of both")
    bench.cinstr("pack", "--undo", bench.path("cinstr.data"))
    lab.equal(bench.report()["rows"], truth, "unpacked")


def counts(bench, *options):
    """{name: (calls, bound)} of the program's two functions"""
    rows = {row["name"]: row for row in bench.json("report", *options, bench.path("cinstr.data"))["rows"]}
    return {name: (rows[name]["calls"], rows[name]["calls_bound"]) for name in ("one", "two") if name in rows}


@lab.test("mixed/counts of phases between the program's marks are exact")
def phases(bench):
    program = bench.compile("programs/phases_counted.c", "program", "-O2", "-pthread", "-fplugin-arg-cinstr-small=0", lab.INCLUDE)
    rounds = 300000
    bench.run(lab.COMMAND, "record", "--mixed", program, str(rounds), status=0)
    bench.sound()
    lab.equal(counts(bench), {"one": (24 * rounds, "exact"), "two": (20 * rounds, "exact")}, "of all")
    lab.check("one" in bench.cinstr("info", "--marks", bench.path("cinstr.data")), "one was not counted")
    for span, of_one, of_two in (("first second", 4, 0), ("second third", 8, 8), ("third", 12, 12), ("second", 20, 20)):
        options = [f"--{option}={mark}" for option, mark in zip(("from", "to"), span.split())]
        got = counts(bench, *options)
        lab.equal(got["one"], (of_one * rounds, "exact"), f"one, {span}")
        lab.equal(got.get("two", (0, "exact")), (of_two * rounds, "exact"), f"two, {span}")
    by_mark = [row for row in bench.report(by="mark")["rows"] if row["name"] != "(begin of the recording)"]
    # calls of functions without probes are not all known, where run() has lost its call probes
    for row, n in zip(by_mark, (4, 16, 24)):
        lab.check(n * rounds <= row["calls"] <= n * rounds + 50, f"{row['name']} has {row['calls']} calls, not {n * rounds}")


@lab.test("mixed/counts of phases: a mark from outside")
def outside(bench):
    """What was counted until then is not known: at least what was timed."""
    program = bench.compile("programs/phases_counted.c", "program", "-O2", "-pthread", "-fplugin-arg-cinstr-small=0", lab.INCLUDE)
    process = bench.start(lab.COMMAND, "record", "--mixed", program, "300000", "waits", stdin=subprocess.PIPE)
    lab.equal(process.stdout.readline(), "waits\n", "output")
    bench.cinstr("control", bench.path("cinstr.data"), "mark", "outside")
    process.stdin.write("go\n")
    process.stdin.close()
    lab.equal(process.wait(lab.TIMEOUT), 0, "status")
    lab.equal(counts(bench, "--from=first", "--to=second")["one"], (1200000, "exact"), "until the second")
    lab.equal(counts(bench, "--from=second", "--to=third")["one"], (2400000, "exact"), "over the mark from outside")
    for options in ("--from=second", "--to=outside"), ("--from=outside",):  # no row: not timed
        lab.equal(counts(bench, *options).get("one", (None, "at least"))[1], "at least", " ".join(options))


@lab.test("mixed/a function's own time is in its annotated source")
def annotated(bench):
    """Also what is of inlined code that stands elsewhere."""
    program = bench.compile("programs/findings/known_words.cc", "program", "-O2")
    bench.run(lab.COMMAND, "record", "--mixed=250us", program, status=0)
    own = bench.functions()["main"]["elapsed_exclusive_ns"]
    lab.check(own > 0, "main has no time of its own")
    text = bench.cinstr("annotate", "main", "--columns=elapsed_exclusive", "--width=100", bench.path("cinstr.data"))
    units = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
    listed = re.findall(r"^ *([\d.]+) (ns|us|ms|s) ", text.split(" Source\n")[1], re.M)
    told = sum(float(number) * units[unit] for number, unit in listed)
    lab.check(0.98 * own <= told <= 1.02 * own, f"main has {own} ns, its source {told}: {text}")


@lab.test("mixed/a constructor of two names is one function")
def structors(bench):
    """Calls name one, the tables the other; also where the function has left by a jump."""
    rounds = 200000
    program = bench.compile("programs/structors.cc", "program", "-O2", "-fno-inline", "-fplugin-arg-cinstr-small=0")
    bench.run(lab.COMMAND, "record", "--mixed=250us", program, str(rounds), status=0)
    rows = bench.report()["rows"]
    names = sorted(row["name"] for row in rows if "Document" in row["name"])
    lab.equal(names, ["_ZN8DocumentC2Ei", "_ZN8DocumentD2Ev"], "functions of Document")
    for row in rows:
        if "Document" in row["name"]:
            lab.equal((row["calls"], row["calls_bound"]), (rounds, "exact"), row["name"])
    lab.check(any(row["name"].startswith("srand") for row in rows), "srand, jumped to, has no time")
