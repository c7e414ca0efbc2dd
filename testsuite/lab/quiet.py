# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of which real time is the subject: whether the machine has disturbed what they measured.

A quiet test (@lab.test(NAME, quiet=True)) runs with nothing of the suite's beside it, at the
highest priority that it may have (lab.run_test). What compares times is said by lab.check_time();
of that measured() decides: a run that was disturbed is spoilt, and made again; a run that was not
counts. Everything else, as a wrong number of calls, is a failure at once, however busy the machine
is.

What it rejects: the first run has to hold, disturbed or not; else the first that was not disturbed;
else both of two more such. A fault that spoils a run with probability q passes with (1 - q) + q (1
- q)^2: one that is there in 99.1 of 100 runs is rejected with 0.99, one that is always there with
1. A run that is right, but off by chance once in 2,000 times although nobody disturbed it, fails
with 2 / 2,000^2: once in two million. Where all TRIES runs were disturbed, they decide: five of
eight have to hold (of a fault that is there in 95 of 100 runs they do once in 65,000 times), and
what is wrong in each one fails: neighbours that make one run of three wrong make each of eight
wrong once in 6,500 times. They leave it open, which is a skip (spoilt), once in seven. """
import os
import resource
import time

import lab

MANY = 1000  # threads of a program that take the processors from one another
TRIES = 8  # runs, spoilt or not, at most
PATIENCE = 60  # seconds after which no run begins again
STEAL = 0.01  # of the time: what the machine below us may take
OTHERS = 0.05  # of the time, more than there are processors free
TICK = 0.03  # s: what the kernel's ticks make of nothing
SWITCHES = 20  # a second of processor time, besides three: kernel's threads take it as often


class Watch:
    """What others do from now on, beside a program of so many threads that compute."""

    def __init__(self, threads=1):
        self.threads, self.before = threads, state()

    def disturbed(self):
        """How, in words; nothing if not at all."""
        seconds, stolen, others, own, switches = [now - before for now, before in zip(state(), self.before)]
        processors = len(os.sched_getaffinity(0))
        free = max(0, processors - self.threads) * seconds
        reasons = []
        if stolen > STEAL * processors * seconds + TICK:
            reasons.append(f"{stolen:.2f} s of {seconds:.2f} were stolen")
        if others > free + OTHERS * seconds + TICK:
            reasons.append(f"others had {others:.2f} s in {seconds:.2f}")
        if self.threads <= processors and switches > 3 + SWITCHES * own:
            reasons.append(f"it lost the processor {switches} times in {own:.2f} s")
        return ", ".join(reasons)


def state():
    """Seconds by the clock, stolen, of others, and of ours, all processors together; how often ours
    have lost the processor. Ours are those that have ended and been waited for."""
    with open("/proc/stat") as file:
        ticks = [int(word) for word in file.readline().split()[1:9]]
    user, nice, system, _, _, irq, softirq, steal = [number / os.sysconf("SC_CLK_TCK") for number in ticks]
    ours, own = resource.getrusage(resource.RUSAGE_CHILDREN), resource.getrusage(resource.RUSAGE_SELF)
    seconds = sum(one.ru_utime + one.ru_stime for one in (ours, own))
    return time.monotonic(), steal, user + nice + system + irq + softirq - seconds, seconds, ours.ru_nivcsw


def measured(function, threads=1, tries=TRIES):
    """What it returns. TimeFailure: it is wrong, though nobody disturbed it, or in each of the
    tries; Spoilt: nobody knows."""
    runs, end = Runs(tries), time.monotonic() + PATIENCE
    while True:
        watch, reason, result = Watch(threads), None, None
        try:
            result = function()
        except lab.TimeFailure as failure:
            reason = failure
        if runs.decide(reason, watch.disturbed()) or not runs.may_go_on(time.monotonic() < end):
            return result
        time.sleep(0.2)


class Runs:
    """How runs of the same came out."""

    def __init__(self, tries=TRIES):
        self.tries, self.made, self.held, self.wrong, self.right = tries, 0, 0, 0, 0
        self.last = None

    def decide(self, reason, disturbed):
        """Adds a run, of which `reason` says what is wrong, if anything. Whether it holds;
        TimeFailure: it does not; else nobody knows yet."""
        self.made += 1
        self.held += reason is None
        self.last = reason or self.last
        if reason is None and self.held == self.made:
            return True  # so far each of them, disturbed or not
        print(f"{'spoilt: ' + disturbed if disturbed else 'not disturbed'}: {reason or 'it holds'}", flush=True)
        if not disturbed:
            self.wrong += reason is not None
            self.right += reason is None
        if self.wrong == 2:
            raise reason
        return self.right == (2 if self.wrong else 1)

    def may_go_on(self, has_time=True):
        """Whether there may be another run; if not, the disturbed ones decide: all were wrong,
        which is a TimeFailure, or five of eight held, or nobody knows."""
        if self.made < self.tries and has_time:
            return True
        if not self.held:
            raise lab.TimeFailure(f"in each of {self.made} runs: {self.last}")
        if 8 * self.held < 5 * self.made:
            raise lab.Spoilt("spoilt: the machine was too busy")
        return False
