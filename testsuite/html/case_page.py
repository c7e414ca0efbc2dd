# SPDX-License-Identifier: GPL-3.0-or-later
"""The page of cinstr html: its numbers are those of csv, its views hold together at any width, and
names are what they are."""
import csv
import io
import json
import os

import browser
import lab

READY = "document.body.dataset.ready === '1'"
HOSTILE = "</script><img src=x onerror=alert(1)><!--\"'&\\"

PROGRAM = r"""
#include <pthread.h>
#include <string.h>
#include <time.h>
#include "cinstr.h"
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile double sink;
__attribute__((noipa)) static double sum_up(int n) { double s = 0; for (int i = 0; i < n; i++) s += s / 3 + i; return s; }
__attribute__((noipa)) static void wait_a_bit(void) { nanosleep(&(struct timespec){ 0, 200000 }, NULL); sink++; }
__attribute__((noipa)) static int down(int n) { int below = n ? down(n - 1) : 0; return below + 1; }
__attribute__((noipa)) static void step(int i)
{
	sink += sum_up(1000);
	pthread_mutex_lock(&lock);
	if (i % 5 == 0)
		wait_a_bit();
	pthread_mutex_unlock(&lock);
}
static void *work(void *name)
{
	pthread_setname_np(pthread_self(), name);
	for (int i = 0; i < 50; i++)
		step(i);
	sink += down(30);
	return NULL;
}
int main(void)
{
	pthread_t threads[3];
	static char *names[] = { "a</script><b>", "worker\xff\x01", "w\"'&<>\\" };
	cinstr_mark_text(1, "MARK");
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, work, names[i]);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	cinstr_mark_text(2, "end");
	return 0;
}
"""


def record(bench, name="cinstr.data"):
    text = PROGRAM.replace("MARK", HOSTILE.replace("\\", "\\\\").replace('"', '\\"'))
    program = bench.compile(bench.write("pages.c", text), "pages", "-O2", "-pthread", "-I" + os.path.join(lab.ROOT, "include"))
    bench.run(program, HOSTILE, status=0, env={"CINSTR_DATA": bench.path(name)})
    return bench.path(name)


def page_of(bench, *arguments):
    bench.cinstr("html", "-o", bench.path("page.html"), *arguments)
    return bench.path("page.html")


def opened(path, state="", **how):
    return browser.page(path + (f"#{state}" if state else ""), wait=READY, **how)


def csv_of(bench, *arguments):
    rows = list(csv.reader(io.StringIO(bench.cinstr(*arguments))))
    return rows[0], rows[1:]


COLUMNS = """(async () => { const s = await model.load(%s), all = {};
for (const name of s.columns.keys()) if (!s.isText(name) && !/[.]marks$|name$/.test(name))
  all[name] = Array.from(s.get(name), v => Number.isNaN(v) ? '' : String(v)); return JSON.stringify(all); })()"""


def numbers_of(page, section):
    return json.loads(page.evaluate(COLUMNS % json.dumps(section)))


def same(text, number):
    """What csv says, and what the page has: 1.500000 is 1.5."""
    return text == number or (text and number and "." in text and float(text) == float(number))


def check_rows(columns, names, rows, what):
    """Of rows in the same order."""
    shared = [name for name in names if name in columns]
    lab.check(len(shared) > 8, f"{what}: the page has only {shared}")
    lab.equal(len(next(iter(columns.values()))), len(rows), f"rows of {what}")
    for name in shared:
        at = names.index(name)
        for i, row in enumerate(rows):
            lab.check(same(row[at], columns[name][i]), f"{what}, row {i}, {name}: the page has {columns[name][i]!r}, csv {row[at]!r}")


@lab.test("page/numbers are csv's")
def numbers(bench):
    session = record(bench)
    with opened(page_of(bench, session)) as page:
        for section, by, sort in (("functions", "function", "cpu_exclusive"), ("modules", "module", "cpu_exclusive"), ("threads", "thread", "elapsed_inclusive"),
                                  ("processes", "process", "elapsed_inclusive"), ("sites", "site", "off_cpu_exclusive"),
                                  ("lines", "line", "elapsed_exclusive"), ("marks", "mark", "begin")):
            names, rows = csv_of(bench, "report", f"--by={by}", f"--sort={sort}", "--format=csv", "--names=short", session)
            check_rows(numbers_of(page, section), names, rows, section)
        names, rows = csv_of(bench, "tree", "--min-percent=0", "--format=csv", "--names=short", session)
        check_rows(numbers_of(page, "nodes"), names, rows, "nodes")
        check_rows(numbers_of(page, "nodes_more"), names, rows, "nodes_more")
        names, rows = csv_of(bench, "tree", "--by=thread", "--min-percent=0", "--format=csv", "--names=short", session)
        check_rows(numbers_of(page, "thread_nodes"), names, rows, "thread_nodes")


