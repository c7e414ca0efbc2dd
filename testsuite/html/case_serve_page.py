# SPDX-License-Identifier: GPL-3.0-or-later
"""cinstr serve in the browser: the same page as cinstr html's, and one that follows a recording."""
import json
import os
import shutil

import browser
import lab
import served
import sessions

READY = "document.body.dataset.ready === '1'"


def look(server, state="", **how):
    return browser.page(server.address + state, wait=READY, allowed=[server.address], **how)


def names(page):
    """Of functions, as far as they are on the screen."""
    return page.evaluate("[...document.querySelectorAll('table.rows td.name')].map(cell => cell.textContent)")


@lab.test("serve/the same page as in a file")
def same_page(bench):
    session = sessions.golden(bench, "pool")
    bench.run(lab.COMMAND, "html", "-o", bench.path("page.html"), session, status=0)
    server = served.Server(bench, session)
    with look(server) as page:
        shown = page.text("#view")
        lab.check("ended" in page.text("#head"), f"its state is not in the head: {page.text('#head')}")
        lab.check("frame-ancestors" in page.answers_of[server.address]["headers"].get("Content-Security-Policy", ""), "no policy")
        page.screenshot("serve-light")
    with browser.page(bench.path("page.html"), wait=READY) as page:
        lab.equal(shown, page.text("#view"), "what is shown, and in the file")
    server.end()


@lab.test("serve/parts are fetched when they are needed")
def on_demand(bench):
    server = served.Server(bench, sessions.golden(bench, "pool"))
    with look(server, "#functions") as page:
        page.wait("document.body.dataset.prepared")
        asked = [url[len(server.address):] for url in page.requests]
        lab.check(asked.index("1/functions") < asked.index("1/nodes"), f"what was asked for: {asked}")
        lab.equal(page.evaluate("model.load('nodes').then(nodes => nodes.n > 0)"), True, "call paths")
        lab.equal(len([url for url in page.requests if url.endswith("/1/nodes")]), 1, "how often call paths were fetched")
    server.end()


@lab.test("serve/a range of time, in all views")
def time_range(bench):
    """Zoomed in, a button has the server read that time alone; numbers are csv's of it. Another one
    brings all of it back."""
    program = bench.compile("programs/timeline.c", "program", "-O2", "-pthread")
    bench.run(program, "requests", "60", "20", env={"CINSTR_TIMELINE": "unlimited"}, status=0)
    session = bench.path("cinstr.data")
    button = "[...document.querySelectorAll('button')].find(one => one.innerText === {})"
    calls = "model.load('functions').then(f => Array.from(upTo(f.n), i => [f.text('name', i), f.get('calls')[i]]).sort())"
    end = int(bench.report("cinstr.data")["session"]["duration_ns"])
    wanted = {}
    for name, options in ("all", []), ("part", [f"--from={end // 4}ns", f"--to={end // 2}ns"]):
        table = bench.json("report", *options, session)
        wanted[name] = sorted([row["name"], row["calls"]] for row in table["rows"])
    lab.check(wanted["all"] != wanted["part"], "nothing to be told apart")
    server = served.Server(bench, session)
    with look(server, f"#time?span={end // 4}-{end // 2}") as page:
        lab.equal(page.evaluate(calls), wanted["all"], "calls at first")
        page.evaluate(button.format("'All views: this time'") + ".click()")
        page.wait("document.body.dataset.edition === '2'")
        lab.equal(page.evaluate(calls), wanted["part"], "calls of the range")
        lab.check("from=" in page.text("#head"), f"the head: {page.text('#head')}")
        page.evaluate(button.format("'All of the time'") + ".click()")
        page.wait("document.body.dataset.edition === '3'")
        lab.equal(page.evaluate(calls), wanted["all"], "calls again")
    for wrong in "range/", "range/5", "range/5-", "range/9-5", "range/a-b", "range/1-2x", "range/-1-5":
        lab.equal(server.get(wrong)[0], 404, wrong)
    lab.equal(server.state()["edition"], 3, "editions after what was wrong")
    server.end()


@lab.test("serve/a page in a frame, a page of another address")
def from_elsewhere(bench):
    server = served.Server(bench, sessions.golden(bench, "pool"))
    bench.write("frame.html", f"<!doctype html><iframe src='{server.address}'></iframe><script src='{server.address}state'></script>"
                f"<script>window.got = []; for (const what of ['', 'state', '1/index'])"
                f" fetch('{server.address}' + what).then(() => got.push('read ' + what), () => got.push('refused'))</script>")
    page = browser.page(bench.path("frame.html"))
    page.wait("got.length === 3")
    lab.equal(page.evaluate("got"), ["refused"] * 3, "what another page gets")
    lab.check(any("frame" in error.lower() for error in page.errors), f"the frame is shown: {page.errors}")
    page.close(judge=False)
    server.end()


