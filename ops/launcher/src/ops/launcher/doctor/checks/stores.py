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
from ops.launcher.backups.folder import PREFIX, UNFINISHED, BackupFolder, first_of, has_gap, latest_below
from ops.launcher.doctor.checks.files import too_open
from ops.launcher.doctor.commands import Commands
from ops.launcher.doctor.findings import Finding, Findings, warning, well, wrong
from ops.launcher.errors import LauncherError
from ops.launcher.keys.backups import KeyBackups

OLD: Final = timedelta(hours=30)
"""As in the check BackupOld of the registry."""
KEYS_OLD: Final = timedelta(hours=1)
"""As in KeyBackupOld, where a service takes them by a schedule."""


def backups(
    path: Path, commands: Commands, *, now: datetime | None = None, per_log: bool = False
) -> Findings:
    """Check the last backup of a folder, its streamed write-ahead log, and unfinished backups.

    Args:
        path: the folder.
        commands: of this topology.
        now: the time, if it is another one.
        per_log: whether each log has a folder of its own below; that of the last backup is checked.
    """
    now = now or datetime.now(UTC)
    try:
        folder = latest_below(path) if per_log else BackupFolder(path)
        kept = folder.backups()
    except LauncherError as error:
        yield wrong(str(error), commands.backup)
        return
    if not kept:
        yield wrong(f"{path} holds no backup", commands.backup)
        return
    last = kept[-1]
    yield _aged(last.path, len(kept), now - last.manifest.finished, OLD, commands.backup)
    if has_gap([last.cluster / "pg_wal", folder.wal], first=first_of(last.cluster)):
        yield wrong(
            "the write-ahead log since the last backup has a gap, which nothing restores", commands.backup
        )
    for left in folder.path.glob(f"{PREFIX}*{UNFINISHED}"):
        # A backup in progress changes all the time.
        if now.timestamp() - left.stat().st_mtime > OLD.total_seconds():
            yield warning(f"{left} was left unfinished", f"rm -r {shlex.quote(str(left))}")


def _aged(last: Path, count: int, age: timedelta, old: timedelta, command: str) -> Finding:
    hours = age.total_seconds() / 3600
    text = f"{hours:.0f} h" if hours < 48 else f"{hours / 24:.0f} days"
    what = f"{last.name} is {text} old, the last of {count}"
    return warning(what, command) if age > old else well(what)


def no_backups(*, is_production: bool, how: str) -> Findings:
    """Report that no folder of backups is named, which `how` does."""
    what = "no backups are taken"
    yield warning(what, how) if is_production else well(f"{what}, which a first try can do without")


def key_backups(path: Path, commands: Commands, *, old: timedelta = KEYS_OLD) -> Findings:
    """Check the age of the last backup of the keys, without which a backup of the data is not readable."""
    kept = KeyBackups(path).all()
    if not kept:
        yield wrong(f"{path} holds no backup of the keys", commands.key_backup)
        return
    age = datetime.now(UTC) - datetime.fromtimestamp(kept[-1].stat().st_mtime, UTC)
    yield _aged(kept[-1], len(kept), age, old, commands.key_backup)


def keys(settings: KeySettings, dsn: str | None, how: str, *, private: bool) -> Findings:
    """Compare the key store with the log.

    Args:
        settings: of the key store.
        dsn: of the log's database; None: it cannot be queried.
        how: shows the store, or what is wrong with it.
        private: whether only we may read the key-encryption keys; containers have them in a folder that
            others cannot enter.
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
        with suppress(psycopg.Error):  # another check reports that
            if dsn is not None:
                async with await connect(dsn, autocommit=True, answer_seconds=ANSWER_SECONDS) as connection:
                    found = await compare(store, connection)
                found.require_match()
                await store.check()
                return found.position
        await store.verified_position("")
        await store.check()
        return None
