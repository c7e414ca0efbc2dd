# SPDX-License-Identifier: GPL-3.0-or-later
"""Session folders: the old one kept, several at once, chosen by CINSTR_DATA or by cinstr record."""
import os
import shutil
import signal
import subprocess
import sys

import lab
import quiet


@lab.test("session/the one before is kept")
def rotation(bench):
    first = bench.compile("trees/nothingcalled.c", "first", "-O2")
    second = bench.compile("trees/nesting.c", "second", "-O2")
    bench.run(first)
    bench.run(second)
    lab.equal(bench.sessions(), ["cinstr.data", "cinstr.data.old"], "session folders")
    lab.check("outer" in bench.functions("cinstr.data"), "the new session is not in cinstr.data")
    lab.check("outer" not in bench.functions("cinstr.data.old"), "the old session is not in cinstr.data.old")
    bench.run(first)
    lab.equal(bench.sessions(), ["cinstr.data", "cinstr.data.old"], "session folders")
    lab.check("outer" in bench.functions("cinstr.data.old"), "the session before is not in cinstr.data.old")


@lab.test("session/two at once in one folder")
def two(bench):
    program = bench.compile("programs/work.c", "program", "-O2")
    processes = [bench.start(program, "700") for _ in range(2)]
    for process in processes:
        output, errors = process.communicate(timeout=lab.TIMEOUT)
        lab.equal((process.returncode, output), (0, "worked\n"), "run")
        lab.check(len(errors.splitlines()) <= 1 and errors.startswith("cinstr: " if errors else ""), f"stderr: {errors!r}")
    names = bench.sessions()
    lab.equal(len(names), 2, f"session folders {names}")
    for name in names:
        lab.equal(len(bench.report(name, "process")["rows"]), 1, f"processes in {name}")
        bench.sound(name)


@lab.test("session/the newest is shown, the others are named")
def newest(bench):
    program = bench.compile("programs/work.c", "program", "-O2")
    other = bench.compile("trees/nesting.c", "other", "-O2")
    process = bench.start(program, "3000")
    lab.wait_for(lambda: lab.data_files(bench.path("cinstr.data")), "no data file")
    bench.run(other, status=0)
    name = next(name for name in bench.sessions() if name != "cinstr.data")
    done = bench.run(lab.COMMAND, "report", "--format=csv", status=0)
    lab.check("outer" in done.stdout, f"the newest is not shown: {done.stderr!r}")
    lab.check("there is also cinstr.data" in done.stderr, f"the other one is not named: {done.stderr!r}")
    lab.equal(process.wait(30), 0, "exit status")
    done = bench.run(lab.COMMAND, "report", "--format=csv", "cinstr.data", status=0)
    lab.equal(done.stderr, "", "said of a session by its name")
    bench.run(program, "1", status=0)  # takes the place of cinstr.data, and is the newest now
    done = bench.run(lab.COMMAND, "report", "--format=csv", status=0)
    lab.check("work" in done.stdout and name in done.stderr, f"not the newest: {done.stderr!r}")


@lab.test("session/a record without data leaves what was there")
def nothing_recorded(bench):
    program = bench.compile("trees/nesting.c", "program", "-O2")
    plain = bench.compile("trees/nesting.c", "plain", "-O2", plugin=None)
    bench.run(program, status=0)
    bench.run(program, status=0)
    before = {name: sorted(os.listdir(bench.path(name))) for name in bench.sessions()}
    for command in ((plain,), ("true",), ("sh", "-c", "kill -9 $$"), (bench.path("there/is/none"),)):
        for method in ((), ("--sample", "--event=cpu-clock")):
            if method and command == (plain,):
                continue  # of that there may be samples
            bench.run(lab.COMMAND, "record", *method, "--", *command)
            after = {name: sorted(os.listdir(bench.path(name))) for name in bench.sessions()}
            if method and after != before:
                lab.check(len(after["cinstr.data"]) > 1, f"an empty session is left: {after}")
                before = after
            lab.equal(after, before, f"sessions after record {command}")


