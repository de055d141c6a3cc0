"""Restoring a backup into a new data folder: to the end of what was streamed, or to a moment."""

import re
import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple

import psycopg

from ops.base.encryption.key_encryption_keys import KeyEncryptionKeys, KeysUnavailable
from ops.launcher.backups.accepting import bring_seals
from ops.launcher.backups.folder import (
    CLUSTER,
    MANIFEST,
    Backup,
    BackupFolder,
    first_of,
    has_gap,
)
from ops.launcher.backups.taking import verify_copy
from ops.launcher.errors import LauncherError
from ops.launcher.instance.data_folder import DataFolder
from ops.launcher.instance.files import write_private
from ops.launcher.instance.secrets import load_or_make
from ops.launcher.keys.of_log import Held, held, key_settings, keys_of_log
from ops.launcher.postgres.cluster import Cluster
from ops.launcher.postgres.embedded import DATABASE, new_cluster
from ops.launcher.postgres.temporary import temporary_server

_LAST_COMMIT: Final = re.compile(r"last completed transaction was at log time (\S+ \S+)")
_ENDED_BEFORE: Final = "recovery ended before configured recovery target was reached"
_STOP: Final = "UPDATE log.identity SET stopped = %s"


class Restored(NamedTuple):
    """What a restore has come to."""

    position: int
    """The log's last position."""
    moment: datetime | None
    """When that was appended; None: the log is empty."""
    keys: Held
    """What there is of the keys that it is sealed under."""


def restore(
    folder: BackupFolder,
    data: DataFolder,
    moment: datetime | None,
    say: Callable[[str], None],
    keys: Path | None = None,
) -> Restored:
    """Make a data folder of a backup; the instance in it is stopped until somebody accepts it.

    Args:
        folder: the backups.
        data: the new instance's; it must not be there, or be empty.
        moment: all that was committed until then, then included, and nothing later; None: all there is.
        say: prints a line for the user.
        keys: where the instance's keys are, as they are now; they stay there. None: they are gone.

    Raises:
        LauncherError: there is no such backup, the moment is not in it, the data folder is in use, or there
            are no keys where they are said to be.
        OSError: a file cannot be read or written.
    """
    backup = folder.choose(moment)
    if data.path.exists() and any(data.path.iterdir()):
        raise LauncherError(f"{data.path} is not empty: restore into a new folder")
    _require_space(backup, folder, data.path)
    if keys is not None:
        require_keys(keys)
    made_here = not data.path.exists()
    data.create().lock()
    cluster: Cluster | None = None
    try:
        say(f"restoring {backup.path.name}")
        if keys is not None:
            write_private(data.keys_location, str(keys.absolute()), durable=True)
        cluster = new_cluster(data, say)
        _copy(backup, folder, data, cluster, say)
        restored = _recover(cluster, data, backup, moment, say, keys=keys)
    except BaseException:
        if cluster is not None:
            shutil.rmtree(cluster.folder, ignore_errors=True)
        for path in data.path.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        if made_here:
            data.path.rmdir()
        raise
    finally:
        data.unlock()
    return restored


def _require_space(backup: Backup, folder: BackupFolder, data: Path) -> None:
    existing = next(parent for parent in (data, *data.parents) if parent.exists())
    files = [*backup.path.rglob("*"), *folder.wal.rglob("*")]
    wanted = sum(path.stat().st_size for path in files if path.is_file())
    free = shutil.disk_usage(existing).free
    if wanted > free:
        raise LauncherError(f"{existing} has {free // 10**6} MB left, and this takes {wanted // 10**6} MB")


def _copy(
    backup: Backup, folder: BackupFolder, data: DataFolder, cluster: Cluster, say: Callable[[str], None]
) -> None:
    say("checking the backup")
    verify_copy(cluster.binaries, backup.cluster)
    say("copying it")
    for path in backup.path.iterdir():
        if path.is_dir() and path.name != CLUSTER:
            shutil.copytree(path, data.path / path.name, dirs_exist_ok=True)
        elif path.is_file() and path.name != MANIFEST:
            shutil.copy2(path, data.path)
    shutil.copytree(backup.cluster, cluster.data)
    wal = _wal(cluster)
    wal.mkdir(mode=0o700)
    first = first_of(backup.cluster)
    if has_gap([cluster.data / "pg_wal", folder.wal], first=first):
        say("WARNING: what was streamed has a gap, and is restored up to there only: see ops/docs/backups.md")
    for path, name in folder.streamed(first):
        shutil.copy2(path, wal / name)
    (cluster.data / "recovery.signal").touch(mode=0o600)
    for path in (cluster.folder, *cluster.folder.rglob("*")):
        cluster.account.own(path)


def _recover(
    cluster: Cluster,
    data: DataFolder,
    backup: Backup,
    moment: datetime | None,
    say: Callable[[str], None],
    *,
    keys: Path | None,
) -> Restored:
    target = {} if moment is None else {"recovery_target_time": moment.astimezone(UTC).isoformat(" ")}
    settings = {
        "restore_command": f'cp "{_wal(cluster)}/%f" "%p"',
        "recovery_target_action": "promote",
        **target,
    }
    log = data.logs / "restore.log"
    say("replaying what was written since")
    try:
        with temporary_server(
            cluster,
            load_or_make(data).superuser,
            log,
            database=DATABASE,
            settings=settings,
            tell=lambda seconds: say(f"still replaying, after {seconds:.0f} s"),
        ) as dsn:
            reason = f"restored from {backup.path.name}" + (f" to {moment.isoformat()}" if moment else "")
            restored = _stop_log(dsn, f"{reason}; ./fleetlog restore accept ends this", keys)
            bring_seals(dsn, data.seals)
    except LauncherError:
        _tell_why(log.read_text(errors="replace"))
        raise
    shutil.rmtree(_wal(cluster))
    return restored


def _stop_log(dsn: str, reason: str, keys: Path | None) -> Restored:
    with psycopg.connect(dsn) as connection:
        connection.execute(_STOP, [reason])
        row = connection.execute("SELECT position, moment FROM log.head").fetchone()
        sealed_under = keys_of_log(connection)
    if row is None:
        raise LauncherError("the log has lost its id")
    position, last = row
    try:
        return Restored(position, last, held(sealed_under, key_settings(keys)))
    except KeysUnavailable as error:
        raise LauncherError(f"the keys cannot be used: {error}") from None


def require_keys(folder: Path) -> None:
    """See that an instance's keys are in a folder, as far as that can be told without its log.

    Raises:
        LauncherError: they are not.
    """
    try:
        KeyEncryptionKeys(folder).check()
    except KeysUnavailable as error:
        raise LauncherError(f"{folder} is not where an instance's keys are: {error}") from None


def _tell_why(log: str) -> None:
    if _ENDED_BEFORE in log:
        last = _LAST_COMMIT.findall(log)
        when = f"the last change in them is of {last[-1]} UTC" if last else "nothing was changed since"
        raise LauncherError(
            f"the backups end before that moment: {when}. Without --to-moment all of it is restored"
        )
    fatal = [line for line in log.splitlines() if "FATAL" in line or "PANIC" in line]
    if fatal:
        raise LauncherError(f"PostgreSQL cannot replay it: {fatal[-1].partition(': ')[2].strip()}")


def _wal(cluster: Cluster) -> Path:
    return cluster.folder / "wal"
