# SPDX-License-Identifier: GPL-3.0-or-later
"""trees/NAME.c (.cc, .f90) and the calls it must show, trees/NAME.tree: lines of `name calls`,
indented by depth, siblings in order of name, all threads and processes added up. Names of C++ are
demangled, without parameters. Lines that begin with # say how to build and run it:

    # flags: -f...         more flags of the compiler         # levels: O0 O2     (default)
    # link: -l...          libraries                          # env: NAME=VALUE
    # threads: N           number of threads recorded         # processes: N
    # implicit_exits: N    of the whole session               # module: FUNCTION MODULE
    # rename: REGEX NAME   names that differ by compiler
    # drop: REGEX          functions not to look at, with all below
    # through: REGEX       functions not to look at: what they call is called by their callers
    # plain: FILE          another source without plugin
    # flat: yes            functions only, whoever calls them
    # since: N             the language needs this release of GCC
    # orphans: N           events without a begin         # open: N           frames open at the end
Functions of the C library are not replaced by the compiler's own and calls at the end of a function
stay calls, so that one tree holds at every level; trees/NAME.tree may say otherwise in its flags.
"""
import glob
import os
import re

import lab

DEFAULT_FLAGS = ["-fno-builtin", "-fno-optimize-sibling-calls"]
LINES = "-fplugin-arg-cinstr-lines"
MANY = {"module", "env", "rename", "drop", "through"}


def read_tree(path):
    lines, options = [], {"levels": "O0 O2"}
    options.update({name: [] for name in MANY})
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


def source_of(name):
    return [f for f in glob.glob(os.path.join(lab.E2E, "trees", name + ".*")) if not f.endswith(".tree")][0]


def demangled(bench, names):
    """Names of C++ without parameters, whether the report demangles or not."""
    plain = bench.run("c++filt", "-p", input="\n".join(names), status=0).stdout.split("\n")
    return [re.sub(r"(?<!^)(?<!operator)\(.*", "", name) for name in plain]


def matches(row, rules):
    return any(re.search(rule, row["name"]) for rule in rules)


def without(rows, dropped, passed):
    """Rows in preorder without those that match `dropped` and all below, and those that match
    `passed` alone."""
    kept, outer, below = [], [], 0
    for row in rows:
        if below and row["depth"] > below:
            continue
        below = row["depth"] if matches(row, dropped) else 0
        while outer and outer[-1] >= row["depth"]:
            outer.pop()
        if matches(row, passed):
            outer.append(row["depth"])
        elif not below:
            kept.append(dict(row, depth=row["depth"] - len(outer)))
    return kept


def tree_of(bench, options):
    rows = bench.tree_rows()
    for row, name in zip(rows, demangled(bench, [row["name"] for row in rows])):
        row["name"] = name
        for rule in options["rename"]:
            row["name"] = re.sub(*rule.split(), row["name"])
        if "flat" in options:
            row["depth"] = 1
    return lab.tree_lines(lab.add_up(without(rows, options["drop"], options["through"])))


def run_tree(bench, name, level, more_flags=(), more_env=()):
    expected, options = read_tree(os.path.join(lab.E2E, "trees", name + ".tree"))
    flags = [f"-{level}", "-w"] + DEFAULT_FLAGS + options.get("flags", "").split() + options.get("link", "").split()
    flags += more_flags
    lab.need_release(int(options.get("since", 0)))
    env = {**dict(more_env), **dict(setting.split("=", 1) for setting in options["env"])}
    sources = [source_of(name)]
    if "plain" in options:
        sources.append(bench.compile("trees/" + options["plain"], "extra.o", *flags, "-c", plugin=None))
    bench.same_as_plain(sources, *flags, env=env)
    lab.compare_trees(tree_of(bench, options), expected)
    totals = bench.sound()
    for option, key in ("implicit_exits", "implicit_exits"), ("orphans", "orphan_events"), ("open", "open_frames"):
        if option in options and LINES in more_flags and key == "orphan_events":
            # Lines are reached on a stack that is not followed as often as the compiler leaves its
            # loops be.
            lab.check(totals[key] >= int(options[option]), f"{key}: {totals[key]}")
        elif option in options:
            lab.equal(totals[key], int(options[option]), key)
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
    _, options = read_tree(os.path.join(lab.E2E, "trees", name + ".tree"))
    for level in options["levels"].split():
        lab.TESTS.append((f"tree/{name}-{level}", lambda bench, level=level: run_tree(bench, name, level)))


for tree_file in sorted(glob.glob(os.path.join(lab.E2E, "trees", "*.tree"))):
    register(os.path.splitext(os.path.basename(tree_file))[0])
