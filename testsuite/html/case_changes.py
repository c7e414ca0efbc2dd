# SPDX-License-Identifier: GPL-3.0-or-later
"""Two sessions in a page: verdicts, numbers and intervals are those of cinstr diff --format=csv."""
import csv
import io
import os

import browser
import lab
import sessions

READY = "document.body.dataset.ready && document.body.dataset.view === 'changes'"
COLUMNS = "elapsed_exclusive elapsed_inclusive cpu_exclusive off_cpu_exclusive application_exclusive calls".split()
SET = """(async () => { const { info, section } = await changesOf(), set = info.sets.find(one => one.by === %r && one.column === %r), list = [];
    const sides = info.is_swapped ? [model.other, model] : [model, model.other], name = set.by === 'modules' ? 'name' : 'full_name';
    const text = one => Number.isNaN(one) ? '' : String(one);
    for (let i = set.from; i < set.from + set.rows; i++) {
        const side = section.get('a')[i] >= 0 ? 0 : 1, row = section.get(side ? 'b' : 'a')[i];
        list.push([sides[side][set.by].text(name, row), set.verdicts[section.get('verdict')[i]], ...['before', 'after', 'change', 'low', 'high'].map(one => text(section.get(one)[i]))]); }
    return list; })()"""
# By the names of C: a path's functions, and what the view says of it.
PATHS = """(async () => { const { info } = await changesOf(), set = info.sets.find(one => one.by === 'functions' && one.column === %r);
    const rows = await ChangeRows.ofPaths(set);
    return Array.from({ length: rows.n }, (_, i) => [rows.nameOf(i), rows.verdict(i), rows.change[i], rows.half[i]]); })()"""


def opened(bench, one, other, keys="", **how):
    bench.cinstr("html", "-o", bench.path("page.html"), bench.path(one), "--", bench.path(other))
    return browser.page(bench.path("page.html") + f"#changes?{keys}", wait=READY, **how)


def diff(bench, one, other, *options):
    return list(csv.DictReader(io.StringIO(bench.cinstr("diff", "--format=csv", *options, bench.path(one), bench.path(other)))))


def same(text, value):
    return text == value or (text, value) == ("-0", "0") or bool(text and value and "." in text and abs(float(text) - float(value)) < 1.5e-6)


def check(found, rows, keys, what):
    """Of each row of csv: what the page has. keys: of csv, in the order of the page."""
    lab.check(rows, f"{what}: csv has no rows")
    for row in rows:
        # The loader's _start is another one than the program's.
        mine = [values for name, *values in found if name == row["name"]]
        lab.check(any(all(same(row[key], value) for key, value in zip(keys, values)) for values in mine),
                  f"{what}, {row['name']}: csv has {[row[key] for key in keys]}, the page {mine}")


@lab.test("changes/functions and modules are diff's")
def times(bench):
    sessions.changed(bench)
    with opened(bench, "a.data", "b.data") as page:
        for column in COLUMNS:
            key = column if column == "calls" else column + "_ns"
            for by, option in (("functions", "function"), ("modules", "module")):
                rows = diff(bench, "a.data", "b.data", f"--by={option}", f"--column={column}", "--threshold=0")
                if by == "modules":
                    for row in rows:
                        row["name"] = os.path.basename(row["name"])
                    found = [[os.path.basename(name), *rest] for name, *rest in page.evaluate(SET % (by, key))]
                else:
                    found = page.evaluate(SET % (by, key))
                check(found, rows, ["verdict", "a", "b", "change", "interval_low", "interval_high"], f"{column} of {by}")
        shown = page.evaluate("[...document.querySelectorAll('tbody tr:not(.gap)')].map(row => [row.cells[0].innerText, row.cells[1].innerText])")
        lab.equal(dict(shown)["work"].rstrip("?") in ("noise", "slower", "faster", "same"), True, f"verdicts: {shown}")
        page.go(page.address.partition("#")[0] + "#changes?value=elapsed_inclusive_ns")
        page.wait(READY + " && state.get('value') === 'elapsed_inclusive_ns'")
        page.wait("[...document.querySelectorAll('tbody tr:not(.gap)')].some(row => row.cells[0].innerText === 'grows' && row.cells[1].innerText === 'slower?')")
        verdicts = dict(page.evaluate("[...document.querySelectorAll('tbody tr:not(.gap)')].map(row => [row.cells[0].innerText, row.cells[1].innerText])"))
        lab.equal([verdicts[name] for name in ("grows", "shrinks", "only_before", "only_after")], ["slower?", "faster?", "removed", "added"], "verdicts")
        page.screenshot("changes")


