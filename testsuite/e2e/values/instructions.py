# SPDX-License-Identifier: GPL-3.0-or-later
"""Counters of -fplugin-arg-cinstr-instructions: exact, however threads and processes come and end
(testsuite/lab/segments.py reads them)."""
import bisect
import csv
import glob
import io
import os
import struct

import lab
import segments

OPTION = "-fplugin-arg-cinstr-instructions"


def first_of(counts, path, name):
    """How often the first counted instruction of the function was executed."""
    start = next(address for address, symbol in segments.symbols_of(path) if symbol == name)
    addresses = sorted(counts)
    return counts[addresses[bisect.bisect_left(addresses, start)]]


def most_of(counts, path, name):
    """Executions of the function's instruction that was executed most."""
    symbols = segments.symbols_of(path)
    i = next(i for i, (_, symbol) in enumerate(symbols) if symbol == name)
    end = symbols[i + 1][0] if i + 1 < len(symbols) else 1 << 62
    return max(count for address, count in counts.items() if symbols[i][0] <= address < end)


def compare(bench, program, *arguments):
    """With callgrind, instruction by instruction."""
    valgrind = lab.need("valgrind")
    out = bench.path("callgrind.out")
    counted = bench.run(program, *arguments, status=0)
    plain = bench.run(valgrind, "--tool=callgrind", "--dump-instr=yes", "--compress-pos=no", "--compress-strings=no",
                      f"--callgrind-out-file={out}", program, *arguments, env={"CINSTR": "off"}, status=0)
    lab.equal(counted.stdout, plain.stdout, "output")
    ours, texts, faults = segments.executions(program, bench.path("cinstr.data"))
    faults += segments.differences(ours, texts, segments.callgrind_of(out, program), program)
    lab.equal(faults, [], "differences")
    lab.check(sum(ours.values()) > 20000, f"only {sum(ours.values())} instructions")


@lab.test("instructions/each as often as callgrind says")
def exact(bench):
    for flags in (("-O0",), ("-O2", "-fcf-protection=full"), ("-Os", "-flto")):
        program = bench.compile("programs/instructions.cc", "program", "-fchecking", OPTION, *flags)
        compare(bench, program)
    compare(bench, bench.compile("programs/throwing.cc", "throwing", "-fchecking", OPTION, "-O3"))


@lab.test("instructions/of loops that are counted before their first iteration")
def loops(bench):
    for flags, most in (("-O1",), 6), (("-O2",), 6), (("-O3", "-fPIE"), 4), (("-Os", "-mno-red-zone"), 4), (("-O2", "-fno-omit-frame-pointer"), 6):
        program = bench.compile("programs/instructions_loops.c", "program", "-fchecking", OPTION, *flags)
        compare(bench, program)
        found = sum(1 for f, _, _ in segments.functions_of(program) for s in f if s.saved & segments.LOOP)
        lab.check(found >= most, f"{flags}: only {found} such loops")


@lab.test("instructions/of threads, too")
def threads(bench):
    program = bench.compile("programs/instructions.cc", "program", OPTION, "-O2")
    alone = bench.run(program, status=0)
    once, _, faults = segments.executions(program, bench.path("cinstr.data"))
    lab.equal(faults, [], "alone")
    together = bench.run(program, "threads", status=0)
    four, _, faults = segments.executions(program, bench.path("cinstr.data"))
    lab.equal((faults, together.stdout), ([], alone.stdout), "in threads")
    for name in ("risky", "catching", "by_table", "by_asm_goto"):
        symbol = next(s for _, s in segments.symbols_of(program) if name in s and "cold" not in s)
        lab.equal(first_of(four, program, symbol), first_of(once, program, symbol), name)


@lab.test("instructions/of processes that fork, load libraries, are interrupted and killed")
def processes(bench):
    library = bench.compile("programs/instructions_library.c", "library.so", OPTION, "-O2", "-shared", "-fPIC")
    program = bench.compile("programs/instructions.c", "program", OPTION, "-O2")
    for arguments, status in (((), 0), (("killed",), -9)):
        done = bench.run(program, library, *arguments, status=status)
        calls, rounds, library_calls = map(int, done.stdout.split())
        ours, _, faults = segments.executions(program, bench.path("cinstr.data"))
        lab.equal(faults, [], f"{arguments}")
        lab.equal(first_of(ours, program, "work"), calls, f"{arguments}: calls of work")
        lab.equal(most_of(ours, program, "work"), rounds, f"{arguments}: its rounds")
        ours, _, faults = segments.executions(library, bench.path("cinstr.data"))
        lab.equal((first_of(ours, library, "library_work"), faults), (library_calls, []), f"{arguments}: in the library")


