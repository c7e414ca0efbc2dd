# SPDX-License-Identifier: GPL-3.0-or-later
"""cinstr ui: what its pages show, what keys do, in a terminal of tmux."""
import lzma
import os
import re
import shutil

import lab
import terminal
import virtual_lab as virtual

GOLDEN = os.path.join(lab.ROOT, "testsuite/format/golden")


def golden(bench, name, session="session"):
    """A recorded session, always the same."""
    os.mkdir(bench.path(session))
    with lzma.open(os.path.join(GOLDEN, name + ".cinstr.xz")) as packed, open(bench.path(session, "app.1.cinstr"), "wb") as file:
        shutil.copyfileobj(packed, file)
    return bench.path(session)


def ui(bench, session, *options, **more):
    """At the functions, to which one comes by a key."""
    screen = terminal.Terminal(bench, lab.COMMAND, "ui", *options, session, **more)
    screen.wait(r"\[Summary\]", "^Enter its place")
    screen.keys("1")
    return screen


def words(line):
    """Cells, without bars and what tells that a branch is open."""
    return [word for word in re.sub(r"#?( *)[-+](?=[\w\[])", r" \1", line).split() if not re.fullmatch("#+", word)]


def body(screen):
    return [line for line in screen.split("\n")[3:-2] if line]


def rows_of_table(text):
    """Below the headings, up to the empty line before the foot."""
    lines = text.split("\n")
    while not re.search(r"\b(Function|Call path|Thread|Process)\b", lines[0]):
        lines.pop(0)
    return lines[1:lines.index("")]


@lab.test("ui/functions as cinstr report has them")
def functions(bench):
    for name in ("pool", "lines", "sampled"):
        session = golden(bench, name, name)
        for width in (80, 200):
            expected = [words(line) for line in rows_of_table(bench.cinstr("report", f"--width={width}", session))]
            with ui(bench, session, width=width, height=60) as screen:
                shown = [words(line) for line in body(screen.wait(r"\[Functions\]", r"  1/\d+$", "^Enter callers"))]
                lab.equal(len(shown), len(expected), f"rows of {name}")
                for line, row in zip(shown, expected):
                    lab.equal(line[-1] in row, True, f"{name}, {width}: {line} is {row}")
                    lab.check(all(cell in row for cell in line), f"{name}, {width} columns: {line}, not {row}")


@lab.test("ui/tree as cinstr tree has it")
def tree(bench):
    for name in ("callbacks", "threads"):
        session = golden(bench, name, name)
        expected = [words(line) for line in rows_of_table(bench.cinstr("tree", "--width=200", "--min-percent=0", session))]
        with ui(bench, session, width=200, height=60) as screen:
            screen.keys("2", "C")
            screen.wait(r"\[Tree\]")
            tops = len(body(screen.screen()))
            for top in reversed(range(tops)):
                screen.keys("g", *["j"] * top, "*")
            screen.keys("G")
            screen.wait(rf" {len(expected)}/{len(expected)}$")
            shown = [words(line) for line in body(screen.wait(r"\[Tree\]"))]
        lab.equal(shown, expected, f"lines of {name}")


@lab.test("ui/callers: from one function to the next, and back")
def callers(bench):
    with ui(bench, golden(bench, "pool")) as screen:
        screen.wait(r"\[Functions\]", "Enter callers")
        screen.type("/main")
        screen.keys("Enter")
        screen.wait(r"  3/\d+$")
        screen.keys("Enter")
        page = screen.wait("^ Callers and callees of main ", "called by +\\[outside\\]", "calls +pthread_join")
        table = bench.cinstr("callers", "--width=80", "main", bench.path("session"))
        for line in body(page):
            lab.check(any(words(line) == words(row) for row in table.split("\n")), f"{line!r} is not in {table}")
        screen.type("/pthread_create")
        screen.keys("Enter", "Enter")
        screen.wait("^ Callers and callees of pthread_create ", "called by +main")
        screen.keys("g", "Right")  # its first caller
        screen.wait("^ Callers and callees of main ")
        screen.keys("Left")
        screen.wait("^ Callers and callees of pthread_create ")
        screen.keys("q", "Escape")
        screen.wait(r"\[Functions\]", r"  3/\d+$")
        screen.keys("q")
        screen.ended(0)


