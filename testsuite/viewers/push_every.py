# SPDX-License-Identifier: GPL-3.0-or-later
"""cinstr push --every: what is new, again and again. All pushes together are the session to the
nanosecond, whatever the server does and whoever is stopped; the program never waits for it."""
import base64
import contextlib
import gzip
import os
import signal
import subprocess

import golden
import lab
import push

# Steps of a program that goes on when it gets a line, and ends with its input.
PROGRAM = """#include <stdio.h>
#include <time.h>
static volatile double sink;
__attribute__((noipa)) static void inner(int n) { for (int i = 0; i < n; i++) sink += i; }
__attribute__((noipa)) static void step(int n) { for (int i = 0; i < 50; i++) inner(n); nanosleep(&(struct timespec){ 0, 100000 }, NULL); }
__attribute__((noipa)) static void late(int n) { inner(n); }
int main(void) { char line[64]; int n = 0; puts("ready"); fflush(stdout); while (fgets(line, sizeof(line), stdin)) { step(1000); if (n++ > 2) late(500); puts("done"); fflush(stdout); } return 0; }"""


class Program:
    def __init__(self, bench, data, **env):
        if not os.path.exists(bench.path("stepped")):
            bench.compile(bench.write("stepped.c", PROGRAM), "stepped", "-O1")
        self.process = bench.start(bench.path("stepped"), env={"CINSTR_DATA": bench.path(data), **env}, stdin=subprocess.PIPE)
        lab.equal(self.process.stdout.readline(), "ready\n", "first line of output")

    def step(self, n=1):
        for _ in range(n):
            self.process.stdin.write("go\n")
            self.process.stdin.flush()
            lab.equal(self.process.stdout.readline(), "done\n", "a step")

    def end(self):
        self.process.stdin.close()
        self.process.stdin = None
        self.process.communicate(timeout=lab.TIMEOUT)
        lab.equal(self.process.returncode, 0, "exit status of the program")


class Pusher:
    """Pushes when it is told to: --every is an hour."""

    def __init__(self, bench, server, session, *arguments, every="3600"):
        self.server = server
        self.process = bench.start(lab.COMMAND, "push", f"--every={every}", *arguments, server.url, session)
        lab.wait_for(self.is_waiting, "the pusher")

    def is_waiting(self):
        """It takes signals."""
        with open(f"/proc/{self.process.pid}/status") as file:
            blocked = [line.split()[1] for line in file if line.startswith("SigBlk")]
        return self.process.poll() is not None or int(blocked[0], 16) >> (signal.SIGUSR1 - 1) & 1

    def now(self):
        """Once more; returns when the server has got something."""
        n = len(self.server.requests)
        self.process.send_signal(signal.SIGUSR1)
        lab.wait_for(lambda: len(self.server.requests) > n, "a push")

    def end(self, status=0, by=None):
        if by:
            self.process.send_signal(by)
        output, errors = self.process.communicate(timeout=lab.TIMEOUT)
        lab.equal(self.process.returncode, -by if by == signal.SIGKILL else status, f"push: {output}{errors}")
        return output, errors


