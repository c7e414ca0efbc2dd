# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames that are left open: by jumps into code without probes, by stacks that are switched.
However often it happens, the tree stays small, and the calls of each function are exact."""
import os
import re

from host import build, calls, check, equal, same, test
from lab import tree_lines

# each call has its place in the tree
FULL = {"CINSTR_METHOD": "instrumentation", "CINSTR_MAX_OVERHEAD": "unlimited"}
METHODS = {"full": FULL, "mixed": {"CINSTR_METHOD": "mixed"}, "limit": {"CINSTR_MAX_OVERHEAD": "5"}}
MORE = 8  # times as many rounds must not make more of anything
SEGMENTS = 512 << 10  # of which a thread may need one or two more, by where it is interrupted


def counts(run):
    """What the program itself has counted: function -> calls."""
    return {name: int(n) for name, n in re.findall(r"([a-z]+) (\d+)", run.stdout)}


def bytes_of(bench):
    folder = bench.path("cinstr.data")
    return sum(os.stat(os.path.join(folder, name)).st_blocks * 512 for name in os.listdir(folder))


def one(bench, how, n, env=None):
    """Runs HOW with N rounds: all calls are there. Returns size and number of call paths."""
    run = same(bench, how, str(n), env=env)
    bench.sound()
    for name, number in counts(run).items():
        if name != "signals":
            equal(calls(bench, name) or 0, number, f"{how}: calls of {name}")
    return bytes_of(bench), len(bench.tree_rows())


def stays_small(bench, how, n, env=None):
    few, many = one(bench, how, n, env), one(bench, how, n * MORE, env)
    check(many[0] < few[0] + SEGMENTS, f"{how}: {few[0]} bytes, and {many[0]} of {MORE} times as many rounds")
    check(many[1] <= few[1] * 2 + 50, f"{how}: {few[1]} call paths, and {many[1]} of {MORE} times as many rounds")


def made(bench, source, *flags):
    build(bench, source, "-fplugin-arg-cinstr-small=0", *flags)


for METHOD, ENV in METHODS.items():
    @test(f"left/jumps, {METHOD}")
    def jumps(bench, env=ENV):
        made(bench, "left.c")
        for how, n in ("same", 10000), ("depths", 200), ("spread", 1000), ("nest", 2000):
            stays_small(bench, how, n, env)

    @test(f"left/handlers, {METHOD}")
    def handlers(bench, env=ENV):
        made(bench, "left.c")
        for how in "signals", "jumping signals":
            stays_small(bench, how, 300, env)

    for MAIN in (), ("-DPLAIN_MAIN",):
        @test(f"left/fibers, {METHOD}, {'plain' if MAIN else 'recorded'} main")
        def fibers(bench, env=ENV, main=MAIN):
            made(bench, "fibers.c", *main)
            for how, n in ("two", 2000), ("many", 64000), ("abandoned", 2000), ("probed", 2000), ("nested", 100):
                stays_small(bench, how, n, env)


@test("left/ten million jumps")
def ten_million(bench):
    """The bounds that doc/reliability.md tells."""
    made(bench, "left.c")
    size, paths = one(bench, "same", 10 ** 7)
    check(size < 1 << 20, f"{size} bytes")
    equal(paths, 6, "call paths")


@test("left/paths of jumps")
def paths(bench):
    made(bench, "left.c")
    same(bench, "same", "1000", env=FULL)
    equal(tree_lines(bench.tree()), ["thrower 1000", "  thrower 1000", "    thrower 1000", "      thrower 1000",
                                     "        longjmp 1000", "work 1000"], "tree")
    same(bench, "nest", "1000", env=FULL)
    rows = bench.functions()
    equal((rows["nested"]["calls"], rows["thrower"]["calls"], rows["work"]["calls"]), (1000, 3000, 2000), "calls")
    equal(sorted(name for name in bench.tree()), ["nested"], "outermost functions")


@test("left/paths of handlers")
def paths_of_handlers(bench):
    made(bench, "left.c")
    same(bench, "signals", "1000", env=FULL)
    equal(tree_lines(bench.tree()), ["signalled 1000", "  raise 1000", "    handler 1000", "      work 1000",
                                     "  work 1000"], "tree")
    same(bench, "jumping signals", "1000", env=FULL)
    equal(tree_lines(bench.tree()), ["signalled 1000", "  raise 1000", "    jumping_handler 1000",
                                     "      siglongjmp 1000", "      work 1000"], "tree")
