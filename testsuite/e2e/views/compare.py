# SPDX-License-Identifier: GPL-3.0-or-later
"""cinstr compare: two programs run in turn. What is known of them is exact, calls and executed
instructions, so nothing here depends on time."""
import json
import re

import lab

PROGRAM = r"""
__attribute__((noipa)) static long work(long n) { long s = 0; for (long i = 0; i < n; i++) s += i ^ (s >> 3); return s; }
__attribute__((noipa)) static long parse(int times) { long s = 0; for (int i = 0; i < times; i++) s += work(1000); return s; }
__attribute__((noipa)) static int checks(int n) { return parse(n) == 1; }
int main(int argc, char **argv) { (void)argv; return checks(20 + 5 * (argc > 1)) + (argc > 2) * 7; }
"""
COUNTED = "-fplugin-arg-cinstr-instructions"


def compared(bench, *args, status=0):
    done = bench.run(lab.COMMAND, "compare", *args, status=status)
    return done.stdout


@lab.test("compare/equal programs")
def equal(bench):
    source = bench.write("work.c", PROGRAM)
    for flags, options in (([COUNTED], []), ([], ["--measure=calls"])):
        for name in ("a", "b"):
            bench.compile(source, name, "-O2", *flags)
        text = compared(bench, "--runs=3", "--fail-over=0", *options, "--", "./a", "--", "./b")
        lab.check(text.startswith("B: as many instructions in each function: " if flags else "B: the same number of calls of each function"),
                  text)
        lab.check("passes --fail-over=0\n" in text and "the same number of calls of each function\n" in text, text)
        lab.equal(compared(bench, "--runs=2", "--fail-over=0", "--format=github", *options, "--", "./a", "--", "./b").count("::"), 2,
                  "annotations")


@lab.test("compare/planted work")
def planted(bench):
    program = bench.compile(bench.write("work.c", PROGRAM), "program", "-O2", COUNTED)
    text = compared(bench, "--runs=2", "--fail-over=10", "--", program, "--", program, "more", status=1)
    lab.check(re.match(r"B: 2\d\.\d % more instructions: [\d,]+, not [\d,]+; fails --fail-over=10\n\n[23] functions with more instructions:\n"
                       r"     \+25\.0 %  .*  work  work\.c:2\n     \+2\d\.\d %  .*  parse  work\.c:3\n", text), text)
    lab.check("\nCalls         1 function called more often\n" in text, text)
    lab.check(max(len(line) for line in text.splitlines() if not line.startswith(("A  ", "B  "))) <= 100, text)
    lab.check("passes" in compared(bench, "--runs=2", "--fail-over=40", "--", program, "--", program, "more"), "below the limit")
    compared(bench, "--runs=2", "--", program, "--", program, "more")  # without a limit
    text = compared(bench, "--runs=2", "--fail-over=0", "--", program, "more", "--", program)
    lab.check("fewer instructions" in text and "work.c" not in text, text)
    for runs in ("1", "2"):
        text = compared(bench, f"--runs={runs}", "--measure=calls", "--fail-over=0", "--", program, "--", program, "more", status=1)
        lab.check("\n1 function called more often:\n     +25.0 %  20 to 25  " in text, text)
    text = compared(bench, "--runs=2", "--fail-over=10", "--format=github", "--", program, "--", program, "more", status=1)
    lab.check(re.match(r"::error file=work\.c,line=2::work: instructions [\d,]+ to [\d,]+ \(\+25\.0 %25\)\n::error file=work\.c,line=3::parse: ",
                       text), text)
    lab.check("::warning file=work.c,line=2::" in compared(bench, "--runs=2", "--fail-over=90", "--format=github", "--", program, "--",
                                                           program, "more"), "below the limit it is a warning")
    text = compared(bench, "--runs=2", "--fail-over=24.5", "--format=github", "--", program, "--", program, "more", status=1)
    lab.check("::error file=work.c,line=2::" in text and "::warning file=work.c,line=3::" in text, text)
    text = compared(bench, "--runs=2", "--fail-over=10", "--format=markdown", "--summary=more.md", "--", program, "--", program, "more", status=1)
    lab.check(text.startswith("**B: 2") and "| work | " in text and "<details>" in text and text.count("\n") <= 30, text)
    with open(bench.path("more.md")) as file:
        lab.equal(file.read(), text, "what was appended")


