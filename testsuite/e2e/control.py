# SPDX-License-Identifier: GPL-3.0-or-later
"""Where recording goes on and off by options of the plugin (R16): what is in the tree, and that the stack stays right."""
import lab

SAME = ["-fno-inline", "-fno-optimize-sibling-calls", "-fno-builtin", "-fno-ipa-icf", "-pthread"]

# name, argument of the program, options of the plugin, tree
CASES = [
    ("region", "leaving", ["region=region"], """
region 5
  inner 5
    leaf 9
    longjmp 1
  leaf 4"""),
    ("start outside", "leaving", ["start=outside,region"], """
outer 0
  region 5
    inner 5
      leaf 9
      longjmp 1
    leaf 4"""),
    ("suspend inside", "leaving", ["suspend=inside,region"], """
main 1
  _setjmp 1
  leaf 2
  outer 5
    leaf 9
    region 5
  printf 1"""),
    ("suspend outside", "leaving", ["suspend=outside,region"], """
main 1
  _setjmp 1
  leaf 2
  outer 5
    leaf 9
  printf 1"""),
    ("suspend in a region", "leaving", ["region=outer", "suspend=inside,inner"], """
outer 5
  leaf 9
  region 5
    inner 5
    leaf 4"""),
    ("region in recursion", "recursion", ["region=recurse", "suspend=inside,leaf"], None),
    ("start once", "leaving", ["start-only=top,region"], """
main 0
  _setjmp 1
  leaf 1
  outer 4
    leaf 7
    region 4
      inner 4
        leaf 7
        longjmp 1
      leaf 3
  printf 1
outer 0
  leaf 1
region 1
  inner 1
    leaf 2
  leaf 1"""),
    ("stop once", "leaving", ["stop-only=bottom,inner"], """
main 1
  leaf 1
  outer 1
    leaf 1
    region 1
      inner 1
        leaf 2"""),
    # Off and on in functions at the same depth: one is not taken for the other.
    ("toggled", "switching", ["suspend-only=bottom,go_off", "resume-only=top,go_on"], """
main 1
  leaf 2
  printf 1
  toggled 1
    go_off 1
      leaf 1
    go_on 1
      leaf 1
    leaf 1"""),
    # The frame of go_off is open when recording goes off; go_on has its place when it comes on.
    ("toggled, frame left open", "switching", ["suspend-only=top,go_off", "resume-only=bottom,go_on"], """
main 1
  leaf 2
  printf 1
  toggled 1
    go_off 1
    go_on 0
    leaf 1"""),
    ("suspensions count", "leaving", ["suspend-only=top,outer", "suspend-only=top,region", "resume-only=bottom,region",
                                      "resume-only=bottom,outer"], """
main 1
  _setjmp 1
  leaf 1
  outer 4"""),
    ("before and after", "leaving", ["suspend-only=before,inner", "resume-only=after,inner"], """
main 1
  _setjmp 1
  leaf 1
  outer 4
    leaf 7
    region 4
      leaf 3"""),
    ("threads", "threads", ["region=outer"], """
outer 3
  leaf 6
  region 3
    inner 3
      leaf 6
    leaf 3"""),
    ("fork while off", "fork", ["region=region"], """
region 1
  inner 1
    leaf 2
  leaf 1"""),
    ("fork in a region", "fork", ["region=forker"], """
forker 1
  _exit 1
  fork 1
  leaf 1
  region 1
    inner 1
      leaf 2
    leaf 1
  wait 1"""),
]


def run_case(bench, level, argument, options, expected):
    flags = [f"-{level}", *SAME] + ["-fplugin-arg-cinstr-" + option for option in options]
    bench.same_as_plain("programs/control.c", *flags, args=[argument])
    totals = bench.sound()
    lab.equal(totals["enters"], totals["exits"] + totals["implicit_exits"] + totals["open_frames"], "enters")
    if expected:
        lab.compare_trees(lab.tree_lines(bench.tree()), expected.strip().splitlines())


def register(name, argument, options, expected):
    for level in "O0", "O2":
        lab.TESTS.append((f"control/{name}-{level}",
                          lambda bench, level=level: run_case(bench, level, argument, options, expected)))


for case in CASES:
    register(*case)


@lab.test("control/no time of a suspended function, and it is said")
def suspended_time(bench):
    bench.same_as_plain("programs/control.c", "-O2", *SAME, "-fplugin-arg-cinstr-suspend=inside,rest", args=["waiting"])
    rows = bench.functions()
    lab.equal(rows["rest"]["calls"], 1, "calls of rest")
    lab.check(rows["main"]["elapsed_inclusive_ns"] < 20e6, f"main: {rows['main']['elapsed_inclusive_ns']} ns")
    bench.sound()
    info = bench.cinstr("info", bench.path("cinstr.data"))
    paused = [line for line in info.splitlines() if "paused" in line]
    lab.check(paused and "1 pause" in paused[0], f"info says about the pause: {paused}")


@lab.test("control/marks")
def marks(bench):
    bench.same_as_plain("programs/control.c", "-O2", *SAME, "-fplugin-arg-cinstr-mark=top,region,reached it",
                        "-fplugin-arg-cinstr-mark=after,inner,inner is done", args=["leaving"])
    lines = [line.split("\t") for line in bench.cinstr("info", "--marks", bench.path("cinstr.data")).splitlines()]
    texts = [line[3] for line in lines if len(line) > 3 and line[0].isdigit()]
    lab.equal(texts, ["reached it", "inner is done"] * 3 + ["reached it"] + ["reached it", "inner is done"], "marks")
    times = [int(line[0]) for line in lines if len(line) > 3 and line[0].isdigit()]
    lab.check(times == sorted(times), f"times do not grow: {times}")


@lab.test("control/a region left by exceptions")
def exceptions(bench):
    source = bench.write("left.cc", """
        #include <cstdio>
        static volatile int sink;
        static void leaf() { sink = sink + 1; }
        static void region(int n) { leaf(); if (n % 2) throw n; leaf(); }
        static void middle(int n) { region(n); leaf(); }
        int main() {
            for (int i = 0; i < 10; i++)
                try { middle(i); } catch (int) { leaf(); leaf(); }
            std::printf("%d\\n", sink);
        }""")
    for level in "O0", "O2":
        bench.same_as_plain(source, f"-{level}", *SAME, "-fplugin-arg-cinstr-region=region", "-lstdc++")
        tree = bench.tree()
        lab.equal(sorted(tree), ["_Z6regioni" if "_Z6regioni" in tree else next(iter(tree))], "functions at the root")
        (calls, below), = tree.values()
        lab.equal(calls, 10, "calls of region")
        lab.equal(sum(c for name, (c, _) in below.items() if "leaf" in name), 15, "calls of leaf in it")
        bench.sound()
