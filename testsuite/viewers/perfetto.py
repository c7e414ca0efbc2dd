# SPDX-License-Identifier: GPL-3.0-or-later
"""Perfetto's traces: decoded by protoc, put together again by the rules of Perfetto's reader
(sequences, times as differences, names by number), and compared with `cinstr timeline`."""
import os
import re
import subprocess

import golden
import lab
import slices
import timeline_csv

HERE = os.path.dirname(os.path.abspath(__file__))
NEW, NEEDED = 1, 2
BOOTTIME, OF_SEQUENCE = 6, 64
TYPES = {"BEGIN", "END", "INSTANT"}


def decode(path):
    """The packets: dictionaries; what is there several times is a list."""
    lab.need("protoc")
    with open(path, "rb") as file:
        done = subprocess.run(["protoc", f"--proto_path={HERE}", "--decode=perfetto_subset.Trace", os.path.join(HERE, "perfetto.proto")],
                              stdin=file, capture_output=True, timeout=lab.TIMEOUT)
    lab.check(not done.returncode, done.stderr.decode())
    top = {}
    stack = [top]
    for line in done.stdout.decode("utf-8").splitlines():
        line = line.strip()
        if line == "}":
            stack.pop()
        elif line.endswith("{"):
            inner = {}
            stack[-1].setdefault(name_of(line[:-2]), []).append(inner)
            stack.append(inner)
        else:
            name, _, value = line.partition(": ")
            stack[-1].setdefault(name_of(name), []).append(value_of(value))
    return top["packet"]


def name_of(text):
    lab.check(not text.isdigit(), f"field {text} is none of perfetto.proto")
    return text


def value_of(text):
    if text.startswith('"'):
        return re.sub(rb"\\([0-7]{3}|.)", unquoted, text[1:-1].encode("latin-1")).decode("utf-8")
    return int(text) if text.lstrip("-").isdigit() else text


def unquoted(found):
    code = found.group(1)
    return bytes([int(code, 8)]) if len(code) == 3 else {b"n": b"\n", b"t": b"\t", b"r": b"\r"}.get(code, code)


class Sequence:
    """What Perfetto's reader knows of a sequence."""

    def __init__(self):
        self.ns, self.clock, self.track, self.interned = None, BOOTTIME, 0, {}

    def take(self, packet):
        flags = packet.get("sequence_flags", [0])[0]
        if flags & NEW:
            self.__init__()
        for defaults in packet.get("trace_packet_defaults", []):
            self.clock = defaults["timestamp_clock_id"][0]
            self.track = defaults["track_event_defaults"][0]["track_uuid"][0]
        for snapshot in packet.get("clock_snapshot", []):
            clocks = {clock["clock_id"][0]: clock for clock in snapshot["clocks"]}
            if OF_SEQUENCE in clocks:
                lab.equal(clocks[OF_SEQUENCE]["is_incremental"], ["true"], "times are differences")
                lab.equal(clocks[OF_SEQUENCE]["timestamp"], clocks[BOOTTIME]["timestamp"], "both clocks are one")
                self.ns = clocks[OF_SEQUENCE]["timestamp"][0]
        for data in packet.get("interned_data", []):
            for kind, entries in data.items():
                for entry in entries:
                    lab.check((kind, entry["iid"][0]) not in self.interned, f"{entry}: a number is given once")
                    self.interned[kind, entry["iid"][0]] = entry["name"][0]
        if "timestamp" in packet:
            lab.equal((self.clock, flags), (OF_SEQUENCE, NEEDED), "an event's clock and flags")
            self.ns += packet["timestamp"][0]


def read(path):
    """({tid: Track}, {pid: process}, {tid: (pid, name)})"""
    sequences, tracks, processes, threads, of_thread = {}, {}, {}, {}, {}
    for packet in decode(path):
        sequence = sequences.setdefault(packet["trusted_packet_sequence_id"][0], Sequence())
        sequence.take(packet)
        for track in packet.get("track_descriptor", []):
            if "process" in track:
                processes[track["uuid"][0]] = track["process"][0]
            if "thread" in track:
                thread = track["thread"][0]
                lab.equal(processes[track["parent_uuid"][0]]["pid"], thread["pid"], "a thread's process")
                of_thread[track["uuid"][0]] = thread["tid"][0]
                threads[thread["tid"][0]] = thread["pid"][0], thread["thread_name"][0]
        for event in packet.get("track_event", []):
            uuid = event.get("track_uuid", [sequence.track])[0]
            lab.check(uuid in of_thread or uuid in processes, f"track {uuid} is not there")
            track = tracks.setdefault(of_thread.get(uuid, 0), slices.Track())
            put(track, sequence, event)
    return tracks, {process["pid"][0]: process for process in processes.values()}, threads


def put(track, sequence, event):
    kind = event["type"][0]
    lab.check(kind in TYPES, kind)
    if kind == "END":
        notes = {sequence.interned["debug_annotation_names", note["name_iid"][0]]: note["uint_value"][0]
                 for note in event.get("debug_annotations", [])}
        track.end(sequence.ns, notes.get("duration_ns"))
        return
    name = event["name"][0] if "name" in event else sequence.interned["event_names", event["name_iid"][0]]
    category = sequence.interned["event_categories", event["category_iids"][0]]
    (track.begin if kind == "BEGIN" else track.instant)(sequence.ns, name, category)


@lab.test("perfetto/every call is timeline's")
def whole(bench):
    session = golden.record(bench, env={"CINSTR_TIMELINE": "unlimited"})
    events = timeline_csv.rows(bench, session)
    tracks, processes, threads = read(golden.export(bench, "perfetto", session))
    slices.compare(tracks, events)
    lab.equal([process["process_name"] for process in processes.values()], [["golden"]], "the process")
    lab.equal(sorted(name for _, name in threads.values()), ["golden", "two", 'work;er "1"'], "threads")
    lab.equal(sorted((ns, name) for track in tracks.values() for ns, name, _ in track.instants), timeline_csv.marks(events), "marks")
    lab.check(any(one.category == "waiting" for track in tracks.values() for one in track.slices), "somebody waited")
    modules = {one.category for track in tracks.values() for one in slices.of_calls(track)}
    lab.check("golden" in modules and any(name.startswith("libc") for name in modules), f"modules: {modules}")


@lab.test("perfetto/names that are cut within a letter, or have quotes")
def odd_names(bench):
    session = golden.odd_names(bench, {"CINSTR_TIMELINE": "unlimited"})
    tracks, _, threads = read(golden.export(bench, "perfetto", session))
    lab.equal(sorted(name for _, name in threads.values()), ['a "quoted" n', r"abcdefghijklmn\xc3", "odd"], "threads")
    lab.check(any(name == 'say "hi" (1)' for track in tracks.values() for _, name, _ in track.instants), "the mark")
