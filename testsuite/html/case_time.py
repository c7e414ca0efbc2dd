# SPDX-License-Identifier: GPL-3.0-or-later
"""Threads over time and the timeline: what they say is what cinstr timeline and report say."""
import csv
import io
import os
import shutil

import browser
import lab

CHART = "views.find(view => view.id === 'timeline').chart"
STRIPS = "views.find(view => view.id === 'time').strips"
HERE = os.path.dirname(os.path.abspath(__file__))


def make(bench):
    return bench.compile("programs/timeline.c", "program", "-O2", "-pthread")


def page_of(bench, program, *args, timeline="unlimited"):
    bench.run(program, *args, env={"CINSTR_TIMELINE": timeline} if timeline else None, status=0)
    bench.cinstr("html", "-o", bench.path("page.html"), bench.path("cinstr.data"))
    return bench.path("page.html")


def opened(page, view, keys="", **how):
    return browser.page(f"{page}#{view}?{keys}", wait=f"document.body.dataset.ready === '1' && document.body.dataset.view === '{view}'", **how)


def rows(bench, *command):
    return list(csv.DictReader(io.StringIO(bench.cinstr(*command, "--names=short", "--format=csv", bench.path("cinstr.data")))))


def calls_of_csv(events):
    """{(tid, depth, begin, function): duration, or ''} of those that have returned."""
    opened_at, calls = {}, {}
    for event in events:
        key = event["tid"], event["depth"]
        if event["event"] in ("enter", "call", "running"):
            opened_at[key] = event["time_ns"]
        elif event["event"] in ("exit", "return", "implicit-exit", "implicit-return"):
            calls[(*key, opened_at[key], event["function"])] = event["duration_ns"]
    return calls


def items_of(page, only_single="true"):
    return page.evaluate(f"""(() => {{ const c = {CHART}, list = [];
        for (const lane of c.list) {{ const level = lane.levels[0];
            for (let i = 0; i < level.n; i++) if (level.calls[i] === 1 || !{only_single}) {{ const item = level.longest[i];
                list.push([String(c.course.threads.get('tid')[lane.thread]), String(lane.depth + 1), String(c.items.begin[item]), c.name(item),
                           String(c.items.duration[item]), level.calls[i]]); }} }}
        return list; }})()""")


@lab.test("time/lanes")
def lanes(bench):
    if not shutil.which("node"):
        lab.need("node")
    done = bench.run("node", os.path.join(HERE, "lanes.test.js"), os.path.join(HERE, "../../report/html/page/lanes.js"), status=0)
    lab.equal(done.stdout.strip(), "ok", "what it says")


@lab.test("time/every call of a small timeline")
def small(bench):
    """The same calls as csv, to the ns."""
    page_file = page_of(bench, make(bench), "requests", "60", "20")
    wanted = calls_of_csv(rows(bench, "timeline"))
    with opened(page_file, "timeline") as page:
        lab.equal(page.evaluate(f"{CHART}.course.info.cell_ns"), 1, "the cell")
        page.wait("document.body.dataset.prepared")
        lab.check(page.evaluate(f"{CHART}.list.every(lane => lane.levels.length > 1)"), "levels for the window are not prepared")
        got = {tuple(one[:4]): one[4] for one in items_of(page)}
        lab.check(len(wanted) > 1200, f"only {len(wanted)} calls in csv")
        lab.equal(got, wanted, "calls")
        page.type("/wait_ms")
        lab.check(page.text("#timeline-found").startswith("60 single calls") or page.text("#timeline-found").startswith("1 single call"),
                  page.text("#timeline-found"))
        page.key("Enter")
        at = max(wanted, key=lambda call: (call[3] == "wait_ms", int(wanted[call])))
        page.wait(f"document.querySelector('.about').innerText.includes('duration_ns {wanted[at]}')")
        lab.check(f"time_ns {at[2]}" in page.text(".about"), page.text(".about"))
        lab.check("timeline.c:" in page.text(".about"), "where it was called from is not told")
        x, y = page.evaluate("""(r => [r.x + r.width / 2, r.y])(document.querySelector('.canvas canvas').getBoundingClientRect())""")
        row = page.evaluate(f"(c => c.rows[0].y + 20 + 15 * {int(at[1]) - 1} + 7 - c.box.top)({CHART})")
        page.hover_at(x, y + row)
        page.wait(f"document.getElementById('tip')?.innerText.includes('duration_ns {wanted[at]}')")