@lab.test("ui/sort, invert, filter, search")
def order(bench):
    session = golden(bench, "pool")
    rows = {row["name"]: row for row in bench.report("session")["rows"]}
    with ui(bench, session, width=120) as screen:
        screen.wait("by cpu_exclusive")
        screen.type("scalls")
        screen.keys("Enter")
        shown = [words(line)[-2:] for line in body(screen.wait("by calls "))]
        calls = [rows[name]["calls"] for line in shown for name in line if name in rows]
        lab.equal(calls, sorted(calls, reverse=True), "calls, from the most on")
        screen.keys("i")
        screen.wait("by calls asc")
        screen.keys(">")
        screen.wait("by avg_elapsed_inclusive")
        screen.keys("<", "<")
        screen.wait(r"by waiting|by off_cpu|by ")
        screen.type("sno-such-column")
        screen.keys("Enter")
        screen.wait("no column 'no-such-column'", line=-2)
        screen.type("fpthread")
        screen.keys("Enter")
        page = body(screen.wait(", with pthread"))
        lab.check(page and all("pthread" in line for line in page), f"filtered: {page}")
        screen.keys("f", "Enter")
        screen.wait(rf"  1/{len(rows)}$")
        screen.type("/no such name")
        screen.keys("Enter")
        screen.wait("^Not found: no such name")
        screen.keys("/", "Escape", "n")
        screen.wait("^Not found: no such name")


@lab.test("ui/the tree opens and closes")
def tree_keys(bench):
    with ui(bench, golden(bench, "exceptions")) as screen:
        screen.keys("Tab", "C")
        screen.wait(r"\[Tree\]", r"\+main", "  1/1$")
        screen.keys("Right")
        screen.wait(r"-main", r"  1/\d\d?$")
        screen.keys("Right")
        screen.wait("  2/")
        screen.keys("Left")
        screen.wait("  1/")
        screen.keys("Left")
        screen.wait(r"\+main", "  1/1$")
        screen.type("/rethrow")  # far below: opens what is above it
        screen.keys("Enter")
        page = screen.wait(r"-main", "__cxa_rethrow")
        screen.keys("H")
        screen.wait(r"#.*main")
        screen.keys("c")
        screen.wait("^ Callers and callees of ")
        screen.keys("q")
        screen.wait(r"\[Tree\]")
        lab.check("-main" in page, page)


# 65,537 paths, of which 50,000 are made at once. So what takes least is not: the lowest calls of
# seldom(), and two of the three functions that last() calls.
MANY_PATHS = """
FN int walk(int depth);
FN int left(int depth) { return walk(depth) + 1; }
FN int right(int depth) { return walk(depth) + 2; }
static int ticks;
FN int walk(int depth) {
    if (depth) return left(depth - 1) + right(depth - 1);
    virtual_compute(ticks);
    return 1;
}
FN int often(void) { ticks = 1000; return walk(13) + 1; }
FN int seldom(void) { ticks = 10; return walk(13) + 1; }
FN void shown(void) { virtual_compute(100); }
FN void hidden(void) { virtual_compute(2); }
FN void hidden_too(void) { virtual_compute(1); }
FN void last(void) { shown(); hidden(); hidden_too(); virtual_compute(1); }
int main(void) { int n = often() + seldom(); last(); return !n; }
"""


