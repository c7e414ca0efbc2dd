# SPDX-License-Identifier: GPL-3.0-or-later
"""How samples are collected: processes, threads, programs; attaching; switching off and on; what is
refused; what a program notices."""
import os
import re
import signal
import subprocess
import time

import lab
from sampled import Skip, check, check_share, compile, equal, exclusive, record, rows, stays, test

PERF = "--sample-source=perf"
NOBODY = 65534


def processes(bench, session="cinstr.data"):
    return bench.json("info", bench.path(session))["processes"]


def names(bench, session="cinstr.data"):
    return sorted(re.sub(r"\..*", "", name) for name in os.listdir(bench.path(session)) if name.endswith(".cinstr"))


def attach(bench, pid, *options, session="cinstr.data", **more):
    return bench.start(lab.COMMAND, "record", "-o", bench.path(session), f"--pid={pid}", *options, **more)


def wait_for(what, condition):
    lab.wait_for(condition, what)


def has_file(bench, session="cinstr.data"):
    return lambda: lab.data_files(bench.path(session))


def spinning(bench, *arguments):
    """family, on its own: it runs for as long as it takes."""
    return bench.start(compile(bench, "family.c", "-pthread"), *arguments)


def as_nobody(bench):
    """How to run a command as somebody without rights, in a folder of his."""
    if os.getuid():
        return []
    os.chmod(bench.folder, 0o777)
    return ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--bounding-set=-all",
            "--inh-caps=-all"]


@test("collect/threads, children and other programs are followed")
def _(bench):
    family = compile(bench, "family.c", "-pthread")
    done = record(bench, family, "3", "2", "60", family, "0", "0", "60", options=[PERF])
    equal(names(bench), ["family"] * 4, "data files: the program, two children, the program again")
    by_pid = {}
    for process in processes(bench):
        by_pid.setdefault(process["pid"], []).append(process)
    equal(sorted(len(programs) for programs in by_pid.values()), [1, 1, 2], "programs by process")
    # The first program's main thread may be too short for a sample.
    check(re.search(r"recorded [\d,]+ samples in [67] threads of 4 processes into ", done.stderr), done.stderr)
    functions, total = exclusive(bench)
    check(total >= 6 * 30, f"{total} samples")
    check(functions.get("spin", 0) > 0.7 * total, f"{functions}")


@test("collect/programs of a shell, each with its name")
def _(bench):
    family = compile(bench, "family.c", "-pthread")
    record(bench, "sh", "-c", f"{family} 0 0 50; {family} 0 0 50; exit 5", options=[PERF], status=5)
    check(names(bench).count("family") == 2, f"{names(bench)}")


@test("collect/short-lived processes: none is missed or mixed up")
def _(bench):
    done = record(bench, "sh", "-c", "echo $$; i=0; while [ $i -lt 200 ]; do /bin/true; i=$((i+1)); done",
                  options=[PERF, "--sample=100us"])
    check("lost" not in done.stderr, done.stderr)
    found, shell = processes(bench), int(done.stdout)
    silent = sum(process["sampling"]["silent_processes"] for process in found)
    pids = {process["pid"] for process in found} | {shell}
    check(len(pids) <= 201 <= len(pids) + silent, f"{len(pids)} processes, {silent} without a sample, of 201")
    ran = [process for process in found if process["pid"] != shell and process["ended"] != "exec"]
    equal(len(ran), len({process["pid"] for process in ran}), "programs that did not become another one: one of each process")
    equal({(process["exe"], process["parent_pid"]) for process in ran}, {(os.path.realpath("/bin/true"), shell)}, "programs")


@test("collect/the exit status is the program's, and its signals")
def _(bench):
    record(bench, "sh", "-c", "exit 42", options=[PERF], status=42)
    record(bench, "sh", "-c", "kill -TERM $$", options=[PERF], status=-signal.SIGTERM)
    recorder = bench.start(lab.COMMAND, "record", "--sample", PERF, "-o", bench.path("t.data"), "--", "sh", "-c",
                           "trap 'exit 9' TERM; echo ready; while :; do :; done")
    recorder.stdout.readline()
    recorder.terminate()
    equal(recorder.wait(lab.TIMEOUT), 9, "exit status after SIGTERM was passed on")


