# SPDX-License-Identifier: GPL-3.0-or-later
"""callgrind files: read by callgrind_annotate, which must have nothing to complain of, and by
KCachegrind on a display of its own."""
import collections
import csv
import io
import os
import re
import subprocess
import time

import golden
import lab

EVENTS = ["elapsed", "waiting", "application", "switches"]


def annotate(bench, path, *options):
    """What it prints. From /: it shortens names of files below the folder it is in."""
    golden.need("callgrind_annotate")
    done = bench.run("callgrind_annotate", "--threshold=100", "--auto=no", "--show-percs=no", *[o for o in options if o[0] == "-"], path,
                     *[o for o in options if o[0] != "-"], cwd="/", status=0)
    lab.equal(done.stderr, "", "callgrind_annotate's stderr")
    return done.stdout.splitlines()


def numbers(text):
    return [int(word.replace(",", "")) for word in text.split()]


def plain(name):
    """Without the module and the level of the recursion."""
    return re.sub(r"'\d+$", "", name)


def functions(lines):
    """[(events, name)] of a list of functions: "numbers  file:name [module]"; one that is defined
    in a file that is not known is in ???."""
    found = []
    for line in lines:
        match = re.match(r"^ *([\d,]+(?: +[\d,]+)*)  (\S*?):(?!:)(.*?)(?: \[[^\]]*\])?$", line)
        if match and match.group(3) != "PROGRAM TOTALS":
            found.append((numbers(match.group(1)), match.group(3)))
    return found


def totals(lines):
    return next(numbers(line[:-len("PROGRAM TOTALS")]) for line in lines if line.endswith("PROGRAM TOTALS"))


def exclusive(bench, path, events=tuple(EVENTS)):
    """{event: {function: sum}}, the recursion's levels together"""
    lines = annotate(bench, path, f"--show={','.join(event.capitalize() for event in events)}", "--sort=Elapsed")
    sums = {event: {} for event in events}
    for values, name in functions(lines):
        for event, value in zip(events, values):
            sums[event][plain(name)] = sums[event].get(plain(name), 0) + value
    lab.equal([sum(sums[event].values()) for event in events], totals(lines), "the sum of all is the total")
    return sums


def calls(bench, path):
    """{function: calls}, as its callers have made them"""
    sums, pending = {}, 0
    for line in annotate(bench, path, "--tree=caller", "--inclusive=yes", "--show=Elapsed"):
        caller = re.search(r"< .* \(([\d,]+)x\)(?: \[[^\]]*\])?$", line)
        own = re.search(r"  \* +\S*?:(?!:)(.*?)(?: \[[^\]]*\])?$", line)
        if caller:
            pending += int(caller.group(1).replace(",", ""))
        elif own:
            sums[plain(own.group(1))] = sums.get(plain(own.group(1)), 0) + pending
            pending = 0
    return sums


def no_duplicates(rows):
    return {row["name"] for row in rows if sum(other["name"] == row["name"] for other in rows) == 1}


@lab.test("callgrind/callgrind_annotate says what csv says")
def annotated(bench):
    session = golden.record(bench)
    rows = golden.csv_rows(bench, session)
    for options in ([], ["--recursion=1"], ["--recursion=9", "--by=thread"]):
        path = golden.export(bench, "callgrind", session, *options)
        found = exclusive(bench, path)
        for event in EVENTS:
            golden.same_values(found[event], rows, event, f"callgrind {options}")
        golden.same_values(calls(bench, path), rows, "calls", f"callgrind {options}")
        inclusive = dict((name, values[0]) for values, name in functions(annotate(bench, path, "--inclusive=yes", "--show=Elapsed")))
        for row in rows:
            expected = int(row["elapsed_inclusive_ns"])
            if row["name"] not in no_duplicates(rows) or not expected:
                continue
            lab.check(abs(inclusive.get(row["name"], 0) - expected) <= len(rows),
                      f"{options}: {row['name']} inclusive: {inclusive.get(row['name'])}, csv has {expected}")


@lab.test("callgrind/lines")
def lines(bench):
    """With line events each line has what report --by=line says; without, calls have their line."""
    session = golden.record(bench, ["-fplugin-arg-cinstr-lines"], {"CINSTR_PROBES": "lines"})
    path = golden.export(bench, "callgrind", session)
    source = bench.path("golden.cc")
    found = {}
    text = annotate(bench, path, "--show=Elapsed", source)
    begin = next(i for i, line in enumerate(text) if "User-annotated source" in line)
    number = None
    for line in text[begin:]:
        jump = re.match(r"^-- line (\d+) -", line)
        if jump:
            number = int(jump.group(1))
        elif number is not None and re.match(r"^ *([\d,]+|\.) ", line):
            value = line.split()[0].replace(",", "")
            if "=> " not in line:
                found[number] = found.get(number, 0) + (int(value) if value != "." else 0)
                number += 1
    of_source = [row for row in golden.csv_rows(bench, session, "--by=line") if row["file"] == source]
    rows = {int(row["line"]): int(row["elapsed_exclusive_ns"]) for row in of_source}
    functions = {int(row["line"]): row["function"] for row in of_source}
    # Rounded so that a function's sum is csv's; a line's part of each path may be 1 ns off.
    tree = csv.DictReader(io.StringIO(bench.cinstr("tree", "--by=thread", "--format=csv", session)))
    of_function = collections.Counter(row["name"] for row in tree)
    lab.check(len(rows) > 20, f"lines: {len(rows)}")
    for line, value in rows.items():
        if line in found:
            paths = sum(of_function[name] for name in functions[line].split("; "))
            lab.check(abs(found[line] - value) <= paths, f"line {line} on {paths} paths: {found[line]}, csv has {value}")
    lab.check(sum(abs(found.get(line, 0) - value) for line, value in rows.items()) < 100, f"{found} {rows}")


