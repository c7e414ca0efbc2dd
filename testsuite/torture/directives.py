# SPDX-License-Identifier: GPL-3.0-or-later
"""DejaGnu's directives in GCC's tests, `{ dg-NAME argument... }`, as far as they matter on x86-64
Linux.

The arguments are Tcl lists. A word in braces stays raw text here, for `words` to split again.
"""
import fnmatch
import re
import shlex

TRIPLET = "x86_64-pc-linux-gnu"
# What GCC's tests ask for and this target lacks. Every other effective target is taken for granted:
# a test that then does not work without the plugin is not comparable anyway.
LACKING = {"ia32", "ilp32", "llp64", "freestanding", "newlib_nano_io", "vxworks_kernel", "powerpc_altivec_ok",
           "vmx_hw", "hard_float", "arm32", "arm_eabi", "arm_thumb2_ok", "short_enums"}
DEFAULT_STANDARD = 17


def words(text):
    """The words of a Tcl list; outer braces and quotes are taken off."""
    found, at = [], 0
    while at < len(text):
        if text[at].isspace():
            at += 1
        elif text[at] == "{":
            end = closing(text, at)
            found.append(text[at + 1:end])
            at = end + 1
        elif text[at] == '"':
            quoted = re.compile(r'"((?:\\.|[^"\\])*)"?').match(text, at)
            found.append(re.sub(r"\\(.)", r"\1", quoted.group(1)))
            at = quoted.end()
        else:
            bare = re.compile(r"[^\s{}]+|\}").match(text, at)
            found.append(bare.group())
            at = bare.end()
    return found


def closing(text, at):
    """Where the brace at `at` is closed; the end of the text if it never is."""
    depth = 0
    for place in range(at, len(text)):
        depth += {"{": 1, "}": -1}.get(text[place], 0)
        if depth == 0:
            return place
    return len(text)


def directives(text):
    """[(name, arguments)] of a source's directives, in order."""
    found = []
    for match in re.finditer(r"\{[ \t]*(dg-[a-z-]+)[ \t]", text):
        end = closing(text, match.start())
        inside = text[match.end():end].split("\n")[0]
        found.append((match.group(1), words(inside)))
    return found


class Target:
    """What selectors are asked about: the target, with a language standard (the NN of c++NN)."""

    def __init__(self, standard=DEFAULT_STANDARD):
        self.standard = standard

    def holds(self, selector):
        """Whether a selector, a list of words, is true here."""
        if not selector:
            return True
        if selector[0] == "!":
            return not self.holds(selector[1:])
        for operator, combine in (("||", any), ("&&", all)):
            if operator in selector:
                return combine([self.holds(part) for part in split(selector, operator)])
        return any(self.one(word) for word in selector)

    def one(self, word):
        if re.search(r"\s", word.strip()):
            return self.holds(words(word))
        word = word.strip()
        if word.count("-") >= 2:
            return fnmatch.fnmatchcase(TRIPLET, word)
        dialect = re.fullmatch(r"c\+\+(\d\d|2a)(_down|_only)?", word)
        if dialect:
            return self.dialect(*dialect.groups())
        return word not in LACKING

    def dialect(self, number, kind):
        here, asked = (1900 + n if n > 90 else 2000 + n for n in (self.standard, int(number.replace("2a", "20"))))
        return {None: here >= asked, "_down": here <= asked, "_only": here == asked}[kind]

    def selected(self, arguments):
        """Whether the selector behind a directive's arguments, `{ target ... }` or none, is
        true."""
        for argument in arguments:
            listed = words(argument)
            if listed[:1] == ["target"]:
                return self.holds(until(listed[1:], "xfail"))
        return True


def split(items, separator):
    """The runs of items between separators."""
    parts = [[]]
    for item in items:
        if item == separator:
            parts.append([])
        else:
            parts[-1].append(item)
    return parts


def until(items, end):
    return items[:items.index(end)] if end in items else items


def flags(argument):
    """The compiler's flags in an argument, which may be a list in braces."""
    try:
        return shlex.split(argument)
    except ValueError:
        return argument.split()


def any_flag(patterns, given):
    """check-flags of DejaGnu: one of the patterns ("*": anything, "": nothing) is among the flags
    given."""
    return any(all(fnmatch.filter(given + ["*"] * (one == "*"), one) for one in pattern.split()) and pattern
               for pattern in patterns)


def skipped(arguments, target, given):
    """Whether `dg-skip-if REASON { targets } { flags } { but not with flags }` applies."""
    reason_less = arguments[1:] + [None] * 3
    if not target.holds(words(reason_less[0] or "")):
        return False
    with_flags = words(reason_less[1]) if reason_less[1] is not None else ["*"]
    without = words(reason_less[2]) if reason_less[2] is not None else [""]
    return any_flag(with_flags, given) and not any_flag(without, given)
