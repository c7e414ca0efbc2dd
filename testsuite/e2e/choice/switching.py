# SPDX-License-Identifier: GPL-3.0-or-later
"""What is recorded, chosen when a program runs: by rules at its start, and by others while it runs;
and a limited number of levels. What is chosen has its exact tree, whatever was chosen before."""
import os
import re

import lab

INCLUDE = lab.INCLUDE
SAME = ["-O1", "-fno-inline", "-fno-optimize-sibling-calls", "-fno-builtin", "-fno-ipa-icf", "-pthread", INCLUDE]

MAIN = """
#include <stdio.h>
int here(int n);
int library_work(int n);
int here(int n) { return n + 1; }
int main(void)
{
    int sum = 0;
    for (int i = 0; i < 5; i++)
        sum += here(i) + library_work(i);
    printf("%d\\n", sum);
    return 0;
}
"""

LIBRARY = """
int deep(int n);
int deep(int n) { return n * 2; }
int library_work(int n);
int library_work(int n) { return deep(n) + 1; }
"""


def two_modules(bench, only="", without="", folder="src/net"):
    """main.c, and library_work and deep in src/net/work.c of libwork.so. Returns the names of the
    rows with a line."""
    if not os.path.exists(bench.path("libwork.so")):
        os.makedirs(bench.path(folder), exist_ok=True)
        bench.write("main.c", MAIN)
        bench.write(os.path.join(folder, "work.c"), LIBRARY)
        command = lab.CC + ["-g", *SAME, f"-fplugin={lab.PLUGIN}", "-fplugin-arg-cinstr-small=0"]
        bench.run(*command, "-shared", "-fPIC", f"{folder}/work.c", "-o", "libwork.so", status=0)
        bench.run(*command, "main.c", "-o", "program", "-L.", "-lwork", f"-Wl,-rpath,{bench.folder}", status=0)
    env = {"CINSTR_ONLY": only, "CINSTR_NOT": without}
    done = bench.run(bench.path("program"), env={k: v for k, v in env.items() if v}, status=0)
    lab.equal(done.stdout, "40\n", "output")
    bench.sound()
    return sorted(n for n, row in bench.functions().items() if n in ("main", "here", "library_work", "deep")), done


@lab.test("switching/rules by file and by module")
def rules(bench):
    everything = ["deep", "here", "library_work", "main"]
    for only, without, expected in (
            ("", "", everything),
            ("file:main.c", "", ["here", "library_work", "main"]),  # a callee without probes
            ("file:src/net/*.c", "", ["deep", "library_work"]),
            ("file:net/work.c", "", ["deep", "library_work"]),
            ("file:work.c", "library_work", ["deep"]),
            (f"file:{bench.folder}/*", "", everything),
            (f"file:{bench.folder}/src/*", "", ["deep", "library_work"]),
            ("file:rc/net/work.c", "", []),
            ("module:libwork.so", "", ["deep", "library_work"]),
            ("module:libwork*,here", "", ["deep", "here", "library_work"]),
            (f"module:{bench.folder}/prog*", "", ["here", "library_work", "main"]),
            ("", "module:libwork.so,main", ["here"]),
            ("", "file:main.c", ["deep", "library_work"]),
            ("[dh]e*", "", ["deep", "here"])):
        lab.equal(two_modules(bench, only, without)[0], expected, f"rows with only={only} not={without}")


@lab.test("switching/what is not chosen has no patched sled")
def unpatched(bench):
    two_modules(bench, only="module:program")
    info = bench.cinstr("info", bench.path("cinstr.data"))
    counts = {name: (int(sleds), on) for name, sleds, on in re.findall(
        r"/(libwork\.so|program)  \w+\n.* functions, ([\d,]+) probes(?:, (\S+) switched on)?", info)}
    lab.check(counts["libwork.so"][0] > 4 and counts["libwork.so"][1] in ("0", "none"), info)
    lab.check(counts["program"][1] in ("", str(counts["program"][0])), info)


