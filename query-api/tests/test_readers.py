"""What is read from PostgreSQL is what the readers in memory say, on which tests of others stand."""

import json
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Any, Final

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from projections_testing.entity_tables import LOCATIONS
from projections_testing.fleet import BEGIN, Fleet, insert_event
from projections_testing.following import catch_up
from psycopg import sql
from psycopg.conninfo import make_conninfo
from query_api_testing.fleet_in_memory import ADDRESS, FleetInMemory
from query_api_testing.pages_in_memory import choices_of, page_of, sorted_and_filtered
from query_api_testing.past_in_memory import PastInMemory

from ops.base.database.pools import Pool, connect, open_pool
from ops.base.records.entities import ENTITY_TYPES
from ops.base.records.json_values import to_json
from ops.testing.postgres import Database
from projections.tables import ENTITY_TABLES, EntityTable
from projections.tables.search_terms import search_text, sort_keys, sortable_fields
from query_api.audit.days import Days
from query_api.audit.parameters import DaysParameters, Filter
from query_api.audit.timeline import Timeline
from query_api.feed import filters as feed_filters
from query_api.feed.reading import FeedEvent, Reader
from query_api.history.authors import Authors
from query_api.history.changes import Change
from query_api.history.histories import Histories
from query_api.history.parameters import HistoryParameters
from query_api.history.past_lists import PastLists
from query_api.history.past_states import PastStates
from query_api.history.points import Point
from query_api.http.parts import PartParameters
from query_api.paging.choices import Choices
from query_api.paging.filters import Filters
from query_api.paging.view import View
from query_api.reading.lists import Lists

pytestmark = pytest.mark.integration

# Letters whose other case is longer, shorter, or in another alphabet; wildcards, quotes, escapes.
_LETTERS: Final = st.sampled_from(
    "aAbBzZiIİıkK\u212asSſßẞσςΣéÉе\u0301ДдñÑåÅ日本😀𐐀𐐨"  # noqa: RUF001 - on purpose
    "%_\\\"'`*?[](){}^$|.,:;/+-#&= 019\u00a0\u2028\ufffd\ufffe"
)
_TEXTS: Final = st.text(_LETTERS, max_size=6)
_IDS: Final = st.from_regex(r"[A-Ca-c0-1][A-Ca-c0-1._-]{0,2}", fullmatch=True)
_NUMBERS: Final = (
    st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | st.just(-0.0)
)
_DATES: Final = st.dates().map(str)
_JSON: Final = st.none() | _TEXTS | _NUMBERS | st.booleans() | st.lists(_TEXTS | st.integers(), max_size=2)
_OBJECTS: Final = st.dictionaries(_TEXTS, _JSON, max_size=2)
PEOPLE: Final = ("dev|asha", "dev|rohan", None)
_ENTITIES: Final = [entity.name for entity in ENTITY_TYPES]
_CHANGED: Final[dict[str, st.SearchStrategy[dict[str, Any]]]] = {
    "driver": st.fixed_dictionaries({}, optional={"name": _TEXTS, "city": _TEXTS}),
    "trailer": st.fixed_dictionaries({}, optional={"capacity_tons": st.none() | st.floats(0, 99)}),
    "horse": st.fixed_dictionaries(
        {}, optional={"owner": _TEXTS, "metadata": st.dictionaries(_TEXTS, _JSON)}
    ),
    "location": st.fixed_dictionaries({}, optional={"lat": st.floats(-90, 90), "name": _TEXTS}),
}
_AT_ONCE: Final = """
UPDATE log.events SET moment = moment - interval '1 second' WHERE notification_id = ANY(%s)
"""
"""Several commands that were committed together have the same moment; the order of moments stays."""
_MOMENTS: Final = [None, *(BEGIN + timedelta(seconds=seconds) for seconds in (0, 2, 7, 12))]
_KINDS: Final = ("registered", "details_changed", "unreadable", "removed", "moved")

Step = tuple[str, str, str, dict[str, Any]]


@st.composite
def steps(draw: st.DrawFn) -> Step:
    entity = draw(st.sampled_from(_ENTITIES))
    action = draw(st.sampled_from(["register", "register", "change", "change", "remove", "spoil"]))
    return action, entity, draw(st.sampled_from("AB")), draw(_CHANGED[entity])


