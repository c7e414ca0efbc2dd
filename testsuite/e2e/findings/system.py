# SPDX-License-Identifier: GPL-3.0-or-later
"""Findings on system calls, sleeps, page faults and processors (CF03xx): of each a program that
shows it, and the same with "fine", which must not."""
import os

import finding_lab as findings
import lab


def tell(bench, source, rule, subject, pattern, line, flags=(), least=0):
    """It is told at `line` of the program, and "fine" has nothing of this family but too few
    processors."""
    program = findings.build(bench, source, "-D_GNU_SOURCE", *flags)
    one = findings.present(findings.look(bench, program, "bad"), rule, subject, pattern, least=least)
    findings.at(one, source, line)
    findings.absent(findings.look(bench, program, "fine"), "CF03", "CF05", but=("CF0310",))
    return one


@findings.test("small reads")
def small_reads(bench):
    one = tell(bench, "small_reads.c", "CF0301", "load", "reads little at a time: 60,001 calls of read, ",
               "read(fd, buffer, piece)")
    lab.equal(one["callee"], "read", "callee")
    lab.check(one["command"].startswith("cinstr callers --sites read"), one["command"])


@findings.test("a server's reads and writes")
def server(bench):
    """Many and small, as they come: nothing is wrong, but that one client asks them one after
    another (CF0333), where the answers take little."""
    program = findings.build(bench, "server.c")
    for what, but in ("fine", ("CF0310", "CF0333")), ("many", ("CF0310",)):
        findings.absent(findings.look(bench, program, what), "CF03", "CF05", but=but)


@findings.test("small writes")
def small_writes(bench):
    tell(bench, "small_lines.c", "CF0302", "log_line", "writes little at a time: 40,000 calls of write, ",
         "write(fd, line, n)")


@findings.test("flush for each line")
def flushes(bench):
    tell(bench, "small_writes.c", "CF0303", "log_line", "flushes a stream again and again: 40,000 calls of fflush, ",
         "fflush(out);")
    program = findings.build(bench, "endl.cc")
    findings.present(findings.look(bench, program, "bad"), "CF0303", "_ZL7put_rowRSoib", "40,000 calls of _Z")
    findings.absent(findings.look(bench, program, "fine"))


@findings.test("a sync for each record")
def syncs(bench):
    program = findings.build(bench, "fsync_loop.c")
    found = findings.look(bench, program, "bad")
    if bench.json("report", bench.path("fsync_loop-bad"), "--function=fsync")["rows"][0]["avg_elapsed_inclusive_ns"] < 50000:
        raise lab.Skip("this disk writes nothing")  # a file system in memory
    findings.at(findings.present(found, "CF0304", "store", "waits for the disk: 200 calls of fsync"), "fsync_loop.c", "fsync(fd);")
    findings.absent(findings.look(bench, program, "fine"), "CF0304")


@findings.test("the same system calls")
def repeated(bench):
    tell(bench, "stat_loop.c", "CF0305", "has_changed", "40,000 calls of stat, .* each, most for main \\(stat_loop.c:30\\)$",
         "stat(path, &state)")
    one = tell(bench, "reopened.c", "CF0305", "append", "10,000 calls of open, .*10,000 of close, most for main", "open(path")
    lab.check("10,000 of write" in one["text"], one["text"])
    tell(bench, "seeks.c", "CF0305", "get_record", "60,000 calls of fseek, ", "fseek(in")


@findings.test("files of C++ opened again and again", quiet=True)
def opened(bench):
    """What opens a file does so by a system call, whatever register it uses after that."""
    program = findings.build(bench, "open_files.cc", "-O2")
    one = findings.present(findings.look(bench, program, "run"), "CF0305", "main",
                           r"^opens files again and again: 20,000 calls of \S*basic_filebuf\S*open\S*, .* each; .*close", first=True, least=20)
    findings.at(one, "open_files.cc", "// open")


@findings.test("polling")
def polling(bench):
    tell(bench, "polling.c", "CF0306", "poll_for_it", r"looks again and again instead of waiting: [\d,]+ calls of usleep", "usleep(50)")


