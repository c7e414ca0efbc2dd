# SPDX-License-Identifier: GPL-3.0-or-later
"""Executed machine instructions: those of callgrind, exactly."""
import bisect
import collections
import csv
import io
import os
import re
import shutil

import lab

OPTION = "-fplugin-arg-cinstr-instructions"
PROGRAM = "programs/executed.c"
CLONE = re.compile(r"(\.(constprop|isra|part|cold|lto_priv|localalias)(\.\d+)?|\.\d+)+$")
STARTUP = {"_start", "_init", "_fini", "frame_dummy", "__do_global_dtors_aux", "register_tm_clones",
           "deregister_tm_clones"}


def rows(bench, *args, session="cinstr.data"):
    text = bench.cinstr("report", "--measure=instructions", "--format=csv", "--names=assembler", *args, bench.path(session))
    return list(csv.DictReader(io.StringIO(text)))


def executed(bench, session="cinstr.data"):
    """Instructions by function; all of them must be known."""
    found = rows(bench, session=session)
    lab.equal([row["name"] for row in found if not row["instructions"]], [], "functions that are not known")
    return {row["name"]: int(row["instructions"]) for row in found}


def symbols(bench, program):
    found = []
    for line in bench.run("readelf", "-sW", program, status=0).stdout.splitlines():
        words = line.split()
        if len(words) >= 8 and words[3] == "FUNC" and words[6] != "UND":
            found.append((int(words[1], 16), int(words[2], 0), CLONE.sub("", words[7])))
    return sorted(set(found))


def nops(bench, program):
    """Addresses of NOPs; no instruction may repeat itself (callgrind counts each time)."""
    found = set()
    for line in bench.run("objdump", "-d", "-w", "--no-show-raw-insn", program, status=0).stdout.splitlines():
        match = re.match(r"\s+([0-9a-f]+):\t(.*)", line)
        if match and re.match(r"(data16 |cs )*(nop[wl]?\b|xchg +%ax,%ax)", match[2]):
            found.add(int(match[1], 16))
    return found


def by_callgrind(bench, program, *args):
    """Instructions by function. Calls must go directly (-fno-plt): callgrind adds those of the
    PLT's stubs to them."""
    tool = lab.need("valgrind")
    bench.run(tool, "--tool=callgrind", "--dump-instr=yes", "--compress-strings=no", "--compress-pos=no",
              f"--callgrind-out-file={bench.path('callgrind.out')}", program, *args, status=0)
    functions, left_out = symbols(bench, program), nops(bench, program)
    starts = [start for start, _, _ in functions]
    sums, is_ours, is_call = collections.Counter(), False, False
    with open(bench.path("callgrind.out")) as file:
        for line in file:
            if line.startswith("ob="):
                is_ours = os.path.basename(line[3:].strip()) == os.path.basename(program)
            elif line.startswith("calls="):
                is_call = True
            elif line.startswith("0x"):
                address, _, n = line.split()[:3]
                at = bisect.bisect_right(starts, int(address, 16)) - 1
                if is_ours and not is_call and at >= 0 and int(address, 16) not in left_out and \
                        int(address, 16) < functions[at][0] + functions[at][1]:
                    sums[functions[at][2]] += int(n)
                is_call = False
    return {name: n for name, n in sums.items() if name not in STARTUP}


for flags in (("-O0",), ("-O2",), ("-O3", "-fcf-protection"), ("-Os", "-fstack-protector-all"), ("-O2", "-flto")):
    @lab.test(f"executed/{' '.join(flags)}: those of callgrind")
    def as_callgrind(bench, flags=flags):
        flags = (*flags, "-fno-plt", "-pthread", OPTION)
        plain = bench.compile(PROGRAM, "plain", *flags, plugin=None)
        expected = by_callgrind(bench, plain, "threads")
        bench.run(bench.compile(PROGRAM, "program", *flags), "threads", status=0)
        lab.check(expected["loops"] > 10000, f"callgrind has {expected}")
        lab.equal(executed(bench), expected, "instructions by function")


