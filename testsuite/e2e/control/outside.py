# SPDX-License-Identifier: GPL-3.0-or-later
"""cinstr control: recordings steered, marked, copied from outside while they go on."""
import glob
import json
import os
import pwd
import shutil
import subprocess
import threading
import time

import lab
from lab import wait_for

FLAGS = ("-O2", "-pthread", "-fno-builtin")


class Steered:
    """A program that runs until its input ends; `command`: what starts it."""

    def __init__(self, bench, *args, command=(), env=None, data="cinstr.data", **more):
        self.bench, self.data = bench, data
        self.program = bench.path("steered")
        if not os.path.exists(self.program):
            bench.compile("programs/steered.c", "steered", *FLAGS)
        # Whoever steers gets the processor before those who call all the time.
        self.process = bench.start("nice", "-n", "19", *command, self.program, *args, env=env, stdin=subprocess.PIPE,
                                   **more)
        lab.equal(self.process.stdout.readline(), "ready\n", "first line of output")
        if args == ("asleep",):
            wait_for(self.sleeps, "a program that sleeps")

    def sleeps(self):
        """Twice, with time between: it may have waited for something else on its way there."""
        states = []
        for _ in range(2):
            with open(f"/proc/{self.process.pid}/stat") as file:
                states.append(file.read().rsplit(")", 1)[1].split()[0])
            time.sleep(0.1)
        return states == ["S", "S"]

    @property
    def pid(self):
        return str(self.process.pid)

    def end(self):
        self.process.stdin.close()
        self.process.stdin = None
        output, errors = self.process.communicate(timeout=lab.TIMEOUT)
        lab.equal((self.process.returncode, output), (0, "worked\n"), f"exit status and output ({errors[-500:]!r})")


def control(bench, *args, status=0):
    return bench.run(lab.COMMAND, "control", *args, status=status)


def look(bench, data="cinstr.data"):
    """The processes by number."""
    text = control(bench, bench.path(data), "status", "--format=json").stdout
    return {row["pid"]: row for row in json.loads(text)["processes"]}


def events(bench, data="cinstr.data"):
    return {pid: row["events"] for pid, row in look(bench, data).items()}


def still(bench, data="cinstr.data"):
    """From some time on, when every thread has run and seen what was asked for, no event is
    recorded."""
    seen, same = None, 0
    for _ in range(200):
        now = events(bench, data)
        seen, same = now, same + 1 if now == seen else 0
        if same == 6:
            return
        time.sleep(0.1)
    raise lab.Failure("recording does not stop")


def moving(bench, pid=None, data="cinstr.data"):
    before = events(bench, data)

    def has_moved():
        now = events(bench, data)
        return all(now[p] > before[p] for p in ([int(pid)] if pid else before))

    wait_for(has_moved, "nothing is recorded")


def balanced(bench, data="cinstr.data"):
    totals = bench.sound(data)
    lab.equal(totals["unbalanced_events"], 0, "unbalanced_events")
    return totals


# ---- off and on ---------------------------------------------------------------------------------


def off_and_on(bench, *how):
    program = Steered(bench, *how)
    wait_for(lambda: program.process.pid in events(bench), "no data file")
    moving(bench)
    lab.equal(control(bench, program.pid, "off").stdout, f"process {program.pid} (steered) is off\n", "off")
    still(bench)
    row = look(bench)[program.process.pid]
    lab.equal((row["state"], row["recording"], row["off_because"]), ("running", False, "process stopped"), "status")
    text = control(bench, "status").stdout
    lab.check("on, 1 process, 1 running, 0 recording" in text, text)
    lab.equal(control(bench, program.pid, "on").stdout, f"process {program.pid} (steered) is on\n", "on")
    moving(bench)
    program.end()
    totals = balanced(bench)
    lab.check(totals["paused_ns"] > 0, "no time was paused")
    lab.check("of the time paused" in totals["chosen"], f"chosen: {totals['chosen']!r}")
    info = bench.cinstr("info", bench.path("cinstr.data"))
    for text in ("process stopped from outside", "process started from outside"):
        lab.check(info.count(text) == 1, f"{text!r} is not in cinstr info once")


