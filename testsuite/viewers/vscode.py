# SPDX-License-Identifier: GPL-3.0-or-later
"""The extension of contrib/vscode, as it runs, on sessions as they are recorded, with a module that
stands for the editor's (vscode_fake.js): what it draws and says is what csv has."""
import csv
import importlib
import io
import json
import os
import re
import shutil
import socket
import subprocess
import sys

import golden
import lab

HERE = os.path.dirname(os.path.abspath(__file__))
LEVELS = (0.1, 1, 5, 10, 25)
PROGRAM = r"""
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
static volatile unsigned sink;
static double used(void) { struct timespec t; clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); return t.tv_sec + t.tv_nsec / 1e9; }
__attribute__((noipa)) static void spin(double seconds)
{
	double end = used() + seconds;
	while (used() < end)
		for (unsigned i = 0; i < 100000; i++)
			sink += i;
}
__attribute__((noipa)) static void nap(void)
{
	usleep(20000);
}
void other(void);
int main(int argc, char **argv)
{
	other();
	spin(0.03);
	for (int i = 0; i < (argc > 1 ? atoi(argv[1]) : 3); i++)
		nap();
	return 0;
}
"""
# another one of the same name, which computes and so comes first
OTHER = r"""
__attribute__((noipa)) static void nap(void) { for (volatile unsigned i = 0; i < 20000000; i++); }
void other(void) { nap(); }
"""
MAIN = 1 + next(i for i, line in enumerate(PROGRAM.split("\n")) if "nap();" in line)
NAP = 1 + next(i for i, line in enumerate(PROGRAM.split("\n")) if "usleep(20000)" in line)


def recorded(bench):
    """The source; the program is beside it."""
    source = bench.write("hot.c", PROGRAM)
    bench.run(bench.compile(source, "hot", "-O1", bench.write("other.c", OTHER)), status=0, env={"CINSTR_DATA": bench.path("cinstr.data")})
    return source