@lab.test("time/of a range the command is told that makes a page of it")
def command_of_range(bench):
    page_file = page_of(bench, make(bench), "requests", "60", "20")
    for view in "time", "timeline":
        with opened(page_file, view) as page:
            lab.equal(page.text(".range"), "", f"{view}: a command for all of the time")
            page.key("+")
            page.wait("document.querySelector('.range code') !== null")
            command = page.text(".range code").split()
            lab.equal(command[:2], ["cinstr", "html"], view)
            bench.cinstr(*command[1:], "-o", bench.path("part.html"), bench.path("cinstr.data"))
            lab.check(page.evaluate(f"{CHART if view == 'timeline' else STRIPS}.span.address()") ==
                      "-".join(word.split("=")[1][:-2] for word in command[2:]), f"{view}: {command}")


@lab.test("time/no seams between stretches")
def seams(bench):
    """Zoomed until a stretch is several pixels wide, a strip has the colours of kinds, and no
    others."""
    page_file = page_of(bench, make(bench), "requests", "60", "20")
    with opened(page_file, "time") as page:
        seen = page.evaluate(f"""(s => {{
            const {{ span, course: {{ info }} }} = s, middle = s.span.end / 2, half = info.bin_ns * 40.3;
            span.go(middle - half, middle + half);
            s.box.drawNow();
            const canvas = document.querySelector('.canvas canvas'), scale = canvas.width / s.box.width;
            const t = s.order.findIndex(t => s.course.threads.get('begin_ns')[t] < span.from && s.course.threads.get('end_ns')[t] > span.to);
            const y = Math.round((s.top + t * s.row + (s.isNarrow ? 16 : 2) + 25) * scale) - 3, x = Math.round((s.left + 3) * scale);
            const data = canvas.getContext('2d').getImageData(x, y, canvas.width - x - 6, 1).data, colours = new Set();
            for (let i = 0; i < data.length; i += 4)
                colours.add('#' + [0, 1, 2].map(k => data[i + k].toString(16).padStart(2, '0')).join(''));
            return [t, [...colours].filter(one => !s.shades.includes(one)), colours.size]; }})({STRIPS})""")
        lab.check(seen[0] >= 0, "no thread is there all the time")
        lab.equal(seen[1], [], "colours that are of no kind")
        lab.check(seen[2] > 0, "nothing is drawn")


@lab.test("time/a large timeline is joined by its rule")
def large(bench):
    page_file = page_of(bench, make(bench), "bits", "400000")
    with opened(page_file, "timeline") as page:
        cell = page.evaluate(f"{CHART}.course.info.cell_ns")
        lab.check(cell > 1, "nothing was joined")
        lab.equal(page.evaluate(f"{CHART}.list.reduce((n, lane) => n + lane.levels[0].calls.reduce((a, b) => a + b, 0), 0)"),
                  page.evaluate(f"{CHART}.course.info.calls"), "calls in all boxes")
        total = sum(int(row["calls"]) for row in rows(bench, "report"))
        lab.equal(page.evaluate(f"{CHART}.course.info.calls"), total, "calls of the report")
        long = calls_of_csv(event for event in rows(bench, "timeline", f"--min-duration={cell}ns"))
        got = {tuple(one[:4]): one[4] for one in items_of(page)}
        missing = [call for call, duration in long.items() if got.get(call) != duration]
        lab.check(not missing, f"{len(missing)} of {len(long)} calls of {cell} ns and more are not single: {missing[:3]}")
        first = min(int(call[2]) for call in got)
        for begin, end in (0, 10 ** 12), (first + 500000, first + 900000), (first + 700000, first + 710000):
            page.evaluate(f"{CHART}.span.go({begin}, {end}); {CHART}.box.drawNow()")
            lab.check(page.evaluate(f"{CHART}.boxes") > 0, f"nothing is drawn of {begin} to {end}")
        lab.check(page.evaluate(f"{CHART}.boxes") < 20000, "more boxes than can be seen")
        lab.check(os.path.getsize(page_file) < 3 << 20, f"{os.path.getsize(page_file)} bytes")