@lab.test("session/the one before is not added up with it")
def old_left_out(bench):
    program = bench.compile("trees/nesting.c", "program", "-O2")
    bench.run(program, status=0)
    once = bench.functions()["outer"]["calls"]
    bench.run(program, status=0)
    lab.equal(bench.functions(".")["outer"]["calls"], once, "calls in the folder of both")
    done = bench.run(lab.COMMAND, "report", ".", status=0)
    lab.check("cinstr.data.old" in done.stderr and "left out" in done.stderr, f"not said: {done.stderr!r}")
    os.rename(bench.path("cinstr.data"), bench.path("a.data"))
    lab.equal(bench.functions(".")["outer"]["calls"], 2 * once, "calls of two that are not one another's")


@lab.test("session/a record that was killed leaves what was there")
def record_killed(bench):
    program = bench.compile("trees/nesting.c", "program", "-O2")
    bench.run(program, status=0)
    good = sorted(os.listdir(bench.path("cinstr.data")))
    record = bench.start(lab.COMMAND, "record", "--", "sleep", "60", start_new_session=True)
    made = bench.path("cinstr.data.old"), bench.path("cinstr.data/session")
    lab.wait_for(lambda: all(map(os.path.exists, made)), "no session of record's")
    os.killpg(record.pid, signal.SIGKILL)
    record.wait()
    bench.run(program, status=0)
    lab.equal(sorted(os.listdir(bench.path("cinstr.data.old"))), good, "the session before")
    lab.equal(bench.sessions(), ["cinstr.data", "cinstr.data.old"], "sessions")


@lab.test("session/one behind another in a shell that becomes the last")
def shell(bench):
    program = bench.compile("trees/nesting.c", "program", "-O2")
    bench.run("sh", "-c", f"{program}; {program}; exec {program}", status=0)
    lab.equal(bench.sessions(), ["cinstr.data", "cinstr.data.old"], "sessions")


@lab.test("session/a folder that cannot be moved")
def mounted(bench):
    """What is FOLDER.old stays; where the session goes is said."""
    if os.getuid() or bench.run("unshare", "-m", "true").returncode:
        raise lab.Skip("cannot mount here")
    program = bench.compile("trees/nesting.c", "program", "-O2")
    bench.run(program, status=0)
    bench.run(program, status=0)
    old = sorted(os.listdir(bench.path("cinstr.data.old")))
    os.rename(bench.path("cinstr.data"), bench.path("real"))
    os.mkdir(bench.path("cinstr.data"))
    done = bench.run("unshare", "-m", "sh", "-c", f"mount --bind real cinstr.data && {program}", status=0)
    lab.equal(sorted(os.listdir(bench.path("cinstr.data.old"))), old, "FOLDER.old")
    lab.check("cannot be moved" in done.stderr and "cinstr.data." in done.stderr, f"said: {done.stderr!r}")


@lab.test("session/of another user")
def other_user(bench):
    """Its user's alone; with CINSTR_MODE=0644 everybody reads it, and nobody else steers it."""
    if os.getuid():
        raise lab.Skip("only for root")
    program = bench.compile("trees/nesting.c", "program", "-O2")
    os.chmod(bench.folder, 0o755)
    nobody = {"user": 65534, "group": 65534}
    bench.run(program, status=0, env={"CINSTR_DATA": "own"})
    done = bench.run(lab.COMMAND, "report", "own", status=1, **nobody)
    lab.check("Permission denied" in done.stderr and "CINSTR_MODE" in done.stderr, f"said: {done.stderr!r}")
    bench.run(program, status=0, env={"CINSTR_DATA": "all", "CINSTR_MODE": "0644"})
    done = bench.run(lab.COMMAND, "report", "all", status=0, **nobody)
    lab.check("outer" in done.stdout, f"not readable: {done.stderr!r}")


