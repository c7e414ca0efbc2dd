# SPDX-License-Identifier: GPL-3.0-or-later
"""Waits in the page: who waited for what, and who ended that, is what programs/objects.c and hang.c
do, and the times are those of cinstr waits. Both come to a wait only once the kernel says that a
thread sleeps: nothing depends on time."""
import json

import browser
import lab

READY = "document.body.dataset.ready"
# waiter: object, who ended the wait, and in which words
TRUTH = {
    "wants_mutex": ("mutex a_mutex", "gives_mutex", "held by"),
    "wants_node": ("mutex", "gives_node", "held by"),
    "lock_wrapped": ("mutex wrapped_mutex", "gives_wrapped", "held by"),
    "wants_write": ("read-write lock a_rwlock", "gives_write", "held by"),
    "wants_post": ("semaphore a_semaphore", "gives_post", "posted by"),
    "wants_signal": ("condition variable a_condition", "gives_signal", "signal by"),
    "wants_others": ("barrier a_barrier", "gives_others", "last was"),
    "wants_twice": ("condition variable twice_condition", "gives_twice", "signal by, likely"),
    "wants_byte": ("pipe", "gives_byte", "other end"),
    "wants_stale": ("semaphore stale_semaphore", "not known", "posted by"),
}
# Of each object: what it is called, the words above its lists, of their rows the name, the exact
# time, the note below, and whether it is likely.
OBJECTS = """JSON.stringify([...document.querySelectorAll('.waited')].map(one => [one.querySelector('b').innerText,
    [...one.querySelectorAll('h4')].map(head => head.innerText),
    [...one.querySelectorAll('ol')].map(list => [...list.children].map(row => [row.querySelector('.who').innerText,
        row.querySelector('.what').title, row.querySelector('.by')?.innerText ?? '',
        row.querySelector('.what').innerText.includes('likely')]))]))"""
OPEN = """JSON.stringify([...document.querySelectorAll('#view h3, .open-wait > b, .open-wait dt, .open-wait dd')].map(one => one.innerText))"""


def recorded(bench, source, *arguments, status=0, **env):
    program = bench.compile(f"programs/{source}.c", source, "-O2", "-g", "-pthread")
    bench.run(program, *arguments, status=status, env=env)
    return bench.json("waits")["waits"]


def opened(bench, state, *options, **how):
    bench.cinstr("html", "-o", bench.path("page.html"), *options)
    return browser.page(bench.path("page.html") + f"#{state}", wait=READY, **how)


def show(page, state):
    page.evaluate("delete document.body.dataset.ready")
    page.go(page.address.partition("#")[0] + "#" + state)
    page.wait(READY)


def looks_well(page, what):
    for check in "overflow", "contrast", "names", "words":
        lab.equal(page.check_with(check), [], f"{what}: {check}")


@lab.test("waits/who waited for what, and who ended that")
def truth(bench):
    rows = recorded(bench, "objects")
    with opened(bench, "waits") as page:
        lab.equal(page.evaluate("shown().filter(view => view.id === 'waits').length"), 1, "tabs")
        objects = json.loads(page.evaluate(OBJECTS))
        for waiter, (name, giver, words) in TRUTH.items():
            mine = [one for one in objects if waiter in [row[0] for row in one[2][0]] and one[0] == name]
            lab.equal([one[0] for one in mine], [name], f"what {waiter} waited for")
            _, heads, lists = mine[0]
            waiting, ended = (next(row for row in part if row[0] == who) for part, who in zip(lists, (waiter, giver)))
            lab.equal(heads, ["waiting", words.partition(",")[0]], f"words of {name}")
            lab.equal(ended[3], "likely" in words, f"who ended the wait for {name} is likely")
            row = next(row for row in rows if row["waiter"] == waiter)
            for side in waiting, ended:
                lab.equal(side[1].partition("\n")[0], f"{row['waiting_ns']} ns in 1 wait", f"time of {waiter}, {side[0]}")
            lab.check(f"objects.c:{row['waiter_line']}" in waiting[2], f"place of {waiter}: {waiting[2]}")
            if row["ended_by_line"]:
                lab.check(f"objects.c:{row['ended_by_line']}" in ended[2], f"place of {giver}: {ended[2]}")
        lab.check("wants_wrapped" in next(one for one in objects if one[0] == "mutex wrapped_mutex")[2][0][0][2], "the path to lock_wrapped")
        ends = next(one for one in objects if "thread" in one[0])[2][1]
        lab.check(ends[0][0].startswith("sleeps, thread "), f"the thread that main() waited for longest: {ends[0]}")
        unknown = sum(row["waiting_ns"] for row in rows if row["known"] == "no") / sum(row["waiting_ns"] for row in rows)
        if abs(unknown - 0.01) > 0.0001:
            lab.equal("Not known who ended" in page.text("#view"), unknown > 0.01, f"not known of {unknown:%}")
        looks_well(page, "objects")