@lab.test("executed/calls, lines and threads add up")
def add_up(bench):
    bench.run(bench.compile(PROGRAM, "program", "-O1", "-pthread", OPTION), "threads", status=0)
    functions = {row["name"]: row for row in rows(bench)}
    total = sum(int(row["instructions"]) for row in functions.values())
    calls = {name: row["calls"] for name, row in functions.items()}
    lab.equal(calls, {"main": "1", "fib": "1973", "loops": "4", "thrower": "6", "catcher": "", "in_thread": "3"},
              "calls")
    for by in "module", "thread", "line":
        lab.equal(sum(int(row["instructions"]) for row in rows(bench, f"--by={by}")), total, f"sum by {by}")
    threads = [row for row in rows(bench, "--by=thread")]
    lab.equal(len({row["tid"] for row in threads}), 4, "threads")
    lines = collections.Counter()
    for row in rows(bench, "--by=line"):
        lines[int(row["line"] or 0)] = max(lines[int(row["line"] or 0)], int(row["executions"]))
    source = open(os.path.join(lab.E2E, PROGRAM)).read().splitlines()
    of = {text.strip(): lines[number] for number, text in enumerate(source, 1)}
    lab.equal((of["sum -= 7;"], of["return fib(3); /* never */"], of["return x + one;"]), (277, 0, 735), "executions of lines")


@lab.test("executed/two runs, and both sides of a fork")
def runs(bench):
    program = bench.compile(PROGRAM, "program", "-O2", "-pthread", OPTION)
    for session in "first", "second":
        bench.run(program, status=0, env={"CINSTR_DATA": session})
    lab.equal(executed(bench, "second"), executed(bench, "first"), "instructions of the same")
    bench.run(program, "fork", status=0, env={"CINSTR_DATA": "forked"})
    both, one = executed(bench, "forked"), executed(bench, "first")
    lab.equal(both["loops"], one["loops"], "instructions of loops, which the child does not execute")
    each = one["fib"] * 177 / 1973
    lab.check(abs(both["fib"] - one["fib"] - each) < each / 10, f"fib(10) in the child: {both['fib']}, alone {one['fib']}")


@lab.test("executed/diff: what differs, and nothing else")
def differs(bench):
    program = bench.compile(PROGRAM, "program", "-O1", "-pthread", OPTION)
    for session, args in ("a", ()), ("b", ()), ("c", ("more",)):
        bench.run(program, *args, status=0, env={"CINSTR_DATA": session})
    def compare(b, status):
        text = bench.cinstr("diff", "--measure=instructions", "--fail-over=0", "--format=csv", bench.path("a"),
                            bench.path(b), status=status)
        return {row["name"]: row for row in csv.DictReader(io.StringIO(text)) if row["verdict"] != "same"}
    lab.equal(compare("b", 0), {}, "what differs between two runs")
    more = compare("c", 1)
    lab.equal({name: row["verdict"] for name, row in more.items()}, {"main": "more", "fib": "more"}, "with one more call")
    lab.equal(int(more["fib"]["calls_b"]) - int(more["fib"]["calls_a"]), 3, "more calls of fib")