def check_threads(bench, page, at):
    for row in rows(bench, "report", "--by=thread"):
        t, waited, computing = page.evaluate(f"""(c => {{ const t = c.threads.get('tid').indexOf({row['tid']});
            return [t, c.kinds.reduce((sum, kind, k) => sum + (/computing|paused|missing/.test(kind.key) ? 0 : c.column(c.threads, k)[t]), 0),
                    c.column(c.threads, 0)[t]]; }})({at}.course)""")
        lab.check(t >= 0, f"no thread {row['tid']}")
        lab.check(abs(waited - int(row["off_cpu_ns"] or 0)) < 8, f"{waited} ns waiting, and csv has {row['off_cpu_ns']}")
        lab.check(abs(computing - int(row["cpu_inclusive_ns"])) < 8, f"{computing} ns computing, and csv has {row['cpu_inclusive_ns']}")


@lab.test("time/strips with a timeline and without")
def strips(bench):
    program = make(bench)
    for timeline in "unlimited", None:
        page_file = page_of(bench, program, "threads", "3000", "9000", timeline=timeline)
        with opened(page_file, "time", width=360 if timeline else 1280, height=700) as page:
            check_threads(bench, page, STRIPS)
            lab.equal(page.evaluate("document.documentElement.scrollWidth"), page.evaluate("innerWidth"), "width of the page")
            lab.equal(page.evaluate(f"{STRIPS}.course.hasBins"), bool(timeline), "bins")
            lab.equal("No timeline was recorded" in page.text("#view"), not timeline, "what is said of it")
            names = page.evaluate(f"{STRIPS}.course.names")
            lab.equal(len(set(names)), len(names), f"names of threads: {names}")
            lab.check(page.evaluate("views.some(view => view.id === 'timeline' && view.available(model))") == bool(timeline), "the timeline")
            page.screenshot(f"time-{'narrow' if timeline else 'wide'}")
        with opened(page_file, "summary") as page:
            page.wait("document.querySelector('.strips canvas') !== null")


@lab.test("time/what is waited for")
def kinds(bench):
    """A sleep of 40 ms in one request, by the timeline: at its place, of its kind."""
    page_file = page_of(bench, make(bench), "requests", "60", "20")
    sleep = next(row for row in rows(bench, "timeline", "--function=nanosleep") if row["event"] == "return")
    with opened(page_file, "time") as page:
        slept = page.evaluate(f"""(c => {{ const k = c.kinds.findIndex(kind => kind.key === 'sleep'), end = {sleep['time_ns']};
            return [c.binned(0, end - {sleep['duration_ns']}, end)[k], c.binned(0, 0, 1e15)[k]]; }})({STRIPS}.course)""")
        lab.check(slept[0] > 0.98 * int(sleep["off_cpu_ns"]), f"{slept} ns asleep, and csv has {sleep['off_cpu_ns']}")
        lab.check(abs(slept[1] - int(sleep["off_cpu_ns"])) < 100000, f"{slept} ns asleep, and csv has {sleep['off_cpu_ns']}")