@lab.test("session/CINSTR_SESSION names none")
def no_such_session(bench):
    """What a recording has left in the background begins when that has ended with nothing."""
    program = bench.compile("trees/nesting.c", "program", "-O2")
    done = bench.run(program, env={"CINSTR_SESSION": bench.path("gone")}, status=0)
    lab.equal((done.stderr, bench.sessions()), ("", ["cinstr.data"]), "said, and sessions")
    bench.sound()


@lab.test("record/what goes on when its program has ended")
def daemon(bench):
    program = bench.compile("programs/work.c", "program", "-O2")
    done = bench.run(lab.COMMAND, "record", "--", "sh", "-c", f"{program} 3000 > out 2>&1 & sleep 0.7", status=0)
    lab.check("still recording: 1 process (" in done.stderr and "cinstr control status" in done.stderr,
              f"not said: {done.stderr!r}")
    lab.check("no data" not in done.stderr, f"said to have no data: {done.stderr!r}")
    bench.run(lab.COMMAND, "control", "off", status=0)


@lab.test("record/a session is called by its command")
def command(bench):
    program = bench.compile("programs/work.c", "program", "-O2")
    other = os.path.join(os.path.dirname(program), "other")
    shutil.copy(program, other)
    script = f"{program} 1; echo 'in quotes'; {other} 2 3"
    quoted = "sh -c '" + script.replace("'", "'\\''") + "'"
    bench.run(lab.COMMAND, "record", "--", "sh", "-c", script, status=0)
    data = bench.report("cinstr.data", "process")
    lab.equal(data["session"]["command_line"], quoted, "title")
    lab.equal(sorted((row["name"], row["command_line"]) for row in data["rows"]),
              [("other", f"{other} 2 3"), ("program", f"{program} 1")], "processes")
    for verb in ("report", "summary", "tree"):
        lab.equal(bench.cinstr(verb).splitlines()[0], "cinstr.data: " + quoted, f"heading of {verb}")
    lab.equal(bench.report("cinstr.data/" + lab.data_files(bench.path("cinstr.data"))[0].split("/")[-1], "process")["session"]["command_line"]
              in (f"{program} 1", f"{other} 2 3"), True, "title of a file alone")
    # As wide as the terminal.
    done = bench.run(lab.COMMAND, "report", env={"COLUMNS": "60"}, status=0)
    lab.equal(done.stdout.splitlines()[0], ("cinstr.data: " + quoted)[:57] + "...", "heading of 60 columns")
    bench.run(lab.COMMAND, "control", "cinstr.data", "snapshot", "copy", status=0)
    lab.equal(bench.report("copy", "process")["session"]["command_line"], quoted, "title of a snapshot")
    # What is longer than there is room for; what nobody recorded by command.
    bench.run(lab.COMMAND, "record", "--", "sh", "-c", f"{program} 1", "\u00e9" * 2000, status=0)
    long = bench.report("cinstr.data", "process")["session"]["command_line"]
    lab.check(long.startswith(f"sh -c '{program} 1' \u00e9") and long.endswith("\u00e9...") and 890 <= len(long.encode()) < 896, long)
    bench.run(program, "1", env={"CINSTR_DATA": bench.path("own")}, status=0)
    lab.equal(bench.report("own", "process")["session"]["command_line"], f"{program} 1", "title without a command")


@lab.test("session/read while it is recorded")
def live(bench):
    program = bench.compile("programs/work.c", "program", "-O2")
    process = bench.start(program, "3000")
    lab.wait_for(lambda: lab.data_files(bench.path("cinstr.data")), "no data file")
    lab.wait_for(lambda: bench.functions().get("work", {}).get("calls"), "no calls")
    counts = []
    for _ in range(3):
        # A look at a moving file: the counts only grow. Exact it must be at the end.
        counts.append(bench.functions()["work"]["calls"])
    lab.check(0 < counts[0] <= counts[1] <= counts[2], f"calls seen: {counts}")
    lab.equal(process.wait(lab.TIMEOUT), 0, "exit status")
    lab.check(bench.functions()["work"]["calls"] > counts[2], "nothing was added after the last look")
    bench.sound()