filters = st.builds(
    Filter,
    entity=st.none() | st.sampled_from(_ENTITIES),
    id=st.none() | st.sampled_from("ABC"),
    actor=st.sampled_from([None, None, *PEOPLE[:2], "dev|nobody"]),
    type=st.none() | st.sampled_from(["removed", "registered", "driver.details_changed", "horse.registered"]),
    field=st.none() | st.sampled_from(["city", "name", "owner", "metadata", "nothing"]),
    since=st.sampled_from(_MOMENTS),
    until=st.sampled_from(_MOMENTS),
    q=st.none() | st.sampled_from(["pune", "Diesel", "MENON", "a"]),
)
types = st.one_of(
    st.sampled_from(_KINDS),
    st.builds("{}.{}".format, st.sampled_from(_ENTITIES), st.sampled_from(_KINDS)),
    st.builds("fleetlog.{}.{}.v2".format, st.sampled_from(_ENTITIES), st.sampled_from(_KINDS)),
)
wanted_events = st.builds(
    feed_filters.Filter.of, st.sets(st.sampled_from(_ENTITIES), max_size=2), st.sets(types, max_size=3)
)
histories_asked = st.builds(
    HistoryParameters,
    limit=st.integers(1, 5),
    order=st.sampled_from(["asc", "desc"]),
    field=st.none() | st.sampled_from(["city", "name", "owner", "nothing"]),
    actor=st.sampled_from([None, None, *PEOPLE[:2]]),
)


def _record(table: EntityTable) -> st.SearchStrategy[dict[str, Any]]:
    values: dict[str, st.SearchStrategy[Any]] = {
        name: st.none() | (_NUMBERS if kind == "number" else _TEXTS | _DATES)
        for name, kind in sortable_fields(table.entity).items()
        if name in table.entity.schema["properties"]
    }
    values |= {name: st.none() | _DATES for name, kind in table.entity.filtered.items() if kind == "days"}
    if table is LOCATIONS:
        attributes = dict.fromkeys(("city", "state", "postalCode"), st.none() | _TEXTS)
        values["attributes"] = st.fixed_dictionaries(attributes)
    if "data" in table.entity.schema["properties"]:
        data = dict.fromkeys(("currentLocation", "lastMaintenance"), _JSON)
        values["data"] = st.none() | st.fixed_dictionaries({}, optional=data)
    return st.fixed_dictionaries({**values, "id": _IDS})


@st.composite
def _filters(draw: st.DrawFn, table: EntityTable, items: list[dict[str, Any]]) -> Filters:
    """Narrow a list to what is in it, however that is capitalised, or near to it, or not there."""
    asked: Filters = ()
    for name, kind in table.entity.filtered.items():
        there = [one for item in items if (one := item[name])] or ["2026-11-21"]
        values = st.sampled_from(there)
        if kind == "days":
            ends = st.sampled_from(["{}..{}", "{}..", "..{}", "!{}..{}", "!..{}"])
            values = st.builds(str.format, ends, values | _DATES, values)
        else:
            values |= values.map(str.swapcase) | _TEXTS
        if some := draw(st.just(set()) | st.sets(values, max_size=3)):
            asked = (*asked, (name, tuple(sorted(some))))
    return asked


@st.composite
def _cases(draw: st.DrawFn, table: EntityTable) -> tuple[EntityTable, list[dict[str, Any]], View]:
    records = st.lists(_record(table), max_size=12, unique_by=lambda record: record["id"])
    items = [table.entity.list_item(record) for record in draw(records)]
    views = st.builds(
        View,
        size=st.integers(1, 4) | st.just(1000),
        sort=st.just("") | st.sampled_from(list(sortable_fields(table.entity))),
        descending=st.booleans(),
        q=st.just("") | st.text(_LETTERS, max_size=4),
        q_in_list=st.booleans(),
        masked=st.booleans(),
        filters=st.just(()) | _filters(table, items),
    )
    return table, items, draw(views)


@pytest.fixture(scope="module")
async def pools(module_database: Database) -> AsyncIterator[list[Pool]]:
    """As the planner likes it, which is without the index where there is little, and by way of the index."""
    by_index = make_conninfo(module_database.query, options="-c enable_seqscan=off")
    async with open_pool(module_database.query, size=1) as pool, open_pool(by_index, size=1) as other:
        yield [pool, other]


@pytest.fixture(scope="module")
def owner(module_database: Database) -> Iterator[psycopg.Connection]:
    with psycopg.connect(module_database.owner, autocommit=True) as connection:
        yield connection


