"""The past, however it is asked for, is the fold of the log up to there."""

import json
import re
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import partial
from typing import Any, Final
from zoneinfo import ZoneInfo

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from projections_testing.fleet import BEGIN, Fleet, insert_event
from projections_testing.leases import catch_up
from query_api_testing.served import parts_of

from command_api.domain.state import State
from command_api.event_store.records import RecordedEvent
from ops.base.database.connection import connect
from ops.base.database.pools import Pool
from ops.base.records.entities import ENTITY_TYPES, EntityType, entity_type
from ops.base.records.json_values import to_json
from ops.testing.postgres import Database
from projections.revisions.revision import Revision, revise
from query_api.audit.days import count_days
from query_api.audit.parameters import ChangeFilter, DaysParameters
from query_api.audit.timeline import Timeline
from query_api.history.changes import RecordedChange
from query_api.history.comparison import UNCOMPARED, blame, differences
from query_api.history.histories import changes_until, history_page
from query_api.history.parameters import HistoryParameters, Point
from query_api.history.past_lists import PastLists
from query_api.history.past_states import PastState, latest_state, state_at
from query_api.http.parameters import PageParameters
from query_api.masking.masks import NAME_FIELDS, PERSONAL_NAMES

PEOPLE: Final = ("dev|asha", "dev|rohan", None)
_ENTITIES: Final = [entity.name for entity in ENTITY_TYPES]
_TEXTS: Final = st.text("aAbBiİ%_\\\"' Pune", max_size=6)
_DETAILS: Final[dict[str, st.SearchStrategy[dict[str, Any]]]] = {
    "driver": st.fixed_dictionaries(
        {}, optional={"name": _TEXTS, "city": _TEXTS, "swift_code": st.none() | _TEXTS}
    ),
    "trailer": st.fixed_dictionaries({}, optional={"capacity_tons": st.none() | st.floats(0, 99)}),
    "horse": st.fixed_dictionaries(
        {},
        optional={"owner": st.none() | _TEXTS, "metadata": st.dictionaries(_TEXTS, st.integers() | _TEXTS)},
    ),
    "location": st.fixed_dictionaries({}, optional={"lat": st.floats(-90, 90), "name": _TEXTS}),
    "subscription": st.fixed_dictionaries({}, optional={"hour": st.integers(0, 23), "name": _TEXTS}),
    "assignment": st.fixed_dictionaries({}, optional={"note": st.none() | _TEXTS}),
}
_MOMENTS: Final = [None, BEGIN, *(BEGIN + timedelta(seconds=second) for second in (3, 8, 30))]

Step = tuple[str, str, str, dict[str, Any]]


@st.composite
def steps(draw: st.DrawFn) -> Step:
    entity = draw(st.sampled_from(_ENTITIES))
    action = draw(st.sampled_from(["register", "change", "change", "remove", "spoil"]))
    return action, entity, draw(st.sampled_from("AB")), draw(_DETAILS[entity])


@dataclass(frozen=True)
class Case:
    """What happened, and what is asked about it."""

    history: list[Step]
    at_once: set[int]
    part: HistoryParameters
    wanted: ChangeFilter
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
    st.builds(
        HistoryParameters,
        limit=st.integers(1, 5),
        order=st.sampled_from(["asc", "desc"]),
        field=st.none() | st.sampled_from(["city", "name", "owner", "nothing"]),
        actor=st.sampled_from([None, None, *PEOPLE[:2]]),
    ),
    st.builds(
        ChangeFilter,
        entity=st.none() | st.sampled_from(_ENTITIES),
        id=st.none() | st.sampled_from("ABC"),
        actor=st.sampled_from([None, None, *PEOPLE[:2], "dev|unknown"]),
        type=st.none()
        | st.sampled_from(["removed", "registered", "driver.details_changed", "horse.registered"]),
        field=st.none() | st.sampled_from(["city", "name", "owner", "metadata", "nothing"]),
        since=st.sampled_from(_MOMENTS),
        until=st.sampled_from(_MOMENTS),
        q=st.none() | st.sampled_from(["pune", "Diesel", "MENON", "a"]),
    ),
    limit=st.integers(1, 30),
    stretch=st.integers(1, 30),
    descending=st.booleans(),
    masked=st.booleans(),
    zone=st.sampled_from(["UTC", "Asia/Kolkata", "America/St_Johns"]),
    patience=st.sampled_from([-1, 60]),
)


