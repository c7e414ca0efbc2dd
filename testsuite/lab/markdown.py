# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of Markdown documents that can be read as text, too: columns are aligned, and what is too
long goes on in rows below, whose first cell is empty or begins with more spaces."""
import re
import textwrap

WIDTH = 100


def cells_of(line):
    """Of a row, without the spaces around them; a bar is written \\|."""
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip())[1:-1]]


def is_rule(cells):
    return all(re.fullmatch(r"-+", cell) for cell in cells)


def rows_of(lines):
    """The rows of a table as lists of cells, the first one the headings, each in one piece."""
    rows = []
    for line in lines:
        cells = cells_of(line)
        if is_rule(cells):
            continue
        if len(rows) > 1 and line.startswith("|  "):
            rows[-1] = [f"{old} {new}".strip() for old, new in zip(rows[-1], cells)]
        else:
            rows.append(cells)
    return rows


def wrapped(text, width, first="", others=""):
    """Text in lines; what is in backquotes stays together."""
    text = re.sub(r"`[^`]*`", lambda code: code[0].replace(" ", "\0"), text)
    return [line.replace("\0", " ") for line in
            textwrap.wrap(text, width, initial_indent=first, subsequent_indent=others,
                          break_long_words=False, break_on_hyphens=False)] or [first.rstrip()]


def columns_of(row, widths):
    return [wrapped(cell, width, others="" if i else "  ") for i, (cell, width) in enumerate(zip(row, widths))]


def widths_of(rows, width):
    """Of the columns, so that the table has as few lines as it can have in that width. A heading is
    one line."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    least = [max([len(column[0])] + [len(word) + 2 * (i == 0) for cell in column for word in wrapped(cell, 1)])
             for i, column in enumerate(zip(*rows))]

    def lines(narrowed):
        tried = [w - (i == narrowed) for i, w in enumerate(widths)]
        return sum(max(map(len, columns_of(row, tried))) for row in rows), -widths[narrowed]

    while sum(widths) + 3 * len(widths) + 1 > width:
        can = [i for i, w in enumerate(widths) if w > least[i]]
        if not can:
            break
        widths[min(can, key=lines)] -= 1
    return widths


def table_of(rows, width=WIDTH):
    """The lines of a table with these rows, the first one the headings."""
    widths = widths_of(rows, width)
    lines = []
    for number, row in enumerate(rows):
        columns = columns_of(row, widths)
        for i in range(max(map(len, columns))):
            found = [(column[i] if i < len(column) else "").ljust(w) for column, w in zip(columns, widths)]
            lines.append("| " + " | ".join(found) + " |")
        if number == 0:
            lines.append("|" + "|".join("-" * (w + 2) for w in widths) + "|")
    return lines
