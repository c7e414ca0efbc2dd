#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Comments are at most 100 columns wide (tabs are 8). Prints FILE:LINE: WIDTH for each line that is
not.

comments.py [FILE...]     default: all sources
"""
import ast
import glob
import io
import os
import re
import sys
import tokenize

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
WIDTH = 100
FOLDERS = ("include", "runtime", "report", "plugin", "testsuite", "contrib")
C = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|/\*.*?\*/|//[^\n]*', re.DOTALL)


def in_c(text):
    """(first line, its last) of each comment; of one in front of code nothing"""
    for match in C.finditer(text):
        if match[0][0] == "/" and text[match.end():match.end() + 1] in ("\n", ""):
            first = text.count("\n", 0, match.start())
            yield first, first + match[0].count("\n")


def in_python(text):
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and not re.match(r"# noqa", token.string):
            yield token.start[0] - 1, token.end[0] - 1
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.lineno - 1, node.end_lineno - 1


def in_shell(text):
    """Lines that are comments, and what stands behind code where it cannot be anything else."""
    for i, line in enumerate(text.split("\n")):
        if re.match(r"\s*#", line) or re.search(r"[;)}] # [A-Z]", line):
            yield i, i


def too_wide(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        text = file.read()
    lines = text.expandtabs(8).split("\n")
    find = in_python if path.endswith(".py") else in_shell if path.endswith(".sh") else in_c
    wide = {i for first, last in find(text) for i in range(first, last + 1) if len(lines[i]) > WIDTH}
    return [f"{os.path.relpath(path, ROOT)}:{i + 1}: {len(lines[i])}" for i in sorted(wide)]


def main():
    paths = sys.argv[1:] or sorted(path for folder in FOLDERS
                                   for path in glob.glob(os.path.join(ROOT, folder, "**/*"), recursive=True)
                                   if path.endswith((".c", ".h", ".cc", ".hpp", ".S", ".py", ".sh")))
    for path in paths:
        print("".join(line + "\n" for line in too_wide(path)), end="")


if __name__ == "__main__":
    main()
