# SPDX-License-Identifier: GPL-3.0-or-later
"""doc/tutorial.md does not rot: its program is built, its commands are run in their order, and what
they print has the lines that the document shows.

UPDATE=1 testsuite/e2e/run.sh views/tutorial   puts what they print now into the document
"""
import os
import re
import subprocess

import lab

DOCUMENT = os.path.join(lab.ROOT, "doc/tutorial.md")
# What a line must have to be compared: the rest differs from run to run.
TOLD = re.compile(r"^(?!Next).*(strlen|to_lower[:,]|Findings|Function|word25|called by)")


def parts_of(text):
    """(kind, lines): "c" and "diff" for what is between ```, "$" for a command, which is the first
    line, and its output, "" for all else"""
    kind, lines = "", []
    for line in text.split("\n"):
        if line.startswith("```"):
            now = "" if kind in ("c", "diff") else line[3:]
            yield kind, lines
            yield "", [line]
            kind, lines = now, []
            continue
        now = kind
        if kind in ("", "$"):
            now = "$" if line.startswith("    $ ") or (kind and (not line or line.startswith("    "))) else ""
        if now != kind or line.startswith("    $ "):
            yield kind, lines
            lines = []
        kind = now
        lines.append(line)
    yield kind, lines


def run(bench, command):
    """As a new user would, who has installed it."""
    command = command.replace("-fplugin=cinstr", f"-fplugin={lab.PLUGIN}").replace("gcc ", " ".join(lab.CC) + " ", 1)
    environment = dict(os.environ, PATH=lab.BUILD + ":" + os.environ["PATH"], COLUMNS="100", LC_ALL="C.UTF-8")
    done = subprocess.run(command, shell=True, cwd=bench.folder, env=environment, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=lab.TIMEOUT)
    lab.equal(done.returncode, 0, f"exit status of {command}: {done.stdout}")
    return [line.rstrip() for line in done.stdout.replace(bench.folder + "/", "").rstrip("\n").split("\n")]


def mend(bench, lines):
    """What patch would do."""
    old, new = ("\n".join(line[1:] for line in lines if line.startswith(sign)) for sign in "-+")
    with open(bench.path("words.c")) as file:
        text = file.read()
    lab.equal(text.count(old), 1, "places to mend")
    bench.write("words.c", text.replace(old, new))


def told(line):
    """Without what differs by run and compiler: times, shares, verdicts, bars, brackets, and
    columns that only fit where others are narrow. Counts stay."""
    line = re.sub(r"\(\d+ % preempted\)|##+|[┌└│─]|\b(faster|noise|Waiting|Module|libc\.so\.6)\b|:\d+(?!\d)", " ", line)
    unit = r"( ?(ns|us|ms|s|%)(?!\w))?"
    line = re.sub(rf"[<>]=|[~?*≈]|[-+]?\d[\d,]*\.\d+{unit}|(?<![\w,.:])[-+]?\d+(?![\w,:]){unit}", " ", line)
    return " ".join(line.split())


def compare(command, shown, printed):
    lines = [told(line) for line in printed]
    for line in shown:
        if TOLD.search(line):
            lab.check(any(now.startswith(told(line)) for now in lines), f"`{command}` does not print {told(line)!r}, but {lines}; UPDATE=1?")


@lab.test("views/tutorial")
def _(bench):
    with open(DOCUMENT, encoding="utf-8") as file:
        text = file.read()
    commands, new = 0, []
    for kind, lines in parts_of(text):
        if kind == "c":
            bench.write("words.c", "\n".join(lines) + "\n")
        elif kind == "diff":
            mend(bench, lines)
        elif kind == "$":
            commands += 1
            command = lines[0][len("    $ "):]
            printed = run(bench, command)
            if "UPDATE" in os.environ:
                end = [""] if not lines[-1] else []
                lines = lines[:1] + [("    " + line).rstrip() for line in printed if printed != [""]] + end
            else:
                compare(command, [line.strip() for line in lines[1:]], printed)
        new += lines
    lab.check(commands >= 9, f"{commands} commands only in the tutorial")
    if "UPDATE" in os.environ:
        with open(DOCUMENT, "w", encoding="utf-8") as file:
            file.write("\n".join(new))