@lab.test("compare/a failure by time is confirmed")
def confirmed(bench):
    """What seems to fail is run once more, as often; what does not is not."""
    program = bench.compile(bench.write("naps.c", """#include <unistd.h>
__attribute__((noipa)) static void nap(int times) { for (int i = 0; i < times; i++) usleep(50000); }
int main(int argc, char **argv) { (void)argv; nap(argc > 1 ? 8 : 1); return 0; }
"""), "naps", "-O2")
    for first, second, status, runs in (([], ["long"], 1, 6), (["long"], [], 0, 3)):
        result = json.loads(compared(bench, "--runs=3", "--fail-over=10", "--measure=time", "--format=json", "--", program, *first, "--",
                                     program, *second, status=status))
        lab.equal((len(result["order"]), len(result["sessions_b"]), result["fails"]), (2 * runs, runs, status == 1), "runs")
        lab.equal(result["time"]["session"]["confidence"], 0.9999, "confidence")


@lab.test("compare/order and seed")
def order(bench):
    program = bench.compile(bench.write("work.c", PROGRAM), "program", "-O2")

    def of(seed):
        return json.loads(compared(bench, "--runs=8", f"--seed={seed}", "--format=json", "--measure=calls", "--output=out", "--",
                                   program, "--", program, "more"))

    first = of(1)
    lab.equal(of(1)["order"], first["order"], "order by one seed")
    lab.check(of(2)["order"] != first["order"], "order by another seed")
    pairs = re.findall("..", first["order"])
    lab.equal((len(pairs), set(pairs)), (8, {"AB", "BA"}), "each two runs are one of each")
    lab.equal((first["decides"], first["sessions_a"][0], first["sessions_b"][7]), ("calls", "out/a.1", "out/b.8"), "sessions")
    calls = {row["name"]: (row["a"], row["b"]) for row in first["calls"]["rows"]}
    lab.equal(calls["work"], (20, 25), "calls of both")
    lab.equal((first["instructions"], "fails" in first), (None, False), "what is not known, not asked")


@lab.test("compare/what goes wrong")
def wrong(bench):
    source = bench.write("work.c", PROGRAM)
    program, plain = bench.compile(source, "program", "-O2"), bench.compile(source, "plain", "-O2", plugin=None)

    def says(text, *args, status=1):
        done = bench.run(lab.COMMAND, "compare", *args, status=status)
        lab.check(text in done.stderr and not done.stdout, f"{args}: {done.stderr}")

    says("run 1 of B ended with status 7", "--runs=1", "--", program, "--", program, "more", "fails")
    compared(bench, "--runs=1", "--measure=calls", "--", program, "--", program)
    # what was there before is not taken for it
    says("recorded nothing", "--runs=1", "--", program, "--", plain)
    says("No such file", "--runs=1", "--", program, "--", "./nonsense")
    says("which two?", "--", program, status=2)
    says("which two?", "--", program, "--", status=2)
    says("--runs=0", "--runs=0", "--", program, "--", program, status=2)
    says("--fail-over does not take 'x'", "--fail-over=x", "--", program, "--", program, status=2)
    says("no executed instructions were counted", "--runs=1", "--measure=instructions", "--fail-over=1", "--", program, "--", program)
    reads = bench.compile(bench.write("reads.c", "#include <stdio.h>\nint main(void) { return getchar() != 'i'; }\n"), "reads")
    bench.write("input", "in")
    with open(bench.path("input")) as file:  # each run reads it from the beginning
        bench.run(lab.COMMAND, "compare", "--runs=2", "--measure=calls", "--", reads, "--", reads, status=0, stdin=file)
