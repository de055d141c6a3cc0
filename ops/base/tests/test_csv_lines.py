"""Comma-separated values: what is written is read back, and nothing in it is a formula."""

import csv
import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ops.base.csv_lines import csv_lines

TEXTS = st.text() | st.text("=+-@\t\r\n\uff1d';,\" 1a")
RUNS = re.compile(r"[=@\t\r\n\uff1d\uff0b\uff0d\uff20]|[+-](?![\d .,]*(?:[eE][+-]?\d+)?$)")


def read(lines: str) -> list[list[str]]:
    return [*csv.reader(io.StringIO(lines, newline=""))]


@given(st.lists(st.tuples(TEXTS, TEXTS)))
def test_what_is_written_is_read_back_and_nothing_of_it_runs(rows: list[tuple[str, str]]) -> None:
    for written, told in zip(read(csv_lines(rows)), rows, strict=True):
        assert written == [f"'{text}" if RUNS.match(text) else text for text in told]


@pytest.mark.parametrize(
    ("cell", "text"), [("+91 98765 43210", "+91 98765 43210"), ("-1e-07", "-1e-07"), (-5, "-5"), (None, "")]
)
def test_numbers_stay_as_they_are_and_nothing_is_empty(cell: object, text: str) -> None:
    assert read(csv_lines([["a", cell]])) == [["a", text]]
