"""That the feed, whatever is wanted, is what of the whole log fits, in its order, however it is read."""

import json
from collections.abc import AsyncIterator
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from projections_testing.fleet import Fleet, insert_event
from projections_testing.following import catch_up

from ops.base.database import connect, open_pool
from ops.testing.postgres import Database
from projections.tables import REVISIONS
from query_api.feed.cursor import Cursor, Feed
from query_api.feed.filters import ENTITIES, Filter
from query_api.feed.newest import Newest
from query_api.feed.reading import Reader
from query_api.freshness import Wakeups
from query_api.reading import ReadTables

pytestmark = pytest.mark.integration

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
DETAILS = {"driver": "city", "horse": "hired", "trailer": "identifier", "location": "name"}


@pytest.fixture(scope="module")
async def feed(module_database: Database) -> AsyncIterator[tuple[Fleet, Feed, ReadTables, Database]]:
    with psycopg.connect(module_database.owner, autocommit=True) as connection:
        async with open_pool(module_database.query, size=2) as pool:
            tables = ReadTables(pool)
            reader = Reader(pool, "https://fleet.example")
            newest = Newest(tables.progress, reader, Wakeups(), kept=7)
            yield Fleet(connection), Feed(reader, newest), tables, module_database


def fits(event: dict[str, Any], entities: set[str], wanted: set[str]) -> bool:
    """What the filters say, said again about what clients get to see."""
    _, entity, kind, version = event["type"].split(".")
    names = {event["type"], f"{entity}.{kind}", kind}
    assert version.startswith("v")
    return (not entities or entity in entities) and (not wanted or bool(names & wanted))


def play(fleet: Fleet, history: list[tuple[str, str, str]]) -> None:
    fleet.clear()
    for number, (action, entity, entity_id) in enumerate(history):
        if action == "spoil":
            fleet.position += 1
            insert_event(
                fleet.connection,
                position=fleet.position,
                stream=f"{entity}:SPOILT-{number}",
                version=1,
                topic=f"{entity}.registered",  # which it is not
                state=b"{}",
            )
        else:
            fleet.play(
                action, entity, entity_id, {DETAILS[entity]: f"no {number}"} if action == "change" else {}
            )


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    history=steps,
    wanted=filters,
    after=st.sampled_from([0, 0, 1, 5]),
    limit=st.integers(1, 6),
    shared=st.booleans(),
)
async def test_the_feed_is_what_of_the_log_fits(
    feed: tuple[Fleet, Feed, ReadTables, Database],
    history: list[tuple[str, str, str]],
    wanted: tuple[set[str], set[str]],
    after: int,
    limit: int,
    *,
    shared: bool,
) -> None:
    fleet, source, tables, database = feed
    play(fleet, history)
    async with await connect(database.projections, autocommit=True) as connection:
        await catch_up(connection)
    progress = await tables.progress(REVISIONS.name)
    after = min(after, progress.position)
    source.newest._forget()
    if shared:
        source.newest._log_id = progress.log_id  # as if it had followed from the first event on
        await source.newest._catch_up()

    async def read(entities: set[str], kinds: set[str], begin: int) -> list[dict[str, Any]]:
        cursor = Cursor(source, progress.log_id, Filter.of(entities, kinds), begin)
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