@lab.test("ui/many paths: those of little time are read when wanted")
def many_paths(bench):
    virtual.record(bench, MANY_PATHS, env={"CINSTR_PATHS": "unlimited"})
    rows = {row["id"]: row for row in bench.tree_rows()}
    least = sorted(row["elapsed_inclusive_ns"] for row in rows.values())[-50001] + 5  # made at once
    made = {row["parent"] for row in rows.values() if row["elapsed_inclusive_ns"] > least}
    later = [row["parent"] for row in rows.values() if row["elapsed_inclusive_ns"] < least]
    lines = len(rows) - len(later) + len(made & set(later))  # one "more paths" for each such
    with ui(bench, bench.path("cinstr.data"), height=60) as screen:
        screen.keys("2", "C")
        screen.wait(r"\[Tree\]", r"\+main")
        screen.keys("*")
        screen.wait(f" 1/{lines}$")
        screen.keys("G")
        screen.wait(f" {lines}/{lines}$", r"last\n.* shown\n.*\[2 more paths, under 0.01 %: Enter\]\nEnter open")
        screen.keys("Enter", "G")
        screen.wait(f" {lines + 1}/{lines + 1}$", r"last\n.* shown\n.* hidden\n.* hidden_too\nEnter open")


@lab.test("ui/source: the hottest line, and what it calls")
def source(bench):
    program = bench.compile("programs/views.c", "program", "-O1", "-fplugin-arg-cinstr-lines")
    bench.run(program, env={"CINSTR_PROBES": "lines"}, status=0)
    hottest = max((row for row in bench.report(by="line")["rows"] if row.get("file", "").endswith("views.c")),
                  key=lambda row: row["elapsed_exclusive_ns"])
    name = hottest["function"].split(";")[0]
    with ui(bench, bench.path("cinstr.data"), height=40) as screen:
        screen.wait(r"\[Functions\]")
        screen.type("/" + name)
        screen.keys("Enter", "a")
        page = screen.wait(f"^ Source of {name}\\b", r"^.*Line  Source", "views.c:")
        at, n = map(int, re.search(r"(\d+)/(\d+)$", page, re.M).groups())
        lab.check(1 <= at <= n, f"line {at} of {n}")
        screen.keys("Escape")
        screen.wait(r"\[Functions\]")


@lab.test("ui/one thread, one process")
def threads(bench):
    session = golden(bench, "pool")
    tids = [row["tid"] for row in bench.report("session", "thread")["rows"]]
    with ui(bench, session) as screen:
        screen.keys("t")
        screen.wait(r"\[Threads\]", rf"  1/{len(tids)}$")
        screen.type("sname")
        screen.keys("Enter", "g", "Enter")
        page = screen.wait(r"\[Functions\]|Functions\]", r"only thread \d+")
        tid = re.search(r"only thread (\d+)", page)[1]
        expected = rows_of_table(bench.cinstr("report", "--width=80", f"--thread={tid}", session))
        lab.equal(len(body(page)), len(expected), f"functions of thread {tid}")
        for line, row in zip(body(page), expected):
            lab.check(words(line)[-1] in words(row), f"of thread {tid}: {line}, not {row}")
        screen.keys("Left")
        screen.wait(r"\[Functions\]", "by cpu_exclusive")
        screen.keys("p", "Enter")
        screen.wait(r"only process \d+")
        screen.keys("q")
        screen.wait(r"\[Functions\]", "by cpu_exclusive")
        screen.keys("q")
        screen.ended(0)


@lab.test("ui/one process that is not there any more, or was merged")
def not_alone(bench):
    program = bench.compile("trees/nesting.c", "program", "-O2")
    for session in "old", "new":
        bench.run(program, env={"CINSTR_DATA": session}, status=0)
    bench.run(lab.COMMAND, "merge", "-o", "merged", "old", "new", status=0)
    with ui(bench, bench.path("old")) as screen:
        screen.keys("p")
        screen.wait(r"\[Processes\]")
        shutil.rmtree(bench.path("old"))
        os.rename(bench.path("new"), bench.path("old"))
        screen.keys("Enter")
        screen.wait(r"\[Functions\]", "by cpu_exclusive", "It cannot be shown alone any more")
        screen.keys("q")
        screen.ended(0)
    with ui(bench, bench.path("merged")) as screen:
        screen.keys("p", "Enter")
        screen.wait(r"\[Processes\]", "What was merged has no more of a process than this")
        screen.keys("t")
        screen.wait("all 2 threads")
        screen.keys("Enter")
        screen.wait("Merged sessions do not keep threads")
        screen.keys("q")
        screen.ended(0)


