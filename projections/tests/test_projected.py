"""That what is notified of a commit can be read again, whatever the log holds and whoever notifies."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projections.tables.projected import Projected

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
def test_streams_are_named_where_that_is_possible(streams: list[str], payload: str | None) -> None:
    told = Projected.of(["drivers", "revisions"], after=7, to=8, streams=streams)
    assert told.payload.startswith(payload or "drivers,revisions:7-8:driver:")
    assert told.streams == (None if payload == "drivers,revisions:7-8" else set(streams))


@given(PROJECTIONS, POSITIONS, POSITIONS, st.none() | st.lists(STREAMS | st.text(), max_size=200))
def test_what_is_told_is_read_as_it_was_meant(
    projections: list[str], after: int, to: int, streams: list[str] | None
) -> None:
    told = (
        Projected(tuple(projections), to, after)
        if streams is None
        else Projected.of(projections, after=after, to=to, streams=streams)
    )
    assert len(told.payload.encode()) < 8000
    assert Projected.parse(told.payload) == told


@given(st.text() | st.from_regex(r"[a-z_,]*:[0-9-]*:?.*"))
def test_whatever_else_is_notified_tells_nothing_or_is_what_it_says(payload: str) -> None:
    told = Projected.parse(payload)
    assert told is None or Projected.parse(told.payload) == told


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
def test_a_payload_that_is_none_may_mean_anything(payload: str) -> None:
    assert Projected.parse(payload) is None
