"""Conditional requests and content coding."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.types import Scope

from query_api.http.answers import accepts_gzip, known_etags


def scope_of(name: str, *values: str) -> Scope:
    return {"headers": [(name.encode(), value.encode("latin-1")) for value in values]}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ('"3"', {'"3"'}),
        ('W/"3"', {'"3"'}),
        ('"1-7", W/"1-8" ,"x,y"', {'"1-7"', '"1-8"', '"x,y"'}),
        ('"1-7-gzip", "1-8;gzip", W/"1-9--br", "gzip"', {'"1-7"', '"1-8"', '"1-9"', '"gzip"'}),
        (" * ", {"*"}),
        ("", set()),
        ("3", set()),
        ('"3', set()),
    ],
)
def test_entity_tags_are_compared_weakly(value: str, expected: set[str]) -> None:
    assert known_etags(scope_of("if-none-match", value)) == expected


def test_tags_of_repeated_headers_are_combined() -> None:
    assert known_etags(scope_of("if-none-match", '"1"', '"2"')) == {'"1"', '"2"'}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("gzip", True),
        ("GZIP", True),
        ("br, gzip;q=0.5", True),
        ("gzip ; q = 0.001", True),
        ("*", True),
        ("br, *;q=0.1", True),
        ("", False),
        ("identity", False),
        ("br", False),
        ("gzip;q=0", False),
        ("gzip;q=0.000", False),
        ("gzip;q=0, *", False),
        ("*;q=0", False),
    ],
)
def test_gzip_is_used_only_if_accepted(value: str, expected: bool) -> None:  # noqa: FBT001
    assert accepts_gzip(scope_of("accept-encoding", value)) is expected


@settings(deadline=None)
@given(st.text(st.characters(max_codepoint=255)))
def test_arbitrary_header_values_are_parsed(value: str) -> None:
    known_etags(scope_of("if-none-match", value))
    accepts_gzip(scope_of("accept-encoding", value))
