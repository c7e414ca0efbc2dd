#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checks the tables of a linked program or library (include/cinstr/abi.h) against its code.

    check_sleds.py [--dump] [--some-calls] FILE
    check_sleds.py --serve      such arguments, a line each; "status N" ends each answer

Written against abi.h alone, not against the plugin or the runtime. What it holds the file to:
the notes parse and fill their descriptors; every sled is the 5-byte NOP inside one aligned 8-byte
word; a call instruction begins right behind each before sled and only padding stands between a
call and its after sled; exits stand before returns (or jumps to functions that are left out as
small), tails before jumps; and in a function that has sleds no call, return or entry lacks one,
except calls of functions that are left out as small (--some-calls: any calls). Prints totals, or
the faults and exits with 1.
"""
import collections
import re
import struct
import subprocess
import sys
import traceback

NOP = bytes([0x0F, 0x1F, 0x44, 0x00, 0x00])
FUNCTION, ENTRY, LINE, LEFT_OUT, INLINED, ACTION = 1, 2, 3, 4, 5, 6
ENTER, EXIT, BEFORE, AFTER, TAIL, LANDING, SOURCE_LINE = 9, 10, 11, 12, 13, 14, 15
KEEP, SYSCALL, NORETURN = 1, 2, 4
LOCAL, COLD = 1, 2
NO_REF = 0xFFFFFF
NAMES = {ENTER: "enter", EXIT: "exit", BEFORE: "before", AFTER: "after", TAIL: "tail",
         LANDING: "landing", SOURCE_LINE: "line"}
# Which records may stand right before the one that says more about a sled.
BEFORE_DETAIL = {LINE: set(NAMES), INLINED: {SOURCE_LINE, LINE, INLINED},
                 ACTION: set(NAMES) | {LINE, INLINED, ACTION}}
ACTIONS = ["", "start", "stop", "suspend", "resume", "mark", "region-begin", "region-end",
           "quiet-begin", "quiet-end"]
SMALL = 6
# Calls that never get a sled (plugin/select.cc), as objdump names their targets.
SKIPPED = re.compile(r"<(__tls_get_addr|__stack_chk_fail|__morestack|_?mcount|__fentry__|"
                     r"__(a|ub|t)san_|__gcov_|__sanitizer_|__cyg_profile_func_)")
# No functions: cold parts, and what COBOL performs, labels within its program's function.
PART = re.compile(r"\.cold|^_(para|sect|proc[a-z]+)\.")
CALL = re.compile(r"^(notrack |bnd |cs |data16 |addr32 |rex(\.\w+)? )*call")
RETURN = re.compile(r"^(repz? |bnd |notrack )*ret|^jmp .*__x86_return_thunk")
JUMP = re.compile(r"^(notrack |bnd |cs |addr32 )*jmp")
# What the runtime may lead elsewhere (runtime/choice/direct.c).
LED = re.compile(r"^cs cs (call|jmp)q? +[0-9a-f]")
# What -pg puts first in nested functions, to save the static chain.
CHAIN = re.compile(r"^(push|pop) +%r10")
# The comparison with a split stack's limit, or what gold makes of it, and what keeps its carry.
SPLIT = re.compile(r"lea +-0x[0-9a-f]+\(%rsp\),%r1[01]$|cmp +%fs:0x70,%r|stc|sbb +%r11d,%r11d")
PADDING = re.compile(r"^(data16 |cs )*(nop|xchg +%ax,%ax)|^endbr64")

Sled = collections.namedtuple("Sled", "address kind flags payload function details")
LeftOut = collections.namedtuple("LeftOut", "name reason flags")
Function = collections.namedtuple("Function", "name flags entry file line")


class Fault(Exception):
    pass


class Image:
    """The program headers of a 64-bit little-endian ELF file and what they map."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()
        phoff, = struct.unpack_from("<Q", self.data, 32)
        size, count = struct.unpack_from("<HH", self.data, 54)
        self.segments = []
        for i in range(count):
            kind, _, offset, vaddr, _, filesz = struct.unpack_from("<IIQQQQ", self.data,
                                                                   phoff + i * size)
            align, = struct.unpack_from("<Q", self.data, phoff + i * size + 48)
            self.segments.append((kind, offset, vaddr, filesz, align))

    def at(self, address, size):
        for kind, offset, vaddr, filesz, _ in self.segments:
            if kind == 1 and vaddr <= address and address + size <= vaddr + filesz:
                return self.data[offset + address - vaddr:offset + address - vaddr + size]
        raise Fault("address %#x is not in the file" % address)

    def string(self, address):
        start = address
        while self.at(address, 1) != b"\0":
            address += 1
        return self.at(start, address - start).decode()

    def notes(self):
        """Yields (type, address of the descriptor, its size) of our notes."""
        for kind, offset, vaddr, filesz, align in self.segments:
            if kind != 4:
                continue
            align = max(align, 4)
            at = 0
            while at + 12 <= filesz:
                namesz, descsz, note = struct.unpack_from("<III", self.data, offset + at)
                desc = at + 12 + (namesz + align - 1 & -align)
                if self.data[offset + at + 12:][:namesz] == b"cinstr\0":
                    yield note, vaddr + desc, descsz
                at = desc + (descsz + align - 1 & -align)


