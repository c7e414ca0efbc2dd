# SPDX-License-Identifier: GPL-3.0-or-later
"""The timeline: refolded it gives the tree; rings, short calls left out, slow calls kept; whatever
ends the process."""
import glob
import os
import random
import shutil
import signal
import time

import lab
import timeline_file

REFOLDED = {"callbacks": (), "recursion": (), "longjmp": (), "setjmploop": (), "indirect": (), "threads": ("-pthread",),
            "shortlived": ("-pthread",), "forks": (), "tailcalls": ()}
LINES = "-fplugin-arg-cinstr-lines"
EMPTY = 1500000  # bytes: more than the file of a small program without a timeline


def refold(bench, program, *args, env=None):
    """The report folds the complete timeline again and must get the runtime's tree, bit for bit
    (D4)."""
    bench.run(program, *args, env=dict(env or {}, CINSTR_TIMELINE="unlimited"), status=0)
    text = bench.cinstr("refold", bench.path("cinstr.data"))
    lab.check("gives the same tree" in text, text)
    lab.check("complete" not in text, text)


def refold_tree(bench, name, probes):
    flags = (LINES,) if probes == "lines" else ()
    program = bench.compile(f"trees/{name}.c", "program", "-O2", "-w", *flags, *REFOLDED[name])
    refold(bench, program, env={"CINSTR_PROBES": probes})


for refolded in REFOLDED:
    for mode in "calls", "functions", "lines":
        lab.TESTS.append((f"timeline/{refolded} refolded, {mode}",
                          lambda bench, name=refolded, probes=mode: refold_tree(bench, name, probes)))


@lab.test("timeline/calls of a whole second, signals in between, refolded")
def refold_signals(bench):
    program = bench.compile("programs/signals.c", "program", "-O2")
    refold(bench, program, "1000", bench.path("count"))


@lab.test("timeline/pauses refolded")
def refold_pauses(bench):
    program = bench.compile("programs/control.c", "program", "-O0", "-pthread",
                            "-fplugin-arg-cinstr-suspend=inside,inner")
    refold(bench, program, "leaving")
    lab.check(" pauses" in bench.cinstr("info", bench.path("cinstr.data")), "no pauses")


# ---- what is in it -------------------------------------------------------------------------------

def make(bench):
    return bench.compile("programs/timeline.c", "program", "-O2", "-pthread")


def files(bench, session="cinstr.data"):
    return sorted(glob.glob(bench.path(session, "*.cinstr")))


def bits(seed, n):
    """What programs/timeline.c calls."""
    state, calls = seed, []
    for _ in range(n):
        state = state * 1103515245 + 12345 & 0x7fffffff
        calls.append("one" if state >> 16 & 1 else "zero")
    return calls


def bits_in(chunks, known):
    return [name for name in timeline_file.entered(chunks, known) if name in ("zero", "one")]


def gaps(chunks):
    return [b.number for a, b in zip(chunks, chunks[1:]) if b.number != a.number + 1]


def is_suffix(got, whole, at_least, what):
    lab.check(len(got) >= at_least, f"{what}: only {len(got)} of {len(whole)} calls are there")
    lab.check(got == whole[len(whole) - len(got):], f"{what}: what is there is not the end of what was called")


@lab.test("timeline/decoded by its description alone")
def decoded(bench):
    """A second decoder, made after doc/format.md, finds each call; a few bytes an event."""
    program = make(bench)
    bench.run(program, "bits", "100000", env={"CINSTR_TIMELINE": "unlimited"}, status=0)
    path = files(bench)[0]
    chunks = timeline_file.timelines(path)[0]
    lab.equal([chunk.number for chunk in chunks], list(range(len(chunks))), "numbers of chunks")
    lab.check(bits_in(chunks, timeline_file.names(path)) == bits(0, 100000), "the calls are not those that were made")
    for chunk in chunks:
        lab.equal(chunk.records[0][0], timeline_file.START << 3, "first record")
        lab.equal(chunk.records[0][2] | (chunk.records[0][3] & 0x7fffffff) << 32, chunk.start, "stamp of START")
        lab.equal(chunk.records[-1][1], chunk.end & 0xffffffff, "last stamp")
    size, events = sum(c.bytes for c in chunks), sum(c.events for c in chunks)
    lab.check(events >= 400000 and size <= 2 * events, f"{size} bytes for {events} events")
    text = bench.cinstr("info", bench.path("cinstr.data"))
    lab.check(f"{events:,} events in " in text, f"cinstr info does not tell of {events} events: {text}")


