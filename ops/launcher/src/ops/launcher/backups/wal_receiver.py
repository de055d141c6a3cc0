"""Streaming of the write-ahead log into the folder of backups (pg_receivewal)."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

import psycopg

from ops.launcher.backups.creation import read_log_id
from ops.launcher.backups.folder import BackupFolder, segment_number
from ops.launcher.postgres.server import answers, client_environment
from ops.launcher.processes.spec import ProcessSpec

SLOT: Final = "fleetlog_backups"
"""The replication slot, which retains the write-ahead log while the receiver is not running."""
_IS_RECEIVING: Final = f"SELECT active FROM pg_replication_slots WHERE slot_name = '{SLOT}'"  # noqa: S608
# The slot has exceeded max_slot_wal_keep_size; a failed request for removed segments sets it back as well.
_IS_LOST: Final = f"""
SELECT wal_status = 'lost' OR substr(pg_walfile_name(restart_lsn), 9) < (
  SELECT min(substr(name, 9)) FROM pg_ls_waldir() WHERE name ~ '^[0-9A-F]{{24}}$'
)
FROM pg_replication_slots WHERE slot_name = '{SLOT}'
"""  # noqa: S608
_DROP_SLOT: Final = "SELECT pg_drop_replication_slot(%s)"


def prepare_slot(owner_dsn: str, folder: BackupFolder | None, notify: Callable[[str], None]) -> bool:
    """Create the replication slot for a folder of backups; without a folder, drop it.

    Args:
        owner_dsn: DSN of the superuser.

    Returns:
        Whether the stream continues the folder's without a gap.
    """
    with psycopg.connect(owner_dsn, autocommit=True) as connection:
        exists = connection.execute(_IS_RECEIVING).fetchone() is not None
        if exists and (folder is None or connection.execute(_IS_LOST).fetchone() == (True,)):
            connection.execute(_DROP_SLOT, [SLOT])
            exists = False
        if folder is None:
            return True
        folder.create()
        folder.require_log(read_log_id(connection))
        folder.remove_short()
        if not exists:
            connection.execute("SELECT pg_create_physical_replication_slot(%s, true)", [SLOT])
            notify("all changes are streamed from now on; take a backup to restore them with")
        # The slot prevents that the server removes any of these.
        names = [Path(name) for (name,) in connection.execute("SELECT name FROM pg_ls_waldir()")]
        oldest = min(number for name in names if (number := segment_number(name)) is not None)
        if not (is_continuous := folder.continues_from(oldest)):
            notify("the stream has a gap, because the server could not retain all changes: take a new backup")
        return is_continuous


def receiver_command(binaries: Path, folder: BackupFolder) -> list[str]:
    """Return the command line of pg_receivewal, which confirms changes when they are durable."""
    return [
        str(binaries / "pg_receivewal"),
        f"--directory={folder.wal}",
        f"--slot={SLOT}",
        "--synchronous",
        "--no-loop",
        "--no-password",
    ]


def receiver_spec(binaries: Path, port: int, owner_dsn: str, folder: BackupFolder) -> ProcessSpec:
    """Return the receiver as a process of the supervisor."""
    return ProcessSpec(
        name="wal-receiver",
        command=receiver_command(binaries, folder),
        environment=client_environment(owner_dsn),
        port=port,
        is_ready=partial(answers, owner_dsn, _IS_RECEIVING),
        stop_order=2,
        transient_failure="is active for PID",  # the server has not yet noticed the end of the last receiver
    )