class Log:
    """All revisions, and every state that there ever was, folded from the log alone."""

    def __init__(self, owner: psycopg.Connection) -> None:
        self.revisions: list[Revision] = []
        states: dict[str, State | None] = {}
        rows = owner.execute(
            "SELECT originator_id, originator_version, topic, state, notification_id, moment"
            " FROM log.events ORDER BY notification_id"
        )
        for row in rows:
            revision, states[row[0]] = revise(states.get(row[0]), RecordedEvent(*row))
            person = (
                PEOPLE[revision.position % 5] if revision.position % 5 < len(PEOPLE) else revision.actor_sub
            )
            self.revisions.append(revision._replace(actor_sub=person))

    def of(self, entity: EntityType, entity_id: str) -> list[Revision]:
        """Return an entity's revisions, the oldest first."""
        return [one for one in self.revisions if (one.entity, one.entity_id) == (entity.name, entity_id)]

    def at(self, entity: EntityType, moment: datetime) -> dict[str, Any]:
        """Return the records of a type at an instant, by id."""
        last = {
            one.entity_id: one.state
            for one in self.revisions
            if one.entity == entity.name and one.moment <= moment
        }
        return {name: json.loads(state) for name, state in sorted(last.items()) if state}

    def name_of(self, one: Revision) -> str | None:
        """Return the name of a revision's record, or its last name where the revision ended it."""
        versions = {other.version: other.state for other in self.of(entity_type(one.entity), one.entity_id)}
        state = one.state or versions.get(one.version - 1)
        field = NAME_FIELDS.get(one.entity)
        name: str | None = None if state is None or field is None else json.loads(state)[field]
        return name

    def found(self, wanted: ChangeFilter, *, masked: bool) -> list[Revision]:
        """Return the revisions that a filter lets through."""
        return [one for one in self.revisions if fits(wanted, one, self.name_of(one), masked=masked)]


def fits(wanted: ChangeFilter, one: Revision, name: str | None, *, masked: bool) -> bool:
    """Return whether a filter lets a revision through."""
    changes = json.loads(one.changes)
    people = (one.actor_sub, one.actor_name)
    requests = (one.request_id, one.client_request_id, one.reason)
    texts: list[str | None] = [one.entity_id, name, *people, *requests, one.changes]
    if masked:
        own_id = one.request_id if re.fullmatch("[0-9a-f]{32}", one.request_id or "") else None
        harmless = entity_type(one.entity).harmless if changes else ()
        texts = [one.entity_id, None if one.entity in PERSONAL_NAMES else name, one.actor_sub, own_id]
        texts += [to_json(change) for change in changes if change["field"] in harmless]
    fields = [] if one.type == f"{one.entity}.registered" else [change["field"] for change in changes]
    return all(
        [
            wanted.entity in (None, one.entity),
            wanted.id in (None, one.entity_id),
            wanted.actor in (None, one.actor_sub),
            wanted.type in (None, one.type, one.type.partition(".")[2]),
            wanted.field in (None, *fields),
            wanted.since is None or one.moment >= wanted.since,
            wanted.until is None or one.moment < wanted.until,
            wanted.q is None or any(wanted.q.lower() in (text or "").lower() for text in texts),
        ]
    )


@pytest.fixture(scope="module")
async def pool(module_database: Database) -> AsyncIterator[Pool]:
    async with Pool(module_database.query, size=1) as pool:
        yield pool