@lab.test("timeline/ring keeps the newest")
def ring(bench):
    program = make(bench)
    bench.run(program, "bits", "3000000", env={"CINSTR_TIMELINE": "ring:256K"}, status=0)
    bench.sound()
    path = files(bench)[0]
    chunks = timeline_file.timelines(path)[0]
    lab.equal(gaps(chunks), [], "gaps")
    # at 8.7 bytes an event: on a busy machine 3.9 were seen
    is_suffix(bits_in(chunks, timeline_file.names(path)), bits(0, 3000000), 15000, "ring")
    lab.check(sum(c.bytes for c in chunks) <= 256 * 1024, "more than the ring may hold")
    lab.check(os.path.getsize(path) < EMPTY + 256 * 1024, f"the file has {os.path.getsize(path)} bytes")
    there = sum(c.events for c in chunks)
    totals = bench.report()["session"]
    text = bench.cinstr("info", bench.path("cinstr.data"))
    lab.check(f"{totals['events'] - there:,} events overwritten" in text, f"{totals['events'] - there} overwritten: {text}")
    lab.check("no complete timeline" in bench.cinstr("refold", bench.path("cinstr.data"), status=1), "refold")


@lab.test("timeline/ring of several threads")
def ring_threads(bench):
    """A thread that begins late has its events too, however many the others had; each has its
    newest."""
    program = make(bench)
    counts = [1500000, 400000, 1000000, 200]
    bench.run(program, "threads", *map(str, counts), env={"CINSTR_TIMELINE": "ring:1M"}, status=0)
    bench.sound()
    path = files(bench)[0]
    timelines, known = timeline_file.timelines(path), timeline_file.names(path)
    size = 0
    for number, n in enumerate(counts):
        chunks = timelines[number + 1]
        lab.equal(gaps(chunks), [], f"gaps of thread {number}")
        is_suffix(bits_in(chunks, known), bits(number, n), min(n, 15000), f"thread {number}")
        size += sum(c.bytes for c in chunks)
    lab.check(size <= 1024 * 1024, f"{size} bytes are more than the ring may hold")


@lab.test("timeline/ring smaller than its threads")
def ring_crowded(bench):
    """More threads than the ring has segments: each has the newest of its own, a segment that has
    just begun or is nearly full."""
    program = make(bench)
    counts = [120000] * 12
    bench.run(program, "threads", *map(str, counts), env={"CINSTR_TIMELINE": "ring:128K"}, status=0)
    bench.sound()
    path = files(bench)[0]
    timelines, known = timeline_file.timelines(path), timeline_file.names(path)
    kept = 0
    for number, n in enumerate(counts):
        got = bits_in(timelines[number + 1], known)
        is_suffix(got, bits(number, n), 0, f"thread {number}")
        kept += len(got)
    lab.check(kept > 240000, f"only {kept} calls are there in all")


@lab.test("timeline/a thousand threads in turn")
def many_threads(bench):
    """More than have trees of their own: those that share one share its timeline."""
    program = bench.compile("programs/manythreads.c", "program", "-O2", "-pthread")
    for budget, complete in ("unlimited", True), ("ring:1M", False):
        bench.run(program, "1000", env={"CINSTR_TIMELINE": budget}, status=0)
        bench.sound()
        path = files(bench)[0]
        timelines, known = timeline_file.timelines(path), timeline_file.names(path)
        entered = sum(timeline_file.entered(chunks, known).count("work") for chunks in timelines.values())
        lab.check(entered == 1000 if complete else entered > 100, f"{budget}: {entered} calls of work")
        lab.check(all(not gaps(chunks) for chunks in timelines.values()), f"{budget}: gaps")
        lab.check(os.path.getsize(path) < (40e6 if complete else 9e6), f"{budget}: {os.path.getsize(path)} bytes")


# ---- budget, options -----------------------------------------------------------------------------

