"""That the feed, whatever is wanted, is what of the whole log fits, in its order, however it is read."""

import json
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from query_api_testing.served import ADDRESS, FollowedFleet

from ops.base.database.pools import Pool
from query_api.feed.cursor import Cursor
from query_api.feed.filters import ENTITIES, EventFilter
from query_api.feed.reader import EventReader
from query_api.feed.recent_events import RecentEvents
from query_api.freshness.notifications import Notifications
from query_api.freshness.read_your_writes import Projections
from read_model.tables import REVISIONS

KINDS = ("registered", "registered", "details_changed", "unreadable", "removed", "moved")
types = st.one_of(
    st.sampled_from(KINDS),
    st.builds("{}.{}".format, st.sampled_from(ENTITIES), st.sampled_from(KINDS)),
    st.builds(
        "fleetlog.{}.{}.v{}".format,
        st.sampled_from(ENTITIES),
        st.sampled_from(KINDS),
        st.sampled_from([1, 1, 2]),
    ),
)
filters = st.tuples(st.sets(st.sampled_from(ENTITIES), max_size=2), st.sets(types, max_size=3))
steps = st.lists(
    st.tuples(
        st.sampled_from(["register", "change", "remove", "spoil"]),
        st.sampled_from(ENTITIES),
        st.sampled_from(["A", "B"]),
    ),
    min_size=8,
    max_size=25,
)
DETAILS = {
    "assignment": "note",
    "driver": "city",
    "horse": "hired",
    "trailer": "identifier",
    "location": "name",
    "subscription": "name",
}


def fits(event: dict[str, Any], entities: set[str], wanted: set[str]) -> bool:
    """Return whether the filters select a published event."""
    _, entity, kind, version = event["type"].split(".")
    names = {event["type"], f"{entity}.{kind}", kind}
    assert version.startswith("v")
    return (not entities or entity in entities) and (not wanted or bool(names & wanted))


async def played(fleet: FollowedFleet, history: list[tuple[str, str, str]]) -> None:
    fleet.clear()
    for number, (action, entity, entity_id) in enumerate(history):
        if action == "spoil":  # not readable as its topic
            fleet.insert(f"{entity}:SPOILT-{number}", 1, f"{entity}.registered")
        else:
            details = {DETAILS[entity]: f"no {number}"} if action == "change" else {}
            fleet.play(action, entity, entity_id, details)
    await fleet.catch_up()


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
@given(
    history=steps,
    wanted=filters,
    after=st.sampled_from([0, 0, 1, 5]),
    limit=st.integers(1, 6),
    shared=st.booleans(),
)
async def test_feed_agrees_with_the_model(  # noqa: PLR0917
    history: list[tuple[str, str, str]],
    wanted: tuple[set[str], set[str]],
    after: int,
    limit: int,
    fleet: FollowedFleet,
    pool: Pool,
    *,
    shared: bool,
) -> None:
    await played(fleet, history)
    projections, reader = Projections(pool), EventReader(pool, ADDRESS)
    progress = await projections.progress(REVISIONS.name)
    source = RecentEvents(projections.progress, reader, Notifications(), kept=7)
    after = min(after, progress.position)
    if shared:
        source._log_id = progress.log_id  # as after following from the first event
        await source._catch_up()

    async def read(entities: set[str], kinds: set[str], begin: int) -> list[dict[str, Any]]:
        cursor = Cursor(source, progress.log_id, EventFilter(frozenset(entities), frozenset(kinds)), begin)
        found: list[dict[str, Any]] = []
        while cursor.position < progress.position:
            events = await cursor.advance(progress.position, limit=limit)
            assert len(events) <= limit
            found += [json.loads(event.json) for event in events]
            assert not found or int(found[-1]["sequence"]) <= cursor.position
        return found

    everything = await read(set(), set(), 0)
    assert [int(event["sequence"]) for event in everything] == list(range(1, progress.position + 1))
    spoilt = [event["type"].split(".")[2] for event in everything if "SPOILT" in event["subject"]]
    assert set(spoilt) <= {"unreadable"}
    expected = [
        event for event in everything if int(event["sequence"]) > after and fits(event, wanted[0], wanted[1])
    ]
    assert await read(wanted[0], wanted[1], after) == expected
