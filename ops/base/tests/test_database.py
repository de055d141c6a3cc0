"""Connections and pools over faulty networks: every wait is bounded, and all of them recover."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from typing import Any

import psycopg
import pytest
from psycopg_pool import PoolTimeout

from ops.base.database.connection import BoundedConnection, connect
from ops.base.database.pools import Pool, listen
from ops.testing.conditions import wait_until
from ops.testing.faulty_network import FaultyNetwork, faulty_network
from ops.testing.metrics import sample
from ops.testing.postgres import Database, is_sleeping

SOON = 30.0
"""Generous: what is waited for takes a second or two."""
IMPATIENT = 0.3


@pytest.fixture
async def way(database: Database) -> AsyncIterator[tuple[FaultyNetwork, str]]:
    async with faulty_network(database.query) as way:
        yield way


async def head(connection: psycopg.AsyncConnection[Any]) -> int:
    cursor = await connection.execute("SELECT position FROM log.head")
    ((position,),) = await cursor.fetchall()
    return int(position)


@pytest.mark.parametrize("in_pipeline", [False, True])
async def test_unanswered_statement_in_a_transaction_closes_the_connection(
    way: tuple[FaultyNetwork, str], *, in_pipeline: bool
) -> None:
    network, dsn = way

    async def read_in_transaction(connection: BoundedConnection) -> None:
        async with connection.transaction(), AsyncExitStack() as mode:
            if in_pipeline:
                await mode.enter_async_context(connection.pipeline())
            await head(connection)
            network.fall_silent()
            await head(connection)

    async with await connect(dsn, autocommit=True, answer_seconds=IMPATIENT) as connection:
        with pytest.raises(psycopg.OperationalError):
            await read_in_transaction(connection)
        assert connection.closed


async def test_cancelled_statement_does_not_wait_for_the_server(
    way: tuple[FaultyNetwork, str],
) -> None:
    network, dsn = way
    async with await connect(dsn, autocommit=True, answer_seconds=60) as connection:
        network.fall_silent()
        task = asyncio.create_task(head(connection))
        await asyncio.sleep(0)
        task.cancel()
        done, _ = await asyncio.wait([task], timeout=SOON)
        assert done
        assert task.cancelled()
        assert connection.closed


async def test_unbounded_connection_cancels_on_the_server(
    database: Database, way: tuple[FaultyNetwork, str]
) -> None:
    _, dsn = way
    async with await connect(dsn, autocommit=True) as connection:
        task = asyncio.create_task(connection.execute("SELECT pg_sleep(60)"))
        with psycopg.connect(database.owner, autocommit=True) as observer:
            await wait_until(lambda: is_sleeping(observer, connection.info.backend_pid), seconds=SOON)
        task.cancel()
        done, _ = await asyncio.wait([task], timeout=SOON)
        assert done
        assert task.cancelled()
        assert await head(connection) == 0  # which works on


@pytest.mark.parametrize("fault", ["cut", "reset", "fall_silent", "hold_back"])
async def test_reads_recover_after_a_network_failure(way: tuple[FaultyNetwork, str], fault: str) -> None:
    network, dsn = way
    async with Pool(dsn, size=4, answer_seconds=IMPATIENT) as pool:
        await asyncio.gather(*(pool.read(head) for _ in range(8)))
        getattr(network, fault)()
        if fault in {"fall_silent", "hold_back"}:
            async with asyncio.timeout(SOON):
                with pytest.raises(psycopg.OperationalError):
                    await pool.read(head, patience=1.0)
            network.heal()
        assert await asyncio.gather(*(pool.read(head, patience=SOON) for _ in range(8))) == [0] * 8


async def test_reads_survive_silently_dead_connections(way: tuple[FaultyNetwork, str]) -> None:
    network, dsn = way
    # Patience for one more attempt only, which a busy machine must not spoil.
    async with Pool(dsn, size=4, answer_seconds=5, wait_seconds=SOON) as pool:
        await asyncio.gather(*(pool.read(head) for _ in range(8)))
        network.fall_silent()
        network.heal()
        assert await asyncio.gather(*(pool.read(head, patience=0) for _ in range(4))) == [0] * 4


async def test_slow_read_is_cancelled_and_not_retried(database: Database) -> None:
    reads = 0

    async def read_slowly(connection: BoundedConnection) -> None:
        nonlocal reads
        reads += 1
        await connection.execute("SET statement_timeout = 100")
        await connection.execute("SELECT pg_sleep(60)")

    async with Pool(database.query, size=1) as pool:
        with pytest.raises(psycopg.errors.QueryCanceled):
            await pool.read(read_slowly)
    assert reads == 1


@pytest.mark.parametrize("fault", ["cut", "reset", "fall_silent", "hold_back"])
async def test_listener_reconnects_after_a_network_failure(
    database: Database, way: tuple[FaultyNetwork, str], fault: str
) -> None:
    network, dsn = way
    heard: list[str] = []
    listening = asyncio.create_task(
        listen(dsn, "news", heard.append, retry_seconds=0.05, heartbeat_seconds=0.1, answer_seconds=IMPATIENT)
    )
    try:
        await wait_until(lambda: heard)
        getattr(network, fault)()
        network.heal()
        if fault != "hold_back":  # which loses nothing
            await wait_until(lambda: heard.count("") > 1)
        async with await connect(database.owner, autocommit=True) as connection:
            await connection.execute("SELECT pg_notify('news', 'spring')")
        await wait_until(lambda: "spring" in heard)
    finally:
        listening.cancel()
        await asyncio.gather(listening, return_exceptions=True)


async def test_listener_notifies_in_order_and_reports_a_lost_connection(
    database: Database,
) -> None:
    heard: list[str] = []
    async with await connect(database.owner, autocommit=True) as speaker:

        async def look(connection: BoundedConnection) -> Callable[[], None]:
            await speaker.execute("SELECT pg_notify('news', 'spring')")
            await connection.execute("SELECT 1")
            return lambda: heard.append("answered")

        listening = asyncio.create_task(
            listen(
                database.query,
                "news",
                heard.append,
                on_lost=lambda: heard.append("lost"),
                look=look,
                retry_seconds=0.05,
                heartbeat_seconds=0.1,
            )
        )
        try:
            await wait_until(lambda: heard.count("answered") > 2)
            assert heard[:5] == ["", "spring", "answered", "spring", "answered"]
            await speaker.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename LIKE %s", ("%query",)
            )
            await wait_until(lambda: heard.count("") > 1)
            assert heard[heard.index("lost") + 1] == ""
        finally:
            listening.cancel()
            await asyncio.gather(listening, return_exceptions=True)


def output(what: str) -> float:
    return sample(f"fleetlog_database_pool_{what}", server="primary")


def pool_use() -> tuple[float, float]:
    return output("in_use"), output("waiting")


async def test_pool_use_and_waiting_requests_are_measured(
    database: Database,
) -> None:
    size, timeouts = output("size"), output("timeouts_total")
    async with Pool(database.query, size=2) as pool:
        await pool.wait()
        assert (output("size"), pool_use()) == (size + 2, (0, 0))
        async with pool.connection(), pool.connection():
            waiting = asyncio.create_task(pool.getconn(timeout=0.3))
            await wait_until(lambda: pool_use() == (2, 1))
            with pytest.raises(PoolTimeout):
                await waiting
        assert pool_use() == (0, 0)
        assert output("timeouts_total") == timeouts + 1
        assert output("wait_seconds_total") > 0.2
    assert output("size") == size
