#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads a data file of cinstr and says what is in it: a second reader, written from doc/format.md
alone.

    decoder.py FILE.cinstr[.xz]        prints one JSON object

Times are in ticks, nothing subtracted (R6: an interval counts once a function, however often that
is on the stack). It imports nothing of the project (stacks.py is its part for sampled processes),
so that the document can be tested: compare.py compares what it finds with the command.

What it does not do: check checksums; fold what is still in a buffer (it says "unfolded", and folds
cut off by a crash it takes back); decode timelines (testsuite/lab/timeline_file.py does); look up
names of functions without probes (their module and link address identify them).
"""
import json
import lzma
import struct
import subprocess
import sys

import stacks

PAGE = 4096
NONE = (1 << 64) - 1
DEFAULT_MASK = 1 | 2 | 4 | 8 | 16 | 32
PROPERTIES, MODULES, THREAD, BUFFER, STACK, JOURNAL, CELLS, TIMELINE, FREE_SEGMENT, MARKS, PHASES = range(1, 12)
COUNTED, COUNTERS, PROBE_CODE = range(16, 19)
(FREE, ROOT, FRAME, CALL, INDIRECT, BUCKET, MERGED, FLAT_FRAME, FLAT_CALL, LINE, DETAIL, MORE, COUNTS,
 DIRTY) = range(14)
FUNCTION, ENTRY, SOURCE_PLACE, LEFT_OUT, INLINED, ACTION = range(1, 7)
ENTER, BEFORE, TAIL = 1, 3, 5
WRAPPER = 2  # flag of a sled
CALLEE = 2 | 8  # of a BEFORE: what is known of its callee; both: that it waits
# functions that wait, and are no wrappers of a system call
WAITS = set("pthread_cond_wait pthread_cond_timedwait pthread_cond_clockwait pthread_join pthread_mutex_lock "
            "pthread_rwlock_rdlock pthread_rwlock_wrlock pthread_barrier_wait sem_wait sem_timedwait sem_clockwait "
            "cnd_wait cnd_timedwait mtx_lock thrd_join".split())


class Damaged(Exception):
    pass


def fields(offset, form, names):
    """A reader of a structure: names of fields of FORM that begin at OFFSET."""
    layout, names = struct.Struct("<" + form), names.split()
    return lambda data, at: dict(zip(names, layout.unpack_from(data, at + offset)))


header_fixed = fields(8, "IIQIIQQIIQII", "version header_bytes checksum pid parent_pid process_start start_realtime_ns "
                      "clock probes threshold_ticks restartable forked")
header_moving = fields(104, "Q3Q3QIIQIIQQQQ", "file_bytes ticks_begin ticks_attached ticks_last ns_begin ns_attached "
                       "ns_last end end_status end_realtime_ns stop stop_errno lost_events lost_threads attach_ns "
                       "timeline_bytes")
calibration_fields = fields(216, "Q7Q7Q7Q", "rounds " + " ".join(
    f"{what}{kind}" for what in ("sum", "lowest", "highest") for kind in range(7)))
header_end = fields(424, "IIQQIIIIQ", "threads modules marks_lost marks_at switches timeline_mode no_counters packed "
                    "timeline_min_ns")
header_method = fields(536, "II", "method event_cost")
header_last = fields(640, "II", "streams mixed")
header_end_ticks = fields(672, "Q", "end_ticks")
segment_fields = fields(0, "4sIQQIIQQQQ", "magic type bytes used owner sealed checksum sequence kept previous")
module_fields = fields(0, "QQQQII32sIIQQ10I", "bytes base text_start text_end code_base code_bytes build_id "
                       "build_id_bytes path_offset notes_address strings_address notes_offset notes_bytes "
                       "strings_offset strings_bytes callees_offset n_callees sleds patched refused flags")
thread_fields = fields(0, "IIII32sIIIiQ9Q", "tid index state root name members named stopped suspensions first_ticks "
                       "buffer_offset buffer_bytes stack_offset stack_bytes journal_offset journal_bytes commit "
                       "journal_commit journal_used")
state_fields = fields(0, "13Q6IQQQIIQQIIQQ", "time runtime_ticks records events enters exits implicit_exits orphans "
                      "lost_events voluntary involuntary os_intervals merged_calls current depth slot slot_across "
                      "merged merged_base merged_spans paused_ticks pauses paused unsettled repaired between_ticks "
                      "root phase phases_missed uncounted")
counters_fields = fields(0, "QQ", "voluntary involuntary")
thread_end_fields = fields(688, "QQQ", "asked_ticks asked_cpu_ns end_cpu_ns")
cell_fields = fields(0, "IIIIQQQQIIII", "parent site func tag calls ticks after_ticks first_ticks down across detail "
                     "last_exit")
bucket_fields = fields(0, "IIIIQQQQ", "owner bits next tag intervals ticks off_cpu_ticks switches")
detail_fields = fields(0, "IIIIQQQQIII", "owner more flags tag shortest_inclusive shortest_exclusive longest_inclusive "
                       "longest_exclusive window buckets after_buckets")
more_fields = fields(0, "IIII", "owner dirty reserved tag")
counts_fields = fields(0, "IIII", "owner carry group tag")
dirty_fields = fields(0, "IIIIQQQQ", "owner next part tag shortest_inclusive shortest_exclusive longest_inclusive "
                      "longest_exclusive")
mark_fields = fields(0, "IIQIIQ", "bytes tid ticks site kind id")
phases_fields = fields(0, "IIQ", "max n left_out")
THREAD_COMMIT, THREAD_STATES, STATE_BYTES, THREAD_COUNTERS, UNDO_BYTES, OPEN_BYTES = 120, 144, 200, 544, 56, 32


def text_at(data, at):
    return bytes(data[at:data.index(0, at)]).decode("utf-8", "replace")


class Module:
    """One entry of MODULES, and what its notes say about codes: which function, which callee."""

    def __init__(self, data, at):
        self.__dict__.update(module_fields(data, at))
        self.path = text_at(data, at + self.path_offset)
        self.build_id = self.build_id[:self.build_id_bytes].hex()
        self.strings = bytes(data[at + self.strings_offset:at + self.strings_offset + self.strings_bytes])
        self.notes = bytes(data[at + self.notes_offset:at + self.notes_offset + self.notes_bytes])
        self.callees = {}
        for i in range(self.n_callees):
            string, address = struct.unpack_from("<QQ", data, at + self.callees_offset + 16 * i)
            self.callees[string] = address
        self.functions, self.sites, self.lines = {}, {}, {}  # by code
        self.n_functions = self.n_left_out = 0
        if self.code_base:
            self.read_notes()
        self.names = {function["name"]: function for function in self.functions.values()}

    def read_notes(self):
        at = 0
        while at + 12 <= len(self.notes):
            name_bytes, bytes_, type_ = struct.unpack_from("<III", self.notes, at)
            name = self.notes[at + 12:at + 12 + name_bytes]
            content = at + 12 + (name_bytes + 3 & ~3)
            if type_ == 0x43490001 and name.rstrip(b"\0") == b"cinstr":
                self.read_table(content)
            at = content + (bytes_ + 3 & ~3)

    def reference(self, at):
        """The link address that the reference in the notes at AT names; its text."""
        address = self.notes_address + at + struct.unpack_from("<i", self.notes, at)[0]
        return address, text_at(self.strings, address - self.strings_address)

    def read_table(self, at):
        abi, _, text, _, _, n_refs, n_records, _ = struct.unpack_from("<IIiiiIII", self.notes, at)
        if abi != 1:
            return
        anchor = self.notes_address + at + 8 + text
        refs, records = at + 32, at + 32 + 4 * n_refs
        function = code = None
        for i in range(n_records):
            offset, info = struct.unpack_from("<iI", self.notes, records + 8 * i)
            kind, flags, payload = info & 15, info >> 4 & 15, info >> 8
            if kind == FUNCTION:
                function = {"name": self.reference(refs + 4 * payload)[1], "module": self.path, "line": offset,
                            "file": None}
                self.n_functions += not flags & 2
            elif kind == ENTRY:
                function["file"] = self.reference(refs + 4 * payload)[1]
            elif kind == LEFT_OUT:
                self.n_left_out += not flags & 8
            elif kind == SOURCE_PLACE and code:
                self.lines[code] = offset
            elif kind > 8:
                code = (self.code_base + anchor + offset + self.base - self.text_start & ~7) | kind - 8
                if kind - 8 == ENTER:
                    self.functions[code] = function
                elif kind - 8 in (BEFORE, TAIL):
                    callee = (0, None) if payload == 0xffffff else self.reference(refs + 4 * payload)
                    self.sites[code] = (self.callees.get(callee[0], 0), callee[1], flags)


class Thread:
    def __init__(self, file, at):
        self.__dict__.update(thread_fields(file.data, at))
        self.__dict__.update(thread_end_fields(file.data, at))
        self.name = self.name.split(b"\0")[0].decode("utf-8", "replace")
        if self.journal_commit == self.commit:  # a fold was cut off
            for i in reversed(range(self.journal_used)):
                entry = self.journal_offset + UNDO_BYTES * i
                offset, = struct.unpack_from("<Q", file.data, entry)
                file.data[offset:offset + UNDO_BYTES - 8] = file.data[entry + 8:entry + UNDO_BYTES]
        self.state_record = state_fields(file.data, at + THREAD_STATES + STATE_BYTES * (self.commit & 1))
        first, last = (counters_fields(file.data, at + THREAD_COUNTERS + 48 * i) for i in (0, 1))
        self.kernel = {key: last[key] - first[key] for key in first}
        self.unfolded = self.buffered(file.data)
        self.open_cells = [struct.unpack_from("<QI", file.data, self.stack_offset + OPEN_BYTES * i)[1]
                           for i in range(self.state_record["depth"])]
        self.cells = file.cells_of(self.index)

    def buffered(self, data):
        """Takes in the START of the buffer; number of records behind it that are not in the tree
        yet."""
        records = struct.iter_unpack("<IIII", data[self.buffer_offset:self.buffer_offset + (self.buffer_bytes & ~15)])
        code, before, low, high = next(records, (0,) * 4)
        start, state = (high & ~(1 << 31)) << 32 | low, self.state_record
        if not code or start < state["time"]:  # stale, or folded
            return 0
        if not state["paused"]:  # all since the last event was the runtime's own work
            state["runtime_ticks"] += start - state["time"]
            state["time"] = start
        count = 0
        for code, stamp, _, _ in records:
            if not code or stamp - before & 1 << 31:
                break
            count, before = count + 1, stamp
        return count


class Cell:
    """A node of a tree, with all that hangs on it."""

    def __init__(self, file, index):
        data, at = file.data, index * 64
        self.__dict__.update(cell_fields(data, at))
        self.index, self.kind = index, self.tag & 15
        self.children, self.once = [], False
        # ticks of intervals with an event of the default mask; off the processor
        self.left_out = self.off_cpu = 0
        self.switches = [0, 0]
        self.minimum, self.maximum, self.durations = {}, {}, {}
        self.shortest, self.longest = {}, {}  # as they are in the file
        if self.kind not in (ROOT, FRAME, CALL, INDIRECT, MERGED, FLAT_FRAME, FLAT_CALL, LINE):
            return
        detail = detail_fields(data, self.detail * 64) if self.detail else None
        bucket = detail["buckets"] if detail else 0
        while bucket:
            b = bucket_fields(data, bucket * 64)
            if b["bits"] & DEFAULT_MASK:
                self.left_out += b["ticks"]
            self.off_cpu += b["off_cpu_ticks"]
            self.switches[0] += b["switches"] & 0xffffffff
            self.switches[1] += b["switches"] >> 32
            bucket = b["next"]
        if self.kind == CALL and file.site(self.site)[2] & CALLEE == WRAPPER:
            self.left_out = self.ticks
        if self.kind in (FRAME, CALL, INDIRECT, FLAT_FRAME, FLAT_CALL):
            self.read_extremes(data, detail)

    def extreme(self, value, low, high):
        if low != NONE:
            self.shortest[value] = min(low, self.shortest.get(value, low))
            self.longest[value] = max(high, self.longest.get(value, high))

    def end_extremes(self, cost):
        """Ticks, with the probes' cost: of which calls, was chosen without."""
        for value in self.shortest:
            ends = [extreme_ticks(end, cost) for end in (self.shortest[value], self.longest[value])]
            self.minimum[value], self.maximum[value] = min(ends), max(ends)

    def read_extremes(self, data, detail):
        """The one finished activation, or what DETAIL and DIRTY say: shortest and longest of the
        four values."""
        flat = self.kind in (FLAT_FRAME, FLAT_CALL)
        self.once = not detail and not flat and self.first_ticks != NONE
        if not detail:
            return
        parts = [(0, detail), (1, detail)]
        more = more_fields(data, detail["more"] * 64) if detail["more"] else None
        self.read_durations(data, detail, more)
        part = more["dirty"] if more else 0
        while part:
            d = dirty_fields(data, part * 64)
            parts.append((d["part"], d))
            part = d["next"]
        for part, d in parts:
            for kind in ("inclusive", "exclusive"):
                if part < 2:
                    self.extreme(("elapsed_", "application_")[part] + kind, d["shortest_" + kind], d["longest_" + kind])

    def read_durations(self, data, detail, more):
        """Finished activations by slot of their inclusive ticks."""
        if self.kind not in (FLAT_FRAME, FLAT_CALL):
            for i, n in enumerate(data[self.index * 64 + 40:self.index * 64 + 48]):
                self.add_durations(detail["window"] + i, n)
        for place in struct.unpack_from("<12I", data, detail["more"] * 64 + 16) if more else ():
            unit = 1
            while place:
                counts = counts_fields(data, place * 64)
                for i, n in enumerate(struct.unpack_from("<12I", data, place * 64 + 16)):
                    self.add_durations(counts["group"] * 12 + i, n * unit)
                place, unit = counts["carry"], unit << 32

    def add_durations(self, slot, n):
        if n:
            self.durations[slot] = self.durations.get(slot, 0) + n


