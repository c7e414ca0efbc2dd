# SPDX-License-Identifier: GPL-3.0-or-later
"""cinstr waits: waits that have not ended. programs/hang.c comes to each wait once the kernel says
that the thread before sleeps: who waits for whom is known, and nothing depends on time."""
import os
import signal

import lab

# how it hangs: thread's function: object, kind, who has it, how known that is, number of the circle
FIRST, SECOND = ("m2", "mutex", "has_second", "certain", 1), ("m1", "mutex", "has_first", "certain", 1)
TRUTH = {
    "two": {"has_first": FIRST, "has_second": SECOND},
    "three": {"has_first": FIRST, "has_second": ("m3", "mutex", "has_third", "certain", 1),
              "has_third": SECOND},
    "outside": {"has_first": FIRST, "has_second": SECOND, "outside": SECOND[:4] + (None,)},
    # it has given back another lock since then
    "given": {"has_first": ("m2", "mutex", "gives_between", "likely", 1), "gives_between": SECOND},
    # a time limit ends it
    "limited": {"has_first": ("m2", "mutex", "limited", "certain", None), "limited": SECOND[:4] + (None,)},
    "condition": {"listens": ("never", "condition", None, None, None)},
    "join": {"joins": (None, "thread", "reads", "certain", None)},
    "twice": {"twice": ("m1", "mutex", "twice", "certain", 1)},
    # in a function that jumps to the lock; by the slow path; and behind many events
    "tail": {"tail_lock": ("m1", "mutex", "main", "likely", None)},
    "only": {"only_waits": ("m1", "mutex", "main", "likely", None)},
    "late": {"works_before": ("m1", "mutex", "main", "likely", None)},
    # a handler has had events since: what for is not known any more
    "handler": {"works_before": (None, "mutex", None, None, None)},
}


def program(bench, *options):
    return bench.compile("programs/hang.c", "hang", *options, "-g", "-pthread")


def open_rows(bench):
    return [row for row in bench.json("waits")["waits"] if row["open"]]


def same_as_truth(bench, how, title):
    rows = open_rows(bench)
    found = {row["waiter"]: (row["object"], row["kind"], row["holder"], row["held"], row["cycle"])
             for row in rows}
    lab.equal(found, TRUTH[how], title)
    lab.equal(len(rows), len(found), f"{title}: rows")
    for row in rows:
        lab.check(row["waiter_tid"] != row["pid"], f"{title}: {row}")
        lab.equal((row["holder_tid"] == row["waiter_tid"]), how == "twice", f"{title}: {row}")
        lab.equal(row["ended_by"], None, f"{title}: nobody has ended it")
        lab.equal(row["since_ns"] is None, how == "handler", f"{title}: since when")
    return rows


def run_all(bench, title, *options, **env):
    hang = program(bench, *options)
    for how in TRUTH:
        bench.run("rm", "-rf", bench.path("cinstr.data"), status=0)
        bench.run(hang, how, "kill", status=-9, env=env)
        same_as_truth(bench, how, f"{title}: {how}")


@lab.test("hang/by default")
def by_default(bench):
    run_all(bench, "by default", "-O2")


@lab.test("hang/without optimising")
def unoptimised(bench):
    hang = program(bench, "-O0")
    bench.run(hang, "two", "kill", status=-9)
    same_as_truth(bench, "two", "-O0")


@lab.test("hang/with all calls timed, or none")
def dial(bench):
    run_all(bench, "all calls timed", "-O2", CINSTR_MAX_OVERHEAD="unlimited")
    hang = program(bench, "-O2")
    # a call by a jump is no event of a counted function
    for how in sorted(set(TRUTH) - {"tail"}):
        bench.run("rm", "-rf", bench.path("cinstr.data"), status=0)
        bench.run(hang, how, "kill", status=-9, env={"CINSTR_MAX_OVERHEAD": "0"})
        same_as_truth(bench, how, f"calls counted: {how}")