for case in (("loop", "1"), ("loop", "50"), ("sleep",), ("churn",), ("paths", "10")):
    lab.TESTS.append((f"outside/off and on: {' '.join(case)}", lambda bench, case=case: off_and_on(bench, *case)))


@lab.test("outside/off while it sleeps")
def asleep(bench):
    """A thread that sleeps sees it when it wakes up: at its first event."""
    program = Steered(bench, "asleep")
    control(bench, program.pid, "off")
    program.end()
    rows = bench.functions()
    lab.check("step" not in rows, "step was recorded")
    balanced(bench)


@lab.test("outside/a session with several processes")
def session(bench):
    bench.compile("programs/steered.c", "steered", *FLAGS)
    programs = [Steered(bench, *how, command=[lab.COMMAND, "record", "-o", "s.data", "--"], data="s.data")
                for how in (("loop", "2"),)]
    env = {"CINSTR_SESSION": bench.path("s.data")}
    programs += [Steered(bench, *how, env=env, data="s.data") for how in (("sleep",), ("churn",))]
    wait_for(lambda: len(events(bench, "s.data")) == 3, "three processes in the session")
    moving(bench, data="s.data")
    out = control(bench, "s.data", "off").stdout
    lab.equal(out, "session s.data is off, for 3 running processes and those that come\n", "off")
    still(bench, "s.data")
    lab.equal({row["off_because"] for row in look(bench, "s.data").values()}, {"session stopped"}, "why it is off")
    one, other = programs[1].pid, programs[2].pid
    out = control(bench, one, "on").stdout
    lab.check(f"process {one} (steered) is on, but its session is stopped" in out, out)
    still(bench, "s.data")
    control(bench, other, "off")
    lab.check("is on, for 3 running processes" in control(bench, "s.data", "on").stdout, "on")
    moving(bench, data="s.data")
    lab.equal({row["off_because"] for row in look(bench, "s.data").values()}, {""}, "why it is off")
    for program in programs:
        program.end()
    balanced(bench, "s.data")
    rows = look(bench, "s.data").values()
    lab.equal({row["state"] for row in rows}, {"ended"}, "states")


@lab.test("outside/record --paused")
def paused(bench):
    record = [lab.COMMAND, "record", "--paused", "-o", "s.data", "--"]
    first = Steered(bench, "loop", "2", command=record, data="s.data")
    env = {"CINSTR_SESSION": bench.path("s.data"), "CINSTR_START": "paused"}
    second = Steered(bench, "sleep", env=env, data="s.data")
    still(bench, "s.data")
    rows = look(bench, "s.data")
    lab.equal([row["events"] for row in rows.values()], [0, 0], "events")
    lab.equal({row["off_because"] for row in rows.values()}, {"process stopped"}, "why it is off")
    control(bench, second.pid, "on")
    moving(bench, second.pid, "s.data")
    lab.equal(sum(row["events"] == 0 for row in look(bench, "s.data").values()), 1, "processes without an event")
    control(bench, "s.data", "on")
    moving(bench, data="s.data")
    # comes when the session has been started
    later = Steered(bench, "sleep", env=env, data="s.data")
    moving(bench, later.pid, "s.data")
    for program in (first, second, later):
        program.end()
    totals = balanced(bench, "s.data")
    lab.check("began paused" in totals["chosen"], f"chosen: {totals['chosen']!r}")


@lab.test("outside/paused for good")
def never_started(bench):
    program = Steered(bench, "loop", "2", command=[lab.COMMAND, "record", "--paused", "--"])
    program.end()
    totals = bench.sound()
    lab.equal((totals["events"], totals["enters"]), (0, 0), "events")
    text = bench.cinstr("report", bench.path("cinstr.data"))
    lab.check("Nothing was recorded: no function with probes" in " ".join(text.split()), text)


