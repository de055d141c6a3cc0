"""A key store of another log, or a damaged one, is refused until the right one is back."""

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final, LiteralString
from uuid import uuid4

import psycopg
import pytest
from psycopg.types.json import Jsonb

from ops.base.database.connection import connect
from ops.base.encryption import key_cache
from ops.base.encryption.key_cache import KeyCache
from ops.base.encryption.key_encryption_keys import KeysUnavailable
from ops.base.encryption.keys import Key
from ops.base.encryption.log_binding import WrongKeyStore, compare, verify
from ops.base.encryption.sqlite import FILE_NAME
from ops.base.encryption.states import encrypt_state
from ops.base.http.health import keys_check
from ops.testing.key_store_locations import KeyStoreLocation, create_local_store, new_epoch
from ops.testing.postgres import Database, PostgresServer

EMPTIED: Final = "lacks 1 of 1 keys"
KEPT: Final = "SELECT id, epoch, secret FROM keys.kept ORDER BY id"
LOGS: Final = "SELECT log_id, position FROM keys.logs ORDER BY log_id"
ERASED: Final = """
INSERT INTO privacy.erasures (entity, entity_id, version, position, steps) VALUES ('driver', 'a', 3, 1, %s)
"""
EMPTIES: Final = """
ALTER TABLE keys.kept DISABLE TRIGGER fence_all;
TRUNCATE keys.kept, keys.logs;
ALTER TABLE keys.kept ENABLE ALWAYS TRIGGER fence_all;
"""


def append(database: Database, key: Key) -> None:
    """Append an event that is encrypted with a key."""
    with psycopg.connect(database.owner) as connection:
        connection.execute(
            "INSERT INTO log.events SELECT coalesce(max(notification_id), 0) + 1, %s, 1, 'x', %s, now(), NULL"
            " FROM log.events",
            (f"driver:{uuid4()}", encrypt_state(b'{"details":{}}', b"{}", "driver:a", 1, key)),
        )


async def filled(location: KeyStoreLocation, database: Database, count: int = 1) -> list[Key]:
    """Bind a store to a log, and append events that are encrypted with keys of it."""
    async with location.opened() as store:
        await verify(store, database.command)
        keys = await store.issue(count)
    for key in keys:
        append(database, key)
    return keys


async def refusal(location: KeyStoreLocation, database: Database) -> str:
    """Return why a store is refused, which leaves it as it was."""
    before = contents(location)
    async with location.opened() as store:
        with pytest.raises(KeysUnavailable) as refused:
            await verify(store, database.command)
    assert contents(location) == before
    assert "restore accept --keys-lost" in str(refused.value)
    return str(refused.value)


def contents(location: KeyStoreLocation) -> object:
    if location.database is None:
        return {path.name: path.read_bytes() for path in filter(Path.is_file, location.folder.iterdir())}
    with psycopg.connect(location.database.owner) as connection:
        return [connection.execute(statement).fetchall() for statement in (KEPT, LOGS)]


async def opens(location: KeyStoreLocation, database: Database, key: Key) -> bool:
    async with location.opened() as store:
        await verify(store, database.command)
        found = (await store.fetch([key.id]))[key.id]
        return found is not None and found.secret == key.secret


@contextmanager
def copy_of(location: KeyStoreLocation, postgres: PostgresServer, folder: Path) -> Iterator[KeyStoreLocation]:
    """Copy a store, with its key-encryption keys."""
    folder.mkdir()
    for path in filter(Path.is_file, location.folder.iterdir()):
        shutil.copy(path, folder)
    if location.database is None:
        yield KeyStoreLocation(folder, None)
        return
    copy = postgres.create_keys_database()
    with psycopg.connect(location.database.owner) as source, psycopg.connect(copy.owner) as target:
        for row in source.execute(KEPT).fetchall():
            target.execute("INSERT INTO keys.kept VALUES (%s, %s, %s)", row)
        for row in source.execute(LOGS).fetchall():
            target.execute("INSERT INTO keys.logs VALUES (%s, %s) ON CONFLICT DO NOTHING", row)
    yield KeyStoreLocation(folder, copy)
    postgres.drop_database(copy)


def run_in_store(location: KeyStoreLocation, local: str, central: LiteralString) -> None:
    """Run SQL with access to the store's disk, or with its owner's password."""
    if location.database is None:
        with closing(sqlite3.connect(location.folder / FILE_NAME)) as connection, connection:
            connection.executescript(local)
    else:
        with psycopg.connect(location.database.owner) as session:
            session.execute(central)


def empty(location: KeyStoreLocation) -> None:
    run_in_store(location, "DELETE FROM kept; DELETE FROM logs", EMPTIES)


def unbind(location: KeyStoreLocation) -> None:
    run_in_store(location, "DELETE FROM logs", "DELETE FROM keys.logs")


async def test_store_of_a_log_without_keys_is_bound(location: KeyStoreLocation, database: Database) -> None:
    empty(location)
    (key,) = await filled(location, database)
    assert await opens(location, database, key)


async def test_unbound_store_issues_no_key(location: KeyStoreLocation) -> None:
    unbind(location)
    async with location.opened() as store:
        with pytest.raises(KeysUnavailable, match="is not the key store of this log"):
            await store.issue(1)