@lab.test("switching/rules that cannot be")
def bad_rules(bench):
    for option, value in (("CINSTR_ONLY", "class:Foo"), ("CINSTR_NOT", "file:"), ("CINSTR_ONLY", "main,module:"),
                          ("CINSTR_ONLY", "x" * 9000), ("CINSTR_DEPTH", "-1"), ("CINSTR_DEPTH", "65"),
                          ("CINSTR_PROBES", "everything")):
        two_modules(bench)
        done = bench.run(bench.path("program"), env={option: value}, status=0)
        lab.check(option + "=" in done.stderr and done.stderr.count("\n") == 1,
                  f"{option}={value[:40]}: {done.stderr[:200]!r}")
        lab.equal(sorted(n for n in bench.functions() if n == "deep"), ["deep"], f"rows with {option}={value[:40]}")


# ---- live ----------------------------------------------------------------------------------------

LIVE = """
#include <stdio.h>
#include <stdlib.h>
#include <cinstr.h>
int leaf(void);
int work(int n);
static int sink;
int leaf(void)
{
    return sink++;
}
int work(int n)
{
    int sum = leaf();
    for (int i = 0; i < n; i++)
        sum += abs(-i);
    return sum;
}
static int status;
int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (cinstr_choose(argv[i]) != CINSTR_OK)
            status = printf("no: %s\\n", argv[i]);
        work(3);
    }
    return status != 0;
}
"""


def live(bench, *choices, flags=(), status=0, env=None):
    if not os.path.exists(bench.path("program")):
        bench.write("live.c", LIVE)
        bench.compile(bench.path("live.c"), "program", *SAME, *flags, "-fplugin-arg-cinstr-lines")
    done = bench.run(bench.path("program"), *choices, env=env, status=status)
    bench.sound()
    return bench.tree(), done


def below(tree, *path):
    for name in path:
        tree = tree[name][1]
    return {name: calls for name, (calls, _) in tree.items()}


@lab.test("switching/kinds live")
def kinds(bench):
    tree, _ = live(bench, "probes=functions")
    lab.equal(below(tree, "main", "work"), {"leaf": 1}, "below work, functions only")
    tree, _ = live(bench, "probes=functions", "probes=calls", "probes=functions", "probes=calls")
    lab.equal(below(tree, "main", "work"), {"leaf": 4, "abs": 6}, "below work, functions and calls")
    lab.equal(below(tree, "main")["work"], 4, "calls of work")
    live(bench, "probes=functions", "probes=lines", "probes=calls")
    line = LIVE[:LIVE.index("return sink++")].count("\n") + 1
    calls = {row["line"]: row["calls"] for row in bench.report("cinstr.data", "line")["rows"]}
    lab.equal(calls.get(line), 1, f"times at line {line}, of {calls}")


@lab.test("switching/functions live")
def functions(bench):
    tree, _ = live(bench, "not=work", "all", "not=leaf", "all", "only=leaf", "only=")
    lab.equal(below(tree, "main")["work"], 5, "calls of work")
    # Without probes it is a call by its caller, under its name; with "only=leaf" nothing but leaf
    # is there.
    lab.equal(bench.functions()["work"]["calls"], 5, "calls of work in its row")
    lab.equal(bench.functions()["leaf"]["calls"], 6, "calls of leaf in its row")
    lab.equal(below(tree, "main", "work")["leaf"], 5, "calls of leaf below work")
    lab.equal(below(tree, "main")["leaf"], 1, "calls of leaf below main")


@lab.test("switching/what was chosen is told")
def told(bench):
    _, done = live(bench, "not=work", "nonsense", "depth=65", "probes=", "only=file:", "all", status=1)
    lab.equal(done.stdout, "no: nonsense\nno: depth=65\nno: probes=\nno: only=file:\n", "what is refused")
    info = bench.cinstr("info", bench.path("cinstr.data"))
    for text in "not=work", "all":
        lab.check(re.search(f"  {text}$", info, re.M), f"{text} is not in the report: {info}")
    lab.check(not re.search("  nonsense$", info, re.M), "what was refused is in the report")


