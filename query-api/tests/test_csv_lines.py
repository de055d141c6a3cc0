"""CSV lines with the texts of the list screen."""

from typing import Any

import pytest

from ops.base.records.entities import entity_type
from query_api.paging.csv_lines import columns_of, lines_of

LOCATION = entity_type("location")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        *((number, str(number)) for number in (0, -7, 40, 12.7409, 1e16 + 2, 2**53)),
        *((40.0, "40"), (-0.0, "0"), (1e16, "10000000000000000"), (1e20, "100000000000000000000")),
        *((1e21, "1e+21"), (0.00001, "0.00001"), (1e-7, "1e-7"), (1.5e-7, "1.5e-7"), (-2.5e300, "-2.5e+300")),
        *((None, ""), (True, ""), ({"a": 1}, ""), (["a", "b"], "a, b")),
    ],
)
def test_numbers_are_formatted_as_in_javascript(value: Any, text: str) -> None:
    shown = lines_of(["attributes.capacity"], [{"attributes": {"capacity": value}}]).decode()
    assert shown.strip().strip('"') == (str(int(value)) if value == 1e16 + 2 else text)


def test_moments_have_minutes_and_members_are_columns() -> None:
    item = {"id": "LOC-1", "attributes": {"city": "Hosur"}, "created_at": "2026-11-21T04:10:45.123Z"}
    lines = lines_of(["created_at", "attributes.city", "id"], [item, {**item, "attributes": None}])
    assert lines == b"2026-11-21T04:10,Hosur,LOC-1\r\n2026-11-21T04:10,,LOC-1\r\n"
    assert {"id", "attributes.city", "created_at"} <= {*columns_of(LOCATION)}


def test_masked_and_erased_values_are_marked() -> None:
    items = [
        {"id": "EMP-1", "name": None, "city": None, "masked": ["name", "city"]},
        {"id": "EMP-2", "name": None, "city": None, "erased": ["name", "city"]},
    ]
    assert lines_of(["id", "name"], items) == b"EMP-1,Hidden\r\nEMP-2,Erased\r\n"
