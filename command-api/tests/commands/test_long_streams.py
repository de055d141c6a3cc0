"""Long streams: bounded reads, and snapshots that must agree with the log."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg
import pydantic_core
import pytest
from command_api_testing.contexts import METADATA, MOMENT, command
from prometheus_client import REGISTRY

from command_api.commands.handler import CommandHandler
from command_api.commands.streams import History, Streams
from command_api.domain.aggregate import Aggregate
from command_api.domain.catalogue import DEFINITIONS
from command_api.event_store.log import PAGE_BYTES, PAGE_EVENTS, EventLog
from command_api.event_store.mapper import MAPPER, UnreadableEvent
from command_api.event_store.records import MAX_VERSION
from ops.base.encryption.key_cache import KEYS
from ops.base.encryption.keys import Key
from ops.testing.conditions import wait_until
from ops.testing.key_stores import OwnKeyStore
from ops.testing.postgres import Database

HORSE = DEFINITIONS["horse"]


def shown(aggregate: Aggregate) -> tuple[int, str]:
    """Return version and record."""
    record = aggregate.state.record() if aggregate.state else None
    return aggregate.version, pydantic_core.to_json(record).decode()


@pytest.fixture
async def log(database: Database) -> AsyncIterator[EventLog]:
    async with EventLog.open(database.command) as log:
        yield log


@pytest.fixture
async def key(tmp_path: Path) -> AsyncIterator[Key]:
    async with KEYS.use(OwnKeyStore.in_folder(tmp_path / "keys")):
        yield await KEYS.issue()


def fill(database: Database, key: Key, *, versions: int, bytes_each: int = 0) -> Aggregate:
    """Give a horse a long history in the log, and return its aggregate."""
    aggregate = Aggregate(HORSE, "LONG")
    rows: list[Any] = []
    for version in range(1, versions + 1):
        details = {
            **DEFINITIONS["horse"].example,
            "identifier": f"{version}",
            "description": "x" * bytes_each,
        }
        event = aggregate.change(details, METADATA) if version > 1 else aggregate.register(details, METADATA)
        assert event is not None
        moment = MOMENT + timedelta(seconds=version)
        aggregate = aggregate.after(event, moment)
        state = MAPPER.to_stored_event(event, key).state
        rows.append((version, "horse:LONG", version, event.type, state, moment))
    with psycopg.connect(database.owner) as connection, connection.cursor() as cursor:
        columns = "notification_id, originator_id, originator_version, topic, state, moment"
        with cursor.copy(f"COPY log.events ({columns}) FROM STDIN") as copy:
            for row in rows:
                copy.write_row(row)
    return aggregate


def read_so_far() -> tuple[float, float]:
    names = ("fleetlog_command_events_read_total", "fleetlog_command_event_bytes_read_total")
    events, size = (REGISTRY.get_sample_value(name) or 0.0 for name in names)
    return events, size


async def cost(loading: Streams, *, up_to: int = MAX_VERSION) -> tuple[History, float, float]:
    events, size = read_so_far()
    loaded = await loading.load(HORSE, "LONG", up_to=up_to)
    events_then, size_then = read_so_far()
    return loaded, events_then - events, size_then - size


async def test_command_on_a_long_stream_reads_few_events(log: EventLog, database: Database, key: Key) -> None:
    whole = fill(database, key, versions=10_000)
    _, events, _ = await cost(Streams(log))
    assert events == 10_000
    await log.snapshots_to_store.join()
    warm = Streams(log)
    loaded, events, size = await cost(warm)
    assert shown(loaded.aggregate) == shown(whole)
    assert events <= 2 * PAGE_EVENTS
    assert size <= 2 * PAGE_BYTES
    loaded, events, size = await cost(warm)
    assert shown(loaded.aggregate) == shown(whole)
    assert (events, size) == (0, 0)
    loaded, events, _ = await cost(warm, up_to=5_000)
    assert (loaded.aggregate.version, loaded.position) == (5_000, 5_000)
    assert events <= 3 * PAGE_EVENTS


async def test_large_events_are_read_one_at_a_time(log: EventLog, database: Database, key: Key) -> None:
    whole = fill(database, key, versions=40, bytes_each=245_000)
    await Streams(log).load(HORSE, "LONG")
    await log.snapshots_to_store.join()
    loaded, _, size = await cost(Streams(log))
    assert shown(loaded.aggregate) == shown(whole)
    assert size < 500_000
    reported = await Streams(log).changes(loaded, after=1)
    versions = [event.originator_version for event, _ in reported]
    assert versions == list(range(41 - len(reported), 41))
    assert 1 <= len(reported) < 40


FLAWS = {
    "an altered ciphertext": (
        "UPDATE log.snapshots SET ciphertext = set_byte(ciphertext, 20, 255 - get_byte(ciphertext, 20))"
    ),
    "another version's": "UPDATE log.snapshots SET originator_version = originator_version + 1",
    "another stream's": "UPDATE log.snapshots SET originator_id = 'horse:' || originator_id",
    "no ciphertext": "UPDATE log.snapshots SET ciphertext = ''",
    "another key": "UPDATE log.snapshots SET key_id = reverse(key_id)",
    "another shape": "UPDATE log.snapshots SET schema_version = schema_version - 1",
    "another position": "UPDATE log.events SET notification_id = notification_id + 1000000",
    "another moment": "UPDATE log.events SET moment = moment + interval '1 second'",
    "no table": "DROP TABLE log.snapshots",
    "no right": "REVOKE ALL ON log.snapshots FROM fleetlog_writer",
}


@pytest.mark.parametrize("flaw", FLAWS)
async def test_unusable_snapshot_is_ignored(
    log: EventLog, database: Database, key: Key, flaw: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("command_api.commands.streams.SNAPSHOT_BYTES", 50_000)
    versions = 2 * PAGE_EVENTS + 7
    whole = fill(database, key, versions=versions)
    await Streams(log).load(HORSE, "LONG")
    await log.snapshots_to_store.join()
    with psycopg.connect(database.owner) as connection:
        assert connection.execute("SELECT count(*) > 1 FROM log.snapshots").fetchone() == (True,)
        connection.execute(FLAWS[flaw].encode())
    loaded, events, _ = await cost(Streams(log))
    assert shown(loaded.aggregate)[0] == shown(whole)[0]
    if flaw != "another moment":
        assert shown(loaded.aggregate) == shown(whole)
    assert events >= versions


async def test_snapshots_of_concurrent_commands_are_encrypted_and_equal_to_the_replay(
    log: EventLog, database: Database, key: Key, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("command_api.commands.streams.SNAPSHOT_BYTES", 5_000)
    driver = DEFINITIONS["driver"]
    details = {**driver.blank_details(), **driver.example, "first_name": "Ravindranath"}
    first, *others = [CommandHandler(log, shared=["all"]) for _ in range(3)]
    await first.register(driver, "EMP-1", details, command())

    async def change(handler: CommandHandler, name: str) -> None:
        for number in range(20):
            await handler.change(driver, "EMP-1", {**details, "city": f"{name} {number}"}, command())

    await asyncio.gather(*(change(one, name) for one, name in zip([first, *others], "ABC", strict=True)))
    await log.snapshots_to_store.join()
    with psycopg.connect(database.owner) as connection:
        rows = connection.execute(
            "SELECT originator_version, ciphertext FROM log.snapshots ORDER BY 1"
        ).fetchall()
        assert len(rows) > 3
        assert not any(b"Ravindranath" in ciphertext for _, ciphertext in rows)
        with_snapshots = [await Streams(log).load(driver, "EMP-1", up_to=version) for version, _ in rows]
        for version, _ in rows:
            snapshot = await log.snapshot("driver:EMP-1", up_to=version)
            assert snapshot
            assert snapshot.reference.version == version
        connection.execute("TRUNCATE log.snapshots")
    for history in with_snapshots:
        version = history.aggregate.version
        assert shown(history.aggregate) == shown(
            (await Streams(log).load(driver, "EMP-1", up_to=version)).aggregate
        )


async def test_snapshot_is_unreadable_after_the_erasure_of_its_key(
    log: EventLog, database: Database, key: Key, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("command_api.commands.streams.SNAPSHOT_BYTES", 50_000)
    fill(database, key, versions=2 * PAGE_EVENTS)
    await Streams(log).load(HORSE, "LONG")
    await log.snapshots_to_store.join()
    before = await log.snapshot("horse:LONG")
    assert before
    assert before.record["description"] is not None
    await KEYS.store.erase([key.id])
    KEYS.clear()
    assert await log.snapshot("horse:LONG") is None
    loaded, events, _ = await cost(Streams(log))
    assert (loaded.aggregate.version, events) == (2 * PAGE_EVENTS, 2 * PAGE_EVENTS)
    log.add_snapshot("horse:LONG", key.id, before._replace(reference=before.reference._replace(version=7)))
    await log.snapshots_to_store.join()
    assert await log.snapshot("horse:LONG", up_to=7) is None


async def test_answer_does_not_wait_for_the_snapshot(
    database: Database, key: Key, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("command_api.commands.streams.SNAPSHOT_BYTES", 1)
    waiting = "SELECT 1 FROM pg_locks WHERE relation = 'log.snapshots'::regclass AND NOT granted"
    tasks = asyncio.all_tasks()
    with psycopg.connect(database.owner) as holder:
        holder.execute("LOCK TABLE log.snapshots")
        async with EventLog.open(database.command) as log:
            await CommandHandler(log, shared=["all"]).register(
                HORSE, "H1", dict(DEFINITIONS["horse"].example), command()
            )
            await wait_until(lambda: holder.execute(waiting).fetchone())
        assert asyncio.all_tasks() == tasks


async def test_cached_entity_of_a_replaced_event_is_dropped(
    log: EventLog, database: Database, key: Key
) -> None:
    fill(database, key, versions=5)
    loading = Streams(log)
    assert (await loading.load(HORSE, "LONG")).aggregate.version == 5
    with psycopg.connect(database.owner) as connection:
        connection.execute("DELETE FROM log.events WHERE notification_id > 3")
    assert (await loading.load(HORSE, "LONG")).aggregate.version == 3
    with psycopg.connect(database.owner) as connection:
        connection.execute("UPDATE log.events SET state = '{}' WHERE notification_id = 3")
    with pytest.raises(UnreadableEvent):
        await loading.load(HORSE, "LONG")
