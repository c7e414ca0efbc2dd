# SPDX-License-Identifier: GPL-3.0-or-later
"""Tasks that a program makes by clone() in its own memory: none is recorded, all run as without
probes, and the threads beside them are recorded exactly."""
import host
from host import check, equal, test

WAYS = (
    {},
    {"CINSTR_METHOD": "mixed"},
    {"CINSTR_MAX_OVERHEAD": "1"},
    {"CINSTR_CLOCK": "monotonic"},
    {"CINSTR_RESTARTABLE": "off"},
    {"CINSTR_TIMELINE": "unlimited"},
    {"CINSTR_PROBES": "functions"},
)


def build(bench):
    host.build(bench, "tasks.c", "-pthread", "-fno-stack-protector")


def each_way(bench, what, *, rounds="5000", runs=2):
    for env in WAYS:
        host.same(bench, what, rounds, runs=runs, env=env)


def counted(bench, what, expected, *ways):
    """The thread's own calls, and no others."""
    for env in ways or ({}, {"CINSTR_PROBES": "functions"}, {"CINSTR_RESTARTABLE": "off"}):
        host.same(bench, what, env=env)
        equal(host.calls(bench, "once"), expected, f"calls of once with {env or 'nothing set'}")


@test("tasks/beside")
def beside(bench):
    """The task and the thread run at the same time, with one thread pointer."""
    build(bench)
    for what in "beside-thread", "beside-process", "two", "clone3":
        each_way(bench, what)


@test("tasks/paused")
def paused(bench):
    """It is said that the thread was not recorded meanwhile."""
    build(bench)
    host.same(bench, "beside-process")
    marks = [mark["text"] for mark in bench.json("info", "--marks", bench.path("cinstr.data"))["marks"]]
    check("thread paused: a task made by clone() uses its thread pointer" in marks, f"marks: {marks}")


@test("tasks/waited")
def waited(bench):
    """Behind the task's end the thread is recorded again, from its next event on."""
    build(bench)
    for what in "waited-process", "waited-thread", "tailed", "clone3-waited":
        counted(bench, what, 40000)


@test("tasks/many")
def many(bench):
    """Where functions are counted, too, the thread goes on when the task is gone. Without the event
    behind clone() one run of six stayed paused for good."""
    build(bench)
    counted(bench, "many", 20000, {}, *12 * [{"CINSTR_MAX_OVERHEAD": "0"}])


@test("tasks/failing")
def failing(bench):
    """The call makes no task."""
    build(bench)
    counted(bench, "failing", 2000, {})


@test("tasks/ends")
def ends(bench):
    """The task becomes another program, forks, or ends the process that it is."""
    build(bench)
    for what in "executes", "forks", "exits", "outlives":
        host.same(bench, what, runs=3)


@test("tasks/exec")
def executes(bench):
    """The task runs on as another program: it uses the thread's memory no more."""
    build(bench)
    counted(bench, "outlived", 40000, {})


@test("tasks/handler")
def handler(bench):
    build(bench)
    host.same(bench, "disturbed", runs=3)


@test("tasks/threads")
def threads(bench):
    """A thread that the library made makes tasks; others beside it are recorded exactly."""
    build(bench)
    for env in WAYS[:2] + WAYS[3:]:
        host.same(bench, "threads", "2000", env=env)
        equal(host.calls(bench, "beside_once"), 100000, f"calls beside with {env or 'nothing set'}")


@test("tasks/unseen")
def unseen(bench):
    """Tasks made by an instruction of the program's: what is recorded may be wrong, the program is
    not."""
    build(bench)
    for what in "unseen-thread", "unseen-process":
        each_way(bench, what)


@test("tasks/own-pointer")
def own_pointer(bench):
    """The task's thread pointer leads to zeros, or a copy of the thread's memory: the thread is
    recorded, the task is not."""
    build(bench)
    for what in "zeros", "zeros-with-address", "copy":
        counted(bench, what, 40000)


@test("tasks/no-pointer")
def no_pointer(bench):
    """It leads to anything else: recording ends, which is said, and no probe is left."""
    build(bench)
    for what in "garbage", "no-room":
        got = host.same(bench, what, runs=3, may_say=True)
        check("thread pointer" in host.run(bench, "probes", what).stderr, f"{what}: not said: {got.stderr!r}")
        check("leads to no thread" in bench.run(host.lab.COMMAND, "info", bench.path("cinstr.data")).stdout, "info")


@test("tasks/c++")
def cplusplus(bench):
    """In C++, with exceptions and objects in the task and the thread."""
    host.build(bench, "tasks_objects.cc", "-pthread", "-fno-stack-protector")
    for env in WAYS:
        host.same(bench, env=env)