@lab.test("executed/merged: the sums of the sessions, whatever the order")
def merged(bench):
    library = bench.compile("programs/library.c", "liblibrary.so", "-O2", "-g", "-shared", "-fPIC", OPTION)
    program = bench.compile(PROGRAM, "program", "-O2", "-pthread", OPTION)
    other = bench.compile(PROGRAM, "other", "-O1", "-pthread", OPTION, "-Wl,--no-as-needed", library)
    sessions = []
    for number, (which, args) in enumerate(((program, ("threads",)), (program, ("fork",)), (program, ()), (other, ("more",)),
                                            (other, ("threads",)))):
        sessions.append(bench.path(f"session{number}"))
        bench.run(which, *args, status=0, env={"CINSTR_DATA": sessions[-1]})
    os.mkdir(bench.path("all"))  # one session of all their processes
    for session in sessions:
        for name in os.listdir(session):
            if name.endswith(".cinstr"):
                shutil.copy(os.path.join(session, name), bench.path("all"))
    def merge(output, *inputs):
        bench.cinstr("merge", "-o", bench.path(output), *inputs)
        with open(bench.path(output), "rb") as file:
            return file.read()
    lab.equal(merge("some", *sessions[1:4]) and merge("backwards", sessions[4], bench.path("some"), sessions[0]) ==
              merge("merged", *sessions), True, "are the same bytes")
    for by in "function", "module", "line":
        # inclusive ones are shares by thread, which a merge does not keep
        expected, found = (sorted(tuple(pair for pair in row.items() if not pair[0].startswith("inclusive"))
                                  for row in rows(bench, f"--by={by}", session=session))
                           for session in ("all", "merged"))
        lab.check(len(expected) >= {"function": 12, "module": 2, "line": 60}[by], f"{by}: {len(expected)} rows")
        lab.equal(found, expected, f"rows by {by}")
    sums = collections.Counter()
    for session in sessions:
        for row in rows(bench, session=session):
            sums[row["module"], row["name"]] += int(row["instructions"])
    lab.equal({(row["module"], row["name"]): int(row["instructions"]) for row in rows(bench, session="merged")}, dict(sums),
              "sums of reports")
    for view in ("diff", "--measure=instructions", "--fail-over=0", bench.path("all")), ("annotate", "--coverage"):
        text = bench.cinstr(*view, bench.path("merged"))
        lab.equal(sorted(text.splitlines()), sorted(bench.cinstr(*view, bench.path("all")).splitlines()), view[0])
    for wrong in "--by=thread", "--thread=main":
        done = bench.run(lab.COMMAND, "report", "--measure=instructions", wrong, bench.path("merged"), status=1)
        lab.check("not keep threads; use the sessions" in done.stderr, done.stderr)


@lab.test("executed/exported for callgrind_annotate: those of callgrind")
def exported(bench):
    tool = lab.need("callgrind_annotate")
    source = os.path.join(lab.E2E, PROGRAM)
    bench.write("included.c", f"""#define main executed_main
        #include "{source}"
        #undef main
        static inline int squares(int n) {{ int sum = 0; while (n-- > 0) sum += n * n ^ one; return sum; }}
        #line 500 "{source}"
        __attribute__((noinline)) static int elsewhere(int n) {{ return squares(n) + squares(n / 2); }}
        int main(int n, char **words) {{ return executed_main(n, words) + (elsewhere(50) == 7); }}""")
    flags = ("-O2", "-g", "-fno-plt", "-pthread", OPTION)
    expected = by_callgrind(bench, bench.compile(bench.path("included.c"), "plain", *flags, plugin=None), "threads")
    bench.run(bench.compile(bench.path("included.c"), "program", *flags), "threads", status=0)
    bench.cinstr("export", "-f", "callgrind", "--measure=instructions", "-o", bench.path("out"), bench.path("cinstr.data"))
    shown = bench.run(tool, "--threshold=100", "--auto=no", "--show-percs=no", bench.path("out"), status=0).stdout
    found = collections.Counter()  # a function has a row for each of its files
    for n, name in re.findall(r"^ *([\d,]+) +\S+:(\w+)(?: \[.*)?$", shown, re.M):
        found[name] += int(n.replace(",", ""))
    lab.equal(found, expected, "instructions by function")
    total = re.search(r"^ *([\d,]+) +PROGRAM TOTALS", shown, re.M)
    lab.equal(int(total[1].replace(",", "")), sum(expected.values()), "total")
    lines, names, file, is_call = collections.Counter(), {}, None, False
    for text in open(bench.path("out")).read().splitlines():
        at, cost = re.match(r"(?:fl|fi)=(\(\d+\))(?: (.*))?", text), re.match(r"(\d+) (\d+)$", text)
        if at:
            file = names.setdefault(at[1], at[2])
        elif cost and not is_call:
            lines[file, cost[1]] += int(cost[2])
        is_call = text.startswith("calls=")
    of_report = collections.Counter()
    for row in rows(bench, "--by=line"):
        of_report[row["file"], row["line"]] += int(row["instructions"])
    lab.equal(lines, of_report, "instructions by line")
    lab.equal(len({file for file, _ in lines}), 2, "files")
    for wrong in ("-f", "chrome"), ("-f", "callgrind", "--by=thread"):
        done = bench.run(lab.COMMAND, "export", *wrong, "--measure=instructions", bench.path("cinstr.data"), status=2)
        lab.check("--measure=instructions" in done.stderr, done.stderr)


