# SPDX-License-Identifier: GPL-3.0-or-later
"""Executed instructions in the page: their numbers are those of `--measure=instructions`, wherever
values are chosen; what is an estimate, and what was never executed, is seen as such."""
import csv
import io
import json

import browser
import lab
import served
from case_look import show
from case_page import numbers_of

READY = "document.body.dataset.ready === '1'"
OPTION = "-fplugin-arg-cinstr-instructions"
# Views that have one.
CHOICES = ("functions", "tree", "flame", "function", "threads", "processes", "modules")
PROGRAM = """#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#define NOINLINE __attribute__((noipa))
static volatile int sink;
static int table[1 << 20];
NOINLINE static void never(void) { sink = 7; }
NOINLINE static int leaf(int n)
{
	int sum = 0;
	for (int i = 0; i < n; i++)
		sum += table[i & 1023];
	if (n > 1000000)
		never();
	return sum;
}
NOINLINE static int a(int n) { int sum = 0; for (int i = 0; i < n; i++) sum += leaf(300); return sum + sink; }
NOINLINE static int b(int n) { int sum = 0; for (int i = 0; i < n; i++) sum += leaf(1000); return sum + sink; }
NOINLINE static int down(int n) { return n ? down(n - 1) + 1 : 0; }
static void *work(void *arg)
{
	sink = a(100) + down(20);
	return arg;
}
int main(int argc, char **argv)
{
	pthread_t thread;
	memset(table, 1, sizeof(table));
	pthread_create(&thread, NULL, work, NULL);
	pthread_join(thread, NULL);
	sink = a(400) + b(700);
	if (argc > 9)
		never();
	return 0;
}
"""


def record(bench, *options):
    program = bench.compile(bench.write("counted.c", PROGRAM), "counted", "-O1", "-g", "-pthread", *options)
    bench.run(program, status=0, env={"CINSTR_DATA": bench.path("cinstr.data")})
    return bench.path("cinstr.data")


def made(bench, *arguments):
    bench.cinstr("html", "-o", bench.path("page.html"), *arguments, bench.path("cinstr.data"))
    return bench.path("page.html")


def rows(bench, *command):
    text = bench.cinstr(*command, "--measure=instructions", "--names=short", "--format=csv", bench.path("cinstr.data"))
    return list(csv.DictReader(io.StringIO(text)))


def shown_of(page, section, names):
    """Rows of a section: their name, and these columns as csv has them."""
    columns = numbers_of(page, section)
    names_of = page.evaluate(f"""model.load('{section}').then(s => Array.from(upTo(s.n), i => s.function ? model.nodeName(s, i) : s.text('name', i)))""")
    return [(name, *(columns[column][i] for column in names)) for i, name in enumerate(names_of)]


def opened(page, view, state="", **how):
    return browser.page(f"{page}#{view}?measure=instructions&{state}", wait=READY, **how)


@lab.test("instructions/numbers are those of --measure=instructions")
def numbers(bench):
    record(bench, OPTION)
    columns = "calls", "inclusive_instructions", "exclusive_instructions", "inclusive_instructions_is_estimate"
    with opened(made(bench), "functions") as page:
        lab.check(page.evaluate("model.isExecuted"), "the page is of time")
        report = json.loads(bench.cinstr("report", "--measure=instructions", "--format=json", bench.path("cinstr.data")))
        lab.equal(page.evaluate("model.session.instructions"), report["session"]["instructions"], "all instructions")
        known = {row[0]: row[1:] for row in shown_of(page, "functions", (*columns, "exclusive_instructions_is_estimate", "inclusive_instructions_percent"))}
        for row in report["rows"]:
            want = [row[key] for key in ("calls", "inclusive_instructions", "instructions", "inclusive_instructions_is_estimate", "instructions_is_estimate")]
            lab.equal([float(value) for value in known[row["name"]]], [*map(float, want), row["inclusive_instructions_percent"]], row["name"])
        counted = {row["name"] for row in report["rows"]}
        lab.check({"leaf", "a", "b", "main", "work", "down"} <= counted, f"functions: {counted}")
        lab.equal({name for name, row in known.items() if row[1] != "0"}, counted, "functions that executed something")
        tree = [(row["name"], *(row[key] for key in (*columns, "depth"))) for row in rows(bench, "tree")]
        depths = page.evaluate("model.load('nodes').then(s => Array.from(s.depth, String))")
        estimates = page.evaluate("model.load('nodes').then(s => Array.from(s.get('inclusive_instructions.marks'), one => one ? '1' : '0'))")
        paths = [(*row, estimate, depth) for row, estimate, depth in zip(shown_of(page, "nodes", columns[:3]), estimates, depths)]
        lab.equal(paths, tree, "call paths")
        lab.check("1" in estimates and "0" in estimates, "some paths are estimates, and some are not")
        threads = [(row["name"], row["inclusive_instructions"]) for row in rows(bench, "tree", "--by=thread") if row["depth"] == "1"]
        lab.equal([row[:2] for row, depth in zip(shown_of(page, "thread_nodes", columns[1:2]), page.evaluate("model.load('thread_nodes').then(s => Array.from(s.depth))")) if depth == 1],
                  threads, "threads")
        for by in "module", "thread":
            want = {(row["name"], row["instructions"]) for row in rows(bench, "report", f"--by={by}") if row["instructions"] != "0"}
            lab.equal({row for row in shown_of(page, by + "s", ("exclusive_instructions",)) if row[1] != "0"}, want, f"by {by}")
        edges, names = numbers_of(page, "edges"), page.evaluate("Array.from(upTo(model.functions.n), i => model.functionName(i))")
        of = {(names[int(edges["caller"][i])], names[int(edges["function"][i])]): tuple(edges[key][i] for key in columns[:3]) for i in range(len(edges["caller"]))}
        for row in rows(bench, "callers", "leaf"):
            if row["type"] == "caller":
                lab.equal(of[row["name"], "leaf"], tuple(row[key] for key in columns[:3]), f"{row['name']} calls leaf")


