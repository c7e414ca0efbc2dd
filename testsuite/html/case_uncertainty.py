# SPDX-License-Identifier: GPL-3.0-or-later
"""What a value may be off by is there wherever csv has it: as a whisker, a mark, a tooltip."""
import csv
import io

import browser
import lab
import sessions
from case_page import opened, page_of, record

WHISKERS = "[...document.querySelectorAll(%r)].map(one => one.querySelector('.whisker') !== null)"


def dicts(bench, *command):
    return list(csv.DictReader(io.StringIO(bench.cinstr(*command, "--format=csv"))))


def go(page, address):
    page.evaluate("delete document.body.dataset.ready")
    page.go(page.address.partition("#")[0] + "#" + address)
    page.wait("document.body.dataset.ready")


def off_text(row, column, off):
    """As a tooltip begins."""
    return f"{column}: {row[column]} ns" + (f" \u00b1 {row[off]} ns\n" if int(row[off]) else "\n")


@lab.test("uncertainty/hot path, lists of the summary")
def summary(bench):
    session = record(bench)
    with opened(page_of(bench, session), "summary") as page:
        hot = [row for row in dicts(bench, "tree", "--min-percent=0", "--names=short", session) if row["hot"] == "1" or row["hot"] == "yes"]
        lab.check(len(hot) > 1, f"the hot path of csv: {hot}")
        shown = page.evaluate("[...document.querySelectorAll('.chain li')].map(one => [one.querySelector('.mono').innerText, one.querySelector('b').title, one.innerText])")
        by_name = {row["name"]: row for row in hot}
        exact = [(name, title, text) for name, title, text in shown if "recursion" not in title]
        lab.check(len(exact) >= 2, f"the hot path: {shown}")
        for name, title, text in exact:
            row = by_name[name]
            lab.check(title.startswith(off_text(row, "elapsed_inclusive_ns", "elapsed_inclusive_uncertainty_ns")), f"{name}: {title!r}, csv has {row}")
            whole = page.evaluate("model.session.elapsed_inclusive_ns")
            off = 100 * int(row["elapsed_inclusive_uncertainty_ns"]) / whole
            lab.check(off < 0.05 or f"\u00b1 {off:.1f}" in text, f"{name}: {text!r}, +- {off}")
        functions = {row["name"]: row for row in dicts(bench, "report", "--names=short", session)}
        computing = page.evaluate("[...document.querySelectorAll('.bars')].filter(one => one.innerText.startsWith('Computing')).flatMap(one => [...one.querySelectorAll('li')]"
                                  ".map(li => [li.querySelector('.who').innerText, li.title, li.querySelector('.whisker') !== null]))")
        lab.check(computing, "no list of what computes")
        for name, title, has_whisker in computing:
            off = functions[name]["elapsed_exclusive_uncertainty_ns"]
            lab.equal(has_whisker, int(off) > 0, f"{name}: a whisker")
            lab.check(not int(off) or f"\u00b1 {off}" in title, f"{name}: {title!r}, csv has {off}")


