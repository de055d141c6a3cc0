"""Workers share the projections among them, and stand by for one another."""

import asyncio
import os
import random
import signal
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
from projections_testing.fleet import Fleet, assert_tables_hold, fold_of_log, position_of
from projections_testing.following import eventually
from projections_testing.processes import RunningWorker
from psycopg import AsyncConnection

from ops.base.database.pools import connect
from ops.testing.faulty_network import faulty_network
from ops.testing.postgres import Database
from ops.testing.soak import soak_count
from ops.testing.waiting import PATIENCE_SECONDS
from projections.leading.sharing import Share
from projections.tables import READ_TABLES, ReadTable

pytestmark = pytest.mark.integration


class Sessions:
    """A worker's sessions, of which each looks when it is told to."""

    def __init__(
        self, database: Database, tables: Sequence[ReadTable], connections: Sequence[AsyncConnection]
    ) -> None:
        self.sessions = dict(zip(tables, connections, strict=True))
        self.share = Share(tables)
        self.leads: set[ReadTable] = set()
        self._database = database

    async def look(self, table: ReadTable) -> bool:
        """Look once, as a follower does now and then; returns whether anything came of it."""
        if table in self.leads:
            moved = await self.share.hand_over(self.sessions[table], table)
        else:
            moved = await self.share.take(self.sessions[table], table)
        self.leads ^= {table} if moved else set()
        return moved

    async def end(self) -> None:
        """End them, and wait until the server has, too: it keeps their locks a moment longer."""
        pids = [session.info.backend_pid for session in self.sessions.values() if not session.closed]
        for session in self.sessions.values():
            await session.close()
        async with await connect(self._database.owner, autocommit=True) as connection:

            async def have_ended() -> bool:
                query = "SELECT count(*) = 0 FROM pg_stat_activity WHERE pid = ANY (%s)"
                row = await (await connection.execute(query, [pids])).fetchone()
                return bool(row and row[0])

            while not await have_ended():  # noqa: ASYNC110 - no event to await
                await asyncio.sleep(0.01)


@asynccontextmanager
async def worker(database: Database, tables: Sequence[ReadTable] = READ_TABLES) -> AsyncIterator[Sessions]:
    connections = [await connect(database.projections, autocommit=True) for _ in tables]
    one = Sessions(database, tables, connections)
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


NAMES = {table.name for table in READ_TABLES}
TAKEOVER_SECONDS = 5.0
SLOW_MACHINE = 12
"""By how much a busy machine may be slower than what is promised."""


def leads(worker: RunningWorker) -> set[str]:
    """What it says that it leads; nothing while it is not ready."""
    readiness = worker.readiness()
    checks = readiness["checks"] if readiness.get("status") in {"ok", "degraded"} else {}
    return {name for name in checks if name in NAMES and checks[name]["detail"].get("role") == "leading"}


def shared(*workers: RunningWorker) -> list[int]:
    """How many each leads, most first; nothing while they do not agree on who leads what."""
    each = [leads(worker) for worker in workers]
    agreed = sum(map(len, each)) == len(READ_TABLES) == len(set.union(*each))
    return sorted(map(len, each), reverse=True) if agreed else []


async def until(condition: Callable[[], bool], *, seconds: float = PATIENCE_SECONDS) -> float:
    """Wait, in a thread, so that the network of this process goes on; return how long it took."""
    began = time.monotonic()
    async with asyncio.timeout(seconds):
        while not await asyncio.to_thread(condition):  # noqa: ASYNC110 - there is no event to await
            await asyncio.sleep(0.05)
    return time.monotonic() - began


def is_reached(fleet: Fleet, position: int) -> bool:
    return all(position_of(fleet.connection, table.name) == position for table in READ_TABLES)


