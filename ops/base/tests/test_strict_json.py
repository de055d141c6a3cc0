"""JSON from strangers, read strictly."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ops.base.http import strict_json
from ops.base.http.strict_json import UnreadableJson, parse_object

TEXTS = st.one_of(st.text(max_size=4), st.text(st.sampled_from('ab"\\\x7f\n\xe9,: '), max_size=5))
SPACE = st.sampled_from(["", "", " ", "\n", "\x0b", "\ufeff", "\xa0"])
ODD = st.sampled_from(
    [
        *(
            "null",
            "true",
            "NaN",
            "-0",
            "01",
            "1.0",
            "1e5",
            "Infinity",
            "-Infinity",
            "- 1",
            "1_0",
            "{}",
            "[]",
            "[1]",
        ),
        *(
            "9007199254740992",
            "-9007199254740993",
            "18446744073709551616",
            '{"a":1}',
            '"\x01"',
            '"\x7f"',
            "'a'",
            "",
        ),
    ]
)
MEMBERS = st.one_of(
    TEXTS.map(json.dumps),
    TEXTS.map(lambda text: json.dumps(text, ensure_ascii=False)),
    st.integers().map(str),
    ODD,
)
OBJECTS = st.lists(st.tuples(TEXTS.map(json.dumps), SPACE, MEMBERS, SPACE), max_size=4).map(
    lambda members: "{" + ",".join(f"{name}{space}:{value}{end}" for name, space, value, end in members) + "}"
)
DOCUMENTS = st.one_of(
    OBJECTS,
    st.tuples(SPACE, OBJECTS, SPACE).map("".join),
    OBJECTS.map(lambda text: text[:-1] + ",}"),
    OBJECTS.map(lambda text: text + text),
    MEMBERS,
).map(lambda text: text.encode("utf-8", "surrogatepass"))


def verdict(raw: bytes, max_integer: int) -> str:
    try:
        return repr(parse_object(raw, max_nesting=4, max_integer=max_integer))
    except UnreadableJson as error:
        return f"refused: {error}"


@given(DOCUMENTS | st.binary(max_size=12), st.sampled_from([2**53 - 1, 2**64 - 1]))
def test_fast_parser_agrees_with_the_strict_one(raw: bytes, max_integer: int) -> None:
    said = verdict(raw, max_integer)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(strict_json, "_flat", lambda *_: None)
        assert verdict(raw, max_integer) == said


@pytest.mark.parametrize(
    "text", ['{"a": "x", "a": "x"}', '{"a": null, "b": 1, "a": null}', '{"": "", "": ""}']
)
def test_repeated_name_is_refused(text: str) -> None:
    with pytest.raises(UnreadableJson, match="twice"):
        parse_object(text.encode(), max_nesting=4)
