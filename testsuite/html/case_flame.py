# SPDX-License-Identifier: GPL-3.0-or-later
"""The flame graph: values are csv's, zoom and search, deep recursion, narrow and dark pages."""
import csv
import io
import json
import os
import shutil

import browser
import lab
import sessions

GRAPH = "views.find(view => view.id === 'flame').graph"
READY = "document.body.dataset.ready === '1' && document.body.dataset.view === 'flame'"
PAGE_SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../report/html/page")


def recorded(bench, source="programs/waiting.c", *args, flags=("-pthread",), env=None):
    program = bench.compile(source, "program", "-O1", *flags)
    bench.run(program, *args, env=env, status=0)
    page = bench.path("page.html")
    bench.cinstr("html", "-o", page, bench.path("cinstr.data"))
    return page


def opened(page, keys="", **how):
    return browser.page(f"{page}#flame?{keys}", wait=READY, **how)


def again(page, keys):
    page.evaluate("delete document.body.dataset.ready")
    page.go(page.address.split("#")[0] + "#flame?" + keys)
    page.wait(READY)


def csv_paths(bench):
    """{names from the root on: row}"""
    paths, chain = {}, []
    for row in csv.DictReader(io.StringIO(bench.cinstr("tree", "--names=short", "--format=csv", bench.path("cinstr.data")))):
        chain[int(row["depth"]) - 1:] = [row["name"]]
        paths[tuple(chain)] = row
    return paths


def told(page):
    """Of each box: the path's names, and what its tooltip says."""
    return page.evaluate(f"""{GRAPH}.boxes.node.filter(node => node >= 0).map(node => [
        {GRAPH}.tree.chain(node).map(one => {GRAPH}.name(one)), {GRAPH}.tell(node)])""")


def numbers(text):
    """{column: number} of a tooltip."""
    found = {}
    for line in text.split("\n"):
        words = line.split(" ")
        if len(words) >= 2 and words[0].replace("_", "").isalpha() and words[1].replace(".", "").isdigit():
            found[words[0]] = words[1]
    return found


@lab.test("flame/layout")
def layout(bench):
    if not shutil.which("node"):
        lab.need("node")
    scripts = [os.path.join(PAGE_SOURCES, f"flame_{name}.js") for name in ("layout", "merge", "inverted", "boxes")]
    done = bench.run("node", os.path.join(PAGE_SOURCES, "../../../testsuite/html/flame_layout.test.js"), *scripts, status=0)
    lab.equal(done.stdout.strip(), "ok", "what it says")


@lab.test("flame/tooltips are csv's numbers")
def tooltips(bench):
    page_file, paths = recorded(bench, "programs/views.c"), csv_paths(bench)
    with opened(page_file) as page:
        for measure in "elapsed", "application", "cpu", "calls":
            again(page, f"measure={measure}&collapse=0")
            boxes = told(page)
            lab.check(len(boxes) > 3, f"{measure}: only {len(boxes)} boxes")
            for chain, text in boxes:
                row = paths.get(tuple(chain))
                lab.check(row, f"no such path in csv: {chain}")
                found = numbers(text)
                lab.check("calls" in found, text)
                for column, value in found.items():
                    lab.equal(value, row[column], f"{measure}: {column} of {chain}")
        again(page, "measure=elapsed")
        x, y = page.evaluate(f"(r => [r.x + 20, r.y + 9])(document.querySelector('.canvas canvas').getBoundingClientRect())")
        page.hover_at(x, y)
        page.wait("document.getElementById('tip')?.hidden === false")
        lab.equal(page.text("#tip"), page.evaluate(f"{GRAPH}.tell({GRAPH}.boxes.node[0])"), "the tooltip")


