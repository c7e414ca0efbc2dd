# SPDX-License-Identifier: GPL-3.0-or-later
"""cinstr control --thread: single threads of a running process, switched from outside. Counts are
exact: a thread waits in read() when it is switched, and the return from there is looked at
closely, because it took long."""
import json
import os
import pwd
import re
import subprocess

import lab
from outside import control, fails, look


class Workers:
    """programs/two_threads.c."""

    def __init__(self, bench, env=None, data="cinstr.data"):
        self.bench, self.data = bench, data
        self.process = bench.start(bench.compile("programs/two_threads.c", "workers", "-O2", "-pthread"), env=env,
                                   stdin=subprocess.PIPE)
        self.pid = str(self.process.pid)
        self.a, self.b, self.quiet = self.process.stdout.readline().split()

    def work(self, who, n):
        self.process.stdin.write(f"{who} {n}\n")
        self.process.stdin.flush()
        lab.equal(self.process.stdout.readline(), "done\n", f"answer to {who} {n}")

    def name(self, who):
        tid = {"a": self.a, "b": self.b}[who]
        return f"thread {tid} (worker-{who}) of process {self.pid} (workers)"

    def control(self, *args, status=0):
        return control(self.bench, self.pid, *args, status=status)

    def state(self):
        return look(self.bench, self.data)[self.process.pid]

    def end(self, a, b):
        """Calls that must have been recorded."""
        self.process.stdin.close()
        self.process.stdin = None
        _, errors = self.process.communicate(timeout=lab.TIMEOUT)
        lab.equal((self.process.returncode, errors), (0, ""), "exit status and errors")
        totals = self.bench.sound(self.data)
        lab.equal(totals["unbalanced_events"], 0, "unbalanced_events")
        rows = self.bench.functions(self.data)
        got = tuple(rows[name]["calls"] if name in rows else 0 for name in ("step_a", "step_b"))
        lab.equal(got, (a, b), "recorded calls of step_a, step_b")
        return totals


def state_marks(bench, data="cinstr.data"):
    lines = bench.cinstr("info", "--marks", bench.path(data)).splitlines()
    rows = [line.split("\t") for line in lines]
    return [(row[2], row[3]) for row in rows if row[6] == "state"]


@lab.test("outside/one thread off while the other goes on")
def off_and_on(bench):
    workers = Workers(bench)
    workers.work("a", 7)
    workers.work("b", 11)
    lab.equal(workers.control("off", f"--thread={workers.a}").stdout, f"{workers.name('a')} is off\n", "off")
    workers.work("a", 1000)
    workers.work("b", 100)
    row = workers.state()
    lab.equal((row["recording"], row["stopped"], row["threads_off"]), (True, False, 1), "status while a thread is off")
    lab.equal(workers.control("on", f"--thread={workers.a}").stdout, f"{workers.name('a')} is on\n", "on")
    workers.work("a", 20)
    workers.work("b", 300)
    workers.end(27, 411)
    lab.equal(state_marks(bench), [(workers.a, f"thread {workers.a} (worker-a) stopped from outside"),
                                   (workers.a, f"thread {workers.a} (worker-a) started from outside")], "marks")


@lab.test("outside/threads by name, of a session and of a timeline")
def by_name(bench):
    workers = Workers(bench, env={"CINSTR_TIMELINE": "unlimited"})
    workers.work("a", 1)
    workers.work("b", 1)
    out = control(bench, "cinstr.data", "off", "--thread=worker-*,!worker-b").stdout
    lab.equal(out, f"{workers.name('a')} is off\n", "off")
    workers.work("a", 10)
    workers.work("b", 10)
    out = control(bench, "on", "-t", "worker-*").stdout
    lab.equal(out, f"{workers.name('a')} is on\n{workers.name('b')} is on\n", "on")
    workers.work("a", 100)
    control(bench, "off", f"--thread={workers.a},{workers.b}")
    workers.work("a", 1000)
    workers.work("b", 1000)
    workers.end(101, 11)
    out = bench.cinstr("refold", bench.path("cinstr.data"))
    lab.check("the same tree" in out and "not compared" not in out, out)


