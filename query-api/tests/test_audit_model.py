"""That the audit trail, whatever is looked for, is what of the whole log fits, in its order."""

import json
from collections.abc import AsyncIterator

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from projections_testing.fleet import BEGIN, Fleet
from projections_testing.following import catch_up

from ops.base.database import connect, open_pool
from ops.base.entities import ENTITY_TYPES
from ops.testing.postgres import Database
from query_api.audit.parameters import Filter
from query_api.audit.timeline import Change, Timeline
from query_api.parts import PartParameters

pytestmark = pytest.mark.integration

PEOPLE = ("dev|asha", "dev|rohan", None)
CHANGED: dict[str, dict[str, str]] = {
    "driver": {"city": "Pune"},
    "horse": {"owner": "Anand"},
    "trailer": {},
    "location": {"name": "Pune depot"},
}
MOMENTS = [None, BEGIN.replace(second=50), BEGIN.replace(second=58)]

filters = st.builds(
    Filter,
    entity=st.none() | st.sampled_from([entity.name for entity in ENTITY_TYPES]),
    id=st.none() | st.sampled_from(["A", "B", "C"]),
    actor=st.sampled_from([None, None, *PEOPLE[:2], "dev|nobody"]),
    type=st.none() | st.sampled_from(["removed", "registered", "driver.details_changed", "horse.registered"]),
    field=st.none() | st.sampled_from(["city", "name", "owner", "metadata", "nothing"]),
    since=st.sampled_from(MOMENTS),
    until=st.sampled_from(MOMENTS),
    q=st.none() | st.sampled_from(["pune", "Diesel", "MENON", "a"]),
)


@pytest.fixture(scope="module")
async def fleet(module_database: Database) -> AsyncIterator[Fleet]:
    """Three lives of two ids, of each type, by two people; and what nobody is known to have done."""
    with psycopg.connect(module_database.owner, autocommit=True) as connection:
        fleet = Fleet(connection)
        for entity, changed in CHANGED.items():
            for entity_id in ("A", "B"):
                fleet.register(entity, entity_id)
                fleet.change(entity, entity_id, **changed)
        for entity in ("driver", "horse"):
            fleet.remove(entity, "A")
            fleet.register(entity, "A")
        async with await connect(module_database.projections, autocommit=True) as projecting:
            await catch_up(projecting)
        for number, person in enumerate(PEOPLE):
            connection.execute(
                "UPDATE read.revisions SET actor_sub = %s WHERE position %% 5 = %s", (person, number)
            )
        yield fleet


def fits(wanted: Filter, change: Change) -> bool:
    """What each filter says, said again."""
    people = (change.actor_sub, change.actor_name)
    requests = (change.request_id, change.client_request_id, change.reason)
    texts = (change.entity_id, *people, *requests)
    values = change.changes.decode()
    return all(
        [
            wanted.entity in (None, change.entity),
            wanted.id in (None, change.entity_id),
            wanted.actor in (None, change.actor_sub),
            wanted.type in (None, change.type, change.type.partition(".")[2]),
            wanted.field in (None, *(one["field"] for one in json.loads(change.changes))),
            wanted.since is None or change.moment >= wanted.since,
            wanted.until is None or change.moment < wanted.until,
            wanted.q is None or any(wanted.q.lower() in (text or "").lower() for text in (*texts, values)),
        ]
    )


async def read_all(timeline: Timeline, wanted: Filter, *, limit: int, descending: bool) -> list[Change]:
    seen: list[Change] = []
    cursor = None
    while True:
        part = PartParameters(cursor=cursor, limit=limit, order="desc" if descending else "asc")
        found, cursor = await timeline.part(wanted, part)
        seen += found
        if cursor is None:
            return seen


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(wanted=filters, limit=st.integers(1, 30), stretch=st.integers(1, 30), descending=st.booleans())
async def test_what_is_found_is_all_that_fits(
    fleet: Fleet, module_database: Database, wanted: Filter, limit: int, stretch: int, *, descending: bool
) -> None:
    async with open_pool(module_database.query, size=1) as pool:
        everything = await read_all(Timeline(pool), Filter(), limit=1000, descending=descending)
        assert len(everything) == fleet.position
        expected = [change.position for change in everything if fits(wanted, change)]

        timeline = Timeline(pool, stretch=stretch)
        found = await read_all(timeline, wanted, limit=limit, descending=descending)
        assert [change.position for change in found] == expected
        exported = [
            change.position
            async for changes in timeline.everything(wanted, descending=descending)
            for change in changes
        ]
        assert exported == expected
