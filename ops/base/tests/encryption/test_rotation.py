"""Rotation: older copies decrypt nothing, and no other key is lost."""

import asyncio
import os
import shutil
import signal
import subprocess
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import pytest

from ops.base.encryption.key_encryption_keys import KeyEncryptionKeys, KeysUnavailable, WrappedKey
from ops.base.encryption.keys import Key
from ops.base.encryption.sqlite import FILE_NAME, local_store
from ops.base.encryption.stores import Rotation
from ops.base.process.failpoints import SETTING
from ops.launcher.paths import PYTHON
from ops.testing.key_store_locations import KeyStoreLocation, new_epoch

ROTATES: Final = """
import asyncio
from ops.base.encryption.settings import open_configured_store

async def main():
    async with open_configured_store() as store:
        print(await store.rotate())

asyncio.run(main())
"""
ISSUES: Final = """
import asyncio
from ops.base.encryption.settings import open_configured_store

async def main():
    async with open_configured_store() as store:
        while True:
            for key in await store.issue(2):
                print(key.id, flush=True)

asyncio.run(main())
"""
BOUNDARIES: Final = (
    "keys.epoch_written",
    "keys.epoch_made",
    "keys.rewrapping",
    "keys.rewrapped",
    "keys.epoch_overwritten",
    "keys.epoch_destroyed",
    "keys.epoch_overwritten:2",
)


async def rotated(location: KeyStoreLocation) -> Rotation:
    async with location.opened(erases=True) as eraser:
        return await eraser.rotate()


async def erased(location: KeyStoreLocation, key: Key) -> None:
    async with location.opened(erases=True) as eraser:
        await eraser.erase([key.id])


async def assert_stored(location: KeyStoreLocation, keys: Iterable[Key]) -> None:
    expected = {key.id: key.secret for key in keys}
    async with location.opened() as store:
        found = await store.fetch(expected)
        assert {key_id: key and key.secret for key_id, key in found.items()} == expected


def opened_of(copies: Iterable[WrappedKey], wrapping: KeyEncryptionKeys) -> list[str]:
    opened: list[str] = []
    for copy in copies:
        try:
            opened.append(*wrapping.unwrap_all([copy]))
        except KeysUnavailable:
            continue
    return opened


def epochs_of(location: KeyStoreLocation) -> list[str]:
    return sorted(path.name for path in location.folder.glob("epoch-*"))


async def test_old_copy_of_the_store_decrypts_nothing(location: KeyStoreLocation, tmp_path: Path) -> None:
    async with location.opened() as store:
        gone, *others = await store.issue(4)
    before = location.kept()
    serving = KeyEncryptionKeys(location.folder)
    assert len(opened_of(before, serving)) == 4
    if location.database is None:
        (tmp_path / "copy").mkdir()
        shutil.copy(location.folder / FILE_NAME, tmp_path / "copy" / FILE_NAME)
    await erased(location, gone)
    assert await rotated(location) == Rotation(destroyed=1, epoch=2, survivors=3, kept_because=None)
    assert epochs_of(location) == ["epoch-2.key"]
    await assert_stored(location, others)
    assert opened_of(before, KeyEncryptionKeys(location.folder)) == []
    assert len(opened_of(before, serving)) == 4  # a running process still caches the key-encryption key
    serving.clear()
    assert opened_of(before, serving) == []
    if location.database is None:
        with closing(local_store(tmp_path / "copy", KeyEncryptionKeys(location.folder))) as copy:
            for key in (gone, *others):
                with pytest.raises(KeysUnavailable):
                    await copy.fetch([key.id])


@pytest.mark.parametrize("boundary", BOUNDARIES)
async def test_killed_rotation_is_finished_by_the_next(location: KeyStoreLocation, boundary: str) -> None:
    async with location.opened() as store:
        gone, first = await store.issue(2)
        new_epoch(location.folder, 2)
        keys = [first, *await store.issue(2)]
        await erased(location, gone)
        before = location.kept()
        environment = {**location.environment(erases=True), SETTING: boundary}
        killed = await asyncio.to_thread(subprocess.run, [PYTHON[0], "-c", ROTATES], env=environment)
        assert killed.returncode == -signal.SIGKILL
        await assert_stored(location, keys)
        keys += await store.issue(1)
        done = await rotated(location)
        assert (done.survivors, done.kept_because) == (len(keys), None)
        await assert_stored(location, keys)
        assert epochs_of(location) == [f"epoch-{done.epoch}.key"]
        assert opened_of(before, KeyEncryptionKeys(location.folder)) == []


