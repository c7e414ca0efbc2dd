# SPDX-License-Identifier: GPL-3.0-or-later
"""How pages look and are used: every view of sampled sessions and of two at widths of a phone, a
tablet and a screen, light and dark; by keys alone; on paper."""
import json
import os
import re

import browser
import lab
import sessions

READY = "document.body.dataset.ready"


def page_of(bench, *arguments):
    bench.cinstr("html", "-o", bench.path("page.html"), *arguments)
    return bench.path("page.html")


def show(page, view, keys=""):
    page.evaluate("delete document.body.dataset.ready")
    page.go(page.address.partition("#")[0] + f"#{view}?{keys or 'function=work'}")
    page.wait(READY + f" && document.body.dataset.view === {json.dumps(view)}")


def look(path, name):
    for width in 390, 800, 1280:
        for dark in False, True:
            with browser.page(path, width=width, dark=dark, wait=READY) as page:
                for view in page.evaluate("shown().map(view => view.id)"):
                    show(page, view)
                    for check in "overflow", "contrast", "names", "words":
                        lab.equal(page.check_with(check), [], f"{name}, {view}, {width} wide, {'dark' if dark else 'light'}: {check}")
                    tab = page.evaluate("(r => [r.left >= -1, r.right <= innerWidth + 1])(document.querySelector('nav [aria-selected=true]').getBoundingClientRect())")
                    lab.equal(tab, [True, True], f"{name}, {view}, {width} wide: the tab is within the window")
                    squeezed = page.evaluate("[...document.querySelectorAll('td.mono')].filter(cell => cell.clientHeight > 60).map(cell => cell.innerText)")
                    lab.equal(squeezed, [], f"{name}, {view}, {width} wide: names of one letter a line")
                    page.screenshot(f"look-{name}-{view}-{width}-{'dark' if dark else 'light'}")


@lab.test("look/two sessions")
def two(bench):
    sessions.changed(bench)
    look(page_of(bench, bench.path("a.data"), "--", bench.path("b.data")), "two")


@lab.test("look/samples, and beside probes")
def sampled(bench):
    sessions.changed_sampled(bench)
    sessions.changed(bench)
    look(page_of(bench, bench.path("sa.data")), "sampled")
    look(page_of(bench, bench.path("sb.data"), "--", bench.path("b.data")), "beside")


@lab.test("look/findings are on the first screen, of a phone too")
def findings_first(bench):
    sessions.contended(bench)
    for width, height in (390, 844), (1280, 800):
        with browser.page(page_of(bench, bench.path("c.data")), width=width, height=height, wait=READY) as page:
            lab.check(page.evaluate("document.querySelectorAll('ol.findings > li').length") > 0, "the program has no finding")
            lab.check(page.evaluate("document.querySelector('ol.findings > li').getBoundingClientRect().bottom <= innerHeight"),
                      f"{width} wide: the first finding is further down")
            first = page.evaluate("document.querySelector('#view h3').innerText")
            lab.equal(first, "Findings", f"{width} wide: the first heading")


@lab.test("look/long names keep both ends")
def both_ends(bench):
    names = [f"common_prefix_of_all_the_functions_here::part_of_them_{i}" for i in range(3)]
    source = "volatile unsigned sink;\n" + "".join(
        f"namespace common_prefix_of_all_the_functions_here {{ __attribute__((noipa)) void part_of_them_{i}() "
        f"{{ for (int k = 0; k < 300000; k++) sink += k; }} }}\n" for i in range(3))
    source += "int main() { " + " ".join(f"{name}();" for name in names) + " }\n"
    program = bench.compile(bench.write("ends.cc", source), "ends", "-O1")
    bench.run(program, status=0, env={"CINSTR_DATA": bench.path("n.data")})
    with browser.page(page_of(bench, bench.path("n.data")), width=390, wait=READY) as page:
        for view in "functions", "tree":
            show(page, view)
            ends = page.evaluate("""[...document.querySelectorAll('tbody .cut')].filter(cut => cut.childNodes.length > 1 && cut.lastChild.data)
                .map(cut => {
                    const range = document.createRange(), [start] = cut.children, row = cut.closest('td').getBoundingClientRect();
                    range.selectNode(cut.lastChild);
                    const end = range.getBoundingClientRect();
                    return [start.clientWidth > 20, cut.lastChild.data, end.right <= row.right + 1 && end.height < row.height,
                        cut.innerText.includes('here::part_of')]; })""")
            lab.equal(sorted(ends), [[True, f"::part_of_them_{i}", True, True] for i in range(3)], f"{view}: both ends")