class Table:
    def __init__(self, image, address, size):
        self.image, self.address = image, address
        head = struct.unpack("<IIiiiIII", image.at(address, 32))
        abi, flags, text, unit, comp_dir, self.n_refs, self.n_records, checksum = head
        if abi != 1 or flags:
            raise Fault("table %#x: abi %d flags %d" % (address, abi, flags))
        if size != 32 + 4 * self.n_refs + 8 * self.n_records:
            raise Fault("table %#x: size %d does not fit its counts" % (address, size))
        self.text = address + 8 + text
        self.unit = self.ref(address + 12)
        self.comp_dir = self.ref(address + 16)
        self.refs = [self.ref(address + 32 + 4 * i) for i in range(self.n_refs)]
        self.functions, self.sleds, self.left_out, self.order = [], [], [], []
        self.n_lines = 0
        for i in range(self.n_records):
            self.record(address + 32 + 4 * self.n_refs + 8 * i)
        if checksum != self.sum(address + 32 + 4 * self.n_refs):
            raise Fault("table %#x: wrong checksum" % address)

    def sum(self, records):
        """What its checksum is to be: see cinstr/abi.h."""
        words = [len((string or "").encode()) for string in [self.unit, self.comp_dir] + self.refs]
        for i in range(self.n_records):
            offset, info = struct.unpack("<II", self.image.at(records + 8 * i, 8))
            words += [info, 0 if info & 15 > 8 or info & 15 == ENTRY else offset]
        total = 0
        for word in words:
            total = (total ^ word) * 0x9e3779b1 & 0xffffffff
            total ^= total >> 15
        return total or 1

    def ref(self, address):
        delta, = struct.unpack("<i", self.image.at(address, 4))
        return self.image.string(address + delta) if delta else None

    def record(self, address):
        offset, info = struct.unpack("<iI", self.image.at(address, 8))
        kind, flags, payload = info & 15, info >> 4 & 15, info >> 8
        last = self.order[-1] if self.order else None
        self.order.append(kind)
        if (last == FUNCTION) != (kind == ENTRY):
            raise Fault("record %#x: ENTRY does not follow FUNCTION" % address)
        if kind == FUNCTION:
            self.head = (self.refs[payload], flags, offset)
        elif kind == ENTRY:
            name, head_flags, line = self.head
            file = None if payload == NO_REF else self.refs[payload]
            self.functions.append(Function(name, head_flags, address + offset, file, line))
        elif kind == LEFT_OUT:
            self.left_out.append(LeftOut(self.refs[payload], offset, flags))
        elif kind in BEFORE_DETAIL:
            if last not in BEFORE_DETAIL[kind]:
                raise Fault("record %#x: kind %d follows kind %s" % (address, kind, last))
            self.detail(kind, offset, None if payload == NO_REF else self.refs[payload])
        elif kind in NAMES:
            self.sled(kind, flags, payload, self.text + offset, last)
        else:
            raise Fault("record %#x: kind %d" % (address, kind))

    def detail(self, kind, offset, text):
        self.n_lines += kind == LINE
        if kind == LINE:
            detail = "at line %d%s" % (offset, " of " + text if text else "")
        elif kind == INLINED:
            detail = "inlined " + text.replace("\t", ":").replace("\n", " ")
        else:
            detail = ACTIONS[offset] + (" " + text if text else "")
        self.sleds[-1].details.append(detail)

    def sled(self, kind, flags, payload, address, last):
        function = self.functions[-1]
        if kind in (BEFORE, TAIL):
            payload = "?" if payload == NO_REF else self.refs[payload]
        before = self.sleds[-1].kind if self.sleds else None
        if kind == AFTER and (before != BEFORE or last not in (BEFORE, LINE, ACTION)):
            raise Fault("sled %#x: an after without its before" % address)
        if last == ENTRY and not function.flags & COLD and kind != ENTER:
            raise Fault("sled %#x: %s does not begin with enter" % (address, function.name))
        if kind == ENTER and address != function.entry:
            raise Fault("sled %#x: enter is not the entry of %s" % (address, function.name))
        self.sleds.append(Sled(address, kind, flags, payload, function, []))


