"""Prepared statements: values, errors, notifications and lost connections."""

import asyncio
import os
import select
import socket
from datetime import UTC, datetime

import psycopg
import pytest

from ops.base.database.connection import ServerSilent, connect
from ops.base.database.prepared import PreparedSession
from ops.testing.conditions import wait_for, wait_until
from ops.testing.postgres import Database, is_sleeping

TEXTS = ["", "NULL", '"', "\\", "{a,b}", "a,b", "It's ﬁne 😀", None, "x" * 3_000_000]
MOMENT = datetime(2026, 11, 23, 3, 30, 0, 123_456, tzinfo=UTC)


async def open_session(database: Database, *, answer_seconds: float | None = 60) -> PreparedSession:
    return PreparedSession(await connect(database.owner, autocommit=True, answer_seconds=answer_seconds))


async def test_values_survive_a_round_trip(database: Database) -> None:
    async with await open_session(database) as session:
        statement = (
            b"SELECT %b::text, %b::text[], %b::bigint, %b::bigint[], %b::timestamptz, %b::timestamptz[]"
        )
        for text in TEXTS:
            values = [text, TEXTS, 2**62, [1, None, -3], MOMENT, [MOMENT, None]]
            assert await session.fetch(statement, values) == [tuple(values)]
        assert await session.fetch(b"SELECT 1 WHERE false") == []
        assert await session.fetch(b"SELECT %b::text FROM generate_series(1, 3)", ["a"]) == [("a",)] * 3


async def test_text_with_nul_is_refused(database: Database) -> None:
    async with await open_session(database) as session:
        for statement, value in ((b"SELECT %b::text", "a\0b"), (b"SELECT %b::text[]", ["a\0b"])):
            with pytest.raises(psycopg.DataError):
                await session.fetch(statement, [value])
        assert await session.fetch(b"SELECT 1") == [(1,)]


async def test_failed_statement_does_not_affect_the_next(database: Database) -> None:
    async with await open_session(database) as session:
        for _ in range(2):
            with pytest.raises(psycopg.errors.DivisionByZero):
                await session.fetch(b"SELECT 1 / %b::int", [0])
            with pytest.raises(psycopg.errors.SyntaxError):
                await session.fetch(b"SELECT FROM WHERE")
            assert await session.fetch(b"SELECT 1 / %b::int", [1]) == [(1,)]


async def test_any_number_of_statements_is_prepared(database: Database) -> None:
    async with await open_session(database) as session:
        for number in (*range(250), 0, 249):
            assert await session.fetch(b"SELECT %d" % number) == [(number,)]
        ((kept,),) = await session.fetch(b"SELECT count(*) FROM pg_prepared_statements")
        assert kept <= 100


async def test_notifications_during_and_after_statements_are_returned(database: Database) -> None:
    async with await open_session(database) as session:
        with psycopg.connect(database.owner, autocommit=True) as other:
            await session.fetch(b"LISTEN news")
            other.execute("SELECT pg_notify('news', 'spring'), pg_notify('news', 'summer')")
            assert await session.fetch(b"SELECT 1") == [(1,)]
            assert await session.notified(seconds=60) == ["spring", "summer"]
            waiting = asyncio.create_task(session.notified(seconds=60))
            await asyncio.sleep(0)
            other.execute("SELECT pg_notify('news', '')")
            assert await waiting == [""]
        assert await session.notified(seconds=0.01) == []


async def test_notification_right_behind_an_answer_is_returned_at_once(database: Database) -> None:
    connection = await connect(database.owner, autocommit=True, answer_seconds=60)
    async with PreparedSession(connection) as session:
        await session.fetch(b"LISTEN news")
        await session.fetch(b"SELECT 1")
        with (
            psycopg.connect(database.owner, autocommit=True) as other,
            socket.socket(fileno=os.dup(connection.fileno())) as received,
        ):
            answer = asyncio.create_task(session.fetch(b"SELECT 1"))
            await asyncio.sleep(0)  # sends the statement
            # The event loop is blocked until answer and notification can be read together.
            wait_for(lambda: select.select([received], [], [], 0)[0] != [])
            other.execute("SELECT pg_notify('news', 'spring')")
            wait_for(lambda: b"spring" in received.recv(65_536, socket.MSG_PEEK))
            assert await answer == [(1,)]
            assert await session.notified(seconds=1) == ["spring"]


async def test_session_ended_by_the_server_raises_in_waiting_calls(database: Database) -> None:
    for statement in (None, b"SELECT pg_sleep(600)"):
        async with await open_session(database) as session:
            ((pid,),) = await session.fetch(b"SELECT pg_backend_pid()")
            wait = session.notified(seconds=600) if statement is None else session.fetch(statement)
            waiting = asyncio.create_task(wait)
            await asyncio.sleep(0)
            with psycopg.connect(database.owner, autocommit=True) as other:
                other.execute("SELECT pg_terminate_backend(%s)", (pid,))
            with pytest.raises(psycopg.OperationalError):
                await asyncio.wait_for(waiting, 60)
            with pytest.raises(psycopg.OperationalError):
                await session.fetch(b"SELECT 1")


async def test_unresponsive_server_times_out(database: Database) -> None:
    async with await open_session(database, answer_seconds=0.1) as session:
        with pytest.raises(ServerSilent):
            await session.fetch(b"SELECT pg_sleep(600)")
        with pytest.raises(ServerSilent):
            await session.fetch(b"SELECT 1")


async def test_cancelled_statement_closes_the_session(database: Database) -> None:
    with psycopg.connect(database.owner, autocommit=True) as other:
        async with await open_session(database) as session:
            ((pid,),) = await session.fetch(b"SELECT pg_backend_pid()")
            waiting = asyncio.create_task(session.fetch(b"SELECT pg_sleep(600)"))
            await wait_until(lambda: is_sleeping(other, pid))
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            with pytest.raises(psycopg.OperationalError):
                await session.fetch(b"SELECT 1")
