# SPDX-License-Identifier: GPL-3.0-or-later
"""An order of functions, by the linkers that it is for: a program of some hundred functions is
recorded, its plain build is linked by that order, and nm shows the functions in it."""
import random
import re
import subprocess

import golden
import lab

FILES, FUNCTIONS = 5, 500
FLAGS = ["-O1", "-g", "-ffunction-sections", "-fno-inline", "-fno-ipa-icf", "-pthread"]
LINKERS = {
    "lld": lambda path: ["-fuse-ld=lld", f"-Wl,--symbol-ordering-file={path}", "-Wl,--no-warn-symbol-ordering"],
    "gold": lambda path: ["-fuse-ld=gold", f"-Wl,--section-ordering-file={path}"],
    "bfd": lambda path: ["-fuse-ld=bfd", f"-Wl,-T,{path}"],
}


def graph():
    """{function: whom it calls}: main calls f0, functions of lower numbers call others."""
    source = random.Random(4711)
    calls = {number: [] for number in range(FUNCTIONS)}
    for number in range(1, FUNCTIONS):
        for _ in range(source.choice([0, 1, 1, 1, 2, 3])):
            calls[source.randrange(number)].append(number)
    for callees in calls.values():
        source.shuffle(callees)
    return calls


def first_calls(calls, number, seen):
    if number not in seen:
        seen.append(number)
        for callee in calls[number]:
            first_calls(calls, callee, seen)
    return seen


def sources(bench, calls):
    """Names of the C files: one has main; each of the others has a helper of the same name."""
    texts = [f'#include "all.h"\nstatic int helper(int n) {{ return n + {file} + seen; }}\n' for file in range(FILES)]
    for number, callees in calls.items():
        body = " ".join(f"r += f{callee}();" for callee in callees)
        helper = "r += helper(r);" if number in (0, 1, 2) else ""
        texts[number % FILES] += f"int f{number}(void) {{ int r = seen; {helper} {body} return r; }}\n"
    texts[0] += """volatile int seen;
static void *thread(void *arg) { seen += alone(); return arg; }
int main(void) { pthread_t id; seen = f0(); pthread_create(&id, 0, thread, 0); pthread_join(id, 0); return seen == -1; }
"""
    texts[1] += "int alone(void) { return seen; }\n"
    bench.write("all.h", "#include <pthread.h>\nextern volatile int seen;\nint alone(void);\n"
                + "".join(f"int f{number}(void);\n" for number in calls))
    return [bench.write(f"part{number}.c", text) for number, text in enumerate(texts)]


def objects(bench, files, folder, *flags):
    made = []
    for file in files:
        made.append(file.replace(".c", f".{folder}.o"))
        done = subprocess.run([*lab.compiler_of(file), *FLAGS, *flags, "-c", file, "-o", made[-1]], capture_output=True, text=True, timeout=lab.TIMEOUT)
        lab.check(not done.returncode, done.stderr)
    return made


def link(bench, made, output, *flags):
    done = subprocess.run([*lab.compiler_of("x.c"), *FLAGS, *made, *flags, "-o", bench.path(output)], capture_output=True, text=True, timeout=lab.TIMEOUT)
    lab.check(not done.returncode and "warning" not in done.stderr, done.stderr)
    return bench.path(output)


def by_address(program):
    """The names of a program's functions, in order of their addresses."""
    text = subprocess.run(["nm", "-n", program], capture_output=True, text=True, check=True, timeout=lab.TIMEOUT).stdout
    return [line.split()[2] for line in text.splitlines() if re.match(r"[0-9a-f]+ [tT] ", line)]


