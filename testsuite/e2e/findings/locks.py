# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings on locks (CF0101 and the like)."""
import finding_lab as findings
import lab


@lab.test("findings/lock waits")
def lock_waits(bench):
    program = findings.build(bench, "locks.c")
    one = findings.present(findings.look(bench, program, "sleep"), "CF0101", "write_log", "waits for a lock: ", first=True, least=30)
    lab.equal((one["callee"], one["file"][-7:]), ("pthread_mutex_lock", "locks.c"), "call")
    for what in "short", "alone", "events":
        findings.absent(findings.look(bench, program, what), "CF0101")
