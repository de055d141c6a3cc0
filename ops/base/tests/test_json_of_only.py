"""Selected members of an object, with null for all others."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ops.base.records.json_values import json_of_only, only, to_json

names = st.text('ab%"\\é{}', max_size=3)
values = st.none() | names | st.floats(allow_nan=False, allow_infinity=False) | st.dictionaries(names, names)


@given(st.dictionaries(names, values), st.frozensets(names), st.integers(0, 6))
def test_selected_members_keep_their_order(
    members: dict[str, Any], others: frozenset[str], count: int
) -> None:
    selected = frozenset(list(members)[:count]) | others
    expected = {name: value if name in selected else None for name, value in members.items()}
    assert only(members, selected) == expected
    assert json_of_only(members, selected) == to_json(expected)
    assert list(only(members, selected)) == list(members)