def noted(session):
    """How many notes of segments the session's files have."""
    return sum(open(path, "rb").read().count(struct.pack("<I", segments.NOTE_SEGMENTS) + b"cinstr\0")
               for path in glob.glob(os.path.join(session, "*.cinstr")))


def told_of(bench, session, **more):
    """What is said of a session's functions: name, instructions, calls; and what is below them."""
    table = bench.cinstr("report", "--measure=instructions", "--format=csv", session, **more)
    return sorted(tuple(row[k] for k in ("name", "instructions", "calls")) for row in csv.DictReader(io.StringIO(table)))


@lab.test("instructions/segments are noted in the module's file if that can be recognized")
def notes(bench):
    files = {}
    for kind in "none", "sha1":
        flags = (OPTION, "-O2", "-Wl,--build-id=" + kind, "-ffunction-sections", "-fplugin-arg-cinstr-small=0")
        files[kind] = (bench.compile("programs/instructions.c", kind, *flags),
                       bench.compile("programs/instructions_library.c", kind + ".so", *flags, "-shared", "-fPIC"))
    for arguments, status in (((), 0), (("killed",), -9)):
        for kind, (program, library) in files.items():
            session = bench.path(f"{kind}{status}")
            counts = bench.run(program, library, *arguments, status=status, env={"CINSTR_DATA": session}).stdout.split()
            lab.equal(noted(session) > 0, kind == "none", f"{session} has notes of segments")
            told = {name: calls for name, _, calls in told_of(bench, session)}
            lab.equal((told["work"], told["library_work"]), (counts[0], counts[2]), f"{session}: {told}")
    program, library = files["sha1"]
    expected = told_of(bench, session)
    sites = [sorted({(row["name"], row["file"], row["line"]) for row in csv.DictReader(io.StringIO(
        bench.cinstr("tree", "--min-percent=0", "--format=csv", bench.path(kind))))}) for kind in ("none0", "sha10")]
    lab.equal(*sites, "names and places in tables without the notes of segments between them")
    lab.check(len(sites[0]) > 6, f"{sites[0]}")
    bench.cinstr("merge", "-o", bench.path("merged"), session)
    lab.equal(told_of(bench, bench.path("merged")), expected, "merged")
    os.rename(session, bench.path("elsewhere"))
    bench.cinstr("pack", bench.path("elsewhere"))
    bench.run("strip", library, status=0)
    lab.equal(told_of(bench, bench.path("elsewhere")), expected, "of a stripped library, in a session moved and packed")
    os.remove(library)
    for session in "elsewhere", "merged":
        told = bench.cinstr("report", "--measure=instructions", bench.path(session))
        lab.check("sha1.so: its file is gone" in told.replace("\n", " ") and "work" in told and "library_work" not in told, told)
    told = bench.cinstr("info", bench.path("elsewhere"))
    lab.check("counted, but its file is gone" in told, told)


@lab.test("instructions/while recording is on, and the sums add up")
def region(bench):
    program = bench.compile("programs/instructions.cc", "program", OPTION, "-O2", "-fplugin-arg-cinstr-region=catching")
    for arguments in ((), ("threads",)):
        bench.run(program, *arguments, status=0)
        ours, _, faults = segments.executions(program, bench.path("cinstr.data"), recorded=True)
        lab.equal(faults, [], f"{arguments}")
        names = {symbol: first_of(ours, program, symbol) for _, symbol in segments.symbols_of(program)
                 if "cold" not in symbol and ("risky" in symbol or "by_table" in symbol)}
        lab.equal(sorted(names.values()), [0, 1200], f"{arguments}: {names}")


@lab.test("instructions/nothing is counted when recording is off")
def off(bench):
    program = bench.compile("programs/instructions.cc", "program", OPTION, "-O2")
    on = bench.run(program, env={"CINSTR_DATA": bench.path("on")}, status=0)
    done = bench.run(program, env={"CINSTR": "off"}, status=0)
    lab.equal(done.stdout, on.stdout, "output")
    lab.check(not os.path.exists(bench.path("cinstr.data")), "there is a recording")


