"""What is told of some members of an object: their values, and null for all others."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ops.base.records.json_values import json_of_only, only, to_json

names = st.text('ab%"\\é{}', max_size=3)
values = st.none() | names | st.floats(allow_nan=False, allow_infinity=False) | st.dictionaries(names, names)


@given(st.dictionaries(names, values), st.frozensets(names), st.integers(0, 6))
def test_it_is_the_json_of_their_values_and_nulls_in_the_members_order(
    members: dict[str, Any], others: frozenset[str], count: int
) -> None:
    told = frozenset(list(members)[:count]) | others
    expected = {name: value if name in told else None for name, value in members.items()}
    assert only(members, told) == expected
    assert json_of_only(members, told) == to_json(expected)
    assert list(only(members, told)) == list(members)
