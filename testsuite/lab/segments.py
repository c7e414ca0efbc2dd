#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""How often each instruction was executed, by the counters of -fplugin-arg-cinstr-instructions.

    segments.py FILE DATA                 executions of each function's instructions, summed
    segments.py FILE DATA --callgrind=OUT compares each instruction with callgrind's
                                                (--dump-instr=yes --compress-pos=no
                                                --compress-strings=no), run with CINSTR=off

FILE: program or library; DATA: its data file, or a folder with one. Exit status 1: something
differs. Needs objdump and readelf. Decodes by itself, from include/cinstr/abi.h and format.h.
"""
import argparse
import bisect
import collections
import glob
import os
import re
import struct
import subprocess
import sys

NOTE_SEGMENTS = 0x43490004
MODULES, SEGMENT_MODULES, SEGMENT_COUNTS = 2, 23, 24
COUNTER_BYTES = 16
NOBODY = 0xffffffff
BEFORE, BEHIND = (0, 6, 6, 8), (0, 9, 9, 10)
LOOP = 4

Segment = collections.namedtuple("Segment", "start end counter from_ to saved")


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def notes_of(path):
    """Address and bytes of .cinstr.note."""
    for line in run("readelf", "-SW", path).splitlines():
        found = re.match(r"\s*\[\s*\d+\] \.cinstr\.note\s+NOTE\s+(\w+) (\w+) (\w+)", line)
        if found:
            address, offset, size = (int(x, 16) for x in found.groups())
            with open(path, "rb") as file:
                file.seek(offset)
                return address, file.read(size)
    sys.exit(f"{path}: no tables")


def functions_of(path):
    """Lists of segments, each with its function's entry and exit."""
    base, data = notes_of(path)
    functions, at = [], 0
    while at + 12 <= len(data):
        name, size, kind = struct.unpack_from("<III", data, at)
        if name != 7 or data[at + 12:at + 18] != b"cinstr":
            at += 4
            continue
        text = at + 20
        at = text + (size + 3) // 4 * 4
        if kind != NOTE_SEGMENTS:
            continue
        _, n, entry, leave = struct.unpack_from("<4I", data, text)
        segments = []
        for i in range(n):
            field = text + 16 + 20 * i
            start, end, counter, from_, to = struct.unpack_from("<iiiII", data, field)
            segments.append(Segment(base + field + start, base + field + 4 + end,
                                    base + field + 8 + counter if counter else None,
                                    from_ & 0xfffffff, to & 0xfffffff, to >> 28))
        functions.append((segments, entry, leave))
    return functions


def payloads(path):
    """Type, owner and payload of a data file's segments."""
    with open(path, "rb") as file:
        data = file.read()
    at = 4096
    while at + 64 <= len(data):
        magic, kind, size, used, owner = struct.unpack_from("<IIQQI", data, at)
        if magic != 0x31474553 or size < 4096:
            break
        yield kind, owner, data[at + 64:at + 64 + used]
        at += size


def modules_of(parts):
    """Names of files by load address and begin of the text."""
    names = {}
    for kind, _, payload in parts:
        at = 0
        while kind == MODULES and at < len(payload):
            size, base, text = struct.unpack_from("<QQQ", payload, at)
            path, = struct.unpack_from("<I", payload, at + 76)
            name = payload[at + path:payload.index(b"\0", at + path)].decode()
            names[base, text & ~7] = os.path.basename(name)
            at += size
    return names


def counts_of(data_path, path, n, recorded):
    """The sums, over all threads and processes, of a module's n counters. recorded: without
    what was executed where no thread recorded."""
    files = glob.glob(os.path.join(data_path, "*.cinstr")) if os.path.isdir(data_path) else [data_path]
    sums, found = [0] * n, False
    for name in files:
        parts = list(payloads(name))
        names = modules_of(parts)
        places = [struct.unpack_from("<QQII", payload, at) for kind, _, payload in parts
                  if kind == SEGMENT_MODULES for at in range(0, len(payload), 24)]
        for base, text, first, many in places:
            if names.get((base, text & ~7)) != os.path.basename(path):
                continue
            found = True
            if many != n:
                sys.exit(f"{name}: {many} counters of {path}, which has {n}")
            for kind, owner, payload in parts:
                if recorded and owner == NOBODY:
                    continue
                if kind == SEGMENT_COUNTS and len(payload) >= 8 * (first + n):
                    sums = [a + b for a, b in zip(sums, struct.unpack_from(f"<{n}Q", payload, 8 * first))]
    if not found:
        sys.exit(f"{data_path}: no counters of {path}")
    return sums