@lab.test("hang/ends otherwise, or not yet")
def ends(bench):
    hang = program(bench, "-O2")
    bench.run(hang, "two", "term", status=-signal.SIGTERM)
    same_as_truth(bench, "two", "SIGTERM")
    bench.run("rm", "-r", bench.path("cinstr.data"), status=0)
    # a process that ends by itself leaves threads behind: only a circle is a fault
    bench.run(hang, "condition", "exit", status=0)
    same_as_truth(bench, "condition", "exit")
    shown = bench.run(lab.COMMAND, "waits", status=0).stdout
    # main may meet the thread at the lock, for some microseconds
    lab.check("not ended" not in shown and "never" not in shown, shown)
    bench.run("rm", "-r", bench.path("cinstr.data"), status=0)
    bench.run(hang, "two", "exit", status=0)
    lab.check("Deadlock: 2 threads" in bench.run(lab.COMMAND, "waits", status=0).stdout, "a circle at the exit")


@lab.test("hang/looked at while it hangs, and under cinstr record")
def live(bench):
    hang = program(bench, "-O2")
    for command in ([hang], [lab.COMMAND, "record", "-o", bench.path("cinstr.data"), "--", hang]):
        bench.run("rm", "-rf", bench.path("cinstr.data"), status=0)
        process = bench.start(*command, "two", "wait", start_new_session=True)
        try:
            lab.equal(process.stdout.readline(), "hangs\n", "it hangs")
            rows = same_as_truth(bench, "two", "live")
            lab.check(all(row["waiting_ns"] > 0 for row in rows), f"{rows}")
            shown = bench.run(lab.COMMAND, "waits", status=0).stdout
            lab.check("mutex m1: for " in shown, shown)
            os.kill(rows[0]["pid"], signal.SIGINT)
            process.communicate(timeout=60)
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            raise
        same_as_truth(bench, "two", "Ctrl-C")


@lab.test("hang/a packed session keeps it")
def packed(bench):
    bench.run(program(bench, "-O2"), "three", "kill", status=-9)
    bench.run(lab.COMMAND, "pack", bench.path("cinstr.data"), status=0)
    same_as_truth(bench, "three", "packed")


@lab.test("hang/the screen")
def screen(bench):
    bench.run(program(bench, "-O2"), "outside", "kill", status=-9)
    shown = bench.run(lab.COMMAND, "waits", "--width=80", status=0).stdout
    lines = [" ".join(line.split()) for line in shown.splitlines()]
    lab.check(all(len(line) <= 80 for line in shown.splitlines()), "a line is too long")
    lab.equal(lines[0], "Deadlock: 2 threads, each waits for what the next one has", shown)
    tid = {row["waiter"]: row["waiter_tid"] for row in open_rows(bench)}
    at = next(i for i, line in enumerate(lines) if line.startswith("mutex m2: since "))
    lab.check(lines[at + 1].startswith(f"waiting has_first, thread {tid['has_first']}, in has_first hang.c:"),
              lines[at + 1])
    lab.check(lines[at + 2].startswith(f"held by has_second, thread {tid['has_second']}, in has_second hang.c:"),
              lines[at + 2])
    at = lines.index("Waits that have not ended")
    lab.check(lines[at + 2].startswith("mutex m1: "), lines[at + 2])
    lab.check(lines[at + 3].startswith("waiting outside, thread"), lines[at + 3])


def findings(bench):
    return [finding for finding in bench.json("summary", "--findings")["findings"] if finding["id"] in FAULTS]


FAULTS = ("CF0107", "CF0108")


@lab.test("hang/the findings")
def finding_deadlock(bench):
    hang = program(bench, "-O2")
    for how in TRUTH:
        bench.run("rm", "-rf", bench.path("cinstr.data"), status=0)
        bench.run(hang, how, "kill", status=-9)
        found = findings(bench)
        cycle = [key for key, truth in TRUTH[how].items() if truth[4]]
        lab.equal([finding["id"] for finding in found], ["CF0107"] if cycle else [], how)
        if not cycle:
            continue
        first = bench.json("summary", "--findings")["findings"][0]
        lab.equal(first["id"], "CF0107", f"{how}: the first of all")
        text = first["text"]
        lab.equal("likely" in text, how == "given", f"{how}: {text}")
        lab.check(all(truth[0] in text for truth in TRUTH[how].values()), f"{how}: {text}")
        lab.equal("has itself" in text, how == "twice", f"{how}: {text}")
        # the circle begins with any of them
        lab.equal(sum(f" in {waiter} (hang.c:" in text for waiter in cycle), len(cycle) - 1, f"{how}: {text}")
    bench.run("rm", "-rf", bench.path("cinstr.data"), status=0)
    bench.run(hang, "condition", "exit", status=0)
    lab.equal(findings(bench), [], "a thread that is left behind")


