"""The part that streams the write-ahead log into the folder of backups while the instance runs."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

import psycopg

from ops.launcher.backups.folder import BackupFolder, number_of
from ops.launcher.backups.taking import log_id_of
from ops.launcher.postgres.server import answers, client_environment
from ops.launcher.processes.part import Part

SLOT: Final = "fleetlog_backups"
"""Keeps what has not been streamed yet, also while the receiver is away."""
_IS_RECEIVING: Final = f"SELECT active FROM pg_replication_slots WHERE slot_name = '{SLOT}'"  # noqa: S608
"""Whether somebody streams the write-ahead log now; of no slot there is no row."""
_IS_LOST: Final = f"""
SELECT wal_status = 'lost' OR substr(pg_walfile_name(restart_lsn), 9) < (
  SELECT min(substr(name, 9)) FROM pg_ls_waldir() WHERE name ~ '^[0-9A-F]{{24}}$'
)
FROM pg_replication_slots WHERE slot_name = '{SLOT}'
"""  # noqa: S608
"""Whether more had to be kept than may be; whoever asks for what is gone sets the slot back to there, too."""
_SERVER_HAS: Final = "SELECT name FROM pg_ls_waldir()"


def prepare_slot(owner_dsn: str, folder: BackupFolder | None, say: Callable[[str], None]) -> bool:
    """Have the server keep the write-ahead log for a folder of backups, or for none.

    Args:
        owner_dsn: DSN of the superuser.
        folder: the backups.
        say: prints a line for the user.

    Returns:
        Whether what is streamed from now on goes on from what the folder holds.

    Raises:
        LauncherError: the folder is another log's.
        OSError: it cannot be written to.
    """
    with psycopg.connect(owner_dsn, autocommit=True) as connection:
        exists = connection.execute(_IS_RECEIVING).fetchone() is not None
        if folder is not None and connection.execute(_IS_LOST).fetchone() == (True,):
            connection.execute("SELECT pg_drop_replication_slot(%s)", [SLOT])
            exists = False
        if folder is None:
            if exists:
                connection.execute("SELECT pg_drop_replication_slot(%s)", [SLOT])
            return True
        folder.create()
        folder.require_log(log_id_of(connection))
        folder.remove_short()
        if not exists:
            connection.execute("SELECT pg_create_physical_replication_slot(%s, true)", [SLOT])
            say("from now on all is streamed, to go with the next copy")
        # With the slot there, none of these goes any more.
        names = [Path(name) for (name,) in connection.execute(_SERVER_HAS)]
        oldest = min(number for name in names if (number := number_of(name)) is not None)
        if not (goes_on := folder.goes_on_from(oldest)):
            say("more was written than the server keeps for the backups: there is a gap, take a new one")
        return goes_on


def receiver_command(binaries: Path, folder: BackupFolder) -> list[str]:
    """The command line of what streams; what it has received is on the disk before it asks for more."""
    return [
        str(binaries / "pg_receivewal"),
        f"--directory={folder.wal}",
        f"--slot={SLOT}",
        "--synchronous",
        "--no-loop",
        "--no-password",
    ]


def receiver_part(binaries: Path, port: int, owner_dsn: str, folder: BackupFolder) -> Part:
    """The receiver as a part."""
    return Part(
        name="wal-receiver",
        command=receiver_command(binaries, folder),
        environment=client_environment(owner_dsn),
        port=port,
        is_ready=partial(answers, owner_dsn, _IS_RECEIVING),
        stop_order=2,
        passing_failure="is active for PID",  # the server has not noticed yet that the former one is gone
    )
