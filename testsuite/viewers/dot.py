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
    golden.same_values(calls, rows, "calls", "dot")
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


CHANGED = """#include <stdlib.h>
volatile unsigned sink;
__attribute__((noipa)) static void work(int n) { for (int i = 0; i < n * 100000; i++) sink += i; }
__attribute__((noipa)) static void grows(int n) { work(n); for (int i = 0; i < n * 100000; i++) sink += i; }
__attribute__((noipa)) static void shrinks(int n) { work(n); for (int i = 0; i < n * 100000; i++) sink += i; }
__attribute__((noipa)) static void only_before(void) { work(60); }
__attribute__((noipa)) static void only_after(void) { work(60); }
int main(int argc, char **argv) { int is_after = argc > 1; grows(is_after ? 200 : 10); shrinks(is_after ? 10 : 200);
  if (is_after) { only_after(); only_after(); } else only_before(); return 0; }"""


@lab.test("dot/two sessions")
def two(bench):
    program = bench.compile(bench.write("changed.c", CHANGED), "changed", "-O1")
    sides = []
    for name, *arguments in ("a.data", ), ("b.data", "after"):
        bench.run(program, *arguments, status=0, env={"CINSTR_DATA": bench.path(name)})
        sides.append({row["name"]: row for row in golden.csv_rows(bench, bench.path(name))})
    found = graph(bench, golden.export(bench, "dot", bench.path("a.data"), "--min-percent=0", other=bench.path("b.data")))
    boxes = {node["tooltip"]: node for node in found["objects"]}
    hue = {name: float(node["fillcolor"].split()[0]) for name, node in boxes.items()}
    lab.equal((hue["grows"], hue["shrinks"]), (0.0, 0.6), "red is more, blue is less")
    style = {name: boxes[name]["style"] for name in ("only_before", "only_after", "work")}
    lab.equal(style, {"only_before": "filled,dashed", "only_after": "filled,bold", "work": "filled"}, "what is gone, and new")
    lab.check("0 \u2192 2 x" in boxes["only_after"]["label"] and "1 \u2192 0 x" in boxes["only_before"]["label"], f"calls: {boxes}")
    for name in "work", "main", "grows":
        calls = [side[name]["calls"] for side in sides]
        wanted = f"{calls[0]} x" if calls[0] == calls[1] else f"{calls[0]} \u2192 {calls[1]} x"
        lab.check(boxes[name]["label"].endswith("\\n" + wanted), f"{name}: {boxes[name]['label']}, csv has {calls}")
    colours = {(found["objects"][edge["tail"]]["tooltip"], found["objects"][edge["head"]]["tooltip"]): edge.get("color") for edge in found["edges"]}
    lab.equal([colours["grows", "work"], colours["shrinks", "work"]], ["#c03030", "#3050c0"], "arrows")
    lab.check("before: " in found["label"], found["label"])
