# SPDX-License-Identifier: GPL-3.0-or-later
"""What the numbers say is so: programs of which it is known where they spend their time (semantics
S1 to S5).

Of samples, which are taken by chance, SIGMAS standard deviations are let pass. 20 runs of four
shares, and these together, are 84 comparisons: one of them is wrong by chance once in 1,800 times,
and then has to be so in one of two more (quiet.py): once in 1.6 million. 16,000 samples have a
share of 0.5 with a deviation of 0.004: a share that is off by 0.03 is rejected with 0.998, by 0.04
always. Of the few that timers take an error of 0.15 is."""
import math
import os
import re

import quiet
from sampled import (SIGMAS, Skip, TimeFailure, check, check_share, check_time, compile, equal, exclusive, need,
                     record, rows, test)

SHARES = {"half": 0.50, "third": 0.30, "sixth": 0.15, "rest": 0.05}
RUNS = 20


def truth(name, threads=1):
    """A quiet test of a program of so many threads."""

    def register(function):
        def once(bench):
            bench.end()
            function(bench)

        return test("truth/" + name, quiet=True)(lambda bench: quiet.measured(lambda: once(bench), threads))

    return register


def counts_of(bench, session="cinstr.data", lost=0.1):
    """Samples of the four functions; together they are nearly all that there is, but for a busy
    machine's kernel."""
    found, total = exclusive(bench, session)
    counts = {name: found.get(name, 0) for name in SHARES}
    kernel = found.get("[kernel]", 0)
    check_time(kernel <= 0.25 * total and sum(counts.values()) >= (1 - lost) * (total - kernel),
               f"the four functions have {counts} of {total} samples: {found}")
    return counts


def interval_ms(bench, session="cinstr.data"):
    """The kernel's timers may not go off as often as they are asked to; then the session says
    so."""
    return bench.report(session)["session"]["interval"] / 1e6


def known_shares(bench, threads, ms, *options, runs=RUNS):
    """Each run within its binomial error, and all together within theirs: a bias that no single run
    shows."""
    program = compile(bench, "shares.c", "-pthread")
    together = dict.fromkeys(SHARES, 0)
    for number in range(runs):
        session = f"run{number}"
        record(bench, program, str(threads), str(ms), options=("--sample=250us",) + options, session=session)
        counts = counts_of(bench, session)
        total = sum(counts.values())
        check_time(total >= 0.5 * threads * ms / interval_ms(bench, session), f"run {number}: only {total} samples")
        for name, share in SHARES.items():
            check_share(counts[name], total, share, f"run {number}: {name}")
            together[name] += counts[name]
    for name, share in SHARES.items():
        check_share(together[name], sum(together.values()), share, f"{runs} runs together: {name}")


@truth("shares 50/30/15/5 in one thread, 20 runs")
def _(bench):
    known_shares(bench, 1, 200)


@truth("shares 50/30/15/5 in four threads, 20 runs", threads=quiet.MANY)
def _(bench):
    known_shares(bench, 4, 60)


def by_timers(bench, threads, ms):
    """They go off with the kernel's ticks, and so does who takes the processor away from the
    program."""
    known_shares(bench, threads, ms, "--sample-source=timers", runs=3)


@truth("shares by the runtime's timers, where perf is forbidden")
def _(bench):
    by_timers(bench, 1, 800)


@truth("shares by the runtime's timers, where perf is forbidden, in four threads", threads=quiet.MANY)
def _(bench):
    by_timers(bench, 4, 300)


@truth("each thread has its samples", threads=quiet.MANY)
def _(bench):
    record(bench, compile(bench, "shares.c", "-pthread"), "4", "100", options=["--sample=500us"])
    threads = [row for row in rows(bench, "thread") if row["inclusive_samples"] > 20]
    check_time(len(threads) == 4, f"threads with samples: {threads}")
    for row in threads:  # 100 ms each, whoever waited for the processor
        check_time(abs(row["inclusive_samples"] - 200) <= 50, f"{row['inclusive_samples']} samples of 100 ms every 500 us")


@truth("samples times interval is the processor time")
def _(bench):
    done = record(bench, compile(bench, "shares.c", "-pthread"), "1", "400", options=["--sample=500us"])
    ms = float(done.stdout)
    session = bench.report()["session"]
    check_time(abs(session["samples"] * 0.5 - ms) <= 0.1 * ms,
               f"{session['samples']} samples of 0.5 ms, the program says {ms} ms")


@truth("recursion counts once")
def _(bench):
    program = compile(bench, "recursion.c")
    for options in ["--stacks=dwarf"], ["--sample-source=timers"]:
        record(bench, program, "30", "150", options=options)
        found = {row["name"]: row for row in rows(bench)}
        report = bench.report()["session"]
        for name in "main", "down", "other":
            n = found[name]["inclusive_samples"]
            check_time(0.9 * report["samples"] <= n <= report["samples"], f"{name}: {n} of {report['samples']} samples ({options})")
            check(found[name]["inclusive_percent"] <= 100, f"{name}: {found[name]['inclusive_percent']} %")
        check_time(found["down"]["exclusive_samples"] <= 2, "down() only calls")
        depth = max(row["depth"] for row in bench.tree_rows() if row["name"] == "spin")
        equal(depth - min(row["depth"] for row in bench.tree_rows() if row["name"] == "down"), 41, "frames above spin()")


