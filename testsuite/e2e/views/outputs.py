# SPDX-License-Identifier: GPL-3.0-or-later
"""Where commands write to: what is no plain file stays what it is, and gets what a file would."""
import os
import re
import stat
import threading

import lab

COMMANDS = (
    ("merge",),
    ("html",),
    ("export", "--format=collapsed"),
)


def written(bench, command, name, session):
    done = bench.run(lab.COMMAND, *command, "-o", name, session)
    lab.equal(done.returncode, 0, f"{command[0]} to {os.path.basename(name)}: {done.stderr}")


def read_all(path, into):
    with open(path, "rb") as file:
        into.append(file.read())


@lab.test("outputs/links, pipes and devices stay what they are")
def kinds(bench):
    session = bench.path("cinstr.data")
    bench.run(bench.compile("programs/jumps.c", "jumps", "-O1"), "callbacks", env={"CINSTR_DATA": session}, status=0)
    for command in COMMANDS:
        plain, target, link, pipe = (bench.path(f"{command[0]}-{name}") for name in ("plain", "target", "link", "pipe"))
        written(bench, command, plain, session)
        with open(plain, "rb") as file:
            expected = file.read()
        lab.check(expected, f"{command[0]} writes something")
        with open(target, "w") as file:
            file.write("before")
        os.symlink(os.path.basename(target), link)
        written(bench, command, link, session)
        lab.check(os.path.islink(link), f"{command[0]}: a link stays one")
        with open(target, "rb") as file:
            lab.equal(len(file.read()), len(expected), f"{command[0]}: what the link names is written")
        os.mkfifo(pipe)
        got = []
        reader = threading.Thread(target=read_all, args=(pipe, got), daemon=True)
        reader.start()
        written(bench, command, pipe, session)
        reader.join(lab.TIMEOUT)
        lab.check(stat.S_ISFIFO(os.lstat(pipe).st_mode), f"{command[0]}: a pipe stays one")
        lab.equal([len(one) for one in got], [len(expected)], f"{command[0]}: what comes out of the pipe")


@lab.test("outputs/html says what it wrote, and opens it")
def opened(bench):
    session = bench.path("cinstr.data")
    bench.run(bench.compile("programs/jumps.c", "jumps", "-O1"), "callbacks", env={"CINSTR_DATA": session}, status=0)
    said = bench.cinstr("html", session)
    line = r"cinstr\.html: [0-9.]+ [KM]B; open it in a browser, or by: cinstr html --open\n"
    lab.check(re.fullmatch(line, said), f"said: {said!r}")
    browser = bench.write("browser", '#!/bin/sh\necho noise; printf "%s" "$1" > "$0.new"; mv "$0.new" "$0.got"\n')
    os.chmod(browser, 0o755)
    done = bench.run(lab.COMMAND, "html", "--open", "-o", "a page.html", session, status=0, env={"BROWSER": browser})
    lab.check(done.stdout.startswith("a page.html: ") and done.stdout.count("\n") == 1 and not done.stderr, repr(done))
    lab.wait_for(lambda: os.path.exists(browser + ".got"), "the browser's start")
    with open(browser + ".got") as file:
        lab.equal(file.read(), os.path.realpath(bench.path("a page.html")), "what the browser is given")
    done = bench.run(lab.COMMAND, "html", "--open", session, status=1, env={"BROWSER": "/no/such/program", "PATH": "/nowhere"})
    lab.check("no browser could be started" in done.stderr, done.stderr)
    lab.check("--open needs a file" in bench.run(lab.COMMAND, "html", "--open", "-o", "-", session, status=2).stderr, "no file")