@lab.test("flame/zoom, back, the call tree, callers, keys")
def zoom(bench):
    with opened(recorded(bench, "programs/views.c")) as page:
        where = page.evaluate(f"""(() => {{ const g = {GRAPH}, k = g.boxes.begin(1), r = document.querySelector('.canvas canvas').getBoundingClientRect();
            return [r.x + g.boxes.x[k] + g.boxes.w[k] / 2, r.y + g.topOf(1) + 9, g.boxes.node[k], g.name(g.boxes.node[k])]; }})()""")
        page.click_at(*where[:2])
        lab.equal(page.evaluate(f"{GRAPH}.zoom"), where[2], "zoomed to")
        lab.check(page.text(".crumbs").endswith(where[3]), page.text(".crumbs"))
        lab.equal(page.evaluate("state.get('path')"), str(where[2]), "in the address")
        lab.equal(page.evaluate("state.get('function')"), where[3], "function in the address")
        page.key("Backspace")
        lab.equal(page.evaluate(f"{GRAPH}.zoom"), -1, "after going back")
        page.evaluate(f"{GRAPH}.select(-1); document.querySelector('.canvas').focus()")
        page.key("ArrowDown")
        page.key("ArrowDown")
        lab.equal(page.evaluate(f"{GRAPH}.tree.chain({GRAPH}.selected).length"), 2, "levels down by keys")
        page.key("Enter")
        chosen = page.evaluate(f"{GRAPH}.zoom")
        lab.check(chosen >= 0, "Enter does not zoom in")
        page.reload()
        page.wait(READY)
        lab.equal(page.evaluate(f"{GRAPH}.zoom"), chosen, "by the address")
        page.key("i")
        page.wait(f"{GRAPH}.isInverted")
        page.wait(READY)
        total = page.evaluate(f"{GRAPH}.tree.total")
        own = [float(row["elapsed_exclusive_ns"]) for row in csv_paths(bench).values()]
        lab.check(abs(total - sum(own)) <= len(own), f"all own time: {total}, and csv has {sum(own)}")
        page.evaluate(f"{GRAPH}.zoomTo({GRAPH}.boxes.node[0] < 0 ? {GRAPH}.boxes.node[1] : {GRAPH}.boxes.node[0])")
        name = page.evaluate(f"{GRAPH}.name({GRAPH}.selected)")
        page.key("t")
        page.wait("document.body.dataset.view === 'tree'")
        lab.equal(page.evaluate("[state.get('path'), state.get('find')]"), [None, name], "what is no path is found by its name")
        lab.check(name in page.text("tr.cursor"), page.text("tr.cursor"))
        page.evaluate("history.back()")
        page.wait(f"document.body.dataset.view === 'flame' && {GRAPH}.isInverted")
        page.evaluate("delete document.body.dataset.ready")
        page.key("i")
        page.wait(READY)
        page.evaluate(f"{GRAPH}.zoomTo({where[2]})")
        page.key("t")
        page.wait("document.body.dataset.view === 'tree'")
        lab.equal(page.evaluate("state.get('path')"), str(where[2]), "the path in the tree")
        page.evaluate("delete document.body.dataset.ready; document.querySelector('.box').focus()")
        page.key("g")
        page.wait(READY)
        lab.equal(page.evaluate(f"{GRAPH}.zoom"), where[2], "the tree's path in the graph")


@lab.test("flame/two sessions: red is more in B, blue is less")
def two(bench):
    sessions.changed(bench)
    bench.cinstr("html", "-o", bench.path("page.html"), bench.path("a.data"), "--", bench.path("b.data"))
    value = {}
    for name in "a.data", "b.data":
        for row in csv.DictReader(io.StringIO(bench.cinstr("tree", "--names=short", "--format=csv", bench.path(name)))):
            value[name, row["name"], int(row["depth"])] = row["cpu_inclusive_ns"]
    with opened(bench.path("page.html")) as page:
        for width in "before", "after":
            again(page, f"measure=cpu&width={width}")
            found = dict(page.evaluate(f"""Array.from({{ length: {GRAPH}.tree.n }}, (_, i) => [{GRAPH}.name(i), [{GRAPH}.changeOf(i), {GRAPH}.tree.value[i],
                {GRAPH}.tell(i), {GRAPH}.colourOfNode(i).match(/\\d+/g).map(Number)]])"""))
            lab.check(found["grows"][0] > 0.8 and found["shrinks"][0] < -0.8, f"changes: {found['grows'][0]}, {found['shrinks'][0]}")
            lab.equal([found["only_before"][0], found["only_after"][0]], [-1, 1], "of what is on one side only")
            lab.check((found["grows"][1] > found["shrinks"][1]) == (width == "after"), f"wide as {width}: {found['grows'][1]}, {found['shrinks'][1]}")
            red, _, blue = found["grows"][3]
            lab.check(red > blue + 60, f"more is {found['grows'][3]}")
            red, _, blue = found["shrinks"][3]
            lab.check(blue > red + 60, f"less is {found['shrinks'][3]}")
            for name in "grows", "shrinks":
                for data in "a.data", "b.data":
                    lab.check(f"cpu_inclusive_ns {value[data, name, 2]} " in found[name][2].replace("\n", " "), f"{name} of {data}, {value[data, name, 2]}: {found[name][2]}")
            page.screenshot(f"flame-two-{width}")
        again(page, "measure=cpu&invert=1")
        change, = page.evaluate(f"Array.from({{ length: {GRAPH}.tree.n }}, (_, i) => i).filter(i => {GRAPH}.name(i) === 'work' && {GRAPH}.tree.parent[i] < 0).map(i => {GRAPH}.changeOf(i))")
        lab.check(abs(change) < 0.4, f"work() as a whole has changed by {change}")


