"""Statements that write rows are of limited size."""

from hypothesis import given, settings
from hypothesis import strategies as st

from projections.engine.writes import column_chunks

rows_of_texts = st.lists(st.tuples(st.integers(), st.text(max_size=30) | st.none()))


@settings(deadline=None)
@given(rows_of_texts, st.integers(min_value=0, max_value=60))
def test_chunks_contain_all_rows_within_the_limit(rows: list[tuple[int, str | None]], limit: int) -> None:
    chunks = [list(zip(*columns, strict=True)) for columns in column_chunks(rows, max_characters=limit)]
    assert [row for chunk in chunks for row in chunk] == rows
    for chunk in chunks:
        assert sum(len(text or "") for _, text in chunk[:-1]) <= limit