SLOW = """
#include <stdio.h>
#include <stdlib.h>
#include <cinstr/format.h>
int main(int argc, char **argv)
{
    static char bytes[64 << 20];
    FILE *file = fopen(argv[argc - 1], "r");
    size_t n = file ? fread(bytes, 1, sizeof(bytes), file) : 0;
    unsigned long events = 0;
    for (size_t at = CINSTR_PAGE; at < n;) {
        const struct cinstr_segment *segment = (const void *)(bytes + at);
        if (segment->magic != CINSTR_SEGMENT_MAGIC)
            break;
        if (segment->type == CINSTR_SEG_THREAD)
            events += ((const struct cinstr_thread *)(segment + 1))->slow_events;
        at += segment->bytes;
    }
    return printf("%lu\\n", events) < 0;
}
"""


def slow_events(bench):
    """Of all threads of the one process."""
    if not os.path.exists(bench.path("slow")):
        bench.write("slow.c", SLOW)
        bench.compile(bench.path("slow.c"), "slow", INCLUDE, plugin=None)
    folder = bench.path("cinstr.data")
    files = [os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".cinstr")]
    lab.equal(len(files), 1, "data files")
    return int(bench.run(bench.path("slow"), files[0], status=0).stdout)


@lab.test("switching/beyond the number of stubs for indirect calls")
def stubs(bench):
    program = bench.compile("programs/switching.c", "program", *SAME, "-fplugin-arg-cinstr-lines")
    bench.run(program, "price", "4000", status=0)
    bench.sound()
    lab.equal(bench.functions()["twice"]["calls"], 100000, "calls of twice")
    slow = slow_events(bench)
    lab.check(slow < 50000, f"{slow} events took the slow path: the stubs are used up")


def check_fresh(roots, where):
    """The tree that was measured after everything was on again."""
    got = lab.tree_lines({"fresh": roots["fresh"]})
    lab.compare_trees(got, ["fresh 1", "  fresh_inner 10", "    fresh_leaf 20", "  qsort 1", "    compare 1",
                            "      leaf 1"], where + ": ")


def toggled(bench, n, seconds, *flags, env=None):
    program = bench.compile("programs/switching.c", "program", *SAME, *flags, "-fplugin-arg-cinstr-lines",
                            "-fplugin-arg-cinstr-small=0")
    done = bench.run(program, "toggle", str(n), str(seconds), env=env, status=0, timeout=seconds + lab.TIMEOUT)
    totals = bench.sound()
    tree = bench.tree()
    check_fresh(tree["main"][1]["toggle"][1], "after all switches")
    lab.equal((totals["open_frames"], totals["unbalanced_events"]), (0, 0), "frames open, events off")
    return int(done.stderr.split()[0])


@lab.test("switching/100,000 times beside threads at work")
def under_load(bench):
    switches = toggled(bench, 100000, 90)  # on a busy machine it may take too long
    lab.check(switches > 20000, f"only {switches} switches in 90 s")


@lab.test("switching/without restartable sequences")
def no_sequences(bench):
    toggled(bench, 3000, 20, env={"CINSTR_RESTARTABLE": "off"})


@lab.test("switching/forks in the middle of it")
def forks(bench):
    program = bench.compile("programs/switching.c", "program", *SAME, "-fplugin-arg-cinstr-lines",
                            "-fplugin-arg-cinstr-small=0")
    done = bench.run(program, "fork", "60", status=0)
    lab.equal(done.stdout, "60 children\n", "output")
    bench.sound()
    lab.equal(bench.functions()["fresh"]["calls"], 60, "calls of fresh, of all children")
    lab.equal(bench.functions()["fresh_leaf"]["calls"], 1200, "calls of fresh_leaf")


