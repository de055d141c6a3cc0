"""A log that cannot be reached is said so in time, to every command that waits for it."""

import asyncio
import uuid

from eventsourcing.persistence import StoredEvent

from command_api.event_store.appender import BATCH_COMMANDS, Appender
from command_api.event_store.records import Append, LogUnavailable
from ops.launcher.processes.ports import free_port


def new_append() -> Append:
    return Append(uuid.uuid4(), (StoredEvent(f"horse:{uuid.uuid4()}", 1, "horse.registered", b"{}"),))


async def test_every_waiting_command_fails_when_the_log_cannot_be_reached() -> None:
    appender = Appender(f"host=127.0.0.1 port={free_port()} dbname=nowhere", patience=0.2)
    async with appender.running(), asyncio.timeout(60):
        for commands in (1, 2 * BATCH_COMMANDS + 1):
            appends = [appender.append(new_append()) for _ in range(commands)]
            outcomes = await asyncio.gather(*appends, return_exceptions=True)
            assert {type(outcome) for outcome in outcomes} == {LogUnavailable}