@lab.test("flame/search tells the share")
def search(bench):
    with opened(recorded(bench, "programs/views.c"), "measure=elapsed") as page:
        functions = list(csv.DictReader(io.StringIO(bench.cinstr("report", "--names=short", "--format=csv", bench.path("cinstr.data")))))
        one = max((row for row in functions if row["name"] != "main"), key=lambda row: float(row["elapsed_inclusive_ns"]))
        page.click("input[type=search]")
        page.type(one["name"].upper())
        share = float(page.text("#flame-found").split(" ")[0])
        lab.check(share >= float(one["elapsed_inclusive_percent"]) - 0.06, f"{share} %, and csv has {one['elapsed_inclusive_percent']}")
        page.evaluate(f"(i => {{ i.value = 'no such function'; i.dispatchEvent(new Event('input')); }})(document.querySelector('input[type=search]'))")
        lab.equal(page.text("#flame-found"), "none", "what is found of nothing")


@lab.test("flame/recursion 10,000 deep")
def deep(bench):
    levels = 10000
    bench.write("deep.c", """#include <stdlib.h>
        volatile unsigned sink;
        __attribute__((noinline)) static int down(int n) { sink += n; for (int i = 0; !n && i < 9000000; i++) sink += i; return n ? down(n - 1) + 1 : 0; }
        int main(int argc, char **argv) { (void)argc; sink += down(atoi(argv[1])); return 0; }""")
    with opened(recorded(bench, bench.path("deep.c"), str(levels), env={"CINSTR_PATHS": "100000"}), "measure=elapsed") as page:
        lab.check(page.evaluate(f"{GRAPH}.boxes.rows") <= 3, "recursion is not one level")
        again(page, "measure=elapsed&collapse=0")
        # what is not there in time comes with the next frames
        page.wait(f"{GRAPH}.boxes.rows >= {levels}")
        page.evaluate("document.querySelector('.canvas').scrollTop = 1e9")
        page.wait(f"{GRAPH}.box.top > {levels} * 17")
        page.evaluate(f"{GRAPH}.box.drawNow()")
        colours = page.evaluate("""(c => { const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data, s = new Set();
            for (let i = 0; i < d.length; i += 4) s.add(d[i] << 16 | d[i + 1] << 8 | d[i + 2]); return s.size; })(document.querySelector('.canvas canvas'))""")
        lab.check(colours > 2, "nothing is drawn at the end")
        again(page, "measure=elapsed&invert=1&collapse=0")
        lab.check(page.evaluate(f"{GRAPH}.boxes.rows") < 1000, "callers that nobody looks at were looked for")
        again(page, "measure=elapsed&shape=flame&collapse=0")
        page.wait(f"{GRAPH}.rowAt({GRAPH}.box.top + {GRAPH}.box.height - 1) === 0")


