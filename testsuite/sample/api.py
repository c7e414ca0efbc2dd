# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs with the runtime that are sampled: no probes, but cinstr.h and cinstr control work, from
both sources."""
import json
import os
import time

import lab
import sampled
from lab import check, equal

SOURCES = ("perf", "timers")


def asks(bench):
    return bench.compile(sampled.program("asks.c"), "asks", "-O1", "-pthread", lab.INCLUDE)


def can(bench, source):
    """perf_event_open may be forbidden where the tests run."""
    if source == "timers":
        return True
    done = bench.run(lab.COMMAND, "record", "--sample", "--sample-source=perf", "-o", bench.path("try"), "--", "true")
    return done.returncode == 0


def each_source(bench, what, look, *options, plain=None):
    program = asks(bench)
    for source in SOURCES:
        if not can(bench, source):
            continue
        got = sampled.record(bench, program, what, options=(f"--sample-source={source}",) + options)
        if plain is not None:
            equal(got.stdout, plain, f"answers ({source})")
        files = [n for n in os.listdir(bench.path("cinstr.data")) if n.endswith(".cinstr")]
        counts = inclusive(bench)
        check(counts.get("on_work", 0) > 3, f"{source}: no samples of on_work: {counts}")
        check(counts.get("off_work", 0) <= 1, f"{source}: {counts.get('off_work')} samples of what ran while off")
        look(got, source, files)


def inclusive(bench):
    return {row["name"]: row["inclusive_samples"] for row in sampled.rows(bench)}


def marks_of(bench):
    return [row for row in bench.json("info", "--marks", bench.path("cinstr.data"))["marks"] if row["kind"] != "state"]


def paused_of(bench):
    return bench.report("cinstr.data")["session"].get("paused_samples")


@lab.test("api/levels")
def levels(bench):
    def look(got, source, files):
        equal(len(files), 2, f"{source}: files")  # samples, and what the process told of itself
        check("left out while it was off" in got.stderr, f"{source}: {got.stderr!r}")

    each_source(bench, "levels", look, plain="""on: 1
stop: done
on: 0
mark while off: the thread does not record
start: done
on: 1
no such thread: no such process or thread is being recorded
no such process: no such process or thread is being recorded
no such level: no such level
""")


@lab.test("api/threads")
def threads(bench):
    def look(_got, source, _files):
        names = {row["name"] for row in sampled.rows(bench, by="thread")}
        check(any("worker" in name for name in names), f"{source}: threads {names}")
        names = {row["name"] for row in sampled.rows(bench, by="process")}
        check(any("boss" in name for name in names), f"{source}: processes {names}")

    each_source(bench, "threads", look, plain="""name: done
name: done
name again: it has a name already
on: 0
on: 1
""")


@lab.test("api/a thread that was off all its life")
def off_thread(bench):
    """It is in the file, with what was left out of it."""
    def look(_got, source, _files):
        found = [(row["name"], row["kept"], row["paused"]) for row in bench.json("info", bench.path("cinstr.data"))
                 ["processes"][0]["threads"]]
        idler = [(kept, paused) for name, kept, paused in found if name == "idler"]
        check(len(idler) == 1 and idler[0][0] == 0 and idler[0][1] > 0, f"{source}: {found}")

    each_source(bench, "off_thread", look, plain="name: done\n")


@lab.test("api/marks")
def marks(bench):
    def look(_got, source, _files):
        found = marks_of(bench)
        equal([(m["id"], m["text"]) for m in found], [(3, ""), (4, "second half")], f"{source}: marks")

    each_source(bench, "marks", look, plain="""mark: done
