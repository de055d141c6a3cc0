"""Payloads of notifications round-trip, and invalid ones are recognised."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from read_model.tables.notification import ProjectionNotification

POSITIONS = st.integers(min_value=0, max_value=10**18 - 1)
PROJECTIONS = st.lists(st.sampled_from(["drivers", "horses", "revisions", "drivers_next"]), min_size=1)
STREAMS = st.builds(
    "{}:{}".format,
    st.sampled_from(["driver", "horse"]),
    st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", fullmatch=True),
)


@pytest.mark.parametrize(
    ("streams", "payload"),
    [
        (["driver:EMP-1"], "drivers,revisions:7-8:driver:EMP-1"),
        (["horse:2", "driver:1", "horse:2"], "drivers,revisions:7-8:driver:1,horse:2"),
        ([], "drivers,revisions:7-8:"),
        (["driver:a,b"], "drivers,revisions:7-8"),
        (["driver:a b"], "drivers,revisions:7-8"),
        (["nonsense"], "drivers,revisions:7-8"),
        ([f"driver:{number:064}" for number in range(97)], None),
        ([f"driver:{number:064}" for number in range(98)], "drivers,revisions:7-8"),
    ],
)
def test_payload_names_streams_if_possible(streams: list[str], payload: str | None) -> None:
    projected = ProjectionNotification.create(["drivers", "revisions"], after=7, to=8, streams=streams)
    assert projected.payload.startswith(payload or "drivers,revisions:7-8:driver:")
    assert projected.streams == (None if payload == "drivers,revisions:7-8" else set(streams))


@given(PROJECTIONS, POSITIONS, POSITIONS, st.none() | st.lists(STREAMS | st.text(), max_size=200))
def test_payload_round_trips(projections: list[str], after: int, to: int, streams: list[str] | None) -> None:
    projected = (
        ProjectionNotification(tuple(projections), to, after)
        if streams is None
        else ProjectionNotification.create(projections, after=after, to=to, streams=streams)
    )
    assert len(projected.payload.encode()) < 8000
    assert ProjectionNotification.parse(projected.payload) == projected


@given(st.text() | st.from_regex(r"[a-z_,]*:[0-9-]*:?.*"))
def test_arbitrary_payload_is_invalid_or_round_trips(payload: str) -> None:
    projected = ProjectionNotification.parse(payload)
    assert projected is None or ProjectionNotification.parse(projected.payload) == projected


@pytest.mark.parametrize(
    "payload",
    [
        "",
        "drivers",
        "drivers:",
        "drivers:x",
        "drivers:1",
        "drivers:1-",
        f"drivers:{'9' * 19}",
        "drivers:1-2:driver:a b",
    ],
)
def test_invalid_payload_is_none(payload: str) -> None:
    assert ProjectionNotification.parse(payload) is None
