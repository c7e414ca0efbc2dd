# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings on processes, their begin and end (CF05xx): of each a program that shows it, and the
same with "fine", which must not."""
import os

import finding_lab as findings
import lab


def tell(bench, source, rule, subject, pattern, line, least=0):
    program = findings.build(bench, source, "-D_GNU_SOURCE")
    one = findings.present(findings.look(bench, program, "bad"), rule, subject, pattern, least=least)
    if line:
        findings.at(one, source, line)
    findings.absent(findings.look(bench, program, "fine"), "CF05")
    return one


@findings.test("time before main, at the exit")
def outside_main(bench):
    tell(bench, "startup.cc", "CF0501", "_GLOBAL__sub_I_main", "takes .* before main, with all that runs then", None)
    program = findings.build(bench, "startup.cc")
    found = findings.look(bench, program, "exit")
    one = [one for one in found if one["id"] == "CF0502"]
    lab.check(one and "after main" in one[0]["text"], f"at the exit: {found}")
    findings.absent(found, "CF0501")


@findings.test("short commands")
def short_commands(bench):
    tell(bench, "commands.c", "CF0503", "exists_by_command", "runs a short command again and again: 60 calls of system", "system(command)")
    found = findings.look(bench, "commands", "read")
    findings.present(found, "CF0503", "size_by_command", "60 calls of pclose, [\\d.]+ ms each with popen and reading$", least=80)


@findings.test("short processes")
def short_children(bench):
    """Of recorded children, each of which takes time to be recorded, nobody is said to wait for."""
    program = findings.build(bench, "short_children.c")
    found = findings.look(bench, program, "bad")
    findings.present(found, "CF0503", "by_child", "starts (100|9[5-9]) processes that run for .* on the average")
    findings.absent(found, "CF0504")
    findings.absent(findings.look(bench, program, "fine"), "CF0503")


@findings.test("waits for a command")
def commands(bench):
    tell(bench, "command.c", "CF0504", "convert", "waits for a program that was not recorded: 1 call of pclose", "pclose(command)", least=10)


@findings.test("waits for children that have become another program")
def executed(bench):
    program = findings.build(bench, "execs.c")
    one = findings.present(findings.look(bench, program, "run"), "CF0504", "convert",
                           r"^waits for a program that was not recorded: 2 calls of waitpid, ", first=True, least=20)
    findings.at(one, "execs.c", "waitpid(child")
    text = bench.cinstr("summary", bench.path("execs-run"))
    lab.check("for child processes (wait, waitpid)" in text and "for other threads" not in text, text)


@findings.test("processes one after another")
def one_after_another(bench):
    if (os.cpu_count() or 1) < 2:
        raise lab.Skip("one processor")
    tell(bench, "children.c", "CF0505", "main", "waits for 4 processes one after another", "wait(NULL);")
