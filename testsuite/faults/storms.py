# SPDX-License-Identifier: GPL-3.0-or-later
"""Signals."""
from trial import fault, same_run


def storm(name, how, *words, runs=(2, 20), late=0, lost=None):
    @fault(name, runs, how)
    def prepare(t):
        program, plain = t.both("storm.c", "-pthread", "-fno-optimize-sibling-calls")
        expected = t.run(plain, *words)
        t.lost = lost or t.lost

        def once(number):
            same_run(t.run(program, *words), expected)
            t.all_there(threads=0, late=late)

        return once


storm("signals at 10 kHz", "for half a second; the handler has probes; every entry is counted", "plain", "10000")
storm("signals at 10 kHz on an alternate stack", "the same with SA_ONSTACK", "stack", "10000")
storm("nested signals", "10 and 3 kHz, SA_NODEFER: handlers interrupt each other and themselves", "nested", "10000")
storm("signals at 10 kHz and four threads", "the handler runs in any of them", "threads", "10000", late=60,
      lost="what a handler does in a thread behind its last destructor: up to {most} entries, counted as lost events")
storm("stack overflow handled on an alternate stack", "50 times, left by siglongjmp", "overflow", "50", runs=(2, 10))
