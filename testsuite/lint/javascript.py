#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""JavaScript of the page, of the extension for editors and of their tests: a line is at most 110
columns wide (tabs are 8); a function, and the block that a file's own names are in, have at most 80
lines; a file has 350. Prints FILE:LINE: WHAT for each that is more.

javascript.py [FILE...]     default: all of FOLDERS
"""
import glob
import os
import re
import sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
FOLDERS = ("report/html/page", "testsuite/html", "contrib/vscode", "testsuite/viewers")
WIDTH, FUNCTION, FILE = 110, 80, 350
# A / behind one of these begins a regular expression; behind anything else it divides.
BEFORE_REGEX = re.compile(r"(?:^|[(,=:\[!&|?{};+>]|\b(?:return|typeof|case))$")
TOKEN = re.compile(r"""
    (?P<skip>\s+|//[^\n]*|/\*.*?\*/)
  | (?P<text>'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*")
  | (?P<regex>/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+/[a-z]*)
  | (?P<word>[\w$]+)
  | (?P<sign>=>|.)""", re.DOTALL | re.VERBOSE)
TEMPLATE = re.compile(r"(?:\\.|\$(?!\{)|[^`\\$])*(`|\$\{)", re.DOTALL)
# What stands before the ( of ) {, where that is no function.
CONTROL = {"if", "for", "while", "switch", "catch", "await"}


def tokens(text):
    """(place, token) of all but blanks and comments; of a template its ` and what is in its ${}"""
    at, last, depths = 0, "", []
    while at < len(text):
        match = TOKEN.match(text, at)
        if match.lastgroup == "regex" and not BEFORE_REGEX.search(last):
            yield at, "/"
            at, last = at + 1, "/"
            continue
        token, begin = match[0], at
        at = match.end()
        if match.lastgroup == "skip":
            continue
        if token == "}" and depths and depths[-1] == 0:
            depths.pop()
            token = "`"
        elif depths and token in "{}":
            depths[-1] += 1 if token == "{" else -1
        if token == "`":
            match = TEMPLATE.match(text, at)
            at = match.end()
            if match[1] == "${":
                depths.append(0)
                last = "("
                continue
        yield begin, token
        last = token


def functions(text):
    """(first line, last line), from 0: functions, and blocks that are in nothing else"""
    opened, last = [], ";"  # opened: (sign, what stood before it, place, whether it counts)
    ended = ""  # what stood before the ( of the last )
    for at, token in tokens(text):
        if token in ("(", "{", "["):
            is_function = last == "=>" or (last == ")" and ended not in CONTROL)
            is_block = not opened and last in (";", "}")
            opened.append((token, last, at, token == "{" and (is_function or is_block)))
        elif token in (")", "}", "]"):
            _, before, begin, counts = opened.pop()
            if token == ")":
                ended = before
            if counts:
                yield text.count("\n", 0, begin), text.count("\n", 0, at)
        last = token


def findings(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    name, lines = os.path.relpath(path, ROOT), text.expandtabs(8).split("\n")
    if len(lines) - 1 > FILE:
        yield f"{name}: {len(lines) - 1} lines"
    for i, line in enumerate(lines):
        if len(line) > WIDTH:
            yield f"{name}:{i + 1}: {len(line)} columns"
    for first, end in sorted(functions(text)):
        if end - first + 1 > FUNCTION:
            yield f"{name}:{first + 1}: a function of {end - first + 1} lines"


def main():
    paths = sys.argv[1:] or sorted(path for folder in FOLDERS for path in glob.glob(os.path.join(ROOT, folder, "*.js")))
    for path in paths:
        for finding in findings(path):
            print(finding)


if __name__ == "__main__":
    main()
