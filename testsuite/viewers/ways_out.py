# SPDX-License-Identifier: GPL-3.0-or-later
"""Timelines whose calls do not end as they should: exceptions, jumps, tail calls, pauses, gaps,
forks, programs in the place of others. In all formats slices nest, and are timeline's; and what
options leave."""
import os
import re

import chrome
import golden
import lab
import perfetto
import slices
import timeline_csv

PROGRAMS = (
    ("unwinding.cc", ("-O2", "-pthread"), (), {}),
    ("jumps.c", ("-O2",), ("callbacks",), {}),
    ("tailrecursion.c", ("-O2",), ("20",), {}),
    ("cuts.c", ("-O2", "-pthread", lab.INCLUDE), (), {}),
    ("family.c", ("-O2", "-fno-builtin"), ("fork",), {}),
    ("family.c", ("-O2", "-fno-builtin"), ("execself",), {}),
    ("timeline.c", ("-O1", "-pthread"), ("bits", "60000"), {"CINSTR_TIMELINE": "ring:64k"}),
    ("timeline.c", ("-O1", "-pthread"), ("bits", "60000"), {"CINSTR_TIMELINE": "64k"}),
    ("timeline.c", ("-O1", "-pthread"), ("ways",), {"CINSTR_TIMELINE_MIN": "1ms"}),
)


def formats(bench, session, *options):
    tracks, _, _ = perfetto.read(golden.export(bench, "perfetto", session, *options))
    twin, _, _ = chrome.read(golden.export(bench, "chrome", session, *options))
    instants = [sorted(one for track in of.values() for one in track.instants) for of in (tracks, twin)]
    lab.equal(*instants, "instants of both formats")
    tracks.pop(0, None)  # marks of threads that were not chosen
    for tid, track in tracks.items():
        lab.equal([(one.name, one.begin, one.end, one.duration) for one in twin[tid].slices],
                  [(one.name, one.begin, one.end, one.duration) for one in track.slices], f"thread {tid}: chrome and perfetto")
    return tracks


@lab.test("timeline formats/ways out")
def ways(bench):
    for number, (source, flags, args, env) in enumerate(PROGRAMS):
        session = bench.path(f"data{number}")
        program = bench.compile("programs/" + source, f"program{number}", *flags)
        bench.run(program, *args, env={"CINSTR_TIMELINE": "unlimited", **env, "CINSTR_DATA": session})
        tracks = formats(bench, session)
        lab.check(sum(len(track.slices) for track in tracks.values()) > 10, f"{source}: calls")
        try:
            slices.compare(tracks, timeline_csv.rows(bench, session))
        except lab.Failure as reason:
            raise lab.Failure(f"{source} {args}: {reason}") from None


@lab.test("timeline formats/what is chosen")
def chosen(bench):
    session = golden.record(bench, env={"CINSTR_TIMELINE": "unlimited"})
    whole = timeline_csv.calls(timeline_csv.rows(bench, session))
    end = next(ns for ns, name in timeline_csv.marks(timeline_csv.rows(bench, session)) if name == "end (2)")
    some = formats(bench, session, "--function=fib*")
    lab.equal({tid: len(slices.of_calls(track)) for tid, track in some.items() if track.slices},
              {tid: sum(call.name.startswith("fib") for call in calls) for tid, calls in whole.items()}, "--function")
    deep = formats(bench, session, "--depth=2")
    lab.equal({tid: len(slices.of_calls(track)) for tid, track in deep.items()},
              {tid: sum(call.depth < 2 for call in calls) for tid, calls in whole.items()}, "--depth")
    slices.compare(formats(bench, session, "--min-duration=1us"), timeline_csv.rows(bench, session, "--min-duration=1us"), has_waits=False)
    one = formats(bench, session, "--thread=two")
    lab.equal([len(slices.of_calls(track)) for track in one.values()], [len(calls) for calls in whole.values()][-1:], "--thread")
    last = formats(bench, session, "--from=end")
    (track,) = [track for track in last.values() if track.slices]
    lab.equal((track.slices[0].name, track.slices[0].begin), ("main", end), "main was running at --from")
    lab.equal([one.name.split("(")[0] for one in slices.of_calls(track)][-2:], ["helper", "spin"], "what comes then")
    first = formats(bench, session, "--to=end")
    lab.check(all(one.end <= end for track in first.values() for one in track.slices), "nothing is behind --to")
    lab.equal(sum(len(slices.of_calls(track)) for track in first.values()),
              sum(call.begin < end for calls in whole.values() for call in calls), "--to")


@lab.test("timeline formats/large ones, of which little is chosen")
def little_of_large(bench):
    """How large is not known before calls are read: what is small is written, however large all of
    it would be; what is not ends at the limit."""
    program = bench.compile("programs/timeline.c", "program", "-O1", "-pthread")
    session = bench.path("data")
    bench.run(program, "bits", "2200000", env={"CINSTR_TIMELINE": "unlimited", "CINSTR_DATA": session}, status=0)
    said = bench.cinstr("export", "-f", "chrome", "--dry-run", session)
    lab.check(re.match(r"about [3-9]\d\d MB: ", said), said)
    said = bench.cinstr("export", "-f", "chrome", "--dry-run", "--min-duration=1s", session)
    lab.check(re.match(r"at most [3-9]\d\d MB: ", said), said)
    done = bench.run(lab.COMMAND, "export", "-f", "chrome", "-o", bench.path("all"), session)
    lab.check(done.returncode == 2 and "are too much for most viewers of chrome" in done.stderr, done.stderr)
    path = golden.export(bench, "chrome", session, "--min-duration=1s")
    lab.check(os.path.getsize(path) < 1000000, f"{os.path.getsize(path)} bytes")
    done = bench.run(lab.COMMAND, "export", "-f", "chrome", "-o", bench.path("all"), "--min-duration=1ns", session)
    lab.equal((done.returncode, os.path.exists(bench.path("all"))), (1, False), done.stdout)
    lab.check("it would be larger than 250 MB" in done.stderr and len(done.stderr.splitlines()) == 1, done.stderr)


@lab.test("timeline formats/no timeline")
def none(bench):
    session = golden.record(bench)
    for name in "perfetto", "chrome":
        done = bench.run(lab.COMMAND, "export", f"--format={name}", "-o", bench.path("none"), session)
        lab.equal((done.returncode, done.stdout), (1, ""), f"{name} without a timeline")
        lab.check("--timeline=unlimited" in done.stderr and len(done.stderr.splitlines()) == 1, done.stderr)
    done = bench.run(lab.COMMAND, "export", "--format=perfetto", "--min-duration=soon", session)
    lab.equal(done.returncode, 2, "a duration that is none")
