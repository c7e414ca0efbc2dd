# SPDX-License-Identifier: GPL-3.0-or-later
"""cinstr ui and its terminal: sizes, colours, locales, names that would steer it, signals, none."""
import os
import re
import signal

import lab
import terminal
import ui_pages

HOSTILE = """
__attribute__((noipa)) void named_with_bytes_of_a_kind(void) { __asm__ volatile(""); }
__attribute__((noipa)) void \u6f22\u5b57\u6f22\u5b57_\u043f\u0440\u0438\u0432\u0435\u0442(void) { named_with_bytes_of_a_kind(); __asm__ volatile(""); }
int main(void) { \u6f22\u5b57\u6f22\u5b57_\u043f\u0440\u0438\u0432\u0435\u0442(); return 0; }
"""
BYTES = b"evil\x1b[2J\x1b]0;title\a\t\xff%s %n".ljust(len("named_with_bytes_of_a_kind"), b"_")


@lab.test("ui/another size")
def resize(bench):
    with ui_pages.ui(bench, ui_pages.golden(bench, "pool")) as screen:
        screen.wait(r"\[Functions\]", "^Enter callers")
        for width, height in ((60, 15), (200, 50), (20, 6), (80, 24)):
            screen.resize(width, height)
            screen.wait("^Enter callers", line=height - 1)
            screen.wait(r" 1/\d+$", line=0)
            lab.equal(len(screen.lines()) - 1, height, "lines of the screen")
        screen.resize(15, 4)
        screen.wait("^Too small")
        screen.resize(80, 24)
        screen.wait(r"\[Functions\]", "^Enter callers")
        screen.keys("Q")
        screen.ended(0)


@lab.test("ui/names that would steer a terminal")
def hostile(bench):
    program = bench.compile(bench.write("program.c", HOSTILE), "program", "-O1")
    with open(program, "rb+") as file:
        code = file.read().replace(b"named_with_bytes_of_a_kind", BYTES)
        file.seek(0)
        file.write(code)
    bench.run(program, status=0)
    for locale in ("C.UTF-8", "C"):
        with ui_pages.ui(bench, bench.path("cinstr.data"), env={"LC_ALL": locale}) as screen:
            page = screen.wait(r"\[Functions\]", r"evil\\x1b\[2J", r"  1/\d+$")
            lab.check("title" in page, page)
            lab.check(("\u6f22\u5b57" in page) == (locale == "C.UTF-8"), f"{locale}:\n{page}")
            lab.equal(len(screen.lines()) - 1, 24, "lines")
            screen.keys("2", "*")
            screen.wait(r"\[Tree\]", r"evil\\x1b")
            screen.type("/evil")
            screen.keys("Enter", "c")
            screen.wait(r"^ Callers and callees of evil\\x1b\[2J")
            screen.keys("a")
            screen.wait("Source of|is not known")
            screen.keys("Q")
            screen.ended(0)


@lab.test("ui/long names of C++")
def long_names(bench):
    source = bench.write("program.cc", """
template <typename A, typename B> struct both_of { A *a; B *b; };
template <typename T> using twice = both_of<both_of<T, T>, both_of<T, T>>;
template <typename T> __attribute__((noipa)) int function_of_a_long_name(T *) { __asm__ volatile(""); return 1; }
int main() { return function_of_a_long_name((twice<twice<twice<twice<int>>>> *)0) - 1; }
""")
    bench.run(bench.compile(source, "program", "-O1"), status=0)
    for names in ("short", "full"):
        with ui_pages.ui(bench, bench.path("cinstr.data"), f"--names={names}") as screen:
            page = screen.wait(r"\[Functions\]", "function_of_a|int function|deep<")
            lab.check(all(len(line) <= 80 for line in page.split("\n")), page)
            screen.keys("Enter")
            screen.wait("^ Callers and callees of ")


@lab.test("ui/colour, or none")
def colour(bench):
    session = ui_pages.golden(bench, "exceptions")
    for env, coloured in (({}, True), ({"NO_COLOR": "1"}, False)):
        with ui_pages.ui(bench, session, env=env) as screen:
            screen.keys("2", "G")
            screen.wait(r"\[Tree\]", "#")
            lab.equal(bool(re.search(r"\x1b\[[0-9;]*3[13]", screen.screen("-e"))), coloured, f"colours with {env}")


@lab.test("ui/no terminal that could be drawn on")
def no_terminal(bench):
    session = ui_pages.golden(bench, "pool")
    done = bench.run(lab.COMMAND, "ui", session, status=2)
    lab.check("needs a terminal" in done.stderr and not done.stdout, done.stderr)
    for name, says in (("dumb", "cannot place the cursor"), ("", "TERM is not set"), ("no-such", "TERM=no-such is not known")):
        with terminal.Terminal(bench, lab.COMMAND, "ui", session, before=f"TERM={name}") as screen:
            screen.wait(says, "ended with 2")
    with terminal.Terminal(bench, lab.COMMAND, "ui", bench.path("nothing")) as screen:
        screen.wait("No such file", "ended with 1")
    for name in ("vt100", "xterm", "linux"):
        with ui_pages.ui(bench, session, before=f"TERM={name}") as screen:
            screen.wait(r"\[Functions\]", "pthread_create")


@lab.test("ui/stopped, killed: the terminal is as it was")
def signals(bench):
    session = ui_pages.golden(bench, "pool")
    how = ("sh", "-c", 'stty -a >before; "$@"; status=$?; stty -a >after; exit $status', "sh")
    for number in (signal.SIGTERM, signal.SIGSEGV, signal.SIGHUP, signal.SIGINT):
        with terminal.Terminal(bench, *how, lab.COMMAND, "ui", session, before="echo what stands here;") as screen:
            screen.wait(r"\[Summary\]", "^Enter its place")
            command = int(bench.run("pgrep", "-P", str(screen.pid())).stdout.split()[0])
            os.kill(command, number)
            page = screen.wait(terminal.ENDED)
            lab.check(f"{terminal.ENDED}{128 + number}" in page, f"signal {number}: {page}")
            lab.check("what stands here" in page and "[Summary]" not in page, f"signal {number}: {page}")
            before, after = (open(bench.path(name)).read() for name in ("before", "after"))
            lab.equal(after, before, f"stty after signal {number}")


@lab.test("ui/Ctrl-Z and back")
def suspended(bench):
    session = ui_pages.golden(bench, "pool")
    shell = f"{lab.COMMAND} ui {session}; echo stopped here; stty -a | grep -c ' -icanon'; fg; echo back, status $?"
    with terminal.Terminal(bench, "bash", "-mc", shell) as screen:
        screen.wait(r"\[Summary\]", "^Enter its place")
        screen.keys("C-z")
        screen.wait(r"\[Summary\]", "^Enter its place")
        screen.keys("g", "j")
        screen.wait(r"  2/\d+$")
        screen.keys("q")
        screen.wait("^stopped here", "^0$", "back, status 0")