# ---- libraries -----------------------------------------------------------------------------------

LATER = """
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cinstr.h>
static volatile int stop;
static void *choose(void *data)
{
    const char *rules[] = { "probes=functions", "not=deep", "all" };
    for (int i = 0; !stop; i++)
        cinstr_choose(rules[i % 3]);
    return data;
}
static int once(const char *path)
{
    void *library = dlopen(path, RTLD_NOW);
    int (*work)(int) = library ? (int (*)(int))dlsym(library, "library_work") : NULL;
    int sum = 0;
    if (!library)
        exit(printf("%s\\n", dlerror()));
    for (int i = 0; i < 20; i++)
        sum += work(i);
    dlclose(library);
    return sum;
}
int main(int argc, char **argv)
{
    pthread_t thread;
    if (argc > 2) {
        cinstr_choose(argv[2]);
        return printf("%d\\n", once(argv[1])) < 0;
    }
    pthread_create(&thread, NULL, choose, NULL);
    for (int i = 0; i < 300; i++)
        if (once(argv[1]) != 400)
            return 1;
    stop = 1;
    pthread_join(thread, NULL);
    cinstr_choose("all");
    return printf("%d\\n", once(argv[1])) < 0;
}
"""


def later(bench):
    bench.write("later.c", LATER)
    bench.write("work.c", LIBRARY)
    bench.compile(bench.path("work.c"), "libwork.so", *SAME, "-shared", "-fPIC")
    return bench.compile(bench.path("later.c"), "program", *SAME, "-ldl")


@lab.test("switching/a library that comes later obeys")
def comes_later(bench):
    program = later(bench)
    for rules, expected in (("not=deep", ["library_work"]), ("not=module:libwork.so", ["library_work"]),
                            ("only=file:work.c", ["deep", "library_work"]), ("all", ["deep", "library_work"])):
        bench.run(program, bench.path("libwork.so"), rules, status=0)
        bench.sound()
        rows = bench.functions()
        got = [n for n in ("deep", "library_work") if n in rows and rows[n]["calls"] == 20 and rows[n]["line"]]
        if rules == "not=deep":
            lab.equal(rows["deep"]["calls"], 20, "calls of deep, from its call site")
            got.remove("deep")
        lab.equal([n for n in got], expected, f"functions of the library with {rules}")


@lab.test("switching/libraries that come and go meanwhile")
def come_and_go(bench):
    """So large a library that patching it takes a while."""
    program = later(bench)
    bench.write("work.c", LIBRARY + "".join(f"int more{i}(int n); int more{i}(int n) {{ return deep(n) + deep(n + 1); }}\n"
                                            for i in range(3000)))
    bench.compile(bench.path("work.c"), "libwork.so", *SAME, "-g0", "-shared", "-fPIC")
    done = bench.run(program, bench.path("libwork.so"), status=0)
    lab.equal(done.stdout, "400\n", "output")
    bench.sound()


# ---- beside others -------------------------------------------------------------------------------

@lab.test("switching/a breakpoint on a sled stays")
def breakpoint(bench):
    gdb = lab.need("gdb")
    bench.write("live.c", LIVE)
    program = bench.compile(bench.path("live.c"), "program", *SAME, "-fplugin-arg-cinstr-lines")
    symbols = bench.run(lab.need("objdump"), "-d", program, status=0).stdout
    at = re.search(r"^([0-9a-f]+) <leaf>:\n(?:.*\n)*?\s*([0-9a-f]+):\s+0f 1f 44 00 00", symbols, re.M)
    lab.check(at, "leaf does not begin with a sled")
    offset = int(at.group(2), 16) - int(at.group(1), 16)
    done = bench.run(gdb, "-q", "-nx", "-batch", "-ex", "set confirm off", "-ex", "set debuginfod enabled off",
                     "-ex", "set startup-with-shell off", "-ex", "break main", "-ex",
                     "run not=leaf all probes=functions all", "-ex", f"break *((char *)&leaf + {offset})",
                     "-ex", "continue", "-ex", "continue", "-ex", "continue", "-ex", "continue", "-ex", "continue",
                     program)
    text = done.stdout + done.stderr
    if "ptrace" in text:
        raise lab.Skip("gdb cannot trace here")
    lab.equal(text.count("Breakpoint 2, "), 4, f"stops in leaf ({text[-1500:]})")
    lab.check("exited normally" in text, f"the program did not end normally: {text[-1500:]}")
    bench.sound()
    info = bench.cinstr("info", bench.path("cinstr.data"))
    lab.check(re.search("[12] refused", info), info)  # leaf's, and perhaps main's


