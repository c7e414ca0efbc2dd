# SPDX-License-Identifier: GPL-3.0-or-later
"""Hot lines and findings for editors: what vim makes of them is what csv and json say."""
import csv
import io
import json
import os
import re
import shutil

import lab

PROGRAM = r"""
#include <pthread.h>
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
__attribute__((noipa)) static void spin_less(void)
{
	double end = used() + 0.004;
	while (used() < end)
		for (unsigned i = 0; i < 10000; i++)
			sink ^= i;
}
__attribute__((noipa)) static void nap(void) { usleep(20000); }
int main(void)
{
	spin_less();
	spin(0.05);
	for (int i = 0; i < 3; i++)
		nap();
	return 0;
}
"""
# as compilation-mode of Emacs takes a line apart (its pattern `gnu`), but for columns
EMACS = re.compile(r"^(?P<file>[^\n:]*[^ \n:]): ?(?P<line>\d+): (?P<text>.*)$")


def recorded(bench):
    os.mkdir(bench.path("the source"))
    os.rename(bench.write("hot.c", PROGRAM), bench.path("the source/hot.c"))
    bench.run(bench.compile(bench.path("the source/hot.c"), "hot", "-O1", "-pthread"), status=0, env={"CINSTR_DATA": bench.path("hot.data")})
    return bench.path("hot.data")


def rows(bench, session, by):
    return list(csv.DictReader(io.StringIO(bench.cinstr("report", f"--by={by}", "--format=csv", session))))


def lines(bench, session, *options, cwd=None):
    """[(file, line, text)]"""
    text = bench.run(lab.COMMAND, "annotate", "--format=quickfix", *options, session, cwd=cwd or bench.folder, status=0).stdout
    found = []
    for line in text.splitlines():
        match = EMACS.match(line)
        lab.check(match, f"Emacs does not know it: {line}")
        found.append((match["file"], int(match["line"]), match["text"]))
    return found


def shown(percent):
    return f"{float(percent):.1f} %"


@lab.test("quickfix/hot lines, calls and findings")
def all_of_it(bench):
    session = recorded(bench)
    source = bench.path("the source/hot.c")
    told = lines(bench, session)
    lab.check(all(os.path.samefile(os.path.join(bench.folder, file), source) for file, _, _ in told), f"files: {told}")
    findings = [one for one in bench.json("summary", "--findings", session)["findings"] if one["file"] and os.path.exists(one["file"])]
    lab.equal([(line, text[:6]) for _, line, text in told[:len(findings)]], [(one["line"], one["id"]) for one in findings], "findings come first")
    hot = [row for row in rows(bench, session, "line") if float(row["elapsed_exclusive_percent"]) >= 1 and row["file"] == source]
    calls = [row for row in rows(bench, session, "site") if float(row["elapsed_inclusive_percent"]) >= 1 and row["file"] == source
             and row["callee"] not in ("spin", "spin_less", "nap", "used")]
    lab.check("usleep" in {row["callee"] for row in calls}, f"calls of what has no source here: {calls}")
    lab.check(len(hot) >= 2, f"hot lines: {hot}")
    hot.sort(key=lambda row: -float(row["elapsed_exclusive_percent"]))
    calls.sort(key=lambda row: -float(row["elapsed_inclusive_percent"]))
    rest = told[len(findings):]
    lab.equal([line for _, line, _ in rest], [int(row["line"]) for row in hot + calls], "lines")
    for (_, line, text), row in zip(rest, hot + calls):
        kind = "inclusive" if row in calls else "exclusive"
        lab.check(text.startswith(shown(row[f"elapsed_{kind}_percent"])) or text.startswith("<= "), f"line {line}: {text}, csv: {row}")
    usleep = next(text for _, _, text in rest if "usleep" in text)
    lab.check(re.search(r" in usleep: [\d.]+ ms, waiting [\d.]+ ms, 3 calls$", usleep), usleep)


@lab.test("quickfix/vim jumps there")
def in_vim(bench):
    if not shutil.which("vim"):
        raise lab.Skip("no vim")
    session = recorded(bench)
    told = lines(bench, session)
    bench.run(lab.COMMAND, "annotate", "--format=quickfix", "-o", bench.path("hot.fix"), session, status=0)
    bench.run("vim", "-es", "-u", "NONE", "-i", "NONE", "-q", bench.path("hot.fix"), "-c",
              "call writefile([json_encode(map(getqflist(), {i, d -> [bufname(d.bufnr), d.lnum, d.text, d.valid]}))], 'vim.json')", "-c", "qa!")
    with open(bench.path("vim.json"), encoding="utf-8") as file:
        seen = json.load(file)
    lab.equal([(line, text.strip(), valid) for _, line, text, valid in seen], [(line, text, 1) for _, line, text in told], "what vim has understood")
    lab.check(all(os.path.samefile(os.path.join(bench.folder, name), bench.path("the source/hot.c")) for name, *_ in seen), f"files: {seen}")


@lab.test("quickfix/what it does not take, and sampled sessions")
def others(bench):
    session = recorded(bench)
    for options in ["spin", session], ["--coverage", session], ["--measure=instructions", session], ["--columns=calls", session]:
        done = bench.run(lab.COMMAND, "annotate", "--format=quickfix", *options, status=2)
        lab.check("of a whole session" in done.stderr and not done.stdout, done.stderr)
    done = bench.run(lab.COMMAND, "record", "--sample=1ms", "-o", bench.path("samples"), bench.path("hot"), env={"CINSTR": "off"})
    if done.returncode:
        raise lab.Skip("no samples here: " + done.stderr.strip()[-100:])
    told = [text for _, _, text in lines(bench, bench.path("samples")) if not text.startswith("CF")]
    lab.check(told and all(re.fullmatch(r"[\d.]+ % of the samples: [\d,]+ samples", text) for text in told), f"{told}")
