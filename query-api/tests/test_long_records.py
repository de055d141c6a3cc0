"""Long records, changes and searches are bounded in memory and do not delay quick queries."""

import asyncio
import csv
import io
import json
from datetime import UTC, datetime

import httpx
import psycopg
import pytest
from projections_testing.entity_tables import DRIVERS
from query_api_testing.served import FollowedFleet

from ops.base.database.pools import Pool
from ops.testing.http_servers import pages_of
from ops.testing.postgres import Database
from ops.testing.token_issuer import TokenIssuer
from query_api.audit.parameters import ChangeFilter
from query_api.audit.timeline import Timeline
from query_api.database.readers import SEARCH_MOST_WAITING, SEARCH_POOL_SIZE
from query_api.database.source import LIST_BYTES, PART_BYTES
from query_api.history.past_lists import FIRST_BATCH, PastLists, Replaced

HORSES = "/api/v1/horses"
HISTORY = f"{HORSES}/HRS-1/history"
AUDIT = "/api/v1/audit"
EVENTS = "/api/v1/events"
VERSIONS = 24
LONG = 245_000
PART_AT_MOST = PART_BYTES + 3 * LONG
"""The last change of a page begins within the bound, and has the values before and after."""


@pytest.fixture
async def long_past(fleet: FollowedFleet, database: Database) -> FollowedFleet:
    """A horse with many changes of 245 KB, and registrations of drivers in between."""
    fleet.register("horse", "HRS-1", metadata={"note": "0"})
    for number in range(2, VERSIONS + 1):
        fleet.change("horse", "HRS-1", metadata={"note": "x" * LONG + str(number)})
        fleet.register("driver", f"EMP-{number}")
    await fleet.catch_up()
    return fleet


@pytest.mark.parametrize("order", ["asc", "desc"])
@pytest.mark.parametrize("path", [HISTORY, AUDIT])
async def test_pages_of_changes_are_bounded_in_bytes_and_complete(
    client: httpx.AsyncClient, long_past: FollowedFleet, path: str, order: str
) -> None:
    found = []
    async for page in pages_of(client, path, limit=1000, order=order):
        assert len(page.content) < PART_AT_MOST
        assert page.json()["content"]
        found.append(page.json()["content"])
    versions = [change["version"] for part in found for change in part if change["type"].startswith("horse")]
    assert versions == sorted(range(1, VERSIONS + 1), reverse=order == "desc")
    assert len(found) > VERSIONS * 2 * LONG // PART_AT_MOST


async def test_blame_reads_past_long_changes(client: httpx.AsyncClient, long_past: FollowedFleet) -> None:
    answer = await client.get("/api/v1/horses/HRS-1/blame")
    versions = {field["field"]: field["version"] for field in answer.json()["fields"]}
    assert versions.pop("metadata") == VERSIONS
    assert set(versions.values()) == {1}


@pytest.mark.parametrize("form", ["csv", "ndjson"])
async def test_export_of_long_changes_is_complete(
    client: httpx.AsyncClient, long_past: FollowedFleet, form: str
) -> None:
    answer = await client.get(AUDIT, params={"format": form, "entity": "horse", "reveal": "true"})
    if form == "csv":
        csv.field_size_limit(10 * LONG)
        rows = csv.DictReader(io.StringIO(answer.text))
        reported = {int(row["version"]): row["to"] for row in rows if row["field"] == "metadata"}
    else:
        lines = [json.loads(line) for line in answer.text.splitlines()]
        changes = {line["version"]: line["changes"] for line in lines}
        reported = {
            version: json.dumps(change["to"])
            for version, of_version in changes.items()
            for change in of_version
            if change["field"] == "metadata"
        }
    assert sorted(reported) == list(range(1, VERSIONS + 1))
    assert json.loads(reported[VERSIONS])["note"] == "x" * LONG + str(VERSIONS)


async def test_export_reads_bounded_batches(long_past: FollowedFleet, database: Database) -> None:
    async with Pool(database.query, size=2) as pool:
        portions = [found async for found in Timeline(pool).everything(ChangeFilter(), descending=False)]
    sizes = [sum(len(change.changes) for change in found) for found in portions]
    assert max(sizes) < PART_AT_MOST
    assert sum(map(len, portions)) == 2 * VERSIONS - 1


