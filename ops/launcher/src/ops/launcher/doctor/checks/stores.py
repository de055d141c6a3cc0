"""Checks of backups, of the key store, and of its backups."""

import asyncio
import shlex
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import psycopg

from ops.base.database.connection import ANSWER_SECONDS, connect
from ops.base.encryption.key_encryption_keys import KeysUnavailable
from ops.base.encryption.log_binding import compare
from ops.base.encryption.settings import KeySettings, open_configured_store
from ops.launcher.backups.folder import PREFIX, UNFINISHED, BackupFolder, first_segment, has_gap, latest_below
from ops.launcher.doctor.checks.files import too_open
from ops.launcher.doctor.commands import Commands
from ops.launcher.doctor.findings import Finding, Findings, warning, well, wrong
from ops.launcher.errors import LauncherError
from ops.launcher.keys.backups import KeyBackups

OLD: Final = timedelta(hours=30)
"""As in the check BackupOld of the registry."""
KEYS_OLD: Final = timedelta(hours=1)
"""As in KeyBackupOld, for a service with a schedule."""


def backups(
    path: Path, commands: Commands, *, now: datetime | None = None, per_log: bool = False
) -> Findings:
    """Check the last backup of a folder, its streamed write-ahead log, and unfinished backups.

    Args:
        now: None: the current time.
        per_log: whether the folder contains one folder per log; that with the newest backup is checked.
    """
    now = now or datetime.now(UTC)
    try:
        folder = latest_below(path) if per_log else BackupFolder(path)
        kept = folder.backups()
    except LauncherError as error:
        yield wrong(str(error), commands.backup)
        return
    if not kept:
        yield wrong(f"{path} contains no backup", commands.backup)
        return
    last = kept[-1]
    yield _aged(last.path, len(kept), now - last.manifest.finished, OLD, commands.backup)
    if has_gap([last.cluster / "pg_wal", folder.wal], first=first_segment(last.cluster)):
        yield wrong(
            "the write-ahead log since the last backup has a gap; later changes cannot be restored",
            commands.backup,
        )
    for left in folder.path.glob(f"{PREFIX}*{UNFINISHED}"):
        # A backup in progress changes all the time.
        if now.timestamp() - left.stat().st_mtime > OLD.total_seconds():
            yield warning(f"{left} is an unfinished remainder", f"rm -r {shlex.quote(str(left))}")


def _aged(last: Path, count: int, age: timedelta, old: timedelta, command: str) -> Finding:
    hours = age.total_seconds() / 3600
    text = f"{hours:.0f} h" if hours < 48 else f"{hours / 24:.0f} days"
    what = f"{last.name} is {text} old, the last of {count}"
    return warning(what, command) if age > old else well(what)


def no_backups(*, is_production: bool, how: str) -> Findings:
    """Report that there are no backups; the command `how` starts them."""
    what = "there are no backups"
    yield warning(what, how) if is_production else well(f"{what}, which is acceptable for a trial")


def key_backups(path: Path, commands: Commands, *, old: timedelta = KEYS_OLD) -> Findings:
    """Check the age of the last backup of the keys, without which a backup of the data is not readable."""
    kept = KeyBackups(path).all()
    if not kept:
        yield wrong(f"{path} contains no backup of the keys", commands.key_backup)
        return
    age = datetime.now(UTC) - datetime.fromtimestamp(kept[-1].stat().st_mtime, UTC)
    yield _aged(kept[-1], len(kept), age, old, commands.key_backup)


def keys(settings: KeySettings, dsn: str | None, how: str, *, private: bool) -> Findings:
    """Compare the key store with the log.

    Args:
        dsn: of the log's database; None: it cannot be queried.
        how: command that shows the store.
        private: whether to check the permissions of the key-encryption keys; in containers, the folder above
            protects them.
    """
    if not settings.where:
        yield well("nothing is encrypted")
        return
    if private:
        folder = settings.wrapping.folder
        for path in sorted([folder, *folder.glob("*.key"), *folder.glob("keys.sqlite*")]):
            yield from too_open(path)
    try:
        position = asyncio.run(_compared(settings, dsn))
    except KeysUnavailable as error:
        yield wrong(f"no personal data can be read or changed: {error}", how)
    else:
        yield well(
            "the store answers" if position is None else f"the store has all keys up to position {position}"
        )


async def _compared(settings: KeySettings, dsn: str | None) -> int | None:
    """Return the log's last position, for which the store has all keys; None: the log does not answer."""
    async with open_configured_store(settings) as store:
        if store is None:
            return None
        with suppress(psycopg.Error):  # reported by another check
            if dsn is not None:
                async with await connect(dsn, autocommit=True, answer_seconds=ANSWER_SECONDS) as connection:
                    found = await compare(store, connection)
                found.require_match()
                await store.check()
                return found.position
        await store.verified_position("")
        await store.check()
        return None