@lab.test("outside/refold of what goes on")
def refold_live(bench):
    bench.compile("programs/steered.c", "steered", *FLAGS)
    program = Steered(bench, "loop", "2", env={"CINSTR_TIMELINE": "unlimited"})
    moving(bench)
    for i in range(5):
        control(bench, "cinstr.data", "snapshot", f"shot{i}")
        for folder in (f"shot{i}", "cinstr.data"):
            out = bench.run(lab.COMMAND, "refold", bench.path(folder), status=0).stdout
            lab.check("ANOTHER" not in out and "thread" in out, f"{folder}: {out}")
    program.end()
    out = bench.cinstr("refold", bench.path("cinstr.data"))
    lab.check("the same tree" in out and "not compared" not in out, out)


@lab.test("outside/a start that makes no sense is not told as paused")
def wrong_start(bench):
    bench.compile("programs/steered.c", "steered", *FLAGS)
    program = Steered(bench, "loop", "2", env={"CINSTR_START": "later"})
    moving(bench)
    program.end()
    lab.equal(bench.report()["session"]["chosen"], "", "chosen")


@lab.test("outside/the process's name, of its file's")
def name_of_file(bench):
    """NAME.PID.UNIQUE.cinstr: NAME may have points, UNIQUE may begin as PID does."""
    program = Steered(bench, "loop", "2")
    moving(bench)
    (path,) = glob.glob(bench.path("cinstr.data", "*.cinstr"))
    for begin, name in ((f"steered.{program.pid}.{program.pid}", "steered"), (f"a.b.{program.pid}.0", "a.b"),
                        (f"{'long.' * 8}{program.pid}.{program.pid}", ("long." * 8)[:31]), ("other", "other")):
        new = bench.path("cinstr.data", f"{begin}a.cinstr" if begin != "other" else "other.cinstr")
        os.rename(path, new)
        path = new
        out = control(bench, "cinstr.data", "status").stdout
        lab.check(f" {program.pid}  {name} " in out, f"{new}: not {name}: {out}")
    program.end()


@lab.test("outside/thousands of switches")
def toggles(bench):
    """Two who switch, at both levels, while threads call as fast as they can."""
    program = Steered(bench, "loop", "8")
    wait_for(lambda: events(bench), "no data file")

    def switch(target, n):
        for i in range(n):
            control(bench, target, "off" if i % 2 else "on")

    switches = [threading.Thread(target=switch, args=(target, 1200)) for target in (program.pid, "cinstr.data")]
    for thread in switches:
        thread.start()
    for thread in switches:
        thread.join()
    control(bench, "cinstr.data", "on")
    moving(bench)
    program.end()
    balanced(bench)
    rows = bench.functions()
    lab.check(abs(rows["leaf"]["calls"] - 2 * rows["middle"]["calls"]) < rows["leaf"]["calls"] / 5,
              f"calls of leaf, middle: {rows['leaf']['calls']}, {rows['middle']['calls']}")


# ---- marks --------------------------------------------------------------------------------------


def marks(bench, data="cinstr.data"):
    lines = bench.cinstr("info", "--marks", bench.path(data)).splitlines()
    rows = [dict(zip(("ns", "pid", "tid", "text", "function", "place", "kind", "id"), line.split("\t"))) for line in lines]
    return [row for row in rows if row["kind"] in ("program", "outside")]


@lab.test("outside/marks")
def mark(bench):
    program = Steered(bench, "loop", "2")
    begin = time.monotonic()
    for text in (["begin"], ["several", "words"], ["\u00e4\u20ac" * 700], ["tab\tin it"], ["--", "--x"], [""]):
        control(bench, program.pid, "mark", *text)
    took = time.monotonic() - begin
    program.end()
    got = marks(bench)
    lab.equal([row["kind"] for row in got], ["outside"] * 6, "kinds")
    texts = [row["text"] for row in got]
    lab.equal(texts[:2] + texts[3:], ["begin", "several words", "tab\\tin it", "--x", ""], "texts")
    lab.check(texts[2] == "\u00e4\u20ac" * 200, f"a long text is cut between characters: {texts[2][-10:]!r}")
    times = [int(row["ns"]) for row in got]
    lab.equal(times, sorted(times), "times")
    lab.check(times[-1] - times[0] <= took * 1e9, f"marks lie {times[-1] - times[0]} ns apart, made in {took} s")