@lab.test("executed/diff: of other compilers or options it says so")
def other_builds(bench):
    source = os.path.join(lab.E2E, PROGRAM)
    for name, flags in ("a", ("-O1", "-g")), ("b", ("-O2", "-g")), ("c", ("-O1", "-g", "-DMORE")), ("d", ("-O2", "-g0")):
        program = bench.compile(source, "program", "-pthread", OPTION, *flags)
        os.rename(program, bench.path(f"program-{name}"))
        bench.run(bench.path(f"program-{name}"), status=0, env={"CINSTR_DATA": name})
    def compare(a, b, *args, status=0):
        return bench.run(lab.COMMAND, "diff", "--measure=instructions", *args, bench.path(a), bench.path(b), status=status)
    done = compare("a", "b", status=1)
    lab.check("was built by another compiler or with other options" in done.stderr and "--any-build" in done.stderr and
              " -O1" in done.stderr and " -O2" in done.stderr and not done.stdout, done.stderr)
    lab.check("Change" in compare("a", "b", "--any-build").stdout, "--any-build shows nothing")
    lab.equal(compare("a", "c").stderr, "", "the same options")
    lab.equal(compare("a", "d").stderr, "", "options that are not told")


def by_gcov(bench, source, flags, args):
    """Executions by line."""
    tool = lab.need(re.sub("gcc|g\\+\\+", "gcov", os.path.basename(lab.CC[0])))
    os.mkdir(bench.path("gcov"))
    program = bench.compile(source, "gcov/program", *flags, "--coverage", plugin=None)
    bench.run(program, *args)
    data = [os.path.join(where, name) for where, _, names in os.walk(bench.folder) for name in names
            if name.endswith(".gcda")]
    lines, file = {}, None
    for text in bench.run(tool, "-t", *data, cwd=bench.folder, status=0).stdout.splitlines():
        match = re.match(r" *([^:]+): *(\d+):(.*)", text)
        if match and match[2] == "0" and match[3].startswith("Source:"):
            file = os.path.realpath(os.path.join(bench.folder, match[3][7:]))
        elif match and match[2] != "0" and match[1].strip() != "-":
            n = 0 if match[1].strip()[0] in "#=" else int(match[1].strip().rstrip("*"))
            lines[file, int(match[2])] = max(n, lines.get((file, int(match[2])), 0))
    return lines


def by_lcov(text):
    lines, file = {}, None
    for line in text.splitlines():
        if line.startswith("SF:"):
            file = os.path.realpath(line[3:])
        elif line.startswith("DA:"):
            number, n = line[3:].split(",")
            lines[file, int(number)] = int(n)
    return lines


COVERED = {"programs/executed.c": "threads", "trees/nesting.c": "", "trees/callbacks.c": "", "trees/jumps.c": "",
           "trees/longjmp.c": "", "trees/recursion.c": "", "trees/classes.cc": "", "trees/odd.c": "",
           "trees/setjmploop.c": "", "trees/functions.c": "", "trees/nonlocal.c": "", "trees/tailcalls.c": ""}
for name, argument in COVERED.items():
    @lab.test(f"executed/coverage is gcov's: {os.path.basename(name)}")
    def coverage(bench, source=name, args=tuple(argument.split())):
        flags = ("-O0", "-w", "-pthread", OPTION)
        expected = by_gcov(bench, source, flags, args)
        bench.run(bench.compile(source, "program", *flags), *args)
        got = by_lcov(bench.cinstr("annotate", "--coverage", bench.path("cinstr.data")))
        both = sorted(set(got) & set(expected))
        lab.check(len(both) > 3, f"only {len(both)} lines are in both")
        lab.equal([place for place in both if got[place]], [place for place in both if expected[place]], "executed lines")


