"""Comma-separated values (RFC 4180) without formulas, which spreadsheets would execute.

The browser writes the same (`frontend/src/shared/table/csvLine.ts`; `test_one_meaning` compares both).
"""

import csv
import io
import re
from collections.abc import Iterable
from typing import Any, Final

from ops.base.records.control_characters import without_controls

# OWASP, CSV injection; the last four are full-width forms.
_FORMULA: Final = re.compile(r"[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
_NUMBER: Final = re.compile(r"[+-][\d .,]*(?:\d[eE][+-]?\d+)?", re.ASCII)
"""Telephone numbers and signed numbers, which are safe; `-E5` is a formula."""


_SAFE_STARTS: Final = ("", '"', "[", "{")


def csv_lines(rows: Iterable[Iterable[Any]]) -> str:
    """Return rows as lines; None is empty.

    A text that would be a formula gets an apostrophe in front, also if it has apostrophes already: an import
    removes one.
    """
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\r\n")  # noqa: TID251 - the one place for it
    writer.writerows([_harmless(cell) for cell in row] for row in rows)
    return lines.getvalue()


def _harmless(cell: Any) -> Any:
    if not isinstance(cell, str):
        return cell
    if cell.isprintable() and (cell[:1].isalnum() or cell[:1] in _SAFE_STARTS):  # most cells
        return cell
    text = without_controls(cell)
    start = text.lstrip("'")
    return f"'{text}" if _FORMULA.match(start) and not _NUMBER.fullmatch(start) else text