@lab.test("hang/nobody is left")
def nobody(bench):
    """Beside a process that hangs for another reason, and that comes first."""
    hang = program(bench, "-O2")
    process = bench.start(lab.COMMAND, "record", "--", "sh", "-c", f"{hang} twice wait & {hang} condition join & wait",
                          start_new_session=True)

    def all_wait():
        rows = open_rows(bench)
        return len(rows) == 2 + len(TRUTH["twice"]) and all(row["waiting_ns"] > 1e9 for row in rows)

    try:
        lab.equal([process.stdout.readline() for _ in range(2)], ["hangs\n"] * 2, "they hang")
        lab.wait_for(all_wait, "all wait")
        found = findings(bench)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate(timeout=60)
    texts = {finding["id"]: finding["text"] for finding in found}
    lab.equal(sorted(texts), ["CF0107", "CF0108"], "while they run")
    lab.check("all 2 threads wait" in texts["CF0108"], texts["CF0108"])
    # when it ended is not known: they may have been about to go on
    lab.equal([finding["id"] for finding in findings(bench)], ["CF0107"], "killed")


def graph_of(bench, nodes):
    return bench.json("waits", f"--graph={nodes}")["graph"]


@lab.test("hang/who waits for whom")
def graph(bench):
    bench.run(program(bench, "-O2"), "given", "kill", status=-9)
    for nodes in "functions", "threads":
        edges = {(edge["waiter"], edge["holder"], edge["object"]): (edge["open"], edge["is_likely"], edge["cycle"])
                 for edge in graph_of(bench, nodes)}
        lab.equal(edges, {("has_first", "gives_between", "m2"): (True, True, 1),
                          ("gives_between", "has_first", "m1"): (True, False, 1),
                          ("wants_third", "gives_between", "m3"): (False, False, None)}, nodes)
    tids = {row["waiter"]: row["waiter_tid"] for row in bench.json("waits")["waits"]}
    lab.equal({edge["waiter"]: edge["waiter_tid"] for edge in graph_of(bench, "threads")}, tids, "threads")
    shown = bench.cinstr("waits", "--graph", "--width=80")
    lab.check(all(len(line) <= 80 for line in shown.splitlines()), shown)
    lab.check("Circle 1: has_first -> gives_between -> has_first" in shown, shown)
    drawn = bench.cinstr("waits", "--format=dot")
    lab.check(drawn.startswith("digraph waits {") and drawn.count(" -> ") == 3, drawn)
    lab.equal((drawn.count(", color=red"), drawn.count("style=dashed")), (2, 1), drawn)
    wrong = bench.run(lab.COMMAND, "waits", "--graph=clouds", status=2).stderr
    lab.check("there are functions, threads" in wrong, wrong)


@lab.test("hang/a graph has all of the time")
def graph_sums(bench):
    """Of a program whose threads go on: objects.c, where each wait has functions of its own."""
    bench.run(bench.compile("programs/objects.c", "objects", "-O2", "-g", "-pthread"), status=0)
    rows = bench.json("waits")["waits"]
    whole = sum(row["waiting_ns"] for row in rows)
    sums = {}
    for row in rows:
        pair = row["waiter"], row["ended_by"], row["object"]
        if row["known"] in ("call", "likely"):
            sums[pair] = sums.get(pair, 0) + row["waiting_ns"]
    edges = {(edge["waiter"], edge["holder"], edge["object"]): edge["waiting_ns"]
             for edge in graph_of(bench, "functions")}
    for pair, ns in sums.items():
        if ns > 0.02 * whole:
            lab.check(abs(edges[pair] - ns) <= 2, f"{pair}: {edges[pair]}, expected {ns}")
    lab.check(all(edge["cycle"] is None for edge in graph_of(bench, "functions")), "no circle")
