# SPDX-License-Identifier: GPL-3.0-or-later
"""What viewers of single calls make of begins and ends: slices that nest; compared with the calls
of timeline_csv.py."""
import lab

import timeline_csv


class Slice:
    def __init__(self, name, category, begin, depth):
        self.name, self.category, self.begin, self.depth, self.end, self.duration = name, category, begin, depth, None, None


class Track:
    """A thread's: begin() and end() in order."""

    def __init__(self):
        self.slices, self.stack, self.instants, self.last, self.max_depth = [], [], [], 0, 0

    def at(self, ns):
        lab.check(ns >= self.last, f"{ns} comes behind {self.last}")
        self.last = ns

    def begin(self, ns, name, category):
        self.at(ns)
        one = Slice(name, category, ns, len(self.stack))
        self.stack.append(one)
        self.slices.append(one)
        self.max_depth = max(self.max_depth, len(self.stack))

    def end(self, ns, duration=None, name=None):
        self.at(ns)
        lab.check(self.stack, f"an end at {ns}, and nothing is open")
        one = self.stack.pop()
        lab.check(name in (None, one.name), f"{name} ends, and {one.name} is open")
        one.end, one.duration = ns, duration

    def instant(self, ns, name, category):
        self.at(ns)
        self.instants.append((ns, name, category))


def of_calls(track):
    return [one for one in track.slices if one.category not in ("waiting", "paused", "missing", "mark")]


def compare(tracks, events, shown=lambda name: name, has_waits=True):
    """tracks: {tid: Track}; events: rows of timeline_csv."""
    expected = timeline_csv.calls(events)
    lab.equal(sorted(tracks), sorted(expected), "threads with calls")
    for tid, track in tracks.items():
        lab.check(not track.stack, f"thread {tid}: what began ends")
        found = of_calls(track)
        lab.equal(len(found), len(expected[tid]), f"thread {tid}: calls")
        for one, call in zip(found, expected[tid]):
            lab.equal(one.name, shown(call.name), f"thread {tid}: a call")
            # What has no event of its own is told by its duration: two roundings.
            lab.check(abs(one.begin - call.begin) <= 1 and abs(one.end - call.end) <= 1,
                      f"thread {tid}: {one.name}: {one.begin} to {one.end}, expected {call.begin} to {call.end}")
            length = one.end - one.begin if one.duration is None else one.duration
            if call.duration is not None and has_waits:
                lab.check(abs(length - call.duration) <= (one.duration is None),
                          f"{one.name} at {one.begin}: {length} ns, csv: {call.duration}")
    if has_waits:
        waits = timeline_csv.waits(events)
        for tid, track in tracks.items():
            found = sum(one.end - one.begin for one in track.slices if one.category == "waiting")
            lab.check(abs(found - waits.get(tid, 0)) <= waits.get(tid, 0) // 1000 + 10,
                      f"thread {tid}: off the processor {found} ns, csv: {waits.get(tid, 0)}")