async def project(owner: psycopg.Connection, database: Database, case: Case) -> Log:
    """Append and project a history of two known users and unknown ones, partly in batches."""
    fleet = Fleet(owner)
    fleet.clear()
    for number, (action, entity, entity_id, details) in enumerate(case.history):
        if action != "spoil":
            fleet.play(action, entity, entity_id, details)
            continue
        fleet.position += 1
        insert_event(
            owner,
            position=fleet.position,
            stream=f"{entity}:SPOILT-{number}",
            version=1,
            topic=f"{entity}.registered",  # which it is not
            state=b"{}",
            moment=BEGIN + timedelta(seconds=fleet.position),
        )
    owner.execute(
        "UPDATE log.events SET moment = moment - interval '1 second' WHERE notification_id = ANY(%s)",
        (list(case.at_once),),
    )
    async with await connect(database.projections, autocommit=True) as connection:
        await catch_up(connection)
    for number, person in enumerate(PEOPLE):
        owner.execute("UPDATE read.revisions SET actor_sub = %s WHERE position %% 5 = %s", (person, number))
    return Log(owner)


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(case=cases)
async def test_past_agrees_with_folds_of_the_log(
    case: Case, owner: psycopg.Connection, pool: Pool, module_database: Database
) -> None:
    log = await project(owner, module_database, case)
    for entity in ENTITY_TYPES:
        for entity_id in "AB":
            await check_stream(pool, log, entity, entity_id)
            await check_parts(pool, log.of(entity, entity_id), entity, entity_id, case.part)
    await check_moments(pool, log)
    timeline = Timeline(pool, batch=case.stretch, patience_seconds=case.patience)
    await check_timeline(timeline, log, case)
    await check_days(timeline, owner, log, case)


async def check_stream(pool: Pool, log: Log, entity: EntityType, entity_id: str) -> None:
    """Check states, blame and differences of all versions."""
    revisions = log.of(entity, entity_id)
    records = [json.loads(one.state) if one.state else None for one in revisions]
    assert record_of(await latest_state(pool, entity, entity_id)) == (records[-1] if records else None)
    assert await state_at(pool, entity, entity_id, Point(version=len(records) + 1)) is None
    for version, (one, record) in enumerate(zip(revisions, records, strict=True), 1):
        past = await state_at(pool, entity, entity_id, Point(version=version))
        assert past is not None
        assert (past.position, past.moment, past.type) == (one.position, one.moment, one.type)
        assert record_of(past) == record
        if record is not None:
            changes = changes_until(pool, entity, entity_id, version)
            check_blame(await blame(record, changes), record, revisions[:version])
    for before in (None, *records):
        for after in (None, *records):
            check_difference(before, after)


def record_of(past: PastState | None) -> dict[str, Any] | None:
    return json.loads(past.record) if past and past.record else None


def check_blame(blamed: list[dict[str, Any]], record: dict[str, Any], revisions: list[Revision]) -> None:
    """Check that each field was last set by the last change since the registration that names it."""
    born = max(one.version for one in revisions if one.type.endswith(".registered"))
    for field in blamed:
        named = [
            one
            for one in revisions
            if one.version == born
            or (one.version > born and field["field"] in [each["field"] for each in json.loads(one.changes)])
        ]
        assert (field["version"], field["value"]) == (named[-1].version, record[field["field"]])
        sub = named[-1].actor_sub
        assert field["actor"] == (None if sub is None else {"sub": sub, "name": named[-1].actor_name})


def check_difference(before: dict[str, Any] | None, after: dict[str, Any] | None) -> None:
    """Check that a difference, applied to the one, gives the other."""
    applied = dict(before or {})
    for change in differences(before, after):
        assert applied.get(change["field"]) == change["from"]
        applied[change["field"]] = change["to"]
    for name in {**(before or {}), **(after or {})}:
        if name not in UNCOMPARED:
            assert applied.get(name) == (after or {}).get(name)


