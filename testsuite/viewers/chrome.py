# SPDX-License-Identifier: GPL-3.0-or-later
"""Traces of Chrome: JSON as Perfetto, speedscope and Firefox read it, compared with `cinstr
timeline`."""
import collections
import decimal
import json

import golden
import lab
import slices
import speedscope
import timeline_csv


def read(path):
    """({tid: Track}, names of processes, names of threads by tid)"""
    tracks, processes, threads, last = {}, set(), {}, {}
    with open(path, encoding="utf-8") as file:
        trace = json.load(file, parse_float=decimal.Decimal)
    lab.equal(trace["displayTimeUnit"], "ns", "displayTimeUnit")
    for event in trace["traceEvents"]:
        ns = int(event["ts"] * 1000)  # what is behind is the order of what has the same
        lab.check(event["ph"] == "M" or event["ts"] > last.get(event["tid"], -1), "one after another, none at the same time")
        if event["ph"] == "M":
            if event["name"] == "process_name":
                processes.add(event["args"]["name"])
            if event["name"] == "thread_name":
                threads[event["tid"]] = event["args"]["name"]
            continue
        last[event["tid"]] = event["ts"]
        track = tracks.setdefault(event["tid"], slices.Track())
        if event["ph"] == "B":
            track.begin(ns, event["name"], event["cat"])
        elif event["ph"] == "E":
            track.end(ns, event.get("args", {}).get("duration_ns"), event["name"])
        else:
            lab.check(event["ph"] == "i" and event["s"] in "tp", "an instant of a thread or process")
            track.instant(ns, event["name"], event["cat"])
    return tracks, processes, threads


@lab.test("chrome/every call is timeline's")
def whole(bench):
    session = golden.record(bench, env={"CINSTR_TIMELINE": "unlimited"})
    events = timeline_csv.rows(bench, session)
    tracks, processes, threads = read(golden.export(bench, "chrome", session))
    slices.compare(tracks, events)
    lab.equal(processes, {"golden"}, "the process")
    lab.equal(sorted(threads.values()), ["golden", "two", 'work;er "1"'], "threads")
    lab.equal(sorted((ns, name) for track in tracks.values() for ns, name, _ in track.instants), timeline_csv.marks(events), "marks")


@lab.test("chrome/speedscope's app shows every call")
def in_speedscope(bench):
    """It takes an argument of an end for a part of the name, and ends the innermost slice then."""
    session = golden.record(bench, env={"CINSTR_TIMELINE": "unlimited"})
    saved = speedscope.opened(golden.export(bench, "chrome", session), "chrome", "Tried to end")
    expected = timeline_csv.calls(timeline_csv.rows(bench, session))
    lab.equal(len(saved["profiles"]), len(expected), "threads")
    for profile in saved["profiles"]:
        tid = int(profile["name"].rpartition("tid ")[2].rstrip(")"))
        names = [saved["shared"]["frames"][event["frame"]]["name"] for event in profile["events"] if event["type"] == "O"]
        found = collections.Counter(name for name in names if name not in speedscope.CATEGORIES)
        lab.equal(found, collections.Counter(call.name for call in expected[tid]), f"calls of thread {tid}")
        own = {saved["shared"]["frames"][frame]["name"]: value for frame, value in speedscope.sums_of(profile).items()}
        lab.check(own.get("waiting", 0) > 0, f"{profile['name']} waits: {own}")
