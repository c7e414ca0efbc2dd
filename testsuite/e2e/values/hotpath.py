# SPDX-License-Identifier: GPL-3.0-or-later
"""The hot path: no lock, no allocation, no system call but a fold's, nothing of the program's state
changed."""
import os
import re
import subprocess

import lab

PROGRAM = "programs/hotpath.c"
EVENTS = 2000  # records in a buffer, at least
# The system calls by which the data file grows, for a segment of cells or a longer stack, and how
# often that may be in a program with two functions: such files have some pages more at each time.
GROWTH = {"mremap": 3, "madvise": 6}


@lab.test("hot path/code of the thunks")
def thunks(bench):
    """
    No lock, no exchange, no system call, no call or jump out of the template; and no memory but the
    thread's own (fs:), its stack (rsp), its buffer (through rdx),
    the template itself (rip); while recording is off, the epochs of the control blocks (through
    rcx, read only); without counters, the stub that has called (through r10, read only); at a call
    with an object, the object (through rdi or rsi, read only), and the places behind its record
    (through rax); of one that gives it, the table of gives (through rax); and of one that reads,
    writes or closes a descriptor, its places in the tables of files and pipes (through r10).
    """
    elsewhere = r"(mov|add|cmp) +0x1?800\(%rcx\),%e|movslq +-0x9\(%r10\)|(mov|cmp) +0x[0-9a-f]+\(%rdi\),%r11d|(cmpl|testl) +\$0x[0-9a-f]+,\(%r[ds]i\)|cmp +%r11d,0x[0-9a-f]+\(%rdi\)"
    elsewhere += r"|mov +\(%rsi\),%r11|movq +\$0x0,\(%rax\)|(mov|cmp) +%r(d[xi]|10|11),(0x[0-9a-f]+)?\(%rax\)|mov +0x8\(%rax\),%r10"
    elsewhere += r"|mov +\(%rdi\),%r11|movl +\$0x0,\(%r10(,%r11,4)?\)|mov +\(%r10(,%r11,4)?\),%r11d"
    symbols = subprocess.run(["nm", lab.RUNTIME], capture_output=True, text=True, check=True).stdout
    at = {line.split()[2]: int(line.split()[0], 16) for line in symbols.splitlines() if len(line.split()) == 3}
    # behind the first of these two stands the way to the gate, whose calls have data behind them
    parts = [(at["thunk_template"], at["line_full"]), (at["fast_before_keep"], at["slow_line"])]
    text = "".join(subprocess.run(["objdump", "-d", "--no-show-raw-insn", f"--start-address={begin}",
                                   f"--stop-address={end}", lab.RUNTIME], capture_output=True, text=True, check=True).stdout
                   for begin, end in parts)
    begin = at["thunk_template"]
    n = 0
    for line in re.findall(r"^ +[0-9a-f]+:\t(.*)$", text, re.M):
        n += 1
        words = line.split()
        if line.startswith("xchg   %ax,%ax"):  # a NOP
            continue
        lab.check(words[0] not in ("lock", "xchg", "cmpxchg", "xadd", "syscall", "sysenter", "int", "mfence", "lfence",
                                   "rdtscp", "cpuid", "rep"), line)
        target = re.search(r"(?:call|j\w+) +([0-9a-f]+) <", line)
        lab.check(not target or begin <= int(target[1], 16) < at["thunk_template_end"], f"leaves the template: {line}")
        lab.check("*" not in line, f"an indirect jump: {line}")
        memory = re.findall(r"(%fs:)?(?:0x[0-9a-f]+|-0x[0-9a-f]+)?\((%\w+)[^)]*\)", line)
        for segment, base in memory:
            lab.check(words[0] in ("lea", "nop", "nopw", "nopl", "cs", "data16") or segment or
                      base in ("%rsp", "%rdx", "%rip") or re.match(elsewhere, line),
                      f"memory that is not the thread's own: {line}")
    lab.check(n > 150, f"only {n} instructions")


@lab.test("hot path/system calls")
def system_calls(bench):
    """10^6 calls: the system calls of the folds and no others, as many as folds are needed; and
    those of a few times at which the data file grows."""
    strace = lab.need("strace")
    program = bench.compile(PROGRAM, "program", "-O2", "-pthread")
    bench.run(strace, "-o", "trace", program, "calls", "1000000", status=0)
    text = open(bench.path("trace")).read()
    inside = text[text.index("close(-1001)"):text.index("close(-1002)")].splitlines()[1:]
    names = [line.split("(")[0] for line in inside]
    folds = 2 * 1000000 // EVENTS + 50
    # A switch or an interrupt makes an event a slow one: the two masks, and a question. strace
    # itself causes some.
    allowed = {"rt_sigprocmask": 2, "getrusage": 2, "gettid": 2, "getpid": 2, "clock_gettime": 1, "tgkill": 1, "prctl": 1}
    for name in set(names):
        if name in GROWTH:
            lab.check(names.count(name) <= GROWTH[name], f"{names.count(name)} times {name}")
            continue
        lab.check(name in allowed, f"{name} is called in the middle")
        lab.check(names.count(name) <= allowed[name] * folds * 2,
                  f"{names.count(name)} times {name} in about {folds} folds")
    lab.check(names.count("rt_sigprocmask") >= 500, f"no folds? {len(names)} calls")
    lab.equal(bench.functions()["work"]["calls"], 1000001, "calls of work")
    bench.sound()


