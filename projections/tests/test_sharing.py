"""That workers come to even shares by themselves, and then to rest."""

import random
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import pytest
from psycopg import AsyncConnection

from ops.base.database import connect
from ops.testing.postgres import Database
from projections.leading.sharing import Share
from projections.tables import READ_TABLES, ReadTable

pytestmark = pytest.mark.integration


class Sessions:
    """A worker's sessions, of which each looks when it is told to."""

    def __init__(self, tables: Sequence[ReadTable], connections: Sequence[AsyncConnection]) -> None:
        self.sessions = dict(zip(tables, connections, strict=True))
        self.share = Share(tables)
        self.leads: set[ReadTable] = set()

    async def look(self, table: ReadTable) -> bool:
        """Look once, as a follower does now and then; returns whether anything came of it."""
        if table in self.leads:
            moved = await self.share.hand_over(self.sessions[table], table)
        else:
            moved = await self.share.take(self.sessions[table], table)
        self.leads ^= {table} if moved else set()
        return moved

    async def end(self) -> None:
        for session in self.sessions.values():
            await session.close()


@asynccontextmanager
async def worker(database: Database, tables: Sequence[ReadTable] = READ_TABLES) -> AsyncIterator[Sessions]:
    connections = [await connect(database.projections, autocommit=True) for _ in tables]
    one = Sessions(tables, connections)
    try:
        for table in tables:
            assert await one.share.offer(one.sessions[table], table)
        yield one
    finally:
        await one.end()


async def come_to_rest(workers: Sequence[Sessions]) -> int:
    """Let all look, in any order, until nobody has anything to do; returns how many moves it took."""
    moves, moved = 0, True
    while moved:
        looks = [(one, table) for one in workers for table in one.sessions]
        random.shuffle(looks)
        results = [await one.look(table) for one, table in looks]
        moved = any(results)
        moves += sum(results)
        assert moves < 100
    led = Counter(table for one in workers for table in one.leads)
    assert led == Counter({table for one in workers for table in one.sessions})
    return moves


def shares(workers: Sequence[Sessions]) -> list[int]:
    return sorted((len(one.leads) for one in workers), reverse=True)


async def test_shares_are_even_however_workers_come_and_go(database: Database) -> None:
    async with worker(database) as first:
        assert await come_to_rest([first]) == 5
        async with worker(database) as second:
            assert await come_to_rest([first, second]) == 4  # two were handed over, and taken
            assert shares([first, second]) == [3, 2]
            async with worker(database) as third:
                await come_to_rest([first, second, third])
                assert shares([first, second, third]) == [2, 2, 1]
                await first.end()
                await come_to_rest([second, third])
                assert shares([second, third]) == [3, 2]
            await come_to_rest([second])
            assert shares([second]) == [5]


async def test_more_workers_than_projections_lead_one_each(database: Database) -> None:
    tables = READ_TABLES[:2]
    async with (
        worker(database, tables) as first,
        worker(database, tables) as second,
        worker(database, tables) as third,
    ):
        await come_to_rest([first, second, third])
        assert shares([first, second, third]) == [1, 1, 0]


async def test_a_process_of_its_own_leads_its_projection_and_leaves_the_others_to_share_the_rest(
    database: Database,
) -> None:
    async with worker(database) as first, worker(database) as second:
        await come_to_rest([first, second])
        async with worker(database, READ_TABLES[:1]) as own, worker(database, READ_TABLES[:1]) as spare:
            await come_to_rest([first, second, own, spare])
            assert shares([own, spare]) == [1, 0]
            assert shares([first, second]) == [2, 2]
        await come_to_rest([first, second])
        assert shares([first, second]) == [3, 2]


async def test_one_is_handed_over_at_a_time(database: Database) -> None:
    async with worker(database) as first:
        await come_to_rest([first])
        async with worker(database) as second:
            assert [await first.look(table) for table in READ_TABLES] == [True, *[False] * 4]
            (free,) = second.sessions.keys() - first.leads
            assert not await first.look(free)  # it is the other one's, also while nobody leads it
            assert await second.look(free)
