"""Assignments: no driver, horse or trailer has two at a time, whatever commands, races and crashes occur."""

import asyncio
import random
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from datetime import date, timedelta
from typing import Any, Final
from uuid import uuid4

import psycopg
import pytest
from command_api_testing.contexts import command
from psycopg_pool import PoolTimeout

from command_api.commands.execution import CommandRefused
from command_api.commands.handler import CommandHandler
from command_api.commands.reasons import Duplicate
from command_api.domain.catalogue import DEFINITIONS
from command_api.domain.references import ReferenceRefused
from command_api.event_store.log import EventLog
from command_api.event_store.records import LogUnavailable, UniqueValuesUnavailable
from ops.testing.postgres import Database, throw_away_postgres
from ops.testing.soak import suite_and_soak

ASSIGNMENT: Final = DEFINITIONS["assignment"]
IDS: Final = ("ASG-1", "ASG-2", "ASG-3", "ASG-4")
HORSES, DRIVERS, TRAILERS = ("H1", "H2"), ("E1", "E2"), ("T1", "T2", "T3")
FIELDS: Final = ("horse", "driver", "trailers")
Details = dict[str, Any]


def moment(hour: int) -> str:
    return f"2026-11-21T{hour:02}:00:00.000Z"


def details_of(
    horse: str, driver: str | None, trailers: Sequence[str], start: int, hours: int | None
) -> Details:
    return {
        "horse": horse,
        "driver": driver,
        "trailers": list(trailers),
        "starts_at": moment(start),
        "ends_at": None if hours is None else moment(start + hours),
        "location": None,
        "note": None,
        "confirmed": [],
    }


def claims(details: Details) -> set[tuple[str, str]]:
    values = [(name, details[name]) for name in FIELDS]
    each = [(name, one) for name, value in values for one in (value if isinstance(value, list) else [value])]
    return {(name, one) for name, one in each if one is not None}


def overlap(one: Details, other: Details) -> bool:
    """Whether two assignments have a driver, a horse or a trailer at the same moment."""
    ends = [each["ends_at"] or "9999" for each in (one, other)]
    is_together = one["starts_at"] < ends[1] and other["starts_at"] < ends[0]
    return is_together and not claims(one).isdisjoint(claims(other))


async def register_fleet(handler: CommandHandler) -> None:
    for entity, ids in (("horse", HORSES), ("driver", DRIVERS), ("trailer", TRAILERS)):
        definition = DEFINITIONS[entity]
        for one in ids:
            own = {name: f"{one} 1" for name in definition.unique if name != "id"}
            if entity == "driver":
                own["driving_license_expiry"] = "2099-12-31"
            await handler.register(definition, one, {**definition.example, **own, "status": None}, command())


async def reason_of(sent: Awaitable[Any]) -> Exception | None:
    """Return the reason of a refusal; None: the command was accepted."""
    try:
        await sent
    except CommandRefused as refused:
        return refused.reason
    return None


class Oracle:
    """The assignments that are registered, and the details at each version."""

    def __init__(self, handler: CommandHandler) -> None:
        self.handler = handler
        self.now: dict[str, Details] = {}

    async def check(
        self, entity_id: str, wanted: Details | None, send: Callable[[Any], Awaitable[Any]]
    ) -> None:
        """Send a command, first as a dry run, and expect a refusal if, and only if, there is an overlap.

        Args:
            wanted: the assignment's details afterwards; None: it is removed, or the command changes nothing.
        """
        others = {one: other for one, other in self.now.items() if one != entity_id}
        overlapping = {one for one, other in others.items() if wanted and overlap(wanted, other)}
        for context in (command()._replace(is_dry_run=True), command()):
            reason = await reason_of(send(context))
            assert isinstance(reason, Duplicate) == bool(overlapping), (reason, overlapping)
            if isinstance(reason, Duplicate):
                assert reason.record in overlapping
                assert reason.field in FIELDS
        state = (await self.handler.load(ASSIGNMENT, entity_id)).state
        self.now.pop(entity_id, None)
        if state is not None:
            self.now[entity_id] = state.details
        assert_no_overlap(self.now.values())

    async def save(self, entity_id: str, details: Details) -> None:
        await self.check(
            entity_id,
            details,
            lambda context: self.handler.save(
                ASSIGNMENT, entity_id, lambda _: details, context, may_register=True
            ),
        )

    async def remove(self, entity_id: str) -> None:
        await self.check(entity_id, None, lambda context: self.handler.remove(ASSIGNMENT, entity_id, context))

    async def restore(self, entity_id: str, version: int) -> None:
        past = await self.handler.streams.load(ASSIGNMENT, entity_id, up_to=version)
        state = past.aggregate.state if past.aggregate.version == version else None
        await self.check(
            entity_id,
            None if state is None else state.details,
            lambda context: self.handler.restore(ASSIGNMENT, entity_id, version, context),
        )


def any_details(draw: random.Random) -> Details:
    return details_of(
        draw.choice(HORSES),
        draw.choice((None, *DRIVERS)),
        draw.sample(TRAILERS, draw.randrange(3)),
        draw.randrange(9),
        draw.choice((None, 1, 2, 3, 4, 5, 6)),
    )


@pytest.mark.parametrize("count", suite_and_soak(250, 20_000))
async def test_commands_on_postgres_agree_with_the_oracle(database: Database, count: int) -> None:
    draw = random.Random(count)
    async with EventLog.open(database.command) as log:
        oracle = Oracle(CommandHandler(log))
        await register_fleet(oracle.handler)
        for number in range(count):
            entity_id = draw.choice(IDS)
            match draw.randrange(6):
                case 0:
                    await oracle.remove(entity_id)
                case 1:
                    await oracle.restore(entity_id, draw.randrange(1, 6))
                case _:
                    await oracle.save(entity_id, any_details(draw))
            if number % 40 == 30:
                with psycopg.connect(database.owner) as connection:
                    connection.execute("TRUNCATE log.unique_key, log.unique_values")
                oracle.handler.unique.forget_key()