@lab.test("hot path/no system call between folds")
def no_system_call(bench):
    """So few calls that no fold is needed: most runs have none at all in between. An interrupt that
    hits one run of 20 hits six of twelve once in 90,000 times; a call that 19 of 20 runs make
    leaves seven of twelve alone never (once in 2 million times)."""
    strace = lab.need("strace")
    program = bench.compile(PROGRAM, "program", "-O2", "-pthread")
    counts = []
    for _ in range(12):
        bench.run(strace, "-o", "trace", program, "calls", "500", status=0)
        text = open(bench.path("trace")).read()
        inside = text[text.index("close(-1001)"):text.index("close(-1002)")].splitlines()[1:]
        lab.check(inside, "the event behind close() is not a slow one")
        counts.append(sum(line.startswith("rt_sigprocmask") for line in inside))
    # strace stops the thread at close(), so one slow event follows it; an interrupt may add one.
    lab.check(min(counts) == 2 and counts.count(2) >= 7, f"signal masks set in 500 calls of a function: {counts}")


@lab.test("hot path/no system call behind the recording's end")
def behind_the_end(bench):
    """No memory is left for its data, nor to write to the program's text: its sleds stay switched
    on, 500,000 of them."""
    strace = lab.need("strace")
    program = bench.compile(os.path.join(lab.ROOT, "testsuite/faults/programs/phases.c"), "program", "-O1", "-pthread")
    done = bench.run(strace, "-f", "-o", "trace", program, "grow=10", f"data={5 << 16}", "grow=13", status=0, timeout=300)
    lab.check("recording ended, no room" in done.stderr, done.stderr)
    with open(bench.path("trace"), encoding="utf-8") as trace:
        masks = trace.read().count("rt_sigprocmask(")
    lab.check(masks < 5000, f"signal masks are set {masks} times")


@lab.test("hot path/the program's state")
def state(bench):
    for env in ({}, {"CINSTR_CLOCK": "monotonic"}, {"CINSTR_RESTARTABLE": "off"}, {"CINSTR_PROBES": "functions"},
                {"CINSTR_TIMELINE": "64M"}):
        for level in ("-O0", "-O2"):
            program = bench.compile(PROGRAM, "program", level, "-pthread")
            done = bench.run(program, "state", env=env)
            lab.equal((done.returncode, done.stdout), (0, ""), f"{env} {level}")
        bench.sound()


@lab.test("hot path/no allocation")
def allocation(bench):
    """The program counts: as many as without probes."""
    bench.same_as_plain(PROGRAM, "-O2", "-pthread", "-DCOUNT_ALLOCATIONS", args=["malloc"])
    bench.sound()
    lab.equal(bench.functions()["work"]["calls"], 13 * 20000, "calls of work")


@lab.test("hot path/births, deaths and forks in a storm of signals")
def handlers(bench):
    program = bench.compile(PROGRAM, "program", "-O2", "-pthread")
    bench.run(program, "handlers", os.environ.get("STORM", "100"), status=0, timeout=100)
    bench.sound()


@lab.test("hot path/a new import is found")
def imports(bench):
    """The lint of what the runtime takes from libc does not only say ok."""
    os.makedirs(bench.path("build"))
    for name in os.listdir(lab.BUILD):
        if name != "libcinstr.so" and os.path.isfile(os.path.join(lab.BUILD, name)):
            os.symlink(os.path.join(lab.BUILD, name), bench.path("build", name))
    source = bench.write("more.c", "#include <stdlib.h>\nvoid *cinstr_more(void); void *cinstr_more(void) { return malloc(1); }\n")
    objects = [os.path.join(lab.BUILD, "obj/runtime", name) for name in sorted(os.listdir(os.path.join(lab.BUILD, "obj/runtime")))
               if name.endswith(".o")]
    bench.run(*lab.CC, "-shared", "-fPIC", "-Wl,-z,now", "-o", bench.path("build/libcinstr.so"), source, *objects, status=0)
    done = bench.run("bash", os.path.join(lab.ROOT, "testsuite/lint/run.sh"), "imports", env={"BUILD": bench.path("build")})
    lab.check("malloc" in done.stdout.split(), f"malloc was not found: {done.stdout}")
