# SPDX-License-Identifier: GPL-3.0-or-later
"""The part of decoder.py for files of the sampling method, made after doc/format.md, "Sampling",
alone."""
import os
import struct

STACKS, SAMPLES, TASKS, SYMBOLS = range(12, 16)
KERNEL, TRUNCATED = (1 << 32) - 1, (1 << 32) - 2
SAMPLING = struct.Struct("<QIIIIQQQQQQQIIQ")
SAMPLING_AT = 544
SAMPLING_NAMES = ("interval unit source stacks flags kept discarded paused truncated lost counted throttled stack_bytes "
                  "collector silent").split()
TASK = struct.Struct("<II32sQQQQQQ")
TASK_NAMES = "tid state name begin_ticks end_ticks kept discarded paused truncated".split()


class Function:
    """A function on a stack, and where in it."""

    def __init__(self, module, name, file=None, line=0, decl_line=0):
        self.key = module, name
        self.file, self.line, self.decl_line = file, line, decl_line


class Stacks:
    def __init__(self, file):
        """file: a decoder.File whose `method` is 1."""
        self.file = file
        self.sampling = dict(zip(SAMPLING_NAMES, SAMPLING.unpack_from(file.data, SAMPLING_AT)))
        self.nodes = [(0, TRUNCATED, 0)] + self.elements(STACKS, "<IIQ")  # numbers count from 1
        self.samples = self.elements(SAMPLES, "<QII")
        self.tasks = [dict(zip(TASK_NAMES, fields)) for fields in self.elements(TASKS, TASK.format)]
        for task in self.tasks:
            task["name"] = task["name"].split(b"\0")[0].decode("utf-8", "replace")
        self.symbols = {}
        for at, _, used in file.payloads(SYMBOLS):
            self.read_symbols(at, used)
        self.cache = {}
        self.count()

    def elements(self, type_, form):
        found = []
        for at, _, used in self.file.payloads(type_):
            layout = struct.Struct(form)
            found += layout.iter_unpack(self.file.data[at:at + used - used % layout.size])
        return found

    def read_symbols(self, at, used):
        data, end = self.file.data, at + used
        n_addresses, n_frames, _ = struct.unpack_from("<IIQ", data, at)
        frames = at + 16 + 24 * n_addresses
        strings = bytes(data[frames + 32 * n_frames:end])

        def string(offset):
            return strings[offset:strings.index(0, offset)].decode("utf-8", "replace") or None

        before = (0, 0)
        for i in range(n_addresses):
            address, module, first, n, _ = struct.unpack_from("<QIIII", data, at + 16 + 24 * i)
            assert before < (module, address), "the addresses are not sorted"
            before, chain = (module, address), []
            for k in range(first, first + n):
                entry, name, name_file, line, _, decl_line, flags = struct.unpack_from("<QIIIIII", data, frames + 32 * k)
                path = self.file.modules[module - 1].path
                name = string(name)
                if flags & 2 and (not name or name.startswith("0x")):
                    name = f"{os.path.basename(path)}+{entry:#x}"
                chain.append(Function(path, self.file.shown(name), string(name_file), line, decl_line))
            self.symbols[module, address] = chain

    def functions_of(self, number):
        """The functions of a node, the outermost first."""
        _, module, address = self.nodes[number]
        if number and module == TRUNCATED:
            return []
        if module == TRUNCATED:
            return [Function(None, "[unknown]")]
        if module == KERNEL:
            return [Function(None, "[kernel]")]
        if not module:
            return [Function(None, "[anonymous code]")]
        return self.symbols.get((module, address), [])[::-1] or [Function(self.file.modules[module - 1].path, "[unknown]")]

    def path_of(self, number):
        """Functions from the outermost on. A stack whose outer end is missing begins with None."""
        if number not in self.cache:
            parent, module, _ = self.nodes[number]
            assert parent < number or not number, "a node stands before its parent"
            outer = self.path_of(parent) if parent else []
            self.cache[number] = outer + (([None] if number and module == TRUNCATED else []) + self.functions_of(number))
        return self.cache[number]

    def count(self):
        """Samples by function, by line, by path: key: [exclusive, inclusive]; and by task."""
        self.rows, self.lines, self.paths = {}, {}, {}
        self.of_task = [0] * len(self.tasks)
        for _, number, task in self.samples:
            path = self.path_of(number)
            self.of_task[task] += 1
            functions = [f for f in path if f]
            add(self.rows, [f.key for f in functions])
            add(self.lines, [(f.key[0], f.file, f.line) if f.file else f.key for f in functions])
            node = self.paths
            for i, function in enumerate(path):
                counts = node.setdefault(function.key if function else (None, None), [0, 0, {}])
                counts[0] += i == len(path) - 1
                counts[1] += 1
                node = counts[2]

    def facts(self):
        return {
            "sampling": self.sampling, "tasks": self.tasks, "samples_of_tasks": self.of_task,
            "functions": [key + tuple(n) for key, n in self.rows.items()], "paths": as_list(self.paths),
            "lines": [key + tuple(n) for key, n in self.lines.items()],
        }


def add(rows, keys):
    """Exclusive for the innermost, inclusive once for each."""
    for key in set(keys):
        rows.setdefault(key, [0, 0])[1] += 1
    if keys:
        rows[keys[-1]][0] += 1


def as_list(paths):
    return [key + (own, all_, as_list(below)) for key, (own, all_, below) in paths.items()]