@lab.test("outside/marks: thousands, of threads that run")
def many_marks(bench):
    program = Steered(bench, "loop", "2")
    wait_for(lambda: events(bench), "no data file")

    def several(who):
        for i in range(400):
            control(bench, program.pid, "mark", f"{who} {i} " + "x" * (i % 90))

    makers = [threading.Thread(target=several, args=(who,)) for who in "abc"]
    for maker in makers:
        maker.start()
    for maker in makers:
        maker.join()
    program.end()
    got = marks(bench)
    lab.equal(len(got), 1200, "marks")
    for who in "abc":
        lab.equal([row["text"].split()[1] for row in got if row["text"][0] == who], [str(i) for i in range(400)],
                  f"marks of {who}, in order of time")
    bench.sound()


@lab.test("outside/marks: a program that sleeps has room for some")
def marks_without_room(bench):
    program = Steered(bench, "asleep")
    made = 0
    while control(bench, program.pid, "mark", f"mark {made}", status=None).returncode == 0:
        made += 1
        lab.check(made < 1000, "no end of room")
    lab.check(made > 100, f"room for {made} marks only")
    lab.check("has no room for marks" in control(bench, program.pid, "mark", "more", status=1).stderr, "no clear error")
    program.end()
    lab.equal(len(marks(bench)), made, "marks")
    lab.check("2 more that there was no room for" in bench.cinstr("info", bench.path("cinstr.data")), "losses are not told")


@lab.test("outside/marks: in each process, by its own clock")
def marks_of_session(bench):
    first = Steered(bench, "forks")
    second = Steered(bench, "sleep", env={"CINSTR_SESSION": bench.path("cinstr.data"), "CINSTR_CLOCK": "monotonic"})
    wait_for(lambda: len(events(bench)) > 4, "children")
    before = time.monotonic()
    out = control(bench, "cinstr.data", "mark", "all of them").stdout
    lab.check(f"process {first.pid} (steered): marked: all of them\n" in out, out)
    time.sleep(0.3)
    control(bench, "cinstr.data", "mark", "again")
    took = time.monotonic() - before
    for program in (first, second):
        program.end()
    got = marks(bench)
    for program in (first, second):
        own = [int(row["ns"]) for row in got if row["pid"] == program.pid]
        lab.equal(len(own), 2, "marks in a process")
        lab.check(0.3e9 <= own[1] - own[0] <= took * 1e9, f"marks lie {own[1] - own[0]} ns apart, {took} s")
    bench.sound()


# ---- snapshots ----------------------------------------------------------------------------------


def snapshots(bench, n, *how, files=1):
    program = Steered(bench, *how)
    wait_for(lambda: len(events(bench)) >= files and sum(events(bench).values()) >= (how[0] != "asleep"), "nothing recorded")
    last = 0
    for i in range(n):
        done = control(bench, "cinstr.data", "snapshot", f"shot{i}")
        lab.equal(done.stderr, "", f"snapshot {i}: stderr")
        report = bench.run(lab.COMMAND, "report", "--format=json", bench.path(f"shot{i}"), status=0)
        lab.equal(report.stderr, "", f"report of snapshot {i}: stderr")
        totals = json.loads(report.stdout)["session"]
        for key in ("conservation_ticks_off", "unbalanced_events", "lost_events", "orphan_events"):
            lab.equal(totals[key], 0, f"{key} in snapshot {i}")
        lab.check(not totals["live"], "a snapshot is live")
        lab.check(totals["events"] >= last, f"snapshot {i} has fewer events than the one before")
        last = totals["events"]
        shutil.rmtree(bench.path(f"shot{i}"))
    program.end()
    balanced(bench)
    lab.check(bench.report()["session"]["events"] >= last, "the session has fewer events than its snapshot")


for number, case in ((30, ("loop", "2")), (15, ("loop", "50")), (20, ("churn",)), (15, ("paths", "12")),
                     (5, ("paths", "16")), (10, ("forks",)), (5, ("sleep",)), (3, ("asleep",))):
    lab.TESTS.append((f"outside/{number} snapshots: {' '.join(case)}",
                      lambda bench, case=case, number=number: snapshots(bench, number, *case)))


