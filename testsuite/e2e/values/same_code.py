# SPDX-License-Identifier: GPL-3.0-or-later
"""What is measured is the program: with -fno-ipa-ra its own instructions are those of the plain
one, each in its place, and calls of functions whose result is recorded are no tail calls."""
import lab
import own_code

INSTRUCTIONS = "-fplugin-arg-cinstr-instructions"

# leaf() leaves r10 and r11 alone, and its caller keeps a value there, if it knows.
KNOWN_LEAF = """
__attribute__((noinline, noclone)) static int leaf(int x)
{
        __asm__ volatile("" : "+a"(x) : : "rcx", "rdx", "rsi", "rdi", "r8", "r9");
        return x * 3;
}
int caller(int a, int b) { return leaf(a) * b; }
"""

TAIL_CALL = """
#include <fcntl.h>
#include <stdlib.h>
int opens(const char *name) { return open(name, O_RDONLY); }
int other(const char *text) { return atoi(text); }
"""


def differing(bench, source, *flags):
    """Names of the functions whose instructions are not those of the plain assembler."""
    plain = bench.compile(source, "plain.s", *flags, "-S", plugin=None)
    number, differ = own_code.compare(plain, bench.compile(source, "instrumented.s", *flags, "-S"))
    lab.check(number > 0, f"{source}: no functions")
    return differ


def written(bench, text):
    with open(bench.path("source.c"), "w", encoding="ascii") as file:
        file.write(text)
    return bench.path("source.c")


@lab.test("same code/each instruction is the plain program's, with -fno-ipa-ra")
def same(bench):
    for source, flags in ("instructions.cc", "-O2"), ("throwing.cc", "-O3"), ("executed.c", "-Os"), ("instructions_loops.c", "-O1"):
        for option in INSTRUCTIONS, INSTRUCTIONS + "=calls":
            lab.equal(differing(bench, "programs/" + source, flags, "-fno-ipa-ra", option), [], f"{source} {flags} {option}")


@lab.test("same code/callers keep nothing in the registers of a probe, with -fipa-ra")
def registers(bench):
    source = written(bench, KNOWN_LEAF)
    lab.equal(differing(bench, source, "-O2", INSTRUCTIONS, "-fno-ipa-ra"), [], "without -fipa-ra")
    lab.equal(differing(bench, source, "-O2", INSTRUCTIONS), ["caller"], "with it")


@lab.test("same code/a call whose result is recorded is no tail call")
def tail_call(bench):
    lab.equal(differing(bench, written(bench, TAIL_CALL), "-O2", INSTRUCTIONS), ["opens"], "functions that differ")
