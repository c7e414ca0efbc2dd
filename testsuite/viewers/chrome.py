# SPDX-License-Identifier: GPL-3.0-or-later
"""Traces of Chrome: JSON as Perfetto, speedscope and Firefox read it, compared with `cinstr
timeline`."""
import decimal
import json

import golden
import lab
import slices
import timeline_csv


def read(path):
    """({tid: Track}, names of processes, names of threads by tid)"""
    tracks, processes, threads = {}, set(), {}
    with open(path, encoding="utf-8") as file:
        trace = json.load(file, parse_float=decimal.Decimal)
    lab.equal(trace["displayTimeUnit"], "ns", "displayTimeUnit")
    for event in trace["traceEvents"]:
        ns = event["ts"] * 1000
        lab.equal(ns, int(ns), "whole nanoseconds")
        if event["ph"] == "M":
            if event["name"] == "process_name":
                processes.add(event["args"]["name"])
            if event["name"] == "thread_name":
                threads[event["tid"]] = event["args"]["name"]
            continue
        track = tracks.setdefault(event["tid"], slices.Track())
        if event["ph"] == "B":
            track.begin(int(ns), event["name"], event["cat"])
        elif event["ph"] == "E":
            track.end(int(ns), event.get("args", {}).get("duration_ns"), event["name"])
        else:
            lab.check(event["ph"] == "i" and event["s"] in "tp", "an instant of a thread or process")
            track.instant(int(ns), event["name"], event["cat"])
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