@truth("recursion counts once by frame pointers")
def _(bench):
    program = compile(bench, "recursion.c", "-fno-omit-frame-pointer", output="recursion-fp")
    record(bench, program, "30", "150", options=["--stacks=frame-pointers"])
    found = {row["name"]: row for row in rows(bench)}
    samples = bench.report()["session"]["samples"]
    for name in "main", "down", "other":
        n = found[name]["inclusive_samples"]
        check_time(0.9 * samples <= n <= samples, f"{name}: {n} of {samples} samples")


@truth("a neighbour on the same processor is not seen", threads=quiet.MANY)
def _(bench):
    """S2: the processor's time that goes to another process is none of the target's."""
    program = compile(bench, "shares.c", "-pthread")
    neighbour = compile(bench, "sleeper.c", output="neighbour")
    cpu = min(os.sched_getaffinity(0))
    pin = ["taskset", "-c", str(cpu)]
    need("taskset")
    bench.start(*pin, neighbour, "20000", "0")
    record(bench, *pin, program, "1", "400", options=["--sample=500us"])
    session = bench.report()["session"]
    counts = counts_of(bench)
    found, _ = exclusive(bench)
    check("spinning" not in found, "a function of the neighbour's has samples")
    for name, share in SHARES.items():
        check_share(counts[name], sum(counts.values()), share, name)
    # 400 ms of its own, however long it took.
    check_time(640 <= session["samples"] <= 960, f"{session['samples']} samples of 400 ms every 500 us, beside a neighbour")
    check_time(session["samples_discarded"] <= 0.25 * session["samples"], f"{session['samples_discarded']} samples discarded")


@truth("sleeping is not seen, and said")
def _(bench):
    for options in [], ["--sample-source=timers"]:
        record(bench, compile(bench, "sleeper.c"), "100", "700", options=options)
        found = {row["name"]: row for row in rows(bench)}
        samples = bench.report()["session"]["samples"]
        asleep = found.get("sleeping", {"inclusive_samples": 0})["inclusive_samples"]
        check_time(asleep <= 5, f"{asleep} samples in 700 ms of sleep ({options})")
        ms = samples * interval_ms(bench)
        check_time(50 <= ms <= 200, f"{ms} ms of samples: 100 ms of processor time and 700 ms of sleep ({options})")
        text = bench.cinstr("report", "--verbose", bench.path("cinstr.data"))
        check("blocked time is not seen" in re.sub(r"\s+", " ", text), f"the report does not say that it sees no blocked time: {text}")


# ---- beside perf ---------------------------------------------------------------------------------


def perf_counts(bench, what, *command):
    """Samples by function (what: sym) or module (dso), as perf record and perf script count
    them."""
    perf = need("perf")
    done = bench.run(perf, "record", "-q", "-e", "cpu-clock:u", "-c", "250000", "-o", bench.path("perf.data"), "--", *command)
    if done.returncode or not os.path.exists(bench.path("perf.data")):
        raise Skip(f"perf record is not permitted here: {done.stderr.strip()[-200:]}")
    text = bench.run(perf, "script", "-i", bench.path("perf.data"), "-F", "ip," + what, status=0).stdout
    counts = {}
    for line in text.split("\n"):
        name = line.split()[-1:]
        if name:
            name = os.path.basename(name[0].strip("()"))
            counts[name] = counts.get(name, 0) + 1
    return counts


def same_shares(ours, theirs, names, times=1.25):
    """Two counts of the same, within the error of both together; one run may have had `times` the
    processor time of the other."""
    n, m = sum(ours.values()), sum(theirs.values())
    check_time(m > 500, f"perf has {m} samples: {theirs}")
    check_time(m / times <= n <= m * times, f"{n} samples, perf has {m}")
    for name in names:
        a, b = ours.get(name, 0), theirs.get(name, 0)
        both = (a + b) / (n + m)
        error = math.sqrt(both * (1 - both) * (1 / n + 1 / m))
        if abs(a / n - b / m) > SIGMAS * error + 1 / n:
            raise TimeFailure(f"{name}: {a / n:.4f}, perf says {b / m:.4f}; joint error {error:.4f}")


@truth("perf record finds the same", threads=quiet.MANY)
def _(bench):
    program = compile(bench, "shares.c", "-pthread")
    theirs = perf_counts(bench, "sym", program, "2", "300")
    record(bench, program, "2", "300", options=["--sample=250us", "--user-only"])
    same_shares(exclusive(bench)[0], theirs, SHARES)


@truth("perf record finds the same in a program as the distribution ships it")
def _(bench):
    lua = need("lua5.4")
    script = bench.write("work.lua", """
local t, s = {}, 0
for i = 1, 400000 do t[i] = tostring(i) .. "x" end
for i = 1, 400000 do s = s + #t[i]:gsub("1", "22") end
table.sort(t)
print(s)""")

    # what a program spends in memory and what in code differs between two runs beside others
    theirs = perf_counts(bench, "dso", lua, script)
    record(bench, lua, script, options=["--sample=250us", "--user-only"])
    ours = {}
    for row in rows(bench, "module"):
        ours[row["name"]] = ours.get(row["name"], 0) + row["exclusive_samples"]
    check_time(len([name for name in ours if ours[name] > 50]) >= 2, f"{ours}")
    same_shares(ours, theirs, [name for name in ours if not name.startswith("[")], times=2)