@lab.test("outside/a snapshot is a session")
def snapshot_is_session(bench):
    program = Steered(bench, "loop", "2", command=[lab.COMMAND, "record", "--timeline=1M", "-o", "s.data", "--"])
    wait_for(lambda: {"deep", "middle", "leaf"} <= set(bench.functions("s.data")), "not all functions are recorded")
    lab.equal(control(bench, "s.data", "snapshot").stdout,
              "s.data.snapshot: 1 process. Look at it with: cinstr summary s.data.snapshot\n", "output")
    (pid,) = look(bench, "s.data")
    control(bench, str(pid), "snapshot", "mine")
    lab.equal(set(bench.functions("mine")) >= {"deep", "middle", "leaf"}, True, "functions")
    info = bench.cinstr("info", bench.path("mine"))
    lab.check("not yet: this is a snapshot of it" in info, info[:500])
    lab.check(" open" in info, "no thread is in the middle of something")
    program.end()
    lab.check(lab.COMMAND and "still recording" not in bench.cinstr("report", bench.path("mine")), "the snapshot is live")


# ---- status, choose, errors ---------------------------------------------------------------------


@lab.test("outside/status")
def status(bench):
    program = Steered(bench, "loop", "3")
    moving(bench)
    wait_for(lambda: look(bench)[program.process.pid]["threads"] == 4, "the first event of each thread")
    row = look(bench)[program.process.pid]
    lab.equal((row["name"], row["state"], row["recording"]), ("steered", "running", True), "status")
    lab.check(row["bytes"] > 100000 and row["length_ns"] > 0 and row["probe_overhead_ns"] > 0, f"status: {row}")
    text = control(bench, "status").stdout
    lab.check("Session cinstr.data: on, 1 process, 1 running, 1 recording" in text, text)
    by_pid = control(bench, program.pid, "status").stdout
    lab.check(program.pid in by_pid and by_pid.rstrip().endswith("on"), by_pid)
    program.end()
    lab.check(control(bench, "status").stdout.rstrip().endswith("ended"), "status of what has ended")


@lab.test("outside/choose")
def choose(bench):
    program = Steered(bench, "loop", "1")
    moving(bench)
    wait_for(lambda: {"middle", "leaf"} <= set(bench.functions()), "not all functions are recorded")
    done = control(bench, program.pid, "choose", "only=le*", status=None)
    if "cannot choose while it runs" in done.stderr:
        program.end()
        raise lab.Skip("the recorder cannot choose while it runs")
    lab.equal(done.stdout, f"process {program.pid} (steered): chosen: only=le*\n", "choose")
    done = control(bench, "cinstr.data", "choose", "nonsense=1", status=1)
    lab.check("these rules are not understood: nonsense=1" in done.stderr, done.stderr)
    before = bench.functions()
    lab.let_run(program.pid, 0.2)
    wait_for(lambda: bench.functions()["leaf"]["calls"] > before["leaf"]["calls"], "leaf is not recorded")
    after = bench.functions()
    lab.equal(after["middle"]["calls"], before["middle"]["calls"], "calls of middle, not chosen any more")
    control(bench, program.pid, "choose", "probes=calls", "depth=60")
    chosen = bench.report()["session"]["chosen"]
    lab.check("only=le* probes=calls depth=60" in chosen, f"what was chosen before and still holds: {chosen}")
    control(bench, program.pid, "choose", "all")
    wait_for(lambda: bench.functions()["middle"]["calls"] > after["middle"]["calls"], "middle is not recorded again")
    program.end()
    balanced(bench)
    lab.check("chosen anew while recording" in bench.report()["session"]["chosen"], "the report does not tell")