@lab.test("session/CINSTR_DATA")
def data(bench):
    program = bench.compile("trees/nesting.c", "program", "-O2")
    bench.run(program, env={"CINSTR_DATA": "some/where"}, status=0)
    if not os.path.isdir(bench.path("some/where")):
        os.mkdir(bench.path("some"))
        bench.run(program, env={"CINSTR_DATA": "some/where"}, status=0)
    lab.check("outer" in bench.functions("some/where"), "no session in some/where")


@lab.test("record/exit status, arguments, options")
def record(bench):
    program = bench.compile("programs/endings.c", "program", "-O2")
    done = bench.run(lab.COMMAND, "record", "-o", "mine", "--probes=functions", "--", program, "exit")
    lab.equal(done.returncode, 3, "exit status")
    lab.equal(done.stdout, "begin\n", "output")
    lab.check(len(done.stderr.strip().splitlines()) == 1, f"record prints one line: {done.stderr!r}")
    rows = bench.functions("mine")
    lab.equal(rows["step"]["calls"], 1000, "calls of step")
    lab.check("exit" not in rows, "probes around calls although --probes=functions")
    done = bench.run(lab.COMMAND, "record", "--", program, "sigterm")
    lab.check(done.returncode in (-15, 143), f"exit status {done.returncode} for SIGTERM")


def runs_of(bench, name):
    return sorted(entry for entry in os.listdir(bench.folder) if entry.startswith(name))


@lab.test("record/repeated")
def repeated(bench):
    """--repeat: a session for each run, that before kept; exit statuses; what input is read; then
    cinstr diff."""
    program = bench.compile("programs/endings.c", "program", "-O2")
    bench.write("input", "some text\n")
    script = bench.write("script", 'cat; echo run >> ran; n=$(wc -l < ran); "$1" return > /dev/null; [ $n != 2 ] || exit 7; [ $n != 3 ] || exit 9')
    record = (lab.COMMAND, "record", "--repeat=4", "-o", "mine/", "--", "sh", script, program)
    with open(bench.path("input")) as text:
        done = bench.run(*record, status=7, stdin=text)
    lab.equal(done.stdout, 4 * "some text\n", "what the runs read")
    lab.equal(runs_of(bench, "mine"), ["mine.1", "mine.2", "mine.3", "mine.4"], "sessions")
    lines = [line for line in done.stderr.splitlines() if "variable" not in line]
    lab.check(len(lines) == 3 and "run 2 ended with status 7" in lines[0] and "run 3 ended with status 9" in lines[1]
              and "recorded 4 runs, " in lines[2] and "Compare: cinstr diff mine.* -- OTHER.*" in lines[2], done.stderr)
    for run in runs_of(bench, "mine"):
        lab.equal(bench.functions(run)["step"]["calls"], 1001, f"calls of step in {run}")

    done = bench.run(lab.COMMAND, "record", "--repeat=2", "-o", "mine", "--", program, "return", status=6)
    lab.equal(runs_of(bench, "mine"), ["mine.1", "mine.1.old", "mine.2", "mine.2.old", "mine.3", "mine.4"], "sessions")
    lab.check("mine.3 and others are not of this recording" in done.stderr, done.stderr)
    bench.run(lab.COMMAND, "record", "--repeat=2", "-o", "other", "--", program, "return", status=6)
    done = bench.run(lab.COMMAND, "diff", "--fail-over=1000", "--column=calls", *(bench.path(run) for run in runs_of(bench, "mine")),
                     "--", *(bench.path(run) for run in runs_of(bench, "other")), status=0)
    lab.check("4 and 2 runs" in done.stdout and done.stderr.count("left out: it was there before") == 2,
              f"{done.stdout}{done.stderr}")

    done = bench.run(lab.COMMAND, "record", "--repeat=3", "-o", "none", "--", "sh", "-c", "echo run >> other-ran", status=1)
    lab.equal(runs_of(bench, "none"), [], "sessions without data")
    with open(bench.path("other-ran")) as ran:
        lab.equal(len(ran.readlines()), 1, "runs after one without data")
    for number in ("0", "1001", "x"):
        done = bench.run(lab.COMMAND, "record", f"--repeat={number}", "--", program, status=2)
        lab.check(f"--repeat does not take '{number}'" in done.stderr, done.stderr)
    done = bench.run(lab.COMMAND, "record", "--repeat=2", "--pid", str(os.getpid()), status=2)
    lab.check("--repeat needs a program to run" in done.stderr, done.stderr)


