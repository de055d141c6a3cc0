"""Recognition of an erased person in texts that staff have written."""

import pytest

from projections.workers.erasure.traces import Traces, mailboxes_of, words_of_names

NAMES = frozenset({"Zoë Quartermaine-Lee", "+91 98450 12345", "z.q@example.com", "Li"})
TRACES = Traces(
    texts=frozenset({"Zoë Quartermaine-Lee", "+91 98450 12345", "z.q@example.com", "KA05 20110012345"}),
    words=frozenset({"quartermaine"}),
    names=NAMES - {"Li"},
    ids=mailboxes_of(NAMES) | {"EMP-1"},
)


@pytest.mark.parametrize(
    "text",
    [
        "Quartermaine",
        "quartermaine's licence",
        "QUÄRTERMAINE",
        "Lee, Zoe: Quartermaine",
        "zoequartermainelee",
        "call 98450 12345 5 pm",
        "(98450) 12-345",
        "09845012345",
        "0091 98450-12345",
        "ka0520110012345",
        "Z.Q@Example.com",
        "mail of z.q",
        "about emp-1",
        "EMP-1",
    ],
)
def test_identifying_text_is_recognised(text: str) -> None:
    assert TRACES.match(text)


@pytest.mark.parametrize(
    "text",
    [
        "Lee",
        "Zoe",
        "quarter",
        "quartermaines",
        "98450",
        "20260101 to 20261231",
        "EMP-10",
        "EMP-1-2",
        "example.com",
        "",
    ],
)
def test_ambiguous_text_is_not_recognised(text: str) -> None:
    assert not TRACES.match(text)


@pytest.mark.parametrize(
    ("search", "is_found"), [("rtermai", True), ("Lee", True), ("zo", False), ("xyz", False)]
)
def test_part_of_a_value_is_enough_for_a_search(search: str, *, is_found: bool) -> None:
    assert TRACES.match_search(search) == is_found


def test_short_words_and_numbers_do_not_identify() -> None:
    assert words_of_names({"Zoë Ng Lee", "+91 98450 12345", "z.q@example.com", "王 小明"}) == {
        "zoe",
        "lee",
        "小明",
    }


def test_short_mailboxes_do_not_identify() -> None:
    assert mailboxes_of({"z.q@example.com", "zq@example.com", "Zoë"}) == {"z.q"}