@pytest.mark.parametrize("count", suite_and_soak(160, 100_000, hours=4))
async def test_simultaneous_assignments_never_overlap(count: int) -> None:
    writers, crash_every = (8, 100) if count < 1000 else (32, 5_000)
    with throw_away_postgres() as server:
        dsn = server.create_database().command
        accepted: dict[str, Details] = {}
        async with EventLog.open(dsn) as first, EventLog.open(dsn) as second:
            handlers = CommandHandler(first), CommandHandler(second)
            await register_fleet(handlers[0])

            async def write(writer: int) -> None:
                draw = random.Random(writer)
                for number in range(writer, count, writers):
                    if number % crash_every == crash_every // 2:
                        await asyncio.to_thread(server.crash)
                    entity_id, details = f"ASG-{number}", on_day(any_details(draw), number // 30)
                    reason = await certain(handlers[number % 2], entity_id, details)
                    if reason is None:
                        accepted[entity_id] = details
                    else:
                        assert isinstance(reason, Duplicate), reason

            await asyncio.gather(*map(write, range(writers)))
            for entity_id, details in accepted.items():
                state = (await handlers[0].load(ASSIGNMENT, entity_id)).state
                assert state is not None
                assert state.details == details
        assert_no_overlap(accepted.values())
        assert 0 < len(accepted) < count


def on_day(details: Details, day: int) -> Details:
    """Return details with their times on another day; times without an end last until its evening."""
    date_ = str(date(2026, 1, 1) + timedelta(days=day))
    start, end = details["starts_at"], details["ends_at"] or moment(23)
    return {**details, "starts_at": date_ + start[10:], "ends_at": date_ + end[10:]}


def assert_no_overlap(every: Iterable[Details]) -> None:
    by_claim: dict[tuple[str, str], list[Details]] = {}
    for details in every:
        for claim in claims(details):
            by_claim.setdefault(claim, []).append(details)
    for some in by_claim.values():
        some.sort(key=lambda one: one["starts_at"])
        assert not any(map(overlap, some, some[1:]))


async def certain(handler: CommandHandler, entity_id: str, details: Details) -> Exception | None:
    """Repeat a registration, as a client does, until it has an outcome."""
    sent = command("body", retry_id=uuid4())
    while True:
        with suppress(LogUnavailable, UniqueValuesUnavailable, psycopg.OperationalError, PoolTimeout):
            return await reason_of(handler.register(ASSIGNMENT, entity_id, details, sent))


async def test_removal_and_assignment_of_a_driver_are_decided_in_one_order(database: Database) -> None:
    async with EventLog.open(database.command) as first, EventLog.open(database.command) as second:
        handler, other = CommandHandler(first), CommandHandler(second)
        await register_fleet(handler)
        driver = DEFINITIONS["driver"]
        for turn in range(20):
            details = on_day(details_of("H1", "E1", [], 4, 1), turn)
            reason, _ = await asyncio.gather(
                reason_of(handler.register(ASSIGNMENT, f"ASG-{turn}", details, command())),
                other.remove(driver, "E1", command()),
            )
            assigned = await first.page(f"assignment:ASG-{turn}")
            removed = (await first.page("driver:E1")).events[-1]
            if reason is None:
                assert assigned.events[0].position < removed.position
            else:
                assert isinstance(reason, ReferenceRefused)
            await handler.restore(driver, "E1", 1, command())


async def test_new_assignments_do_not_overlap_with_those_of_merged_drivers(database: Database) -> None:
    async with EventLog.open(database.command) as log:
        handler = CommandHandler(log)
        await register_fleet(handler)
        driver, (one, other, third) = DEFINITIONS["driver"], ("E1", "E2", "E3")
        own = {name: f"{third} 1" for name in driver.unique if name != "id"}
        details = {**driver.example, **own, "driving_license_expiry": "2099-12-31"}
        await handler.register(driver, third, details, command())
        for number, (name, horse) in enumerate(((one, "H1"), (third, "H2")), start=1):
            assigned = details_of(horse, name, [], number, 4)
            await handler.register(ASSIGNMENT, f"ASG-{number}", assigned, command())
        for source, into in ((one, other), (other, third)):
            await handler.merge(driver, into, (source, 1 + (source == other)), lambda _: {}, command())

        async def expect(entity_id: str, wanted: Details, record: str | None) -> None:
            for context in (command()._replace(is_dry_run=True), command()):
                saved = handler.save(ASSIGNMENT, entity_id, lambda _: wanted, context, may_register=True)
                reason = await reason_of(saved)
                assert (reason and getattr(reason, "record", reason)) == record

        await expect("ASG-3", details_of("H1", third, [], 0, 2), "ASG-1")
        await expect("ASG-3", details_of("H1", third, [], 0, 1), None)
        await expect("ASG-3", details_of("H1", third, [], 0, 2), "ASG-1")
        # The merge left two at once: each can be ended, but not be extended.
        await expect("ASG-2", details_of("H2", third, [], 2, 2), None)
        await expect("ASG-2", details_of("H2", third, [], 2, 5), "ASG-1")
        await expect("ASG-1", details_of("H1", third, [], 6, 2), None)
        await expect("ASG-2", details_of("H2", third, [], 2, 4), None)
