"""Contract of both key stores: issued keys stay, and erased keys never exist again."""

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import hypothesis.strategies as st
import psycopg
import pytest
from hypothesis import settings
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, rule
from hypothesis.stateful import run_state_machine_as_test as run_machine
from psycopg.conninfo import make_conninfo

from ops.base.encryption.key_encryption_keys import KeysUnavailable
from ops.base.encryption.keys import Key
from ops.base.encryption.sqlite import FILE_NAME
from ops.base.encryption.stores import KeyStore, Rotation
from ops.launcher.keys.schema import prepare_keys_database
from ops.launcher.postgres.groups import KEY_GROUPS
from ops.launcher.processes.ports import free_port
from ops.testing.key_store_locations import KeyStoreLocation, create_local_store, new_epoch, opened
from ops.testing.postgres import PostgresServer

NEVER_MADE: Final = Key.new().id
CONTEXT: Final = b"here"

EMPTIES: Final = """
ALTER TABLE keys.kept DISABLE TRIGGER fence_all;
TRUNCATE keys.kept;
ALTER TABLE keys.kept ENABLE ALWAYS TRIGGER fence_all;
UPDATE keys.epochs SET oldest = 0;
"""


async def test_stored_keys_are_wrapped(location: KeyStoreLocation) -> None:
    async with location.opened() as store:
        (key,) = await store.issue(1)
    if location.database is None:
        kept = b"".join(path.read_bytes() for path in location.folder.glob(f"{FILE_NAME}*"))
        assert (location.folder / FILE_NAME).stat().st_mode & 0o077 == 0
    else:
        with psycopg.connect(location.database.owner) as connection:
            kept = b"".join(row[0] for row in connection.execute("SELECT secret FROM keys.kept"))
    assert kept
    assert key.secret not in kept