@lab.test("waits/of a function: what it waited for, and what others did until it gave it")
def of_function(bench):
    recorded(bench, "objects")
    with opened(bench, "summary") as page:
        for waiter, (name, giver, words) in TRUTH.items():
            if giver == "not known":
                continue
            show(page, f"function?function={waiter}")
            text = page.text("#view")
            lab.check("What it waited for" in text, f"{waiter}: {text[:400]}")
            lines = page.evaluate("[...document.querySelectorAll('.brief tr')].map(one => [one.cells[0].innerText, one.cells[3].innerText])")
            lab.equal([line for line in lines if "waiting:" not in line[1]], [[name, f"{words} {giver}"]], f"what {waiter} waited for")
            show(page, f"function?function={giver}")
            lab.check("What others waited for until it gave or signalled it" in page.text("#view"), f"{giver}: {page.text('#view')[:400]}")
            lines = page.evaluate("[...document.querySelectorAll('.brief tr')].map(one => [one.cells[0].innerText, one.cells[3].innerText])")
            likely = "likely; " if "likely" in words else ""
            # who comes last to the barrier may wait there, too
            lab.equal([line for line in lines if "waiting:" in line[1]], [[name, f"{likely}waiting: {waiter}"]], f"what others waited for {giver}() to give")
        show(page, "function?function=until_sleeps")
        lab.check("waited for" not in page.text("#view"), "a function that has nothing to do with waits")
        # a link leads to the object
        show(page, "function?function=gives_mutex")
        page.evaluate("delete document.body.dataset.ready")
        page.click(".brief a")
        page.wait(READY + " && document.body.dataset.view === 'waits'")
        lab.equal([one[0] for one in json.loads(page.evaluate(OBJECTS))], ["mutex a_mutex"], "the object behind the link")


@lab.test("waits/deadlocks, and what has not ended, stand first")
def deadlock(bench):
    rows = {row["waiter"]: row for row in recorded(bench, "hang", "outside", "kill", status=-9)}
    with opened(bench, "waits") as page:
        found = json.loads(page.evaluate(OPEN))
        tids = {name: row["waiter_tid"] for name, row in rows.items()}

        def line(waiter):
            return f"{waiter}, thread {tids[waiter]}, in {waiter} hang.c:{rows[waiter]['waiter_line']}"
        circle = [["mutex m1", "waiting", line("has_second"), "held by", line("has_first")],
                  ["mutex m2", "waiting", line("has_first"), "held by", line("has_second")]]
        found = [word if not word.startswith("mutex") else word.split(":")[0] for word in found]
        lab.equal(found[:1] + found[11:], ["Deadlock: 2 threads, each waits for what the next one has", "Waits that have not ended",
                                           "mutex m1", "waiting", line("outside"), "held by", line("has_first")], "deadlock")
        lab.equal(sorted([found[1:6], found[6:11]]), circle, "the circle, from either of its threads on")
        looks_well(page, "a deadlock")
        show(page, "function?function=has_first")
        lab.equal(page.evaluate("document.querySelectorAll('.open-here li').length"), 3, "of has_first: its wait, and two for it")
    for how, words in (("given", "Deadlock, likely: 2 threads, each waits for what the next one has"),
                       ("twice", "Deadlock: a thread waits for what it has itself")):
        bench.run("rm", "-r", bench.path("cinstr.data"), status=0)
        bench.run(bench.path("hang"), how, "kill", status=-9)
        with opened(bench, "waits") as page:
            found = json.loads(page.evaluate(OPEN))
            lab.equal(found[0], words, how)
            lab.equal("had by" in found, how == "given", f"{how}: who had it when the wait began")


QUIET = """static volatile unsigned sink;
__attribute__((noipa)) static void work(void) { for (int i = 0; i < 1000; i++) sink += i; }
int main(void) { work(); return 0; }"""


@lab.test("waits/no tab where nothing was waited for, or of a range of time")
def silent(bench):
    recorded(bench, "objects", CINSTR_TIMELINE="unlimited")
    has = "[model.has('waits'), shown().some(view => view.id === 'waits')]"
    for options, there in ((), True), (("--from=0ms", "--to=5s"), False), (("--thread=wants_mutex",), True), (("--thread=sleeps",), False):
        with opened(bench, "summary", *options) as page:
            lab.equal(page.evaluate(has), [there, there], f"with {options}")
    bench.run("rm", "-r", bench.path("cinstr.data"), status=0)
    bench.run(bench.compile(bench.write("quiet.c", QUIET), "quiet", "-O2"), status=0)
    with opened(bench, "function?function=work") as page:
        lab.equal(page.evaluate(has), [False, False], "no waits")


@lab.test("waits/of many objects the first ones; a filter")
def many(bench):
    recorded(bench, "objects", "many")
    with opened(bench, "waits") as page:
        shown = "document.querySelectorAll('.waited').length"
        objects = page.evaluate("model.load('waits').then(waits => waits.groups.length)")
        lab.check(objects > 1000, f"objects: {objects}")
        lab.equal(page.evaluate(shown), 25, "at first")
        page.evaluate("[...document.querySelectorAll('.waits section > button')].pop().click()")
        lab.equal(page.evaluate(shown), 50, "after a click on more")
        page.evaluate("document.querySelector('input[type=search]').focus()")
        page.type(page.evaluate("model.load('waits').then(waits => waits.groups.find(group => /\\d{6}$/.test(group.object)).object)"))
        page.wait(shown + " === 1")
        lab.check(f"1 of {objects:,} objects" in page.text(".found"), page.text(".found"))


@lab.test("waits/light, dark, narrow")
def look(bench):
    recorded(bench, "objects")
    for width in 1280, 390:
        for dark in False, True:
            with opened(bench, "summary", width=width, dark=dark) as page:
                for state in "waits", "function?function=wants_signal":
                    show(page, state)
                    what = f"{state}, {width} wide, {'dark' if dark else 'light'}"
                    looks_well(page, what)
                    page.screenshot(f"waits-{state.partition('?')[0]}-{width}-{'dark' if dark else 'light'}")