@lab.test("switching/valgrind")
def valgrind(bench):
    tool = lab.need("valgrind")
    bench.write("live.c", LIVE)
    program = bench.compile(bench.path("live.c"), "program", *SAME)
    done = bench.run(tool, "-q", "--error-exitcode=9", "--smc-check=all", program, "not=leaf", "probes=functions", "all",
                     status=0)
    lab.equal(done.stdout, "", "output")
    bench.sound()
    lab.equal(below(bench.tree(), "main", "work"), {"leaf": 2, "abs": 6}, "below work")


# ---- actions at sleds ----------------------------------------------------------------------------

@lab.test("switching/actions at sleds stay")
def actions(bench):
    bench.write("live.c", LIVE)
    program = bench.compile(bench.path("live.c"), "program", *SAME, "-fplugin-arg-cinstr-mark=top,leaf,hello")
    bench.run(program, "all", "not=leaf", "only=main", "probes=functions", "all", status=0)
    bench.sound()
    info = bench.cinstr("info", "--marks", bench.path("cinstr.data"))
    lab.equal(info.count("hello"), 5, f"marks of leaf ({info})")
    lab.equal(below(bench.tree(), "main", "work")["leaf"], 3, "calls of leaf")


# ---- depth ---------------------------------------------------------------------------------------

PROBED = {"main", "leaf", "recurse", "jump", "jumping", "thread", "leave", "leaving", "fork_below", "on_signal", "raising",
          "signals", "signals_in_thread", "with_stacks", "thrower", "catcher", "Guard", "~Guard", "rethrow"}


def cut(tree, levels):
    """The tree without what is deeper: below the last level of functions with probes there is
    nothing."""
    return {name: [calls, cut(children, levels - (name in PROBED)) if levels > 1 or name not in PROBED else {}]
            for name, (calls, children) in tree.items() if levels > 0}


def depth_test(what, source="programs/depth.c"):
    def run(bench):
        program = bench.compile(source, "program", *SAME)
        bench.run(program, *what.split(), status=0)
        whole = bench.tree()
        for depth in range(1, 6):
            bench.run(program, *what.split(), env={"CINSTR_DEPTH": str(depth)}, status=0)
            bench.sound()
            lab.compare_trees(lab.tree_lines(bench.tree()), lab.tree_lines(cut(whole, depth)), f"depth {depth}: ")

    lab.TESTS.append((f"switching/depth: {what or source}", run))


for case in ("recursion", "jump", "thread", "fork", "signal-0", "signal-3", "signal-above-0", "signal-above-3",
             "signal-out-0", "signal-above-out-0", "signal-above-out-3"):
    depth_test(case)

THROWING = """
#include <stdexcept>
static volatile int sink;
static void leaf() { sink = sink + 1; }
struct Guard { Guard() { leaf(); } ~Guard() { leaf(); } };
static void thrower(int n)
{
    Guard guard;
    if (n)
        thrower(n - 1);
    else
        throw std::runtime_error("out");
    leaf();
}
static void rethrow(int n)
{
    try {
        thrower(n);
    } catch (...) {
        leaf();
        throw;
    }
}
static void catcher(int n)
{
    try {
        rethrow(n);
    } catch (const std::exception &) {
        leaf();
    }
    leaf();
}
int main()
{
    catcher(2);
    catcher(0);
    leaf();
    return 0;
}
"""