@lab.test("page/callers and callees are csv's")
def callers(bench):
    session = record(bench)
    with opened(page_of(bench, session)) as page:
        edges = numbers_of(page, "edges")
        names = json.loads(page.evaluate("JSON.stringify(Array.from(upTo(model.functions.n), i => model.functionName(i)))"))
        lab.check("step" in names and "down" in names, f"functions: {names}")
        for function in names:
            heads, rows = csv_of(bench, "callers", function, "--format=csv", session)
            for kind, own, other in (("caller", "function", "caller"), ("callee", "caller", "function")):
                want = {row[heads.index("name")]: row for row in rows if row[0] == kind}
                mine = [i for i, number in enumerate(edges[own]) if names[int(number)] == function and int(number) >= 0]
                got = {names[int(edges[other][i])] if int(edges[other][i]) >= 0 else "[outside]": i for i in mine}
                lab.equal(sorted(got), sorted(want), f"{kind}s of {function}")
                for name, i in got.items():
                    for key in heads:
                        if key in edges and key != "line":
                            lab.check(same(want[name][heads.index(key)], edges[key][i]), f"{kind} {name} of {function}, {key}: {edges[key][i]}, csv {want[name][heads.index(key)]}")


@lab.test("page/names are what they are")
def hostile(bench):
    session = record(bench)
    path = page_of(bench, session)
    with open(path) as file:
        lab.equal(file.read().count("</script><"), 0, "a name is taken for HTML")
    with opened(path, "threads") as page:
        shown = page.text("table.rows")
        for name in ("a</script><b>", "worker\\xff\\x01", "w\"'&<>\\"):
            lab.check(name in shown, f"{name!r} is not among the threads: {shown[:300]!r}")
        page.go(page.address.partition("#")[0] + "#marks")
        page.wait("document.body.dataset.view === 'marks'")
        lab.check(HOSTILE in page.text("table.rows"), f"the mark: {page.text('table.rows')!r}")
        lab.check(HOSTILE.replace("\\", "")[:12] in page.text("#head"), f"the command line: {page.text('#head')!r}")
        lab.equal(page.evaluate("document.querySelectorAll('img, main b script').length"), 0, "elements out of names")
        lab.equal(page.evaluate("document.scripts.length - document.querySelectorAll('script[type]').length"), 1, "scripts")


BUSY = """static volatile double sink;
__attribute__((noipa)) static void step(int n) { for (int i = 0; i < n; i++) sink += i * 0.5; }
int main(void) { for (int i = 0; i < 3000; i++) step(50000); return 0; }"""
VIEWS = "summary functions tree function flame sites lines threads processes marks modules".split()


@lab.test("page/each view, light, dark, narrow")
def views(bench):
    path = page_of(bench, record(bench))
    for width, dark in ((1280, False), (1280, True), (360, False), (360, True)):
        with opened(path, "summary", width=width, dark=dark) as page:
            known = page.evaluate("shown().map(view => view.id)")
            for view in VIEWS:
                lab.check(view in known, f"no view {view}: {known}")
            for view in known:
                page.go(page.address.partition("#")[0] + f"#{view}?function=step")
                page.wait(f"document.body.dataset.view === {json.dumps(view)}")
                for check in "overflow", "contrast", "names":
                    lab.equal(page.check_with(check), [], f"{view}, {width} wide, {'dark' if dark else 'light'}: {check}")
                page.screenshot(f"page-{view}-{width}-{'dark' if dark else 'light'}")


@lab.test("page/what does not fit has a sign, and is reached by scrolling")
def narrow(bench):
    with opened(page_of(bench, record(bench)), "functions?columns=all", width=360) as page:
        lab.equal(page.evaluate("getComputedStyle(document.querySelector('.sign')).display"), "flex", "the sign")
        page.evaluate("document.querySelector('.box').scrollLeft = 1e6")
        page.wait("getComputedStyle(document.querySelector('.sign')).display === 'none'")
        last = page.evaluate("(() => { const r = [...document.querySelectorAll('thead tr:last-child th')].pop().getBoundingClientRect(); return r.right <= innerWidth })()")
        lab.check(last, "the last column is cut")


