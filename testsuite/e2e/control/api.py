# SPDX-License-Identifier: GPL-3.0-or-later
"""cinstr.h: every function at every level, from threads, handlers, other processes; and that it
costs nothing without a runtime."""
import glob
import mmap
import os
import re
import struct
import subprocess
import time

import lab
from lab import wait_for

INCLUDE = lab.INCLUDE
SAME = ["-fno-inline", "-fno-optimize-sibling-calls", "-fno-builtin", "-fno-ipa-icf", "-pthread", INCLUDE]
CONTROL = 2048  # CINSTR_CONTROL_OFFSET


def record(bench, mode, *flags, env=None, source="programs/api.c", status=0):
    program = bench.compile(source, "program", *(flags or ["-O2"]), *SAME)
    return bench.run(program, mode, env=env, status=status)


def calls(bench, expected):
    rows = bench.functions()
    lab.equal({name: rows[name]["calls"] if name in rows else None for name in expected}, expected, "calls")


def balanced(bench):
    totals = bench.sound()
    lab.equal(totals["enters"], totals["exits"] + totals["implicit_exits"] + totals["open_frames"], "enters")
    lab.equal(totals["unbalanced_events"], 0, "unbalanced_events")
    return totals


def statuses(run):
    return [int(line.rsplit(": ", 1)[1]) for line in run.stdout.splitlines() if re.fullmatch(r".*\): \d+", line)]


def marks(bench):
    """[seconds, text] of each mark, in the order of their moments."""
    lines = [line.split("\t") for line in bench.cinstr("info", "--marks", bench.path("cinstr.data")).splitlines()]
    return [[float(line[0]) / 1e9, line[3]] for line in lines]


TOGGLED = [0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0]

for level in "O0", "O2":
    @lab.test(f"api/levels-{level}")
    def all_levels(bench, level=level):
        run = record(bench, "levels", "-" + level)
        lab.equal(statuses(run), TOGGLED * 3, "statuses")
        calls(bench, {"leaf": 13, "toggled": 3, "inner": None, "levels": 1, "main": 1})
        totals = balanced(bench)
        lab.equal(totals["pauses"], 7, "pauses")
        lab.equal(totals["implicit_exits"] + totals["repaired_frames"] + totals["orphan_events"], 0, "guesses")

    @lab.test(f"api/off and on in other frames-{level}")
    def frames(bench, level=level):
        record(bench, "frames", "-" + level)
        calls(bench, {"leaf": 18 + 12 + 1, "off_in_here": 18, "on_in_here": 0, "frames": 1})
        totals = balanced(bench)
        lab.equal(totals["repaired_frames"], 12, "frames of on_in_here, entered while off")
        lab.equal(totals["implicit_exits"], 18, "frames of off_in_here, left while off")
        tree = bench.tree()
        lab.equal(sorted(tree["main"][1]["frames"][1]), ["leaf", "off_in_here", "on_in_here"], "what frames() calls")


ODD = [3, 3, 4, 4, 0, 5, 5, 0, 6, 0, 0, 2, 3, 8, 8, 8, 8, 0, 7, 6, 4, 12, 0]


@lab.test("api/statuses")
def odd(bench):
    run = record(bench, "odd")
    lab.equal(statuses(run), ODD, "statuses")
    lab.check("errno 77\n" in run.stdout, "errno was changed")
    texts = [line.split(" ", 1)[1] for line in run.stdout.splitlines() if line[0].isdigit()]
    lab.equal(len(set(texts)), 15, "different texts of statuses")
    found = [text for _, text in marks(bench)]
    lab.equal(sorted(found), sorted(["half a second ago", "", "two words", "x" * 1000, ""]), "marks")
    lab.equal([row["name"] for row in bench.report(by="process")["rows"]], ["the-server"], "name of the process")
    lab.check("a-name-of-more-than-thirty-one-" in [row["name"] for row in bench.report(by="thread")["rows"]],
              "the thread has not its name")
    balanced(bench)