@lab.test("outside/choose, of a program that sleeps")
def choose_asleep(bench):
    program = Steered(bench, "asleep")
    out = control(bench, program.pid, "choose", "only=nothing*").stdout
    lab.check("has not answered yet: it does when one of its threads next has an event" in out, out)
    out = control(bench, program.pid, "choose", "only=step").stdout  # takes the place of the first
    lab.check("has not answered yet" in out, out)
    program.end()
    balanced(bench)


def fails(bench, pattern, *args, **more):
    done = bench.run(lab.COMMAND, "control", *args, status=1, **more)
    lab.check(pattern in done.stderr and done.stdout == "", f"{args}: {done.stderr!r} is not about {pattern!r}")


@lab.test("outside/errors")
def errors(bench):
    program = Steered(bench, "sleep", env={"CINSTR_MODE": "0644"})
    wait_for(lambda: events(bench), "no data file")
    plain = bench.start("sleep", "100")
    fails(bench, f"process {plain.pid} is not recording", str(plain.pid), "off")
    if os.geteuid() == 0:
        nobody = {"user": pwd.getpwnam("nobody").pw_uid, "group": pwd.getpwnam("nobody").pw_gid}
        os.chmod(bench.folder, 0o755)
        fails(bench, "ask as the user that it runs as", program.pid, "off", **nobody)
        for verb in (["off"], ["on"]):
            fails(bench, "Permission denied; only the user that recorded it", "cinstr.data", *verb, **nobody)
        fails(bench, "no permission to write into its data", "cinstr.data", "mark", "x", **nobody)
        lab.check("running" in bench.run(lab.COMMAND, "control", "cinstr.data", "status", "--format=json", status=0,
                                         **nobody).stdout, "status for everybody")
        still_on = look(bench)[program.process.pid]
        lab.check(still_on["recording"], "another user has switched it off")
    (name,) = [n for n in os.listdir(bench.path("cinstr.data")) if n.endswith(".cinstr")]
    os.rename(bench.path("cinstr.data", name), bench.path("kept"))
    fails(bench, "not recording", program.pid, "off")  # it is called otherwise now
    os.rename(bench.path("kept"), bench.path("cinstr.data", name))
    control(bench, program.pid, "off")
    program.end()
    fails(bench, f"process {program.pid} has ended (its data are in cinstr.data)", program.pid, "off")
    fails(bench, "has ended", "cinstr.data/" + name, "off")
    fails(bench, "no process is recording into it", "cinstr.data", "mark", "x")
    gone = Steered(bench, "sleep")
    shutil.rmtree(bench.path("cinstr.data"))
    fails(bench, "its data file has been deleted", gone.pid, "off")
    gone.end()


@lab.test("outside/an ended session, while another one is recorded")
def elsewhere(bench):
    """It is not switched on: whoever asks is told which process records, and where."""
    program = Steered(bench, "sleep", data="other.data", env={"CINSTR_DATA": "other.data"})
    wait_for(lambda: events(bench, "other.data"), "no data file")
    ended = bench.compile("programs/rare.c", "ended", "-O2")
    bench.run(ended, status=0)
    said = control(bench, "on", status=1).stderr
    lab.check("cinstr.data: the session has ended; no process is recording into it\n" in said, said)
    lab.check(f"process {program.pid} (steered) into {bench.path('other.data')}" in said or ", ..." in said, said)
    lab.equal(control(bench, "off", "other.data").stdout,
              "session other.data is off, for 1 running process and those that come\n", "the verb first")
    for words in (("status", "other.data"), ("other.data", "status"), ("status", program.pid)):
        lab.check("stopped, 1 process, 1 running, 0 recording" in control(bench, *words).stdout, str(words))
    lab.check("cinstr.data: ended, 1 process, 0 running" in control(bench, "status").stdout, "status of an ended session")
    program.end()


