"""Outcomes of commands are kept for a day of the log's own time, and then cleared."""

import asyncio
from collections.abc import Callable
from datetime import timedelta

import psycopg
import pytest
from projections_testing.following import eventually

from ops.base.database import open_pool
from ops.testing.postgres import Database
from projections.worker import forgetting
from projections.worker.forgetting import AT_ONCE, keep_forgetting_outcomes

pytestmark = pytest.mark.integration

_INSERT = """
INSERT INTO log.outcomes
SELECT gen_random_uuid(), '', '', 'horse:H1', 0, 0, clock_timestamp() - %s FROM generate_series(1, %s)
"""


def insert(connection: psycopg.Connection, *, age: timedelta, count: int = 1) -> None:
    connection.execute(_INSERT, (age, count))


def count(connection: psycopg.Connection) -> int:
    ((number,),) = connection.execute("SELECT count(*) FROM log.outcomes").fetchall()
    return int(number)


async def forget_until(database: Database, done: Callable[[], bool]) -> None:
    async with open_pool(database.projections, size=1) as pool:
        forgetting_outcomes = asyncio.create_task(keep_forgetting_outcomes(pool))
        await eventually(done)
        forgetting_outcomes.cancel()


async def test_outcomes_are_forgotten_after_a_day_and_no_earlier(database: Database) -> None:
    with psycopg.connect(database.owner, autocommit=True) as connection:
        insert(connection, age=timedelta(hours=25), count=2 * AT_ONCE + 1)
        insert(connection, age=timedelta(hours=23), count=10)
        insert(connection, age=timedelta())
        await forget_until(database, lambda: count(connection) == 11)


async def test_a_clock_that_jumps_does_not_hurry_it(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forgetting, "FORGET_SECONDS", 0.01)
    with psycopg.connect(database.owner, autocommit=True) as connection:
        insert(connection, age=timedelta(days=30), count=5)  # as if a month had passed in an instant
        insert(connection, age=timedelta(days=31, minutes=1), count=1)
        await forget_until(database, lambda: count(connection) == 5)
        insert(connection, age=timedelta(days=31, minutes=1), count=1)
        await forget_until(database, lambda: count(connection) == 5)