def fields(message):
    """Of a message of Protocol Buffers: number, value."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(message):
        key = varint()
        if key & 7 == 0:
            yield key >> 3, varint()
        else:
            n = varint()
            yield key >> 3, message[at:at + n]
            at += n


def varints(packed):
    value = shift = 0
    for byte in packed:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            yield value - (1 << 64) if value >> 63 else value
            value = shift = 0


def samples(profile):
    """Of pprof: types, and values by the functions of the stack."""
    found, strings, functions, locations, types = [], [], {}, {}, []
    for number, value in fields(gzip.decompress(profile)):
        if number == 6:
            strings.append(value.decode())
        elif number == 5:
            one = dict(fields(value))
            functions[one[1]] = one[2]
        elif number == 4:
            one = list(fields(value))
            locations[dict(one)[1]] = [dict(fields(line))[1] for key, line in one if key == 4]
        elif number == 1:
            types.append(dict(fields(value))[1])
        elif number == 2:
            found.append(dict((key, one) for key, one in fields(value) if key < 3))
    sums = {}
    for one in found:
        stack = tuple(strings[functions[f]] for location in varints(one[1]) for f in locations[location])
        values = list(varints(one[2]))
        lab.check(all(value >= 0 for value in values) or all(value <= 0 for value in values), f"more and less in one sample: {values}")
        sums[stack] = [a + b for a, b in zip(sums.get(stack, [0] * len(values)), values)]
    return [strings[number] for number in types], sums


def profiles(server):
    """Those that were taken."""
    return [base64.b64decode(one["rawProfile"]) for _, _, body, status in server.requests if status == 200 for one in body["series"][0]["samples"]]


def all_of(server):
    sums, types = {}, None
    for profile in profiles(server):
        types, one = samples(profile)
        for stack, values in one.items():
            sums[stack] = [a + b for a, b in zip(sums.get(stack, [0] * len(values)), values)]
    return types, {stack: values for stack, values in sums.items() if any(values)}


def of_session(bench, session):
    bench.cinstr("export", "--format=pprof", "--force", "-o", bench.path("all.pb.gz"), session)
    with open(bench.path("all.pb.gz"), "rb") as file:
        types, sums = samples(file.read())
    return types, {stack: values for stack, values in sums.items() if any(values)}


def check_all(bench, server, session):
    types, want = of_session(bench, session)
    lab.check(len(want) > 4 and "elapsed" in types, f"of the session: {types} {want}")
    lab.equal(all_of(server), (types, want), "all pushes together")


@contextlib.contextmanager
def pushed(bench):
    """A store, a program, and who pushes it there."""
    with push.store() as server:
        program = Program(bench, "live.data")
        yield server, program, Pusher(bench, server, bench.path("live.data"))


@lab.test("push/every: the pushes together are the session")
def together(bench):
    with pushed(bench) as (server, program, pusher):
        for n in range(4):
            program.step(5)
            pusher.now()
        lab.equal(len(server.requests), 4, "pushes")
        program.step(3)
        program.end()
        output, errors = pusher.end()
        lab.check(output.endswith(": 5 sent\n") and not errors, f"what is said: {output}{errors}")
        check_all(bench, server, bench.path("live.data"))
        parts = [samples(profile)[1] for profile in profiles(server)]
        late = [any("late" in stack for stack in part) for part in parts]
        lab.check(late[0] and not any(values[0] < 0 for part in parts for values in part.values()), f"calls of the parts: {parts}")
        lab.check(all(sum(values[0] for stack, values in part.items() if stack[0] == "step") == n for part, n in zip(parts, (5, 5, 5, 5, 3))), f"steps: {parts}")
        golden.need("go")
        with open(bench.path("one.pb.gz"), "wb") as file:
            file.write(profiles(server)[2])
        done = subprocess.run(["go", "tool", "pprof", "-top", "-sample_index=calls", bench.path("one.pb.gz")], capture_output=True, text=True,
                              timeout=lab.TIMEOUT, env={**os.environ, "HOME": bench.folder})
        lab.check(done.returncode == 0 and "inner" in done.stdout, f"go tool pprof: {done.stdout}{done.stderr}")


@lab.test("push/every: processes come and go, under a budget")
def come_and_go(bench):
    os.mkdir(bench.path("all"))
    with push.store() as server:
        pusher = Pusher(bench, server, bench.path("all"), "--wait")
        first = Program(bench, "all/%p", CINSTR_MAX_OVERHEAD="5")
        first.step(20)
        pusher.now()
        second = Program(bench, "all/%p", CINSTR_MAX_OVERHEAD="5")
        first.step(5)
        second.step(30)
        pusher.now()
        first.end()
        second.step(7)
        pusher.now()
        second.end()
        pusher.now()
        pusher.end(by=signal.SIGTERM)
        types, want = of_session(bench, bench.path("all"))
        got = all_of(server)[1]
        lab.equal({stack: values[types.index("calls")] for stack, values in got.items()},
                  {stack: values[types.index("calls")] for stack, values in want.items()}, "calls")
        wrong = {stack: (got.get(stack), values) for stack, values in want.items() if any(a > b for a, b in zip(values, got.get(stack, [0] * 9)))}
        lab.equal(wrong, {}, "less than there is was sent")


def spooled(bench):
    return sorted(name for name in os.listdir(bench.path("spool")) if not name.startswith("."))


@lab.test("push/every: an hour without a server; a restart; nothing twice")
def outage(bench):
    session, spool = bench.path("live.data"), f"--spool={bench.path('spool')}"
    with push.store() as server:
        program = Program(bench, "live.data")
        pusher = Pusher(bench, server, session, spool)
        program.step(3)
        pusher.now()
        for status in (503, 429):  # 360 intervals of ten seconds are an hour
            server.status = status
            for _ in range(180):
                program.step()
                pusher.now()
        lab.equal((len(spooled(bench)), len(profiles(server))), (360, 1), "kept, taken")
        lab.check(len(server.requests) < 400, f"{len(server.requests)} requests: one for each push")
        _, errors = pusher.end(status=1, by=signal.SIGTERM)
        lab.equal(errors.count("it is kept"), 1, f"said once: {errors}")
        # as if it had been killed when the last one was noted, and had not got its name yet
        last = bench.path("spool", spooled(bench)[-1])
        os.rename(last, last + ".partial")
        program.step(2)
        server.status = 200
        again = Pusher(bench, server, session, spool)
        program.step(2)
        again.now()
        lab.wait_for(lambda: not spooled(bench), "an empty spool")
        program.step(4)
        program.end()
        again.end()
        check_all(bench, server, session)
        n = len(server.requests)
        Pusher(bench, server, session, spool).end()
        lab.equal(len(server.requests), n, "of a session that was sent nothing is sent again")


@lab.test("push/every: killed at any moment, it goes on where it was")
def killed(bench):
    session, spool = bench.path("live.data"), f"--spool={bench.path('spool')}"
    with push.store() as server:
        server.status = 503
        program = Program(bench, "live.data")
        for n in range(12):
            pusher = Pusher(bench, server, session, spool, every="0.02")
            before = len(server.requests)
            program.step(2)
            lab.wait_for(lambda: len(server.requests) > before + n % 3, "a push")
            pusher.end(by=signal.SIGKILL)
        other = Pusher(bench, server, session, spool)
        program.end()
        server.status = 200
        other.end()
        lab.equal(spooled(bench), [], "the spool")
        check_all(bench, server, session)


@lab.test("push/every: without a spool what cannot be sent goes with the next push")
def no_spool(bench):
    with pushed(bench) as (server, program, pusher):
        for status in (200, 503, 503, 200, 503):
            server.status = status
            program.step(2)
            pusher.now()
        server.status = 200
        program.end()
        pusher.end()
        check_all(bench, server, bench.path("live.data"))
        lab.equal(len(profiles(server)), 3, "pushes that were taken")


@lab.test("push/every: wrong use")
def wrong(bench):
    for arguments in (["--every=0"], ["--every=x"], ["--every="], ["--wait"], ["--every=1e9"]):
        done = bench.run(lab.COMMAND, "push", *arguments, "http://localhost:1")
        lab.check(done.returncode == 2 and "--every" in done.stderr, f"{arguments}: {done.returncode} {done.stderr}")
