#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is of the processor is named in arch/ folders alone, comments excepted: its name, registers,
relocations, instructions.

Prints FILE:LINE: WHAT. The programs' interface (include/) names the processor for the compiler.
"""
import glob
import os
import re

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
# Text stays as it is, so that a name in a message is found; comments become blanks.
COMMENT = re.compile(r'("(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\')|/\*.*?\*/|//[^\n]*', re.DOTALL)
NAMES = re.compile(r"""
    \b(?: _*(?:x86_64|i386|amd64)_* | \w*[xX]86\w* | x86-64          # the processor, also in EM_, R_, UNW_, PERF_REG_
    | [re](?:[abcd]x|[sd]i|[sb]p|ip|flags) | r(?:8|9|1[0-5])[dwb]?          # registers
    | REG_(?:R\w+|EFL) | (?:AX|BX|CX|DX|SI|DI|BP|SP|R\d+|FLAGS)_REG
    | _*asm_* | __get_cpuid\w* | __builtin_ia32_\w+ | __rdtscp? | _mm_\w+
    | ASM_INTEL | UNSPEC_\w+ )\b | "-m(?:x?32|16|64|cmodel=\w+)"  # options, in text
    """, re.VERBOSE)


def named(path):
    with open(path, encoding="utf-8") as file:
        text = COMMENT.sub(lambda match: match[1] or re.sub(r"[^\n]", " ", match[0]), file.read())
    for number, line in enumerate(text.split("\n"), 1):
        if not line.startswith("#include"):
            for name in NAMES.findall(line):
                yield f"{os.path.relpath(path, ROOT)}:{number}: {name}"


for part in "runtime", "report", "plugin":
    for source in sorted(glob.glob(os.path.join(ROOT, part, "**/*"), recursive=True)):
        if source.endswith((".c", ".h", ".cc")) and "/arch/" not in source:
            for found in named(source):
                print(found)
