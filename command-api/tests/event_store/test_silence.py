"""A database that falls silent, or a dead appender's session in it, holds nobody up for long."""

import asyncio
import uuid
from contextlib import AsyncExitStack

import pytest
from eventsourcing.persistence import StoredEvent

from command_api.event_store import statements
from command_api.event_store.log import EventLog
from command_api.event_store.records import Append
from command_api.event_store.transaction import append_together
from ops.base.database import connect
from ops.testing.faulty_network import faulty_network
from ops.testing.postgres import Database

pytestmark = pytest.mark.integration

LONG_SECONDS = 30.0
"""Generous; a silent append takes 4 s, and a dead session's lock ends after 2 s."""


def new_append() -> Append:
    return Append(uuid.uuid4(), (StoredEvent(f"horse:{uuid.uuid4()}", 1, "horse.registered", b"{}"),))


async def test_commands_whose_answer_never_comes_are_recognised(database: Database) -> None:
    async with faulty_network(database.command) as (network, dsn), EventLog.open(dsn, pool_size=1) as log:
        await log.append(new_append())
        network.fall_silent(to_server=False)
        appending = [asyncio.create_task(log.append(new_append())) for _ in range(8)]
        await asyncio.sleep(0)  # they are on their way
        network.heal()
        async with asyncio.timeout(LONG_SECONDS):
            appended = await asyncio.gather(*appending)
        assert sorted(outcome.events[0].position for outcome in appended) == list(range(2, 10))
    async with EventLog.open(database.command) as log:
        assert await log.head() == 9


async def test_a_dead_session_frees_the_logs_lock(database: Database) -> None:
    dead = await connect(database.command)
    async with AsyncExitStack() as ending, EventLog.open(database.command) as log:
        ending.push_async_callback(dead.close)
        await dead.execute(statements.SESSION)
        await append_together(dead, [new_append()])  # which does not commit
        async with asyncio.timeout(LONG_SECONDS):
            await log.append(new_append())