@lab.test("outside/suspensions of a thread count")
def suspensions(bench):
    workers = Workers(bench)
    one = f"--thread={workers.b}"
    workers.work("b", 1)
    lab.equal(workers.control("suspend", one).stdout, f"{workers.name('b')} is on, but suspended 1 time\n", "first")
    lab.equal(workers.control("suspend", one).stdout, f"{workers.name('b')} is on, but suspended 2 times\n", "second")
    workers.work("b", 10)
    lab.equal(workers.control("resume", one).stdout, f"{workers.name('b')} is on, but suspended 1 time\n", "resume")
    workers.work("b", 10)
    lab.equal(workers.control("off", one).stdout, f"{workers.name('b')} is off, and suspended 1 time\n", "off")
    lab.equal(workers.control("resume", one).stdout, f"{workers.name('b')} is off\n", "resume of what is off")
    workers.work("b", 10)
    workers.work("a", 5)
    workers.control("on", one)
    workers.work("b", 100)
    done = workers.control("resume", one, status=1)
    lab.equal(done.stderr, f"cinstr: error: thread {workers.b} (worker-b) is not suspended\n", "a resume too many")
    workers.work("b", 1000)
    workers.end(5, 1101)
    texts = [text.split(") ")[1] for _, text in state_marks(bench)]
    lab.equal(texts, ["suspended from outside", "stopped from outside", "resumed from outside", "started from outside"],
              "marks")


@lab.test("outside/suspensions of a process and a session count")
def upper_levels(bench):
    workers = Workers(bench)
    workers.work("a", 1)
    process = f"process {workers.pid} (workers)"
    lab.equal(workers.control("suspend").stdout, f"{process} is on, but suspended 1 time\n", "suspend")
    lab.equal(workers.control("suspend").stdout, f"{process} is on, but suspended 2 times\n", "suspend")
    out = workers.control("off", f"--thread={workers.a}").stdout
    lab.equal(out, f"{workers.name('a')} is off\n", "a thread of a suspended process goes off")
    out = workers.control("on", f"--thread={workers.a}").stdout
    lab.equal(out, f"{workers.name('a')} is on, but the process is suspended 2 times\n", "and on")
    workers.work("a", 10)
    workers.control("resume")
    lab.equal(workers.control("resume").stdout, f"{process} is on\n", "resume")
    workers.work("a", 100)
    out = control(bench, "suspend").stdout
    lab.equal(out, "session cinstr.data is on, but suspended 1 time, for 1 running process and those that come\n", "session")
    lab.equal(workers.state()["off_because"], "session suspended 1 time", "why it is off")
    workers.work("a", 1000)
    control(bench, "resume")
    lab.equal(control(bench, "resume", status=1).stderr, "cinstr: error: session cinstr.data is not suspended\n", "too many")
    lab.equal(workers.control("resume", status=1).stderr, f"cinstr: error: {process} is not suspended\n", "too many")
    workers.work("a", 10000)
    workers.end(10101, 0)


@lab.test("outside/status tells of suspensions, at each level")
def status(bench):
    workers = Workers(bench)
    workers.work("a", 1)
    lab.equal([line for line in workers.control("status").stdout.splitlines() if "thread " in line], [], "lines of threads")
    workers.control("suspend", "-t", workers.a)
    workers.control("suspend", "-t", workers.a)
    text = workers.control("status").stdout
    lab.check(text.splitlines()[-2].endswith("  on, but 1 of 3 threads is off"), text)
    lab.equal(text.splitlines()[-1], f"          thread {workers.a} (worker-a) is on, but suspended 2 times", "the thread")
    workers.control("off", "-t", workers.b)
    workers.control("suspend")
    for _ in range(2):
        control(bench, "suspend")
    text = workers.control("status").stdout
    lab.check("cinstr.data: suspended 2 times, 1 process" in text, text)
    lab.check(text.splitlines()[-3].endswith("  off: session suspended 2 times, process suspended 1 time"), text)
    lab.equal(text.splitlines()[-1], f"          thread {workers.b} (worker-b) is off", "the other thread")
    whole = json.loads(control(bench, "status", "--format=json").stdout)
    lab.equal(whole["session"]["suspensions"], 2, "suspensions of the session")
    (row,) = whole["processes"]
    lab.equal((row["suspensions"], row["recording"], row["threads_off"]), (1, False, 2), "of the process")
    threads = {thread["tid"]: thread for thread in row["live_threads"]}
    lab.equal(threads[int(workers.a)], {"tid": int(workers.a), "name": "worker-a", "stopped": False, "suspensions": 2},
              "the first thread")
    lab.equal([(t["stopped"], t["suspensions"]) for t in threads.values()], [(False, 0), (False, 2), (True, 0)], "threads")
    workers.end(1, 0)