@lab.test("outside/a process that has become another program")
def after_exec(bench):
    """Two files of one process number: the newer one is the one that is recorded into; a plain
    program records nothing."""
    bench.compile("programs/steered.c", "steered", *FLAGS)
    bench.compile("programs/execs.c", "execs", "-O2")
    process = bench.start(bench.path("execs"), bench.path("steered"), "sleep", stdin=subprocess.PIPE)
    lab.equal(process.stdout.readline(), "ready\n", "first line of output")
    wait_for(lambda: len(os.listdir(bench.path("cinstr.data"))) == 3, "two data files")
    text = control(bench, "cinstr.data", "status", "--format=json").stdout
    states = sorted((row["pid"], row["state"], row["name"]) for row in json.loads(text)["processes"])
    lab.equal(states, [(process.pid, "ended", "execs"), (process.pid, "running", "steered")], "states")
    control(bench, str(process.pid), "off")
    lab.check("(steered) is on" in control(bench, str(process.pid), "on").stdout, "which program is on")
    process.stdin.close()
    process.stdin = None
    process.communicate(timeout=lab.TIMEOUT)
    plain = bench.start(bench.path("execs"), shutil.which("sleep"), "100")
    wait_for(lambda: os.readlink(f"/proc/{plain.pid}/exe").endswith(os.path.realpath(shutil.which("sleep"))), "exec")
    fails(bench, f"process {plain.pid} is not recording", str(plain.pid), "off")


@lab.test("outside/a process that is making its data file")
def being_made(bench):
    """Asked for at the wrong moment it is waited for, not taken for deleted: its magic is what is
    written last."""
    program = Steered(bench, "sleep")
    wait_for(lambda: events(bench), "no data file")
    (path,) = lab.data_files(bench.path("cinstr.data"))
    with open(path, "r+b", buffering=0) as file:
        magic = file.read(8)
        os.pwrite(file.fileno(), bytes(8), 0)
        steering = bench.start(lab.COMMAND, "control", program.pid, "off")
        time.sleep(0.3)
        os.pwrite(file.fileno(), magic, 0)
    output, said = steering.communicate(timeout=lab.TIMEOUT)
    lab.equal((output, said), (f"process {program.pid} (steered) is off\n", ""), "off")
    program.end()


def unshared(bench, *flags):
    tool = lab.need("unshare")
    if subprocess.run([tool, *flags, "true"], capture_output=True).returncode:
        raise lab.Skip(f"unshare {' '.join(flags)} is not allowed here")
    return [tool, *flags]


@lab.test("outside/in another namespace of process numbers and mounts")
def namespaces(bench):
    command = unshared(bench, "--pid", "--fork", "--mount-proc", "--mount", "--kill-child")
    os.mkdir(bench.path("inside"))
    program = bench.compile("programs/steered.c", "steered", *FLAGS)
    script = f"mount -t tmpfs none {bench.path('inside')} && cp {program} inside/ && cd inside && exec ./steered sleep"
    process = bench.start(*command, "sh", "-c", script, stdin=subprocess.PIPE)
    lab.equal(process.stdout.readline(), "ready\n", process.stderr.read if process.poll() else "first line of output")
    (pid,) = [p for p in os.listdir("/proc") if p.isdigit() and exe_of(p).endswith("/inside/steered")]
    lab.check("is off" in control(bench, pid, "off").stdout, "off")
    lab.check("off: process stopped" in control(bench, pid, "status").stdout, "status")
    lab.check("is on" in control(bench, pid, "on").stdout, "on")
    # threads have the numbers that they see
    out = control(bench, pid, "suspend", "--thread=steered").stdout
    lab.check("(steered) is on, but suspended 1 time\n" in out, out)
    (thread,) = json.loads(control(bench, pid, "status", "--format=json").stdout)["processes"][0]["live_threads"]
    lab.equal((thread["name"], thread["suspensions"]), ("steered", 1), "the thread")
    control(bench, pid, "resume", f"--thread={thread['tid']}")
    fails(bench, f"there is no thread {pid} in process {pid}", pid, "resume", f"--thread={pid}")
    control(bench, pid, "mark", "hello")
    control(bench, pid, "snapshot", "shot")
    lab.equal([row["text"] for row in marks(bench, "shot")], ["hello"], "marks in the snapshot")
    process.stdin.close()
    process.stdin = None
    process.communicate(timeout=lab.TIMEOUT)


def exe_of(pid):
    try:
        return os.readlink(f"/proc/{pid}/exe")
    except OSError:
        return ""