@lab.test("time/what waits when the recording ends")
def open_at_end(bench):
    """A thread that waits for the whole run: it is there up to the end, of which no event tells."""
    program = bench.compile(bench.write("open.c", """#include <pthread.h>
        #include <unistd.h>
        static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
        static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
        static void *waits(void *arg) { pthread_mutex_lock(&lock); for (;;) pthread_cond_wait(&never, &lock); return arg; }
        int main(void) { pthread_t t; pthread_create(&t, 0, waits, 0); usleep(100000); return 0; }"""), "open", "-O1", "-pthread")
    page_file = page_of(bench, program)
    row = next(one for one in rows(bench, "report", "--by=thread") if one["tid"] != one["pid"])
    with opened(page_file, "time") as page:
        waited = page.evaluate(f"""(c => c.binned(c.threads.get('tid').indexOf({row['tid']}), 0, 1e15)[c.kinds.findIndex(kind => kind.key === 'others')])({STRIPS}.course)""")
        lab.check(int(row["off_cpu_ns"]) > 80_000_000, f"csv has {row['off_cpu_ns']} ns waiting")
        lab.check(abs(waited - int(row["off_cpu_ns"])) < 1_000_000, f"{waited} ns waiting in the strip, and csv has {row['off_cpu_ns']}")
    with opened(page_file, "timeline") as page:
        length = page.evaluate(f"""(c => Math.max(...c.list.filter(lane => c.course.threads.get('tid')[lane.thread] === {row['tid']})
            .flatMap(lane => Array.from(upTo(lane.levels[0].n), i => c.name(lane.levels[0].longest[i]) === 'pthread_cond_wait' ? lane.levels[0].end[i] - lane.levels[0].begin[i] : 0))))({CHART})""")
        lab.check(abs(length - int(row["off_cpu_ns"])) < 1_000_000, f"the call is {length} ns long")


@lab.test("time/hostile names")
def hostile(bench):
    bench.write("hostile.c", '#define _GNU_SOURCE\n#include <pthread.h>\n#include <cinstr.h>\nvolatile int sink;\n'
                '__attribute__((noinline)) static void work(void) { for (int i = 0; i < 100000; i++) sink += i; }\n'
                'int main(void) { pthread_setname_np(pthread_self(), "</i>&\\"<b>"); cinstr_mark_text(1, "<img src=x onerror=alert(1)>"); work(); return 0; }')
    program = bench.compile(bench.path("hostile.c"), "program", "-O1", "-pthread", "-I", os.path.join(HERE, "../../include"))
    page_file = page_of(bench, program)
    for view in "time", "timeline":
        with opened(page_file, view) as page:
            at = STRIPS if view == "time" else CHART
            lab.check('</i>&"<b>' in page.evaluate(f"{at}.course.names[0]"), page.evaluate(f"{at}.course.names[0]"))
            lab.equal(page.evaluate(f"{at}.course.markName(0)"), "<img src=x onerror=alert(1)>", "the mark")
            lab.equal(page.evaluate("document.querySelectorAll('main img, main b b').length"), 0, "elements made of names")


@lab.test("time/--no-timeline")
def left_out(bench):
    page_of(bench, make(bench), "requests", "60", "20")
    bench.cinstr("html", "--no-timeline", "-o", bench.path("without.html"), bench.path("cinstr.data"))
    with opened(bench.path("without.html"), "time") as page:
        lab.check("--no-timeline" in page.text(".foot"), page.text(".foot"))
        lab.equal(page.evaluate("[model.has('lanes'), model.has('course_bins'), shown().some(view => view.id === 'timeline')]"), [False, False, False], "what there is of it")


