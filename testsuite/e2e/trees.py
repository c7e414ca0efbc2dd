# SPDX-License-Identifier: GPL-3.0-or-later
"""trees/NAME.c and the calls it must show, trees/NAME.tree: lines of `name calls`, indented by depth, siblings
in order of name, all threads and processes added up. Lines that begin with # say how to build and run it:

    # flags: -f...         more flags of the compiler         # levels: O0 O2     (default)
    # link: -l...          libraries                          # env: NAME=VALUE
    # threads: N           number of threads recorded         # processes: N
    # implicit_exits: N    of the whole session               # module: FUNCTION MODULE
    # rename: REGEX NAME   names that differ by compiler
Functions of the C library are not replaced by the compiler's own and calls at the end of a function stay calls,
so that one tree holds at every level; trees/NAME.tree may say otherwise in its flags.
"""
import glob
import os
import re

import lab

DEFAULT_FLAGS = ["-fno-builtin", "-fno-optimize-sibling-calls"]
MANY = {"module", "env", "rename"}


def read_tree(path):
    lines, options = [], {"levels": "O0 O2", "module": [], "env": [], "rename": []}
    with open(path) as file:
        for line in file.read().splitlines():
            directive = re.match(r"# (\w+): (.*)", line)
            if not directive:
                lines.append(line)
            elif directive[1] in MANY:
                options[directive[1]].append(directive[2])
            else:
                options[directive[1]] = directive[2]
    return lines, options


def run_tree(bench, name, level):
    expected, options = read_tree(os.path.join(lab.HERE, "trees", name + ".tree"))
    flags = [f"-{level}", "-w"] + DEFAULT_FLAGS + options.get("flags", "").split() + options.get("link", "").split()
    env = dict(setting.split("=", 1) for setting in options["env"])
    bench.same_as_plain(f"trees/{name}.c", *flags, env=env)
    got = lab.tree_lines(bench.tree())
    for rule in options["rename"]:
        pattern, to = rule.split()
        got = [re.sub(pattern, to, line) for line in got]
    lab.compare_trees(got, expected)
    totals = bench.sound()
    if "implicit_exits" in options:
        lab.equal(totals["implicit_exits"], int(options["implicit_exits"]), "implicit_exits")
    for by in ("thread", "process"):
        key = by + ("es" if by == "process" else "s")
        if key in options:
            lab.equal(len(bench.report("cinstr.data", by)["rows"]), int(options[key]), key)
    rows = bench.functions()
    for line in options["module"]:
        function, module = line.split()
        lab.check(os.path.basename(rows[function]["module"]).startswith(module),
                  f"module of {function}: {rows[function]['module']}, expected {module}")


def register(name):
    _, options = read_tree(os.path.join(lab.HERE, "trees", name + ".tree"))
    for level in options["levels"].split():
        lab.TESTS.append((f"tree/{name}-{level}", lambda bench, level=level: run_tree(bench, name, level)))


for tree_file in sorted(glob.glob(os.path.join(lab.HERE, "trees", "*.tree"))):
    register(os.path.splitext(os.path.basename(tree_file))[0])