class Code:
    """The instructions of a file as objdump sees them, in order, and where its functions lie."""

    def __init__(self, path):
        listing = subprocess.run(["objdump", "-d", "-w", "--no-show-raw-insn", path],
                                 capture_output=True, text=True, check=True).stdout
        self.insns, self.index, self.heads = [], {}, []
        for line in listing.splitlines():
            match = re.match(r"^([0-9a-f]+) <(.*)>:$", line)
            if match:
                self.heads.append((int(match[1], 16), match[2], len(self.insns)))
                continue
            match = re.match(r"^ *([0-9a-f]+):\t(.*)$", line)
            if match:
                address = int(match[1], 16)
                self.index[address] = len(self.insns)
                self.insns.append((address, match[2].strip()))

    def next(self, address):
        """Address and text of the instruction behind the one at `address`."""
        return self.insns[self.index[address] + 1]

    def before(self, address, skip):
        i = self.index[address] - 1
        while skip.match(self.insns[i][1]):
            i -= 1
        return self.insns[i]

    def bodies(self):
        ends = [head[2] for head in self.heads[1:]] + [len(self.insns)]
        for (address, name, begin), end in zip(self.heads, ends):
            yield address, name, self.insns[begin:end]


def with_aliases(path, names):
    """The names, and all others that the symbol table has for the same addresses."""
    listing = subprocess.run(["nm", path], capture_output=True, text=True, check=True).stdout
    symbols = [line.split() for line in listing.splitlines()]
    symbols = [(fields[0], fields[2]) for fields in symbols if len(fields) == 3]
    addresses = {address for address, name in symbols if name in names}
    return names | {name for address, name in symbols if address in addresses}


def target_of(text):
    """The function that a call or jump goes to, as objdump names it."""
    match = re.search(r"<([^+>]*)>", text)
    return match and match[1]


def check_sled(image, code, small, sled):
    where = "%s sled %#x in %s" % (NAMES[sled.kind], sled.address, sled.function.name)
    if image.at(sled.address, 5) != NOP:
        raise Fault(where + ": is not the NOP")
    if sled.address // 8 != (sled.address + 4) // 8:
        raise Fault(where + ": crosses an 8-byte boundary")
    if sled.address not in code.index:
        raise Fault(where + ": is not an instruction")
    address, text = code.next(sled.address)
    if address != sled.address + 5:
        raise Fault(where + ": the NOP is not 5 bytes long")
    if text.startswith("endbr"):
        raise Fault(where + ": stands before an endbr64")
    follows = {BEFORE: CALL, EXIT: RETURN, TAIL: JUMP}.get(sled.kind)
    # A tail call of what is left out: small, or of another instrumentation.
    if sled.kind == EXIT and JUMP.match(text) and (target_of(text) in small or SKIPPED.search(text)):
        follows = JUMP
    if follows and not follows.match(text):
        raise Fault(where + ": is followed by " + text)
    if LED.match(text) and image.at(address + 2, 1) in (b"\xe8", b"\xe9") and (address + 3) // 8 != (address + 6) // 8:
        raise Fault(where + ": the distance behind it crosses an 8-byte boundary")
    if sled.kind == AFTER:
        call, text = code.before(sled.address, PADDING)
        if not CALL.match(text):
            raise Fault(where + ": does not follow a call")
        # From where the call returns to, the runtime computes where the sled is.
        if sled.address // 8 != (code.next(call)[0] + 4) // 8:
            raise Fault(where + ": too far behind its call")