@lab.test("timeline/budget")
def timeline_budget(bench):
    """A timeline beyond its budget keeps what came first; the values never depend on it."""
    program = make(bench)
    for budget, size in ("64K", 64), ("256K", 256), ("1M", 1024):
        bench.run(program, "bits", "3000000", env={"CINSTR_TIMELINE": budget}, status=0)
        totals = bench.sound()
        lab.equal(bench.functions()["one"]["calls"], bits(0, 3000000).count("one"), "calls of one")
        path = files(bench)[0]
        chunks = timeline_file.timelines(path)[0]
        got = bits_in(chunks, timeline_file.names(path))
        lab.check(got == bits(0, len(got)) and len(got) > 10000, "not what came first")
        used = sum(c.bytes for c in chunks)
        lab.check(0.8 * size * 1024 < used + 64 * 1024 and used <= size * 1024, f"{budget}: {used} bytes used")
        lab.check(os.path.getsize(path) < EMPTY + size * 1024, f"{budget}: the file has {os.path.getsize(path)} bytes")
        lost = totals["events"] - sum(c.events for c in chunks)
        text = bench.cinstr("info", bench.path("cinstr.data"))
        lab.check(f"{lost:,} events {'overwritten' if 'newest' in text else 'beyond the budget'}" in text, f"{lost} lost: {text}")


@lab.test("timeline/none")
def none(bench):
    program = make(bench)
    for env in {}, {"CINSTR_TIMELINE": "0"}, {"CINSTR_TIMELINE": "none"}:
        bench.run(program, "bits", "10000", env=env, status=0)
        lab.equal(timeline_file.timelines(files(bench)[0]), {}, f"timelines with {env}")
        lab.check("timeline  " not in bench.cinstr("info", bench.path("cinstr.data")), "info tells of a timeline")


@lab.test("timeline/options that make no sense")
def bad_options(bench):
    program = make(bench)
    bad = {"CINSTR_TIMELINE": ("much", "ring", "ring:", "ring:unlimited", "ring:0", "64KB", "-1", "99999999999G"),
           "CINSTR_TIMELINE_MIN": ("soon", "10 us", "ms", "1.5ms", "9999999999999s"),
           "CINSTR_KEEP_SLOWEST": ("main", "main:", ":10ms", "main:10ms,", "main:10ms,one", "main:soon", "x" * 80 + ":1s")}
    takes = {"CINSTR_TIMELINE": "SIZE|ring:SIZE|none|unlimited", "CINSTR_TIMELINE_MIN": "TIME",
             "CINSTR_KEEP_SLOWEST": "FUNCTION:TIME[,...]"}
    for variable, values in bad.items():
        for value in values:
            done = bench.run(program, "bits", "1000", env={"CINSTR_TIMELINE": "unlimited", variable: value}, status=0)
            answer = "; ignored" if variable == "CINSTR_KEEP_SLOWEST" else "; using 0"
            lab.equal(done.stderr.splitlines()[:1],
                      [f"cinstr: {variable}={value}: no such value; it takes {takes[variable]}{answer}"], "message")
            lab.equal(len(done.stderr.splitlines()), 1, "messages")
            bench.sound()
    done = bench.run(program, "bits", "1000", env={"CINSTR_TIMELINE": "1M", "CINSTR_KEEP_SLOWEST": "main:1ms"}, status=0)
    lab.check("it needs CINSTR_TIMELINE=ring:SIZE" in done.stderr, done.stderr)


# ---- short calls ---------------------------------------------------------------------------------

@lab.test("timeline/short calls leave")
def short(bench):
    program = make(bench)
    bench.run(program, "requests", "20000", "15000", env={"CINSTR_TIMELINE": "unlimited", "CINSTR_TIMELINE_MIN": "500ms"}, status=0)
    totals = bench.sound()
    lab.equal(bench.functions()["request"]["calls"], 20000, "calls of request")
    path = files(bench)[0]
    chunks = timeline_file.timelines(path)[0]
    entered = timeline_file.entered(chunks, timeline_file.names(path))
    lab.check("wait_ms" in entered, "the long call is not there")
    # What is open while its buffer ends stays, and so does that in which the system did something;
    # else one request only, and within it nothing but the long call.
    kept = len(chunks) + sum(code == timeline_file.SWITCHES << 3 for c in chunks for code, *_ in c.records)
    lab.check(entered.count("request") <= kept + 1, f"{entered.count('request')} requests, {kept} may be kept")
    lab.check(len(entered) < 40 * kept, f"{len(entered)} calls, {kept} may be kept")
    left_out = totals["events"] - sum(c.events for c in chunks)
    text = bench.cinstr("info", bench.path("cinstr.data"))
    lab.check(f"{left_out:,} events of short calls left out" in text, f"{left_out} left out: {text}")
    text = bench.cinstr("refold", bench.path("cinstr.data"))
    lab.check("calls shorter than 500 ms were left out" in text, text)