@pytest.mark.parametrize("fate", [signal.SIGKILL, signal.SIGSTOP], ids=lambda fate: fate.name)
async def test_what_a_worker_led_that_is_killed_or_frozen_the_other_takes_over(
    fleet: Fleet, database: Database, fate: signal.Signals
) -> None:
    with RunningWorker(database) as victim:
        await eventually(lambda: shared(victim) == [5])
        with RunningWorker(database) as other:
            await eventually(lambda: shared(victim, other) == [3, 2])
            for number in range(200):
                fleet.register("driver", f"EMP-{number}")
                if number == 100:
                    os.kill(victim.process.pid, fate)  # while it is at work
            seconds = await eventually(
                lambda: is_reached(fleet, 200), seconds=SLOW_MACHINE * TAKEOVER_SECONDS
            )
            print(f"taken over {seconds:.1f} s after {fate.name}")
            await eventually(lambda: shared(other) == [5])
            if fate == signal.SIGSTOP:  # whoever was frozen gets its share again
                os.kill(victim.process.pid, signal.SIGCONT)
                await eventually(lambda: shared(victim, other) == [3, 2])
            for number in range(200, 220):
                fleet.register("horse", f"HRS-{number}")
            await eventually(lambda: is_reached(fleet, 220))
    assert_tables_hold(fleet, fold_of_log(fleet.connection))
    row = fleet.connection.execute("SELECT count(*), max(position) FROM read.revisions").fetchone()
    assert row == (220, 220)


async def test_what_a_worker_led_whose_connections_are_half_open_the_other_takes_over(
    fleet: Fleet, database: Database
) -> None:
    async with faulty_network(database.projections) as (network, dsn):
        with RunningWorker(replace(database, projections=dsn)) as victim:
            await until(lambda: shared(victim) == [5])
            with RunningWorker(database) as other:
                await until(lambda: shared(victim, other) == [3, 2])
                for number in range(20):
                    fleet.register("driver", f"EMP-{number}")
                network.fall_silent()
                seconds = await until(
                    lambda: shared(other) == [5] and is_reached(fleet, 20),
                    seconds=SLOW_MACHINE * TAKEOVER_SECONDS,
                )
                print(f"taken over {seconds:.1f} s after the network fell silent")
                network.heal()
                await until(lambda: shared(victim, other) == [3, 2])
                fleet.register("driver", "EMP-20")
                await until(lambda: is_reached(fleet, 21))
    row = fleet.connection.execute("SELECT count(*), max(position) FROM read.revisions").fetchone()
    assert row == (21, 21)


async def test_three_workers_share_evenly_beside_a_process_of_its_own(
    fleet: Fleet, database: Database
) -> None:
    with RunningWorker(database) as one, RunningWorker(database) as two, RunningWorker(database) as three:
        await eventually(lambda: shared(one, two, three) == [2, 2, 1])
        with RunningWorker(database, names=["horses"]) as own:
            await eventually(lambda: leads(own) == {"horses"})
            await eventually(lambda: shared(one, two, three, own) == [2, 1, 1, 1])
            fleet.register("horse", "HRS-1")
            await eventually(lambda: is_reached(fleet, 1))
        await eventually(lambda: shared(one, two, three) == [2, 2, 1])


@pytest.mark.soak
@pytest.mark.timeout(3600)
async def test_takeover_by_whoever_is_left_many_times(fleet: Fleet, database: Database) -> None:
    took = []
    with RunningWorker(database) as survivor:
        for number in range(soak_count(20)):
            with RunningWorker(database) as victim:
                await eventually(lambda: shared(victim, survivor) == [3, 2])
                os.kill(victim.process.pid, random.choice([signal.SIGKILL, signal.SIGSTOP]))
                fleet.register("driver", f"EMP-{number}")
                took.append(
                    await eventually(
                        lambda: is_reached(fleet, number + 1),  # noqa: B023
                        seconds=SLOW_MACHINE * TAKEOVER_SECONDS,
                    )
                )
    print(f"taken over {len(took)} times, within {max(took):.1f} s")
    assert_tables_hold(fleet, fold_of_log(fleet.connection))