@lab.test("instructions/lines of source, and those that were never executed")
def lines(bench):
    record(bench, OPTION)
    want = {int(row["line"]): (row["instructions"], row["executions"]) for row in rows(bench, "annotate")}
    text = PROGRAM.split("\n")
    with opened(made(bench), "function", "function=leaf") as page:
        shown = page.evaluate("""[...document.querySelectorAll('.source tbody tr')].map(row => [row.className, ...[...row.cells].map(cell => cell.innerText)])""")
        first = text.index("NOINLINE static int leaf(int n)") + 1
        lab.equal([int(row[3]) for row in shown], list(range(first, first + len(shown))), "lines")
        lab.equal(text[first - 1 + len(shown) - 1], "}", "the last line")
        for kind, instructions, executions, line, code in shown:
            lab.equal(code.strip(), text[int(line) - 1].strip(), f"line {line}")
            have = want.get(int(line), ("0", ""))
            lab.equal((instructions.replace(",", "") or "0", executions.replace(",", "").replace("never", "0")), have, f"values of line {line}")
            lab.equal(kind == "never", have[1] == "0", f"line {line} is seen as never executed")
        lab.equal([row[2] for row in shown if "never();" in row[4]], ["never"], "the line of never()")


@lab.test("instructions/a choice wherever there is one of values, which keeps the place")
def choices(bench):
    record(bench, OPTION)
    pressed = "[...document.querySelectorAll('.choice [aria-pressed=true]')].map(one => one.innerText).join()"
    click = "[...document.querySelectorAll('.choice button')].find(one => one.innerText === '%s').click()"
    with browser.page(made(bench) + "#functions?columns=full", wait=READY) as page:
        for view in CHOICES:
            show(page, view, "function=b")
            lab.check(not page.evaluate("model.isExecuted"), f"{view} is of time first")
            page.evaluate(click % "Instructions")
            page.wait("model.isExecuted && %s && document.body.dataset.view === '%s' && %s === 'Instructions'" % (READY, view, pressed))
            lab.check("Instructions are counted in counted only." in page.text("#view"), f"{view} does not say where they are counted")
            page.evaluate(click % ("Elapsed" if view in ("flame", "function") else "Time"))
            page.wait(f"!model.isExecuted && {READY}")
        show(page, "tree", "path=0")
        place = "model.load('nodes').then(s => { const p = []; for (let i = Number(state.get('path')); i >= 0; i = s.parent[i]) p.unshift(model.nodeName(s, i)); return p.join(); })"
        page.evaluate("model.load('nodes').then(s => { const at = [...upTo(s.n)].find(i => model.nodeName(s, i) === 'leaf' && model.nodeName(s, s.parent[i]) === 'b'); set({ path: String(at) }); })")
        lab.equal(page.evaluate(place), "main,b,leaf", "the path")
        page.evaluate(click % "Instructions")
        page.wait(f"model.isExecuted && {READY}")
        lab.equal(page.evaluate(place), "main,b,leaf", "the path, of instructions")
        for view in page.evaluate("shown().map(view => view.id)"):
            show(page, view, "function=leaf&measure=instructions")
            lab.equal(page.evaluate("model.isExecuted"), view in CHOICES, f"{view} is of instructions")
        show(page, "flame", "measure=instructions")
        graph = "views.find(view => view.id === 'flame').graph"
        told = page.evaluate(f"Array.from({{ length: {graph}.tree.n }}, (_, i) => [{graph}.tree.chain(i).map(k => {graph}.name(k)).join(' '), {graph}.tell(i)])")
        estimates = {path: "instructions \u2248" in text for path, text in told if path.endswith(("main", "work", "leaf"))}
        lab.equal(estimates, {"main": False, "main b leaf": True, "main a leaf": True, "work": False, "work a leaf": False}, "which boxes are estimates")
        show(page, "function", "function=memset&measure=instructions")
        lab.check("No instructions of it are known here." in page.text("#view"), page.text("#view"))


