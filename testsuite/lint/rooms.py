#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The order of rooms (rooms.txt), held against what the sources include.

rooms.py          what contradicts it, a line each
rooms.py --draw   doc/rooms.svg, anew
"""
import html
import os
import re
import sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
PICTURE = os.path.join(ROOT, "doc/rooms.svg")
INCLUDE = re.compile(r'^# *include "([^"]+)"', re.MULTILINE)
# What the command may know of the runtime: the fold, the session folder's rules, what both ends of
# a file or ring read.
SHARED = {"runtime/arch/instruction.h", "runtime/arch/x86_64/reading.h", "runtime/fold/fold.h", "runtime/fold/fold_sums.h", "runtime/fold/phase_list.h", "runtime/process/session.h", "runtime/process/session_job.h", "runtime/process/folder.h",
          "runtime/system/text.h", "runtime/system/plain_name.h", "runtime/timeline/timeline_codec.h", "runtime/sampler/sampler_ring.h"}
# What is of the processor, and found by its name alone, since each processor has one.
ARCH = {"runtime/arch/x86_64/arch.h", "report/arch/x86_64/machine.h",
        "runtime/arch/x86_64/sampler_context.h"}
FILES_AT_TOP = 15


def rooms():
    """{room: what it owns}, in order"""
    with open(os.path.join(ROOT, "testsuite/lint/rooms.txt"), encoding="utf-8") as file:
        lines = [line.split(" | ") for line in file if " | " in line and not line.startswith("#")]
    return {room: owns.strip() for room, owns in lines}


def sources():
    """{path: text} of report/ and runtime/"""
    found = {}
    for top in "report", "runtime":
        for folder, _, names in os.walk(os.path.join(ROOT, top)):
            for name in names:
                if name.endswith((".c", ".h", ".S")):
                    path = os.path.join(folder, name)
                    with open(path, encoding="utf-8") as file:
                        found[os.path.relpath(path, ROOT)] = file.read()
    return found


def included(path, spelled, files):
    """What #include "spelled" in path is, of these files; None: another."""
    top = path.split("/")[0]
    for folder in os.path.dirname(path), top, ".", top + "/arch/x86_64":
        found = os.path.normpath(os.path.join(folder, spelled))
        if found in files:
            return found
    return None


def proper(path, target):
    """How path is to spell it: by its name in the same room, from report/ or runtime/ in others."""
    if os.path.dirname(path) == os.path.dirname(target) or target in ARCH:
        return os.path.basename(target)
    top = path.split("/")[0] + "/"
    return target.removeprefix(top)


def includes(files):
    for path, text in sorted(files.items()):
        for spelled in INCLUDE.findall(text):
            target = included(path, spelled, files)
            if target:
                yield path, spelled, target


def findings():
    files, order = sources(), list(rooms())
    for path in sorted(files):
        if os.path.dirname(path) not in order:
            yield f"{path}: {os.path.dirname(path)} is not in testsuite/lint/rooms.txt"
    for room in order:
        if not any(os.path.dirname(path) == room for path in files):
            yield f"testsuite/lint/rooms.txt: there is nothing in {room}"
    at_top = [path for path in files if os.path.dirname(path) == "report"]
    if len(at_top) > FILES_AT_TOP:
        yield f"report/: {len(at_top)} files, more than {FILES_AT_TOP}"
    for path, spelled, target in includes(files):
        here, there = os.path.dirname(path), os.path.dirname(target)
        if spelled != proper(path, target):
            yield f'{path}: "{spelled}" is to be "{proper(path, target)}"'
        if os.path.basename(target).endswith("internal.h") and here != there:
            yield f"{path}: {target} is for {there} alone"
        if path.startswith("runtime/") and target.startswith("report/"):
            yield f"{path}: {target}"
        if path.startswith("report/") and target.startswith("runtime/"):
            if target not in SHARED:
                yield f"{path}: {target} is the runtime's alone"
        elif there != "runtime" and target not in ARCH and here in order and there in order and order.index(there) > order.index(here):
            yield f"{path}: {target} is in a room above"
    yield from circles(files)
    if not os.path.exists(PICTURE) or open(PICTURE, encoding="utf-8").read() != picture(files):
        yield "doc/rooms.svg is not what the sources say: testsuite/lint/rooms.py --draw"