@lab.test("api/without a runtime")
def nothing_there(bench):
    program = bench.compile("programs/api.c", "program", "-O2", *SAME)
    plain = bench.compile("programs/api.c", "plain", "-O2", *SAME, plugin=None)
    for mode, n in ("levels", 36), ("odd", 23), ("load", None):
        expected = bench.run(plain, mode, status=0)
        got = bench.run(program, mode, env={"CINSTR": "off"}, status=0)
        lab.same_run(got, expected)
        if n:
            lab.equal(len(statuses(got)), n, "statuses")
            lab.equal(sorted(set(statuses(got))), [0, 1] if mode == "levels" else [1], "statuses: is_on 0, the others 1")
    lab.equal(bench.sessions(), [], "session folders")


@lab.test("api/other threads")
def others(bench):
    run = record(bench, "others")
    lab.equal(statuses(run), [0, 0, 0, 0, 0, 4], "statuses")
    balanced(bench)
    threads = {row["name"]: row for row in bench.report(by="thread")["rows"]}
    lab.check("worker" in threads, f"no thread has the name: {list(threads)}")
    # The worker asks before and after each call. It is on or off as soon as somebody else wants it,
    # and its probes a moment later: they have 20,000 calls for that, of 420,000 while it is off and
    # of 100,000 when it is on again.
    off, between, on = map(int, re.search(r"^work (\d+) (\d+) (\d+)$", run.stdout, re.M).groups())
    lab.check(off >= 21 * 20000 - 1 and between <= 2 and on >= 5 * 20000 - 1, f"{off} calls while it was off, {on} while on, {between} between")
    work = bench.functions()["work"]["calls"]
    lab.check(abs(work - on) <= 20000, f"{work} calls of work, {on} while it was on")


@lab.test("api/other processes")
def processes(bench):
    run = record(bench, "processes")
    lab.equal(statuses(run), [0, 0, 0, 0, 0, 4], "statuses")
    lab.equal([line for line in run.stdout.splitlines() if "): " not in line],
              ["off y", "own 1", "on y", "off y", "on y", "done"], "what the child saw")
    calls(bench, {"leaf": 5 + 7 + 2})
    balanced(bench)
    lab.check("the-child" in [row["name"] for row in bench.report(by="process")["rows"]], "the child has no name")
    said = [text for _, text in marks(bench)]
    for text in ("process stopped from outside", "process started from outside", "session suspended by the program",
                 "session suspended from outside", "session resumed by the program", "session resumed from outside"):
        lab.equal(said.count(text), 1, f"marks {text!r}")


@lab.test("api/storm of handlers that toggle")
def storm(bench):
    run = record(bench, "storm")
    lab.equal(run.stdout, "done\n", "output")
    totals = balanced(bench)
    lab.check(totals["pauses"] > 500, f"only {totals['pauses']} pauses")


for more in "CINSTR_RESTARTABLE=off", "CINSTR_CLOCK=monotonic":
    @lab.test(f"api/storm of handlers that toggle, {more}")
    def storm_of_others(bench, more=more):
        record(bench, "storm", env=dict([more.split("=")]))
        balanced(bench)


@lab.test("api/threads and forks while others toggle")
def stress(bench):
    run = record(bench, "100", source="programs/apistress.c")
    lab.equal(run.stdout, "0 bad\n", "output")
    totals = balanced(bench)
    lab.equal((totals["processes"], totals["lost_threads"]), (101, 0), "processes, threads lost")


ALL_PATHS = {"CINSTR_PATHS": "1000000"}


@lab.test("api/toggled 1000 times while four threads recurse")
def under_load(bench):
    record(bench, "load", env=ALL_PATHS)
    totals = balanced(bench)
    lab.check(totals["pauses"] > 500, f"only {totals['pauses']} pauses")
    recursion_below_run(bench)