@lab.test("page/no number and no heading is cut")
def whole_numbers(bench):
    with opened(page_of(bench, record(bench)), "summary") as page:
        for state in "functions", "functions?columns=full", "functions?columns=os", "functions?exact=1", "functions?columns=all&exact=1", "functions?columns=all", "tree", "sites", "threads", "marks", "modules":
            page.evaluate("delete document.body.dataset.ready")
            page.go(page.address.partition("#")[0] + "#" + state)
            page.wait("document.body.dataset.ready")
            cut = page.evaluate("""[...document.querySelectorAll('table.rows td:not(.left), table.rows th')].filter(cell => cell.scrollWidth > cell.clientWidth + 1)
                .map(cell => cell.innerText)""")
            lab.equal(cut, [], f"cut in {state}")


@lab.test("page/views are prepared while nobody does anything")
def prepared(bench):
    session = record(bench)
    with opened(page_of(bench, session), "marks") as page:
        page.wait("document.body.dataset.prepared")
        ready = page.evaluate("(async () => { const nodes = await model.load('nodes'), edges = await model.load('edges'); "
                              "return [nodes.decoded.has('elapsed_inclusive_ns'), model.functions.decoded.has('cpu_exclusive_ns'), Boolean(edges.byCaller), model.flameTrees.size, "
                              "['source', 'histograms', 'lines'].every(name => model.loaded.has(name)), model.flameTrees.get('').made.get('inverted elapsed after false').n > 3]; })()")
        lab.equal(ready, [True, True, True, 1, True, True], "what is ready")
        lab.equal(page.evaluate("document.body.dataset.view"), "marks", "the view")
        ready = page.evaluate("(async () => { const edges = await model.load('edges'), off = 'elapsed_exclusive_uncertainty_ns'; "
                              "return [model.functions.decoded.has(off), edges.decoded.has(off), model.functions.decoded.has('p99_elapsed_inclusive_ns'), "
                              "[...model.functions.orders.keys()].join(', ')]; })()")
        lab.equal(ready, [True, True, True, "cpu_exclusive_ns false, name true, name false"], "what else is ready")


# how often its first row is made
ROWS_MADE = """(async () => { const made = Element.prototype.replaceChildren; let n = 0;
    Element.prototype.replaceChildren = function(...list) { n += this.localName === 'tbody'; return made.apply(this, list); };
    history.replaceState(null, '', '#functions'); await draw();
    for (let i = 0; i < 3; i++) await new Promise(done => requestAnimationFrame(done));
    Element.prototype.replaceChildren = made; return n; })()"""
# columns in parts of 1, 2, 3, ... rows are those at once; strings sorted in such parts are in order
IN_PARTS = """(async () => { const bad = [];
    for (const name of ['functions', 'nodes', 'edges', 'lines', 'sites']) {
        const whole = await model.load(name);
        for (const column of whole.columns.keys()) {
            if (name === 'nodes' && column === 'depth') continue;
            whole.decoded.delete(column); whole.columns.get(column).row = 0;
            const once = whole.get(column);
            whole.decoded.delete(column); whole.columns.get(column).row = 0;
            for (let i = 1; !whole.decode(column, i); i++);
            const parts = whole.get(column);
            if (once.constructor !== parts.constructor || once.some((value, i) => !Object.is(value, parts[i]))) bad.push(`${name}.${column}`); } }
    const strings = [...model.strings, 'b', '', 'a', 'ab', 'B'].filter((one, i, all) => all.indexOf(one) === i), sorter = new StringRanks(strings);
    for (let i = 1; !sorter.work(i); i++);
    const sorted = [...strings].sort((a, b) => a < b ? -1 : 1);
    if (sorter.ranks().some((rank, i) => sorted[rank] !== strings[i])) bad.push('the order of strings');
    return bad; })()"""


@lab.test("page/work in small parts gives the same, and rows are made once")
def in_parts(bench):
    with opened(page_of(bench, record(bench)), "marks") as page:
        page.wait("document.body.dataset.prepared")
        lab.equal(page.evaluate(IN_PARTS), [], "what differs in parts")
        lab.equal(page.evaluate(ROWS_MADE), 1, "how often rows were made")


