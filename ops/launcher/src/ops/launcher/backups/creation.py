"""Creation of a backup of a running instance."""

import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final

import psycopg

from ops.launcher.backups.folder import CLUSTER, MANIFEST, UNFINISHED, Backup, BackupFolder, Manifest
from ops.launcher.errors import LauncherError
from ops.launcher.instance.data_folder import DataFolder
from ops.launcher.instance.files import write_private
from ops.launcher.instance.record import running_instance
from ops.launcher.instance.secrets import load_or_make
from ops.launcher.postgres.account import server_account
from ops.launcher.postgres.binaries import find_binaries, server_version
from ops.launcher.postgres.embedded import DATABASE
from ops.launcher.postgres.server import client_environment, run_client, superuser_dsn

_RECORD: Final = "INSERT INTO operations.backups (finished_at, bytes, place) VALUES (%s, %s, %s)"


def create_backup(data: DataFolder, folder: BackupFolder, notify: Callable[[str], None]) -> Backup:
    """Back up a running instance: database, seals, sealing key and passwords."""
    postgres = running_instance(data).processes.get("postgres")
    if postgres is None:
        raise LauncherError(
            "the instance uses your own database server: back it up with its own tools"
            " (see ops/docs/backups.md)"
        )
    dsn = superuser_dsn(postgres.port, load_or_make(data).superuser, DATABASE)
    return copy_database(dsn, folder, partial(copy_state, data), notify)


def copy_database(
    dsn: str, folder: BackupFolder, copy_files: Callable[[Path], None], notify: Callable[[str], None]
) -> Backup:
    """Back up a running database and the files that belong to it.

    Args:
        dsn: DSN of the superuser.
        copy_files: copies the instance's other files into the backup.
    """
    folder.create()
    with psycopg.connect(dsn, autocommit=True) as connection:
        folder.require_log(read_log_id(connection))
        path = folder.path_of(datetime.now(UTC))
        unfinished = path.with_name(f"{path.name}{UNFINISHED}")
        unfinished.mkdir(mode=0o700)
        try:
            # Before the database, so that no seal is newer than the copy of the log.
            copy_files(unfinished)
            binaries = find_binaries(server_account())
            _copy_cluster(binaries, client_environment(dsn), unfinished / CLUSTER, notify)
            manifest = _manifest(connection, server_version(binaries))
            write_private(unfinished / MANIFEST, manifest.model_dump_json(indent=2), durable=True)
            unfinished.rename(path)
        except BaseException:
            shutil.rmtree(unfinished, ignore_errors=True)
            raise
        backup = Backup(path)
        try:
            connection.execute(_RECORD, (backup.manifest.finished, backup.size, str(path)))
        except psycopg.Error as error:
            raise LauncherError(
                f"the backup is complete, but could not be recorded in the database: {type(error).__name__}"
            ) from None
    return backup


def copy_state(data: DataFolder, to: Path) -> None:
    """Copy an instance's files outside its database, with their permissions."""
    shutil.copy2(data.secrets, to)
    if data.sign_in.exists():  # otherwise the restored instance would need no password
        shutil.copy2(data.sign_in, to)
    shutil.copytree(data.identity_provider, to / data.identity_provider.name)
    (to / data.audit.name).mkdir(mode=0o700)
    copy_seals(data.seals, to / data.audit.name / data.seals.name)
    shutil.copytree(
        data.audit, to / data.audit.name, dirs_exist_ok=True, ignore=shutil.ignore_patterns("hashes", "*.new")
    )


def copy_seals(seals: Path, to: Path) -> None:
    """Copy a folder of seals while a worker writes to it."""
    to.mkdir(mode=0o700)
    # A worker writes hashes after their checkpoint, and adds missing ones: copied first, they are not newer.
    if (seals / "hashes").exists():
        shutil.copy2(seals / "hashes", to)
    if seals.exists():
        shutil.copytree(seals, to, dirs_exist_ok=True, ignore=shutil.ignore_patterns("hashes", "*.new"))


def _copy_cluster(
    binaries: Path, environment: dict[str, str], to: Path, notify: Callable[[str], None]
) -> None:
    notify("copying the database")
    run_client(
        [
            binaries / "pg_basebackup",
            f"--pgdata={to}",
            "--wal-method=stream",
            "--checkpoint=fast",
            "--manifest-checksums=SHA256",
            "--no-password",
            "--progress",
        ],
        environment,
        shown=True,
    )
    notify("verifying the copy")
    verify_copy(binaries, to)


def verify_copy(binaries: Path, cluster: Path) -> None:
    """Compare a copy of a cluster with the checksums in its backup manifest."""
    run_client([binaries / "pg_verifybackup", "--quiet", cluster], {"LC_ALL": "C", "PATH": str(binaries)})


def read_log_id(connection: psycopg.Connection) -> str:
    """Return the id of a database's log; empty if it was lost."""
    row = connection.execute("SELECT log_id FROM log.identity").fetchone()
    return str(row[0]) if row else ""


def _manifest(connection: psycopg.Connection, postgres: str) -> Manifest:
    row = connection.execute("SELECT log_id, position, clock_timestamp() FROM log.head").fetchone()
    if row is None:
        raise LauncherError("the log has lost its id")
    return Manifest(log_id=row[0], position=row[1], finished=row[2], postgres=postgres)
