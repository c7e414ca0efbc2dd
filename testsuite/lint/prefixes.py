#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The functions that headers of the command declare: where is a name at home?

The first word of each is, in the singular or plural, a word of the name of its header, of the
source that defines it, or of their folder; or the name begins with that of a structure which the
header declares. A line for each that is not.
"""
import os
import re
import sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
DECLARED = re.compile(r"^(?:extern |static inline )?[a-z][\w *]*?[ *]([a-z]\w*)\(", re.MULTILINE)
STRUCT = re.compile(r"\bstruct (\w+) \{")
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
DIRECTIVE = re.compile(r"^#(?:\\\n|[^\n])*", re.MULTILINE)
# Words of their own: what all files use, and what a header's structures are called.
KNOWN = {
    "report/lib/util.h": "error warning message xcalloc xrealloc xstrdup print",
    "report/lib/fold_memory.h": "index",  # as runtime/fold/fold.h wants it
    "report/file/data.h": "process",
    "report/file/phases.h": "tree",
    "report/findings/lock_holders.h": "call",
    "report/merge/union_mixed.h": "counted",
    "report/mixed/join.h": "child",
    "report/output/upper_end.h": "lower",
    "report/diff/diff_stats.h": "student",  # the distribution's name
    "report/rows/caller_rows.h": "addition",
    "report/rows/hot_path.h": "wait",
    "report/rows/profile.h": "life process",
    "report/session/processes.h": "process control",  # the control page of a process
    "report/session/recorded_choice.h": "mark",
    "report/symbols/dwarf.h": "debug",  # dwarf_ is libdwarf's
    "report/symbols/dwarf_unit.h": "debug",
    "report/symbols/internal.h": "elf",
    "report/sampler/unwind/unwind.h": "unwinder",
    "report/ui/page.h": "function thread process help",
}


def singular(word):
    """The word without the ending of a plural."""
    if word.endswith("ss"):
        return word
    return word[:-3] + "y" if word.endswith("ies") else word[:-2] if word.endswith("sses") else word.rstrip("s")


def sources():
    """{path: text without comments} of report/"""
    found = {}
    for folder, _, names in os.walk(os.path.join(ROOT, "report")):
        for name in names:
            if name.endswith((".c", ".h")):
                path = os.path.join(folder, name)
                with open(path, encoding="utf-8") as file:
                    text = DIRECTIVE.sub("", COMMENT.sub("", file.read()))
                found[os.path.relpath(path, ROOT)] = text
    return found


def words_of(path):
    """The words that a name may begin with, by the name of its file and folder."""
    folder, name = os.path.split(path)
    words = os.path.splitext(name)[0].split("_") + os.path.basename(folder).split("_")
    return {singular(word) for word in words} | set(KNOWN.get(path, "").split())


def main():
    """Prints what has no home, and returns whether there is something."""
    files = sources()
    homes = {}
    for path, text in files.items():
        if path.endswith(".c"):
            for name in DECLARED.findall(text):
                homes.setdefault(name, set()).update(words_of(path))
    wrong = 0
    for path in sorted(files):
        if not path.endswith(".h"):
            continue
        structs = tuple(STRUCT.findall(files[path]))
        for name in DECLARED.findall(files[path]):
            words = words_of(path) | homes.get(name, set())
            if singular(name.split("_")[0]) not in words and not name.startswith(structs):
                print("%s: %s()" % (path, name))
                wrong += 1
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())