@lab.test("look/colours of what threads do are told apart")
def far_colours(bench):
    """By CIE76; 20 is a difference that is seen at once, also in strips of a pixel."""
    sessions.changed(bench)
    with browser.page(page_of(bench, bench.path("a.data")), wait=READY) as page:
        near = page.evaluate("""(() => {
            const lab = hex => {
                const [r, g, b] = [1, 3, 5].map(i => parseInt(hex.slice(i, i + 2), 16) / 255)
                    .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
                const f = t => t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116;
                const [x, y, z] = [(0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047, 0.2126 * r + 0.7152 * g + 0.0722 * b,
                    (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883].map(f);
                return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
            };
            const kinds = Object.entries(KIND_COLOURS).filter(([key]) => key !== 'paused' && key !== 'missing'), near = [];
            for (const scheme of [0, 1])
                kinds.forEach(([a, one], i) => kinds.slice(i + 1).forEach(([b, two]) => {
                    const p = lab(one[scheme]), q = lab(two[scheme]);
                    const far = Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
                    if (far < 25) near.push([a, b, scheme, far]);
                }));
            return near; })()""")
        lab.equal(near, [], "colours that are near each other")


@lab.test("look/narrow: what rows are sorted by is beside their names")
def sorted_by(bench):
    sessions.changed(bench)
    with browser.page(page_of(bench, bench.path("a.data"), "--", bench.path("b.data")), width=390, wait=READY) as page:
        for view, keys, heading in ("sites", "", "Waiting excl"), ("functions", "sort=calls", "Calls"), ("changes", "", "Change"):
            show(page, view, keys)
            lab.check(page.evaluate("document.querySelector('tr:not(.groups) th:nth-child(2)').innerText").startswith(heading), f"{view}: {page.text('thead')!r}")


EITHER = """volatile unsigned sink;
__attribute__((noipa)) static void one(void) { for (int i = 0; i < 100000000; i++) sink++; }
__attribute__((noipa)) static void other(void) { for (int i = 0; i < 100000000; i++) sink++; }
int main(int argc, char **argv) { if (argc > 1) other(); else one(); return 0; }"""
LONG = "a_name_that_is_as_long_as_those_of_methods"


@lab.test("look/narrow: a line of the source stands above its numbers")
def narrow_source(bench):
    sessions.changed(bench)
    with browser.page(page_of(bench, bench.path("a.data")), width=390, wait=READY) as page:
        show(page, "function", "function=grows")
        lab.equal(page.evaluate("(one => one.scrollWidth <= one.clientWidth)(document.querySelector('.scroller'))"), True, "the source scrolls sideways")
        row = "[...document.querySelectorAll('.source tr')].find(one => one.querySelector('[data-name]'))"
        places = page.evaluate(f"[...{row}.querySelectorAll('.text, [data-name]')].map(one => [one.className === 'text', one.getBoundingClientRect().top]).sort((a, b) => b[0] - a[0]).map(one => one[1])")
        lab.check(len(places) > 1 and all(place > places[0] for place in places[1:]), f"tops of the line, and of its numbers: {places}")
        lab.check("grows" in page.evaluate(f"{row}.querySelector('.text').innerText"), "the line")
        heads = page.evaluate(f"[...{row}.querySelectorAll('[data-name]')].map(one => getComputedStyle(one, '::before').content)")
        lab.check('"Total "' in heads, f"what the numbers are: {heads}")
        lab.equal(page.check_with("overflow") + page.check_with("contrast"), [], "the source")
        page.screenshot("look-narrow-source")


@lab.test("look/narrow: long names, long commands, and what the probes may have taken")
def long_names(bench):
    program = bench.compile(bench.write("long.c", f"""volatile unsigned sink; __attribute__((noipa)) static void {LONG}(void) {{ for (int i = 0; i < 60; i++) sink++; }}
        __attribute__((noipa)) static void work(void) {{ for (int i = 0; i < 20000; i++) {LONG}(); }}
        int main(void) {{ work(); return 0; }}"""), "long", "-O1")
    bench.run(program, *["argument"] * 30, status=0, env={"CINSTR_DATA": bench.path("long.data")})
    with browser.page(page_of(bench, bench.path("long.data")), width=390, wait=READY) as page:
        show(page, "function")
        cut = page.evaluate("[...document.querySelectorAll('.boxed')].filter(one => one.scrollHeight > one.clientHeight + 1).map(one => one.innerText)")
        lab.equal(cut, [], "boxes that are lower than their text")
        lab.check(page.evaluate("document.querySelector('.current li:last-child .whisker') !== null"), "what is called has no whisker")
        seen = page.evaluate("(r => [r.right <= innerWidth, r.height > 0, document.querySelector('.headline').scrollWidth <= document.querySelector('.headline').clientWidth + 1])"
                             "((e => { const range = document.createRange(); range.selectNode(e.lastChild); return range.getBoundingClientRect() })(document.querySelector('.headline')))")
        lab.equal(seen, [True, True, True], "the head tells how long it ran")
        lab.check(page.evaluate("document.querySelector('#head').offsetHeight") < 110, "the head is high")