@lab.test("timeline/short calls leave whole")
def short_pairs(bench):
    """What stays is balanced, and nothing that the operating system did is gone."""
    program = bench.compile("programs/timeline.c", "program", "-O2", "-pthread", "-fplugin-arg-cinstr-suspend=outside,zero")
    kinds = {}
    for least in "0", "1s":
        bench.run(program, "requests", "2000", "-1", env={"CINSTR_TIMELINE": "unlimited", "CINSTR_TIMELINE_MIN": least}, status=0)
        bench.sound()
        counts = {}
        for chunks in timeline_file.timelines(files(bench)[0]).values():
            for chunk in chunks:
                stamp = 0
                for code, time_lo, _, b in chunk.records:
                    kind = ("special", code >> 3 & 31) if code & 7 == 0 else ("event", code & 7, b == 1 or b > 3)
                    counts[kind] = counts.get(kind, 0) + 1
                    lab.check(time_lo >= stamp or code & 7 == 0, "time runs backward")
                    stamp = time_lo
        kinds[least] = counts
    for name in ("PAUSE", "CONTINUE", "STACK"):
        kind = ("special", getattr(timeline_file, name))
        lab.check(kinds["0"].get(kind, 0) > 10000, f"no {name} to look at")
        lab.equal(kinds["1s"].get(kind, 0), kinds["0"][kind], f"{name} records")
    lab.check(sum(kinds["1s"].values()) < sum(kinds["0"].values()), "nothing left")


@lab.test("timeline/no switch leaves with a short call")
def short_switches(bench):
    program = make(bench)
    bench.run(program, "growing", "8", env={"CINSTR_TIMELINE": "unlimited", "CINSTR_TIMELINE_MIN": "1s"}, status=0)
    totals, switches = bench.sound(), 0
    for chunk in timeline_file.timelines(files(bench)[0])[0]:
        for code, _, a, b in chunk.records:
            if code == timeline_file.SWITCHES << 3:
                switches += a + (b & 0x7fffffff)
    lab.check(switches >= 8, f"{switches} switches")
    lab.equal(switches, totals["voluntary_switches"] + totals["involuntary_switches"], "switches")


# ---- slow calls ----------------------------------------------------------------------------------

def marks(bench):
    return [line.split("\t") for line in bench.cinstr("info", "--marks", bench.path("cinstr.data")).splitlines()]


def kept_rings(bench, path):
    """{stamp: chunks} of thread 0."""
    rings = {}
    for chunk in timeline_file.timelines(path).get(0, []):
        if chunk.kept:
            rings.setdefault(chunk.kept, []).append(chunk)
    return rings


@lab.test("timeline/the slow call among many is kept")
def keep_slow(bench):
    program = make(bench)
    bench.run(program, "requests", "60000", "20000", env={"CINSTR_KEEP_SLOWEST": "requ*t:500ms", "CINSTR_TIMELINE": "ring:256K"},
              status=0)
    bench.sound()
    path, found = files(bench)[0], marks(bench)
    lab.equal([(m[3].split(" took ")[0], m[4]) for m in found], [("requ*t:500ms", "request")], "marks")
    lab.check(500000 < int(found[0][3].split(" took ")[1].split()[0]) < 5000000, f"time taken: {found[0][3]}")
    rings, known = kept_rings(bench, path), timeline_file.names(path)
    lab.equal(len(rings), 1, "kept rings")
    chunks = list(rings.values())[0]
    stamp = list(rings)[0]
    lab.equal(gaps(chunks), [], "gaps in what is kept")
    lab.check(chunks[-1].start <= stamp <= chunks[-1].end, "the call does not end in the last buffer that is kept")
    entered = timeline_file.entered(chunks, known)
    lab.equal(entered.count("wait_ms"), 1, "slow calls in what is kept")
    before = entered[:entered.index("wait_ms")]
    got, whole = [name for name in before if name in ("zero", "one")], bits(0, 20 * 20001)
    is_suffix(got, whole, 20000, "before the slow call")
    lab.equal(before[-21:].index("request"), 0, "the slow request is the last one")
    newest = [c for c in timeline_file.timelines(path)[0] if not c.kept]
    is_suffix(bits_in(newest, known), bits(0, 20 * 60000), 20000, "the ring after it")
    text = bench.cinstr("info", bench.path("cinstr.data"))
    lab.check("kept: requ*t:500ms took " in text, text)


