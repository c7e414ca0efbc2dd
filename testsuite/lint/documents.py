#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documents are at most 100 columns wide, tables too; examples (indented, or between ```) may be
wider. Prints FILE:LINE: WIDTH for each line that is not.

documents.py [FILE...]          default: all documents
documents.py --fill [FILE...]   fills paragraphs and tables anew that have such a line
documents.py --rows FILE        the rows of its tables, each in one line
"""
import glob
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../lab"))
import markdown  # noqa: E402

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
ITEM = re.compile(r" *(?:[-*] |\d+\. )")


def blocks_of(text):
    """(kind, lines): "table", "text" for a paragraph or an item of a list, "" for all else"""
    kind, block, in_code = "", [], False
    for line in text.split("\n"):
        fence = line.startswith("```")
        if in_code or fence or not line.strip() or re.match(r"#|<!--", line):
            now = ""
        elif line.startswith("|"):
            now = "table"
        else:
            now = "" if kind != "text" and line.startswith("    ") else "text"
        in_code ^= fence
        if block and (now != kind or (now == "text" and ITEM.match(line))):
            yield kind, block
            block = []
        kind = now
        block.append(line)
    yield kind, block


def filled(kind, lines):
    if not kind or max(map(len, lines)) <= markdown.WIDTH:
        return lines
    if kind == "table":
        return markdown.table_of(markdown.rows_of(lines))
    mark = re.match(r" *(?:[-*] |\d+\. )?", lines[0])[0]
    text = " ".join([lines[0][len(mark):]] + [line.strip() for line in lines[1:]])
    return markdown.wrapped(text, markdown.WIDTH, mark, " " * len(mark))


def too_wide(path, text):
    number = 1
    for kind, lines in blocks_of(text):
        for i, line in enumerate(lines):
            if kind and len(line) > markdown.WIDTH:
                print(f"{os.path.relpath(path, ROOT)}:{number + i}: {len(line)}")
        number += len(lines)


def fill(path, text):
    new = "\n".join(line for kind, lines in blocks_of(text) for line in filled(kind, lines))
    if new != text:
        with open(path, "w", encoding="utf-8") as file:
            file.write(new)


def rows(_, text):
    for kind, lines in blocks_of(text):
        for row in markdown.rows_of(lines) if kind == "table" else ():
            print("| " + " | ".join(row) + " |")


def main():
    what = {"--fill": fill, "--rows": rows}.get(sys.argv[1] if sys.argv[1:] else "", too_wide)
    paths = sys.argv[1 if what == too_wide else 2:] or sorted(
        path for pattern in ("*.md", "doc/*.md", "contrib/**/*.md") for path in glob.glob(os.path.join(ROOT, pattern), recursive=True))
    for path in paths:
        with open(path, encoding="utf-8") as file:
            what(path, file.read())


if __name__ == "__main__":
    main()