@lab.test("instructions/the page begins with them; where they are not known")
def begins(bench):
    record(bench, OPTION)
    with browser.page(made(bench, "--measure=instructions"), wait=READY) as page:
        lab.equal(page.evaluate("[document.body.dataset.view, model.isExecuted, location.hash]"), ["functions", True, "#functions?measure=instructions"], "what is shown")
    with browser.page(made(bench, "--just-my-code") + "#functions?measure=instructions", wait=READY) as page:
        lab.check("No instructions here: what the system's libraries executed is not counted." in page.text("#view"), page.text("#view"))
        lab.equal(page.evaluate("[model.isExecuted, model.functions.has('ns_per_instruction')]"), [False, False], "of time alone")
    with browser.page(made(bench, "--measure=instructions", bench.path("cinstr.data"), "--"), wait=READY) as page:
        lab.check("These are the instructions of A." in page.text("#view"), page.text("#view"))
    said = bench.run(lab.COMMAND, "html", "--measure=instructions", "--from=1ms", bench.path("cinstr.data"), status=2).stderr
    lab.check("instructions are counted for the whole of a process" in said, said)
    record(bench)
    with browser.page(made(bench) + "#functions?measure=instructions", wait=READY) as page:
        for view in page.evaluate("shown().map(view => view.id)"):
            show(page, view, "function=leaf&measure=instructions")
            lab.check("Instructions" not in page.text("body"), f"{view} tells of instructions")
        lab.check(not page.evaluate("inPage.has('i.index') || /instructions\"/.test(JSON.stringify(model.index))"), "the page's data have instructions")
    said = bench.run(lab.COMMAND, "html", "--measure=instructions", "-o", bench.path("none.html"), bench.path("cinstr.data"), status=1).stderr
    lab.check("no executed instructions were counted" in said, said)


@lab.test("instructions/time by instruction, of functions that call nothing")
def each(bench):
    record(bench, OPTION)
    with browser.page(made(bench) + "#functions", wait=READY) as page:
        instructions = {row["name"]: int(row["instructions"]) for row in rows(bench, "report") if row["instructions"]}
        times = shown_of(page, "functions", ("cpu_exclusive_ns", "ns_per_instruction"))
        found = {name: (float(ns), float(each)) for name, ns, each in times if each}
        lab.check("leaf" in found and not {"main", "work", "a", "b", "memset"} & set(found), f"it is known of {list(found)}")
        for name, (ns, each_) in found.items():
            lab.check(abs(each_ * instructions[name] - ns) <= 1 + 1e-6 * instructions[name], f"{name}: {each_} ns, {instructions[name]} instructions, {ns} ns")


@lab.test("instructions/served, and of a range of time")
def ranged(bench):
    program = record(bench, OPTION)
    bench.run(bench.path("counted"), status=0, env={"CINSTR_DATA": program, "CINSTR_TIMELINE": "unlimited"})
    events = list(csv.DictReader(io.StringIO(bench.cinstr("timeline", "--format=csv", program))))
    middle = events[len(events) // 2]["time_ns"]
    server = served.Server(bench, program)
    try:
        with browser.page(server.address + "#functions?measure=instructions", wait=READY, allowed=(server.address,)) as page:
            lab.check(page.evaluate("model.isExecuted"), "the page is of time")
            whole = page.evaluate("model.session.instructions")
            page.evaluate(f"askRange(0, {middle})")
            page.wait("!model.isExecuted && document.body.dataset.edition !== undefined")
            lab.check("No instructions here: they are counted for the whole of a process." in page.text("#view"), page.text("#view"))
            page.evaluate("askRange(0, 0)")
            page.wait("model.isExecuted")
            lab.equal(page.evaluate("model.session.instructions"), whole, "instructions again")
    finally:
        server.end()


@lab.test("instructions/look")
def look(bench):
    record(bench, OPTION)
    for width in 390, 800, 1280:
        for dark in False, True:
            with browser.page(made(bench, "--measure=instructions"), width=width, dark=dark, wait=READY) as page:
                for view in page.evaluate("shown().map(view => view.id)"):
                    show(page, view, "function=leaf&measure=instructions")
                    lab.equal(page.evaluate("model.isExecuted"), view in CHOICES, f"{view} is of instructions")
                    for check in "overflow", "contrast", "names", "words":
                        lab.equal(page.check_with(check), [], f"{view}, {width} wide, {'dark' if dark else 'light'}: {check}")
                    page.screenshot(f"instructions-{view}-{width}-{'dark' if dark else 'light'}")
                for view in "functions", "function", "flame":
                    show(page, view, "function=leaf")
                    page.screenshot(f"instructions-times-{view}-{width}-{'dark' if dark else 'light'}")