@lab.test("page/sort, filter, search, keys, address")
def acts(bench):
    session = record(bench)
    with opened(page_of(bench, session), "functions") as page:
        page.click("th:nth-child(1) button")
        page.wait("state.get('sort') === 'name:asc' && document.body.dataset.ready")
        first = page.evaluate("[...document.querySelectorAll('tbody td.name')].map(cell => cell.textContent)")
        lab.equal(first, sorted(first), "functions by name")
        page.key("/")
        page.type("sum")
        page.wait("[...document.querySelectorAll('tbody td.name')].map(cell => cell.textContent).join() === 'sum_up'")
        lab.check("filter=sum" in page.evaluate("location.hash"), "the filter is not in the address")
        page.key("Escape")
        page.key("3" if page.evaluate("shown()[2].id") == "tree" else str(1 + page.evaluate("shown().findIndex(view => view.id === 'tree')")))
        page.wait("current.id === 'tree' && !!document.querySelector('.path')")
        page.key("/")
        page.type("wait_a")
        page.wait("[...document.querySelectorAll('tr.cursor .path')].some(cell => /wait_a_bit/.test(cell.textContent))")
        page.key("Escape")
        page.evaluate("document.querySelector('.box').focus()")
        page.key("f")
        page.wait("current.id === 'function' && !!document.querySelector('h2')")
        lab.equal(page.text("h2"), "wait_a_bit", "the function that was looked at")
        page.key("?")
        lab.check("these keys" in page.text("#keys"), "no list of keys")
        page.key("Escape")
        lab.equal(page.text("#keys"), None, "the list of keys stays")
        page.key("e")
        page.wait("state.get('exact') === '1'")
        names, rows = csv_of(bench, "report", "--format=csv", "--function=wait_a_bit", session)
        exact = f"{int(rows[0][names.index('elapsed_inclusive_ns')]):,}"
        page.wait(f"document.querySelector('main').innerText.includes({json.dumps(exact)})")


@lab.test("page/an address with a percent sign that was typed")
def typed_address(bench):
    with opened(page_of(bench, record(bench)), "functions?filter=100%") as page:
        lab.equal(page.evaluate("[current.id, state.get('filter')]"), ["functions", "100%"], "what the address says")
        lab.equal(page.text(".found"), f"0 of {page.evaluate('model.functions.n')} functions", "what is found")


@lab.test("page/one thread's tree")
def one_thread(bench):
    with opened(page_of(bench, record(bench)), "threads") as page:
        page.evaluate("[...document.querySelectorAll('tbody tr')].find(row => /<b>/.test(row.textContent)).click()")
        page.wait("current.id === 'tree' && !!document.querySelector('.path')")
        lab.check("a</script><b>" in page.text("tbody .path"), f"the tree begins with {page.text('tbody .path')!r}")
        lab.equal(page.evaluate("Array.from(document.querySelectorAll('select option')).length"), 5, "all threads, and each of four")


@lab.test("page/the tree is open to where the time is, through a recursion")
def hot(bench):
    """The hot path ends before the second go(), as through() is not on it."""
    text = """volatile int sink; __attribute__((noipa)) void work(void) { for (int i = 0; i < 30000000; i++) sink++; }
        __attribute__((noipa)) void go(int n); __attribute__((noipa)) void through(int n) { go(n - 1); sink++; }
        __attribute__((noipa)) void go(int n) { if (n) through(n); else work(); sink++; }
        int main(void) { go(1); return 0; }"""
    program = bench.compile(bench.write("hot.c", text), "hot", "-O1")
    bench.run(program, status=0)
    with opened(page_of(bench, bench.path("cinstr.data")), "tree") as page:
        shown = page.evaluate("[...document.querySelectorAll('.path')].map(one => [one.innerText.replace(/^[^a-z]*/, ''), one.classList.contains('hot')])")
        lab.equal([name for name, _ in shown], ["main", "go", "through", "go", "work"], "paths that are shown")


@lab.test("page/a recursion of 10,000 levels")
def deep(bench):
    text = """volatile int sink; __attribute__((noipa)) int down(int n) { int b = n ? down(n - 1) : 0; sink++; return b + 1; }
        int main(void) { return down(10000) != 10001; }"""
    program = bench.compile(bench.write("deep.c", text), "deep", "-O1")
    bench.run(program, status=0, env={"CINSTR_PATHS": "100000"})
    with opened(page_of(bench, bench.path("cinstr.data")), "tree") as page:
        lab.equal(page.evaluate("model.load('nodes').then(nodes => Math.max(...nodes.depth))"), 10002, "levels")
        page.viewport(390, 800)
        page.evaluate("draw()")
        page.wait("document.querySelectorAll('.path').length > 20")
        room = page.evaluate("Math.min(...[...document.querySelectorAll('.path')].map(one => one.clientWidth - parseFloat(one.style.paddingLeft)))")
        lab.check(room > 100, f"{room} pixels for a name at the deepest level on a narrow screen")
        page.viewport(1280, 800)
        page.evaluate("[...document.querySelectorAll('tr.gap')].length && (document.querySelector('.box').focus(), 0)")
        page.key("End")
        page.wait("document.querySelectorAll('.path').length > 0")
        lab.equal(page.check_with("overflow"), [], "overflow")