CHOOSING = THROWING.replace("int main()", "static void once()").replace("return 0;", "") + """
#include <atomic>
#include <thread>
#include <cinstr.h>
static std::atomic<bool> stop;
static void throwing()
{
    while (!stop)
        once();
}
int main()
{
    static const char *const rules[] = { "probes=functions", "not=*thrower*", "not=", "only=*leaf*,*Guard*", "all", "depth=2",
                                         "all" };
    std::thread first(throwing), second(throwing);
    for (int i = 0; i < 3500; i++)
        if (cinstr_choose(rules[i % 7]) != CINSTR_OK)
            return 1;
    stop = true;
    first.join();
    second.join();
    once();
    return 0;
}
"""


@lab.test("switching/beside exceptions")
def beside_exceptions(bench):
    bench.write("throwing.cc", THROWING.replace("int main()", "static void once()").replace(
        "return 0;", "") + "int main() { once(); return 0; }")
    bench.run(bench.compile(bench.path("throwing.cc"), "alone", *SAME), status=0)
    alone = bench.tree()["main"][1]
    bench.write("choosing.cc", CHOOSING)
    bench.run(bench.compile(bench.path("choosing.cc"), "program", *SAME), status=0)
    totals = bench.sound()
    lab.equal((totals["open_frames"], totals["unbalanced_events"]), (0, 0), "frames open, events off")
    name = next(name for name in alone if "once" in name)
    lab.compare_trees(lab.tree_lines({name: bench.tree()["main"][1][name]}), lab.tree_lines({name: alone[name]}))


@lab.test("switching/depth: exceptions")
def depth_exceptions(bench):
    bench.write("throwing.cc", THROWING)
    program = bench.compile(bench.path("throwing.cc"), "program", *SAME)
    bench.run(program, status=0)
    whole = bench.tree()
    for depth in range(1, 6):
        bench.run(program, env={"CINSTR_DEPTH": str(depth)}, status=0)
        bench.sound()
        lab.compare_trees(lab.tree_lines(bench.tree()), lab.tree_lines(cut_cpp(whole, depth)), f"depth {depth}: ")


def cut_cpp(tree, levels):
    """As cut(), for assembler names of functions of ours."""
    probed = re.compile("main|_ZL?(4leaf|7thrower|7rethrow|7catcher)|_ZN5Guard")
    return {name: [calls, cut_cpp(children, levels - bool(probed.match(name))) if levels > 1 or not probed.match(name)
                   else {}]
            for name, (calls, children) in tree.items() if levels > 0}


@lab.test("switching/depth live")
def depth_live(bench):
    program = bench.compile("programs/depth.c", "program", *SAME)
    bench.run(program, "live", status=0)
    bench.sound()
    tree = bench.tree()["main"][1]
    lab.compare_trees(lab.tree_lines({"recurse": tree["recurse"]}), """recurse 3
  leaf 4
  recurse 2
    leaf 4
    recurse 1
      leaf 2""".split("\n"), "")


@lab.test("switching/depth: the time of what is deeper is its caller's")
def depth_time(bench):
    program = bench.compile("programs/depth.c", "program", *SAME)
    bench.run(program, "20000", env={"CINSTR_DEPTH": "2"}, status=0)
    bench.sound()
    rows = bench.functions()
    lab.equal(rows["run"]["calls"], 1, "calls of run")
    lab.check("recurse" not in rows, "recurse is level 3")
    # of processor time: others may have the processor wherever they get it
    lab.check(rows["run"]["cpu_exclusive_ns"] > 0.5 * rows["main"]["cpu_inclusive_ns"], f"{rows['run']}")
