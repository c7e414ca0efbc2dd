# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the timelines of a data file: a second decoder, written from doc/format.md alone."""
import struct

MASK = 0xffffffff
SPECIAL, ENTER, EXIT, BEFORE, AFTER, TAIL, LANDING, LINE = range(8)
START, SLOW, OS, SWITCHES, RESUME, TARGET, LOST, PAUSE, CONTINUE, STACK = range(1, 11)
STAMPED = (START, SLOW, RESUME, PAUSE, CONTINUE)
STACK_MAX = 512


class Codec:
    """The decoder's state; it begins anew with each segment."""

    def __init__(self):
        self.words = [(0, 0, 0)] * 4096
        self.guesses = {}
        self.history = self.last_code = self.last_address = 0
        self.frames = [(0, 0)] * STACK_MAX  # stack pointer, return address
        self.depth = self.top = 0

    def begin(self, start):
        self.time = start & MASK
        self.high = start >> 32 | 1 << 31

    def push(self, sp, address):
        self.depth = min(self.depth + 1, STACK_MAX)
        self.top += 1
        self.frames[self.top % STACK_MAX] = (sp, address)

    def pop(self):
        if self.depth:
            self.depth -= 1
            self.top -= 1

    def frame(self):
        return self.frames[self.top % STACK_MAX]

    def leave(self, sp):
        while self.depth and (self.frame()[0] - sp) & 1 << 31:
            self.pop()

    @staticmethod
    def number(code, a, b):
        x = (b << 32 | code) * 0x9e3779b97f4a7c15 & (1 << 64) - 1
        return ((x ^ x >> 32 ^ a) * 0xd6e8feb86659fd93 & (1 << 64) - 1) >> 52

    def difference(self, data, at, near):
        value = shift = 0
        while True:
            value |= (data[at] & 127) << shift
            shift += 7
            at += 1
            if not data[at - 1] & 128:
                return at, (near + (value >> 1 ^ -(value & 1))) & MASK

    def new_word(self, data, at):
        at, code = self.difference(data, at, self.last_code)
        calls = code & 7 in (BEFORE, TAIL)
        at, b = self.difference(data, at, code if calls else 0)
        address = code & 7 == ENTER or (calls and not b)
        at, a = self.difference(data, at, self.last_address if address else 0)
        self.last_code = code
        if address:
            self.last_address = a
        return at, (code, a, b)

    def record(self, word):
        code, a, b = word
        kind, sp = code & 7, self.frame()[0]
        if kind == SPECIAL:
            if code >> 3 & 31 in STAMPED:
                a, b = (a + self.time) & MASK, (b + self.high) & MASK
                self.high = b
        elif kind == BEFORE and b:
            a = (a + sp) & MASK
            self.push(a, 0)
        elif kind == ENTER:
            b = (b + sp) & MASK
            self.push(b & ~1, a)
        elif kind == EXIT:
            address = self.frame()[1]
            self.pop()
            a = (a + (self.frame()[0] if b == 1 else address)) & MASK
            if b == 1:
                self.leave(a)
        elif kind == TAIL and b:
            a = (a + sp) & MASK
            self.frames[self.top % STACK_MAX] = (a, 0)
        elif kind == TAIL:
            a = (a + self.frame()[1]) & MASK
            self.pop()
        elif kind in (AFTER, LANDING, LINE):
            a = (a + sp) & MASK
            self.leave(a)
        return code, self.time, a, b

    def decode(self, data, n):
        at, records = 0, []
        for _ in range(n):
            first = data[at]
            at += 1
            mode, ticks = 0, first
            if first & 128:
                mode, t = first >> 5 & 3, first & 31
                size = 1 if t < 28 else t - 26
                ticks = int.from_bytes(data[at:at + size], "little") + (t << 8 if t < 28 else 0)
                at += size
            self.time = (self.time + ticks) & MASK
            context = (self.history * 0x9e3779b1 & MASK) >> 20
            guesses = self.guesses.get(context, (0, 0))
            if mode < 2:
                number = guesses[mode]
            elif mode == 2:
                number = data[at] | data[at + 1] << 8
                at += 2
            else:
                at, word = self.new_word(data, at)
                number = self.number(*word)
                self.words[number] = word
            if number != guesses[0]:
                self.guesses[context] = (number, guesses[0])
            self.history = (self.history << 5 ^ number) & MASK
            records.append(self.record(self.words[number]))
        return records


class Chunk:
    def __init__(self, header, records, kept):
        self.bytes, self.n, self.events, _, self.start, self.end, self.number = header
        self.records, self.kept = records, kept


def segments(data):
    """(type, owner, used, payload's offset, sequence, kept) of each."""
    at, end = 4096, struct.unpack_from("<Q", data, 104)[0]
    while at < end:
        magic, kind, size, used, owner, _, _, sequence, kept = struct.unpack_from("<4sIQQIIQQQ", data, at)
        assert magic == b"SEG1", f"no segment at {at}"
        yield kind, owner, used, at + 64, sequence, kept
        at += size


def timelines(path):
    """{thread index: [Chunk, ...] in order} of a data file."""
    with open(path, "rb") as file:
        data = file.read()
    threads = {}
    for kind, owner, used, at, _, kept in sorted((s for s in segments(data) if s[0] == 8), key=lambda s: s[4]):
        codec, end = Codec(), at + used
        while at < end:
            header = struct.unpack_from("<IIIIQQQ", data, at)
            codec.begin(header[4])
            records = codec.decode(data[at + 40:at + header[0]], header[1])
            threads.setdefault(owner, []).append(Chunk(header, records, kept))
            at += header[0]
    return threads


def names(path):
    """{code of an ENTER sled: function} of a data file."""
    with open(path, "rb") as file:
        data = file.read()
    found = {}
    for kind, _, used, at, _, _ in segments(data):
        end = at + used
        while kind == 2 and at < end:
            size = struct.unpack_from("<Q", data, at)[0]
            read_module(data[at:at + size], found)
            at += size
    return found


def read_module(module, found):
    base, text_start = struct.unpack_from("<QQ", module, 8)
    code_base = struct.unpack_from("<I", module, 32)[0]
    notes_address, strings_address, notes, notes_bytes, strings = struct.unpack_from("<QQIII", module, 80)
    at = notes
    while code_base and at + 12 <= notes + notes_bytes:
        name_bytes, size, kind = struct.unpack_from("<III", module, at)
        table = at + 12 + (name_bytes + 3 & ~3)
        at = table + (size + 3 & ~3)
        if kind != 0x43490001:
            continue

        def string(ref):
            field = table + 32 + 4 * ref
            where = struct.unpack_from("<i", module, field)[0] + notes_address + field - notes - strings_address + strings
            return module[where:module.index(b"\0", where)].decode()

        text = struct.unpack_from("<i", module, table + 8)[0] + notes_address + table + 8 - notes + base
        n_refs, n_records = struct.unpack_from("<II", module, table + 20)
        function = None
        for i in range(n_records):
            offset, info = struct.unpack_from("<iI", module, table + 32 + 4 * n_refs + 8 * i)
            if info & 15 == 1:
                function = string(info >> 8)
            elif info & 15 == 8 + ENTER:
                found[(code_base + (text + offset - text_start) & ~7) | ENTER] = function


def entered(chunks, known):
    """Names of the functions in the order in which they were entered."""
    found = []
    for chunk in chunks:
        for code, _, _, b in chunk.records:
            if code & 7 == ENTER:
                found.append(known[code])
            elif code & 7 in (BEFORE, TAIL) and b:
                found.append(known[b])
    return found