@lab.test("look/the summary: shares change by points, names lead on, what the recording is worth")
def summary(bench):
    sessions.changed(bench)
    plain = bench.compile(bench.write("either.c", EITHER), "either", "-O1", plugin=None)
    for name, *arguments in ("sa.data", ), ("sb.data", "1"):
        bench.cinstr("record", "--sample", "-o", bench.path(name), "--", plain, *arguments)
        if not os.path.exists(bench.path(name)) or not bench.report(name)["session"]["samples"]:
            raise lab.Skip("no samples were taken here")
    with browser.page(page_of(bench, bench.path("sa.data"), "--", bench.path("sb.data")), wait=READY) as page:
        rows = page.evaluate("[...document.querySelectorAll('.brief tr')].map(row => [...row.cells].map(cell => cell.innerText.trim()))")
        lab.check(len(rows) > 1 and all(row[4].endswith(" points") and "%" not in row[5] for row in rows), f"changes of shares: {rows}")
        lab.check(all(row[3] != "\u2192" for row in rows), f"to nothing: {rows}")
        lab.check("one every" in page.text() and "on processors in" in page.text(), page.text())
    with browser.page(page_of(bench, bench.path("a.data"), "--", bench.path("b.data")), height=300, wait=READY) as page:
        name = page.text(".brief a")  # whichever has changed most, by itself
        page.click(".brief a")
        page.wait(f"current.id === 'function' && document.querySelector('h2')?.textContent === {json.dumps(name)}")
    calls = "volatile unsigned sink; __attribute__((noipa)) static void f(void) { sink++; } int main(void) { for (int i = 0; i < 1000000; i++) f(); return 0; }"
    bench.run(bench.compile(bench.write("calls.c", calls), "calls", "-O1"), status=0, env={"CINSTR_DATA": bench.path("calls.data")})
    with browser.page(page_of(bench, bench.path("calls.data")), height=300, wait=READY) as page:
        lab.check(page.text(".warning").startswith("warning: "), page.text(".warning"))
        for waited, title in (0, "Waiting"), (1000000, "Waiting, also for a processor"):
            page.evaluate(f"""(async () => {{ const summary = await model.load('summary'); summary.time.preempted_ns = {waited};
                summary.waiting_sites = [{{ name: 'main', callee: 'f', line: 1, off_cpu_exclusive_ns: 1000000 }}]; await draw(); }})()""")
            lab.check(title in page.evaluate("[...document.querySelectorAll('.bars h3')].map(one => one.innerText)"), f"{waited} ns for a processor: no {title}")
        page.click(".warning a")
        page.wait("(r => r.top < innerHeight && r.top >= 0)(document.querySelector('details.worth').getBoundingClientRect())")


@lab.test("look/tables say what they are sorted by, and have no empty columns")
def first_sorted(bench):
    sessions.changed_sampled(bench)
    sessions.changed(bench)
    for name in "a.data", "sa.data":
        with browser.page(page_of(bench, bench.path(name)), wait=READY) as page:
            for view in "functions", "sites", "lines", "threads", "processes", "modules":
                for keys in "", "columns=full", "columns=os":
                    show(page, view, keys)
                    what = f"{name}, {view}, {keys}"
                    lab.equal(page.evaluate("document.querySelectorAll('th[aria-sort]').length"), 1, f"{what}: sorted columns")
                    empty = page.evaluate("""[...document.querySelectorAll('thead tr:last-child th')].filter((head, i) =>
                        [...document.querySelectorAll('tbody tr:not(.gap)')].every(row => !row.cells[i].innerText)).map(head => head.innerText)""")
                    lab.check("Max" not in empty, f"{what}: nothing is in {empty}")
            for view, there, heading in ("lines", "function", "h2"), ("modules", "functions", "input[type=search]"):
                show(page, view)
                page.click("tbody tr:not(.gap) td")
                page.wait(f"current.id === {json.dumps(there)} && document.querySelector('{heading}') !== null")
            lab.check("marks" not in page.evaluate("shown().map(view => view.id)"), f"{name}: a view of marks, and there are none")