def solve(function, counted):
    """How often each segment was executed: what flows into a node flows out of it. None: what the
    counters do not tell."""
    segments, entry, leave = function
    edges = [(s.from_, s.to) for s in segments]
    if entry != leave:
        edges.append((leave, entry))
    balance, open_at, result = collections.Counter(), collections.defaultdict(set), dict(counted)
    for i, (a, b) in enumerate(edges):
        if i in counted:
            balance[a] -= counted[i]
            balance[b] += counted[i]
        elif a != b:
            open_at[a].add(i)
            open_at[b].add(i)
    ready = [node for node, some in open_at.items() if len(some) == 1]
    while ready:
        node = ready.pop()
        if len(open_at[node]) != 1:
            continue
        i = open_at[node].pop()
        a, b = edges[i]
        count = balance[node] if a == node else -balance[node]
        result[i] = count
        balance[a] -= count
        balance[b] += count
        other = b if a == node else a
        open_at[other].discard(i)
        if len(open_at[other]) == 1:
            ready.append(other)
    return [result.get(i) for i in range(len(segments))], any(balance.values())


def code_of(path):
    """Instructions by address, in order."""
    texts = {}
    for line in run("objdump", "-d", "-w", "--no-show-raw-insn", path).splitlines():
        found = re.match(r"\s+([0-9a-f]+):\t(.*)", line)
        if found:
            texts[int(found[1], 16)] = found[2]
    return sorted(texts), texts


def symbols_of(path):
    symbols = []
    for line in run("readelf", "-sW", path).splitlines():
        parts = line.split()
        if len(parts) >= 8 and parts[3] == "FUNC" and parts[6] != "UND":
            symbols.append((int(parts[1], 16), parts[7]))
    return sorted(set(symbols))


def callgrind_of(out, path):
    """Executions by address, as callgrind has them."""
    counts, here, skip = collections.Counter(), False, False
    with open(out, encoding="utf-8") as file:
        for line in file:
            if line.startswith("ob="):
                here = os.path.basename(line[3:].strip()) == os.path.basename(path)
            elif line.startswith("calls="):
                skip = True
            elif line.startswith("0x"):
                if here and not skip:
                    address, _, count = line.split()
                    counts[int(address, 16)] += int(count)
                skip = False
    return counts


def is_in_counter(segment, address):
    if segment.counter is None or segment.saved & LOOP:
        return False
    return (segment.counter - BEFORE[segment.saved] <= address
            < segment.counter + COUNTER_BYTES + BEHIND[segment.saved])


def is_nop(text):
    return re.match(r"(data16 |cs |rex\.\w+ )*(nop|xchg +%ax,%ax)", text) is not None


def executions(path, data, recorded=False):
    """Of each instruction in a segment, and the faults found."""
    functions = functions_of(path)
    sums = iter(counts_of(data, path, sum(1 for f, _, _ in functions for s in f if s.counter is not None), recorded))
    addresses, texts = code_of(path)
    result, faults = {}, []
    for function in functions:
        segments = function[0]
        counts, unbalanced = solve(function, {i: next(sums) for i, s in enumerate(segments) if s.counter is not None})
        if unbalanced and max(s.to for s in segments) < 2 * len(segments) - 1:
            faults.append(f"{segments[0].start:#x}: what flows in does not flow out")
        for segment, count in zip(segments, counts):
            if count is None or count < 0:
                faults.append(f"{segment.start:#x}: executed {count} times")
            for address in addresses[bisect.bisect_left(addresses, segment.start):
                                     bisect.bisect_left(addresses, segment.end)]:
                if is_in_counter(segment, address) or is_nop(texts[address]):
                    continue
                if address in result:
                    faults.append(f"{address:#x}: in two segments")
                result[address] = count
    return result, texts, faults


def differences(ours, texts, theirs, path):
    """Where callgrind has counted something else."""
    faults, name = [], namer(path)
    for address in sorted(ours):
        # callgrind counts the rounds of rep, and what is in the PLT as its call
        is_more = re.match(r"rep|(bnd |cs )*(call|jmp) .*@plt", texts[address])
        if ours[address] != theirs[address] and not (is_more and (ours[address] or 0) <= theirs[address]):
            faults.append(f"{address:#x} {name(address)}: {texts[address]}: {ours[address]} times,"
                          f" {theirs[address]} by callgrind")
    return faults


def namer(path):
    symbols = symbols_of(path)
    starts = [address for address, _ in symbols]

    def name(address):
        i = bisect.bisect_right(starts, address) - 1
        return symbols[i][1] if i >= 0 else "?"
    return name


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("file")
    parser.add_argument("data")
    parser.add_argument("--callgrind")
    options = parser.parse_args()
    ours, texts, faults = executions(options.file, options.data)
    name = namer(options.file)
    if options.callgrind:
        theirs = callgrind_of(options.callgrind, options.file)
        faults += differences(ours, texts, theirs, options.file)
        outside = collections.Counter()
        for address, count in theirs.items():
            if address in texts and address not in ours and not is_nop(texts[address]):
                outside[name(address)] += count
        print("not counted:", dict(outside.most_common(12)))
    else:
        sums = collections.Counter()
        for address, count in ours.items():
            sums[name(address)] += count or 0
        for function, count in sorted(sums.items()):
            print(f"{function} {count}")
    print(f"{len(ours)} instructions, {sum(count for count in ours.values() if count)} executed")
    for fault in faults[:20]:
        print("FAULT", fault)
    if len(faults) > 20:
        print("FAULT", len(faults), "in all")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