@pytest.mark.parametrize("parameters", [{}, {"limit": "1000"}, {"entity": "horse"}, {"format": "ndjson"}])
async def test_feed_of_long_events_is_bounded_and_complete(
    client: httpx.AsyncClient, long_past: FollowedFleet, database: Database, parameters: dict[str, str]
) -> None:
    with psycopg.connect(database.owner) as connection:
        longer = "(public_event::jsonb || jsonb_build_object('more', repeat('x', %s)))::json"
        connection.execute(
            f"UPDATE read.revisions SET public_event = {longer} WHERE entity = 'horse'",  # noqa: S608
            [LONG],
        )
    if "format" in parameters:
        answer = await client.get(EVENTS, params={**parameters, "after": "0"})
        positions = [int(json.loads(line)["sequence"]) for line in answer.text.splitlines() if line]
    else:
        positions, path = [], f"{EVENTS}?{httpx.QueryParams({**parameters, 'after': '0'})}"
        while True:
            answer = await client.get(path)
            assert answer.status_code == 200, answer.text
            assert len(answer.content) < 2 * PART_AT_MOST
            events = answer.json()
            if not events:
                break
            positions += [int(event["sequence"]) for event in events]
            path = answer.links["next"]["url"]
    of_horse = [1, *range(2, 2 * VERSIONS, 2)]
    assert positions == (of_horse if "entity" in parameters else list(range(1, 2 * VERSIONS)))


async def test_long_list_or_page_is_streamed(
    client: httpx.AsyncClient, fleet: FollowedFleet, database: Database, issuer: TokenIssuer
) -> None:
    without = {"Authorization": f"Bearer {issuer.token(permissions=['fleet:read'])}"}
    count = LIST_BYTES // LONG + 4
    for number in range(count):
        fleet.register("horse", f"HRS-{number:03}", identifier=f"H{-number}", metadata={"note": "x" * LONG})
    fleet.change("horse", "HRS-007", metadata={"note": "short"})
    fleet.remove("horse", "HRS-008")
    ids = [f"HRS-{number:03}" for number in range(count) if number != 8]
    page = {"size": 1000, "number": 0, "totalElements": len(ids), "totalPages": 1}
    for view, expected in (
        ("", {"ids": ids}),
        ("?size=1000&sort=id,desc", {"ids": ids[::-1], "page": page}),
        ("?size=1000&q=hrs", {"ids": ids, "page": page}),
    ):
        for encoding in ("identity", "gzip"):
            answer = await client.get(HORSES + view, headers={"Accept-Encoding": encoding})
            assert answer.headers.get("content-encoding", "identity") == encoding
            assert "content-length" not in answer.headers
            reported = answer.json()
            content = reported.pop("content")
            assert {"ids": [horse["id"] for horse in content], **reported} == expected
            assert [horse["metadata"] for horse in content if horse["id"] == "HRS-007"] == [{"note": "short"}]
        known = {"If-None-Match": answer.headers["etag"]}
        assert (await client.get(HORSES + view, headers=known)).status_code == 304
        masked = await client.get(HORSES + view, headers=known | without)
        shown = masked.json()["content"]
        assert [horse["id"] for horse in shown] == expected["ids"]
        assert all(horse["metadata"] is None and "metadata" in horse["masked"] for horse in shown)
        own = {"If-None-Match": masked.headers["etag"]}
        assert (await client.get(HORSES + view, headers=own | without)).status_code == 304
    # Short pages are read at once.
    few = await client.get(f"{HORSES}?size=10&page=2")
    assert "content-length" in few.headers
    assert [horse["id"] for horse in few.json()["content"]] == ids[20:30]


DRIVERS_PATH = "/api/v1/drivers"
THEN = f"{DRIVERS_PATH}?as_of=2026-11-21T23:00:00Z"
COPIES = """
INSERT INTO log.events (notification_id, originator_id, originator_version, topic, state, moment)
SELECT 1 + number, originator_id || '-' || number, 1, topic, state, moment
FROM log.events CROSS JOIN generate_series(1, %s) AS number
WHERE notification_id = 1
"""
WAITING = """
SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
"""