@lab.test("record/repeated until it is stopped")
def repeated_stopped(bench):
    """A signal to record is its program's, and no run comes after it, even if the program ends as
    if nothing were; ^C as well."""
    program = bench.compile("programs/work.c", "program", "-O2")
    trap = bench.write("trap.py", """
import signal, subprocess, sys
for number in signal.SIGINT, signal.SIGTERM:
    signal.signal(number, lambda *_: sys.exit(0))
subprocess.run([sys.argv[1], "50"], stdout=subprocess.DEVNULL)
open("ready-" + sys.argv[2], "w").close()
while True:
    signal.pause()
""")  # no shell: dash loses a signal that comes while it starts a process
    for number, (tag, send) in enumerate((("sent", lambda pid: os.kill(pid, signal.SIGTERM)),
                                          ("terminal", lambda pid: os.killpg(pid, signal.SIGINT)))):
        process = bench.start(lab.COMMAND, "record", "--repeat=5", "-o", tag, "--", sys.executable, trap, program, tag,
                              start_new_session=True)
        lab.wait_for(lambda: os.path.exists(bench.path(f"ready-{tag}")), "no run")
        send(process.pid)
        _, errors = process.communicate(timeout=60)
        lab.equal(-process.returncode, (signal.SIGTERM, signal.SIGINT)[number], f"{tag}: how record ends")
        lab.equal(runs_of(bench, tag + "."), [f"{tag}.1"], f"{tag}: sessions")
        lab.check("stopped after 1 of 5 runs" in errors, errors)
    terminal, end = os.openpty()
    subprocess.run([lab.COMMAND, "record", "--repeat=2", "-o", "shown", "--", program, "10"], stdout=subprocess.DEVNULL,
                   stderr=end, cwd=bench.folder, env=bench.environment(), timeout=lab.TIMEOUT, check=True)
    shown = os.read(terminal, 65536).decode()
    os.close(end)
    os.close(terminal)
    lab.check("run 2 of 2 into shown.2" in shown, f"on a terminal: {shown}")


@lab.test("record/passes on signals")
def record_signals(bench):
    program = bench.compile("programs/work.c", "program", "-O2")
    process = bench.start(lab.COMMAND, "record", "--", program, "60000")
    lab.wait_for(lambda: lab.data_files(bench.path("cinstr.data")), "no data file")
    process.terminate()
    process.wait(30)
    lab.check(process.returncode in (-15, 143), f"exit status {process.returncode} for SIGTERM")
    bench.sound()


DEPTH = 15  # of programs/explode.c
EXPLODE_CALLS = {"main": 1, "left": 2 ** DEPTH, "right": 2 ** DEPTH - 1, "leaf": 2 ** DEPTH, "nanosleep": 1}


def callers(bench, name):
    rows = bench.json("callers", name)["rows"]
    return {row["name"]: row["calls"] for row in rows if row["type"] == "caller"}