def shown(bench, *steps, settings=None, workspace=None, source="hot.c"):
    """What an editor would show after each step."""
    lab.need("node")
    settings = {"path": lab.COMMAND, **(settings or {})}
    done = bench.run("node", os.path.join(HERE, "vscode_fake.js"), workspace or bench.folder, json.dumps(settings), bench.path(source), *steps)
    lab.check(done.returncode == 0, f"the extension failed: {done.stderr[-1500:]}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def rows(bench, by):
    return [row for row in csv.DictReader(io.StringIO(bench.cinstr("report", f"--by={by}", "--format=csv", bench.path("cinstr.data"))))
            if row["file"] == bench.path("hot.c")]


def expected_heat(bench, kind="elapsed"):
    """{line: percent}, by csv: its own time, and that of its calls of what has no source here."""
    def time(row, which, off):
        elapsed, waiting = int(row[f"elapsed_{which}_ns"]), int(row[off])
        return {"elapsed": elapsed, "waiting": waiting, "computing": max(0, elapsed - waiting)}[kind]

    session = bench.json("report", bench.path("cinstr.data"))["session"]
    whole = session[{"elapsed": "elapsed_inclusive_ns", "waiting": "off_cpu_ns", "computing": "cpu_inclusive_ns"}[kind]]
    heat = {}
    for row in rows(bench, "line"):
        heat[int(row["line"])] = time(row, "exclusive", "off_cpu_exclusive_ns")
    for row in rows(bench, "site"):
        if row["callee"] not in ("spin", "nap", "used", "main", "other"):
            heat[int(row["line"])] = heat.get(int(row["line"]), 0) + time(row, "inclusive", "off_cpu_ns")
    return {line: 100 * ns / whole for line, ns in heat.items() if 100 * ns / whole >= LEVELS[0]}


def heat(state):
    """{line: (level, text)}"""
    texts = {one["from"]: one["text"] for one in state["drawn"] if one["text"]}
    return {one["from"]: (int(one["color"][-1]), texts[one["from"]]) for one in state["drawn"] if one["color"]}


def check_heat(bench, state, kind):
    expected, got = expected_heat(bench, kind), heat(state)
    lab.equal(sorted(got), sorted(expected), f"{kind}: lines with heat")
    for line, share in expected.items():
        level, text = got[line]
        lab.equal(level, sum(share >= least for least in LEVELS), f"{kind}: line {line} with {share} %")
        lab.check(abs(float(text.split(" ")[0]) - share) <= 0.0501, f"{kind}: line {line}: {text}, csv: {share}")
    lab.check(all(one["hasIcon"] for one in state["drawn"] if one["color"]), "bars in the margin")


@lab.test("vscode/heat, hovers and findings are those of csv")
def same_as_csv(bench):
    recorded(bench)
    show, waiting, computing, hover, calling, none, explain, hide = shown(
        bench, "show", "set:heat=waiting", "set:heat=computing", f"hover:{NAP}", f"hover:{MAIN}", "hover:2", "explain:CF0000", "hide")
    lab.equal((show["messages"], show["picked"][0], show["context"]), ([], "cinstr.data", {"cinstr.isShown": True}), "show")
    lab.check(show["status"]["text"].startswith("$(flame) cinstr.data "), show["status"])
    for state, kind in (show, "elapsed"), (waiting, "waiting"), (computing, "computing"):
        check_heat(bench, state, kind)
    lab.check("in usleep" in heat(show)[NAP][1], heat(show))
    [site] = [row for row in rows(bench, "site") if row["callee"] == "usleep"]
    waited = int(site["off_cpu_ns"]) / 1e6
    said = re.search(r"\*\*usleep\*\*: 3 calls, [\d.]+ ms, ([\d.]+) ms of it waiting", hover["hover"])
    lab.check(said and abs(float(said[1]) - waited) <= 0.0501, f"{hover['hover']}, csv: {waited} ms")
    [nap] = [row for row in rows(bench, "function") if row["name"] == "nap"]
    said = re.search(r"\*\*nap\*\*: 3 calls, .*99 % up to ([\d.]+) ms", hover["hover"])
    lab.check(said and abs(float(said[1]) - int(nap["p99_elapsed_inclusive_ns"]) / 1e6) <= 0.0501, f"{hover['hover']}, csv: {nap}")
    lab.check("**nap**: 3 calls" in calling["hover"] and "of all its calls" not in calling["hover"], f"of two functions: {calling['hover']}")
    lab.equal(none["hover"], None, "a hover of a line without values")
    findings = bench.json("summary", "--findings", bench.path("cinstr.data"))["findings"]
    lab.check(show["diagnostics"], "no findings")
    lab.equal(sorted((one["file"], one["line"], one["id"]) for one in show["diagnostics"]),
              sorted((one["file"], one["line"], one["id"]) for one in findings if one["file"]), "findings")
    lab.check(all(one["actions"] == [f"cinstr: What {one['id']} means"] for one in show["diagnostics"]), f"{show['diagnostics']}")
    lab.check("not shown" in explain["messages"][0], explain["messages"])
    lab.equal((hide["drawn"], hide["diagnostics"], hide["status"], hide["watched"], hide["context"]),
              ([], [], None, [], {"cinstr.isShown": False}), "hidden")


@lab.test("vscode/lines move with what is typed; a newer source is told")
def moved(bench):
    source = recorded(bench)
    show, edited, hover, removed, gone = shown(bench, "show", "edit:1,/* new */", f"hover:{NAP + 1}", f"remove:{NAP + 1},{NAP + 1}", f"hover:{NAP + 1}")
    lab.equal(sorted(heat(edited)), [line + 1 for line in sorted(heat(show))], "a line more above")
    lab.check("**usleep**" in hover["hover"], hover["hover"])
    lab.equal(sorted(heat(removed)), [line + (line < NAP) for line in sorted(heat(show)) if line != NAP], "a line less")
    lab.check(not gone["hover"] or "usleep" not in gone["hover"], gone["hover"])
    dirty = shown(bench, "dirty", "show")[1]
    lab.check(any("was changed since" in (one["text"] or "") for one in dirty["drawn"]) and not heat(dirty), f"not saved: {dirty['drawn']}")
    os.utime(source)
    now, hover = shown(bench, "show", f"hover:{NAP}")
    lab.equal(heat(now), {}, "colours of lines that may have moved")
    dashed = [one["from"] for one in now["drawn"] if one["border"] == "1px dashed"]
    lab.equal(sorted(dashed), sorted(heat(show)), "lines that may have moved")
    lab.check(any(one["from"] == 1 and "newer than the program" in (one["text"] or "") for one in now["drawn"]), f"{now['drawn']}")
    lab.check("newer than the program" in hover["hover"], hover["hover"])


@lab.test("vscode/a session that is recorded anew is read again")
def again(bench):
    recorded(bench)
    show, before, changed, after = shown(bench, "show", f"hover:{NAP}", "changed:./hot 5", f"hover:{NAP}")
    lab.equal(show["watched"], [bench.folder, "cinstr.data{,/**}"], "what is watched")
    lab.check("3 calls" in before["hover"] and "5 calls" in after["hover"], f"{before['hover']}, then {after['hover']}")
    lab.check(show["status"] != changed["status"] and not changed["messages"], f"{changed}")
    check_heat(bench, changed, "elapsed")


@lab.test("vscode/what is wrong is said in plain English")
def wrong(bench):
    recorded(bench)
    [state] = shown(bench, "show", settings={"path": "/no/such/cinstr"})
    lab.equal(state["messages"], ["cinstr: There is no program '/no/such/cinstr'. Install cinstr, or set cinstr.path."], "no cinstr")
    bench.write("old", "#!/bin/sh\necho \"cinstr: error: annotate: unknown option '--files'\" >&2; exit 2\n")
    os.chmod(bench.path("old"), 0o755)
    [state] = shown(bench, "show", settings={"path": bench.path("old")})
    lab.check("is too old for this extension" in state["messages"][0], state["messages"])
    [state] = shown(bench, "show", settings={"path": lab.need("true")})
    lab.check("wrote no JSON: is it cinstr?" in state["messages"][0], state["messages"])
    [state] = shown(bench, "show", settings={"options": ["--thread=nobody"]})
    lab.check(state["messages"][0].startswith("cinstr: --thread: nothing here matches 'nobody'"), state["messages"])
    os.mkdir(bench.path("empty"))
    [state] = shown(bench, "show", workspace=bench.path("empty"))
    lab.check(state["messages"][0].startswith("cinstr: There is no recorded session in this workspace. "), state["messages"])
    [state] = shown(bench, "show:" + bench.path("empty"))
    lab.check(state["messages"] and bench.path("empty") in state["messages"][0] and state["status"] is None, f"{state}")




@lab.test("vscode/names of templates, and such as are Markdown")
def names(bench):
    golden.record(bench)
    text = golden.PROGRAM.split("\n")
    shift, inlined = (1 + next(i for i, line in enumerate(text) if part in line) for part in ("c << d;", "inlined(int n) {"))
    shift, hostile = shown(bench, "show", f"hover:{shift}", f"hover:{inlined}", source="golden.cc")[1:]
    lab.check("→ **deep::er::circle\\<…\\>::operator\\<\\<\\(deep::er::circle\\<…\\> const\\&\\) const**: 20 calls" in shift["hover"], shift["hover"])
    lab.check("**\"ev;il\\<\\&\\>' \\(1\\) %s f=2 \\{\\}\"**: " in hostile["hover"], hostile["hover"])


@lab.test("vscode/a sampled session")
def sampled(bench):
    recorded(bench)
    done = bench.run(lab.COMMAND, "record", "--sample=1ms", "-o", bench.path("samples"), bench.path("hot"), env={"CINSTR": "off"})
    if done.returncode:
        raise lab.Skip("no samples here: " + done.stderr.strip()[-100:])
    table = csv.DictReader(io.StringIO(bench.cinstr("report", "--by=line", "--format=csv", bench.path("samples"))))
    expected = {int(row["line"]): float(row["exclusive_percent"]) for row in table if row["file"] == bench.path("hot.c")}
    [show] = shown(bench, "show:" + bench.path("samples"))
    expected = {line: share for line, share in expected.items() if share >= LEVELS[0]}
    lab.equal(sorted(heat(show)), sorted(expected), "lines with samples")
    line = max(expected, key=expected.get)
    lab.check(abs(float(heat(show)[line][1].split(" ")[0]) - expected[line]) <= 0.0501, f"{heat(show)}, csv: {expected}")
    hover = shown(bench, "show:" + bench.path("samples"), f"hover:{line}")[1]["hover"]
    lab.check(re.search(r"\| by itself \| \d+ \| ", hover), hover)


# ---- in the editor itself ------------------------------------------------------------------------


def server(bench, port):
    """code-server, with the extension and its settings; only this machine reaches it."""
    entry = os.environ.get("CODE_SERVER")
    if not entry:
        raise lab.Skip("CODE_SERVER= says where code-server is (contrib/vscode/README.md)")
    shutil.copytree(os.path.join(lab.ROOT, "contrib/vscode"), bench.path("extensions/cinstr.cinstr-0.1.0"))
    for place, settings in ("User", {"workbench.startupEditor": "none"}), ("Machine", {"cinstr.path": lab.COMMAND}):
        os.makedirs(bench.path("user", place))
        bench.write(f"user/{place}/settings.json", json.dumps(settings))
    with open(bench.path("server.log"), "w") as log:
        bench.started.append(subprocess.Popen(
            ["node", entry, "--auth=none", f"--bind-addr=127.0.0.1:{port}", "--config", bench.path("server.yaml"), "--user-data-dir", bench.path("user"),
             "--extensions-dir", bench.path("extensions"), "--disable-telemetry", "--disable-update-check", "--disable-workspace-trust"],
            stdout=log, stderr=log, cwd=bench.folder, env=dict(os.environ, HOME=bench.folder)))

    def said():
        with open(bench.path("server.log"), encoding="utf-8") as log:
            return log.read()

    lab.wait_for(lambda: f"listening on http://127.0.0.1:{port}" in said() or bench.started[-1].poll() is not None, "code-server does not start", 60)
    lab.check(bench.started[-1].poll() is None, f"code-server ended: {said()[-1000:]}")


@lab.test("vscode/in the editor itself")
def in_editor(bench):
    recorded(bench)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    server(bench, port)
    sys.path.append(os.path.join(HERE, "../html"))
    browser = importlib.import_module("browser")
    browser.KEYS["F1"] = ("F1", 112, "")
    page = browser.page(f"http://127.0.0.1:{port}/?folder={bench.folder}", width=1400, height=900)

    def shows(selector, text):
        return (f"[...document.querySelectorAll({json.dumps(selector)})].some(e => "
                f"(e.innerText + ' ' + (e.ariaLabel || '')).replace(/\\u00a0/g, ' ').includes({json.dumps(text)}))")

    def entered(key, *modifiers, text, row):
        page.key(key, *modifiers)
        page.wait("!!document.querySelector('.quick-input-widget input:focus')")
        page.call("Input.insertText", text=text)
        page.wait(shows(".quick-input-list .monaco-list-row", row))
        page.key("Enter")

    try:
        page.wait("!!document.querySelector('.explorer-folders-view .monaco-list-row')")
        entered("p", "Control", text="hot.c", row="hot.c")
        page.wait(shows(".view-line", "usleep(20000)"))
        entered("F1", text=">cinstr: Show a Profile", row="cinstr: Show a Profile")
        page.wait(shows(".quick-input-list .monaco-list-row", "cinstr.data"))
        page.key("Enter")
        page.wait(shows(".statusbar-item", "cinstr.data"))
        page.wait(shows("style", "in usleep") + " || [...document.styleSheets].some(s => { try { return [...s.cssRules].some("
                  "r => r.cssText.includes('in usleep')); } catch { return false; } })")
        x, y = page.evaluate("""(() => { const e = [...document.querySelectorAll('.view-line')].find(e => e.innerText.includes('usleep(20000)'));
            const r = e.getBoundingClientRect(); return [r.x + 100, r.y + r.height / 2]; })()""")
        page.hover_at(x, y)
        page.wait(shows(".monaco-hover", "3 calls"))
        page.wait(shows(".monaco-hover", "of it waiting"))
        page.screenshot("vscode")
    finally:
        page.close(judge=False)
        browser.end()
