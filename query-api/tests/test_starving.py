"""What takes long takes nothing from what is quick."""

import asyncio
import json
from datetime import UTC, datetime

import httpx
import psycopg
import pytest
from projections_testing.entity_tables import DRIVERS
from projections_testing.fleet import Fleet
from projections_testing.following import catch_up

from ops.base.database import connect, open_pool
from ops.testing.postgres import Database
from query_api.history.past_lists import FIRST_STRETCH, PastLists, Replaced
from query_api.readers import SEARCH_MOST_WAITING, SEARCH_POOL_SIZE

pytestmark = pytest.mark.integration

LIST = "/api/v1/drivers"
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
async def many(fleet: Fleet, database: Database) -> int:
    """More drivers than are read of the past at once; of each, one is told how many there are."""
    fleet.register("driver", "EMP")
    fleet.connection.execute(COPIES, (3 * FIRST_STRETCH,))
    async with await connect(database.projections, autocommit=True) as connection:
        await catch_up(connection)
    return 3 * FIRST_STRETCH + 1


async def waiting(connection: psycopg.Connection) -> int:
    await asyncio.sleep(0.01)
    ((count,),) = connection.execute(WAITING).fetchall()
    return int(count)


async def test_single_reads_go_on_while_as_many_search_as_can(
    client: httpx.AsyncClient, fleet: Fleet, database: Database
) -> None:
    fleet.register("driver", "EMP-1")
    async with await connect(database.projections, autocommit=True) as connection:
        await catch_up(connection)
    with psycopg.connect(database.owner) as holder:
        holder.execute("LOCK TABLE read.horses")
        searches = [
            asyncio.create_task(client.get(f"/api/v1/horses?q=x{n}&sort=owner,asc")) for n in range(20)
        ]
        while await waiting(fleet.connection) < SEARCH_POOL_SIZE:
            pass
        for _ in range(20):
            assert (await client.get(f"{LIST}/EMP-1")).status_code == 200
            assert (await client.get(LIST)).status_code == 200
        assert await waiting(fleet.connection) == SEARCH_POOL_SIZE
        assert not any(search.done() for search in searches)
        holder.rollback()
        assert {answer.status_code for answer in await asyncio.gather(*searches)} == {200}


async def test_more_than_may_wait_are_refused_at_once(client: httpx.AsyncClient, database: Database) -> None:
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


async def test_a_long_list_of_the_past_is_read_in_short_turns(client: httpx.AsyncClient, many: int) -> None:
    now = (await client.get(LIST)).json()
    assert len(now["content"]) == many
    for encoding in ("identity", "gzip"):
        answer = await client.get(f"{LIST}?as_of=2026-11-21T23:00:00Z", headers={"Accept-Encoding": encoding})
        assert answer.json() == now
        assert answer.headers.get("content-encoding", "identity") == encoding
        known = {"If-None-Match": answer.headers["etag"]}
        assert (await client.get(f"{LIST}?as_of=2026-11-21T23:00:00Z", headers=known)).status_code == 304
    head = await client.head(f"{LIST}?as_of=2026-11-21T23:00:00Z")
    assert (head.status_code, head.content, head.headers["etag"]) == (200, b"", answer.headers["etag"])


async def test_a_list_of_the_past_that_is_replaced_while_it_is_read_does_not_end(
    many: int, fleet: Fleet, database: Database
) -> None:
    async with open_pool(database.query, size=1) as pool:
        lists = PastLists(pool)
        point = await lists.point_at(datetime.now(UTC))
        stretches = lists.records(DRIVERS.entity, point)
        assert len(json.loads(b"[%s]" % await anext(stretches))) == FIRST_STRETCH
        fleet.connection.execute("UPDATE read.positions SET generation = generation + 1")
        with pytest.raises(Replaced):
            await anext(stretches)


async def test_a_list_that_an_earlier_release_has_filled_is_searched_later(
    client: httpx.AsyncClient, fleet: Fleet, database: Database
) -> None:
    fleet.register("driver", "EMP-1")
    async with await connect(database.projections, autocommit=True) as connection:
        await catch_up(connection)
    fleet.connection.execute("UPDATE read.positions SET version = version - 1")
    for view in ("?q=emp", "?sort=name,asc"):
        answer = await client.get(LIST + view)
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
    for view in ("", "?page=0", "?sort=id,desc"):
        assert (await client.get(LIST + view)).status_code == 200