@lab.test("ui/read again: the same place in what is there now")
def reload(bench):
    program = bench.compile("programs/manypaths.c", "program", "-O2")
    for depth, session in (("4", "old"), ("6", "new")):
        bench.run(program, depth, env={"CINSTR_DATA": session}, status=0)
    calls = {session: bench.functions(session)["left"]["calls"] for session in ("old", "new")}
    with ui(bench, bench.path("old")) as screen:
        screen.wait(r"\[Functions\]")
        screen.type("/left")
        screen.keys("Enter", "c", "Tab", "C", "Right", "Right")
        screen.wait(r"\[Tree\]", "-main", "walk")
        shutil.rmtree(bench.path("old"))
        os.rename(bench.path("new"), bench.path("old"))
        screen.keys("r")
        screen.wait(r"\[Tree\]", "-main", r"  2/")
        screen.keys("1")
        screen.wait("^ Callers and callees of left ", rf" {calls['new']} .* left$")
        shutil.rmtree(bench.path("old"))
        screen.keys("r")
        screen.ended(1)


@lab.test("ui/help and messages")
def help_page(bench):
    with ui(bench, golden(bench, "pool")) as screen:
        screen.wait(r"\[Functions\]")
        screen.keys("?")
        screen.wait("^ Help ", "^Move$", "PgDn, Space")
        screen.keys("Space")
        screen.wait("the next match")
        screen.keys("q", "m")
        screen.wait("^ Messages ")
        screen.keys("q", "Z")
        screen.wait("^No such key")


@lab.test("ui/findings: their places, what they mean")
def findings(bench):
    program = bench.compile("programs/findings/locks.c", "program", "-O2", "-pthread")
    bench.run(program, status=0)
    summary = bench.run(lab.COMMAND, "summary", "--findings", bench.path("cinstr.data"), env={"COLUMNS": "80"}, status=0)
    expected = [row for row in summary.stdout.split("\n") if re.match(" *\\d+ +[\\d.]+ %  ", row)]
    lab.check(expected, "there is no finding")
    with ui(bench, bench.path("cinstr.data")) as screen:
        screen.keys("5")
        # the screen may be looked at while it is drawn
        page = screen.wait(r"\[Summary\]", "^Findings: the time each is about, of the run", re.escape(expected[-1].rstrip()))
        shown = [line for line in page.split("\n") if re.match(" *\\d+ +[\\d.]+ %  ", line)]
        lab.equal(shown, [line.rstrip() for line in expected], "findings")
        screen.keys("e")
        screen.wait(r"^ CF\d{4}", "  measured", "  what people do")
        screen.keys("q", "Enter")
        screen.wait(r"^ Source of \w+", r"locks\.c:")
        screen.keys("Left")
        screen.wait(r"\[Summary\]")
    with ui(bench, golden(bench, "calm")) as screen:
        screen.keys("5")
        screen.wait(r"\[Summary\]", "^No rule applies")