@pytest.mark.parametrize("damage", ["away", "empty", "truncated", "garbage"])
async def test_missing_or_damaged_file_is_refused_and_never_replaced(
    tmp_path: Path, database: Database, damage: str
) -> None:
    location = KeyStoreLocation(tmp_path / "keys", None)
    create_local_store(location.folder)
    (key,) = await filled(location, database)
    file = location.folder / FILE_NAME
    content = file.read_bytes()
    match damage:
        case "away":
            file.unlink()
        case "empty":
            file.write_bytes(b"")
        case "truncated":
            file.write_bytes(content[: len(content) // 2 // 4096 * 4096])
        case _:
            file.write_bytes(b"no database" * 1000)
    reason = await refusal(location, database)
    assert str(file) in reason
    file.write_bytes(content)
    assert await opens(location, database, key)


async def test_an_older_copy_that_lacks_newer_keys_is_refused(
    location: KeyStoreLocation, database: Database, postgres: PostgresServer, tmp_path: Path
) -> None:
    await filled(location, database, count=2)
    async with location.opened() as store:
        await verify(store, database.command)
    with copy_of(location, postgres, tmp_path / "copy") as older:
        (newer,) = await filled(location, database)
        assert "lacks 1 of 1 keys" in await refusal(older, database)
        assert await opens(location, database, newer)


async def test_older_copy_does_not_restore_erased_keys(
    location: KeyStoreLocation, database: Database, postgres: PostgresServer, tmp_path: Path
) -> None:
    kept, gone = await filled(location, database, count=2)
    with copy_of(location, postgres, tmp_path / "copy") as older:
        async with location.opened(erases=True) as store:
            await store.erase([gone.id])
            await store.rotate()
        with psycopg.connect(database.owner) as connection:
            steps = {"decrypted": {"keys": [{"id": gone.id}]}, "destroyed": {}}
            connection.execute(ERASED, [Jsonb(steps)])
        assert "holds 1 keys that erasures have destroyed" in await refusal(older, database)
        async with older.opened(erases=True) as store:
            await verify(store, database.command, keys_are_lost=True)
        assert await opens(older, database, kept)
        assert not await opens(older, database, gone)
    assert not await opens(location, database, gone)


async def test_another_instances_store_is_refused(location: KeyStoreLocation, database: Database) -> None:
    async with location.opened() as store:
        await store.bind("another log", 1000)
        await store.issue(1)
    append(database, Key.new())
    assert "lacks 1 of 1 keys" in await refusal(location, database)


async def test_another_instances_key_encryption_key_is_refused(
    location: KeyStoreLocation, database: Database
) -> None:
    (key,) = await filled(location, database)
    async with location.opened() as store:
        await verify(store, database.command)
    own = (location.folder / "epoch-1.key").read_text()
    new_epoch(location.folder, 1)
    assert "is not what epoch 1 has wrapped" in await refusal(location, database)
    (location.folder / "epoch-1.key").write_text(own)
    assert await opens(location, database, key)


async def test_keys_of_actors_are_compared_for_every_role(
    location: KeyStoreLocation, database: Database
) -> None:
    (key,) = await filled(location, database)
    unknown = Key.new()
    with psycopg.connect(database.owner) as connection:
        connection.execute("INSERT INTO log.actors VALUES ('dev|asha', %s, 'x')", [unknown.id])
    async with location.opened() as store:
        for dsn in (database.command, database.query, database.projections, database.sealer, database.owner):
            async with await connect(dsn, autocommit=True) as connection_:
                found = await compare(store, connection_)
            assert found.lost == {unknown.id: 0}
            assert found.position == 1
        assert key.id not in found.lost


async def test_operator_can_give_up_lost_keys(location: KeyStoreLocation, database: Database) -> None:
    (lost,) = await filled(location, database)
    empty(location)
    with psycopg.connect(database.owner) as connection:
        connection.execute("INSERT INTO log.actors VALUES ('dev|asha', %s, 'x')", [Key.new().id])
    async with location.opened(erases=True) as store:
        await verify(store, database.command, keys_are_lost=True)
    (key,) = await filled(location, database)
    assert await opens(location, database, key)
    assert not await opens(location, database, lost)


async def test_process_refuses_a_foreign_store_and_recovers_without_restart(
    location: KeyStoreLocation,
    database: Database,
    postgres: PostgresServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(key_cache, "_VERIFY_SECONDS", 0.0)
    (key,) = await filled(location, database)
    keys = KeyCache()
    uses: list[Callable[[], Any]] = [keys.issue, lambda: keys.load([key.id]), keys.check]
    with copy_of(location, postgres, tmp_path / "real") as real:
        empty(location)
        async with location.opened() as wrong, keys.use(wrong, dsn=database.command):
            for use in uses:
                with pytest.raises(WrongKeyStore, match=EMPTIED):
                    await use()
            with pytest.raises(KeysUnavailable, match=EMPTIED):
                _ = keys.store
            check = await keys_check(keys, vital=True)
            assert not check.ok
            assert "--keys-lost" in str(check.detail)
            for row in real.kept():
                insert_row(location, row)
            for use in uses:
                await use()
            assert keys.get(key.id)
            assert (await keys_check(keys, vital=True)).ok


def insert_row(location: KeyStoreLocation, row: Any) -> None:
    location.write("INSERT INTO {keys} VALUES (?, ?, ?)", row.id, row.epoch, row.secret)
