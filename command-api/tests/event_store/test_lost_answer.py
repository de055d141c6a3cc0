"""A commit whose answer is lost on the way back: the command is there, and its client must hear so."""

import asyncio
import uuid

import pytest
from eventsourcing.persistence import StoredEvent

from command_api.event_store.log import EventLog
from command_api.event_store.records import Append, Decided, Decision
from ops.testing.faulty_network import faulty_network
from ops.testing.postgres import Database

pytestmark = pytest.mark.integration


async def test_commands_whose_commits_answer_was_lost_are_recognised(database: Database) -> None:
    async with faulty_network(database.command) as (network, dsn), EventLog.open(dsn, pool_size=1) as log:
        for turn in range(5):
            network.lose_next_answer_to(b"horse:")
            appends = [
                Append(uuid.uuid4(), (StoredEvent(f"horse:{turn}-{n}", 1, "horse.registered", b"{}"),))
                for n in range(8)
            ]

            appended = await asyncio.gather(*(log.append(append) for append in appends))

            positions = [outcome.events[0].position for outcome in appended]
            assert sorted(positions) == list(range(8 * turn + 1, 8 * turn + 9))
        assert network.lost_answers == 5
        assert await log.head() == 40


async def test_decisions_whose_commits_answer_was_lost_are_kept_once(database: Database) -> None:
    async with faulty_network(database.command) as (network, dsn), EventLog.open(dsn, pool_size=1) as log:
        network.lose_next_answer_to(b"horse:")
        decisions = [Decision(f"horse:{n}", 0, "not registered") for n in range(8)]
        kept = await asyncio.gather(
            *(log.append(Append(uuid.uuid4(), decision=one, fingerprint="f")) for one in decisions)
        )
        assert [one.decision for one in kept if isinstance(one, Decided)] == decisions
        assert network.lost_answers == 1