def fill(owner: psycopg.Connection, table: EntityTable, items: list[dict[str, Any]]) -> None:
    owner.execute(sql.SQL("TRUNCATE {}, {}").format(table.identifier, table.search.identifier))
    ids = [item["id"] for item in items]
    owner.execute(
        sql.SQL(
            "INSERT INTO {} (id, version, position, record, list_item)"
            " SELECT id, 1, 1, item::json, item::json FROM unnest(%b::text[], %b::text[]) AS row (id, item)"
        ).format(table.identifier),
        (ids, [to_json(item) for item in items]),
    )
    owner.execute(
        sql.SQL(
            "INSERT INTO {} (id, version, search_text, sort_keys)"
            " SELECT id, 1, search_text, sort_keys"
            " FROM unnest(%b::text[], %b::text[], %b::text[]) AS row (id, search_text, sort_keys)"
        ).format(table.search.identifier),
        (
            ids,
            [search_text(table, item) for item in items],
            [sort_keys(table, item) for item in items],
        ),
    )


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(case=st.sampled_from(ENTITY_TABLES).flatmap(_cases))
async def test_all_pages_together_are_the_list_sorted_and_filtered(
    case: tuple[EntityTable, list[dict[str, Any]], View], pools: list[Pool], owner: psycopg.Connection
) -> None:
    table, items, view = case
    fill(owner, table, items)
    pages = -(-len(sorted_and_filtered(table, items, view)) // view.size)
    for number in range(pages + 1):  # and the one beyond the last
        one = replace(view, page=number)
        content, same = [await Lists(pool).list(table, one) for pool in pools]
        assert content == same
        assert content.json
        assert content.json.decode() == page_of(table, items, one)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(case=st.sampled_from(ENTITY_TABLES).flatmap(_cases))
async def test_all_rows_are_named_as_the_list_is_sorted_and_filtered(
    case: tuple[EntityTable, list[dict[str, Any]], View], pools: list[Pool], owner: psycopg.Connection
) -> None:
    table, items, view = case
    fill(owner, table, items)
    view = replace(view, descending=view.descending and view.sort != "")
    expected = [item["id"] for item in sorted_and_filtered(table, items, view)]
    for pool in pools:
        parts = [list(map(json.loads, named)) async for _, named in Lists(pool).walk(table, view, at_once=2)]
        assert [row[0] for named in parts for rows in named for row in rows] == expected
        assert all(sum(map(len, named)) <= view.size for named in parts)
        assert all(len(rows) <= 2 for named in parts for rows in named)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(case=st.sampled_from(ENTITY_TABLES).flatmap(_cases))
async def test_what_a_list_can_be_narrowed_to_is_what_the_rows_that_are_left_have(
    case: tuple[EntityTable, list[dict[str, Any]], View], pools: list[Pool], owner: psycopg.Connection
) -> None:
    table, items, view = case
    fill(owner, table, items)
    for field in (name for name, kind in table.entity.filtered.items() if kind == "value"):
        one, other = [await Choices(pool).of(table, field, view) for pool in pools]
        assert one == other
        assert one.json
        told = [(choice["value"], choice["count"]) for choice in json.loads(one.json)["choices"]]
        assert told == choices_of(table, items, field, view)
        elsewhere = replace(view, q_in_list=not view.q_in_list)
        sought = await Choices(pools[0]).of(table, field, elsewhere, known_etags=[one.etag])
        assert bool(sought.json) == bool(view.sought)  # looked for elsewhere it is another answer


async def project(fleet: Fleet, database: Database, history: list[Step], at_once: set[int]) -> PastInMemory:
    """Let a history happen and be projected, by two people and some of whom nobody knows."""
    fleet.clear()
    for number, (action, entity, entity_id, details) in enumerate(history):
        if action != "spoil":
            fleet.play(action, entity, entity_id, details)
            continue
        fleet.position += 1
        insert_event(
            fleet.connection,
            position=fleet.position,
            stream=f"{entity}:SPOILT-{number}",
            version=1,
            topic=f"{entity}.registered",  # which it is not
            state=b"{}",
            moment=BEGIN + timedelta(seconds=fleet.position),
        )
    fleet.connection.execute(_AT_ONCE, (list(at_once),))
    async with await connect(database.projections, autocommit=True) as connection:
        await catch_up(connection)
    past = FleetInMemory.of_log(fleet.connection).past
    for number, person in enumerate(PEOPLE):
        fleet.connection.execute(
            "UPDATE read.revisions SET actor_sub = %s WHERE position %% 5 = %s", (person, number)
        )
        past.revisions = [
            one._replace(actor_sub=person) if one.position % 5 == number else one for one in past.revisions
        ]
    return past


@dataclass(frozen=True)
class Case:
    """What happened, and what is asked about it."""

    history: list[Step]
    at_once: set[int]
    asked: HistoryParameters
    wanted: Filter
    events: feed_filters.Filter
    limit: int
    stretch: int
    descending: bool
    masked: bool
    zone: str
    patience: float


cases = st.builds(
    Case,
    st.lists(steps(), max_size=20),
    st.sets(st.integers(2, 20)),
    histories_asked,
    filters,
    wanted_events,
    limit=st.integers(1, 30),
    stretch=st.integers(1, 30),
    descending=st.booleans(),
    masked=st.booleans(),
    zone=st.sampled_from(["UTC", "Asia/Kolkata", "America/St_Johns"]),
    patience=st.sampled_from([-1, 60]),
)


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(case=cases)
async def test_the_past_is_what_the_log_adds_up_to_however_it_is_asked_for(
    case: Case, owner: psycopg.Connection, pools: list[Pool], module_database: Database
) -> None:
    pool = pools[0]
    past = await project(Fleet(owner), module_database, case.history, case.at_once)
    await check_entities(pool, past, case.asked)
    await check_lists(PastLists(pool, first_stretch=1), past)
    await check_timeline(Timeline(pool, stretch=case.stretch), past, case)
    await check_feed(Reader(pool, ADDRESS), owner, case)
    timeline = Timeline(pool, stretch=case.stretch, patience_seconds=case.patience)
    await check_days(Days(timeline), owner, past, case)


async def check_entities(pool: Pool, past: PastInMemory, asked: HistoryParameters) -> None:
    histories, states = Histories(pool), PastStates(pool)
    for entity in ENTITY_TYPES:
        for entity_id in "AB":
            versions = [one.version for one in past.of(entity, entity_id)]
            cursor: int | None = None
            while True:
                part = asked.model_copy(update={"cursor": cursor})
                ours, following, _ = await histories.changes(entity, entity_id, part)
                theirs, expected, _ = await past.changes(entity, entity_id, part)
                assert ([json.loads(one) for one in ours], following) == (
                    [json.loads(one) for one in theirs],
                    expected,
                )
                if following is None:
                    break
                cursor = int(following)
            assert await states.latest(entity, entity_id) == await past.latest(entity, entity_id)
            points = [Point(version=version) for version in (*versions, len(versions) + 1)]
            for point in points + [Point(moment=moment) for moment in moments_of(past)]:
                assert await states.state(entity, entity_id, point) == await past.state(
                    entity, entity_id, point
                )
            authors = [one async for one in Authors(pool).until(entity, entity_id, len(versions))]
            assert authors == [one async for one in past.until(entity, entity_id, len(versions))]


def moments_of(past: PastInMemory) -> list[datetime]:
    moments = {one.moment + timedelta(microseconds=more) for one in past.revisions for more in (0, 1)}
    return [BEGIN, *sorted(moments)]


async def check_lists(lists: PastLists, past: PastInMemory) -> None:
    for moment in moments_of(past):
        point = await lists.point_at(moment)
        assert point._replace(generation=0) == await past.point_at(moment)
        for entity in ENTITY_TYPES:
            ours = b",".join([stretch async for stretch in lists.records(entity, point)])
            assert ours == b",".join([record async for record in past.records(entity, point)])


async def check_timeline(timeline: Timeline, past: PastInMemory, case: Case) -> None:
    seen: list[Change] = []
    part = PartParameters(limit=case.limit, order="desc" if case.descending else "asc")
    while True:
        found, cursor = await timeline.part(case.wanted, part, masked=case.masked)
        seen += found
        if cursor is None:
            break
        part = part.model_copy(update={"cursor": cursor})
    for source in (timeline, past):
        portions = source.everything(case.wanted, descending=case.descending, masked=case.masked)
        everything: list[Change] = [one async for several in portions for one in several]
        assert everything == seen


async def check_days(days: Days, owner: psycopg.Connection, past: PastInMemory, case: Case) -> None:
    apart = timedelta(hours=7)
    owner.execute("UPDATE read.revisions SET moment = moment + position * %s", (apart,))
    past.revisions = [one._replace(moment=one.moment + one.position * apart) for one in past.revisions]
    first = BEGIN.date() + timedelta(days=1)
    asked = DaysParameters(
        **vars(case.wanted), zone=case.zone, first_day=first, last_day=first + timedelta(days=4)
    )
    counted: Counter[date] = Counter()
    while True:
        found, cursor = await days.counted(asked, masked=case.masked)
        counted.update(found)
        if cursor is None:
            break
        asked = asked.model_copy(update={"cursor": cursor})
    assert (dict(counted), None) == await past.counted(asked, masked=case.masked)


async def check_feed(reader: Reader, owner: psycopg.Connection, case: Case) -> None:
    fleet = FleetInMemory.of_log(owner)

    async def read(source: Reader) -> list[FeedEvent]:
        found: list[FeedEvent] = []
        reached, head = 0, fleet.position
        while reached < head:
            events, reached = await source.read(
                fleet.log_id, case.events, after=reached, upto=head, limit=case.limit
            )
            found += events
        return found

    assert await read(reader) == await read(fleet.readers.events)
