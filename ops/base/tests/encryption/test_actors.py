"""The directory of actors: encrypted names by time."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing
from datetime import datetime
from pathlib import Path

import psycopg
import pytest

from ops.base.database.pools import Pool
from ops.base.encryption.actors import ActorDirectory
from ops.base.encryption.key_cache import KEYS
from ops.base.encryption.key_encryption_keys import KeysUnavailable
from ops.testing.key_stores import OwnKeyStore
from ops.testing.postgres import Database

SUB = "dev|asha"


@pytest.fixture
def owner(database: Database) -> Iterator[psycopg.Connection]:
    with psycopg.connect(database.owner, autocommit=True) as connection:
        connection.execute("TRUNCATE log.actors")
        yield connection


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[OwnKeyStore]:
    with closing(OwnKeyStore.in_folder(tmp_path / "keys")) as store:
        async with KEYS.use(store):
            yield store


@pytest.fixture
async def processes(
    database: Database, owner: psycopg.Connection, store: OwnKeyStore
) -> AsyncIterator[list[ActorDirectory]]:
    async with directory(database.command) as one, directory(database.query) as other:
        yield [one, other]


@asynccontextmanager
async def directory(dsn: str) -> AsyncIterator[ActorDirectory]:
    actors = ActorDirectory()
    async with Pool(dsn, size=2) as pool, actors.use(pool):
        yield actors


def now(owner: psycopg.Connection) -> datetime:
    ((moment,),) = owner.execute("SELECT clock_timestamp()").fetchall()
    assert isinstance(moment, datetime)
    return moment


async def name(actors: ActorDirectory, moment: datetime) -> str | None:
    actor = (await actors.load([(SUB, moment)]))[SUB]
    return actor.name(moment)


async def test_actor_has_the_name_of_the_time(
    processes: list[ActorDirectory], owner: psycopg.Connection
) -> None:
    one, other = processes
    before = now(owner)
    await one.record(SUB, "Asha Menon")
    at_first = now(owner)
    assert await name(other, at_first) == "Asha Menon"
    await one.record(SUB, "Asha Rao")
    later = now(owner)
    assert [await name(other, moment) for moment in (before, at_first, later)] == [
        *("Asha Menon", "Asha Menon", "Asha Rao")
    ], "also to who had read it before"
    (row,) = owner.execute("SELECT sub, key_id, ciphertext FROM log.actors").fetchall()
    assert b"Asha" not in b"|".join(str(value).encode() for value in row[:2]) + row[2]


async def test_concurrent_processes_use_one_key_per_actor(
    processes: list[ActorDirectory], owner: psycopg.Connection
) -> None:
    one, other = processes
    names = [f"Asha {letter}" for letter in "KLMNPQRS"]
    await asyncio.gather(
        *(actors.record(SUB, each) for actors in processes for each in names),
        *(one.record("dev|ingrid", "Ingrid Lund") for _ in range(3)),
    )
    actor = (await other.load([(SUB, now(owner))]))[SUB]
    assert {text for text, _ in actor.names} == set(names)
    assert [since for _, since in actor.names] == sorted(since for _, since in actor.names)
    assert owner.execute("SELECT sub FROM log.actors ORDER BY sub").fetchall() == [(SUB,), ("dev|ingrid",)]


async def test_erased_actor_gets_no_name_again(
    processes: list[ActorDirectory], owner: psycopg.Connection, store: OwnKeyStore
) -> None:
    one, other = processes
    await one.record(SUB, "Asha Menon")
    ((key_id,),) = owner.execute("SELECT key_id FROM log.actors").fetchall()
    await store.erase([key_id])
    KEYS.clear()
    await other.record(SUB, "Asha Menon")
    assert await name(other, now(owner)) is None
    owner.execute("UPDATE log.actors SET ciphertext = NULL")
    for actors in processes:
        actors.clear()
        await actors.record(SUB, "Asha Rao")
        assert (await actors.load([(SUB, now(owner))]))[SUB].is_erased
    assert owner.execute("SELECT key_id, ciphertext FROM log.actors").fetchall() == [(key_id, None)]


async def test_recording_a_name_fails_without_key_store(
    processes: list[ActorDirectory], store: OwnKeyStore
) -> None:
    store.away = True
    with pytest.raises(KeysUnavailable):
        await processes[0].record(SUB, "Asha Menon")
    store.away = False
    await processes[0].record(SUB, "Asha Menon")
