# SPDX-License-Identifier: GPL-3.0-or-later
"""cinstr waits of ends of pipes, sockets and events. programs/ends.c makes each wait last until the
kernel says that its thread sleeps: nothing depends on time."""
import lab

# waiter -> kinds of what it waited for, and who ended that, by the program's own logic
TRUTH = {
    "reads_pair": {("socket", "writes_pair")},
    "asks": {("socket", "answers")},  # who read the same socket after it had written to it
    "answers": {("socket", "asks")},
    "reads_copy": {("socket", "writes_copied")},
    "wants_room": {("socket", "gives_room")},
    "wants_last": {("socket", "gives_last")},
    "wants_event": {("event", "gives_event")},
    "wants_less": {("event", "takes_event")},
    "reads_tcp": {("socket", "writes_tcp")},
    "reads_fresh": {("pipe", "writes_fresh")},
    "polls": {("pipe", "pokes")},
    "polls_both": {("pipe", "pokes_first")},
    "awaits": {("socket", "feeds"), ("event", "tells")},
    # by a descriptor whose number was another end before
    "reads_passed": {("socket", "writes_passed")},
    "reads_moved": {("pipe", "writes_moved")},
    "reads_again": {("pipe", "writes_again")},
}
# not by an address of AF_UNIX, nor another process: these are waits for input
UNKNOWN = "reads_named", "reads_from_child"


@lab.test("waits/at ends of pipes, sockets and events")
def ends(bench):
    program = bench.compile("programs/ends.c", "ends", "-O2", "-g", "-pthread")
    for overhead in "10", "unlimited", "0":
        bench.run(program, status=0, env={"CINSTR_MAX_OVERHEAD": overhead})
        rows = [row for row in bench.json("waits", bench.path("cinstr.data"))["waits"] if row["kind"] != "thread"]
        found = {waiter: {(row["kind"], row["ended_by"]) for row in rows if row["waiter"] == waiter}
                 for waiter in (*TRUTH, *UNKNOWN)}
        lab.equal(found, {**TRUTH, **{waiter: set() for waiter in UNKNOWN}}, f"{overhead}: who ended the waits")
        # the second one may have written before the first one's reader ran
        lab.equal({row["known"] for row in rows if row["waiter"] != "polls_both"}, {"call"}, f"{overhead}: what is known")
        lab.equal({row["address"] for row in rows}, {None}, "an end is no place in memory")


@lab.test("waits/at ends of pipes, on the screen")
def shown(bench):
    program = bench.compile("programs/ends.c", "ends", "-O2", "-g", "-pthread")
    bench.run(program, status=0)
    text = bench.cinstr("waits", bench.path("cinstr.data"), "--width=80")
    for said in "ends of threads", "eventfd: ", "socket: ", "  other end   100 %  answers  ends.c:", "  ended by ":
        lab.check(said in text, f"{said!r} is missing:\n{text}")
    lab.check(all(len(line) <= 80 for line in text.splitlines()), text)
