"""Lines of comma-separated values, to the letter as the browser writes them."""

import csv
import io
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ops.base.entities import entity_type
from query_api.paging.csv_lines import columns_of, line_of, lines_of

LOCATION = entity_type("location")


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        *(
            (text, text)
            for text in ("", "Ravi", "a;b", "+91 98450 12345", "-12.5", "+", "- 1 5", "'x", " =1")
        ),
        *((text, f"'{text}") for text in ("=1+1", "@x", "\tx", "-1+1", "+91-98450", "-x", "+1\u0663")),
        ('say "x"', '"say ""x"""'),
        ("a,b", '"a,b"'),
        ("+1,5", '"+1,5"'),
        ("c\nd", '"c\nd"'),
        ("\rx", '"\'\rx"'),
        ("=a,b", '"\'=a,b"'),
    ],
)
def test_a_cell_is_quoted_where_it_must_be_and_no_formula(text: str, cell: str) -> None:
    assert line_of([text]) == f"{cell}\r\n"


@given(st.lists(st.lists(st.text(alphabet="=+-@\t\r\n\",' a1é"), min_size=2, max_size=2), min_size=1))
def test_what_is_written_is_read_again(rows: list[list[str]]) -> None:
    written = "".join(map(line_of, rows))
    read = list(csv.reader(io.StringIO(written, newline="")))
    assert [[cell.removeprefix("'") for cell in row] for row in read] == [
        [cell.removeprefix("'") for cell in row] for row in rows
    ]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        *((number, str(number)) for number in (0, -7, 40, 12.7409, 1e16 + 2, 2**53)),
        *((40.0, "40"), (-0.0, "0"), (1e16, "10000000000000000"), (1e20, "100000000000000000000")),
        *((1e21, "1e+21"), (0.00001, "0.00001"), (1e-7, "1e-7"), (1.5e-7, "1.5e-7"), (-2.5e300, "-2.5e+300")),
        *((None, ""), (True, ""), ({"a": 1}, ""), (["a"], "")),
    ],
)
def test_numbers_are_written_as_browsers_do_and_what_is_neither_text_nor_number_is_not(
    value: Any, text: str
) -> None:
    shown = lines_of(LOCATION, ["attributes.capacity"], [{"attributes": {"capacity": value}}]).decode()
    assert shown.strip().removeprefix("'") == (str(int(value)) if value == 1e16 + 2 else text)


def test_moments_end_with_their_minute_and_members_are_read_where_they_are() -> None:
    item = {"id": "LOC-1", "attributes": {"city": "Hosur"}, "created_at": "2026-11-21T04:10:45.123Z"}
    lines = lines_of(LOCATION, ["created_at", "attributes.city", "id"], [item, {**item, "attributes": None}])
    assert lines == b"2026-11-21T04:10,Hosur,LOC-1\r\n2026-11-21T04:10,,LOC-1\r\n"
    assert {"id", "attributes.city", "created_at"} <= {*columns_of(LOCATION)}


def test_what_is_masked_or_erased_says_so() -> None:
    driver = entity_type("driver")
    items = [
        {"id": "EMP-1", "name": None, "city": None, "masked": ["name", "city"]},
        {"id": "EMP-2", "name": None, "city": None, "erased": ["name", "city"]},
    ]
    assert lines_of(driver, ["id", "name"], items) == b"EMP-1,Hidden\r\nEMP-2,Erased\r\n"