def check_complete(code, small, some_calls, sleds):
    """No call, return or entry of an instrumented function lacks its sled."""
    kinds = {sled.address: sled for sled in sleds}
    entries = {sled.address for sled in sleds if sled.kind == ENTER}
    for address, name, insns in code.bodies():
        if not any(insn[0] in kinds for insn in insns):
            continue
        first = next(a for a, text in insns
                     if a in kinds or not (PADDING.match(text) or SKIPPED.search(text) or
                                          CHAIN.match(text) or SPLIT.match(text)))
        if not PART.search(name) and first not in entries:
            raise Fault("%s has sleds but no enter sled at its begin" % name)
        last, last_text = None, ""
        for at, text in insns:
            sled = kinds.get(last)
            needed = CALL.match(text) and not SKIPPED.search(text) and not some_calls
            if needed and target_of(text) not in small and not (sled and sled.kind == BEFORE):
                raise Fault("%s: call at %#x has no before sled" % (name, at))
            returns = RETURN.match(text) and "__morestack" not in last_text
            if returns and not (sled and sled.kind in (EXIT, TAIL)):
                raise Fault("%s: return at %#x has no exit sled" % (name, at))
            last, last_text = at, text


def dump(table):
    print("table %#x text %#x unit %s in %s" % (table.address, table.text, table.unit,
                                               table.comp_dir))
    last = None
    for sled in table.sleds:
        if sled.function is not last:
            last = sled.function
            print("  %s flags %d %s:%s" % (last.name, last.flags, last.file, last.line))
        print("    %#x %s flags %d %s" % (sled.address, NAMES[sled.kind], sled.flags, sled.payload))
        for detail in sled.details:
            print("      " + detail)
    for left_out in table.left_out:
        print("  left out %s: %d flags %d" % left_out)


def main(arguments):
    path = arguments[-1]
    try:
        image = Image(path)
        tables = [Table(image, address, size) for kind, address, size in image.notes()
                  if kind == 0x43490001]
        if "--dump" in arguments:
            for table in tables:
                dump(table)
            return 0
        sleds = [sled for table in tables for sled in table.sleds]
        code = Code(path)
        small = {function.name for table in tables for function in table.left_out
                 if function.reason == SMALL}
        small = with_aliases(path, small)
        for sled in sleds:
            check_sled(image, code, small, sled)
        if len({sled.address for sled in sleds}) != len(sleds):
            raise Fault("two records for one sled")
        check_complete(code, small, "--some-calls" in arguments, sleds)
    except (Fault, IndexError, KeyError, struct.error) as fault:
        print("%s: %s: %s" % (path, type(fault).__name__, fault))
        return 1
    functions = {function.entry for table in tables for function in table.functions}
    print("%d tables %d functions %d sleds %d left out %d lines %d keep" % (
        len(tables), len(functions), len(sleds), sum(len(table.left_out) for table in tables),
        sum(table.n_lines for table in tables), sum(sled.flags & KEEP for sled in sleds)))
    return 0


def serve():
    for line in sys.stdin:
        try:
            status = main(line.split())
        except Exception:  # of one file, which has failed; others follow
            traceback.print_exc(file=sys.stdout)
            status = 1
        print("status %d" % status, flush=True)
    return 0


sys.exit(serve() if sys.argv[1:] == ["--serve"] else main(sys.argv[1:]))
