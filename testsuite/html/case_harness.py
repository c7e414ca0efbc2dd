# SPDX-License-Identifier: GPL-3.0-or-later
"""The harness itself, on a small page: it sees what it must, and finds what is wrong."""
import json
import os
import re

import browser
import lab

PAGE = """<!doctype html><html lang=en><meta charset=utf-8><title>Small</title>
<style>body { margin: 8px; color: #222; background: #fff } p { overflow-wrap: anywhere }
@media (prefers-color-scheme: dark) { body { color: #ddd; background: #111 } }</style>
<h1>Ein Titel</h1><p id=count>0</p><button onclick="count.textContent = ++n">more</button>
<input aria-label=words oninput="count.textContent = this.value"><canvas id=area aria-label=area width=200 height=50></canvas>
<script>let n = 0; document.onkeydown = e => { if (e.target.localName !== "input") document.title = (e.ctrlKey ? "^" : "") + e.key };
area.onwheel = e => area.title = "wheel " + Math.sign(e.deltaY); onhashchange = () => count.textContent = location.hash;</script>"""


def small(bench, more=""):
    return bench.write("small #1 & so.html", PAGE + more)


@lab.test("harness/look and act")
def look_and_act(bench):
    with browser.page(small(bench)) as page:
        lab.equal(page.text("h1"), "Ein Titel", "heading")
        page.click("button", times=2)
        lab.equal(page.text("#count"), "2", "after two clicks")
        page.click("input")
        page.type("a;ü <")
        lab.equal(page.text("#count"), "a;ü <", "what was typed")
        page.evaluate("document.activeElement.blur()")
        page.key("Escape")
        lab.equal(page.evaluate("document.title"), "Escape", "a key")
        page.key("f", "Control")
        lab.equal(page.evaluate("document.title"), "^f", "a key with Control")
        page.wheel(*page.place("#area"), 120)
        page.wait("area.title == 'wheel 1'")
        page.go(page.address + "#view=tree")
        page.wait("count.textContent == '#view=tree'")
        lab.equal(page.evaluate("Promise.resolve(6 * 7)"), 42, "a promise")


@lab.test("harness/sizes, colours, pictures")
def sizes(bench):
    with browser.page(small(bench), width=360, height=640, dark=True) as page:
        lab.equal(page.evaluate("[innerWidth, innerHeight, matchMedia('(prefers-color-scheme: dark)').matches]"), [360, 640, True], "window")
        picture = page.screenshot("harness-dark")
        lab.equal(picture[:8], b"\x89PNG\r\n\x1a\n", "a picture")
        lab.equal([int.from_bytes(picture[at:at + 4], "big") for at in (16, 20)], [360, 640], "its size")
        page.viewport(800, 600)
        page.scheme("light")
        lab.equal(page.evaluate("[innerWidth, matchMedia('(prefers-color-scheme: dark)').matches]"), [800, False], "window")
        page.scheme("light", "print")
        lab.check(page.evaluate("matchMedia('print').matches"), "not as printed")
        lab.equal(page.printed("harness")[:5], b"%PDF-", "paper")
    lab.check(os.path.exists(os.path.join(browser.PICTURES, "harness-dark.png")), "the picture is not there")


def complaint(page):
    """Of closing the page."""
    try:
        page.close()
    except lab.Failure as failure:
        return str(failure)
    raise lab.Failure("nothing was found")


@lab.test("harness/errors and requests are found")
def finds_errors(bench):
    for script, words in (("throw Error('broken here')", "broken here"), ("console.error('not good', 7)", "not good 7"),
                          ("Promise.reject(Error('nobody waits'))", "nobody waits"),
                          ("document.body.append(Object.assign(new Image, {src: 'other.png'}))", "other.png"),
                          ("fetch('http://127.0.0.1:9/x').catch(() => 0)", "127.0.0.1:9/x"),
                          ("import('http://example.org/x.js').catch(() => 0)", "example.org")):
        page = browser.page(small(bench, f"<script>{script}</script>"))
        lab.wait_for(lambda: page.errors or page.foreign() or page.evaluate("0"), f"{script}: nothing", 20)
        lab.check(words in complaint(page), f"{script}: {words} is not in the complaint")


@lab.test("harness/checks find what is wrong")
def finds_wrong_pages(bench):
    with browser.page(small(bench), width=360) as page:
        for name in "overflow", "contrast", "names":
            lab.equal(page.check_with(name), [], name)
    bad = """<div id=wide style="width: 500px">wide</div><p style="color: #999">pale</p><p style="opacity: .4">thin</p>
        <button></button><button id=blind style="outline: none; border: 0">b</button>"""
    with browser.page(small(bench, bad), width=360) as page:
        for name, words in (("overflow", ["508", "div#wide"]), ("contrast", ["pale", "thin"]), ("names", ["<button></button>"])):
            found = json.dumps(page.check_with(name))
            for word in words:
                lab.check(word in found, f"{name} does not find {word}: {found}")
        page.evaluate("blind.focus({focusVisible: true})")
        lab.check(re.search("not seen on button#blind", str(page.check_with("focusSeen"))), "focusSeen finds nothing")
        page.key("Tab", "Shift")
        lab.equal(page.check_with("focusSeen"), [], "focus of an ordinary button")