STARTER = """
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <ucontext.h>
int tick(int);
static volatile int at, is_there, goes_on, sum;
static pthread_t thread;
/* Before each of its steps, in the module of the function or not. */
static void before_step(int n, siginfo_t *info, void *context)
{
    unsigned long pc = ((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP], start = (unsigned long)tick;
    if (pc < start || pc - start > 1000 || at-- != 0) return;
    is_there = 1;
    while (!goes_on) ;
}
static void *run(void *unused)
{
    struct sigaction action = { .sa_flags = SA_SIGINFO, .sa_sigaction = before_step };
    sigaction(SIGTRAP, &action, 0);
    __asm__ volatile("pushfq; orl $0x100, (%%rsp); popfq" ::: "memory", "cc");
    sum = tick(4);
    __asm__ volatile("pushfq; andl $~0x100, (%%rsp); popfq" ::: "memory", "cc");
    if (!is_there) is_there = 2;
    return 0;
}
__attribute__((constructor)) static void start(void)
{
    at = atoi(getenv("STEP"));
    pthread_create(&thread, 0, run, 0);
    while (!is_there) ;
}
int finish(void)
{
    goes_on = 1;
    pthread_join(thread, 0);
    return sum == 8 ? is_there - 1 : 9;
}
"""


@lab.test("instructions/of what threads of other libraries run already, wherever they are")
def threads_before(bench):
    with open(bench.path("starter.c"), "w") as file:
        file.write(STARTER)
    with open(bench.path("called.c"), "w") as file:
        file.write("int tick(int n) { int sum = 0; while (n-- > 0) sum += n & 1 ? n : 2; return sum; }")
    with open(bench.path("main.c"), "w") as file:
        file.write("int tick(int n); int finish(void); int main(void) { int end = finish(); return tick(4) == 8 ? end : 8; }")
    with open(bench.path("loader.c"), "w") as file:
        file.write("""#include <dlfcn.h>
            int main(int n, char **words)
            {
                void *library = dlopen(words[n - 1], RTLD_NOW);
                int end = ((int (*)(void))dlsym(library, "finish"))();
                return ((int (*)(int))dlsym(library, "tick"))(4) == 8 ? end : 8;
            }""")
    starter = bench.compile(bench.path("starter.c"), "libstarter.so", "-w", "-O2", "-shared", "-fPIC", "-pthread", plugin=None)
    called = bench.compile(bench.path("called.c"), "libcalled.so", OPTION, "-O1", "-shared", "-fPIC", "-Wl,--no-as-needed",
                           starter)
    program = bench.compile(bench.path("main.c"), "program", "-O2", "-Wl,--no-as-needed", called, starter, plugin=None)
    loader = bench.compile(bench.path("loader.c"), "loader", OPTION, "-O2", "-w")
    for command in (program,), (loader, called):
        step, ended = 0, 0
        while not ended:
            done = bench.run(*command, status=None, env={"STEP": str(step), "CINSTR_NOT": "*"})
            lab.check(done.returncode in (0, 1), f"{command}: ended with {done.returncode}, stopped before step {step}")
            lab.equal(done.stderr, "", f"told by {command}")
            ours, _, _ = segments.executions(called, bench.path("cinstr.data"))
            lab.check(first_of(ours, called, "tick") >= 1, "the call of the program's is not counted")
            step, ended = step + 1, done.returncode
        lab.check(step > 30, f"the thread made only {step} steps")


@lab.test("instructions/not of a library whose code is sealed")
def sealed(bench):
    with open(bench.path("sealer.c"), "w") as file:
        file.write("""#include <link.h>
            #include <string.h>
            #include <unistd.h>
            #include <sys/syscall.h>
            static int seal(struct dl_phdr_info *info, size_t size, void *unused)
            {
                for (int i = 0; strstr(info->dlpi_name, "libsealed") && i < info->dlpi_phnum; i++) {
                    unsigned long from = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr, to = from + info->dlpi_phdr[i].p_memsz;
                    if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X &&
                        syscall(462 /* mseal */, from & -4096, (to + 4095 & -4096) - (from & -4096), 0))
                        _exit(77);
                }
                return 0;
            }
            __attribute__((constructor)) static void before(void) { dl_iterate_phdr(seal, 0); }""")
    with open(bench.path("sealed.c"), "w") as file:
        file.write("int tick(int n) { int sum = 0; while (n-- > 0) sum += n & 1 ? n : 2; return sum; }")
    with open(bench.path("main.c"), "w") as file:
        file.write("""#include <dlfcn.h>
            int main(int n, char **words) { return ((int (*)(int))dlsym(dlopen(words[n - 1], RTLD_NOW), "tick"))(4) != 8; }""")
    sealer = bench.compile(bench.path("sealer.c"), "libsealer.so", "-w", "-shared", "-fPIC", plugin=None)
    library = bench.compile(bench.path("sealed.c"), "libsealed.so", OPTION, "-O2", "-shared", "-fPIC", "-Wl,--no-as-needed",
                            sealer)
    program = bench.compile(bench.path("main.c"), "program", OPTION, "-O2", "-w")
    done = bench.run(program, library, status=None)
    if done.returncode == 77:
        raise lab.Skip("no mseal: Linux 6.10")
    lab.check("mseal" in done.stderr, done.stderr)
    told = bench.cinstr("report", "--measure=instructions", bench.path("cinstr.data"))
    lab.check("counted in program only" in told, told)