@lab.test("session/paths that explode")
def explode(bench):
    """By default few of many paths are kept: functions and call sites lose nothing, what takes time
    has its path, the file is small."""
    program = bench.compile("programs/explode.c", "program", "-O1")
    bench.run(program, env={"CINSTR_PATHS": "1000000"}, status=0)
    whole, whole_sites = bench.functions(), bench.json("report", "--by=site", "--raw")["rows"]
    whole_bytes = data_bytes(bench)
    bench.run(program, env={"CINSTR_TIMELINE": "unlimited"}, status=0)
    bench.sound()
    bench.cinstr("refold")
    bench.run(program, status=0)
    bench.sound()
    lab.check(data_bytes(bench) * 2 < whole_bytes, f"{data_bytes(bench)} bytes of {whole_bytes}")
    cut = bench.functions()
    lab.check(bench.report()["session"]["merged_calls"] > 10000, "all paths were kept")
    for name, calls in EXPLODE_CALLS.items():
        lab.equal(whole[name]["calls"], calls, f"calls of {name}, with all paths")
        lab.equal(cut[name]["calls"], calls, f"calls of {name}")
    lab.equal(sorted(row["calls"] for row in bench.json("report", "--by=site", "--raw")["rows"]),
              sorted(row["calls"] for row in whole_sites), "calls by call site")
    for row in bench.report(by="module")["rows"]:
        lab.check(row["elapsed_inclusive_percent"] <= 100.01, f"inclusive time of module {row['name']}: {row}")
    lab.equal(callers(bench, "leaf"), {"left": 2 ** (DEPTH - 1), "right": 2 ** (DEPTH - 1)}, "callers of leaf")
    for name in ("main", "left", "right", "leaf", "nanosleep"):
        ms, application = (cut[name][f"{kind}_inclusive_ns"] / 1e6 for kind in ("elapsed", "application"))
        lab.check(50 <= ms, f"elapsed inclusive time of {name}: {ms} ms, slept 50 ms")
        lab.check(application < ms - 45, f"application inclusive time of {name}: {application} ms of {ms}")
        lab.check(cut[name]["max_elapsed_inclusive_ns"] >= 50e6, f"longest call of {name}")
    # The sleep's path is there in full: the last one of the program.
    rows = bench.json("tree")["rows"]
    at = next(row for row in rows if row["name"] == "nanosleep")
    path = []
    while at:
        path.append(at["name"])
        at = next((row for row in rows if row["id"] == at["parent"]), None)
    lab.equal(path[::-1], ["main", "left"] + DEPTH * ["right"] + ["leaf", "nanosleep"], "path of the sleep")


def data_bytes(bench):
    return sum(os.path.getsize(bench.path("cinstr.data", name)) for name in os.listdir(bench.path("cinstr.data"))
               if name.endswith(".cinstr"))


@lab.test("session/budget of paths")
def budget(bench):
    """Beyond the budget functions keep their calls and values: a sleep at the bottom counts once on
    the way up (D4, R6)."""
    program = bench.compile("programs/budget.c", "program", "-O1")

    def once():
        bench.run(program, status=0)
        whole = bench.functions()
        bench.run(program, env={"CINSTR_PATHS": "20"}, status=0)
        bench.sound()
        cut = bench.functions()
        lab.check(bench.report()["session"]["merged_calls"] > 1000, "the budget was not used up")
        for name in ("main", "outer", "left", "right", "leaf", "nanosleep"):
            lab.equal(cut[name]["calls"], whole[name]["calls"], f"calls of {name}")
        for name in ("main", "outer", "left", "leaf", "nanosleep"):
            ms = cut[name]["elapsed_inclusive_ns"] / 1e6
            lab.check_time(50 <= ms < 100, f"elapsed inclusive time of {name}: {ms} ms, slept 50 ms")
        lab.check_time(cut["right"]["elapsed_inclusive_ns"] < 50e6, "right was not on the stack of the sleep")
        lab.check_time(cut["left"]["elapsed_exclusive_ns"] < 50e6, "the sleep is exclusive time of nanosleep only")

    quiet.measured(once)  # others may have the processor for as long as it sleeps