async def test_keys_are_issued_during_a_rotation(location: KeyStoreLocation) -> None:
    async with location.opened() as store:
        await store.issue(1)
    issuing = [
        await asyncio.create_subprocess_exec(
            PYTHON[0], "-c", ISSUES, env=location.environment(), stdout=asyncio.subprocess.PIPE
        )
        for _ in range(2)
    ]
    printed = b""
    for _ in range(5):
        for process in issuing:
            assert process.stdout is not None
            printed += await process.stdout.readline()
        assert (await rotated(location)).kept_because is None
    for process in issuing:
        assert process.returncode is None
        process.kill()
        output, _ = await process.communicate()
        printed += output[: output.rfind(b"\n") + 1]  # the last line may be cut off
    ids = printed.decode().split()
    async with location.opened() as store:
        found = await store.fetch(ids)
    assert len(ids) >= 10
    assert all(found[key_id] for key_id in ids)


@pytest.mark.parametrize("method", ["wrap", "unwrap_all"])
async def test_concurrently_retired_epoch_is_detected(
    location: KeyStoreLocation, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with location.opened() as store:
        keys = await store.issue(1)
        store.clear()
        original = getattr(KeyEncryptionKeys, method)

        def held_up(wrapping: KeyEncryptionKeys, *values: Any) -> object:
            monkeypatch.setattr(KeyEncryptionKeys, method, original)
            wrapped = original(wrapping, *values) if method == "wrap" else None
            environment = location.environment(erases=True)
            subprocess.run([PYTHON[0], "-c", ROTATES], env=environment, check=True)
            return wrapped or original(wrapping, *values)

        monkeypatch.setattr(KeyEncryptionKeys, method, held_up)
        if method == "wrap":
            keys += await store.issue(1)
        assert (await store.fetch([keys[0].id]))[keys[0].id]
    assert {one.epoch for one in location.kept()} == {2}
    await assert_stored(location, keys)


async def test_rotation_without_write_access_is_reported(
    location: KeyStoreLocation, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with location.opened() as store:
        gone, other = await store.issue(2)
    monkeypatch.setattr(os, "access", lambda *_: False)
    await erased(location, gone)
    kept_because = f"{location.folder / 'epoch-1.key'}: cannot be destroyed from here"
    assert await rotated(location) == Rotation(None, epoch=1, survivors=1, kept_because=kept_because)
    assert epochs_of(location) == ["epoch-1.key"]
    async with location.opened() as store:
        assert (await store.fetch([gone.id]))[gone.id] is None
    await assert_stored(location, [other])


async def test_failed_rotation_creates_no_key_encryption_key(location: KeyStoreLocation) -> None:
    async with location.opened() as store:
        await store.issue(2)
        location.write("UPDATE {keys} SET secret = ?", b"nothing")
        with pytest.raises(KeysUnavailable):
            await rotated(location)
        if location.database is not None:
            with pytest.raises(KeysUnavailable, match="InsufficientPrivilege"):
                await store.rotate()
    assert epochs_of(location) == ["epoch-1.key"]


async def test_new_epoch_has_owner_and_mode_of_the_former(location: KeyStoreLocation) -> None:
    async with location.opened() as store:
        await store.issue(1)
    (location.folder / "epoch-1.key").chmod(0o640)
    await rotated(location)
    assert (location.folder / "epoch-2.key").stat().st_mode & 0o777 == 0o640


async def test_operators_can_rotate_by_a_command(location: KeyStoreLocation) -> None:
    async with location.opened() as store:
        keys = await store.issue(2)
    command = [*PYTHON, "ops.launcher.keys", "rotate"]
    for erases, status in ((True, 0), (False, 0 if location.database is None else 1)):
        done = await asyncio.to_thread(
            subprocess.run, command, env=location.environment(erases=erases), capture_output=True, text=True
        )
        assert done.returncode == status, done.stderr
        if status == 0:
            assert "keys: 2 are encrypted in epoch" in done.stdout
    await assert_stored(location, keys)