@lab.test("serve/a session that is being recorded")
def live(bench):
    running = sessions.Running(bench, "loop", "2")
    server = served.Server(bench, running.folder, env={"TMPDIR": bench.folder})
    with look(server, "#functions?filter=dee") as page:
        lab.check("recording" in page.text("#head"), f"it is not said that it is being recorded: {page.text('#head')}")
        calls = "model.functions.get('calls')[model.functionOf('deep')]"
        first = page.wait(calls)
        page.evaluate("document.querySelector('input[type=search]').focus()")
        page.evaluate("document.querySelector('input[type=search]').setSelectionRange(1, 2)")
        page.wait(f"{calls} > {first}")
        lab.equal(page.evaluate("[document.activeElement.value, document.activeElement.selectionStart, document.activeElement.selectionEnd]"),
                  ["dee", 1, 2], "where the keyboard was")
        lab.equal(names(page), ["deep"], "what is filtered")
        # Of a snapshot everything adds up.
        lab.equal(page.evaluate("model.session.conservation_ticks_off"), 0, "ticks that are missing")
        page.screenshot("serve-live")
        lab.check(not any(url.endswith("/nodes") for url in page.requests), "of a recording, call paths are fetched before they are looked at")
        running.end()
        page.wait("document.querySelector('#served-sign').textContent === 'ended'")
        exact = {row["name"]: row["calls"] for row in bench.report()["rows"]}
        lab.equal(page.evaluate(calls), exact["deep"], "calls when it has ended")
        lab.check("steered" in page.text("#head"), "the program's name is not in the head")
    lab.equal(server.end(), 0, "exit status")
    lab.equal([name for name in os.listdir(bench.folder) if name.startswith("cinstr-serve")], [], "folders left behind")


def paths(page):
    """Of the tree, as far as they are on the screen."""
    return page.evaluate("[...document.querySelectorAll('table.rows .path')].map(cell => cell.textContent)")


def next_edition(page):
    """What is shown then is of other data than now."""
    now = page.evaluate("Number(document.body.dataset.edition ?? 1)")
    page.wait(f"Number(document.body.dataset.edition) > {now}")


@lab.test("serve/what was opened stays")
def stays_open(bench):
    running = sessions.Running(bench, "loop", "2")
    server = served.Server(bench, running.folder, env={"TMPDIR": bench.folder})
    with look(server, "#tree") as page:
        for root in "main", "loop":  # a thread may begin after the first edition
            page.wait(f"[...document.querySelectorAll('table.rows .path')].some(cell => cell.textContent.endsWith('{root}'))")
        page.evaluate("document.querySelector('.box').focus()")
        page.key("Home")
        page.key("ArrowLeft")
        closed = paths(page)
        for _ in range(2):
            next_edition(page)
            lab.equal(sorted(paths(page)), sorted(closed), "what is closed")
        page.key("ArrowRight")
        page.key("ArrowDown")
        page.key("ArrowRight")
        opened = paths(page)
        lab.check(len(opened) > len(closed), f"nothing opens: {opened}")
        cursor = "document.querySelector('tr.cursor .path').textContent"
        place = page.evaluate(cursor)
        for _ in range(2):
            next_edition(page)
            lab.equal(sorted(paths(page)), sorted(opened), "what is opened")
            lab.equal(page.evaluate(cursor), place, "where the cursor is")
        # One thread of several.
        names = page.evaluate("[...document.querySelectorAll('select[aria-label=Thread] option')].map(option => option.value)")
        lab.check(len(names) > 1, f"threads to choose from: {names}")
        chosen = f"document.querySelector('select[aria-label=Thread]').value === {json.dumps(names[-1])}"
        page.evaluate(f"go('tree', {{ thread: {json.dumps(names[-1])} }})")
        page.wait(chosen)
        next_edition(page)
        lab.check(page.evaluate(chosen), "another thread is shown")
        # The button that keeps what is shown.
        page.click("#served-sign button")
        page.wait("document.querySelector('#served-sign button').getAttribute('aria-pressed') === 'true'")
    running.end()
    server.end()


@lab.test("serve/two sessions")
def two(bench):
    a, b = sessions.golden(bench, "pool"), bench.path("b.cinstr")
    shutil.copy(sessions.golden(bench, "threads"), b)
    server = served.Server(bench, a, "--", b)
    bench.run(lab.COMMAND, "html", "-o", bench.path("page.html"), a, "--", b, status=0)
    with look(server, "#changes") as page:
        shown = page.text("#view")
        lab.check(any(url.endswith("/1/b.functions") for url in page.requests), "the second session was not asked for")
        page.screenshot("serve-two")
        with browser.page(bench.path("page.html") + "#changes", wait=READY) as file:
            lab.equal(shown, file.text("#view"), "what is shown, and in the file")
        # The second one is recorded anew.
        shutil.copy(a, bench.path("new"))
        os.rename(bench.path("new"), b)
        next_edition(page)
        lab.check(page.text("#view") != shown, "the new one is not shown")
    server.end()
    done = bench.run(lab.COMMAND, "serve", a, "--", status=2)
    lab.check("the second session comes after --" in done.stderr, f"nothing after --: {done.stderr}")
    bench.run(lab.COMMAND, "serve", a, "--", b, b, status=2)


@lab.test("serve/recorded anew, taken away")
def anew(bench):
    session = bench.path("s.cinstr")
    shutil.copy(sessions.golden(bench, "pool"), session)
    server = served.Server(bench, session)
    with look(server, "#functions") as page:
        first = names(page)
        shutil.copy(sessions.golden(bench, "recursion"), bench.path("new"))
        os.rename(bench.path("new"), session)
        page.wait("document.body.dataset.edition === '2'")
        lab.check(names(page) != first, "the new session is not shown")
        os.unlink(session)
        page.wait("/could not be read again/.test(document.querySelector('#served-sign').textContent)")
        lab.equal(json.loads(json.dumps(server.state()["edition"])), 2, "the edition that stays")
        server.end()
        page.wait("/has ended: what is shown stays/.test(document.querySelector('#served-sign').textContent)")
        lab.check(names(page), "what was shown is gone")
        page.errors = [error for error in page.errors if "ERR_CONNECTION_REFUSED" not in error]