@lab.test("time/who waits for what, of 300 threads")
def kinds(bench):
    program = bench.compile(bench.write("many.c", """#include <pthread.h>
        #include <unistd.h>
        static void *nap(void *arg) { usleep(2000); return arg; }
        int main(void) { pthread_t t[300]; for (int i = 0; i < 300; i++) pthread_create(&t[i], 0, nap, 0);
            for (int i = 0; i < 300; i++) pthread_join(t[i], 0); return 0; }"""), "many", "-O1", "-pthread")
    with opened(page_of(bench, program, timeline=None), "time") as page:
        threads = {row["tid"]: row for row in rows(bench, "report", "--by=thread")}
        lab.equal(page.evaluate(f"{STRIPS}.order.length"), len(threads), "threads")
        shown = page.evaluate("""[...document.querySelectorAll('.kinds tbody tr:not(.gap)')].map(row => [row.cells[0].innerText,
            ...[...row.querySelectorAll('span[title*=" ns"]')].map(cell => Number(cell.title.match(/: ([0-9.]+) ns/)[1]))])""")
        lab.check(5 < len(shown) < 100, f"{len(shown)} rows are drawn")
        for name, *values in shown:
            row = threads.get(name.split(" ")[-1]) or threads[str(page.evaluate(f"{STRIPS}.course.threads.get('tid')[{STRIPS}.course.names.indexOf({name!r})]"))]
            lab.check(abs(sum(values) - float(row["elapsed_inclusive_ns"])) <= len(values) + 1, f"{name}: {values}, csv has {row['elapsed_inclusive_ns']}")
        lab.check("sleeping" in page.text(".kinds thead"), page.text(".kinds thead"))
        lab.check(page.evaluate("document.querySelector('.canvas canvas').height") < 800, "the picture is as high as all threads")
        lab.equal(page.check_with("overflow") + page.check_with("contrast"), [], "the view")


BUSY = """#include <pthread.h>
#include <unistd.h>
static volatile double sink;
__attribute__((noipa)) static void spin(int n) { for (int i = 0; i < n; i++) sink += i * 0.5; }
static void *late(void *arg) { usleep(300000); for (int i = 0; i < 1500; i++) spin(50000); return arg; }
int main(void) { pthread_t t; pthread_create(&t, 0, late, 0); for (int i = 0; i < 1500; i++) spin(50000); pthread_join(t, 0); return 0; }"""


@lab.test("time/strips of samples")
def of_samples(bench):
    plain = bench.compile(bench.write("busy.c", BUSY), "busy", "-O1", "-pthread", plugin=None)
    bench.cinstr("record", "--sample", "-o", bench.path("cinstr.data"), "--", plain)
    threads = rows(bench, "report", "--by=thread") if os.path.exists(bench.path("cinstr.data")) else []
    if sum(int(row["inclusive_samples"]) for row in threads) < 100:
        raise lab.Skip("few samples were taken here")
    bench.cinstr("html", "-o", bench.path("page.html"), bench.path("cinstr.data"))
    with opened(bench.path("page.html"), "time") as page:
        found = page.evaluate(f"""{STRIPS}.order.map(t => [String({STRIPS}.course.threads.get('tid')[t]), Math.round({STRIPS}.course.binned(t, 0, {STRIPS}.course.end * 2)[0]),
            Math.round({STRIPS}.course.binned(t, 0, 250e6)[0])])""")
        lab.equal({tid: n for tid, n, _ in found}, {row["tid"]: int(row["inclusive_samples"]) for row in threads}, "samples of each thread")
        first, second = found
        lab.check(first[2] > 0, f"the first thread has no samples at once: {found}")
        lab.equal(second[2], 0, "samples of a thread that sleeps")
        lab.check("samples, in stretches of" in page.text(".foot"), page.text(".foot"))
        r = page.evaluate("(r => [r.x, r.y])(document.querySelector('.canvas canvas').getBoundingClientRect())")
        page.hover_at(r[0] + 240, r[1] + page.evaluate(f"{STRIPS}.top") + 10)
        page.wait("/samples/.test(document.getElementById('tip')?.textContent)")
        page.screenshot("time-sampled")
    with opened(bench.path("page.html"), "summary", width=390, dark=True) as page:
        page.wait("document.querySelectorAll('.strips canvas').length === 1")
        lab.equal(page.check_with("overflow") + page.check_with("contrast"), [], "the summary, narrow, dark")