def recursion_below_run(bench):
    """Nothing but a recursion that hangs below run: what was open when recording came on was found
    again."""
    tree = bench.tree()
    depth, node = 0, tree["run"][1]
    while "recurse" in node:
        lab.check(set(node) <= {"recurse", "leaf"}, f"below recurse: {sorted(node)}")
        depth, node = depth + 1, node["recurse"][1]
    lab.check(201 <= depth <= 202, f"depth of the recursion: {depth}")
    lab.check(set(tree) <= {"main", "run", "recurse", "leaf"}, f"outermost functions: {sorted(tree)}")


@lab.test("api/paused from the start")
def paused(bench):
    run = record(bench, "paused", env={"CINSTR_START": "paused"})
    lab.equal(run.stdout, "on 0\ndone\n", "output")
    calls(bench, {"started": 2, "leaf": 6, "inner": 2, "main": None, "paused": 0})
    totals = balanced(bench)
    rows = bench.functions()
    lab.check(rows["started"]["elapsed_inclusive_ns"] <= totals["elapsed_inclusive_ns"], "times")
    lab.check(totals["elapsed_inclusive_ns"] < totals["duration_ns"], "paused time was counted")
    lab.equal([row["name"] for row in bench.report(by="thread")["rows"]], ["paused-one"], "name of the thread")
    lab.equal([text for _, text in marks(bench)],
              ["process stopped from its start"] + ["process started by the program",
                                                    "process stopped by the program"] * 2, "marks")


@lab.test("api/paused, and never started")
def never_started(bench):
    program = bench.compile("programs/api.c", "program", "-O2", *SAME)
    plain = bench.compile("programs/api.c", "plain", "-O2", *SAME, plugin=None)
    lab.same_run(bench.run(program, "", env={"CINSTR_START": "paused"}), bench.run(plain, ""))
    lab.equal(bench.report()["rows"], [], "rows")


@lab.test("api/a child begins in its parent's state")
def inherit(bench):
    run = record(bench, "inherit")
    lab.equal(run.stdout, "child 0\nparent 0\ndone\n", "output")
    calls(bench, {"leaf": 4 + 2, "inner": 2})
    balanced(bench)


@lab.test("api/moments of marks")
def moments(bench):
    source = bench.write("moments.c", """
        #include <stdio.h>
        #include <time.h>
        #include <unistd.h>
        #include "cinstr.h"
        int main(void) {
            struct timespec now, after;
            usleep(50000);
            clock_gettime(CLOCK_MONOTONIC, &now);
            cinstr_mark_text(1, "first");
            clock_gettime(CLOCK_MONOTONIC, &after);
            usleep(100000);
            cinstr_mark_text(2, "last");
            printf("%lld\\n", (after.tv_sec - now.tv_sec) * 1000000000LL + after.tv_nsec - now.tv_nsec);
            return cinstr_mark_at(now.tv_sec * 1000000000LL + now.tv_nsec, 3, "then");
        }
        """)
    around = int(bench.run(bench.compile(source, "program", "-O2", INCLUDE), status=0).stdout) / 1e9
    found = {text: seconds for seconds, text in marks(bench)}
    lab.check(found["last"] - found["first"] >= 0.1, f"{found}")
    lab.check(-0.001 < found["first"] - found["then"] < around + 0.001, f"a mark at a given time is off: {found}, {around}")


@lab.test("api/the time of a call is the runtime's own")
def own_time(bench):
    source = bench.write("many.c", """
        #include "cinstr.h"
        __attribute__((noinline)) int marks(void) {
            int bad = 0;
            for (int i = 0; i < 20000; i++)
                bad += cinstr_mark(0) != CINSTR_RESERVED;
            return bad;
        }
        int main(void) { return marks(); }
        """)
    bench.run(bench.compile(source, "program", "-O2", INCLUDE), status=0)
    totals = balanced(bench)
    # Not elapsed: others may take the processor away meanwhile.
    inclusive = bench.functions()["marks"]["application_inclusive_ns"]
    lab.check(inclusive < totals["runtime_ns"], f"{inclusive} ns in marks(), {totals['runtime_ns']} ns the runtime's")