@lab.test("executed/coverage of functions whose names are no text")
def coverage_of_bytes(bench):
    program = bench.compile(PROGRAM, "program", "-O1", "-pthread", OPTION)
    bench.run(program, status=0)
    with open(program, "r+b") as file:
        image = file.read()
        file.seek(0)
        file.write(image.replace(b"thrower\0", b"thr\x1b[1\n\0"))
    text = bench.cinstr("annotate", "--coverage", bench.path("cinstr.data"))
    lab.equal([line for line in text.splitlines() if line.endswith(",thr\\x1b[1\\n")],
              ["FN:27,thr\\x1b[1\\n", "FNDA:6,thr\\x1b[1\\n"], "lines of that function")


@lab.test("executed/annotated source")
def annotated(bench):
    bench.run(bench.compile(PROGRAM, "program", "-O1", "-pthread", OPTION), status=0)
    text = bench.cinstr("annotate", "--measure=instructions", "--newer", "loops", bench.path("cinstr.data"))
    lab.check(re.search(r"^ +\d+ +88 +\d+ +sum -= 7;$", text, re.M), text)
    lab.check(re.search(r"^ +0 +0 +\d+ +return fib\(3\); /\* never \*/$", text, re.M), text)
    lab.check(re.search(r"^ +\d+ +234 +\d+ +return x \+ one;$", text, re.M), text)  # inlined
    lab.check("thrower" not in text, text)
    whole = bench.cinstr("annotate", "--measure=instructions", "--newer", "programs/executed.c", bench.path("cinstr.data"))
    lab.check("longjmp(back, n);" in whole, whole)


@lab.test("executed/a program without the option")
def without(bench):
    bench.run(bench.compile(PROGRAM, "program", "-O2", "-pthread"), status=0)
    done = bench.run(lab.COMMAND, "report", "--measure=instructions", bench.path("cinstr.data"), status=1)
    lab.check("build with -fplugin-arg-cinstr-instructions" in done.stderr, done.stderr)


TIMED = """static volatile unsigned sink;
#define NOIPA __attribute__((noipa))
NOIPA static unsigned spins(unsigned n) { unsigned x = 1; for (unsigned i = 0; i < n; i++) x = x * 2654435761u ^ i; return x; }
NOIPA static unsigned calls(unsigned n) { unsigned x = spins(n); for (unsigned i = 0; i < n; i++) x = x * 2654435761u ^ i; return x; }
int main(void) { sink = spins(3000000) + calls(3000000); return 0; }
"""


@lab.test("executed/time by instruction, of functions that call nothing")
def by_instruction(bench):
    program = bench.compile(bench.write("timed.c", TIMED), "timed", "-O1", OPTION)
    bench.run(program, status=0)
    text = bench.cinstr("report", "--format=csv", bench.path("cinstr.data"))
    times = {row["name"]: row for row in csv.DictReader(io.StringIO(text))}
    each = {name: float(row["ns_per_instruction"]) for name, row in times.items() if row["ns_per_instruction"]}
    lab.equal(list(each), ["spins"], "functions of which it is known")
    ns = each["spins"] * executed(bench)["spins"]
    lab.check(abs(ns - int(times["spins"]["cpu_exclusive_ns"])) < 20, f"{each} ns, that is {ns} ns of {times['spins']['cpu_exclusive_ns']}")
    lab.check("ns/instr" in bench.cinstr("report", "--limit=1", bench.path("cinstr.data")), "the table does not have it")
    for option in "--function=spins", "--raw":
        shown = bench.cinstr("report", "--format=csv", option, bench.path("cinstr.data"))
        lab.equal("ns_per_instruction" in shown, option == "--raw", f"the column with {option}")
    program = bench.compile(bench.write("timed.c", TIMED), "timed", "-O1")
    bench.run(program, status=0, env={"CINSTR_DATA": "plain"})
    for option in "--columns=all", "--columns=name,ns_per_instruction":
        lab.check("ns/instr" not in bench.cinstr("report", option, bench.path("plain")), f"{option} of a program that counts none")
    lab.check("ns_per_instruction" not in bench.cinstr("report", "--format=csv", bench.path("plain")), "csv of a program that counts none")
