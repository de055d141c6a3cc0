"""Intervals of assignments by both kinds of time, compared with a few lines over the events."""

import asyncio
import random
import time
from datetime import UTC, datetime, timedelta
from statistics import quantiles
from typing import Any, Final, NamedTuple

import httpx
import psycopg
import pytest
from projections_testing.fleet import BEGIN, DETAILS, METADATA
from query_api_testing.served import FollowedFleet

from ops.base.records.operations import moment_text
from ops.testing.soak import suite_and_soak

PATH: Final = "/api/v1/assignments"
IDS: Final = tuple(f"ASG-{number}" for number in range(12))
HORSES, DRIVERS, TRAILERS = ("H1", "H2", "H3"), ("E1", "E2", "E3"), ("T1", "T2", "T3", "T4")
VALID: Final = datetime(2026, 3, 14, tzinfo=UTC)
HOURS: Final = 48


class Known(NamedTuple):
    """An assignment as recorded from a moment on."""

    moment: datetime
    details: dict[str, Any] | None


def hour(number: int) -> datetime:
    return VALID + timedelta(hours=number)


def any_details(draw: random.Random) -> dict[str, Any]:
    start = draw.randrange(HOURS)
    return {
        "horse": draw.choice(HORSES),
        "driver": draw.choice((None, *DRIVERS)),
        "trailers": draw.sample(TRAILERS, draw.randrange(4)),
        "starts_at": moment_text(hour(start)),
        "ends_at": draw.choice((None, moment_text(hour(start + 1 + draw.randrange(12))))),
    }


def live(fleet: FollowedFleet, draw: random.Random, events: int) -> dict[str, list[Known]]:
    """Append random events, and return what they say of each assignment."""
    known: dict[str, list[Known]] = {one: [] for one in IDS}
    for _ in range(events):
        one = draw.choice(IDS)
        aggregate = fleet.aggregate("assignment", one)
        if aggregate.state is None:
            fleet.register("assignment", one, **any_details(draw))
        elif draw.randrange(5) == 0:
            fleet.remove("assignment", one)
        else:
            fleet.change("assignment", one, **any_details(draw))
        state = fleet.aggregate("assignment", one).state
        known[one].append(
            Known(BEGIN + timedelta(seconds=fleet.position), None if state is None else state.record())
        )
    return known


def any_question(draw: random.Random, events: int) -> dict[str, Any]:
    choices = {"driver": DRIVERS, "horse": HORSES, "trailer": TRAILERS, "location": ("LOC-5D2R6YVC", "LOC-0")}
    names = draw.sample(list(choices), draw.randrange(3))
    question: dict[str, Any] = {name: draw.sample(choices[name], draw.choice((1, 1, 2))) for name in names}
    if draw.randrange(2) or not question:
        start = draw.randrange(-2, 2 * HOURS)
        question["at"] = hour(0) + timedelta(minutes=30 * start)
        if draw.randrange(2):
            question["until"] = question["at"] + timedelta(minutes=30 * draw.randrange(1, 30))
    if draw.randrange(2):
        question["known_at"] = BEGIN + timedelta(seconds=draw.randrange(2 * events) / 2)
    return question


def expected(known: dict[str, list[Known]], question: dict[str, Any]) -> list[dict[str, Any]]:
    found = []
    last = question.get("known_at", datetime.max.replace(tzinfo=UTC))
    for history in known.values():
        believed = [one for one in history if one.moment <= last]
        details = believed[-1].details if believed else None
        if details is not None and fits(details, question):
            found.append(details)
    found.sort(key=lambda one: one["id"])
    return sorted(found, key=lambda one: one["starts_at"], reverse=True)


def fits(details: dict[str, Any], question: dict[str, Any]) -> bool:
    names = ("driver", "horse", "location")
    if not all(details[name] in question.get(name, (details[name],)) for name in names):
        return False
    if "trailer" in question and set(question["trailer"]).isdisjoint(details["trailers"]):
        return False
    if (at := question.get("at")) is None:
        return True
    start, end = (one and datetime.fromisoformat(one) for one in (details["starts_at"], details["ends_at"]))
    is_begun = start < question["until"] if "until" in question else start <= at
    return bool(is_begun and (end is None or end > at))


async def ask(client: httpx.AsyncClient, **question: Any) -> httpx.Response:
    params = {name: one.isoformat() if isinstance(one, datetime) else one for name, one in question.items()}
    return await client.get(PATH, params=params)


@pytest.mark.parametrize("questions", suite_and_soak(250, 10_000))
async def test_answers_agree_with_the_events(
    client: httpx.AsyncClient, fleet: FollowedFleet, questions: int
) -> None:
    draw = random.Random(questions)
    events = min(questions, 1_000)
    known = live(fleet, draw, events)
    sizes = set()
    for _ in range(questions):
        question = any_question(draw, events)
        answer = await ask(client, **question)
        assert answer.status_code == 200, answer.text
        assert answer.json()["content"] == expected(known, question), question
        sizes.add(answer.json()["page"]["totalElements"])
    assert {0, 1, 2} <= sizes