@lab.test("api/scopes of C++")
def guards(bench):
    run = record(bench, "", source="programs/guards.cc")
    lab.equal(run.stdout, "done\n", "output")
    # quiet() and nested() are entered while on; their leaves are not.
    calls(bench, {"_Z4leafv": 2 + 4 + 1 + 1, "_Z5quieti": 4, "_Z6nestedi": 4, "_Z4loudv": 0})
    balanced(bench)
    lab.equal([text for _, text in marks(bench) if text == "loud"], ["loud"], "marks")


@lab.test("api/VSPerf.h")
def vsperf(bench):
    run = record(bench, "", source="programs/vsperf.c")
    lab.equal(statuses(run), [0, 2, 0, 0, 0, 0, 0, 3, 4, 0, 3, 0, 0, 0, 2, 5, 3], "return codes")
    calls(bench, {"leaf": 3})
    balanced(bench)
    lab.equal([row["name"] for row in bench.report(by="process")["rows"]], ["vsperf"], "name of the process")
    # Without a runtime.
    plain = bench.compile("programs/vsperf.c", "plain", "-O2", INCLUDE, plugin=None)
    lab.equal(statuses(bench.run(plain, status=0)), [2, 1, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 7, 7, 7, 7], "codes without it")


LIBRARY = """
    #include "cinstr.h"
    static volatile int sink;
    __attribute__((noinline)) void in_library(void) { sink++; }
    int library(void) {
        int status = cinstr_suspend(CINSTR_THREAD, CINSTR_SELF) * 10;
        in_library();
        status += cinstr_resume(CINSTR_THREAD, CINSTR_SELF);
        in_library();
        return status;
    }
    """
PROGRAM = """
    #include <stdio.h>
    #include "cinstr.h"
    int library(void);
    static volatile int sink;
    __attribute__((noinline)) void in_program(void) { sink++; }
    int main(void) {
        int status = library();
        in_program();
        printf("%d %d\\n", status, cinstr_mark_text(1, "from the program"));
        return 0;
    }
    """


@lab.test("api/in a library and in the program, each with and without probes")
def libraries(bench):
    library, program = bench.write("library.c", LIBRARY), bench.write("program.c", PROGRAM)
    for n, (in_library, in_program) in enumerate([(1, 1), (1, 0), (0, 1), (0, 0)]):
        name = f"lib{n}.so"
        bench.compile(library, name, "-O2", "-shared", "-fPIC", INCLUDE, plugin=lab.PLUGIN if in_library else None)
        bench.compile([program, bench.path(name)], f"program{n}", "-O2", INCLUDE, f"-Wl,-rpath,{bench.folder}",
                      plugin=lab.PLUGIN if in_program else None)
        run = bench.run(bench.path(f"program{n}"), status=0, env={"CINSTR_DATA": bench.path(f"data{n}")})
        lab.equal(run.stdout, "0 0\n" if in_library or in_program else "11 1\n", "statuses")
        if not (in_library or in_program):
            lab.check(not os.path.exists(bench.path(f"data{n}")), "a session without probes")
            continue
        rows = bench.functions(f"data{n}")
        lab.equal(rows.get("in_library", {"calls": 0})["calls"], in_library, "calls of in_library")
        bench.sound(f"data{n}")


WAYS = {
    "static": ("-O2", "-static", "-L" + lab.BUILD, "-lcinstr"),
    "static pie": ("-O2", "-static-pie", "-L" + lab.BUILD, "-lcinstr"),
    "linked -lcinstr": ("-O2", "-Wl,--no-as-needed", "-L" + lab.BUILD, "-Wl,-rpath," + lab.BUILD, "-lcinstr"),
    "lto": ("-O2", "-flto"),
    "whole program": ("-O2", "-fwhole-program"),
    "gc-sections": ("-O2", "-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections"),
    "no-pie": ("-O2", "-no-pie", "-fno-pie"),
    "stripped": ("-O2", "-s"),
    "intel syntax": ("-O2", "-masm=intel"),
}