text: done
zero: this number is reserved
flush: done
choose: not supported
""")


@lab.test("api/forks")
def forks(bench):
    def look(_got, source, files):
        equal(len(files), 4, f"{source}: files")
        equal(len(sampled.rows(bench, by="process")), 2, f"{source}: processes")

    each_source(bench, "forks", look, plain="on: 0\non: 1\n")


@lab.test("api/paused from the start")
def paused(bench):
    def look(_got, _source, _files):
        pass

    each_source(bench, "paused", look, "--paused", plain="on: 0\nstart: done\non: 1\n")


@lab.test("api/nothing asked for")
def nothing(bench):
    """No file but that of the samples, and no probes."""

    def look(_got, source, files):
        equal(len(files), 1, f"{source}: files")
        totals = bench.report("cinstr.data")["session"]
        check(not totals.get("calls") and not totals.get("events"), f"{source}: {totals}")

    each_source(bench, "nothing", look)


def control(bench, *words):
    return bench.run(lab.COMMAND, "control", *words, status=0).stdout


def until(recorder, line):
    for _ in range(100):
        if line in recorder.stdout.readline():
            return
    raise lab.Failure(f"the program has not said: {line}")


def live(bench):
    """The processes that run, as control sees them."""
    if not os.path.isdir(bench.path("cinstr.data")):
        return []
    done = bench.run(lab.COMMAND, "control", "--format=json", bench.path("cinstr.data"), "status")
    # 1: a file is being made
    processes = json.loads(done.stdout)["processes"] if done.returncode == 0 else []
    return [p for p in processes if p["state"] == "running"]


def running(bench):
    """When there is one that has samples."""
    return lab.wait_for(lambda: [p for p in live(bench) if p.get("samples")], "no process is being sampled")


@lab.test("control/of sampled processes")
def control_sampled(bench):
    """off and on, from outside: the program sees it, and what runs meanwhile has no samples."""
    program = asks(bench)
    for source in SOURCES:
        if not can(bench, source):
            continue
        recorder = bench.start(lab.COMMAND, "record", "--sample", f"--sample-source={source}", "-o",
                               bench.path("cinstr.data"), "--", program, "waits")
        found = running(bench)
        equal(len(found), 1, "processes that run")
        equal(found[0]["method"], "sampling", "method")
        equal(found[0]["recording"], True, "recording")
        pid = str(found[0]["pid"])
        control(bench, pid, "off")
        until(recorder, "off from outside")
        status = running(bench)
        equal((status[0]["recording"], status[0]["stopped"]), (False, True), "after off")
        control(bench, pid, "mark", "while", "off")
        time.sleep(0.6)
        control(bench, pid, "on")
        until(recorder, "on from outside")
        equal(recorder.wait(timeout=60), 0, "end")
        counts = inclusive(bench)
        check(counts.get("on_work", 0) > 10, f"{source}: {counts}")
        # It looks every 10 ms, as does the program, when they have the processor.
        ms = counts.get("off_work", 0) * bench.report()["session"]["interval"] / 1e6
        check(ms <= 60, f"{source}: {ms} ms of samples in at least 600 ms off")
        check("while off" in [m["text"] for m in marks_of(bench)], f"{source}: marks {marks_of(bench)}")


@lab.test("control/of a sampled session")
def control_session(bench):
    """A program that knows nothing of it begins paused, goes on, off."""
    program = sampled.compile(bench, "guest.c", "-pthread", "-Wno-infinite-recursion")
    for source in SOURCES:
        if not can(bench, source):
            continue
        recorder = bench.start(lab.COMMAND, "record", "--sample", "--paused", f"--sample-source={source}", "-o",
                               bench.path("cinstr.data"), "--", program, "forever")
        session = bench.path("cinstr.data")
        lab.wait_for(lambda: live(bench), "no process that runs")
        check(not any(p.get("samples") for p in live(bench)), f"{source}: samples while it is paused")
        control(bench, session, "on")
        before = running(bench)[0]["samples"]
        control(bench, session, "off")
        check(before > 0, f"{source}: no samples")
        sampled.stays(lambda: running(bench)[0]["samples"])
        refused = bench.run(lab.COMMAND, "control", str(running(bench)[0]["pid"]), "choose", "all")
        check(refused.returncode == 1 and "being sampled" in refused.stderr, f"choose: {refused.stderr!r}")
        pid = running(bench)[0]["pid"]
        for thread in (str(pid), "guest"):
            refused = bench.run(lab.COMMAND, "control", str(pid), "off", f"--thread={thread}")
            pattern = f"process {pid} (guest) is being sampled: single threads cannot be switched"
            equal((refused.returncode, refused.stderr), (1, f"cinstr: error: {pattern}\n"), f"off --thread={thread}")
        os.kill(running(bench)[0]["pid"], 15)
        equal(recorder.wait(timeout=60), -15, "end")
