"""Backups of key stores: contents, removal after an erasure, and restoration."""

import asyncio
import signal
import subprocess
from collections.abc import Collection, Iterator
from pathlib import Path

import psycopg
import pytest
from pydantic import SecretStr

from ops.base.encryption.settings import KeySettings
from ops.base.encryption.stores import KeyStore
from ops.launcher.errors import LauncherError
from ops.launcher.keys.backups import KeyBackups
from ops.launcher.paths import PYTHON
from ops.testing.conditions import wait_for
from ops.testing.key_store_locations import KeyStoreLocation, create_local_store, new_epoch
from ops.testing.postgres import KeysDatabase, PostgresServer

pytestmark = pytest.mark.integration


@pytest.fixture
def empty(postgres: PostgresServer) -> Iterator[KeysDatabase]:
    database = postgres.create_keys_database()
    yield database
    postgres.drop_database(database)


@pytest.fixture(params=["local", "central"])
def location(
    request: pytest.FixtureRequest, postgres: PostgresServer, tmp_path: Path
) -> Iterator[KeyStoreLocation]:
    folder = tmp_path / "store"
    create_local_store(folder)
    if request.param == "local":
        yield KeyStoreLocation(folder, None)
        return
    database = postgres.create_keys_database()
    yield KeyStoreLocation(folder, database)
    postgres.drop_database(database)


@pytest.fixture
def backups(tmp_path: Path) -> KeyBackups:
    return KeyBackups(tmp_path / "backups")


def settings(location: KeyStoreLocation) -> KeySettings:
    where = str(location.folder)
    if location.database is not None:
        parts = psycopg.conninfo.conninfo_to_dict(location.database.user)
        where = "postgresql://{user}:{password}@{host}:{port}/{dbname}".format(**parts)
    return KeySettings(keys=SecretStr(where), key_encryption_keys=location.folder)


async def secrets_of(store: KeyStore, ids: Collection[str]) -> dict[str, bytes | None]:
    found = await store.fetch(ids)
    return {key_id: None if key is None else key.secret for key_id, key in found.items()}


async def test_a_backup_of_either_store_is_restored_into_an_empty_one(
    location: KeyStoreLocation, empty: KeysDatabase, backups: KeyBackups
) -> None:
    async with location.opened() as store:
        keys = {key.id: key.secret for key in await store.issue(3)}
    backups.create(settings(location))
    target = KeyStoreLocation(location.folder, empty)
    assert backups.restore(settings(target)) == (3, 0)
    async with target.opened() as store:
        assert await secrets_of(store, keys) == keys
    assert backups.restore(settings(target)) == (0, 3)


async def test_an_erased_key_is_in_no_backup_and_not_restored(
    location: KeyStoreLocation, empty: KeysDatabase, backups: KeyBackups, tmp_path: Path
) -> None:
    """Also if key-encryption keys cannot be destroyed, so that earlier backups could be decrypted."""
    async with location.opened(erases=True) as store:
        erased, kept = await store.issue(2)
        former = backups.create(settings(location))
        hoarded = KeyBackups(tmp_path / "elsewhere")
        hoarded.path.mkdir()
        (hoarded.path / former.name).write_bytes(former.read_bytes())
        await store.erase([erased.id])
    taken = backups.create(settings(location))
    assert backups.all() == [taken]
    target = KeyStoreLocation(location.folder, empty)
    backups.restore(settings(target))
    assert hoarded.restore(settings(target)) == (0, 2)
    async with target.opened() as store:
        assert await secrets_of(store, [erased.id, kept.id]) == {erased.id: None, kept.id: kept.secret}


