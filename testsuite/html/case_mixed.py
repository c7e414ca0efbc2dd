# SPDX-License-Identifier: GPL-3.0-or-later
"""The page of a mixed session (semantics.md, "Mixed sessions"): what is estimated is marked as in
tables, says where it comes from and what it may be off by, and adds up to what csv has."""
import csv
import io

import browser
import lab
from case_page import check_rows, numbers_of

READY = "document.body.dataset.ready === '1'"
# Small functions, which are counted only and estimated, and one that waits, which is timed.
PROGRAM = """#include <time.h>
#include <unistd.h>
volatile unsigned long sink;
#define NOIPA __attribute__((noipa))
NOIPA static unsigned leaf(unsigned x) { for (int i = 0; i < 20; i++) x = x * 2654435761u ^ x >> 7; return x; }
NOIPA static unsigned deep(unsigned n) { return n ? deep(n - 1) + leaf(n) : 1; }
NOIPA static void many(unsigned n) { for (unsigned i = 0; i < n; i++) sink += leaf(i) + deep(8); }
NOIPA static void nap(void) { usleep(20000); sink++; }
static double cpu(void) { struct timespec t; clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); return t.tv_sec + t.tv_nsec / 1e9; }
int main(void) { for (double end = cpu() + 0.5; cpu() < end;) { many(20000); nap(); } return 0; }
"""


def record(bench):
    program = bench.compile(bench.write("parts.c", PROGRAM), "parts", "-O1", "-fplugin-arg-cinstr-small=0")
    bench.cinstr("record", "--mixed", "--sample-source=timers", "-o", bench.path("cinstr.data"), "--", program)
    bench.cinstr("html", "-o", bench.path("page.html"), bench.path("cinstr.data"))
    return bench.path("page.html")


def rows(bench, *command):
    text = bench.cinstr(*command, "--names=short", "--format=csv", bench.path("cinstr.data"))
    return list(csv.reader(io.StringIO(text)))


def opened(page, view):
    return browser.page(f"{page}#{view}", wait=READY)


def dicts(table):
    return [dict(zip(table[0], row)) for row in table[1:]]


@lab.test("mixed/numbers, and where they come from, are csv's")
def numbers(bench):
    with opened(record(bench), "functions") as page:
        lab.check(page.evaluate("model.isMixed"), "the session is not mixed")
        for section, command in (("functions", ["report", "--sort=cpu_exclusive"]), ("nodes", ["tree", "--min-percent=0"]),
                                 ("threads", ["report", "--by=thread", "--sort=elapsed_inclusive"])):
            table = rows(bench, *command)
            check_rows(numbers_of(page, section), table[0], table[1:], section)
            for column in "source", "source_exclusive":
                found = page.evaluate(f"model.load('{section}').then(s => Array.from(upTo(s.n), row => s.text('{column}', row)))")
                lab.equal(found, [row[column] for row in dicts(table)], f"{column} of {section}")