for way, options in WAYS.items():
    @lab.test(f"api/built: {way}")
    def built(bench, options=options):
        run = record(bench, "levels", *options)
        lab.equal(statuses(run), TOGGLED * 3, "statuses")
        calls(bench, {"leaf": 13})
        balanced(bench)


@lab.test("api/static without the runtime")
def static_without(bench):
    run = record(bench, "levels", "-O2", "-static")
    lab.equal(sorted(set(statuses(run))), [0, 1], "statuses")
    lab.equal(bench.sessions(), [], "session folders")


@lab.test("api/two units, one variable")
def two_units(bench):
    one = bench.write("one.c", '#include "cinstr.h"\nint other(void);\nint main(void) { return cinstr_mark(1) + other(); }\n')
    two = bench.write("two.c", '#include "cinstr.h"\nint other(void) { return cinstr_mark(2); }\n')
    program = bench.compile([one, two], "program", "-O2", INCLUDE)
    bench.run(program, status=0)
    lab.equal(len(marks(bench)), 2, "marks")
    symbols = subprocess.run(["nm", program], capture_output=True, text=True).stdout
    lab.equal(symbols.count("cinstr_api_v1"), 1, "variables")


HEADERS = ["cinstr.h", "cinstr.hpp", "cinstr/VSPerf.h"]


@lab.test("api/headers compile alone")
def headers(bench):
    strict = ["-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only", INCLUDE]
    done = 0
    for compiler, standards in (("gcc", "c89 c99 c11 gnu17"), ("gcc-11", "c99"), ("gcc-12", "c99"), ("clang", "c89 c99 c11"),
                                ("g++", "c++98 c++11 c++20"), ("g++-11", "c++98 c++20"), ("g++-12", "c++98 c++20"),
                                ("clang++", "c++98 c++20")):
        for standard in standards.split():
            for header in HEADERS:
                if header.endswith("hpp") and "++" not in standard:
                    continue
                source = bench.write("unit.cc" if "++" in standard else "unit.c",
                                     f'#include "{header}"\nint unit(void);\nint unit(void)\n{{\n\treturn cinstr_is_on();\n}}\n')
                try:
                    run = bench.run(compiler, "-std=" + standard, *strict, source)
                except FileNotFoundError:
                    continue
                lab.equal((run.returncode, run.stderr), (0, ""), f"{compiler} -std={standard} {header}")
                done += 1
    lab.check(done >= 10, f"only {done} compilations")


@lab.test("api/without a runtime a call is a load and a branch")
def price(bench):
    source = bench.write("price.c", '#include "cinstr.h"\nint f(void) { return cinstr_stop(CINSTR_PROCESS, CINSTR_SELF); }\n')
    bench.compile(source, "price.o", "-O2", "-c", "-fcf-protection=none", INCLUDE, plugin=None)
    lines = bench.run("objdump", "-d", "--no-show-raw-insn", bench.path("price.o"), status=0).stdout.splitlines()
    start = next(i for i, line in enumerate(lines) if "<f>:" in line)
    words = [line.split("\t")[1].split()[0] for line in lines[start + 1:start + 4]]
    lab.equal(words, ["mov", "test", "je"], "how it begins")


# ---- from outside: anybody who may write the files -----------------------------------------------

class Block:
    def __init__(self, path):
        self.file = open(path, "r+b")
        self.map = mmap.mmap(self.file.fileno(), 4096)

    def add(self, field, n):
        (old,) = struct.unpack_from("<I", self.map, CONTROL + 4 * field)
        struct.pack_into("<I", self.map, CONTROL + 4 * field, (old + n) & 0xffffffff)

    def put(self, field, value):
        struct.pack_into("<I", self.map, CONTROL + 4 * field, value)
        self.add(0, 1)  # epoch

    def get(self, field):
        return struct.unpack_from("<I", self.map, CONTROL + 4 * field)[0]


EPOCH, STOPPED, SUSPENSIONS, STARTED_LATER, FLUSHES = range(5)
CHOICE_STATE, CHOICE_RESULT = 14, 15