async def test_after_a_rotation_only_backups_of_the_new_epoch_remain(
    location: KeyStoreLocation, empty: KeysDatabase, backups: KeyBackups, tmp_path: Path
) -> None:
    async with location.opened(erases=True) as store:
        await store.issue(2)
        former = backups.create(settings(location))
        hoarded = former.rename(tmp_path / former.name)
        await store.rotate()
    taken = backups.create(settings(location))
    hoarded.rename(former)
    with pytest.raises(LauncherError, match=r"epoch-1\.key: No such file"):
        backups.restore(settings(KeyStoreLocation(location.folder, empty)), former.name)
    with psycopg.connect(empty.owner) as connection:
        assert connection.execute("SELECT count(*) FROM keys.kept").fetchall() == [(0,)]
    assert backups.restore(settings(KeyStoreLocation(location.folder, empty))) == (2, 0)
    backups.create(settings(location))
    assert former not in backups.all()
    assert taken in backups.all()


async def test_an_emptied_store_replaces_no_backup(
    location: KeyStoreLocation, empty: KeysDatabase, backups: KeyBackups
) -> None:
    async with location.opened() as store:
        await store.issue(2)
    taken = backups.create(settings(location), keep=1)
    other = KeyStoreLocation(location.folder, empty)
    async with other.opened() as store:
        await store.issue(5)
    with pytest.raises(LauncherError, match="lacks keys of"):
        backups.create(settings(other), keep=1)
    assert backups.all() == [taken]


async def test_an_unreachable_store_or_interrupted_backup_keeps_the_last_backup(
    location: KeyStoreLocation, empty: KeysDatabase, backups: KeyBackups
) -> None:
    async with location.opened() as store:
        await store.issue(2)
    taken = backups.create(settings(location), keep=1)
    whole = taken.read_bytes()
    (backups.path / "unfinished").write_bytes(whole[:5000])  # of a process that was killed
    for away in ("postgresql://user@127.0.0.1:1/keys", str(backups.path / "nowhere")):
        with pytest.raises(LauncherError, match="the keys could not be backed up"):
            backups.create(KeySettings(keys=SecretStr(away), key_encryption_keys=location.folder), keep=1)
    assert backups.all() == [taken]
    assert not (backups.path / "nowhere").exists()
    newer = backups.create(settings(location), keep=1)
    assert backups.all() == [newer]
    newer.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(LauncherError, match="the keys could not be restored"):
        backups.restore(settings(KeyStoreLocation(location.folder, empty)))


def test_the_service_backs_up_by_schedule_and_after_a_rotation(
    postgres: PostgresServer, tmp_path: Path, backups: KeyBackups
) -> None:
    new_epoch(tmp_path, 1)
    database = postgres.create_keys_database()
    location, health = KeyStoreLocation(tmp_path, database), tmp_path / "healthy"
    environment = {
        **location.environment(erases=True),
        "FLEETLOG_KEY_BACKUPS": str(backups.path),
        "FLEETLOG_HEALTH_FILE": str(health),
        "FLEETLOG_METRICS": str(tmp_path),
    }
    command = [*PYTHON, "ops.launcher.keys"]
    asyncio.run(issue(location))
    service = subprocess.Popen([*command, "keep-backups"], env=environment)
    try:
        wait_for(lambda: backups.all() and health.exists())
        metric = (tmp_path / "fleetlog-key-backup.prom").read_text()
        assert "\nfleetlog_key_backup_finished_timestamp_seconds " in metric
        subprocess.run([*command, "backup"], env=environment, check=True)
        former = backups.all()
        assert len(former) == 2
        subprocess.run([*command, "rotate"], env=environment, check=True)
        wait_for(lambda: len(backups.all()) == 1)
        assert not {*former} & {*backups.all()}
    finally:
        service.send_signal(signal.SIGTERM)
        assert service.wait() == 0
        postgres.drop_database(database)
    restored = subprocess.run([*command, "restore"], env=environment, capture_output=True, check=False)
    assert restored.returncode == 1
    assert b"keys: the keys could not be restored: the database of keys: " in restored.stderr


async def issue(location: KeyStoreLocation) -> None:
    async with location.opened() as store:
        await store.issue(1)