@lab.test("flame/recursion is one level, where there is some")
def recursive(bench):
    pressed = "[...document.querySelectorAll('.tools button')].find(one => one.innerText === 'Recursion as one')?.getAttribute('aria-pressed') ?? null"
    bench.cinstr("html", "-o", bench.path("page.html"), sessions.golden(bench, "recursion"))
    with opened(bench.path("page.html")) as page:
        lab.equal(page.evaluate(pressed), "true", "the button")
        one = page.evaluate(f"{GRAPH}.tree.n")
        page.key("r")
        page.wait(f"{READY} && {GRAPH}.tree.n > {one}")
        lab.equal(page.evaluate(pressed), "false", "the button")
        above = page.evaluate(f"(g => Array.from(upTo(g.tree.n), node => g.tree.chain(node).map(one => g.name(one))).some(names => new Set(names).size < names.length))({GRAPH})")
        lab.check(above, "no function is above itself")
        page.key("r")
        page.wait(f"{READY} && {GRAPH}.tree.n === {one}")
    sessions.changed(bench)
    bench.cinstr("html", "-o", bench.path("page.html"), bench.path("a.data"))
    with opened(bench.path("page.html")) as page:
        lab.equal(page.evaluate(pressed), None, "a button that does nothing")


@lab.test("flame/narrow, dark")
def sizes(bench):
    page_file = recorded(bench, "programs/views.c")
    with opened(page_file, "colour=waiting", width=360, height=640, dark=True) as page:
        lab.equal(page.evaluate("document.documentElement.scrollWidth"), 360, "width of the page")
        page.screenshot("flame-narrow-dark")
        first = page.evaluate(f"{GRAPH}.colourOfNode({GRAPH}.boxes.node[0])")
        page.scheme("light")
        page.wait(f"{GRAPH}.colourOfNode({GRAPH}.boxes.node[0]) !== {json.dumps(first)}")
        page.screenshot("flame-narrow")


@lab.test("flame/what changed of samples: shares")
def shares(bench):
    """B takes three times as many samples: only what takes another share has a colour."""
    plain = bench.compile(bench.write("either.c", """volatile unsigned sink;
        __attribute__((noipa)) static void one(void) { for (int i = 0; i < 100000000; i++) sink++; }
        __attribute__((noipa)) static void other(void) { for (int i = 0; i < 300000000; i++) sink++; }
        int main(int argc, char **argv) { if (argc > 1) other(); else one(); return 0; }"""), "either", "-O1", plugin=None)
    for name, *arguments in ("a.data", ), ("b.data", "1"):
        bench.cinstr("record", "--sample", "-o", bench.path(name), "--", plain, *arguments)
        if not os.path.exists(bench.path(name)) or bench.report(name)["session"]["samples"] < 50:
            raise lab.Skip("few samples were taken here")
    bench.cinstr("html", "-o", bench.path("page.html"), bench.path("a.data"), "--", bench.path("b.data"))
    with opened(bench.path("page.html")) as page:
        found = dict(page.evaluate(f"""(g => Array.from(upTo(g.tree.n), node => [g.name(node), [g.changeOf(node), g.tellChange(node)[0]]]))({GRAPH})"""))
        lab.equal([found[name][0] for name in ("main", "one", "other")], [0, -1, 1], f"changes: {found}")
        lab.check("points" in found["other"][1] and "within what is uncertain" in found["main"][1], f"what is told: {found}")


@lab.test("flame/two builds of a program, by different names")
def builds(bench):
    """As in cinstr diff their functions are the same ones."""
    for name, argument in ("before", "0"), ("after", "1"):
        program = bench.compile(bench.write("changed.c", sessions.CHANGED), name, "-O1")
        bench.run(program, argument, status=0, env={"CINSTR_DATA": bench.path(name + ".data")})
    bench.cinstr("html", "-o", bench.path("page.html"), bench.path("before.data"), "--", bench.path("after.data"))
    with opened(bench.path("page.html"), "measure=elapsed") as page:
        found = page.evaluate(f"(g => Array.from(upTo(g.tree.n), node => [g.name(node), g.tree.left[node] > 0, g.tree.right[node] > 0]))({GRAPH})")
        lab.equal(sorted(sides for sides in found if sides[0] in ("grows", "main", "shrinks")), [[name, True, True] for name in ("grows", "main", "shrinks")], "what both have")