@lab.test("mixed/estimates are marked, and their intervals shown")
def marks(bench):
    with opened(record(bench), "functions?columns=full") as page:
        table = dicts(rows(bench, "report"))
        known = {row["name"]: row for row in table}
        lab.check({"many", "leaf", "nap"} <= set(known), f"functions: {list(known)}")
        lab.check(known["leaf"]["source_exclusive"] in ("estimate", "both"), f"leaf is {known['leaf']['source_exclusive']}")
        lab.equal(known["usleep"]["source_exclusive"], "timed", "where the value of usleep comes from")
        shown = dict(page.evaluate("""[...document.querySelectorAll('tbody tr:not(.gap)')].map(row => [row.cells[0].innerText,
            [...row.cells].filter(cell => cell.title.startsWith('elapsed_exclusive_ns:')).map(cell => [cell.innerText, cell.title, cell.querySelector('.whisker') !== null])[0]])"""))
        for name, row in known.items():
            text, title, has_whisker = shown[name]
            off = row["elapsed_exclusive_uncertainty_ns"]
            lab.check(f"elapsed_exclusive_ns: {row['elapsed_exclusive_ns']} ns" + (f" \u00b1 {off} ns" if int(off) else "\n") in title, f"{name}, off by {off}: {title!r}")
            lab.equal(has_whisker, int(off) > 0, f"{name}: a whisker, off by {off}")
            if row["source_exclusive"] != "timed" and int(row["elapsed_exclusive_ns"]):
                lab.check("\u2248" in text or "\u2264" in text, f"{name}, {row['source_exclusive']}: {text!r} has no mark")
            else:
                lab.check("\u2248" not in text, f"{name}, {row['source_exclusive']}: {text!r}")
        page.go(page.address.partition("#")[0] + "#functions?columns=all")
        page.wait("document.querySelector('thead').innerText.includes('Source')")
        page.go(page.address.partition("#")[0] + "#function?function=leaf")
        page.wait("document.querySelector('.current') !== null")
        lab.check("\u2248" in page.text(".facts") and "\u2248" in page.text(".current"), page.text("#view")[:600])
        lab.check(page.evaluate("document.querySelectorAll('.current .whisker').length") > 0, "the box has no whisker")


@lab.test("mixed/what functions that are only counted wait for")
def waits(bench):
    with opened(record(bench), "time") as page:
        for ns in 0, 1000000:
            page.evaluate(f"(async () => {{ (await model.load('course')).get('other_ns').fill({ns}); await draw(); }})()")
            lab.equal("waiting for something else" in page.text(".kinds"), ns > 0, f"the column, of {ns} ns")
            lab.equal("short calls are only counted" in page.text("#view"), ns > 0, f"whether it is told, of {ns} ns")


@lab.test("mixed/sums are kept")
def sums(bench):
    with opened(record(bench), "flame?collapse=0") as page:
        table, paths = dicts(rows(bench, "report")), dicts(rows(bench, "tree", "--min-percent=0"))
        whole = page.evaluate("model.session.elapsed_inclusive_ns - model.session.outside_functions_ns")
        outside = page.evaluate("model.session.outside_functions_ns")
        graph = "views.find(view => view.id === 'flame').graph"
        for what, got in (("functions of csv", sum(int(row["elapsed_exclusive_ns"]) for row in table)),
                          ("paths of csv", sum(int(row["elapsed_exclusive_ns"]) for row in paths)),
                          ("functions of the page", page.evaluate("model.functions.get('elapsed_exclusive_ns').reduce((a, b) => a + b, 0)")),
                          ("the flame graph", page.evaluate(f"{graph}.tree.total"))):
            lab.check(-len(paths) - len(table) <= got - whole <= outside + len(paths) + len(table), f"{what}: {got}, and the session has {whole}, and {outside} outside")
        told = page.evaluate(f"Array.from({{ length: {graph}.tree.n }}, (_, i) => i).filter(i => {graph}.name(i) === 'leaf').map(i => {graph}.tell(i))")
        lab.check(told and all("\u2248" in text and "\u00b1" in text for text in told), f"boxes of leaf: {told[:2]}")
        page.go(page.address.partition("#")[0] + "#time")
        page.wait("document.body.dataset.view === 'time' && document.querySelector('.kinds tbody td') !== null")
        thread, = dicts(rows(bench, "report", "--by=thread"))
        kinds = page.evaluate("[...document.querySelectorAll('.kinds span[title*=\" ns\"]')].map(cell => cell.title)")
        values = [float(title.split(": ")[1].split(" ns")[0]) for title in kinds]
        lab.check(abs(sum(values) - float(thread["elapsed_inclusive_ns"])) <= len(values) + 1, f"{kinds}, csv has {thread['elapsed_inclusive_ns']}")
        lab.check(f"\u00b1 {thread['elapsed_inclusive_uncertainty_ns']} ns" in kinds[0], f"{kinds[0]}: csv has {thread['elapsed_inclusive_uncertainty_ns']}")