@lab.test("instructions/up to where the recording ended")
def ended(bench):
    program = bench.compile("programs/manypaths.c", "program", OPTION, "-O2")
    for blocks, expected in (("1000", True), ("unlimited", False)):
        bench.run("/bin/sh", "-c", f'ulimit -f {blocks}; exec "$0"', program, env={"CINSTR_DATA": blocks})
        session = bench.path(blocks)
        for command in ("report", session), ("annotate", session), ("diff", session, session):
            told = bench.run(lab.COMMAND, command[0], "--measure=instructions", *command[1:], status=0).stderr
            lab.equal("recording of 1 process ended early" in told, expected, f"what {command} tells with {blocks} blocks: {told}")


def places_of_counter(path, is_loop):
    """The first segment whose counter is in front of a loop, or within it: where in the file its
    `counter` is, that number, and the number that would mean its start."""
    address, data = segments.notes_of(path)
    with open(path, "rb") as file:
        whole = file.read()
    base = whole.index(data)
    for at in range(0, len(data) - 12, 4):
        if struct.unpack_from("<III", data, at)[::2] != (7, segments.NOTE_SEGMENTS):
            continue
        for field in range(at + 36, at + 36 + 20 * struct.unpack_from("<I", data, at + 24)[0], 20):
            start, _, counter, _, to = struct.unpack_from("<iiiII", data, field)
            if counter and bool(to >> 28 & segments.LOOP) == is_loop:
                return base + field + 8, counter, start - 8
    raise lab.Failure(f"{path}: no such counter among the notes at {address:#x}")


@lab.test("instructions/not of tables whose counters are elsewhere")
def elsewhere(bench):
    program = bench.compile("programs/instructions_loops.c", "program", OPTION, "-O2")
    plain = bench.run(program, status=0)
    with open(program, "rb") as file:
        whole = file.read()
    for is_loop in True, False:
        at, counter, start = places_of_counter(program, is_loop)
        # a loop's is in front of it, another one's within its segment, each at an even address
        for is_damage, there in ((False, counter), (True, counter + 1), (True, start - 2 * (not is_loop) + (start - counter) % 2)):
            with open(bench.path("changed"), "wb") as file:
                file.write(whole[:at] + struct.pack("<i", there) + whole[at + 4:])
            os.chmod(bench.path("changed"), 0o755)
            done = bench.run(bench.path("changed"), status=0)
            lab.equal(done.stdout, plain.stdout, "output")
            lab.equal("its tables (.cinstr.note) are damaged" in done.stderr, is_damage, f"loop: {is_loop}, {there - counter}: {done.stderr}")


@lab.test("instructions/cinstr build --instructions, with and without a value")
def built(bench):
    bench.write("built.c", "int main(int n, char **v) { (void)v; return n == 2; }\n")
    for option in "--instructions", "--instructions=calls":
        bench.run(lab.COMMAND, "build", option, "--", *lab.CC, "-O2", "built.c", "-o", "built", cwd=bench.folder, status=0)
        bench.run(bench.path("built"), status=0)
        rows = bench.json("report", "--measure=instructions", bench.path("cinstr.data"))["rows"]
        lab.check([row["instructions"] for row in rows if row["name"] == "main"][0] > 0, f"{option}: {rows}")
    wrong = bench.run(lab.COMMAND, "build", "--instructions=x", "--", "true", cwd=bench.folder)
    lab.check(wrong.returncode == 2 and "--instructions does not take 'x'" in wrong.stderr, wrong.stderr)