@lab.test("callgrind/the file itself")
def strict(bench):
    """What readers fall over: blanks at the end, missing columns, calls=0, an unknown number."""
    session = golden.record(bench)
    with open(golden.export(bench, "callgrind", session), encoding="utf-8") as file:
        text = file.read().splitlines()
    lab.equal(text[0], "# callgrind format", "the first line")
    events = next(line for line in text if line.startswith("events:")).split()[1:]
    lab.equal(text[text.index("events: " + " ".join(events)) + 1].split(":")[0], "summary", "behind events:")
    known = set()
    for line in text:
        lab.check(line == line.rstrip(), f"a blank at the end: {line!r}")
        if re.match(r"^\d", line):
            lab.equal(len(line.split()), 1 + len(events), line)
        lab.check(not line.startswith("calls=0"), line)
        name = re.match(r"^c?(fn|fl|fi|fe|ob)=\((\d+)\)( .+)?$", line)
        if not re.match(r"^c?(fn|fl|fi|fe|ob)=", line):
            continue
        lab.check(name, f"no compressed name: {line}")
        key = ("fl" if name.group(1) in ("fi", "fe") else name.group(1), name.group(2))
        lab.check((key in known) != bool(name.group(3)), f"a name is told once: {line}")
        known.add(key)
    for options, says in ((["--recursion=0"], "--recursion takes"), (["--measure=samples"], "not sampled")):
        done = bench.run(lab.COMMAND, "export", "-f", "callgrind", *options, session, status=2)
        lab.check(says in done.stderr, done.stderr)


@lab.test("callgrind/a file that only calls are in")
def only_calls(bench):
    """Of a header, from which a tail call was inlined: its lines have nothing themselves."""
    golden.need("callgrind_annotate")
    bench.write("through.h", "static inline __attribute__((always_inline)) void through(void (*f)(void))\n{\n\tf();\n}\n")
    bench.write("calls.c", '#include "through.h"\n__attribute__((noipa)) static void f(void) { for (volatile int i = 0; i < 99999; i++) { } }\n'
                           "__attribute__((noipa)) static void g(void) { through(f); }\n"
                           "int main(void) { g(); return 0; }\n")
    session = bench.path("cinstr.data")
    bench.run(bench.compile(bench.path("calls.c"), "calls", "-O2"), env={"CINSTR_DATA": session}, status=0)
    path = golden.export(bench, "callgrind", session)
    done = bench.run("callgrind_annotate", "--inclusive=yes", path, status=0)
    lab.equal(done.stderr, "", "callgrind_annotate's stderr")
    lab.check(re.search(r"source: \S*through.h", done.stdout), done.stdout)


def display(bench):
    """An X server of our own. -noreset: else it starts anew when a client leaves and no other is
    there, and who comes at that moment is refused."""
    golden.need("Xvfb", "xdotool", "import", "dbus-run-session")
    read, write = os.pipe()
    server = subprocess.Popen(["Xvfb", "-noreset", "-displayfd", str(write), "-screen", "0", "1100x800x24"], pass_fds=[write],
                              stderr=subprocess.DEVNULL)
    bench.started.append(server)
    os.close(write)
    with os.fdopen(read) as file:
        return ":" + file.readline().strip()


@lab.test("callgrind/KCachegrind opens it")
def opened(bench):
    golden.need("kcachegrind")
    session = golden.record(bench)
    path = golden.export(bench, "callgrind", session, output="callgrind.out.golden")
    shown = display(bench)
    os.makedirs(bench.path("home/.config"), mode=0o700)
    bench.write("home/.config/kcachegrindrc", "[TipOfDay]\nRunOnStart=false\n")
    env = {"DISPLAY": shown, "HOME": bench.path("home"), "XDG_RUNTIME_DIR": bench.path("home")}
    with open(bench.path("log"), "w") as log:
        viewer = subprocess.Popen(["dbus-run-session", "--", "kcachegrind", path], env=bench.environment(env), stdout=log,
                                  stderr=log, cwd=bench.folder)
    bench.started.append(viewer)
    window = []

    def has_opened():
        window[:] = bench.run("xdotool", "search", "--name", "callgrind.out.golden", env=env).stdout.split()
        return window

    lab.wait_for(has_opened, "KCachegrind's window")
    bench.run("xdotool", "windowsize", window[0], "1100", "800", env=env)
    time.sleep(2)
    picture = os.path.join(lab.BUILD, "check", "kcachegrind.png")
    os.makedirs(os.path.dirname(picture), exist_ok=True)
    bench.run("import", "-window", "root", picture, env=env, status=0)
    viewer.terminate()
    with open(bench.path("log")) as log:
        text = log.read()
    lab.check("Selected" in text, f"it shows a function: {text}")
    for line in text.splitlines():
        lab.check(not re.search(r"error|skipping|redefin|unknown|invalid|missing", line, re.I) or "dbus" in line.lower(), line)
