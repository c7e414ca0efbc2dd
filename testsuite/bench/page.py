# SPDX-License-Identifier: GPL-3.0-or-later
"""How fast the page is, in Chromium.

run.sh --page [paths] [functions] [timeline] [serve]: sessions of 100,000 call paths, of 100,000
functions and of a timeline of 10,000,000 events as files, and of 1,000,000 paths by cinstr serve.
Prints size, time to write, first paint, until the view is there, and of each interaction the time
until it is painted: the first one, and the median of the next four; of scrolling, how long frames
take. What takes more than MOST ms is marked. Figures of a machine that does nothing else.
"""
import os
import statistics
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path += [os.path.join(HERE, "../lab"), os.path.join(HERE, "../html")]

import browser  # noqa: E402
import lab  # noqa: E402
import served  # noqa: E402

lab.TIMEOUT = 600  # 100,000 functions take gcc a while
MOST = 50
TIMES = 5
# Until the frame with its result has been made.
TIMED = """async (act) => { const begin = performance.now(); await act(); document.body.offsetHeight;
    await new Promise(done => requestAnimationFrame(() => { const c = new MessageChannel(); c.port1.onmessage = done; c.port2.postMessage(0); }));
    return performance.now() - begin; }"""
SHOW = "history.replaceState(null, '', '#%s'); await draw()"
TYPE = "const field = document.querySelector('input[type=search]'); field.value = '%s'; field.dispatchEvent(new Event('input'))"
CHART, STRIPS = (f"views.find(view => view.id === '{view}').{part}" for view, part in (("timeline", "chart"), ("time", "strips")))
# [ms] of the frames while a table is scrolled by ten rows in each
SCROLLED = """async () => { const box = document.querySelector('.box'), times = []; let last = null;
    for (let i = 0; i < 120; i++) { box.scrollTop += 240; const now = await new Promise(done => requestAnimationFrame(done));
        if (last !== null) times.push(now - last); last = now; }
    box.scrollTop = 0; return times; }"""
# view: [(what, one way, the other)], each done in turn
ACTIONS = [
    ("functions", [("sort", SHOW % "functions?sort=calls", SHOW % "functions?sort=elapsed_inclusive_ns"),
                   ("sort by name", SHOW % "functions?sort=name:asc", SHOW % "functions?sort=name"),
                   ("filter", TYPE % "er_9", TYPE % "f"),
                   ("scroll", "document.querySelector('.box').scrollTop += 5000", "document.querySelector('.box').scrollTop = 0")]),
    ("tree", [("search", TYPE % "right", TYPE % "number_77"),
              ("open the hot path", "[...document.querySelectorAll('button')].find(b => b.textContent === 'Hot path').click()", "0")]),
    ("flame", [("search", TYPE % "right", TYPE % "number_77"),
               ("zoom", SHOW % "flame?path=2", SHOW % "flame"),
               ("callers below", SHOW % "flame?invert=1", SHOW % "flame")]),
    ("time", [("zoom", f"{STRIPS}.controls.key({{ key: '+' }})", f"{STRIPS}.controls.key({{ key: '-' }})")]),
    ("timeline", [("zoom", f"{CHART}.controls.key({{ key: '+' }})", f"{CHART}.controls.key({{ key: '-' }})"),
                  ("zoom to a thousandth", f"{CHART}.span.go({CHART}.span.end / 2, {CHART}.span.end / 2 * 1.002); {CHART}.changed()",
                   f"{CHART}.span.go(0, {CHART}.span.end); {CHART}.changed()"),
                  ("move", f"{CHART}.controls.key({{ key: 'ArrowRight' }})", f"{CHART}.controls.key({{ key: 'ArrowLeft' }})"),
                  ("search", TYPE % "one", TYPE % "zero"),
                  ("the next call found", f"{CHART}.next(1)", f"{CHART}.next(1)")]),
    ("function", [("another function", "history.replaceState(null, '', '#function?function=' + encodeURIComponent(model.functionName(0))); await draw()",
                   "history.replaceState(null, '', '#function?function=' + encodeURIComponent(model.functionName(model.functions.n - 1))); await draw()")]),
]


