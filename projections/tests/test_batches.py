"""How much is read, kept and written at once."""

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from command_api.event_store.records import RecordedEvent
from projections.applying.writing import column_chunks
from projections.reading.tail import Tail


def events(*sizes: int) -> list[RecordedEvent]:
    moment = datetime(2026, 11, 21, tzinfo=UTC)
    return [
        RecordedEvent("driver:EMP-1", position, "driver.details_changed", b"x" * size, position, moment)
        for position, size in enumerate(sizes, start=1)
    ]


@pytest.mark.parametrize(
    ("sizes", "kept"),
    [
        ([1, 1], [1, 2]),
        ([1, 1, 1, 1], [2, 3, 4]),  # no more than a batch has events
        ([50, 50, 60], [2, 3]),  # nor than it has bytes
        ([1, 200], [2]),  # but always one
    ],
)
def test_the_tail_keeps_as_many_of_the_latest_events_as_fit(sizes: list[int], kept: list[int]) -> None:
    for portions in ([events(*sizes)], [[event] for event in events(*sizes)]):
        tail = Tail("", max_events=3, max_bytes=110)
        for portion in portions:
            tail.add(portion)
        assert [event.position for event in tail.after(kept[0] - 1)] == kept
        assert [event.position for event in tail.after(kept[-1] - 1)] == kept[-1:]
        assert tail.reaches(kept[0] - 1)
        assert tail.reaches(kept[-1])
        assert kept[0] == 1 or not tail.reaches(kept[0] - 2)
        assert not tail.after(kept[0] - 2)
        assert not tail.after(kept[-1])


def test_a_tail_that_was_told_to_forget_has_nothing_before_its_head() -> None:
    tail = Tail("")
    tail.add(events(1, 1, 1))
    tail.forget()
    assert not tail.reaches(2)
    assert not tail.after(2)
    assert tail.reaches(3)


rows_of_texts = st.lists(st.tuples(st.integers(), st.text(max_size=30) | st.none()))


@settings(deadline=None)
@given(rows_of_texts, st.integers(min_value=0, max_value=60))
def test_no_row_is_lost_and_no_chunk_is_larger_than_the_limit_and_one_row(
    rows: list[tuple[int, str | None]], limit: int
) -> None:
    chunks = [list(zip(*columns, strict=True)) for columns in column_chunks(rows, max_characters=limit)]
    assert [row for chunk in chunks for row in chunk] == rows
    for chunk in chunks:
        assert sum(len(text or "") for _, text in chunk[:-1]) <= limit
