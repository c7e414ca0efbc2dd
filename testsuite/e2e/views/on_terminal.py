# SPDX-License-Identifier: GPL-3.0-or-later
"""What is printed to a terminal, and through a pipe from one: the pager, colours, the width."""
import fcntl
import os
import pty
import signal
import struct
import termios
import time

import lab

SOURCE = """
int leaf(int n) { volatile int x = n; for (volatile int i = 0; i < 10000; i++); return x; }
int main(void)
{
	int sum = 0;
	for (int i = 0; i < 100; i++)
		sum += leaf(i);
	return sum == 4950 ? 0 : 1;
}
"""
RED = "\x1b[31m"
ESCAPE = "\x1b["


def recorded(bench):
    bench.write("leaf.c", SOURCE)
    bench.compile(bench.path("leaf.c"), "leaf", "-O1", "-fno-inline")
    bench.run("./leaf", status=0)  # a command to be copied stays whole, however long its path


def script(bench, name, text):
    bench.write(name, "#!/bin/sh\n" + text)
    os.chmod(bench.path(name), 0o755)
    return bench.path(name)


def on_terminal(bench, *command, env=None, columns=100, typed=None, seconds=lab.TIMEOUT):
    """All that the terminal got from a command, and how it ended. typed: (text, keys): the keys are
    typed when the text has come."""
    surroundings = bench.environment({"TERM": "xterm", **(env or {})})
    if "COLUMNS" not in (env or {}):
        surroundings.pop("COLUMNS", None)
    child, terminal = pty.fork()
    if not child:
        os.chdir(bench.folder)
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        os.execvpe(command[0], command, surroundings)
    text, end = b"", time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            got = os.read(terminal, 65536)
        except OSError:  # nobody has it open any more
            break
        text += got
        if typed and typed[0] in text.decode(errors="replace"):
            os.write(terminal, typed[1])
            typed = None
    _, status = os.waitpid(child, 0)
    os.close(terminal)
    return text.decode(errors="replace").replace("\r\n", "\n"), os.waitstatus_to_exitcode(status)


def widest(text):
    return max(len(line) for line in text.split("\n"))


@lab.test("terminal/colours only where somebody looks")
def colours(bench):
    recorded(bench)
    for options, env, coloured in [([], {}, True), ([], {"NO_COLOR": "1"}, False), ([], {"TERM": "dumb"}, False),
                                   (["--color=never"], {}, False), (["--color=always"], {"NO_COLOR": "1"}, True),
                                   ([], {"CINSTR_COLOR": "never"}, False),
                                   (["--color=auto"], {"CINSTR_COLOR": "never"}, True)]:
        text, status = on_terminal(bench, lab.COMMAND, "report", "--no-pager", *options, env=env)
        lab.equal(status, 0, "status")
        lab.equal(ESCAPE in text, coloured, f"colours with {options} {env}")
    lab.check(ESCAPE not in bench.cinstr("report"), "colours in a pipe")
    lab.check(RED in bench.cinstr("report", "--color=always"), "no hot row in red")
    wrong = bench.run(lab.COMMAND, "report", env={"CINSTR_COLOR": "pink"}, status=2).stderr
    lab.check("CINSTR_COLOR does not take 'pink'" in wrong, wrong)


@lab.test("terminal/a pager, as git has it")
def pager(bench):
    recorded(bench)
    shows = script(bench, "shows.sh", 'echo "PAGED $LESS"\ncat\necho END\n')
    for env in {"CINSTR_PAGER": shows, "PAGER": "false"}, {"PAGER": shows}, {"PAGER": f"{shows} | cat"}:
        text, status = on_terminal(bench, lab.COMMAND, "report", env=env)
        lab.equal(status, 0, "status")
        lab.check(text.startswith("PAGED FRX") and text.endswith("END\n"), f"not all of it was paged: {text}")
        lab.check(RED in text and "leaf" in text, f"not in colours: {text}")
    for options, env in [(["--no-pager"], {"PAGER": shows}), ([], {"CINSTR_PAGER": "", "PAGER": shows}),
                         ([], {"PAGER": "cat"}), ([], {"PAGER": "/no/such/pager"})]:
        text, status = on_terminal(bench, lab.COMMAND, "report", *options, env=env)
        lab.equal(status, 0, "status")
        lab.check("PAGED" not in text and "leaf" in text, f"paged with {options} {env}: {text}")
    text = bench.run(lab.COMMAND, "report", env={"PAGER": shows}, status=0).stdout
    lab.check("PAGED" not in text, "a pipe was paged")


@lab.test("terminal/a pager that has seen enough")
def pager_leaves(bench):
    recorded(bench)
    quits = script(bench, "quits.sh", 'read line\necho "GOT $line"\nexit 3\n')
    text, status = on_terminal(bench, "sh", "-c", f"for i in 1 2 3; do {lab.COMMAND} report; done; {lab.COMMAND} report",
                               env={"PAGER": quits})
    lab.equal(status, 0, "status")
    lab.check(text.count("GOT") == 4 and "error" not in text, text)
    _, status = on_terminal(bench, lab.COMMAND, "report", "--function=nobody", env={"PAGER": quits})
    lab.equal(status, 1, "the status of a failure")


@lab.test("terminal/^C while the pager runs")
def pager_interrupted(bench):
    recorded(bench)
    stays = script(bench, "stays.sh", "trap : INT\necho READY\nread line < /dev/tty\ncat > /dev/null\necho LAST\n")
    text, status = on_terminal(bench, lab.COMMAND, "report", env={"PAGER": stays}, typed=("READY", b"\x03\n"))
    lab.check("LAST" in text, f"the pager was not waited for: {text}")
    lab.check(status in (0, -signal.SIGINT), f"status {status}")


@lab.test("terminal/as wide as the terminal, through a pipe, too")
def width(bench):
    recorded(bench)
    for columns in 80, 110:
        text, _ = on_terminal(bench, "sh", "-c", f"{lab.COMMAND} report | cat", columns=columns)
        lab.check("leaf" in text and widest(text) <= columns, f"{widest(text)} on {columns} columns: {text}")
    text, _ = on_terminal(bench, "sh", "-c", f"{lab.COMMAND} report --width=0 --columns=all | cat", columns=80)
    lab.check(widest(text) > 400, f"--width=0: {widest(text)}")
    bench.run("sh", "-c", f"unset COLUMNS; setsid {lab.COMMAND} report > file 2> messages < /dev/null", status=0)
    with open(bench.path("file")) as file:
        lab.check(widest(file.read()) <= 120, "a file is wider than 120 columns")
    for verb in ["report"], ["tree"], ["callers", "main"], ["annotate"], ["summary"]:
        text = bench.cinstr(*verb, "--width=80")
        lab.check(widest(text) <= 80, f"{verb} --width=80: {widest(text)}: {text}")