def events_of(word, digits):
    return (word & (1 << digits) - 1) << (word >> digits)


def rounded(events, digits):
    """The word for a number of events."""
    shift = max(events.bit_length() - digits, 0)
    value = events + (1 << shift >> 1) >> shift
    return shift + 1 << digits | value >> 1 if value >> digits else shift << digits | value


def extreme_ticks(word, cost):
    return (word >> 16) - (1 << 46) + (events_of(word & 0xffff, 11) * cost >> 10) if cost else word


def extreme_word(ticks, events, cost):
    word = rounded(events, 11)
    return ticks - (events_of(word, 11) * cost >> 10) + (1 << 46) << 16 | word if cost else ticks


def slot_begin(slot):
    """Ticks of the shortest duration in a slot."""
    return (4 + slot % 4 << slot // 4 + 2) - 16


def slot_of(ticks):
    return next(slot for slot in range(144) if slot == 143 or ticks < slot_begin(slot + 1))


def key_of(what):
    """A function with probes, as rows are by."""
    return what["module"], what["name"], what["file"], what["line"]


class File:
    """One data file: everything by what the document calls it."""

    def __init__(self, data, shown=str):
        """shown: what is shown of a sampled function's assembler name."""
        self.data, self.shown = bytearray(data), shown
        if self.data[:8] != b"CINSTR\x1a\n":
            raise Damaged("no data file")
        self.header = header_fixed(data, 0) | header_moving(data, 0) | header_end(data, 0) | header_method(
            data, 0) | header_last(data, 0) | header_end_ticks(data, 0)
        if self.header["version"] != 4:
            raise Damaged(f"version {self.header['version']}")
        self.calibration = calibration_fields(data, 0)
        self.segments = list(self.read_segments())
        self.properties = {}
        for at, _, used in self.payloads(PROPERTIES):
            texts = bytes(self.data[at:at + used]).decode("utf-8", "replace").split("\0")[:-1]
            self.properties.update(zip(texts[::2], texts[1::2]))
        self.modules = []
        for at, _, used in self.payloads(MODULES):
            end = at + used
            while at < end:
                self.modules.append(Module(self.data, at))
                at += self.modules[-1].bytes
        self.sites, self.functions, self.lines = {}, {}, {}
        for module in self.modules:
            self.sites.update(module.sites)
            self.functions.update(module.functions)
            self.lines.update(module.lines)
        # By site: functions of its module, by name.
        self.names = {code: module.names for module in self.modules for code in module.sites}
        self.callee_names = {address: name for address, name, _ in self.sites.values() if address}
        self.threads = [Thread(self, at) for at, _, _ in self.payloads(THREAD)]
        self.read_counters()
        self.end_ticks = 0 if self.header["stop"] else max(
            [self.header["end_ticks"]] + [thread.state_record["time"] for thread in self.threads])
        for thread in self.threads:
            thread.tree = self.build_tree(thread)
        self.marks = list(self.read_marks())
        self.phases = []
        for at, _, _ in self.payloads(PHASES):
            count = phases_fields(self.data, at)["n"]
            self.phases = [t for t in struct.unpack_from(f"<{count}Q", self.data, at + 16) if t]

    def read_segments(self):
        at = self.header["header_bytes"]
        while at < self.header["file_bytes"]:
            segment = segment_fields(self.data, at)
            if segment["magic"] != b"SEG1" or segment["bytes"] % PAGE or not segment["bytes"]:
                return
            yield at + 64, segment
            at += segment["bytes"]

    def payloads(self, type_):
        chosen = [(at, s["owner"], s["used"], s["sequence"]) for at, s in self.segments if s["type"] == type_]
        return [entry[:3] for entry in sorted(chosen, key=lambda entry: entry[3])]

    def read_counters(self):
        """Counted calls of each thread: {code: calls}; functions of which some were."""
        codes = [code for at, _, used in self.payloads(COUNTED)
                 for code in struct.unpack_from(f"<{used // 4}I", self.data, at)]
        self.counted = {key_of(self.functions[code]) for code in codes}
        for thread in self.threads:
            thread.counters = {}
        threads = {thread.index: thread.counters for thread in self.threads}
        for at, segment in self.segments:
            block = segment["sequence"]
            if segment["type"] != COUNTERS or block > 7:
                continue
            first = sum((512 << k) - 8 for k in range(block))
            counts = struct.unpack_from(f"<{min(segment['used'] // 8, (512 << block) - 8)}Q", self.data, at)
            for code, n in zip(codes[first:], counts):
                if n:
                    threads[segment["owner"]][code] = n
        self.probe_code = [dict(zip(("start", "end", "kind"), struct.unpack_from("<QQI", self.data, place)))
                           for at, _, used in self.payloads(PROBE_CODE) for place in range(at, at + used, 24)]

    def cells_of(self, owner):
        """Indexes of the cells of a thread that are in use."""
        for at, segment in self.segments:
            if segment["type"] == CELLS and segment["owner"] == owner:
                yield from range(at // 64, (at - 64 + segment["bytes"]) // 64)

    def site(self, code):
        """Address and name of what is called at a site, and flags of its sled."""
        return self.sites.get(code, (0, None, 0))

    def build_tree(self, thread):
        """Cells by index, with their children; and the FLAT ones."""
        cells = {index: Cell(self, index) for index in thread.cells}
        cells = {index: cell for index, cell in cells.items() if cell.kind in range(ROOT, BUCKET) or
                 cell.kind in (MERGED, FLAT_FRAME, FLAT_CALL, LINE)}
        self.add_open_time(thread, cells)
        thread.flat = [cell for cell in cells.values() if cell.kind in (FLAT_FRAME, FLAT_CALL)]
        for cell in cells.values():
            if cell.kind not in (FLAT_FRAME, FLAT_CALL) and cell.parent:
                cells[cell.parent].children.append(cell)
        for cell in cells.values():
            if cell.once:
                self.finish_once(thread, cell)
        if thread.root in cells:
            self.join_phases([cells[thread.root]])
        for cell in cells.values():
            cell.end_extremes(self.header["event_cost"])
        thread.ticks = sum(cell.ticks for cell in cells.values()) - sum(cell.ticks for cell in thread.flat)
        return cells

    def add_open_time(self, thread, cells):
        """What is open at the end has lasted up to there, though no event has ended it."""
        state = thread.state_record
        ticks = self.end_ticks - state["time"]
        if thread.state != 1 or thread.end_cpu_ns == NONE or not state["depth"] or state["paused"] or ticks <= 0:
            return
        cell = cells[state["current"]]
        if cell.kind in (FLAT_FRAME, FLAT_CALL):
            raise Damaged("calls beyond the budget of paths were open at the end")
        name = self.site(cell.site)[1] if cell.kind == CALL else None
        wrapper = cell.kind == CALL and self.site(cell.site)[2] & CALLEE == WRAPPER
        off_cpu = ticks if wrapper or name in WAITS else 0
        if thread.end_cpu_ns and thread.asked_ticks:
            h = self.header
            last, begin = (h["ticks_last"], h["ns_last"]), (h["ticks_begin"], h["ns_begin"])
            per_tick = (last[1] - begin[1]) / (last[0] - begin[0])
            off_cpu = self.end_ticks - thread.asked_ticks - int((thread.end_cpu_ns - thread.asked_cpu_ns) / per_tick)
            off_cpu = min(max(off_cpu, 0), ticks)
            off_cpu = off_cpu if off_cpu > ticks // 16 else 0
        state["time"] = self.end_ticks
        cell.ticks += ticks
        cell.off_cpu += off_cpu
        cell.left_out = cell.ticks if wrapper else cell.left_out + (ticks if off_cpu else 0)

    def join_phases(self, same):
        """Cells of one path, one of each phase: the extremes of all of them, to each."""
        for value in set().union(*(cell.shortest for cell in same)):
            known = [cell for cell in same if value in cell.shortest]
            shortest, longest = (choose(getattr(cell, end)[value] for cell in known)
                                 for choose, end in ((min, "shortest"), (max, "longest")))
            for cell in same:
                cell.extreme(value, shortest, longest)
        below, phases = {}, list(same)
        for cell in phases:
            for child in cell.children:
                if child.kind == ROOT:  # of a later phase
                    phases.append(child)
                else:
                    callee = child.last_exit if child.kind == INDIRECT else 0
                    below.setdefault((child.kind, child.site, child.func, callee), []).append(child)
        for cells in below.values():
            self.join_phases(cells)

    def finish_once(self, thread, cell):
        exclusive = cell.ticks
        for place, index in enumerate(thread.open_cells):
            if index == cell.index or index in (child.index for child in cell.children if child.kind == LINE):
                exclusive, = struct.unpack_from("<Q", self.data, thread.stack_offset + OPEN_BYTES * place + 16)
        cost, first = self.header["event_cost"], cell.first_ticks
        inclusive = first & (1 << 38) - 1 if cost else first
        cell.durations[slot_of(inclusive)] = 1
        for value, ticks, events in (("inclusive", inclusive, events_of(first >> 38 & 0x3fff, 9)),
                                     ("exclusive", exclusive, events_of(first >> 52, 7))):
            word = extreme_word(ticks, events, cost)
            cell.extreme("elapsed_" + value, word, word)
            cell.extreme("application_" + value, word, word)

    def read_marks(self):
        for at, _, used in self.payloads(MARKS):
            end = at + used
            while at + 32 <= end:
                mark = mark_fields(self.data, at)
                if mark["bytes"]:
                    mark["text"] = text_at(self.data, at + 32) if mark["bytes"] > 32 else ""
                    mark["phase"], mark["kind"] = mark["kind"] >> 8, mark["kind"] & 255
                    yield mark
                at += mark["bytes"] or 8

    # ---- functions -------------------------------------------------------------------------------

    def function_at(self, address, name=None):
        """A function without probes: module, link address there, name if it was called by one."""
        for module in self.modules:
            if module.text_start <= address < module.text_end:
                return {"module": module.path, "address": address - module.base, "name": name}
        return {"module": None, "address": address, "name": name}

    def function_of(self, cell):
        """Which function a cell stands for: (key, what is known of it)."""
        if cell.kind in (FRAME, FLAT_FRAME):
            what = self.functions.get(cell.func) or {"name": hex(cell.func), "module": None, "file": None, "line": None}
            return key_of(what), what
        address, name, _ = self.site(cell.site)
        if cell.kind == INDIRECT or (cell.kind == FLAT_CALL and (cell.func or not name)):
            address = cell.func | cell.last_exit << 32
            name = self.callee_names.get(address)
        elif name in self.names.get(cell.site, ()):
            # its enter comes behind what was folded, or was not recorded
            what = self.names[cell.site][name]
            return key_of(what), what
        what = self.function_at(address, name)
        return (what["module"], what["address"], name), what

    def is_counted(self, cell, key):
        """Is the call among the callee's counted ones?"""
        return cell.kind in (CALL, INDIRECT, FLAT_CALL) and key in self.counted

    def new_row(self, what):
        return what | dict.fromkeys("calls elapsed_inclusive elapsed_exclusive application_inclusive "
                                    "application_exclusive off_cpu voluntary involuntary open merged".split(), 0) | {
                                        "minimum": {}, "maximum": {}, "durations": {}}

    def add(self, row, cell, inclusive, is_counted=False):
        row["calls"] += 0 if is_counted else cell.calls
        row["elapsed_exclusive"] += cell.own
        row["application_exclusive"] += cell.own_application
        row["off_cpu"] += cell.own_off_cpu
        row["voluntary"] += cell.own_switches[0]
        row["involuntary"] += cell.own_switches[1]
        if inclusive:
            row["elapsed_inclusive"] += cell.inclusive
            row["application_inclusive"] += cell.inclusive_application
        for ours, theirs, choose in (row["minimum"], cell.minimum, min), (row["maximum"], cell.maximum, max):
            for value, ticks in theirs.items():
                ours[value] = choose(ticks, ours.get(value, ticks))
        for slot, n in cell.durations.items():
            row["durations"][slot] = row["durations"].get(slot, 0) + n

    def sum_up(self, cell):
        """Inclusive values of a cell and all below; its own values with its LINE children's."""
        parts = [cell] + [child for child in cell.children if child.kind == LINE]
        cell.callees = [callee for part in parts for callee in part.children if callee.kind != LINE]
        cell.own = sum(part.ticks for part in parts)
        cell.own_application = cell.own - sum(part.left_out for part in parts)
        cell.own_off_cpu = sum(part.off_cpu for part in parts)
        cell.own_switches = [sum(part.switches[i] for part in parts) for i in (0, 1)]
        for callee in cell.callees:
            self.sum_up(callee)
        cell.inclusive = cell.own + sum(callee.inclusive for callee in cell.callees)
        cell.inclusive_application = cell.own_application + sum(c.inclusive_application for c in cell.callees)

    def walk(self, cell, path, rows, node):
        """Adds a cell and all below to rows by function, and to the tree of paths, node: {key:
        row}."""
        for callee in cell.callees:
            if callee.kind == ROOT:  # of a later phase
                self.walk(callee, path, rows, node)
                continue
            if callee.kind == MERGED:
                below = node.setdefault(None, self.new_row({"name": None, "module": None, "address": None}) | {"children": {}})
                self.add(below, callee, True)
                continue
            key, what = self.function_of(callee)
            row = rows.setdefault(key, self.new_row(what))
            self.add(row, callee, key not in path, self.is_counted(callee, key))
            below = node.setdefault(key, self.new_row(what) | {"children": {}})
            self.add(below, callee, True)
            self.walk(callee, path | {key}, rows, below["children"])

    def count(self):
        """Values by function, by path and by thread."""
        self.rows, self.paths = {}, {}
        for thread in self.threads:
            root = thread.tree[thread.root]
            self.sum_up(root)
            self.walk(root, frozenset(), self.rows, self.paths)
            for cell in thread.flat:
                self.sum_up(cell)
            application, elapsed = (sum(getattr(c, value) for c in thread.flat) for value in ("own_application", "own"))
            for cell in thread.flat:
                key, what = self.function_of(cell)
                cell.inclusive = cell.first_ticks
                own = min(cell.inclusive, cell.own)
                cell.inclusive_application = own * cell.own_application // cell.own if own else 0
                cell.inclusive_application += (cell.inclusive - own) * application // elapsed if elapsed else 0
                row = self.rows.setdefault(key, self.new_row(what))
                self.add(row, cell, True, self.is_counted(cell, key))
                row["merged"] += cell.calls
            for code, n in thread.counters.items():
                what = self.functions[code]
                row = self.rows.setdefault(key_of(what), self.new_row(what))
                row["calls"] += n
                if n:  # nothing is known of single calls
                    row["unknown"] = True
            for cell in map(thread.tree.get, thread.open_cells):
                # the command, too, counts by function what is open in the tree
                if cell not in thread.flat:
                    cell = thread.tree[cell.parent] if cell.kind == LINE else cell
                    self.rows[self.function_of(cell)[0]]["open"] += 1
        for row in self.rows.values():
            if row.get("unknown"):
                row.update(minimum={}, maximum={}, durations={})
        self.drop_empty(self.rows)
        self.drop_empty(self.paths)

    def drop_empty(self, rows):
        """Cells that nothing has happened in yet are no rows."""
        for key, row in list(rows.items()):
            self.drop_empty(row.get("children", {}))
            if not row["calls"] and not row["elapsed_inclusive"] and not row["open"] and not row.get("children"):
                del rows[key]

    # ---- what is printed -------------------------------------------------------------------------

    def thread_facts(self, thread):
        state = thread.state_record
        accounted = thread.ticks + state["runtime_ticks"] + state["paused_ticks"] + state["between_ticks"]
        calls = sum(c.calls for c in thread.tree.values() if c.kind in (FRAME, CALL, INDIRECT, MERGED) and
                    not self.is_counted(c, self.counted and c.kind != MERGED and self.function_of(c)[0]))
        calls += sum(thread.counters.values())
        return {
            "tid": thread.tid, "name": thread.name, "ended": thread.state == 2, "members": thread.members,
            "unfolded": thread.unfolded, "counted": sum(thread.counters.values()), "calls": calls, "ticks": thread.tree[thread.root].inclusive,
            "outside_ticks": sum(c.ticks for c in thread.tree.values() if c.kind == ROOT),
            "application_ticks": thread.tree[thread.root].inclusive_application, "first_ticks": thread.first_ticks,
            "conservation_ticks_off": state["time"] - thread.first_ticks - accounted,
            "frames_off": state["enters"] - state["exits"] - state["implicit_exits"] - sum(
                thread.tree[index].kind in (FRAME, FLAT_FRAME, LINE) for index in thread.open_cells),
            "activations_off": sum(c.calls - sum(c.durations.values()) for c in thread.tree.values() if c.kind in (
                FRAME, CALL, INDIRECT)) - state["uncounted"] - sum(
                    thread.tree[index].kind not in (FLAT_FRAME, FLAT_CALL) for index in thread.open_cells),
            "kernel_voluntary": thread.kernel["voluntary"], "kernel_involuntary": thread.kernel["involuntary"],
        } | {key: state[key] for key in "time runtime_ticks events enters exits implicit_exits orphans lost_events "
             "voluntary involuntary merged_calls paused_ticks pauses between_ticks repaired depth phase".split()}

    def facts(self):
        return self.common_facts() | (stacks.Stacks(self).facts() if self.header["method"] else self.tree_facts())

    def common_facts(self):
        return {
            "header": self.header | {"calibration": self.calibration},
            "properties": self.properties,
            "marks": self.marks,
            "modules": [{key: getattr(module, key) for key in "path build_id base text_start text_end code_base sleds "
                         "patched refused flags n_functions n_left_out".split()} for module in self.modules],
        }

    def tree_facts(self):
        self.count()
        return {
            "threads": [self.thread_facts(thread) for thread in self.threads],
            "phases": self.phases,
            "probe_code": self.probe_code,
            "functions": list(self.rows.values()),
            "paths": as_list(self.paths),
        }


def as_list(paths):
    return [row | {"children": as_list(row["children"])} for row in paths.values()]


def unpacked(data):
    """What was packed behind the first page, by the tool `zstd`; a file that is not packed as it
    is."""
    if len(data) < PAGE or header_end(data, 0)["packed"] != 1:
        return data
    rest = subprocess.run(["zstd", "-dc"], input=data[PAGE:], capture_output=True, check=True).stdout
    return data[:460] + bytes(4) + data[464:PAGE] + rest


def read(path, shown=str):
    with (lzma.open if path.endswith(".xz") else open)(path, "rb") as file:
        return File(unpacked(file.read()), shown)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.setrecursionlimit(100000)
    try:
        json.dump(read(sys.argv[1]).facts(), sys.stdout, indent=1)
    except (Damaged, KeyError, IndexError, ValueError, struct.error) as reason:
        sys.exit(f"{sys.argv[1]}: {type(reason).__name__} {reason}")


if __name__ == "__main__":
    main()
