# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings on locks: who waits, who holds them, and what for."""
import finding_lab as findings
import lab

LOCKS = ("CF0101", "CF0102", "CF0103", "CF0104")


@findings.test("a lock is held while its thread sleeps", quiet=True)
def sleeping(bench):
    program = findings.build(bench, "locks.c")
    one = findings.present(findings.look(bench, program, "sleep"), "CF0102", "write_log",
                           r"^sleeps \(put_line > (nap > )?nanosleep\) while it holds a lock .* in 4 threads, \d+ waits of up to "
                           r".* at write_log \(locks.c:\d+\)$", first=True, least=30)
    findings.at(one, "locks.c", "put_line();")
    lab.equal((one["callee"], one["command"][:40]), ("put_line", "cinstr waits locks-sleep"), "call")
    one = findings.present(findings.look(bench, program, "last"), "CF0102", "write_all", r"^sleeps ", first=True, least=30)
    findings.at(one, "locks.c", "put_line(); /* all */")
    one = findings.present(findings.look(bench, program, "write"), "CF0102", "write_log", r" at .*locks.c:\d+\), ", first=True, least=30)
    for name in "write_log", "add":
        lab.check(f"{name} (locks.c:" in one["text"], f"who waits: {one['text']}")
    for what in "short", "alone", "events":
        findings.absent(findings.look(bench, program, what), *LOCKS)


@findings.test("a lock is held while its thread computes", quiet=True)
def computing(bench):
    program = findings.build(bench, "locks.c")
    one = findings.present(findings.look(bench, program, "compute"), "CF0101", "add_much",
                           r"^waits for a lock \(lock\): .* waits of up to .*; held by add_much while it is in compute$",
                           first=True, least=10)
    findings.at(one, "locks.c", "pthread_mutex_lock(&lock); /* much */")


@findings.test("locks of C++", quiet=True)
def in_cpp(bench):
    for level in "-O0", "-O2":
        program = findings.build(bench, "locks.cc", level)
        one = findings.present(findings.look(bench, program, "mutex"), "CF0102", "_Z8log_linei",
                               r"^sleeps \(.*save.* > .*nanosleep\) while it holds a lock", first=True, least=30)
        lab.check(one["file"].endswith("locks.cc"), f"{level}: {one}")
        findings.present(findings.look(bench, program, "shared"), "CF0102", "_Z6updatei", r"while it holds a lock", first=True, least=20)


@findings.test("a sleep under a lock, mixed", quiet=True)
def mixed(bench):
    """The probes at its calls are taken out at once: waits for the lock are its own."""
    program = findings.build(bench, "mailer.cc", "-O2")
    found = findings.look(bench, program, method=("--mixed", "--max-overhead=1"))
    findings.present(found, "CF0102", "_ZL6senderjPj", r"^sleeps \(\S*nanosleep\) while it holds a lock \(_ZL4pool\) that others wait for", first=True, least=10)


@findings.test("a loop that waits", quiet=True)
def spinning(bench):
    program = findings.build(bench, "spins.c")
    one = findings.present(findings.look(bench, program, "try"), "CF0104", "wait_for_lock", r"pthread_mutex_trylock is called [\d,]+ times", least=3)
    findings.at(one, "spins.c", "while (pthread_mutex_trylock")
    findings.absent(findings.look(bench, program, "condition"), *LOCKS)


@findings.test("a sleep under a lock, in inlined code", quiet=True)
def inlined(bench):
    program = findings.build(bench, "locks_inlined.c", "-O2")
    one = findings.present(findings.look(bench, program, "under"), "CF0102", "clerk",
                           r"^sleeps \(usleep\) while it holds a lock .* at clerk \(locks_inlined.c:\d+\)$", first=True, least=20)
    findings.at(one, "locks_inlined.c", "usleep(")
    lab.equal(one["inlined"], "flush_page", "inlined function")
    findings.absent(findings.look(bench, program, "behind"), "CF0101", "CF0102")
