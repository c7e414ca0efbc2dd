# SPDX-License-Identifier: GPL-3.0-or-later
"""Which tests there are, and how GCC's own harness (the .exp and .x files beside them) compiles
each."""
import glob
import os
import re

import directives

LEVELS = ["-O0", "-O2", "-O3", "-O2 -flto"]
C_FOLDER = "gcc.c-torture/execute"
# builtins.exp and ieee.exp
BUILTINS = "-fno-tree-dse -fno-tree-loop-distribute-patterns -fno-tracer -fno-ipa-ra -fno-inline-functions".split()
# The .x files, of what they set on x86-64 Linux; those that say "set" replace the folder's flags.
ADDED = {"ieee/compare-fp-3.c": ["-fno-trapping-math"], "ieee/compare-fp-4.c": ["-fno-trapping-math"],
         "ieee/fp-cmp-7.c": ["-fno-trapping-math"], "ieee/pr38016.c": ["-fno-ivopts", "-fno-gcse"]}
REPLACED = {"builtins/abs-1.c": ["-fno-builtin-abs"]}
NOT_WITH_LTO = {"builtins/memops-asm.c", "builtins/strstr-asm.c"}
# Words in a program by which functions may be open when it ends by exit, and by which functions may
# be left without a return. What uses none of them must leave every function by its exit.
LEAVES_OPEN = r"exit|EXIT|thread|fork|clone|terminate"
JUMPS_OUT = r"jmp|\bgoto\b|throw|catch|exception|unwind|thread|cast|\bnew\b|terminate|\basm\b"
# Language standards that are tried for a test that the default one does not suit.
STANDARDS = [(17, []), (14, ["-std=gnu++14"]), (98, ["-std=gnu++98"])]


class Suite:
    """A folder of tests. what: what is done with a test that does not say it; flags: of every
    test."""

    def __init__(self, name, folder, pattern, what, flags=(), replaceable=()):
        self.name, self.folder, self.pattern, self.what = name, folder, pattern, what
        self.flags, self.replaceable = list(flags), list(replaceable)


SUITES = [
    Suite("execute", C_FOLDER, "*.c", "run"),
    Suite("ieee", C_FOLDER + "/ieee", "*.c", "run", ["-fno-inline"]),
    Suite("builtins", C_FOLDER + "/builtins", "*.c", "run", BUILTINS),
    Suite("g++ torture", "g++.dg/torture", "*.C", "compile"),
    Suite("g++ stackalign", "g++.dg/torture/stackalign", "*.C", "compile",
          replaceable=["-mstackrealign", "-mpreferred-stack-boundary=5"]),
    Suite("g++ eh", "g++.dg/eh", "*.C", "compile"),
]


class Test:
    """A source file at a level. skip: why it is none here, or None."""

    def __init__(self, suite, path, level):
        self.suite, self.level = suite, level
        self.name = path  # relative to the folder of sources
        self.sources, self.flags, self.what, self.skip = [path], [], suite.what, None
        self.may_leave_open = self.may_jump_out = True

    def __str__(self):
        return f"{self.name} [{self.level}]"

    def __lt__(self, other):
        return (self.name, self.level) < (other.name, other.level)


def paths(root, suite):
    """The suite's tests, as paths below root."""
    found = glob.glob(os.path.join(root, suite.folder, suite.pattern))
    return sorted(os.path.relpath(path, root) for path in found if not path.endswith("-lib.c"))


def make(root, suite, path, level):
    """The test of a source at a level, with all that its directives say."""
    test = Test(suite, path, level)
    with open(os.path.join(root, path), errors="replace") as file:
        text = file.read()
    if suite.name in ("ieee", "builtins"):
        by_x_file(test)
    else:
        by_directives(test, directives.directives(text))
    whole = text_of(root, test.sources)
    test.may_leave_open = bool(re.search(LEAVES_OPEN, whole))
    test.may_jump_out = bool(re.search(JUMPS_OUT, whole))
    return test


def by_x_file(test):
    """The suites that are driven by c-torture.exp know no directives."""
    short = test.name[len(C_FOLDER) + 1:]
    test.flags = REPLACED.get(short, test.suite.flags + ADDED.get(short, []))
    if test.suite.name == "builtins":
        test.sources += [test.name[:-2] + "-lib.c", os.path.join(os.path.dirname(test.name), "lib/main.c")]
    if short in NOT_WITH_LTO and "-flto" in test.level.split():
        test.skip = "not with -flto"


def by_directives(test, found):
    """Follows the directives with the first language standard that suits; the default one if none
    does."""
    attempts = STANDARDS if test.name.endswith(".C") else STANDARDS[:1]
    for number, standard in attempts:
        follow(test, found, directives.Target(number), standard)
        if not test.skip:
            return
    follow(test, found, directives.Target(), [])


def follow(test, found, target, standard):
    """Sets the test's fields by the directives, as gcc-dg.exp does: flags of the level, then the
    test's own."""
    options, additional = test.suite.replaceable, []
    test.sources, test.what, test.skip = [test.name], test.suite.what, None
    for name, arguments in found:
        if name == "dg-do" and target.selected(arguments[1:]):
            test.what = arguments[0]
        elif name == "dg-options" and target.selected(arguments[1:]):
            options = directives.flags(arguments[0])
        elif name == "dg-additional-options" and target.selected(arguments[1:]):
            additional += directives.flags(arguments[0])
        elif name == "dg-additional-sources":
            folder = os.path.dirname(test.name)
            test.sources = [test.name] + [os.path.join(folder, one) for one in directives.flags(arguments[0])]
        elif name == "dg-require-effective-target" and target.selected(arguments[1:]):
            if not target.one(arguments[0]):
                test.skip = f"needs {arguments[0]}"
    own = options + additional
    test.flags = test.suite.flags + ([] if any(f.startswith("-std=") for f in own) else standard) + own
    given = test.level.split() + test.flags
    do = [arguments[1:] for name, arguments in found if name == "dg-do"]
    if do and not any(target.selected(arguments) for arguments in do):
        test.skip = "not for this target"
    if any(name == "dg-skip-if" and directives.skipped(arguments, target, given) for name, arguments in found):
        test.skip = "not for this target or level"


def text_of(root, paths):
    """The text of sources and of the files beside them that they include."""
    seen, texts = set(), []
    paths = list(paths)
    while paths:
        path = os.path.normpath(paths.pop())
        if path in seen or not os.path.exists(os.path.join(root, path)):
            continue
        seen.add(path)
        with open(os.path.join(root, path), errors="replace") as file:
            texts.append(file.read())
        folder = os.path.dirname(path)
        paths += [os.path.join(folder, name) for name in re.findall(r'#\s*include\s*"([^"]+)"', texts[-1])]
    return "\n".join(texts)


def everything(root, levels, wanted=lambda name: True, every=1):
    """The tests at the levels, of every so many-th file; at each level others."""
    return [make(root, suite, path, level)
            for suite in SUITES for shift, level in enumerate(levels)
            for path in [p for p in paths(root, suite) if wanted(p)][shift % every::every]]