@lab.test("look/by keys alone")
def keys(bench):
    sessions.changed(bench)
    with browser.page(page_of(bench, bench.path("a.data"), "--", bench.path("b.data")), wait=READY) as page:
        for view in page.evaluate("shown().map(view => view.id)"):
            show(page, view)
            page.evaluate("document.activeElement?.blur()")
            seen = []
            for _ in range(60):
                page.key("Tab")
                where = page.evaluate("document.activeElement === document.body ? null : document.activeElement.className + ' ' + document.activeElement.localName")
                if where is None:
                    break
                seen.append(where)
                lab.equal(page.check_with("focusSeen"), [], f"{view}, stop {len(seen)}")
            lab.check(any(where.endswith(" a") for where in seen), f"{view}: no tab is reached: {seen}")
            wanted = page.evaluate("[...document.querySelectorAll('.box, .canvas')].map(one => one.className + ' ' + one.localName)[0] ?? null")
            lab.check(not wanted or wanted in seen, f"{view}: {wanted} is not reached by Tab: {seen}")
        # From the list to a function, to its caller's place in the tree, and back.
        show(page, "functions")
        page.key("/")
        page.type("grows")
        page.key("Escape")
        page.evaluate("document.activeElement?.blur()")
        for _ in range(60):
            page.key("Tab")
            if page.evaluate("document.activeElement.classList.contains('box')"):
                break
        page.key("ArrowDown")
        page.key("Enter")
        page.wait("current.id === 'function' && document.querySelector('h2')?.textContent === 'grows'")
        page.evaluate("history.back()")
        page.wait("current.id === 'functions' && document.querySelector('input[type=search]').value === 'grows'")
        for view in "tree", "flame":
            show(page, view, "measure=elapsed")
            page.evaluate("document.querySelector('.box, .canvas').focus()")
            for _ in range(2):
                page.key("ArrowDown")
            page.key("f" if view == "tree" else "Enter")
            page.wait("current.id === 'function'" if view == "tree" else "views.find(view => view.id === 'flame').graph.zoom >= 0")


@lab.test("look/on paper")
def paper(bench):
    sessions.changed(bench)
    many = "".join(f"__attribute__((noipa)) void f{i}(void) {{ sink++; }}\n" for i in range(1200))
    program = bench.compile(bench.write("many.c", "volatile int sink;\n" + many + "int main(void) {" + "".join(f"f{i}();" for i in range(1200)) + "return 0; }"), "many", "-O1")
    bench.run(program, status=0, env={"CINSTR_DATA": bench.path("many.data")})
    with browser.page(page_of(bench, bench.path("a.data"), "--", bench.path("b.data")), dark=True, wait=READY) as page:
        for view in page.evaluate("shown().map(view => view.id)"):
            show(page, view)
            pages = len(re.findall(rb"/Type\s*/Page[^s]", page.printed(f"paper-{view}")))
            lab.check(1 <= pages <= 3, f"{view}: {pages} pages")
        show(page, "functions")
        page.scheme("dark", "print")
        page.evaluate("print(true)")
        lab.equal(page.evaluate("[getComputedStyle(document.body).backgroundColor, isDark()]"), ["rgb(255, 255, 255)", False], "paper")
        lab.equal(page.check_with("contrast"), [], "contrast on paper")
        page.evaluate("print(false)")
        show(page, "function")
        page.evaluate("print(true)")
        wide = page.evaluate("[...document.querySelectorAll('.scroller, .boxed')].filter(one => one.scrollWidth > one.clientWidth + 1).map(one => one.innerText.slice(0, 60))")
        lab.equal(wide, [], "the source and boxes are cut on paper")
        lab.equal(page.evaluate("getComputedStyle(document.querySelector('.source td:last-child')).whiteSpace"), "pre-wrap", "long lines of the source")
        page.evaluate("print(false)")
        page.scheme("dark")
        lab.equal(page.evaluate("isDark()"), True, "behind it")
    with browser.page(page_of(bench, bench.path("many.data")) + "#functions", wait=READY) as page:
        drawn = "document.querySelectorAll('tbody tr:not(.gap)').length"
        before = page.evaluate(drawn)
        page.evaluate("print(true)")
        lab.equal(page.evaluate(drawn), 1000, "rows on paper")
        left = page.evaluate("model.functions.n") - 1000
        lab.equal(page.evaluate("document.querySelector('.left-out').textContent"), f"{left:,} more rows are not printed.", "what is told of the others")
        widest = page.evaluate("document.querySelector('table.rows').getBoundingClientRect().width")
        lab.check(widest <= 702, f"the table is {widest} wide on paper")
        page.evaluate("print(false)")
        lab.check(before < 100 and page.evaluate(drawn) < 100, "rows that are not on the screen are drawn")
