# SPDX-License-Identifier: GPL-3.0-or-later
"""The program's own values in the page: tags are those of cinstr report --by=tag, counts those that
e2e/programs/user_values.c says, by call path."""
import json

import browser
import lab

READY = "document.body.dataset.ready"
# Of each section: its heading, its rows (texts of cells, exact times), and what is below each row.
TABLES = """JSON.stringify([...document.querySelectorAll('#view section')].map(one => [one.querySelector('h3').innerText,
    [...one.querySelectorAll('tbody tr:not(.below)')].map(row => [...row.cells].map(cell => cell.title || cell.innerText.replace(/\\s+/g, ' ').trim())),
    [...one.querySelectorAll('.below')].map(row => row.innerText.replace(/\\s+/g, ' ').trim())]))"""
# rows that are counted, by call path: their sum, and calls of cinstr_count()
ROWS = {"parse main \u203a all \u203a load": ["100", "20"], "parse worker \u203a load": ["50", "10"],
        "skip main \u203a all \u203a handle": ["5", "5"]}


def recorded(bench, how):
    program = bench.compile("programs/user_values.c", "user_values", "-O2", "-g", "-pthread", lab.INCLUDE)
    bench.run(program, how, status=0, env={"CINSTR_MAX_OVERHEAD": "unlimited"})
    return bench.json("report", "--by=tag")["tags"]


def opened(bench, *options, **how):
    bench.cinstr("html", "-o", bench.path("page.html"), *options)
    return browser.page(bench.path("page.html") + "#values", wait=READY, **how)


def row_of(fact):
    value = "(others)" if fact["is_others"] else fact["value"]
    return [value, f"{fact['times']:,}", *(f"{round(fact[key])} ns" for key in ("elapsed_ns", "waiting_ns", "longest_ns"))]


def same_tags(page, facts, n=25):
    tables = dict((head.partition(":")[0], rest) for head, *rest in json.loads(page.evaluate(TABLES)))
    for name in {fact["tag"] for fact in facts}:
        rows, below = tables[f"Tag {name}"]
        mine = [fact for fact in facts if fact["tag"] == name]
        lab.equal(rows, [row_of(fact) for fact in mine[:n]], f"values of {name}")
        for fact, text in zip(mine, below):
            *callers, last = fact["path"].split(";")
            expected = ("longest in " if fact["times"] > 1 else "in ") + last + (" " + " \u203a ".join(callers) if callers else "")
            expected += f" waited in {fact['waited_in']}" if fact["waited_in"] else ""
            lab.equal(text, expected, f"where {name} {fact['value']} was longest")
    return tables


@lab.test("values/tags as cinstr report has them, with paths; counts by call path")
def values(bench):
    facts = recorded(bench, "end")
    for width in 390, 1280:
        for dark in False, True:
            with opened(bench, width=width, dark=dark) as page:
                lab.equal(page.evaluate("shown().filter(view => view.id === 'values').length"), 1, "tabs")
                tables = same_tags(page, facts)
                lab.equal({row[0]: row[1:] for row in tables["Counted rows"][0]}, ROWS, "rows by call path")
                for check in "overflow", "contrast", "names", "words":
                    lab.equal(page.check_with(check), [], f"{width} wide: {check}")
                page.screenshot(f"values-{width}-{'dark' if dark else 'light'}")


@lab.test("values/many values, and none")
def many(bench):
    facts = recorded(bench, "many")
    with opened(bench) as page:
        same_tags(page, facts)
        page.click("#view section button")
        same_tags(page, facts, len(facts))
    # of a choice it is not known which of it the values are of
    with opened(bench, "--thread=user_values") as page:
        lab.equal(page.evaluate("shown().filter(view => view.id === 'values').length"), 0, "tabs of a choice")