@lab.test("timeline/a ring is implied by slow calls")
def keep_implied(bench):
    program = make(bench)
    bench.run(program, "requests", "100", "50", env={"CINSTR_KEEP_SLOWEST": "nobody:1s,request:500ms"}, status=0)
    lab.equal(len(kept_rings(bench, files(bench)[0])), 1, "kept rings")
    lab.check("the newest events, up to 4.2 MB" in bench.cinstr("info", bench.path("cinstr.data")), "no ring of 4M")


@lab.test("timeline/slow calls that end in unusual ways")
def keep_ways(bench):
    """The outermost of a recursion is slow, no inner one. What was left by longjmp is over, though
    it never returned."""
    program = make(bench)
    bench.run(program, "ways", env={"CINSTR_KEEP_SLOWEST": "recursion:20ms,jumper:10ms"}, status=0)
    bench.sound()
    found = marks(bench)
    lab.equal([m[4] for m in found], ["recursion", "jumper"], f"marks {found}")
    taken = [int(m[3].split(" took ")[1].split()[0]) for m in found]
    lab.check(24000 <= taken[0] and 15000 <= taken[1] < 200000, f"took {taken} us")


@lab.test("timeline/the slowest are kept")
def keep_slowest(bench):
    """Each is slower than those before: of nine, four are still there, the last ones, and space is
    bounded."""
    program = make(bench)
    bench.run(program, "growing", "9", env={"CINSTR_KEEP_SLOWEST": "request:5ms", "CINSTR_TIMELINE": "ring:128K"}, status=0)
    bench.sound()
    found, rings = marks(bench), kept_rings(bench, files(bench)[0])
    lab.check(5 <= len(found) <= 9, f"{len(found)} marks")
    lab.equal(len(rings), 4, "kept rings")
    taken = sorted(int(m[3].split(" took ")[1].split()[0]) for m in found)
    lab.check(os.path.getsize(files(bench)[0]) < EMPTY + 5 * 128 * 1024, "the file is larger than a ring and four kept ones")
    lab.check(taken[-1] >= 40000, f"times {taken}")
    slowest = max(found, key=lambda m: int(m[3].split(" took ")[1].split()[0]))
    text = bench.cinstr("info", bench.path("cinstr.data"))
    lab.check("kept: " + slowest[3] in text, f"the slowest ({slowest[3]}) is not among {text}")
    there = sum(c.events for c in timeline_file.timelines(files(bench)[0])[0])
    lost = bench.report()["session"]["events"] - there
    lab.check(lost > 0 and f"{lost:,} events overwritten" in text, f"{lost} events lost: {text}")


@lab.test("timeline/what is kept is bounded")
def keep_bounded(bench):
    """Each call is a slow one, in every buffer, and longer than most."""
    program = make(bench)
    bench.run(program, "growing", "15", env={"CINSTR_KEEP_SLOWEST": "*:0", "CINSTR_TIMELINE": "ring:128K"}, status=0)
    bench.sound()
    bench.run(program, "requests", "100000", "-1", env={"CINSTR_KEEP_SLOWEST": "*:0", "CINSTR_TIMELINE": "ring:128K"}, status=0)
    bench.sound()
    size = os.path.getsize(files(bench)[0])
    lab.check(size < EMPTY + 5 * 128 * 1024, f"the file has {size} bytes")
    lab.check(len(kept_rings(bench, files(bench)[0])) <= 4, "more than four kept rings")


# ---- ends ----------------------------------------------------------------------------------------

def killed_after(bench, program, seconds, budget, said):
    """Kills the program so long after `cinstr info` has said this for the first time."""
    shutil.rmtree(bench.path("cinstr.data"), ignore_errors=True)
    process = bench.start(program, "bits", "2000000000", env={"CINSTR_TIMELINE": budget})
    lab.wait_for(lambda: said in bench.run(lab.COMMAND, "info", bench.path("cinstr.data")).stdout, f"cinstr info does not say '{said}'")
    time.sleep(seconds)
    process.send_signal(signal.SIGKILL)
    process.wait(30)


@lab.test("timeline/kill -9")
def killed(bench):
    """What was complete is readable, and with what was in the buffer it gives the tree."""
    program = make(bench)
    chance = random.Random(4)
    for _ in range(8):
        killed_after(bench, program, chance.random() * 0.1, "unlimited", " events in ")
        text = bench.cinstr("refold", bench.path("cinstr.data"))
        lab.check("gives the same tree" in text, text)
        bench.sound()


