"""Comma-separated values (RFC 4180) without formulas, which spreadsheets would execute.

The browser writes the same (`frontend/src/shared/table/csvLine.ts`; `test_one_meaning` compares both).
"""

import re
from collections.abc import Iterable, Sequence
from string import ascii_letters, digits
from typing import Any, Final

from ops.base.records.control_characters import without_controls

# OWASP, CSV injection; the last four are full-width forms.
_FORMULA: Final = re.compile(r"[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
_NUMBER: Final = re.compile(r"[+-][\d .,]*(?:\d[eE][+-]?\d+)?", re.ASCII)
"""Telephone numbers and signed numbers, which are safe; `-E5` is a formula."""


_SAFE_STARTS: Final = ("", '"', "[", "{")
_PLAIN_STARTS: Final = frozenset(("", "[", "{", *ascii_letters, *digits))
_QUOTE: Final = '"'
_SPECIAL: Final = re.compile(r'[",\r\n]')


def csv_lines(rows: Iterable[Sequence[Any]]) -> str:
    """Return rows as lines; None is empty.

    A text that would be a formula gets an apostrophe in front, also if it has apostrophes already: an import
    removes one.
    """
    # A line with one empty cell is no empty line.
    return "".join([f"{csv_cells(row) or 2 * _QUOTE}\r\n" for row in rows])


def csv_cells(cells: Sequence[Any]) -> str:
    """Return a part of a line, without a comma around it; see `csv_lines`."""
    texts = ["" if cell is None else str(cell) for cell in cells]
    line = ",".join(texts)
    is_plain = line.isprintable() and _QUOTE not in line and line.count(",") == len(texts) - 1
    if is_plain and {text[:1] for text in texts} <= _PLAIN_STARTS:
        return line
    return ",".join([_cell(cell) for cell in cells])


def _cell(cell: Any) -> str:
    if not isinstance(cell, str):
        return "" if cell is None else str(cell)
    if not cell.isprintable() or not (cell[:1].isalnum() or cell[:1] in _SAFE_STARTS):
        cell = without_controls(cell)
        start = cell.lstrip("'")
        if _FORMULA.match(start) and not _NUMBER.fullmatch(start):
            cell = f"'{cell}"
    return f'"{cell.replace(_QUOTE, 2 * _QUOTE)}"' if _SPECIAL.search(cell) else cell
