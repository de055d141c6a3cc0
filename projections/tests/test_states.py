"""A fold can resume from a stored record, and statements that write rows are of limited size."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from projections_testing.fleet import METADATA

from command_api.domain.aggregate import Aggregate
from command_api.domain.catalogue import DEFINITIONS
from command_api.domain.state import State, apply
from ops.base.records.json_values import to_json
from ops.testing.json_values import json_values
from projections.engine.writes import column_chunks

moments = st.datetimes(
    min_value=datetime(2020, 1, 1),  # noqa: DTZ001 - the strategy wants them naive
    max_value=datetime(2040, 1, 1),  # noqa: DTZ001
    timezones=st.just(UTC),
)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_non_finite_numbers_are_refused(value: float) -> None:
    with pytest.raises(ValueError, match="JSON"):
        to_json({"weight": [value]})


@st.composite
def two_details(draw: st.DrawFn) -> tuple[str, dict[str, Any], dict[str, Any]]:
    entity = draw(st.sampled_from(sorted(DEFINITIONS)))
    names = st.sampled_from(DEFINITIONS[entity].fields)
    return (
        entity,
        draw(st.dictionaries(names, json_values)),
        draw(st.dictionaries(names, json_values, min_size=1)),
    )


@settings(deadline=None)
@given(two_details(), moments, moments)
def test_resumed_fold_equals_the_complete_fold(
    case: tuple[str, dict[str, Any], dict[str, Any]], registered_at: datetime, changed_at: datetime
) -> None:
    entity, details, changes = case
    aggregate = Aggregate(DEFINITIONS[entity], "ID-1")
    aggregate = aggregate.after(aggregate.register(details, METADATA), registered_at)
    assert aggregate.state
    remembered = State.of_record(entity, 1, json.loads(to_json(aggregate.state.record())))
    change = aggregate.change(changes, METADATA)
    if change:
        whole = apply(aggregate.state, change, moment=changed_at)
        resumed = apply(remembered, change, moment=changed_at)
        assert whole
        assert resumed
        assert to_json(resumed.record()) == to_json(whole.record())
        assert resumed.version == whole.version


rows_of_texts = st.lists(st.tuples(st.integers(), st.text(max_size=30) | st.none()))


@settings(deadline=None)
@given(rows_of_texts, st.integers(min_value=0, max_value=60))
def test_chunks_contain_all_rows_within_the_limit(rows: list[tuple[int, str | None]], limit: int) -> None:
    chunks = [list(zip(*columns, strict=True)) for columns in column_chunks(rows, max_characters=limit)]
    assert [row for chunk in chunks for row in chunk] == rows
    for chunk in chunks:
        assert sum(len(text or "") for _, text in chunk[:-1]) <= limit