@lab.test("uncertainty/tooltips of tables, boxes of callers")
def tables(bench):
    session = record(bench)
    functions = {row["name"]: row for row in dicts(bench, "report", "--names=short", session)}
    with opened(page_of(bench, session), "functions?columns=all") as page:
        whole = page.evaluate("model.session.elapsed_inclusive_ns")
        titles = page.evaluate("[...document.querySelectorAll('tbody tr:not(.gap)')].map(row => [row.cells[0].innerText, [...row.cells].map(cell => cell.title)])")
        for name, list_ in titles:
            row, by = functions[name], {title.partition(":")[0]: title for title in list_ if ": " in title}
            off = int(row["elapsed_inclusive_uncertainty_ns"])
            for column in "elapsed_inclusive_ns", "application_exclusive_ns":
                lab.check(by[column].startswith(off_text(row, column, column.replace("_ns", "_uncertainty_ns"))), f"{name}: {by[column]!r}")
            if off:
                lab.check(f"\u00b1 {100 * off / whole:.6f}"[:-1] in by["elapsed_inclusive_percent"], f"{name}, {off} of {whole}: {by['elapsed_inclusive_percent']!r}")
                lab.check("\u00b1" in by["avg_elapsed_inclusive_ns"], f"{name}: {by['avg_elapsed_inclusive_ns']!r}")
            lab.check("\u00b1" not in by["off_cpu_ns"], f"{name}: {by['off_cpu_ns']!r}")
        go(page, "function?function=step&measure=elapsed")
        edges = dicts(bench, "callers", "step", "--names=short", session)
        boxes = page.evaluate("[...document.querySelectorAll('.side:not(.current) .boxed')].map(one => [one.querySelector('.who').innerText, one.title, one.querySelector('.whisker') !== null])")
        lab.check(len(boxes) > 2, f"boxes: {boxes}")
        for name, title, has_whisker in boxes:
            row = next(one for one in edges if one["name"] == name and one["type"] in ("caller", "callee"))
            lab.check(off_text(row, "elapsed_inclusive_ns", "elapsed_inclusive_uncertainty_ns") in title, f"{name}: {title!r}")
            lab.equal(has_whisker, int(row["elapsed_inclusive_uncertainty_ns"]) > 0, f"{name}: a whisker")
        go(page, "time")
        threads = {row["tid"]: row for row in dicts(bench, "report", "--by=thread", session)}
        told = page.evaluate("""(c => c.order.map(t => [String(c.threads.get('tid')[t]), c.tellThread(t).find(line => line.startsWith('computing'))]))(views.find(view => view.id === 'time').strips.course)""")
        for tid, line in told:
            lab.equal("\u00b1" in line, int(threads[tid]["elapsed_inclusive_uncertainty_ns"]) > 0, f"thread {tid}: {line}")


@lab.test("uncertainty/samples")
def samples(bench):
    sessions.changed_sampled(bench)
    rows = {row["name"]: row for row in dicts(bench, "report", "--names=short", bench.path("sb.data"))}
    with opened(page_of(bench, bench.path("sb.data")), "functions") as page:
        all_ = page.evaluate("model.session.samples")
        shown = page.evaluate("""Array.from(upTo(model.functions.n), row => [model.functionName(row), ...['inclusive_samples', 'inclusive_percent', 'exclusive_percent'].map(name => {
            const off = shownOff('functions', model.functions, name, row), value = model.functions.get(name)[row]; return [value - off[0], value + off[1]]; })])""")
        for name, samples_, inclusive, exclusive in shown:
            if name not in rows and name.rsplit(" (", 1)[0] in rows:
                continue  # the page tells functions of one name apart
            row = rows[name]
            for kind, (low, high) in (("inclusive", inclusive), ("exclusive", exclusive), ("inclusive", [100 * end / all_ for end in samples_])):
                lab.check(abs(low - float(row[f"{kind}_percent_low"])) < 2e-6 and abs(high - float(row[f"{kind}_percent_high"])) < 2e-6, f"{name}, {kind}: {low} to {high}, csv has {row}")
        lab.check(all(page.evaluate(WHISKERS % "tbody .bar")), "bars without a whisker")
        go(page, "summary")
        lab.check(all(page.evaluate(WHISKERS % ".bars .meter")), "bars of the summary without a whisker")
        row = next(one for one in dicts(bench, "tree", "--min-percent=0", "--names=short", bench.path("sb.data")) if one["name"] == "main")
        text = page.evaluate("[...document.querySelectorAll('.chain li')].find(one => one.innerText.startsWith('main ')).innerText")
        lab.check(f"({float(row['inclusive_percent_low']):.1f} to {float(row['inclusive_percent_high']):.1f})" in text, f"{text!r}, csv has {row}")


@lab.test("uncertainty/calls of a timeline")
def timeline(bench):
    program = bench.compile("programs/timeline.c", "program", "-O2", "-pthread")
    bench.run(program, "requests", "60", "20", env={"CINSTR_TIMELINE": "unlimited"}, status=0)
    session = bench.path("cinstr.data")
    row = next(one for one in dicts(bench, "report", "--names=short", session) if one["name"] == "request")
    probes = int(row["probe_overhead_inclusive_ns"])
    part = 100 * probes / (probes + int(row["elapsed_inclusive_ns"]))
    with opened(page_of(bench, session), "timeline") as page:
        told = page.evaluate("(c => c.tellCall(Array.from({ length: c.items.n }, (_, i) => i).find(i => c.name(i) === 'request')))(views.find(view => view.id === 'timeline').chart)")
        lab.check(any(f"the probes' time is in it, {part:.1f} %" in line for line in told), f"{told}: the probes took {part} %")