@test("collect/what cannot be run costs no session")
def _(bench):
    done = bench.run(lab.COMMAND, "record", "--sample", "-o", bench.path("x.data"), "--", "./nothing", status=127)
    check("cannot run './nothing'" in done.stderr, done.stderr)
    check(not os.path.exists(bench.path("x.data")), "there is a session")


@test("collect/the program notices nothing")
def _(bench):
    program = compile(bench, "inherited.c")
    plain = bench.run(program, status=0).stdout
    equal(record(bench, program, options=[PERF]).stdout, plain, "what it inherits")


@test("collect/stacks by frame pointers")
def _(bench):
    program = compile(bench, "shares.c", "-pthread", "-fno-omit-frame-pointer")
    record(bench, program, "1", "400", options=[PERF, "--stacks=frame-pointers"])
    paths = [row for row in rows(bench) if row["name"] == "main"]
    check(paths and paths[0]["inclusive_percent"] > 90, f"{paths}")


@test("collect/no stacks: the place alone")
def _(bench):
    program = compile(bench, "shares.c", "-pthread")
    record(bench, program, "1", "400", options=[PERF, "--stacks=none", "--user-only"])
    for row in rows(bench):
        equal(row["inclusive_samples"], row["exclusive_samples"], row["name"])


@test("collect/attached: to threads that are there, and let go")
def _(bench):
    target = spinning(bench, "3", "0", "60000")
    wait_for("threads", lambda: len(os.listdir(f"/proc/{target.pid}/task")) == 4)
    recorder = attach(bench, target.pid)
    wait_for("samples", has_file(bench))
    wait_for("samples of each thread", lambda: sum(row["inclusive_samples"] > 20 for row in rows(bench, "thread")) == 3)
    recorder.send_signal(signal.SIGINT)
    _, said = recorder.communicate(timeout=lab.TIMEOUT)
    equal(recorder.returncode, 0, said)
    check("in 3 threads of 1 process" in said, said)
    check(target.poll() is None, "the target has ended")
    functions, total = exclusive(bench)
    check(functions.get("spin", 0) > 0.7 * total, f"{functions}")


@test("collect/attached: to its end, with what it forks")
def _(bench):
    target = spinning(bench, "0", "2", "1000")
    recorder = attach(bench, target.pid)
    _, said = recorder.communicate(timeout=lab.TIMEOUT)
    equal(recorder.returncode, 0, said)
    equal(target.wait(lab.TIMEOUT), 0, "exit status of the target")


@test("collect/attached: for a time")
def _(bench):
    target = spinning(bench, "1", "0", "60000")
    wait_for("threads", lambda: len(os.listdir(f"/proc/{target.pid}/task")) == 2)
    begin = time.monotonic()
    recorder = attach(bench, target.pid, "--for=500ms")
    _, said = recorder.communicate(timeout=lab.TIMEOUT)
    check(0.4 < time.monotonic() - begin, "it ended early")
    check("recorded" in said, said)
    check(target.poll() is None, "the target has ended")


def has_perf_events(pid, n):
    """Whether the process has so many open; no while it closes other files."""
    folder = f"/proc/{pid}/fd"
    try:
        names = os.listdir(folder)
        return len(names) >= n and sum(os.readlink(os.path.join(folder, name)) == "anon_inode:[perf_event]" for name in names) >= n
    except FileNotFoundError:
        return False


