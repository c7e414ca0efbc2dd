# SPDX-License-Identifier: GPL-3.0-or-later
"""Text in csv, whatever the program is called and calls its threads and marks: a row is a line,
nothing steers a terminal."""
import csv
import io
import re
import subprocess

import lab

EVIL = "=1+1\x1b[31m\x07\t\r\n\x7f\u0085 @"

SOURCE = """
#include <cinstr.h>
#include <pthread.h>
__attribute__((noipa)) static void work(void) { __asm__ volatile(""); }
static void *thread(void *arg)
{
	pthread_setname_np(pthread_self(), "-2+3\\x1b]0;\\a\\t");
	work();
	return arg;
}
int main(void)
{
	pthread_t id;
	work();
	cinstr_mark_text(1, "@SUM(1)\\x1b[2J\\t\\n");
	pthread_create(&id, 0, thread, 0);
	pthread_join(id, 0);
	return 0;
}
"""


def raw(bench, *args):
    """What the command prints, its line ends as they are."""
    done = subprocess.run([lab.COMMAND, *args], capture_output=True, cwd=bench.folder, env=bench.environment())
    lab.equal(done.returncode, 0, f"{args}: {done.stderr}")
    return done.stdout.decode("utf-8")


def rows_of(text, what):
    lines = re.split("\r?\n", text)
    lab.equal(lines.pop(), "", f"{what}: what is behind the last line")
    rows = list(csv.reader(io.StringIO(text, newline="")))
    lab.equal(len(rows), len(lines), f"{what}: rows, lines")
    lab.equal({len(row) for row in rows}, {len(rows[0])}, f"{what}: cells of rows")
    for cell in (cell for row in rows for cell in row):
        lab.check(not re.search("[\x00-\x08\x0a-\x1f\x7f-\x9f]", cell), f"{what}: {cell!r}")
        if cell[:1] in tuple("=+-@\t") and not re.fullmatch(r"-?[\d.]+", cell):
            lab.check('"' + cell.replace('"', '""') + '"' in text, f"{what}: not quoted: {cell!r}")
    return rows


@lab.test("csv/text of all commands")
def cells(bench):
    program = bench.compile(bench.write("program.c", SOURCE), EVIL, "-O1", "-pthread", lab.INCLUDE)
    for session in "one", "two":
        bench.run(program, env={"CINSTR_DATA": session, "CINSTR_TIMELINE": "unlimited"}, status=0)
    one, two = bench.path("one"), bench.path("two")
    found = {}
    for verb in (["report"], ["report", "--by=thread"], ["report", "--by=process"], ["report", "--by=mark"], ["report", "--by=line"],
                 ["report", "--by=module"], ["tree"], ["callers", "work"], ["annotate", "work"], ["timeline"], ["info"], ["info", "--marks"],
                 ["summary"]):
        found[" ".join(verb)] = rows_of(raw(bench, *verb, "--format=csv", one), " ".join(verb))
    rows_of(raw(bench, "diff", "--format=csv", one, two), "diff")
    flat = {name: {cell for row in rows for cell in row} for name, rows in found.items()}
    lab.check("=1+1\\x1b[31m\\x07\\t\\x0d\\n\\x7f\\xc2\\x85 @" in flat["report --by=process"], "the process's name")
    lab.check("-2+3\\x1b]0;\\x07\\t" in flat["report --by=thread"], "the thread's name")
    lab.check("@SUM(1)\\x1b[2J\\t\\n" in flat["info --marks"], "the mark's text")
    lab.check("\tpthread_t id;" not in flat["annotate work"] and any(cell.startswith("__attribute__") for cell in flat["annotate work"]),
              "source")
    annotated = {cell for row in rows_of(raw(bench, "annotate", "main", "--format=csv", one), "annotate") for cell in row}
    lab.check("\twork();" in annotated, f"tabs of sources: {annotated}")