@pytest.fixture
async def many(fleet: FollowedFleet, database: Database) -> int:
    """More drivers than one batch of a past list has; their number."""
    fleet.register("driver", "EMP")
    fleet.connection.execute(COPIES, (3 * FIRST_BATCH,))
    await fleet.catch_up()
    return 3 * FIRST_BATCH + 1


async def waiting(connection: psycopg.Connection) -> int:
    await asyncio.sleep(0.01)
    ((count,),) = connection.execute(WAITING).fetchall()
    return int(count)


async def test_single_reads_continue_while_all_searches_wait(
    client: httpx.AsyncClient, fleet: FollowedFleet, database: Database
) -> None:
    fleet.register("driver", "EMP-1")
    await fleet.catch_up()
    with psycopg.connect(database.owner) as holder:
        holder.execute("LOCK TABLE read.horses")
        searches = [
            asyncio.create_task(client.get(f"/api/v1/horses?q=x{n}&sort=owner,asc")) for n in range(20)
        ]
        while await waiting(fleet.connection) < SEARCH_POOL_SIZE:
            pass
        for _ in range(3):
            assert (await client.get(f"{DRIVERS_PATH}/EMP-1")).status_code == 200
            assert (await client.get(DRIVERS_PATH)).status_code == 200
        assert await waiting(fleet.connection) == SEARCH_POOL_SIZE
        assert not any(search.done() for search in searches)
        holder.rollback()
        assert {answer.status_code for answer in await asyncio.gather(*searches)} == {200}


async def test_too_many_waiting_searches_are_refused(
    client: httpx.AsyncClient, fleet: FollowedFleet, database: Database
) -> None:
    await fleet.catch_up()
    with psycopg.connect(database.owner) as holder:
        holder.execute("LOCK TABLE read.horses")
        count = SEARCH_POOL_SIZE + SEARCH_MOST_WAITING + 5
        searches = [asyncio.create_task(client.get("/api/v1/horses?q=x")) for _ in range(count)]
        refused = []
        for answered in asyncio.as_completed(searches):
            refused.append(await answered)
            if len(refused) == 5:
                break
        for answer in refused:
            assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
            assert answer.json()["detail"].startswith("Too many")
        holder.rollback()
        answers = await asyncio.gather(*searches)
    assert sorted({answer.status_code for answer in answers}) == [200, 503]


async def test_long_past_list_is_read_in_batches(client: httpx.AsyncClient, many: int) -> None:
    now = (await client.get(DRIVERS_PATH)).json()
    assert len(now["content"]) == many
    for encoding in ("identity", "gzip"):
        answer = await client.get(THEN, headers={"Accept-Encoding": encoding})
        assert answer.json() == now
        assert answer.headers.get("content-encoding", "identity") == encoding
        known = {"If-None-Match": answer.headers["etag"]}
        assert (await client.get(THEN, headers=known)).status_code == 304
    head = await client.head(THEN)
    assert (head.status_code, head.content, head.headers["etag"]) == (200, b"", answer.headers["etag"])


async def test_past_list_fails_if_the_revisions_are_replaced(
    many: int, fleet: FollowedFleet, database: Database
) -> None:
    async with Pool(database.query, size=1) as pool:
        lists = PastLists(pool)
        point = await lists.point_at(datetime.now(UTC))
        stretches = lists.records(DRIVERS.entity, point)
        assert len(json.loads(b"[%s]" % await anext(stretches))) == FIRST_BATCH
        fleet.connection.execute("UPDATE read.positions SET generation = generation + 1")
        with pytest.raises(Replaced):
            await anext(stretches)


async def test_list_of_an_earlier_release_is_searched_after_its_rebuild(
    client: httpx.AsyncClient, fleet: FollowedFleet, database: Database
) -> None:
    fleet.register("driver", "EMP-1")
    await fleet.catch_up()
    fleet.connection.execute("UPDATE read.positions SET version = version - 1")
    for view in ("?q=emp", "?sort=name,asc", "?sort=id,desc"):
        answer = await client.get(DRIVERS_PATH + view)
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
    for view in ("", "?page=0"):
        assert (await client.get(DRIVERS_PATH + view)).status_code == 200
