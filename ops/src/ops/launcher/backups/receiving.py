"""The part that streams the write-ahead log into the folder of backups while the instance runs."""

from collections.abc import Callable
from functools import partial
from typing import Final

import psycopg

from ops.launcher.backups.folder import BackupFolder
from ops.launcher.backups.taking import log_id_of
from ops.launcher.postgres.cluster import Cluster
from ops.launcher.postgres.server import answers, client_environment
from ops.launcher.processes.part import Part

SLOT: Final = "fleetlog_backups"
"""Keeps what has not been streamed yet, also while the receiver is away."""
_IS_RECEIVING: Final = f"SELECT active FROM pg_replication_slots WHERE slot_name = '{SLOT}'"  # noqa: S608
"""Whether somebody streams the write-ahead log now; of no slot there is no row."""


def prepare_slot(owner_dsn: str, folder: BackupFolder | None, say: Callable[[str], None]) -> None:
    """Have the server keep the write-ahead log for a folder of backups, or for none.

    Args:
        owner_dsn: DSN of the superuser.
        folder: the backups.
        say: prints a line for the user.

    Raises:
        LauncherError: the folder is another log's.
        OSError: it cannot be written to.
    """
    with psycopg.connect(owner_dsn, autocommit=True) as connection:
        exists = connection.execute(_IS_RECEIVING).fetchone() is not None
        if folder is None:
            if exists:
                connection.execute("SELECT pg_drop_replication_slot(%s)", [SLOT])
            return
        folder.create()
        folder.require_log(log_id_of(connection))
        if not exists:
            connection.execute("SELECT pg_create_physical_replication_slot(%s, true)", [SLOT])
            say("from now on all is streamed; ./fleetlog backup takes the copy that it needs to begin with")


def receiver_part(cluster: Cluster, port: int, password: str, owner_dsn: str, folder: BackupFolder) -> Part:
    """The receiver as a part; what it has received is on the disk before it asks for more."""
    return Part(
        name="wal-receiver",
        command=[
            str(cluster.binaries / "pg_receivewal"),
            f"--directory={folder.wal}",
            f"--slot={SLOT}",
            "--synchronous",
            "--no-loop",
            "--no-password",
        ],
        environment=client_environment(port, password),
        port=port,
        is_ready=partial(answers, owner_dsn, _IS_RECEIVING),
        stop_order=2,
        passing_failure="is active for PID",  # the server has not noticed yet that the former one is gone
    )