def running(bench, env=None, waits_ms=0):
    """A program that runs until told, and reads at once what it is told; it has no events for so
    long."""
    source = bench.write("loop.c", """
        #include <stdio.h>
        #include <unistd.h>
        static volatile int sink;
        __attribute__((constructor)) static void early(void) { usleep(WAITS_MS * 1000); }
        __attribute__((noinline)) void leaf(void) { sink++; }
        int main(int argc, char **argv) {
            FILE *stop;
            while (!(stop = fopen(argv[1], "r")))
                for (int i = 0; i < 1000; i++)
                    leaf();
            return fclose(stop) + argc - 2;
        }
        """)
    program = bench.compile(source, "loop", "-O2", INCLUDE, f"-DWAITS_MS={waits_ms}", "-fplugin-arg-cinstr-exclude=early")
    process = bench.start(program, bench.path("stop"), env=env)
    wait_for(lambda: glob.glob(bench.path("cinstr.data", "loop.*.cinstr")), "data file")
    return process, glob.glob(bench.path("cinstr.data", "loop.*.cinstr"))[0]


def finish(bench, process):
    bench.write("stop", "")
    lab.equal(process.wait(timeout=lab.TIMEOUT), 0, "exit status")


def events(bench):
    return bench.report()["session"]["events"]


@lab.test("api/from outside")
def outside(bench):
    process, path = running(bench)
    session = Block(bench.path("cinstr.data", "session"))
    wait_for(lambda: events(bench) > 0, "events")
    for block in Block(path), session:
        block.put(STOPPED, 1)
        before = lab.settled(lambda: events(bench), process.pid)
        block.put(STOPPED, 0)
        wait_for(lambda: events(bench) > before, "started")
    finish(bench, process)
    balanced(bench)
    lab.equal([text for _, text in marks(bench)],
              [f"{level} {what} from outside" for level in ("process", "session") for what in ("stopped", "started")],
              "marks")