async def check_parts(
    pool: Pool,
    revisions: list[Revision],
    entity: EntityType,
    entity_id: str,
    part: HistoryParameters,
) -> None:
    """Check that all parts of a filtered history together are the changes that it should have."""
    expected = [
        (one.version, one.type, one.reason, json.loads(one.changes))
        for one in revisions
        if part.actor in (None, one.actor_sub)
        and part.field in (None, *(change["field"] for change in json.loads(one.changes)))
    ]
    seen: list[Any] = []
    async for changes in parts_of(partial(history_page, pool, entity, entity_id), part):
        seen += map(json.loads, changes)
        assert len(changes) <= part.limit
    assert [(one["version"], one["type"], one["reason"], one["changes"]) for one in seen] == (
        expected[::-1] if part.descending else expected
    )


async def check_moments(pool: Pool, log: Log) -> None:
    """Check records and lists at each event's moment, and just after it."""
    lists = PastLists(pool, first_batch=1)
    moments = {one.moment + timedelta(microseconds=more) for one in log.revisions for more in (0, 1)}
    for moment in (BEGIN, *moments):
        point = await lists.point_at(moment)
        assert point.position == max(
            (one.position for one in log.revisions if one.moment <= moment), default=0
        )
        for entity in ENTITY_TYPES:
            expected = log.at(entity, moment)
            stretches = [stretch async for stretch in lists.records(entity, point)]
            assert json.loads(b"[%s]" % b",".join(stretches)) == list(expected.values())
            for entity_id in "AB":
                past = await state_at(pool, entity, entity_id, Point(moment=moment))
                assert record_of(past) == expected.get(entity_id)


def visible(entity: str, changes: str, name: str | None, case: Case) -> tuple[object, str | None]:
    """Return the changes and the name that a reader sees for certain; personal data may be masked."""
    if not case.masked:
        return changes, name
    harmless = entity_type(entity).harmless
    kept = [change for change in json.loads(changes) if change["field"] in harmless]
    return kept, None if entity in PERSONAL_NAMES else name


async def check_timeline(timeline: Timeline, log: Log, case: Case) -> None:
    """Check parts and exports of the audit trail."""
    part = PageParameters(limit=case.limit, order="desc" if case.descending else "asc")
    parts = parts_of(partial(timeline.page, case.wanted, masked=case.masked), part)
    seen: list[RecordedChange] = [change async for found in parts for change in found]
    expected = log.found(case.wanted, masked=case.masked)[:: -1 if case.descending else 1]
    assert [
        (one.position, *visible(one.entity, one.changes.decode(), one.record_name, case)) for one in seen
    ] == [(one.position, *visible(one.entity, one.changes, log.name_of(one), case)) for one in expected]
    if case.masked:
        assert all(
            (change["from"], change["to"]) == (None, None)
            for one in seen
            for change in json.loads(one.changes)
            if change["field"] not in entity_type(one.entity).harmless
        )
    portions = timeline.everything(case.wanted, descending=case.descending, masked=case.masked)
    assert [one async for several in portions for one in several] == seen


async def check_days(timeline: Timeline, owner: psycopg.Connection, log: Log, case: Case) -> None:
    """Check the numbers of changes by day, with the events seven hours apart."""
    apart = timedelta(hours=7)
    owner.execute("UPDATE read.revisions SET moment = moment + position * %s", (apart,))
    log.revisions = [one._replace(moment=one.moment + one.position * apart) for one in log.revisions]
    first = BEGIN.date() + timedelta(days=1)
    last = first + timedelta(days=4)
    asked = DaysParameters(**vars(case.wanted), zone=case.zone, first_day=first, last_day=last)
    counted: Counter[date] = Counter()
    async for found in parts_of(partial(count_days, timeline, masked=case.masked), asked):
        counted.update(found)
    zone = ZoneInfo(case.zone)
    expected = Counter(
        one.moment.astimezone(zone).date() for one in log.found(case.wanted, masked=case.masked)
    )
    assert counted == {day: count for day, count in expected.items() if first <= day <= last}