def session(bench, kind):
    """The folder of a new one."""
    source, folder = os.path.join(HERE, "page.c"), bench.path(kind + ".data")
    env = {"CINSTR_DATA": folder, "CINSTR_PATHS": "4000000"}
    if kind == "timeline":  # four events a call
        program = bench.compile("programs/timeline.c", "timeline", "-O2", "-pthread")
        bench.run(program, "bits", "2500000", env={**env, "CINSTR_TIMELINE": "unlimited"}, status=0, timeout=600)
        return folder
    if kind == "functions":
        bench.write("functions.inc", "".join(f"F({i})\n" for i in range(100000)))
        bench.run(bench.compile(source, "functions", "-O1", "-DFUNCTIONS", "-I" + bench.folder), env=env, status=0, timeout=600)
    else:
        levels = "16" if kind == "paths" else "19"
        bench.run(bench.compile(source, kind, "-O2"), levels, env=env, status=0, timeout=600)
    return folder


def figures(what, times):
    first, rest = times[0], statistics.median(times[1:])
    print(f"  {what:28} first {first:6.0f} ms, then {rest:6.0f} ms{'  more than ' + str(MOST) if rest > MOST else ''}", flush=True)


def measure(target, allowed):
    begin = time.monotonic()
    page = browser.page(target, allowed=allowed, wait="document.body.dataset.ready === '1'")
    print(f"  ready                        {1000 * (time.monotonic() - begin):6.0f} ms from the browser's begin on", flush=True)
    paint = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null")
    print(f"  first paint                  {paint or float('nan'):6.0f} ms", flush=True)
    page.wait("document.body.dataset.prepared")
    print(f"  views are prepared           {1000 * (time.monotonic() - begin):6.0f} ms", flush=True)
    nodes, functions = page.evaluate("model.load('nodes').then(nodes => [nodes.n, model.functions.n])")
    print(f"  {nodes:,} call paths, {functions:,} functions", flush=True)
    views = page.evaluate("shown().map(view => view.id)")
    for view, actions in [one for one in ACTIONS if one[0] in views]:
        begin = page.evaluate(f"({TIMED})(async () => {{ {SHOW % view} }})")
        print(f"  {view + ', the first time':28} {begin:6.0f} ms", flush=True)
        for what, one, other in actions:
            times = [page.evaluate(f"({TIMED})(async () => {{ {(one, other)[i % 2]} }})") for i in range(TIMES)]
            figures(f"{view}: {what}", times)
            if what == "scroll":
                times = sorted(page.evaluate(f"({SCROLLED})()"))
                print(f"  {'functions: frames of scrolling':28} {statistics.median(times):6.1f} ms, the longest {times[-1]:6.1f} ms", flush=True)
            page.evaluate(f"(async () => {{ {SHOW % view} }})()")
    page.close()


def main():
    wanted = sys.argv[1:] or ["paths", "functions", "timeline", "serve"]
    browser.page("data:text/html,x").close()  # the browser has begun
    for kind in wanted:
        bench = lab.Bench("page-" + kind)
        try:
            print(kind, flush=True)
            folder = session(bench, kind)
            begin = time.monotonic()
            if kind == "serve":
                server = served.Server(bench, folder)
                print(f"  cinstr serve                 {1000 * (time.monotonic() - begin):6.0f} ms until it is there", flush=True)
                measure(server.address, [server.address])
                server.end()
            else:
                bench.run(lab.COMMAND, "html", "-o", bench.path("page.html"), folder, status=0, timeout=600)
                print(f"  cinstr html                  {1000 * (time.monotonic() - begin):6.0f} ms, {os.path.getsize(bench.path('page.html')) / 1e6:.2f} MB", flush=True)
                measure(bench.path("page.html"), [])
        finally:
            bench.end()
            if not os.environ.get("KEEP"):
                lab.shutil.rmtree(bench.folder, ignore_errors=True)
    browser.end()


if __name__ == "__main__":
    main()