@lab.test("api/toggled 1000 times by another process while four threads recurse")
def under_load_from_outside(bench):
    program = bench.compile("programs/api.c", "program", "-O2", *SAME)
    process = bench.start(program, "until", bench.path("stop"), env=ALL_PATHS)
    pattern = bench.path("cinstr.data", "program.*.cinstr")
    wait_for(lambda: glob.glob(pattern), "data file")
    blocks = Block(glob.glob(pattern)[0]), Block(bench.path("cinstr.data", "session"))
    lab.let_run(process.pid, 0.1)

    def toggled():
        """More often than 1000 times where the threads do not get the processor in between."""
        for i in range(2000):
            blocks[i // 2 % 2].put(STOPPED, 1 - i % 2)
            time.sleep(0.0005)
        return bench.report()["session"]["pauses"] > 500

    wait_for(toggled, "pauses")
    finish(bench, process)
    totals = balanced(bench)
    lab.check(totals["pauses"] > 500, f"only {totals['pauses']} pauses")
    recursion_below_run(bench)


REGISTERS = """
    #include <stdint.h>
    #include <stdio.h>
    #include <unistd.h>
    /* Much is live at each line: registers, flags, floating point. */
    static uint64_t mix(uint64_t n, double *sum)
    {
        uint64_t a = n, b = n ^ 0x9e3779b97f4a7c15u, c = n * 3, d = n + 7, e = 1, f = 2, g = 3, h = 4;
        for (int i = 0; i < 64; i++) {
            a += b ^ (c >> 3);
            b = (b << 7) | (b >> 57);
            c -= a;
            d ^= c + (a < b);
            e += d * 5;
            f ^= e >> 11;
            g += f + (e < f);
            h = h * 31 + g;
            *sum += (double)(h & 255) * 0.5;
        }
        return a ^ b ^ c ^ d ^ e ^ f ^ g ^ h;
    }
    int main(int argc, char **argv)
    {
        double sum = 0;
        uint64_t all = 0, n = 0;
        while (n < 20000 || (argc > 1 && access(argv[1], F_OK))) {
            if (n % 20000 == 0)
                all = sum = 0;
            all = all * 17 + mix(n++ % 20000, &sum);
            if (n % 20000 == 0) {
                printf("%llx %.1f\\n", (unsigned long long)all, sum);
            }
        }
        return 0;
    }
    """


@lab.test("api/registers at lines while it is toggled")
def registers(bench):
    """Line probes stand anywhere: whatever happens in them, the program computes the same."""
    source = bench.write("registers.c", REGISTERS)
    plain = bench.compile(source, "plain", "-O2", plugin=None)
    program = bench.compile(source, "program", "-O2", "-fplugin-arg-cinstr-lines")
    expected = bench.run(plain, status=0).stdout
    lines = {"CINSTR_PROBES": "lines"}
    paused_run = bench.run(program, env=dict(lines, CINSTR_START="paused", CINSTR_DATA=bench.path("first")), status=0)
    lab.equal(paused_run.stdout, expected, "output while paused")
    with open(bench.path("output"), "w") as output:
        process = subprocess.Popen([program, bench.path("stop")], stdout=output, cwd=bench.folder,
                                   env=bench.environment(lines))
        bench.started.append(process)
        pattern = bench.path("cinstr.data", "program.*.cinstr")
        wait_for(lambda: glob.glob(pattern), "data file")
        block = Block(glob.glob(pattern)[0])

        def toggled():
            for i in range(1000):
                block.put(STOPPED, 1 - i % 2)
                time.sleep(0.001)
            return bench.report()["session"]["pauses"] > 20

        wait_for(toggled, "pauses")
        finish(bench, process)
    with open(bench.path("output")) as output:
        lab.equal(set(output), {expected}, "output while toggled")
    totals = bench.sound()
    lab.check(totals["pauses"] > 20, f"only {totals['pauses']} pauses")


@lab.test("api/from outside: paused, then started with the session")
def started_later(bench):
    process, path = running(bench, env={"CINSTR_START": "paused"})
    block, session = Block(path), Block(bench.path("cinstr.data", "session"))
    lab.let_run(process.pid, 0.1)
    lab.equal((block.get(STOPPED), events(bench)), (1, 0), "stopped, events")
    session.put(STARTED_LATER, 1)
    block.put(STOPPED, 0)
    wait_for(lambda: events(bench) > 0, "started")
    # One that comes now begins started.
    bench.run(bench.path("loop"), bench.path("loop.c"), env={"CINSTR_START": "paused",
                                                             "CINSTR_SESSION": bench.path("cinstr.data")}, status=0)
    finish(bench, process)
    others = [name for name in os.listdir(bench.path("cinstr.data")) if name != os.path.basename(path)]
    lab.equal(sorted(others)[1:], ["session"], "files besides")
    rows = bench.functions()
    lab.equal(rows["main"]["calls"], 1, "calls of main, by the second one")
    balanced(bench)


@lab.test("api/choosing")
def choosing(bench):
    source = bench.write("choosing.c", """
        #include "cinstr.h"
        static volatile int sink;
        __attribute__((noinline)) void first(void) { sink++; }
        __attribute__((noinline)) void second(void) { sink++; }
        __attribute__((noinline)) void both(int n) { for (int i = 0; i < n; i++) { first(); second(); } }
        int main(void) {
            both(10);
            if (cinstr_choose("not=second"))
                return 1;
            both(100);
            if (cinstr_choose("all"))
                return 2;
            both(1000);
            return cinstr_choose(0) != CINSTR_BAD_RULES;
        }
        """)
    bench.run(bench.compile(source, "program", "-O2", "-fno-builtin", INCLUDE), status=0)
    rows = bench.functions()
    lab.equal(rows["first"]["calls"], 1110, "calls of first")
    lab.check(1010 <= rows["second"]["calls"] <= 1110, f"{rows['second']['calls']} calls of second")
    bench.sound()


def choose(block, rules):
    block.map[CONTROL + 64:CONTROL + 64 + len(rules) + 1] = rules.encode() + b"\0"
    block.put(CHOICE_STATE, 2)
    wait_for(lambda: block.get(CHOICE_STATE) == 3, "choice")
    return struct.unpack_from("<i", block.map, CONTROL + 4 * CHOICE_RESULT)[0]


@lab.test("api/choosing before the first event")
def choosing_early(bench):
    process, path = running(bench, waits_ms=300)
    lab.equal(choose(Block(path), "only=nobody"), 0, "only=nobody")
    finish(bench, process)


@lab.test("api/choosing from outside")
def choosing_outside(bench):
    process, path = running(bench)
    block = Block(path)
    lab.equal(choose(block, "nonsense"), -22, "nonsense")
    wait_for(lambda: events(bench) > 0, "events")
    lab.equal(choose(block, "only=nobody"), 0, "only=nobody")
    lab.settled(lambda: events(bench), process.pid)
    finish(bench, process)
    bench.sound()


@lab.test("api/a session whose file has no room for a control block")
def small_session(bench):
    """As on a full disk: recorded, on, and its state cannot be changed."""
    os.mkdir(bench.path("small"))
    bench.write("small/session", "cinstr session\n")
    program = bench.compile("programs/api.c", "program", "-O2", *SAME)
    run = bench.run(program, "levels", env={"CINSTR_SESSION": bench.path("small")}, status=0)
    denied = [10 if status == 0 else status for status in TOGGLED]
    for on in 1, 7, 9:
        denied[on] = 1
    lab.equal(statuses(run), denied + TOGGLED * 2, "statuses")
    bench.sound("small")
    lab.equal(os.path.getsize(bench.path("small", "session")), 15, "bytes of its file")


LAYOUT = """
    #include <stddef.h>
    #include <stdio.h>
    #include "cinstr/format.h"
    int main(void) {
        printf("%d %zu %zu %zu %zu", CINSTR_SEG_THREAD, offsetof(struct cinstr_thread, commit),
               offsetof(struct cinstr_thread, states), sizeof(struct cinstr_fold_state),
               offsetof(struct cinstr_fold_state, records));
        return 0;
    }
    """


@lab.test("api/a flush from outside")
def flush(bench):
    """A flush from outside folds what a thread has in its buffer: the committed state has all
    events."""
    source = bench.write("few.c", """
        #include <stdio.h>
        #include <unistd.h>
        static volatile int sink;
        __attribute__((noinline)) void leaf(void) { sink++; }
        int main(int argc, char **argv) {
            for (int i = 0; i < 100; i++)
                leaf();
            puts("called");
            fflush(stdout);
            while (access(argv[1], F_OK))
                usleep(50000); /* not so often that the buffer fills */
            return argc - 2;
        }
        """)
    program = bench.compile(source, "few", "-O2")
    process = bench.start(program, bench.path("stop"))
    wait_for(lambda: glob.glob(bench.path("cinstr.data", "few.*.cinstr")), "data file")
    path = glob.glob(bench.path("cinstr.data", "few.*.cinstr"))[0]

    kind_wanted, commit_at, states_at, state_bytes, records_at = map(int, bench.run(bench.compile(bench.write(
        "layout.c", LAYOUT), "layout", INCLUDE, plugin=None)).stdout.split())

    def committed():
        """Records of the first thread's committed state: from the file itself, nothing
        completed."""
        with open(path, "rb") as file:
            data = file.read()
        at = 4096
        while at + 64 <= len(data):
            magic, kind, size = struct.unpack_from("<IIQ", data, at)
            if magic != 0x31474553:
                break
            if kind == kind_wanted:
                commit = struct.unpack_from("<Q", data, at + 64 + commit_at)[0]
                state = at + 64 + states_at + (commit & 1) * state_bytes
                return struct.unpack_from("<Q", data, state + records_at)[0]
            at += size
        return 0

    lab.equal(process.stdout.readline(), "called\n", "output")
    lab.equal(committed(), 0, "records that are folded before")
    block = Block(path)
    block.add(FLUSHES, 1)
    block.add(EPOCH, 1)
    wait_for(lambda: committed() >= 200, "flush")
    finish(bench, process)
    balanced(bench)
