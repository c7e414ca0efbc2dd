# SPDX-License-Identifier: GPL-3.0-or-later
"""Processes made in every way."""
import time

import lab
from trial import check, equal, fault, same_run


def family(name, how, mode, times, runs=(2, 10), processes=None, children=None):
    """processes: in the session; children: number of children whose 10 calls of `child` are
    there."""

    @fault(name, runs, how)
    def prepare(t):
        program, plain = t.both("families.c", "-pthread", "-fno-builtin")
        expected = t.run(plain, mode, str(times))

        def once(number):
            same_run(t.run(program, mode, str(times)), expected)
            for _ in range(400):  # daemons may still be ending
                totals = t.totals("cinstr.data", "function")
                if not totals["live"]:
                    break
                time.sleep(0.05)
            calls = {row["name"]: row["calls"] for row in totals["rows"]}
            equal((totals["lost_events"], totals["lost_threads"]), (0, 0), "lost events and threads")
            if children is not None:
                equal(calls.get("child", 0), 10 * children, "calls of child")
            if processes is not None:
                equal(totals["processes"], processes, "processes")

        return once


family("fork from threads while others record",
       "2 threads fork 50 times each, 2 others call", "threads", 50, processes=101, children=100)
family("1,000 forks in quick succession",
       "each child makes 10 calls and ends by _exit", "fork", 1000, runs=(1, 2), processes=1001,
       children=1000)
family("fork, the child ends by exit", "100 children", "return", 100, processes=101, children=100)
family("vfork and exec", "50 times", "vfork", 50, processes=51, children=50)
family("posix_spawn", "50 times", "spawn", 50, processes=51, children=50)
family("double fork", "50 grandchildren", "double", 50, processes=101, children=50)
family("daemon()", "20 of them", "daemon", 20, processes=41, children=20)
family("exec from a thread",
       "20 children, in each of which a second thread becomes another program", "threadexec", 20, processes=41)
family("clone without fork handlers", "SYS_clone with SIGCHLD, 50 times", "raw", 50, processes=51, children=50)
family("clone(CLONE_VM | CLONE_VFORK)",
       "a child in its parent's memory, 50 times: its calls are not recorded", "shared", 50, processes=1,
       children=0)