def circles(files):
    """Headers that include one another."""
    edges = {}
    for path, _, target in includes(files):
        if path.endswith(".h"):
            edges.setdefault(path, []).append(target)
    done, way = set(), []

    def walk(path):
        if path in way:
            return ["a circle: " + " -> ".join(way[way.index(path):] + [path])]
        if path in done:
            return []
        way.append(path)
        found = [line for target in edges.get(path, ()) for line in walk(target)]
        way.pop()
        done.add(path)
        return found

    return [line for path in sorted(edges) for line in walk(path)]


ROW, CELL, LEFT, OWNS, MATRIX, TOP, NAME = 22, 17, 12, 190, 700, 40, 110
STYLE = """
text { font: 12px sans-serif; fill: #1f2328 } .owns { fill: #59636e } .room { font-weight: 600 } .part { font: 600 15px sans-serif }
.box { fill: #ddf4ff; stroke: #54aeff } .self { fill: #afb8c1 } .uses { fill: #0969da } .line { stroke: #d1d9e0 } .page { fill: #ffffff }
@media (prefers-color-scheme: dark) { text { fill: #f0f6fc } .owns { fill: #9198a1 } .box { fill: #121d2f; stroke: #1f6feb }
.self { fill: #656c76 } .uses { fill: #4493f8 } .line { stroke: #3d444d } .page { fill: #0d1117 } }
"""


def picture(files):
    """Rooms from the highest down; a dot in a row is a room that it uses, its size tells how many
    includes there are."""
    counts = {}
    for path, _, target in includes(files):
        key = os.path.dirname(path), os.path.dirname(target)
        counts[key] = counts.get(key, 0) + 1
    out, y, width = [], TOP, 0
    for part in "report", "runtime":
        own = [room for room in rooms() if room.split("/")[0] == part]
        out.append(f'<text class="part" x="{LEFT}" y="{y}">{part}/</text>')
        out.append(f'<text class="owns" x="{MATRIX}" y="{y}">uses: the room whose name stands below in that column</text>')
        y += 14
        for at in range(len(own) - 1, -1, -1):
            out += row(own, at, y, counts, sum(os.path.dirname(path) == own[at] for path in files))
            y += ROW
        width = max(width, MATRIX + CELL * len(own) + NAME)
        y += TOP
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width + LEFT}" height="{y}" viewBox="0 0 {width + LEFT} {y}">'
    return "\n".join([head, f"<style>{STYLE}</style>", '<rect class="page" width="100%" height="100%"/>', *out, "</svg>", ""])


def row(own, at, y, counts, n):
    room, middle = own[at], y + ROW / 2
    name = room.split("/", 1)[1] if "/" in room else room
    yield f'<rect class="box" x="{LEFT}" y="{y + 1}" width="{OWNS - LEFT - 14}" height="{ROW - 3}" rx="3"/>'
    yield f'<text class="room" x="{LEFT + 6}" y="{middle + 4}">{name}</text>'
    yield f'<text class="owns" x="{OWNS - 20}" y="{middle + 4}" text-anchor="end">{n}</text>'
    yield f'<text class="owns" x="{OWNS}" y="{middle + 4}">{html.escape(rooms()[room])}</text>'
    yield f'<line class="line" x1="{MATRIX}" x2="{MATRIX + CELL * at}" y1="{middle}" y2="{middle}"/>'
    yield f'<circle class="self" cx="{MATRIX + CELL * at + CELL / 2}" cy="{middle}" r="2"/>'
    yield f'<text class="owns" x="{MATRIX + CELL * (at + 1)}" y="{middle + 4}">{name}</text>'
    for below in range(at):
        uses = counts.get((room, own[below]), 0)
        if uses:
            radius = 7 if uses > 20 else 5 if uses > 5 else 3.5
            yield (f'<circle class="uses" cx="{MATRIX + CELL * below + CELL / 2}" cy="{middle}" r="{radius}">'
                   f"<title>{name} uses {own[below].split('/', 1)[-1]}: {uses} includes</title></circle>")


if sys.argv[1:] == ["--draw"]:
    with open(PICTURE, "w", encoding="utf-8") as file:
        file.write(picture(sources()))
else:
    for line in findings():
        print(line)