@lab.test("ui/a mixed session, all pages")
def mixed(bench):
    """Estimates, and calls of which more is not known, have their marks; each page is there."""
    bench.compile("programs/findings/duplicates.c", "program", "-O1")
    bench.run(lab.COMMAND, "record", "--mixed", "--counts=functions", "./program", "list", "4", status=0)
    session = bench.path("cinstr.data")
    expected = [words(line) for line in rows_of_table(bench.cinstr("report", "--width=80", session))]
    with ui(bench, session, env={"LC_ALL": "C.UTF-8"}) as screen:
        page = screen.wait(r"\[Functions\]", r"\w\u2248", r">= [\d,]+", "^Enter callers")
        lab.equal([words(line)[-1] for line in body(page)], [row[-1] for row in expected], "functions")
        for shown in (r"Elapsed, \w+.*Application", "Off-CPU"):
            screen.keys("v")
            screen.wait(shown)
        screen.keys("v", "g", "Enter")
        screen.wait(r"^ Callers and callees of \w+", "called by", "^Enter go to it")
        screen.keys("a")
        screen.wait(r"^ Source of \w+|The source of \w+ is not known")
        screen.keys("2", "*")
        screen.wait(r"\[Tree\]", r"#?-main", r"\w\u2248")
        screen.keys("3")
        screen.wait(r"\[Threads\]", r">= [\d,]+", "program$")
        screen.keys("Enter")
        screen.wait(r"\[Functions\]", "only thread")
        screen.keys("4")
        screen.wait(r"\[Processes\]", "exit 0")
        screen.keys("5")
        screen.wait(r"\[Summary\]", r"CF0\d+")
        screen.keys("e")
        screen.wait("why it matters", "false alarm")
        screen.keys("q", "m")
        screen.wait("^ Messages")
        screen.keys("?", "G")
        screen.wait("an estimate by samples")
        screen.keys("Q")
        screen.ended(0)


@lab.test("ui/executed instructions: functions, tree and callers")
def executed(bench):
    program = bench.compile("programs/executed_paths.c", "program", "-O1", "-fplugin-arg-cinstr-instructions",
                            "-fplugin-arg-cinstr-small=10")
    bench.run(program, status=0)
    session, measure = bench.path("cinstr.data"), "--measure=instructions"
    expected = {view: [words(line) for line in rows_of_table(bench.cinstr(*command, measure, "--width=110", session))]
                for view, command in (("tree", ("tree", "--min-percent=0")), ("callers", ("callers", "leaf")))}
    screen = terminal.Terminal(bench, lab.COMMAND, "ui", measure, session, width=110, height=40)
    with screen:
        screen.wait(r"\[Functions\]", "by exclusive_instructions", "^Enter callers")
        screen.keys("v")
        screen.wait("^Executed instructions have one set of columns")
        screen.keys("0")
        screen.wait(r"\[Functions\]", "^The summary is about times")
        screen.keys("BTab")
        screen.wait(r"\[Processes\]")
        screen.keys("Tab")
        screen.wait(r"\[Functions\]")
        screen.type("/leaf")
        screen.keys("Enter", "c")
        page = screen.wait("^ Callers and callees of leaf ")
        lab.equal([words(line) for line in body(page)], expected["callers"], "callers of leaf")
        screen.keys("a")
        screen.wait("^By line: cinstr annotate --measure=instructions")
        screen.keys("q", "2", "C", "*", "G")
        page = screen.wait(r"\[Tree\]", rf" {len(expected['tree'])}/{len(expected['tree'])}$")
        lab.equal([words(line) for line in body(page)], expected["tree"], "lines of the tree")
        screen.keys("M")
        screen.wait(r"\[Tree\]", "by elapsed_inclusive")
        screen.keys("1", "M")
        screen.wait(r"\[Functions\]", "by exclusive_instructions")
        screen.keys("M", "0")
        screen.wait(r"\[Summary\]")
        screen.keys("M")
        screen.wait(r"\[Functions\]", "by exclusive_instructions")
        screen.keys("Q")
        screen.ended(0)


@lab.test("ui/executed instructions where there are none")
def not_executed(bench):
    program = bench.compile("programs/executed_paths.c", "program", "-O1")
    bench.run(program, status=0)
    for option, said in ("--names=short", "^No instructions were counted"), ("--just-my-code", "^No instructions here: what the system"):
        screen = terminal.Terminal(bench, lab.COMMAND, "ui", option, bench.path("cinstr.data"), width=110, height=40)
        with screen:
            screen.wait(r"\[Summary\]")
            screen.keys("2")
            screen.wait(r"\[Tree\]")
            screen.keys("M")
            screen.wait(r"\[Tree\]", said)
            screen.keys("Q")
            screen.ended(0)