async def test_erased_unknown_key_cannot_be_added(
    location: KeyStoreLocation, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = Key.new()
    async with location.opened() as store, location.opened(erases=True) as eraser:
        await eraser.erase([elsewhere.id])
        monkeypatch.setattr(Key, "new", lambda: elsewhere)
        with pytest.raises(KeysUnavailable):
            await store.issue(1)
        assert await store.fetch([elsewhere.id]) == {elsewhere.id: None}


async def test_changed_or_swapped_wrapped_key_is_refused(location: KeyStoreLocation) -> None:
    async with location.opened() as store:
        first, second = await store.issue(2)
    location.write("UPDATE {keys} SET secret = (SELECT secret FROM {keys} WHERE id = ?) WHERE id = ?",
                first.id, second.id)  # fmt: skip
    async with location.opened() as store:
        with pytest.raises(KeysUnavailable, match=f"key {second.id} is not what epoch 1 has wrapped"):
            await store.fetch([second.id])
        assert await store.fetch([first.id])
    location.write("UPDATE {keys} SET secret = ? WHERE id = ?", b"nothing", first.id)
    async with location.opened() as store:
        with pytest.raises(KeysUnavailable, match="is not what epoch 1 has wrapped"):
            await store.fetch([first.id])


@pytest.mark.parametrize("lost", ["exchanged", "gone", "cut off"])
async def test_keys_are_unavailable_without_the_key_encryption_key(
    location: KeyStoreLocation, lost: str
) -> None:
    async with location.opened() as store:
        (key,) = await store.issue(1)
    file = location.folder / "epoch-1.key"
    match lost:
        case "exchanged":
            new_epoch(location.folder, 1)
        case "gone":
            file.unlink()
        case _:
            file.write_text(file.read_text()[:10])
    async with location.opened() as store:
        with pytest.raises(KeysUnavailable):
            await store.fetch([key.id])
        if lost != "exchanged":
            with pytest.raises(KeysUnavailable):
                await store.issue(1)
            with pytest.raises(KeysUnavailable):
                await store.check()


async def test_keys_of_older_epochs_are_readable_and_new_keys_use_the_newest(
    location: KeyStoreLocation,
) -> None:
    async with location.opened() as store:
        (old,) = await store.issue(1)
        new_epoch(location.folder, 2)
        (new,) = await store.issue(1)
    (location.folder / "epoch-1.key").unlink()
    async with location.opened() as store:
        assert (await store.fetch([new.id]))[new.id]
        with pytest.raises(KeysUnavailable, match=r"epoch-1\.key"):
            await store.fetch([old.id])


@pytest.mark.parametrize("kind", ["local", "central"])
async def test_unreachable_store_is_reported(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ops.base.encryption.postgresql._PATIENCE_SECONDS", 0.1)
    new_epoch(tmp_path, 1)
    if kind == "local":
        (tmp_path / FILE_NAME).write_bytes(b"no database" * 1000)
    dsn = None if kind == "local" else f"postgresql://unknown@127.0.0.1:{free_port()}/keys"
    async with opened(tmp_path, dsn) as store:
        calls: list[Callable[[], object]] = [
            lambda: store.issue(1),
            lambda: store.fetch([NEVER_MADE]),
            lambda: store.erase([NEVER_MADE]),
            store.check,
        ]
        for call in calls:
            with pytest.raises(KeysUnavailable):
                await call()  # type: ignore[misc]


@pytest.mark.parametrize(
    ("role", "statement"),
    [
        ("user", "UPDATE keys.kept SET secret = NULL, epoch = NULL"),
        ("user", "DELETE FROM keys.kept"),
        ("user", "TRUNCATE keys.kept"),
        ("user", "ALTER TABLE keys.kept DISABLE TRIGGER fence"),
        ("user", "CREATE TABLE keys.other (id text)"),
        ("eraser", "UPDATE keys.kept SET secret = 'another', epoch = 1"),
        ("eraser", "UPDATE keys.kept SET id = 'another'"),
        ("eraser", "DELETE FROM keys.kept"),
        ("owner", "UPDATE keys.kept SET secret = 'another', epoch = 1"),
        ("owner", "DELETE FROM keys.kept"),
        ("owner", "TRUNCATE keys.kept"),
        ("owner", "SET session_replication_role = replica; DELETE FROM keys.kept"),
    ],
)
async def test_database_refuses_to_lose_or_restore_a_key(
    postgres: PostgresServer, tmp_path: Path, role: str, statement: str
) -> None:
    new_epoch(tmp_path, 1)
    database = postgres.create_keys_database()
    location = KeyStoreLocation(tmp_path, database)
    async with location.opened() as store, location.opened(erases=True) as eraser:
        erased, kept = await store.issue(2)
        await eraser.erase([erased.id])
        with (
            psycopg.connect(getattr(database, role)) as connection,
            pytest.raises((psycopg.errors.InsufficientPrivilege, psycopg.errors.RestrictViolation)),
        ):
            connection.execute(statement.encode())
        with pytest.raises(KeysUnavailable, match="InsufficientPrivilege"):
            await store.erase([kept.id])
        found = await store.fetch([erased.id, kept.id])
        assert found[erased.id] is None
        assert found[kept.id]
    # Each start prepares the database again, which changes no key.
    prepare_keys_database(database.owner, dict.fromkeys(KEY_GROUPS, "another password"))
    async with opened(tmp_path, make_conninfo(database.user, password="another password")) as store:
        assert (await store.fetch([erased.id]))[erased.id] is None
    postgres.drop_database(database)


class KeyStoreMachine(RuleBasedStateMachine):
    """One store, opened again for each step, compared with a dictionary."""

    dsns: dict[bool, str] | None = None
    owner: str | None = None
    known = Bundle("known")

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[str, Key | None] = {}
        self.ending = ExitStack()
        self.folder = Path(self.ending.enter_context(TemporaryDirectory()))
        self.runner = self.ending.enter_context(asyncio.Runner())

    @initialize()
    def begin(self) -> None:
        create_local_store(self.folder)
        if self.owner is not None:  # another example has used the database
            with psycopg.connect(self.owner) as connection:
                connection.execute(EMPTIES)

    @rule()
    def rotate(self) -> None:
        done = self.runner.run(self._rotate())
        left = sum(key is not None for key in self.kept.values())
        assert (done.survivors, done.destroyed, done.kept_because) == (left, done.epoch - 1, None)
        assert [path.name for path in self.folder.glob("epoch-*")] == [f"epoch-{done.epoch}.key"]

    @rule(target=known, count=st.integers(1, 3))
    def issue(self, count: int) -> str:
        keys = self.runner.run(self._issue(count))
        assert not self.kept.keys() & {key.id for key in keys}
        self.kept |= {key.id: key for key in keys}
        return keys[0].id

    @rule(target=known)
    def add_unknown_id(self) -> str:
        return Key.new().id

    @rule(ids=st.lists(known, max_size=3))
    def erase(self, ids: list[str]) -> None:
        self.runner.run(self._erase(ids))
        self.kept |= dict.fromkeys(ids)

    @invariant()
    def stored_keys_equal_those_of_the_model(self) -> None:
        found = self.runner.run(self._fetch())
        assert {name: key and key.secret for name, key in found.items()} == {
            name: key and key.secret for name, key in self.kept.items()
        }

    def teardown(self) -> None:
        self.ending.close()

    async def _issue(self, count: int) -> list[Key]:
        async with self._opened(erases=False) as store:
            return await store.issue(count)

    async def _erase(self, ids: list[str]) -> None:
        async with self._opened(erases=True) as store:
            await store.erase(ids)

    async def _rotate(self) -> Rotation:
        async with self._opened(erases=True) as store:
            return await store.rotate()

    async def _fetch(self) -> dict[str, Key | None]:
        async with self._opened(erases=False) as store:
            return dict(await store.fetch([*self.kept, NEVER_MADE]))

    def _opened(self, *, erases: bool) -> AbstractAsyncContextManager[KeyStore]:
        return opened(self.folder, self.dsns[erases] if self.dsns else None)


@pytest.mark.parametrize("kind", ["local", "central"])
def test_no_key_is_lost_or_restored(postgres: PostgresServer, kind: str) -> None:
    database = postgres.create_keys_database() if kind == "central" else None

    class Machine(KeyStoreMachine):
        dsns = {False: database.user, True: database.eraser} if database else None
        owner = database.owner if database else None

    run_machine(Machine, settings=settings(max_examples=15, stateful_step_count=20))
    if database is not None:
        postgres.drop_database(database)