async def test_intervals_are_served_in_pages(client: httpx.AsyncClient, fleet: FollowedFleet) -> None:
    known = live(fleet, random.Random(3), 60)
    question = {"at": hour(0), "until": hour(2 * HOURS)}
    every = expected(known, question)
    pages = [(await ask(client, **question, size=5, page=number)).json() for number in range(3)]
    assert [one for page in pages for one in page["content"]] == every[:15]
    assert pages[0]["page"] == {
        "size": 5,
        "number": 0,
        "totalElements": len(every),
        "totalPages": -(-len(every) // 5),
    }


async def test_erasure_leaves_the_interval_without_its_note(
    client: httpx.AsyncClient, encrypted_fleet: FollowedFleet
) -> None:
    fleet = encrypted_fleet
    fleet.register("assignment", "ASG-1", driver="E1", ends_at=None)
    then = BEGIN + timedelta(seconds=fleet.position)
    assert (await ask(client, driver="E1")).json()["content"][0]["note"] is not None
    fleet.restrict("assignment", "ASG-1")
    (record,) = (await ask(client, driver="E1")).json()["content"]
    assert (record["driver"], record["note"], record["masked"]) == ("E1", None, ["note"])
    fleet.erase("assignment", "ASG-1")
    assert (await ask(client, driver="E1")).json()["content"] == []
    (record,) = (await ask(client, driver="E1", known_at=then)).json()["content"]
    assert (record["driver"], record["note"], record["erased"]) == ("E1", None, ["note"])


async def test_masked_users_see_intervals_without_notes(
    masked_client: httpx.AsyncClient, fleet: FollowedFleet
) -> None:
    fleet.register("assignment", "ASG-1", driver="E1")
    (record,) = (await ask(masked_client, driver="E1")).json()["content"]
    assert (record["driver"], record["note"], record["masked"]) == ("E1", None, ["note"])


NAMED: Final = {"horse": "HRS-1", "driver": "EMP-1", "trailers": ["TRL-1", "TRL-2"], "location": "LOC-1"}
NAMES: Final = {
    "driver": DETAILS["driver"]["name"],
    "horse": DETAILS["horse"]["identifier"],
    "trailer": DETAILS["trailer"]["identifier"],
    "location": DETAILS["location"]["name"],
}


async def test_names_of_present_records_are_shown(
    client: httpx.AsyncClient, masked_client: httpx.AsyncClient, encrypted_fleet: FollowedFleet
) -> None:
    fleet = encrypted_fleet
    ids = {"driver": "EMP-1", "horse": "HRS-1", "trailer": "TRL-1", "location": "LOC-1"}
    for entity, entity_id in ids.items():
        fleet.register(entity, entity_id)
    fleet.register("assignment", "ASG-1", **NAMED)
    names = {f"{entity}:{one}": NAMES[entity] for entity, one in ids.items()}
    answer = (await ask(client, driver="EMP-1", names="true")).json()
    assert answer["names"] == names
    assert "names" not in (await ask(client, driver="EMP-1")).json()
    del names["driver:EMP-1"]
    assert (await ask(masked_client, names="true")).json()["names"] == names
    fleet.restrict("driver", "EMP-1")
    fleet.remove("horse", "HRS-1")
    del names["horse:HRS-1"]
    assert (await ask(client, names="true")).json()["names"] == names


async def test_free_records_have_no_assignment_in_the_time(
    client: httpx.AsyncClient, fleet: FollowedFleet
) -> None:
    for number in range(1, 4):
        fleet.register("horse", f"HRS-{number}", identifier=f"Prima {number}")
    times = [(2, 4), (6, None)]
    for number, (start, end) in enumerate(times):
        horse = f"HRS-{number + 1}"
        held = {"starts_at": moment_text(hour(start)), "ends_at": end and moment_text(hour(end))}
        fleet.register("assignment", f"ASG-{number}", **{**NAMED, "horse": horse}, **held)
    etags = []
    for start, end, free in ((0, 2, [1, 2, 3]), (3, 5, [2, 3]), (4, 7, [1, 3]), (0, 9, [3])):
        asked = f"/api/v1/horses?free_from={moment_text(hour(start))}&free_until={moment_text(hour(end))}"
        answer = await client.get(f"{asked}&sort=identifier,desc")
        assert [one["id"] for one in answer.json()["content"]] == [f"HRS-{one}" for one in reversed(free)]
        assert (await client.get(f"{asked}&q=prima 3&size=1")).json()["page"]["totalElements"] == 1
        etags.append(answer.headers["etag"])
    fleet.remove("assignment", "ASG-0")
    answer = await client.get(f"{asked}&sort=identifier,desc")
    assert [one["id"] for one in answer.json()["content"]] == ["HRS-3", "HRS-1"]
    assert answer.headers["etag"] != etags[-1]


async def test_assignments_of_a_merged_driver_are_those_of_the_surviving_one(
    client: httpx.AsyncClient, fleet: FollowedFleet
) -> None:
    for number in (1, 2, 3):
        fleet.register("driver", f"EMP-{number}", name=f"Driver {number}")
    fleet.register("assignment", "ASG-1", driver="EMP-1", starts_at=moment_text(VALID), ends_at=None)
    for number in (1, 2):
        survivor, other = (fleet.aggregate("driver", f"EMP-{one}") for one in (number + 1, number))
        assert survivor.state is not None
        for event in survivor.merge(survivor.state.details, other, METADATA):
            fleet.append(event)
    for more in ({}, {"known_at": BEGIN + timedelta(days=1)}):
        answer = (await ask(client, driver="EMP-3", names="true", **more)).json()
        assert [one["driver"] for one in answer["content"]] == ["EMP-1"]
        assert answer["merged"] == {"driver:EMP-1": "EMP-3"}
        assert answer["names"]["driver:EMP-1"] == "Driver 3"
    free = f"free_from={moment_text(hour(1))}&free_until={moment_text(hour(2))}"
    assert (await client.get(f"/api/v1/drivers?{free}")).json()["content"] == []


RECORDS_PER: Final = {"driver": 2_000, "horse": 2_000, "trailer": 4_000}
"""Numbers of records among a million intervals: each has about 500."""
_FILL: Final = """
INSERT INTO read.revisions
  (position, entity, entity_id, version, type, moment, actor_sub, changes, state, public_event)
SELECT 10 + number, 'assignment', 'ASG-' || one, 1 + (one < number)::int, type, moment, actor_sub, changes, (
    state::jsonb || jsonb_build_object(
      'horse', 'HRS-' || one % {horse}, 'driver', 'EMP-' || (one * 7 + turn) % {driver},
      'trailers', jsonb_build_array('TRL-' || one * 2 % {trailer}, 'TRL-' || (one * 2 + 1) % {trailer}),
      'starts_at', timestamptz '2020-01-01 00:00Z' + turn * interval '1 day',
      'ends_at', timestamptz '2020-01-01 20:00Z' + turn * interval '1 day'
    )
  )::json, public_event
FROM read.revisions CROSS JOIN generate_series(1, {intervals}) AS number,
  LATERAL (SELECT number - 4 * (number % 5 = 0)::int AS one) AS assignment,
  LATERAL (SELECT one / {horse} AS turn) AS day
WHERE entity = 'assignment';
INSERT INTO read.assignments (id, version, position, record, list_item)
SELECT DISTINCT ON (entity_id) entity_id, version, position, state, state FROM read.revisions
WHERE entity = 'assignment' ORDER BY entity_id, version DESC
ON CONFLICT DO NOTHING;
TRUNCATE read.assignment_intervals;
INSERT INTO read.assignment_intervals SELECT * FROM read.intervals_of_revisions()
"""


def fill(owner: psycopg.Connection, statements: str) -> None:
    """Insert intervals without the trigger; indexes are created again afterwards, which is faster."""
    indexes = owner.execute(
        "SELECT format('read.%I', indexname), indexdef FROM pg_indexes"
        " WHERE schemaname = 'read' AND indexdef LIKE '% USING gist %'"
    ).fetchall()
    made = [f"DROP INDEX {name}" for name, _ in indexes]
    made += ["ALTER TABLE read.revisions DISABLE TRIGGER USER", statements]
    made += ["ALTER TABLE read.revisions ENABLE TRIGGER USER", *(definition for _, definition in indexes)]
    for statement in (*made, "VACUUM ANALYZE read.revisions, read.assignments, read.assignment_intervals"):
        owner.execute(statement)


@pytest.mark.parametrize("intervals", suite_and_soak(1_000, 1_000_000))
async def test_answers_about_one_record_are_quick(
    client: httpx.AsyncClient, fleet: FollowedFleet, intervals: int
) -> None:
    fleet.register("assignment", "ASG-0", **NAMED)
    await fleet.catch_up()
    counts = {name: max(1, count * intervals // 1_000_000) for name, count in RECORDS_PER.items()}
    await asyncio.to_thread(fill, fleet.connection, _FILL.format(**counts, intervals=intervals))
    draw = random.Random(1)
    prefixes = {"driver": "EMP", "horse": "HRS", "trailer": "TRL"}
    for entity, prefix in prefixes.items():
        for more in ({}, {"at": VALID - timedelta(days=2_200)}, {"known_at": datetime.now(UTC)}):
            seconds, found = [], 0
            for _ in range(20 if intervals < 10_000 else 300):
                asked = {entity: f"{prefix}-{draw.randrange(counts[entity])}", **more}
                began = time.perf_counter()
                answer = await ask(client, **asked)
                seconds.append(time.perf_counter() - began)
                found += answer.json()["page"]["totalElements"]
            p50, p99 = (1000 * quantiles(seconds, n=100)[number] for number in (49, 98))
            print(f"{entity} {[*more]}: p50 {p50:.1f} ms, p99 {p99:.1f} ms, {found // len(seconds)} found")
            assert found