def named(path):
    """The functions of an order, whatever its linker."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    patterns = [match.group(1) for line in lines if (match := re.match(r"\s*(?:\*\()?\.text\.(?:startup\.|hot\.)?([\w.]+)[ )]?", line))]
    names = [name for name in patterns if name != "ordered"] or [line for line in lines if not line.startswith("#")]
    return list(dict.fromkeys(names)) if patterns else names


def built(bench):
    """(what calls what, C files, the recorded program's session, the plain program's objects)"""
    calls = graph()
    files = sources(bench, calls)
    recorded = link(bench, objects(bench, files, "probes", *lab.plugin_flags(lab.PLUGIN)), "recorded")
    bench.run(recorded, status=0, env={"CINSTR_DATA": bench.path("full.data"), "CINSTR_MAX_OVERHEAD": "unlimited"})
    return calls, files, bench.path("full.data"), objects(bench, files, "plain")


def exported(bench, session, *options, output="out.order"):
    done = bench.run(lab.COMMAND, "export", "-f", "order", "-o", bench.path(output), *options, session, status=0)
    return bench.path(output), done.stderr


@lab.test("order/linkers put functions where the file says")
def linkers(bench):
    calls, _, session, plain = built(bench)
    seen = [f"f{number}" for number in first_calls(calls, 0, [])]
    lab.check(250 < len(seen) < FUNCTIONS, f"{len(seen)} of {FUNCTIONS} functions are called")
    expected = ["main", "f0", "helper", *seen[1:], "thread", "alone"]
    before = by_address(link(bench, plain, "before"))
    for linker, flags in LINKERS.items():
        golden.need("ld." + linker)
        path, said = exported(bench, session, f"--linker={linker}", output=f"{linker}.order")
        lab.equal(named(path), expected, f"{linker}: the file's order is that of first calls")
        lab.equal(said.count("\n"), 1, said)
        lab.check("1 name is of several functions each" in said and "(helper)" in said, said)
        program = link(bench, plain, linker, *flags(path))
        bench.run(program, status=0)
        after = [name for name in by_address(program) if name in set(expected)]
        # all that have this name are where the first one is to be
        lab.equal([name for i, name in enumerate(after) if name not in after[:i]], expected, f"{linker}: order in the program")
        lab.equal(after.count("helper"), before.count("helper"), f"{linker}: functions of one name")
        lab.equal(after.index("helper"), 2, f"{linker}: the first of them")
        others = [name for name in by_address(program) if re.fullmatch(r"f\d+", name) and name not in expected]
        lab.equal(sorted(others), sorted(set(f"f{number}" for number in calls) - set(seen)), f"{linker}: functions that are not called are there")


@lab.test("order/by callers, counted and sampled sessions, modules")
def others(bench):
    calls, files, session, _ = built(bench)
    seen = {f"f{number}" for number in first_calls(calls, 0, [])} | {"main", "helper", "thread", "alone"}
    names = named(exported(bench, session, "--order=callers")[0])
    lab.equal((len(names), set(names)), (len(seen), seen), "by callers: each once")
    lab.check(names != named(exported(bench, session)[0]), "another order")
    bench.run(bench.path("recorded"), status=0, env={"CINSTR_DATA": bench.path("counted.data"), "CINSTR_METHOD": "mixed"})
    names = named(exported(bench, bench.path("counted.data"))[0])
    lab.equal((len(names), set(names)), (len(seen), seen), "counted: each once")
    bench.run(lab.COMMAND, "merge", "-o", bench.path("merged.cinstr"), session, bench.path("counted.data"), status=0)
    path, _ = exported(bench, bench.path("merged.cinstr"))
    lab.equal(set(named(path)), seen, "merged")
    with open(path, encoding="utf-8") as file:
        lab.check("by first call" not in file.read(), "what was merged does not tell who came first")
    done = bench.run(lab.COMMAND, "export", "-f", "order", "--module=libc*", session, status=0)
    lab.check("pthread_create" in done.stdout and "main" not in done.stdout.split(), done.stdout)
    done = bench.run(lab.COMMAND, "export", "-f", "order", "--module=*", session, status=1)
    lab.check("name one by --module" in done.stderr and done.stdout == "", done.stderr)


CLONED = """
#include <stdio.h>
#include <stdlib.h>
__attribute__((noinline)) static int cloned(int a, int b) { if (b > 100) abort(); volatile int s = 0; for (int i = 0; i < a; i++) s += i * b; return s; }
__attribute__((noinline)) int caller(int a) { return cloned(a, 3) + cloned(a + 1, 3); }
__attribute__((noinline)) static int small(int a, int b) { volatile int s = a; return s + b; }
int main(void) { return caller(5) + small(1, 7) + small(2, 7) == 1; }
"""


@lab.test("order/what the compiler made of a function has its own name")
def clones(bench):
    program = bench.compile(bench.write("cloned.c", CLONED), "cloned", "-O2", "-fplugin-arg-cinstr-exclude=small")
    symbols = {name for name in by_address(program) if name.startswith(("cloned", "small"))}
    if symbols != {"cloned.constprop.0", "small.constprop.0"}:
        raise lab.Skip(f"this compiler makes {symbols}")
    bench.run(program, status=0, env={"CINSTR_DATA": bench.path("cloned.data")})
    lab.equal(named(exported(bench, bench.path("cloned.data"))[0]), ["main", "caller", "cloned.constprop.0", "small.constprop.0"], "the symbol's name")


SAMPLED = """
static volatile unsigned sink;
__attribute__((noipa)) void inner(void) { for (int i = 0; i < 2000; i++) sink += i; }
__attribute__((noipa)) void outer(void) { for (int i = 0; i < 100000; i++) inner(); }
__attribute__((noipa)) void never(void) { sink--; }
static inline __attribute__((always_inline)) void inlined(void) { for (int i = 0; i < 200000000; i++) sink ^= i; }
__attribute__((noipa)) void holder(void) { inlined(); }
int main(int argc, char **argv) { if (argc > 9) never(); outer(); holder(); return 0; }
"""


@lab.test("order/a sampled session")
def sampled(bench):
    bench.compile(bench.write("sampled.c", SAMPLED), "sampled", "-O2", "-g", plugin=None)
    done = bench.run(lab.COMMAND, "record", "--sample=1ms", "-o", bench.path("samples"), bench.path("sampled"))
    if done.returncode:
        raise lab.Skip("no samples here: " + done.stderr.strip()[-100:])
    names = named(exported(bench, bench.path("samples"))[0])
    lab.check({"inner", "holder"} <= set(names) and not {"never", "inlined"} & set(names), f"{names}")
