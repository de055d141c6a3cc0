"""JSON from untrusted clients, read strictly."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ops.base.http.strict_json import UnreadableJson, parse_object

TEXTS = st.text(st.characters(codec="utf-8"))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | TEXTS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(TEXTS, inner, max_size=2),
    max_leaves=3,
)


@given(st.dictionaries(TEXTS, VALUES), st.booleans())
def test_object_is_parsed_as_the_standard_library_does(value: dict[str, Any], escaped: bool) -> None:  # noqa: FBT001
    text = json.dumps(value, ensure_ascii=escaped).encode("utf-8", "surrogatepass")
    assert parse_object(text, max_nesting=9, max_integer=2**53 - 1) == json.loads(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        *(
            (text, "twice")
            for text in ('{"a": 1, "a": 1}', '{"a": null, "b": 1, "a": 2}', '{"": "", "": ""}')
        ),
        *((f'{{"a": {number}}}', "not JSON") for number in ("01", "- 1", "1_0", "'a'", "", "1,")),
        *((f'{{"a": {number}}}', "out of range") for number in (2**53, -(2**53), "1e999", "9" * 30)),
        *((f'{{"a": {number}}}', "NaN and infinities") for number in ("NaN", "Infinity", "-Infinity")),
        *((text, "must be a JSON object") for text in ("null", "[]", '"a"', "1")),
        *((text, "not JSON") for text in ("{}{}", "\ufeff{}", "{}\xa0", '{"a": "\x01"}')),
        ('{"a": [[[[]]]]}', "nested too deeply"),
    ],
)
def test_ambiguous_json_is_refused(text: str, message: str) -> None:
    with pytest.raises(UnreadableJson, match=message):
        parse_object(text.encode(), max_nesting=4, max_integer=2**53 - 1)
