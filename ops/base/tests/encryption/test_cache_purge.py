"""Each process purges its caches within seconds after an erasure, and confirms it."""

import asyncio
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from ops.base.database.connection import connect
from ops.base.database.log_watch import LogWatch
from ops.base.encryption.cache_purge import Acknowledgement, load_acknowledgements, request_purge
from ops.base.encryption.key_cache import KEYS
from ops.base.http.health import Health
from ops.base.process.heartbeat import Heartbeat
from ops.base.process.tasks import running
from ops.testing.conditions import PATIENCE_SECONDS, wait_until
from ops.testing.key_stores import OwnKeyStore
from ops.testing.postgres import Database


@pytest.fixture
def store(tmp_path: Path) -> Iterator[OwnKeyStore]:
    with closing(OwnKeyStore.in_folder(tmp_path / "keys")) as store:
        yield store


async def states(database: Database, number: int) -> dict[str, str]:
    async with await connect(database.projections, autocommit=True) as connection:
        found = await load_acknowledgements(connection, number)
    assert all(isinstance(one, Acknowledgement) for one in found)
    return {one.instance: one.state for one in found}


async def until(database: Database, number: int, expected: dict[str, str]) -> None:
    async with asyncio.timeout(PATIENCE_SECONDS):
        while await states(database, number) != expected:  # noqa: ASYNC110 - there is no event to await
            await asyncio.sleep(0.05)


async def raised(database: Database) -> int:
    async with await connect(database.projections, autocommit=True) as connection:
        return await request_purge(connection)


async def test_ended_or_silent_process_counts_as_gone(
    database: Database,
) -> None:
    number = await raised(database)
    with psycopg.connect(database.owner, autocommit=True) as connection:
        said = {
            "ended": ("ended", 1, number - 1),
            "forgot": ("ended", 1, number),
            "silent": ("ready", 61, None),
            "late": ("ready", 50, None),
        }
        for instance, (word, seconds, forgotten) in said.items():
            connection.execute(
                "INSERT INTO operations.services (instance, name, process, release, started_at, seen_at,"
                " health, state, forgotten) VALUES (%s, 'query-api', gen_random_uuid(), '', now(),"
                " now() - make_interval(secs => %s), %s, '{}', %s)",
                [instance, seconds, word, forgotten],
            )
    found = await states(database, number)
    assert found == {"ended": "gone", "forgot": "forgotten", "silent": "gone", "late": "awaited"}


async def test_service_caches_are_purged_with_keys_even_without_database(
    database: Database, store: OwnKeyStore
) -> None:
    (key,) = await store.issue(1)
    holds = ["a name"]
    watch = LogWatch(database.relay, on_purge=holds.clear)
    async with KEYS.use(store), running(watch.run):
        await watch.has_polled.wait()
        assert holds == []
        for told_so in (lambda: raised(database), lambda: cut_off(database)):
            await KEYS.load([key.id])
            holds.append("a name")
            await told_so()
            await wait_until(lambda: not holds)
            assert KEYS.get(key.id) is None


async def cut_off(database: Database) -> None:
    with psycopg.connect(database.owner, autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )


async def test_heartbeat_reports_a_purge_at_once(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ops.base.process.heartbeat.BEAT_SECONDS", 1_000.0)

    async def health() -> Health:
        return Health(ready=True, checks={})

    watch = LogWatch(database.relay)
    beat = Heartbeat(database.relay, "relay", health, instance="relay", purge=watch.purge)
    async with running(watch.run, beat.run):
        for _ in range(2):
            number = await raised(database)
            await until(database, number, {"relay": "forgotten"})
