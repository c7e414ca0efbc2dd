# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads equivalent.txt: changes that no test can notice, with the reason of each.

An entry is the file, the line before and after the change, and the reason. Blanks do not count.
"""


def key_of(change):
    return change.path, change.before, change.after


def read(path):
    """{(file, before, after): reason}"""
    found = {}
    with open(path, encoding="utf-8") as file:
        for entry in file.read().split("\n\n"):
            lines = [line for line in entry.splitlines() if line.strip() and not line.startswith("#")]
            if lines:
                name, before, after, *reason = lines
                if not (before.startswith("- ") and after.startswith("+ ") and reason):
                    raise SystemExit(f"{path}: not an entry: {entry}")
                found[name, before[2:].strip(), after[2:].strip()] = " ".join(reason)
    return found