@findings.test("sleeps in working code")
def sleeps(bench):
    """A timer thread that sleeps beside it is none."""
    tell(bench, "sleeps.c", "CF0307", "disk", "sleeps: 20 calls of nanosleep, .* of the time of thread 'sleeps'",
         "nanosleep(&(struct timespec){ .tv_nsec = 10000000 }", least=20)


@findings.test("page faults")
def page_faults(bench):
    program = findings.build(bench, "page_faults.c", "-D_GNU_SOURCE")
    findings.present(findings.look(bench, program, "bad"), "CF0308", "draw", r"likely has most of 10\d,\d{3} page faults")
    findings.absent(findings.look(bench, program, "fine"), "CF0308")


@findings.test("waits for pages of a file")
def page_ins(bench):
    program = findings.build(bench, "page_ins.c", "-D_GNU_SOURCE")
    found = findings.look(bench, program, "bad")
    if bench.json("report", bench.path("page_ins-bad"), "--function=look_up")["rows"][0]["major_fault_intervals_exclusive"] == 0:
        raise lab.Skip("files are kept in memory here")
    one = findings.present(found, "CF0309", "look_up", r"likely has most of [\d.]+ m?s of waiting for pages that are read from a disk", least=10)
    findings.at(one, "page_ins.c", "look_up(const volatile char *file)")
    findings.absent(findings.look(bench, program, "fine"), "CF0309", "CF0308")


@findings.test("more threads than processors", quiet=True)
def preempted(bench):
    program = findings.build(bench, "preempted.c")
    findings.present(findings.look(bench, program, "bad"), "CF0310", None, r"threads at a time are ready to run, on \d+ processor")
    findings.absent(findings.look(bench, program, "fine"), "CF0310")


@findings.test("more threads than processors, of two machines", quiet=True)
def preempted_on_two(bench):
    """Which are told apart by their names. Both have this one's processors."""
    if bench.run("unshare", "--uts", "true").returncode:
        raise lab.Skip("hosts cannot be given other names here")
    program = findings.build(bench, "preempted.c")

    def record():
        for run in [bench.start("unshare", "--uts", "sh", "-c", f"hostname {host} && exec ./{program} bad", env={"CINSTR_DATA": "both/%h"})
                    for host in ("alpha", "beta")]:
            lab.equal(run.communicate(timeout=lab.TIMEOUT)[1:] + (run.returncode,), ("", 0), "the run")
        bench.run(lab.COMMAND, "merge", "-o", "merged", "both", status=0)
        return [findings.findings(bench, session) for session in ("both", "merged")]

    processors = 2 * os.sysconf("SC_NPROCESSORS_ONLN")
    for found in findings.recorded(bench, "both", record):
        findings.present(found, "CF0310", None, f"are ready to run, on {processors} processors of 2 machines: they wait")


@findings.test("the kernel, by samples")
def sampled(bench):
    """Which function asks it for what; a program that computes has none of it."""
    for source, rule, subject, pattern in (
            ("page_faults.c", "CF0321", "draw", "page faults"),
            ("stat_loop.c", "CF0322", "has_changed", "the kernel works for its calls of (f?statx?|fstatat|newfstatat)"),
    ):
        program = bench.compile(findings.FOLDER + source, source[:-2], "-O2", "-g", "-D_GNU_SOURCE", plugin=None)
        session = "samples-" + source

        def record(program=program, session=session):
            bench.run(lab.COMMAND, "record", "--sample=100us", "-o", session, program, "bad", status=0)
            rows = bench.json("report", bench.path(session))["rows"]
            if all(row["name"] != "[kernel]" for row in rows):
                raise lab.Skip("samples of the kernel are not to be had here")
            return findings.findings(bench, session)

        findings.present(findings.recorded(bench, session, record), rule, subject, pattern)
    program = bench.compile(findings.FOLDER + "preempted.c", "preempted", "-O2", "-pthread", plugin=None)
    bench.run(lab.COMMAND, "record", "--sample=1ms", "-o", "computes", program, "bad", status=0)
    findings.absent(findings.findings(bench, "computes"), "CF03")