@lab.test("page/two sessions")
def two(bench):
    one, other = record(bench, "one.data"), record(bench, "other.data")
    with opened(page_of(bench, one, "--", other), "changes?value=calls") as page:
        page.wait("document.querySelectorAll('tbody tr td').length > 0")
        for by in "functions", "nodes", "modules":
            lost = page.evaluate(f"matches().then(all => all[{json.dumps(by)}].ofA.filter(row => row < 0).length)")
            lab.equal(lost, 0, f"{by} of A that are not found in B")
        names, rows = csv_of(bench, "report", "--format=csv", other)
        calls = {row[names.index("name")]: row[names.index("calls")] for row in rows}
        got = page.evaluate("[...document.querySelectorAll('tbody tr:not(.gap)')].map(row => [row.cells[0].textContent, row.cells[3].textContent])")
        for name, value in got:
            lab.equal(value.replace(",", ""), calls[name], f"calls of {name} in B")


@lab.test("page/a sampled session, and beside an instrumented one")
def sampled(bench):
    probes = record(bench)
    plain = bench.compile(bench.write("busy.c", BUSY), "plain", "-O2", plugin=None)
    bench.cinstr("record", "--sample", "-o", bench.path("sampled.data"), "--", plain)
    if not os.path.exists(bench.path("sampled.data")) or not bench.report("sampled.data")["session"]["samples"]:
        raise lab.Skip("no samples were taken here")
    with opened(page_of(bench, bench.path("sampled.data"), "--", probes), "summary") as page:
        names, rows = csv_of(bench, "report", "--format=csv", "--sort=exclusive_samples", "--names=short", bench.path("sampled.data"))
        check_rows(numbers_of(page, "functions"), names, rows, "functions")
        for view in page.evaluate("shown().map(view => view.id)"):
            page.go(page.address.partition("#")[0] + f"#{view}")
            page.wait(f"document.body.dataset.view === {json.dumps(view)}")
            if view == "flame":
                lab.check(page.evaluate("current.graph.tree.total") > 0, "nothing is in the flame graph")


@lab.test("page/sources, and pages without them")
def sources(bench):
    session = record(bench)
    with opened(page_of(bench, session), "function?function=step") as page:
        lab.check("sink += sum_up(1000);" in page.text(".source"), f"the source: {page.text('.source')!r}")
        lab.check("wait_a_bit" in page.text(".source .call + tr, .source"), "what is called from there")
    with opened(page_of(bench, "--no-source", session), "function?function=step") as page:
        lab.equal(page.text(".source"), None, "a source")
        lab.check("--no-source" in page.text("main"), "why there is none")
        lab.check(not page.evaluate("model.strings.some(text => /sink \\+=/.test(text))"), "lines of the source are in the page")


@lab.test("page/what goes wrong")
def wrong(bench):
    session = record(bench)
    for arguments, status, words in ((["nosuch.data"], 1, "nosuch.data"), ([session, "--"], 2, "second session"), (["a", "b", "c"], 2, "two"),
                                     (["-o", "no/such/folder.html", session], 1, "no/such/folder.html"), (["--function=nosuch", session], 1, "nosuch"),
                                     ([session, "--", "nosuch.data"], 1, "nosuch.data")):
        done = bench.run(lab.COMMAND, "html", *arguments, status=status)
        lab.check(words in done.stderr, f"{arguments}: {done.stderr!r}")
    left = [name for name in os.listdir(bench.folder) if ".html" in name]
    lab.equal(left, [], "pages that are not whole")
    lab.check(bench.cinstr("html", "-o", "-", session).startswith("<!DOCTYPE html>"), "no page on stdout")
    bench.cinstr("html", session)
    lab.check(os.path.exists(bench.path("cinstr.html")), "no cinstr.html")


@lab.test("page/rules in tooltips are those of semantics.md")
def rules(bench):
    with open(os.path.join(lab.ROOT, "doc/semantics.md")) as file:
        text = file.read()
    with opened(page_of(bench, record(bench)), "functions") as page:
        known = page.evaluate("Object.keys(RULES)")
        lab.check(len(known) > 10, f"rules: {known}")
        for rule in known:
            lab.check(f"**{rule}." in text, f"semantics.md has no rule {rule}")
        used = page.evaluate("[...new Set(Object.values(RULES_OF_FAMILY).flat())].filter(rule => !RULES[rule])")
        lab.equal(used, [], "rules without a sentence")
        title = page.evaluate("document.querySelector('tbody td:nth-child(2)').title")
        lab.check("R9: " in title and " ns" in title, f"a tooltip: {title!r}")
