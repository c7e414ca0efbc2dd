# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds every small change of a C source that a test ought to notice.

A change is of one operator, constant, condition, statement or returned value within a function.
Comments, strings, preprocessor lines and what stands outside of functions stay as they are. Some
changes do not compile, or compile to the same code: whoever tries them leaves those out (tree.py).
"""
import dataclasses
import re

TOKEN = re.compile(r"""
    (?P<space>\s+ | //[^\n]* | /\*.*?\*/)
  | (?P<word>[A-Za-z_]\w*)
  | (?P<number>0[xX][0-9a-fA-F]+[uUlL]* | (?:\d+\.\d*|\.\d+)(?:[eE][-+]?\d+)?[fFlL]? | \d+(?:[eE][-+]?\d+)?[uUlLfF]*)
  | (?P<text>[LuU]?"(?:\\.|[^"\\])*" | '(?:\\.|[^'\\])*')
  | (?P<sign><<=|>>=|\.\.\.|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|[-+*/%&|^~!<>=?:;,.(){}\[\]\#\\])
  | (?P<rest>.)""", re.VERBOSE | re.DOTALL)
PREPROCESSOR = re.compile(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", re.MULTILINE)
# A function's body is between braces in the first column.
BODY = re.compile(r"^\{\n(.*?)^\}", re.MULTILINE | re.DOTALL)

BINARY = {
    "<": ["<=", ">="], "<=": ["<", ">"], ">": [">=", "<="], ">=": [">", "<"], "==": ["!="], "!=": ["=="],
    "+": ["-"], "-": ["+"], "*": ["/"], "/": ["*"], "%": ["/"], "&": ["|"], "|": ["&"],
    "&&": ["||"], "||": ["&&"], "<<": [">>"], ">>": ["<<"], "+=": ["-="], "-=": ["+="], "|=": ["&="], "&=": ["|="],
}
KEYWORDS = {"if", "while", "for", "switch", "return", "case", "else", "do", "goto", "sizeof", "static", "const", "struct",
            "enum", "union", "unsigned", "signed", "break", "continue", "default", "typeof"}
RELEASES = re.compile(r"free$|_release$|_free$|prefetch$")


@dataclasses.dataclass(frozen=True)
class Token:
    kind: str
    text: str
    begin: int
    end: int


@dataclasses.dataclass(frozen=True)
class Change:
    """Replaces file[begin:end] by text."""
    path: str
    begin: int
    end: int
    text: str
    before: str  # the lines that it touches, each blank as one space
    after: str
    line: int
    function: str

    def apply(self, source):
        return source[:self.begin] + self.text + source[self.end:]

    def __str__(self):
        return f"{self.path}:{self.line} {self.function}()\n    - {self.before}\n    + {self.after}"


def changes_of(path, source):
    """All changes of the file, in its order."""
    hidden = PREPROCESSOR.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), source)
    found = []
    for body in BODY.finditer(hidden):
        tokens = tokens_of(hidden, body.start(), body.end())
        function = function_of(hidden, body.start())
        for begin, end, text in sorted(edits_of(tokens), key=lambda edit: (edit[0], edit[1], edit[2])):
            found.append(described(path, source, function, begin, end, text))
    return found


def tokens_of(source, begin, end):
    return [Token(one.lastgroup, one[0], one.start(), one.end())
            for one in TOKEN.finditer(source, begin, end) if one.lastgroup != "space"]


def function_of(source, body):
    names = re.findall(r"(\w+)\(", source[source.rfind("\n\n", 0, body) + 1:body])
    return next((name for name in names if name not in ("__attribute__", "__typeof__")), "?")


def described(path, source, function, begin, end, text):
    first = source.rfind("\n", 0, begin) + 1
    last = source.find("\n", end)
    # A statement that is left out leaves its lines: the numbers of those that follow stay.
    text += "\n" * source.count("\n", begin, end)
    before, after = source[first:last], source[first:begin] + text + source[end:last]
    return Change(path, begin, end, text, " ".join(before.split()), " ".join(after.split()),
                  source.count("\n", 0, begin) + 1, function)


def edits_of(tokens):
    """(begin, end, text) of each change of a function's body."""
    for at, token in enumerate(tokens):
        if token.kind == "number":
            yield from ((token.begin, token.end, text) for text in other_numbers(token.text))
        elif token.kind == "sign":
            yield from signs(tokens, at)
        elif token.text in ("if", "while") and tokens[at + 1].text == "(":
            close = closing(tokens, at + 1)
            if tokens[close + 1].text != ";":  # the end of do ... while ();
                for text in ["0", "1"] if token.text == "if" else ["0"]:
                    yield tokens[at + 1].end, tokens[close].begin, text
        if starts_statement(tokens, at):
            yield from statements(tokens, at)


def other_numbers(text):
    digits = re.match(r"0[xX][0-9a-fA-F]+|\d+$|\d+(?=[uUlL])", text)
    if not digits:
        return [str(float(text.rstrip("fFlL")) * 2)]
    value, suffix = int(digits[0], 0), text[digits.end():]
    return [f"{other}{suffix}" for other in (value + 1, value - 1) if other >= 0]


def signs(tokens, at):
    token, before = tokens[at], tokens[at - 1]
    if token.text == "!":
        yield token.begin, token.end, ""
    elif token.text in ("++", "--"):
        yield token.begin, token.end, "--" if token.text == "++" else "++"
    elif token.text in BINARY and is_operand(before) and before.end < token.begin and token.end < tokens[at + 1].begin:
        for text in BINARY[token.text]:
            yield token.begin, token.end, text


def is_operand(token):
    """Whether a value ends there: then the sign that follows has two sides."""
    return token.kind in ("number", "text") or token.text in (")", "]") or (token.kind == "word" and token.text not in KEYWORDS)


def closing(tokens, at):
    """Of the parenthesis that opens there."""
    depth = 0
    for place in range(at, len(tokens)):
        depth += {"(": 1, ")": -1}.get(tokens[place].text, 0)
        if not depth:
            return place
    return len(tokens) - 1


def starts_statement(tokens, at):
    """Behind another one, or behind the condition of an if or a loop."""
    if not at:
        return False
    before = tokens[at - 1].text
    if before == ";":
        return not within_for(tokens, at)
    if before == ")":
        depth, place = 0, at - 1
        while place >= 0:
            depth += {")": 1, "(": -1}.get(tokens[place].text, 0)
            if not depth:
                break
            place -= 1
        return tokens[place - 1].text in ("if", "while", "for")
    return before in ("{", "}", "else", "do") or (before == ":" and tokens[at - 2].kind == "word")


def within_for(tokens, at):
    depth = 0
    for place in range(at - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(tokens[place].text, 0)
        if depth < 0:
            return True
        if tokens[place].text in "{}":
            return False
    return False


def statements(tokens, at):
    """Leaves out the statement that starts there, or returns another value."""
    end = next((place for place in range(at, len(tokens)) if tokens[place].text in (";", "{")), None)
    if end is None or tokens[end].text == "{":
        return
    if tokens[at].text == "return":
        if end > at + 1:
            value = tokens[at + 1].text if end == at + 2 else ""
            yield tokens[at + 1].begin, tokens[end].begin, "1" if value in ("0", "NULL", "false") else "0"
    elif tokens[at].text in ("break", "continue") or is_expression(tokens, at, end):
        yield tokens[at].begin, tokens[end].begin, ""


def is_expression(tokens, at, end):
    """Not a declaration: it calls or assigns before a second name appears. Nor what only gives
    memory back: sanitizers look for that."""
    if RELEASES.search(tokens[at].text) and tokens[at + 1].text == "(":
        return False
    if tokens[at].text in ("*", "++", "--", "("):
        return True
    if tokens[at].kind != "word" or tokens[at].text in KEYWORDS or at + 1 >= end:
        return False
    return tokens[at + 1].kind == "sign" and tokens[at + 1].text != "*" and tokens[at + 1].text != ":"