@lab.test("timeline/kill -9 with a ring")
def killed_ring(bench):
    program = make(bench)
    chance = random.Random(5)
    for _ in range(8):
        killed_after(bench, program, chance.random() * 0.1, "ring:256K", "overwritten")
        path = files(bench)[0]
        chunks = timeline_file.timelines(path).get(0, [])
        lab.check(chunks and not gaps(chunks), f"gaps {gaps(chunks)} in {len(chunks)} pieces")
        got = bits_in(chunks, timeline_file.names(path))
        lab.check(len(got) > 5000, f"only {len(got)} calls")
        lab.check("damaged" not in bench.cinstr("info", bench.path("cinstr.data")), "damaged")


@lab.test("timeline/however a process ends")
def endings(bench):
    program = bench.compile("programs/endings.c", "program", "-O2", "-fno-builtin")
    for ending in "return", "_exit", "quick_exit", "pthread_exit", "abort", "sigkill", "segv":
        bench.run(program, ending, env={"CINSTR_TIMELINE": "unlimited"})
        text = bench.cinstr("refold", bench.path("cinstr.data"))
        lab.check("gives the same tree" in text, f"{ending}: {text}")


@lab.test("timeline/exec")
def executed(bench):
    program = make(bench)
    bench.run(program, "exec", "50000", env={"CINSTR_TIMELINE": "unlimited"}, status=0)
    lab.equal(len(files(bench)), 2, "data files")
    lab.equal(bench.cinstr("refold", bench.path("cinstr.data")).count("gives the same tree"), 2, "timelines that give the tree")
    for path in files(bench):
        got = bits_in(timeline_file.timelines(path)[0], timeline_file.names(path))
        lab.check(got == bits(0, len(got)) and len(got) >= 48000, f"{len(got)} calls in {path}")


@lab.test("timeline/a child begins its own")
def forked(bench):
    program = bench.compile("trees/forks.c", "program", "-O2")
    bench.run(program, env={"CINSTR_TIMELINE": "unlimited"}, status=0)
    for path in files(bench):
        for chunks in timeline_file.timelines(path).values():
            lab.equal([c.number for c in chunks], list(range(len(chunks))), f"chunks of {path}")
    text = bench.cinstr("refold", bench.path("cinstr.data"))
    lab.equal(len(text.splitlines()), len(files(bench)), text)
    lab.check("began in a parent process" in text and "gives the same tree" in text, text)
    program = make(bench)
    for budget, end in ("64K", False), ("ring:128K", True):
        bench.run(program, "fork", "300000", env={"CINSTR_TIMELINE": budget}, status=0)
        seeds = []
        for path in files(bench):
            got = bits_in(timeline_file.timelines(path)[0], timeline_file.names(path))
            lab.check(len(got) > 10000, f"{budget}: {len(got)} calls in {path}")
            part = slice(300000 - len(got), None) if end else slice(len(got))
            seeds += [seed for seed in (0, 7) if got == bits(seed, 300000)[part]]
        lab.equal(sorted(seeds), [0, 7], f"{budget}: processes with their own calls")


@lab.test("timeline/read while it is recorded")
def live(bench):
    program = make(bench)
    process = bench.start(program, "bits", "2000000000", env={"CINSTR_TIMELINE": "ring:1M"})
    lab.wait_for(lambda: " events in " in bench.run(lab.COMMAND, "info", bench.path("cinstr.data")).stdout, "no timeline")
    for _ in range(5):
        text = bench.cinstr("info", bench.path("cinstr.data"))
        lab.check(" events in " in text and "damaged" not in text, text)
        bench.functions()
    process.kill()
    process.wait()


@lab.test("timeline/tells of all time off the processor")
def off_processor(bench):
    """Also of what ends with an event that is not told: a return to the caller, a call before an
    enter."""
    bench.run(make(bench), "threads", "200000", "200000", "200000", "200000", "200000",
              env={"CINSTR_TIMELINE": "unlimited"}, status=0)
    told = {}
    events = bench.json("timeline", "--events=os", bench.path("cinstr.data"))
    for event in events:
        told[event["tid"]] = told.get(event["tid"], 0) + (event["off_cpu_ns"] or 0)
    for row in bench.report(by="thread")["rows"]:
        lab.check(abs(told.get(row["tid"], 0) - row["off_cpu_ns"]) <= len(events),
                  f"{row['tid']}: {told[row['tid']]} ns are told, and {row['off_cpu_ns']} were")
