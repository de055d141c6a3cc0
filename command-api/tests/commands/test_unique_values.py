"""Unique values against PostgreSQL: exactly one owner of each value, whatever races, crashes or changes."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from command_api_testing.contexts import command
from psycopg_pool import PoolTimeout

from command_api.commands.context import CommandContext
from command_api.commands.execution import CommandRefused
from command_api.commands.handler import CommandHandler
from command_api.commands.reasons import Duplicate
from command_api.domain.catalogue import DEFINITIONS
from command_api.domain.uniqueness import VERSION, unknown_fields
from command_api.event_store.log import EventLog
from command_api.event_store.records import LogUnavailable, UniqueValuesUnavailable
from ops.testing.postgres import Database, throw_away_postgres
from ops.testing.soak import suite_and_soak

DRIVER = DEFINITIONS["driver"]


def driver(passport: str, licence: str = "N/A") -> dict[str, Any]:
    return {**DRIVER.example, "passport_number": passport, "driving_license_number": licence}


@asynccontextmanager
async def command_apis(database: Database) -> AsyncIterator[list[CommandHandler]]:
    """Two command APIs of one log."""
    async with EventLog.open(database.command) as first, EventLog.open(database.command) as second:
        yield [CommandHandler(first), CommandHandler(second)]


@pytest.fixture
async def handlers(database: Database) -> AsyncIterator[list[CommandHandler]]:
    async with command_apis(database) as handlers:
        yield handlers


async def outcome(
    handler: CommandHandler, entity_id: str, details: dict[str, Any], sent: CommandContext | None = None
) -> str:
    """Register a driver, and return `registered`, or the field and record of a duplicate."""
    try:
        await handler.register(DRIVER, entity_id, details, sent or command())
    except CommandRefused as refused:
        return duplicate(refused)
    return "registered"


def duplicate(refused: CommandRefused) -> str:
    assert isinstance(refused.reason, Duplicate)
    return f"{refused.reason.field} of {refused.reason.record}"


async def certain_outcome(handler: CommandHandler, entity_id: str, details: dict[str, Any]) -> str:
    """Repeat a registration, as a client does, until it has an outcome."""
    sent = command("body", retry_id=uuid4())
    while True:
        with suppress(LogUnavailable, UniqueValuesUnavailable, psycopg.OperationalError, PoolTimeout):
            return await outcome(handler, entity_id, details, sent)


@pytest.mark.parametrize("rounds", suite_and_soak(6, 1_000))
async def test_one_of_many_simultaneous_registrations_of_a_passport_is_accepted(rounds: int) -> None:
    with throw_away_postgres() as server:
        database = server.create_database()
        async with command_apis(database) as handlers:
            for turn in range(rounds):
                registrations = [
                    certain_outcome(handlers[number % 2], f"EMP-{turn:04}-{number:02}", driver(f"M-70{turn}"))
                    for number in range(64)
                ]
                answers = asyncio.gather(*registrations)
                if turn % 5 == 3:
                    await asyncio.sleep(random.random() / 20)
                    await asyncio.to_thread(server.crash)
                outcomes = await answers
                assert outcomes.count("registered") == 1
                owner = f"EMP-{turn:04}-{outcomes.index('registered'):02}"
                assert set(outcomes) == {"registered", f"passport_number of {owner}"}


@pytest.mark.parametrize(
    "same", ["m1234567", " M 123-45.67", "\uff2d\uff11\uff12\uff13\uff14\uff15\uff16\uff17", "M१२३४५६७"]
)
async def test_equal_values_in_another_form_are_refused(handlers: list[CommandHandler], same: str) -> None:
    handler, other = handlers
    assert await outcome(handler, "EMP-1", driver("M1234567")) == "registered"
    assert await outcome(other, "EMP-2", driver(same)) == "passport_number of EMP-1"
    assert await outcome(other, "emp 1", driver("M7654321")) == "id of EMP-1"


async def test_values_without_a_number_count_as_missing(handlers: list[CommandHandler]) -> None:
    for number, missing in enumerate(["N/A", "N/A", "000", "000", "-", "-"]):
        assert await outcome(handlers[0], f"EMP-{number}", driver(missing, missing)) == "registered"


async def test_shared_fields_may_have_equal_values(database: Database) -> None:
    async with EventLog.open(database.command) as log:
        handler = CommandHandler(log, shared=["driver.passport_number"])
        assert await outcome(handler, "EMP-1", driver("M1", "L1")) == "registered"
        assert await outcome(handler, "EMP-2", driver("M1", "L2")) == "registered"
        assert await outcome(handler, "EMP-3", driver("M1", "L1")) == "driving_license_number of EMP-1"
        strict = CommandHandler(log)
        assert await outcome(strict, "EMP-4", driver("M1")) != "registered"
        # A record that shares a value already can still be changed.
        await strict.change(DRIVER, "EMP-2", {"city": "Hubli"}, command())


async def test_merge_moves_a_value_and_its_undo_moves_it_back(handlers: list[CommandHandler]) -> None:
    handler, other = handlers
    for number in (1, 2):
        await handler.register(DRIVER, f"EMP-{number}", driver(f"M{number}", f"L{number}"), command())

    async def undo(one: CommandHandler) -> None:
        await one.undo(DRIVER, "EMP-1", 2, set(), command(), permit=lambda _: None)

    dry_run = command()._replace(is_dry_run=True)
    for sent in (dry_run, command()):
        await other.merge(DRIVER, "EMP-1", ("EMP-2", 1), lambda _: {"passport_number": "m-2"}, sent)
    assert await outcome(handler, "EMP-3", driver("M1")) == "registered"
    assert await outcome(handler, "EMP-4", driver("M2")) == "passport_number of EMP-1"
    with pytest.raises(CommandRefused) as refused:
        await undo(handler)
    assert duplicate(refused.value) == "passport_number of EMP-3"
    await handler.remove(DRIVER, "EMP-3", command())
    await undo(handler)
    assert await outcome(other, "EMP-4", driver("M1")) == "passport_number of EMP-1"
    assert await outcome(other, "EMP-4", driver("M2")) == "passport_number of EMP-2"


async def test_undo_of_a_merge_does_not_restore_a_value_that_both_records_had(database: Database) -> None:
    async with EventLog.open(database.command) as log:
        former, handler = CommandHandler(log, shared=["all"]), CommandHandler(log)
        for number in (1, 2):
            await former.register(DRIVER, f"EMP-{number}", driver("M1", f"L{number}"), command())
        await handler.merge(DRIVER, "EMP-1", ("EMP-2", 1), lambda _: {"passport_number": "M3"}, command())
        for sent in (command()._replace(is_dry_run=True), command()):
            with pytest.raises(CommandRefused) as refused:
                await handler.undo(DRIVER, "EMP-1", 2, set(), sent, permit=lambda _: None)
            assert duplicate(refused.value) == "passport_number of EMP-2"


def lose_hashes(database: Database) -> None:
    """Empty the tables, as a crash of the server does."""
    with psycopg.connect(database.owner) as connection:
        connection.execute("TRUNCATE log.unique_key, log.unique_values")


async def test_lost_values_are_refilled_before_another_command_claims_one(
    handlers: list[CommandHandler], database: Database
) -> None:
    handler, other = handlers
    for number in range(300):
        await handler.register(DRIVER, f"EMP-{number}", driver(f"M{number}", f"L{number}"), command())
    await handler.remove(DRIVER, "EMP-0", command())
    lose_hashes(database)
    await handler.remove(DRIVER, "EMP-1", command())
    registrations = [outcome(other, f"NEW-{number}", driver(f"m-{number}")) for number in range(4)]
    outcomes = await asyncio.gather(*registrations, outcome(handler, "NEW-5", driver("M5")))
    assert outcomes[:2] == ["registered", "registered"]
    assert outcomes[2:] == [f"passport_number of EMP-{number}" for number in (2, 3, 5)]


async def test_values_that_a_later_release_has_filled_are_left_alone(
    handlers: list[CommandHandler], database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    handler, other = handlers
    assert await outcome(handler, "EMP-1", driver("M1")) == "registered"
    monkeypatch.setattr("command_api.commands.unique_values.VERSION", VERSION - 1)
    monkeypatch.setattr("command_api.commands.unique_values.WAIT_SECONDS", 0.2)
    with pytest.raises(UniqueValuesUnavailable):
        await outcome(other, "EMP-2", driver("M2"))
    with psycopg.connect(database.owner) as connection:
        assert connection.execute("SELECT count(*) FROM log.unique_key").fetchone() == (1,)


def test_names_of_other_fields_are_found() -> None:
    names = ["driver.passport_number", "driver.passport", "driver.name"]
    assert unknown_fields(names) == ["driver.name", "driver.passport"]


async def test_refused_command_is_answered_alike_when_it_is_repeated(handlers: list[CommandHandler]) -> None:
    handler, other = handlers
    await handler.register(DRIVER, "EMP-1", driver("M1"), command())
    sent = command("body", retry_id=uuid4())
    for again in (handler, other):
        with pytest.raises(CommandRefused) as refused:
            await again.register(DRIVER, "EMP-2", driver("M1"), sent)
        assert duplicate(refused.value) == "passport_number of EMP-1"
        await handler.remove(DRIVER, "EMP-1", command())