@lab.test("outside/a resume too many by the program is told")
def below_zero(bench):
    bench.write("resumes.c", """
        #include <stdio.h>
        #include "cinstr.h"
        int main(void)
        {
            cinstr_resume(CINSTR_PROCESS, CINSTR_SELF);
            cinstr_resume(CINSTR_PROCESS, CINSTR_SELF);
            cinstr_resume(CINSTR_THREAD, CINSTR_SELF);
            puts("ready");
            fflush(stdout);
            getchar();
            return 0;
        }""")
    program = bench.compile(bench.path("resumes.c"), "resumes", "-I", os.path.join(lab.E2E, "../../include"))
    process = bench.start(program, stdin=subprocess.PIPE)
    lab.equal(process.stdout.readline(), "ready\n", "first line")
    text = control(bench, "status").stdout
    lab.check(text.splitlines()[-2].endswith("  on, resumed 2 times too often"), text)
    lab.check(re.search(r" is on, resumed 1 time too often$", text.splitlines()[-1]), text)
    lab.equal(look(bench)[process.pid]["suspensions"], -2, "suspensions")
    out = control(bench, str(process.pid), "suspend").stdout
    lab.equal(out, f"process {process.pid} (resumes) is on, resumed 1 time too often\n", "a suspend without force")
    process.communicate("x", timeout=lab.TIMEOUT)


@lab.test("outside/errors of --thread change nothing")
def errors(bench):
    workers = Workers(bench, env={"CINSTR_MODE": "0644"})
    workers.work("a", 1)
    workers.work("b", 1)
    process = f"process {workers.pid} (workers)"
    for threads, pattern in ((f"{workers.a},1", f"there is no thread 1 in {process}"),
                             (f"{workers.a},{workers.quiet}",
                              f"thread {workers.quiet} has recorded nothing yet: it can be switched when it has"),
                             (f"{workers.a},wroker-b", "--thread: nothing here matches 'wroker-b'; did you mean 'worker-b'?"),
                             ("!*", "--thread: every thread is left out")):
        done = workers.control("off", f"--thread={threads}", status=1)
        lab.equal((done.stdout, done.stderr), ("", f"cinstr: error: {pattern}\n"), threads)
    fails(bench, "there is no thread 1 in cinstr.data", "off", "--thread=1")
    if os.geteuid() == 0:
        nobody = {"user": pwd.getpwnam("nobody").pw_uid, "group": pwd.getpwnam("nobody").pw_gid}
        os.chmod(bench.folder, 0o755)
        fails(bench, "Permission denied; only the user that recorded it", "cinstr.data", "off", "-t", "worker-a", **nobody)
    workers.work("b", 0)
    lab.wait_for(lambda: not os.path.exists(f"/proc/{workers.pid}/task/{workers.b}"), "the end of a thread")
    fails(bench, f"thread {workers.b} has ended", workers.pid, "off", f"--thread={workers.a},{workers.b}")
    workers.work("a", 10)
    workers.end(11, 1)
    fails(bench, f"process {workers.pid} has ended", workers.pid, "off", f"--thread={workers.a}")
    fails(bench, "cinstr.data: the session has ended; no process is recording into it", "off",
          f"--thread={workers.a}")
