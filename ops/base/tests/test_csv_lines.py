"""Comma-separated values survive a round trip, and contain no formula."""

import csv
import io
import re
from unicodedata import category

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ops.base.records.csv_lines import csv_lines

TEXTS = st.text() | st.text("=+-@\t\r\n\uff1d';,\" 1a")
RUNS = re.compile(r"[=@\t\r\n\uff1d\uff0b\uff0d\uff20]|[+-](?![0-9 .,]*(?:[0-9][eE][+-]?[0-9]+)?\Z)")


def read(lines: str) -> list[list[str]]:
    return [*csv.reader(io.StringIO(lines, newline=""))]


@given(st.lists(st.tuples(TEXTS, TEXTS)))
def test_csv_survives_a_round_trip_without_formulas(rows: list[tuple[str, str]]) -> None:
    for written, row in zip(read(csv_lines(rows)), rows, strict=True):
        visible = ["".join(c for c in text if c in "\t\r\n" or category(c) != "Cc") for text in row]
        assert written == [f"'{text}" if RUNS.match(text.lstrip("'")) else text for text in visible]


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        *(
            (text, text)
            for text in ("Ravi", "a;b", "+91 98450 12345", "-12.5", "-2.5e+300", "+", "'x", " =1")
        ),
        *(
            (text, f"'{text}")
            for text in ("=1+1", "'=1", "''-x", "@x", "\tx", "-1+1", "+91-98450", "-x", "-E5", "+1\u0663")
        ),
        *((text, f"'{text}") for text in ("\uff1d1+1", "\uff0b1+1", "\uff0d1", "\uff20x")),
        ("", '""'),  # a line without anything would be none
        ('say "x"', '"say ""x"""'),
        ("a,b", '"a,b"'),
        ("+1,5", '"+1,5"'),
        ("c\nd", '"c\nd"'),
        ("\rx", '"\'\rx"'),
        ("\n=1", '"\'\n=1"'),
        ("=a,b", '"\'=a,b"'),
    ],
)
def test_cells_are_quoted_and_formulas_escaped(text: str, cell: str) -> None:
    assert csv_lines([[text]]) == f"{cell}\r\n"


@pytest.mark.parametrize(
    ("cell", "text"), [("+91 98765 43210", "+91 98765 43210"), ("-1e-07", "-1e-07"), (-5, "-5"), (None, "")]
)
def test_numbers_are_unchanged_and_none_is_empty(cell: object, text: str) -> None:
    assert read(csv_lines([["a", cell]])) == [["a", text]]
