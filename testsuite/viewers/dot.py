# SPDX-License-Identifier: GPL-3.0-or-later
"""Call graphs for Graphviz: drawn by dot; boxes and arrows have csv's numbers."""
import html
import json
import re

import golden
import lab


def graph(bench, path):
    golden.need("dot")
    done = bench.run("dot", "-Tjson", path, status=0)
    lab.equal(done.stderr, "", "dot's stderr")
    return json.loads(done.stdout)


@lab.test("dot/boxes and arrows")
def boxes(bench):
    session = golden.record(bench)
    rows = golden.csv_rows(bench, session)
    path = golden.export(bench, "dot", session, "--min-percent=0", "--limit=1000")
    found = graph(bench, path)
    names = {node["tooltip"]: node for node in found["objects"]}
    calls = {}
    for name, node in names.items():
        times = re.search(r"\\n([\d,]+) x$", node["label"])
        calls[name] = int(times.group(1).replace(",", "")) if times else 0
    shown = [row for row in rows if row["elapsed_inclusive_ns"] != "0"]
    golden.same_values(calls, shown, "calls", "dot")
    lab.check(f"Drawn: {len(names)} of {len(names)} functions" in found["label"].replace(",", ","), found["label"])
    picture = bench.run("dot", "-Tsvg", path, status=0).stdout
    lab.check(any(html.escape(golden.HOSTILE, quote=False).replace("'", "&#39;") in picture or name in html.unescape(picture)
                  for name in [golden.HOSTILE]), "the odd name")


@lab.test("dot/few of many")
def few(bench):
    session = golden.record(bench)
    found = graph(bench, golden.export(bench, "dot", session, "--limit=4"))
    lab.equal(len(found["objects"]), 4, "boxes")
    lab.check(re.search(r"Drawn: 4 of \d+ functions, \d+ of \d+ calls: at least 0.5 % .*at most 4 functions", found["label"]), found["label"])
    found = graph(bench, golden.export(bench, "dot", session, "--min-percent=20"))
    for node in found["objects"]:
        share = re.findall(r"\(([\d.]+) %\)", node["label"])
        lab.check(float(share[-1]) >= 19.9, node["label"])
    found = graph(bench, golden.export(bench, "dot", session, "--measure=waiting", "--by=thread-name", "--min-percent=0"))
    lab.check("usleep" in {node["tooltip"] for node in found["objects"]}, "who waits")
    done = bench.run(lab.COMMAND, "export", "-f", "dot", "--measure=calls", session, status=2)
    lab.check("--measure=calls" in done.stderr, done.stderr)