@lab.test("changes/call paths have diff's verdicts")
def paths(bench):
    sessions.changed(bench)
    with opened(bench, "a.data", "b.data", "by=nodes") as page:
        for column in COLUMNS:
            rows = diff(bench, "a.data", "b.data", "--by=path", f"--column={column}", "--threshold=0")
            lab.check(len(rows) > 5, f"paths of csv: {rows}")
            mine = {name: rest for name, *rest in page.evaluate(PATHS % (column if column == "calls" else column + "_ns",))}
            for row in rows:
                name = " \u203a ".join(row["path"].split(" > "))
                lab.check(name in mine, f"{column}: no path {row['path']} among {list(mine)}")
                verdict, change, half = mine[name]
                # Of values that are rounded to ns.
                lab.check(abs(change - float(row["change"])) <= 1, f"{column} of {row['path']}: {change}, csv has {row['change']}")
                # The page adds up what both sides may be off by; diff does so with overhead
                # only, and takes the root of the squares of what samples leave open.
                if abs(change) > (2 if column == "calls" else 1000) and abs(abs(change) - half) > 2:
                    lab.equal(verdict, row["verdict"], f"{column} of {row['path']}")


@lab.test("changes/no number is cut")
def widths(bench):
    """Millions of calls, times to the ns."""
    calls = "volatile unsigned sink; __attribute__((noipa)) static void f(void) { sink++; } int main(int argc, char **argv) { for (int i = argc > 1 ? 12345678 : 1; i--;) f(); return 0; }"
    program = bench.compile(bench.write("calls.c", calls), "calls", "-O1")
    for name, *arguments in ("a.data", ), ("b.data", "1"):
        bench.run(program, *arguments, status=0, env={"CINSTR_DATA": bench.path(name)})
    cut = "[...document.querySelectorAll('tbody td:not(.left), th')].filter(cell => cell.scrollWidth > cell.clientWidth + 1).map(cell => cell.innerText)"
    with opened(bench, "a.data", "b.data") as page:
        for keys in "value=calls", "value=calls&exact=1", "exact=1", "value=elapsed_inclusive_ns&exact=1":
            page.evaluate("delete document.body.dataset.ready")
            page.go(page.address.partition("#")[0] + "#changes?" + keys)
            page.wait(READY)
            lab.equal(page.evaluate(cut), [], f"cut in {keys}")
            lab.equal("Off by" in page.text("thead"), "calls" not in keys, f"{keys}: what calls may be off by")


@lab.test("changes/samples on a side")
def samples(bench):
    sessions.changed(bench)
    sessions.changed_sampled(bench)
    with opened(bench, "sa.data", "sb.data") as page:
        for column in "exclusive", "inclusive":
            rows = diff(bench, "sa.data", "sb.data", f"--column=elapsed_{column}")
            check(page.evaluate(SET % ("functions", column)), rows, ["verdict", f"a_{column}_percent", f"b_{column}_percent", "difference", "interval_low", "interval_high"], column)
        lab.equal(page.check_with("overflow") + page.check_with("contrast"), [], "the view")
    for one, other in (("sa.data", "a.data"), ("a.data", "sa.data")):
        with opened(bench, one, other) as page:
            rows = diff(bench, one, other)
            check(page.evaluate(SET % ("functions", "exclusive")), rows, ["verdict", "sampled_exclusive_percent", "instrumented_exclusive_percent", "difference", "interval_low", "interval_high"],
                  f"{one} beside {other}")
            lab.check("Sampled" in page.text("thead") and "distort" in page.text(".sides"), page.text("main")[:400])


@lab.test("changes/functions that only one session has")
def alone(bench):
    sessions.changed(bench)
    rows = {row["name"]: row for row in csv.DictReader(io.StringIO(bench.cinstr("report", "--format=csv", bench.path("b.data"))))}
    with opened(bench, "a.data", "b.data") as page:
        name = "[...document.querySelectorAll('tbody tr:not(.gap)')].find(row => row.cells[0].innerText === 'only_after')"
        page.wait(f"!!{name}")
        page.evaluate(f"delete document.body.dataset.ready, {name}.dispatchEvent(new MouseEvent('click', {{ bubbles: true }}))")
        page.wait("document.body.dataset.ready && document.body.dataset.view === 'function'")
        lab.check("New: only B has" in page.text(".side-note"), f"the note: {page.text('main')[:300]}")
        lab.check("only_after" in page.text("h2"), f"the heading: {page.text('h2')}")
        calls = "[...document.querySelectorAll('.facts div')].find(one => one.innerText.startsWith('Calls')).querySelector('dd').innerText"
        lab.equal(page.evaluate(calls), rows["only_after"]["calls"], "its calls are those of B")
        own = page.evaluate("model.other.functions.get('elapsed_inclusive_ns')[model.other.functionOf('only_after')]")
        lab.equal(str(own), rows["only_after"]["elapsed_inclusive_ns"], "its time is that of B")
        lab.check("main" in page.text(".boxes") and "work" in page.text(".boxes"), f"callers and callees: {page.text('.boxes')}")
        for check in "overflow", "contrast", "names":
            lab.equal(page.check_with(check), [], check)
        for function, note in ("only_before", "Gone: B does not have"), ("work", None):
            page.evaluate("delete document.body.dataset.ready")
            page.go(page.address.partition("#")[0] + "#function?function=" + function)
            page.wait(f"document.body.dataset.ready && document.querySelector('h2')?.innerText.includes('{function}')")
            found = page.text(".side-note")
            lab.check(found.startswith(note) if note else found is None, f"{function}: {found}")
