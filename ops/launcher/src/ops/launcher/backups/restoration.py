"""Restoration of a backup into a new data folder, to a moment or to the end of the stream."""

import re
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple

import psycopg

from ops.base.encryption.key_encryption_keys import KeyEncryptionKeys, KeysUnavailable
from ops.launcher.backups.acceptance import restore_seals
from ops.launcher.backups.creation import verify_copy
from ops.launcher.backups.folder import CLUSTER, MANIFEST, Backup, BackupFolder, first_segment, has_gap
from ops.launcher.errors import LauncherError
from ops.launcher.instance.data_folder import DataFolder
from ops.launcher.instance.files import write_private
from ops.launcher.instance.secrets import load_or_make
from ops.launcher.keys.inventory import KeyInventory, events_by_key, key_settings, take_inventory
from ops.launcher.messages import notify
from ops.launcher.postgres.cluster import Cluster
from ops.launcher.postgres.embedded import new_cluster
from ops.launcher.postgres.temporary import temporary_server

_LAST_COMMIT: Final = re.compile(r"last completed transaction was at log time (\S+ \S+)")
_TARGET_NOT_REACHED: Final = "recovery ended before configured recovery target was reached"
_STOP: Final = "UPDATE log.identity SET stopped = %s"


class Restored(NamedTuple):
    """The result of a restore.

    Attributes:
        position: the log's last position.
        moment: the time of the last event; None: the log is empty.
        keys: which keys of the log exist.
    """

    position: int
    moment: datetime | None
    keys: KeyInventory


def restore(
    folder: BackupFolder,
    data: DataFolder,
    moment: datetime | None,
    keys: Path | None = None,
) -> Restored:
    """Restore a backup into a data folder; the log is stopped until an operator accepts it.

    Args:
        data: the new data folder, which must be empty or missing.
        moment: the moment to restore to; None: the latest.
        keys: the current keys of personal data, which are used in place; None: they are lost.
    """
    backup = folder.choose(moment)
    if data.path.exists() and any(data.path.iterdir()):
        raise LauncherError(f"{data.path} is not empty: restore into a new folder")
    _require_space(backup, folder, data.path)
    if keys is not None:
        try:
            KeyEncryptionKeys(keys).check()
        except KeysUnavailable as error:
            raise LauncherError(f"{keys} does not contain the keys of an instance: {error}") from None
    is_new = not data.path.exists()
    data.create().lock()
    cluster: Cluster | None = None
    try:
        notify(f"restoring {backup.path.name}")
        if keys is not None:
            write_private(data.keys_location, str(keys.absolute()), durable=True)
        cluster = new_cluster(data)
        _copy(backup, folder, data, cluster)
        return _recover(cluster, data, backup, moment, keys)
    except BaseException:
        if cluster is not None:
            shutil.rmtree(cluster.folder, ignore_errors=True)
        for path in data.path.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        if is_new:
            data.path.rmdir()
        raise
    finally:
        data.unlock()


def _require_space(backup: Backup, folder: BackupFolder, data: Path) -> None:
    existing = next(parent for parent in (data, *data.parents) if parent.exists())
    files = [*backup.path.rglob("*"), *folder.wal.rglob("*")]
    needed = sum(path.stat().st_size for path in files if path.is_file())
    free = shutil.disk_usage(existing).free
    if needed > free:
        raise LauncherError(
            f"the disk of {existing} has {free // 10**6} MB left; the restore needs {needed // 10**6} MB"
        )


def _copy(backup: Backup, folder: BackupFolder, data: DataFolder, cluster: Cluster) -> None:
    notify("verifying the backup")
    verify_copy(cluster.binaries, backup.cluster)
    notify("copying the backup")
    for path in backup.path.iterdir():
        if path.is_dir() and path.name != CLUSTER:
            shutil.copytree(path, data.path / path.name, dirs_exist_ok=True)
        elif path.is_file() and path.name != MANIFEST:
            shutil.copy2(path, data.path)
    shutil.copytree(backup.cluster, cluster.data)
    wal = _wal(cluster)
    wal.mkdir(mode=0o700)
    first = first_segment(backup.cluster)
    if has_gap([cluster.data / "pg_wal", folder.wal], first=first):
        notify("WARNING: the stream has a gap; later changes are not restored: see ops/docs/backups.md")
    for path, name in folder.streamed(first):
        shutil.copy2(path, wal / name)
    (cluster.data / "recovery.signal").touch(mode=0o600)
    for path in (cluster.folder, *cluster.folder.rglob("*")):
        cluster.account.own(path)


def _recover(
    cluster: Cluster, data: DataFolder, backup: Backup, moment: datetime | None, keys: Path | None
) -> Restored:
    target = {} if moment is None else {"recovery_target_time": moment.astimezone(UTC).isoformat(" ")}
    settings = {
        "restore_command": f'cp "{_wal(cluster)}/%f" "%p"',
        "recovery_target_action": "promote",
        **target,
    }
    log = data.logs / "restore.log"
    notify("replaying later changes")
    try:
        with temporary_server(cluster, load_or_make(data).superuser, log, settings) as dsn:
            reason = f"restored from {backup.path.name}" + (f" to {moment.isoformat()}" if moment else "")
            restored = _stop_log(dsn, f"{reason}; ./fleetlog restore accept ends this", keys)
            restore_seals(dsn, data.seals)
    except LauncherError:
        _raise_cause(log.read_text(errors="replace"))
        raise
    shutil.rmtree(_wal(cluster))
    return restored


def _stop_log(dsn: str, reason: str, keys: Path | None) -> Restored:
    with psycopg.connect(dsn) as connection:
        connection.execute(_STOP, [reason])
        row = connection.execute("SELECT position, moment FROM log.head").fetchone()
        events = events_by_key(connection)
    if row is None:
        raise LauncherError("the log has lost its id")
    position, last = row
    try:
        return Restored(position, last, take_inventory(events, key_settings(keys)))
    except KeysUnavailable as error:
        raise LauncherError(f"the keys cannot be used: {error}") from None


def _raise_cause(log: str) -> None:
    if _TARGET_NOT_REACHED in log:
        last = _LAST_COMMIT.findall(log)
        when = f"their last change is of {last[-1]} UTC" if last else "they contain no later change"
        raise LauncherError(
            f"the backups end before that moment: {when}. Omit --to-moment to restore all of it"
        )
    fatal = [line for line in log.splitlines() if "FATAL" in line or "PANIC" in line]
    if fatal:
        raise LauncherError(f"PostgreSQL cannot replay the changes: {fatal[-1].partition(': ')[2].strip()}")


def _wal(cluster: Cluster) -> Path:
    return cluster.folder / "wal"
