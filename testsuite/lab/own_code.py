# SPDX-License-Identifier: GPL-3.0-or-later
"""The program's own instructions in assembler that GCC has written, without what the plugin puts
between them: sleds and counters are directives, and so are their tables.

    own_code.py PLAIN.s INSTRUMENTED.s      which functions differ
"""
import re
import sys

CLONE = re.compile(r"\.cold$")


def functions_of(path):
    """Lists of labels and instructions by function; a function's cold part belongs to it."""
    found, here = {}, None
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            label = re.match(r"([A-Za-z_.][\w.$]*):", line)
            text = line.split("#")[0].strip()
            if label and label[1].startswith(".L"):
                found.setdefault(here, []).append((label[1], None))
            elif label:
                here = CLONE.sub("", label[1])
            elif text and not text.startswith("."):
                found.setdefault(here, []).append((None, text))
    return found


def numbered(code):
    """The instructions; labels in them are numbered by where they stand, others have no names."""
    places, n = {}, 0
    for label, text in code:
        if label:
            places[label] = n
        n += text is not None
    used = sorted({places[name] for _, text in code if text for name in re.findall(r"\.L\w+", text) if name in places})
    numbers = {name: f"@{used.index(place)}" for name, place in places.items() if place in set(used)}
    return [re.sub(r"\.L\w+", lambda found: numbers.get(found[0], "@"), text) for _, text in code if text]


def compare(plain, instrumented):
    """Returns how many functions the plain assembler has, and the names of those that differ."""
    ours, theirs = functions_of(instrumented), functions_of(plain)
    code = {name: numbered(part) for name, part in theirs.items()}
    code = {name: part for name, part in code.items() if part}
    return len(code), sorted(name for name, part in code.items() if numbered(ours.get(name, [])) != part)


if __name__ == "__main__":
    number, differ = compare(*sys.argv[1:])
    print(f"{len(differ)} of {number} functions differ: {' '.join(differ)}")