@test("collect/1,000 threads, attached to")
def _(bench):
    """They run when all have been attached to: each takes eight intervals, so one without a sample
    has lost some. Threads that are started are in faults.py."""
    target = bench.start(compile(bench, "family.c", "-pthread"), "+1000", "0", "4", stdin=subprocess.PIPE)
    wait_for("threads", lambda: len(os.listdir(f"/proc/{target.pid}/task")) == 1001)
    recorder = attach(bench, target.pid, PERF, "--sample=500us")
    # of each thread on each processor: one that samples, one that counts
    wait_for("events of all threads", lambda: has_perf_events(recorder.pid, 2 * 1001 * os.cpu_count()))
    target.stdin.close()
    _, said = recorder.communicate(timeout=lab.TIMEOUT)
    equal((recorder.returncode, target.wait(lab.TIMEOUT)), (0, 0), said)
    threads, lost = (int((re.search(words, said) or [0, "0"])[1].replace(",", "")) for words in (r"in ([\d,]+) threads", r"([\d,]+) lost"))
    check(1000 - lost // 4 <= threads <= 1001, said)


@test("collect/begins paused, is switched on and off from outside")
def _(bench):
    recorder = bench.start(lab.COMMAND, "record", "--sample", PERF, "--paused", "-o", bench.path("cinstr.data"), "--",
                           compile(bench, "family.c", "-pthread"), "0", "0", "60000")
    wait_for("a file", has_file(bench))
    kept = lambda: processes(bench)[0]["sampling"]["kept"]  # noqa: E731
    time.sleep(0.3)
    equal(kept(), 0, "samples while it was paused")
    bench.cinstr("control", bench.path("cinstr.data"), "on")
    wait_for("samples", lambda: kept() > 50)
    bench.cinstr("control", bench.path("cinstr.data"), "off")
    stays(kept)
    recorder.terminate()
    recorder.wait(lab.TIMEOUT)


@test("collect/a program steers itself, and sets marks")
def _(bench):
    program = bench.compile(os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs", "steered.c"), "steered",
                            lab.INCLUDE)
    record(bench, program, options=[PERF], status=7)
    functions, total = exclusive(bench)
    check("while_on" in functions and total > 100, f"{functions}")
    check(functions.get("while_off", 0) <= 1, f"{functions}")
    texts = [mark["text"] for mark in bench.json("info", "--marks", bench.path("cinstr.data"))["marks"]]
    check("begins" in texts and "ends" in texts, f"{texts}")


@test("collect/a program starts what began paused")
def _(bench):
    program = bench.compile(os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs", "steered.c"), "steered",
                            lab.INCLUDE)
    record(bench, program, "itself", options=[PERF, "--paused"], status=7)
    functions, total = exclusive(bench)
    check("while_on" in functions and total > 100, f"{functions}")
    check(functions.get("while_off", 0) <= 1, f"{functions}")


@test("collect/page faults are where memory is touched")
def _(bench):
    source = bench.write("touch.c", """
#include <stdlib.h>
__attribute__((noinline)) void touch(volatile char *at, int pages) { for (int i = 0; i < pages; i++) at[4096l * i] = 1; }
int main(void) { touch(malloc(64 << 20), 4000); return 0; }
""")
    program = bench.compile(source, "touch", "-O1", plugin=None)
    record(bench, program, options=["--event=page-faults", "--sample=10"])
    functions, total = exclusive(bench)
    check(functions.get("touch", 0) >= 0.8 * total and total > 50, f"{functions}")


@test("collect/names of events and intervals that are not understood")
def _(bench):
    for options, said in ((["--event=page-fault"], "did you mean page-faults?"), (["--sample=1us"], "at least 10us"),
                          (["--sample=often"], "takes a time"), (["--event=page-faults", "--sample=1ms"], "is a number"),
                          (["--sample", "--probes=lines"], "--probes is about probes"),
                          (["--sample", "--stack-bytes=1"], "--stack-bytes"), (["--pid=0"], "--pid takes"),
                          (["--sample", "--for=5"], "--for takes")):
        done = bench.run(lab.COMMAND, "record", *options, "-o", bench.path("x.data"), "--", "true", status=2)
        check(said in done.stderr, f"{options}: {done.stderr}")
        check(not os.path.exists(bench.path("x.data")), f"{options}: there is a session")


@test("collect/events are listed, with those that work")
def _(bench):
    said = bench.run(lab.COMMAND, "record", "--list-events", status=0).stdout
    check(re.search(r"^cpu-clock +1\.00 ms +(yes|no)", said, re.M), said)
    check(re.search(r"^L1-dcache-load-misses ", said, re.M), said)


@test("collect/without rights: the program's own code, and it is said")
def _(bench):
    nobody = as_nobody(bench)
    with open("/proc/sys/kernel/perf_event_paranoid") as file:
        level = int(file.read())
    if level < 2 and nobody:
        raise Skip("everybody may see the kernel here")
    if level > 2:
        raise Skip("nobody may sample here")
    program = compile(bench, "shares.c", "-pthread")
    done = bench.run(*nobody, lab.COMMAND, "record", "--sample", PERF, "-o", bench.path("cinstr.data"), "--", program, "1",
                     "400", status=0)
    check("the kernel is not seen" in done.stderr, done.stderr)
    functions, total = exclusive(bench)
    check("[kernel]" not in functions and total > 50, f"{functions}")
    done = bench.run(*nobody, lab.COMMAND, "record", "--event=context-switches", "-o", bench.path("c.data"), "--",
                     program, "1", "10", status=2)
    check("happens in the kernel" in done.stderr, done.stderr)
    if nobody:
        done = bench.run(*nobody, lab.COMMAND, "record", "-o", bench.path("p.data"), f"--pid={os.getpid()}", status=2)
        check("not permitted" in done.stderr, done.stderr)


@test("collect/no such process; too many threads for the files that may be open")
def _(bench):
    done = bench.run(lab.COMMAND, "record", "-o", bench.path("x.data"), "--pid=4194303", status=2)
    check("there is no such process" in done.stderr, done.stderr)
    target = spinning(bench, "200", "0", "60000")
    wait_for("threads", lambda: len(os.listdir(f"/proc/{target.pid}/task")) > 190)
    done = bench.run("sh", "-c", f"ulimit -n 64; exec {lab.COMMAND} record -o x.data --pid={target.pid}", status=1)
    check("too many threads" in done.stderr, done.stderr)
    check(target.poll() is None, "the target has ended")


@test("collect/a program that outlives its descendants' recording is not held up")
def _(bench):
    begin = time.monotonic()
    record(bench, "sh", "-c", "sleep 100 > /dev/null 2>&1 & exit 0", options=[PERF])
    check(time.monotonic() - begin < 90, "it waited for the descendant")


@test("collect/counts: what was not seen is known")
def _(bench):
    program = compile(bench, "shares.c", "-pthread")
    record(bench, program, "1", "600", options=[PERF])
    process, = processes(bench)
    samples, counted = process["sampling"]["kept"], process["sampling"]["counted_units"]
    check(0.5 < samples / (counted / 1e6) < 1.1, f"{samples} samples of {counted} ns")


@test("collect/a file without unwind information is named")
def _(bench):
    """A library as musl's, in which nearly all of the time goes."""
    code = bench.write("blind.c", "unsigned blind(unsigned n) { unsigned s = 1; for (; n; n--) s = s * 31 + n; return s; }")
    blind = ["-fno-asynchronous-unwind-tables", "-fno-unwind-tables", "-fomit-frame-pointer", "-O2", "-g0"]
    for name, flags in ("blind", blind), ("seen", ["-O2"]):
        library = bench.path(f"lib{name}.so")
        bench.compile(code, library, "-shared", "-fPIC", *flags, plugin=None)
        program = bench.write(f"{name}_main.c", "unsigned blind(unsigned); int main(void) { return blind(600000000) == 7; }")
        plain = bench.compile([program, library], name, "-O2", plugin=None)
        said = bench.run(lab.COMMAND, "record", "--sample", PERF, "--stacks=dwarf", "-o", bench.path(name), "--", plain, status=0).stderr
        equal(f"with a truncated stack (no unwind information in {library})" in said, name == "blind", said)