@lab.test("session/files of an ended session are packed")
def packed(bench):
    """By record, from 1 MB on, and by cinstr pack; all views show the same. Not while a process
    records, and not with a timeline."""
    program = bench.compile("programs/explode.c", "program", "-O1")
    many = {"CINSTR_PATHS": "1000000"}
    bench.run(program, env=many, status=0)
    plain = data_bytes(bench)
    views = ("report", "tree", "callers", "info"), ("--format=json",)

    def shown():
        return [bench.cinstr(view, *views[1], *(["leaf"] if view == "callers" else [])) for view in views[0]]

    before = shown()
    done = bench.cinstr("pack")
    lab.check(done.startswith("1 of 1 file packed"), done)
    small = data_bytes(bench)
    lab.check(small * 3 < plain, f"{small} bytes of {plain}")
    lab.equal(shown(), before, "what is shown of the packed file")
    bench.sound()
    lab.equal(os.stat(lab.data_files(bench.path("cinstr.data"))[0]).st_mode & 0o777, 0o600, "mode of the packed file")
    bench.cinstr("pack", "--undo")
    lab.equal(data_bytes(bench), plain, "bytes after --undo")
    lab.equal(shown(), before, "what is shown of the unpacked file")
    done = bench.run(lab.COMMAND, "record", "--", program, env=many, status=0)
    lab.check(data_bytes(bench) * 3 < plain, f"record left {data_bytes(bench)} bytes of {plain}")
    bench.sound()
    done = bench.run(lab.COMMAND, "record", "--timeline=64M", "--", program, env=many, status=0)
    lab.check(data_bytes(bench) > plain, "a file with a timeline was packed")
    lab.check(bench.cinstr("pack").startswith("0 of 1 file packed"), "a file with a timeline was packed")


@lab.test("session/one that is being recorded is not packed")
def not_packed(bench):
    program = bench.compile("programs/work.c", "program", "-O2")
    process = bench.start(program, "3000")
    lab.wait_for(lambda: lab.data_files(bench.path("cinstr.data")), "no data file")
    file = lab.data_files(bench.path("cinstr.data"))[0]
    for operand in ("cinstr.data", file):
        done = bench.run(lab.COMMAND, "pack", operand, status=1)
        lab.check("still being recorded" in done.stderr, f"pack {operand}: {done.stderr!r}")
    lab.equal(process.wait(30), 0, "exit status")
    lab.check(bench.cinstr("pack", file).startswith("1 of 1 file packed"), "not packed afterwards")
    bench.sound()


@lab.test("session/a damaged packed file shows what is left")
def packed_damaged(bench):
    program = bench.compile("programs/explode.c", "program", "-O1")
    bench.run(program, env={"CINSTR_PATHS": "1000000"}, status=0)
    bench.cinstr("pack")
    file = lab.data_files(bench.path("cinstr.data"))[0]
    whole = open(file, "rb").read()
    for name, damaged in (("cut", whole[:len(whole) // 2]), ("first page", whole[:4096]),
                          ("one byte of the checksum", whole[:-2] + bytes([whole[-2] ^ 1]) + whole[-1:])):
        with open(file, "wb") as target:
            target.write(damaged)
        done = bench.run(lab.COMMAND, "report", "--format=csv", status=1)
        lab.check("the packed data is damaged" in done.stderr, f"{name}: {done.stderr!r}")
        done = bench.run(lab.COMMAND, "pack", "--undo", status=1)
        lab.check("left as it is" in done.stderr, f"{name}: unpacked: {done.stderr!r}")
        lab.equal(open(file, "rb").read(), damaged, f"{name}: the file, after a refusal")
        lab.equal(sorted(os.listdir(bench.path("cinstr.data"))), sorted((os.path.basename(file), "session")), "files left")
    unknown = bytearray(whole)
    unknown[460] = 2
    with open(file, "wb") as target:
        target.write(unknown)
    done = bench.run(lab.COMMAND, "report", status=1)
    lab.check("packed in a way that is not known" in done.stderr, done.stderr)
