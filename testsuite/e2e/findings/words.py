# SPDX-License-Identifier: GPL-3.0-or-later
"""What summary says of findings: in its formats, and --explain."""
import contextlib
import csv
import io
import os
import shutil

import finding_lab as findings
import lab


@findings.test("formats")
def formats(bench):
    program = findings.build(bench, "rare.c")
    first = findings.look(bench, program, "disk")[0]
    session = bench.path("rare-disk")
    rows = list(csv.DictReader(io.StringIO(bench.cinstr("summary", "--findings", "--format=csv", session))))
    lab.equal((rows[0]["id"], rows[0]["time_ns"], rows[0]["line"]), (first["id"], str(first["time_ns"]), str(first["line"])), "csv")
    whole = bench.json("summary", session)
    lab.equal(whole["findings"][0]["id"], first["id"], "in json of all")
    flat = list(csv.DictReader(io.StringIO(bench.cinstr("summary", "--format=csv", session))))
    lab.equal([row["name"] for row in flat if row["section"] == "findings"][0], first["id"], "in csv of all")
    for verbose in [], ["--verbose"]:
        text = bench.cinstr("summary", *verbose, session)
        lab.check(f"{first['id']} -> {first['command']}" in text and "job: rare slow calls" in text, text)
    duration = next(int(row["value"]) for row in flat if row["name"] == "duration")
    share = 100 * first["time_ns"] / duration  # of the run with its probes
    lab.check(0.99 * share <= first["percent"] <= 100, f"{first}, of {duration}")


@findings.test("a session with a long name")
def long_name(bench):
    """It is named once, so that commands fit into 80 columns. They can be copied as they are."""
    program = findings.build(bench, "rare.c")
    findings.look(bench, program, "disk")
    session = bench.path("a session whose name is rather long")
    shutil.rmtree(session, ignore_errors=True)
    shutil.copytree(bench.path("rare-disk"), session)
    command = findings.findings(bench, session)[0]["command"]
    for options in ["--findings"], []:
        lines = bench.cinstr("summary", "--width=80", *options, session).splitlines()
        named = [line for line in lines if line.startswith("S=")]
        lab.equal([line for line in lines if len(line) > 80 and line not in named], [], "lines over 80 columns")
        lab.equal(len(named), 1, f"lines that name the session: {lines}")
        shown = [line.split("-> ")[1] for line in lines if "-> cinstr" in line]
        lab.equal(shown[0], command.replace(repr(os.path.basename(session)), '"$S"'), "the command")
        shell = "\n".join([f'cinstr() {{ {lab.COMMAND} "$@"; }}', named[0], shown[0]])
        lab.check(shown[0].split()[-2] in bench.run("sh", "-c", shell, status=0).stdout, shell)


@lab.test("findings/explain")
def explained(bench):
    every = bench.cinstr("summary", "--explain=all")
    ids = [line.split()[0] for line in every.splitlines() if line.startswith("CF")]
    lab.check(len(ids) >= 8 and ids == list(dict.fromkeys(ids)), f"ids: {ids}")
    for part in "measured", "the percentage", "why it matters", "what people do", "false alarm":
        lab.equal(every.count(f"\n  {part} "), len(ids), part)
    one = bench.cinstr("summary", "--explain=cf0102")
    lab.check(one.startswith("CF0102  ") and one in every, one)
    wrong = bench.run(lab.COMMAND, "summary", "--explain=CF9", status=2).stderr
    lab.check("no such finding" in wrong and "CF0102" in wrong, wrong)


@lab.test("findings/the document lists them")
def documented(bench):
    every = bench.cinstr("summary", "--explain=all")
    rules = [line.split("  ", 1) for line in every.splitlines() if line.startswith("CF")]
    with open(os.path.join(lab.ROOT, "doc/findings.md")) as file:
        listed = [[cell.strip() for cell in line.split("|")[1:3]] for line in file if line.startswith("| CF")]
    lab.equal(listed, rules, "doc/findings.md")


@lab.test("findings/a false alarm counts in whichever recording it is")
def alarm(bench):
    """Also in one that was made again, as it did not tell of what is there."""
    told = {"A": {"id": "CF0901", "subject": "it", "text": "is there", "percent": 1},
            "B": {"id": "CF0902", "subject": "it", "text": "is not there", "percent": 1}}

    def ends(*recordings):
        left = list(recordings)

        def look():
            return findings.Found(told[name] for name in (left.pop(0) if len(left) > 1 else left[0]))

        def once(bench):
            found = findings.recorded(bench, "none", look)
            findings.present(found, "CF0901", "it", "there")
            findings.absent(found, "CF0902")

        try:
            with contextlib.redirect_stdout(io.StringIO()):
                findings.run(once, bench)
            return "good"
        except findings.FalseAlarm:
            return "alarm"
        except lab.TimeFailure:
            return "none"

    for recordings, end in {("A",): "good", ("AB",): "alarm", ("", "A"): "good", ("B", "A"): "alarm",
                            ("",): "none", ("B",): "none"}.items():
        lab.equal(ends(*recordings), end, f"recordings that tell {recordings}")
