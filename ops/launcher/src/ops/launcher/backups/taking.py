"""Taking a backup of a running instance."""

import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import psycopg

from ops.launcher.backups.folder import CLUSTER, MANIFEST, UNFINISHED, Backup, BackupFolder, Manifest
from ops.launcher.backups.telling import record_backup
from ops.launcher.errors import LauncherError
from ops.launcher.instance.data_folder import DataFolder
from ops.launcher.instance.files import write_private
from ops.launcher.instance.record import running_instance
from ops.launcher.instance.secrets import load_or_make
from ops.launcher.postgres.account import server_account
from ops.launcher.postgres.binaries import find_binaries, server_version
from ops.launcher.postgres.embedded import DATABASE
from ops.launcher.postgres.server import client_environment, run_client, superuser_dsn


def take_backup(data: DataFolder, folder: BackupFolder, say: Callable[[str], None]) -> Backup:
    """Copy all that an instance keeps, while it runs: its database, seals, keys and passwords.

    Args:
        data: the instance's.
        folder: where the backup is put.
        say: prints a line for the user.

    Raises:
        LauncherError: nothing is running, the server is not the embedded one, or a program failed.
        OSError: the folder cannot be written to.
    """
    postgres = running_instance(data).parts.get("postgres")
    if postgres is None:
        raise LauncherError(
            "the database's server is one of your own: back it up with its own tools"
            " (see ops/docs/backups.md)"
        )
    dsn = superuser_dsn(postgres.port, load_or_make(data).superuser, DATABASE)
    return take_copy(dsn, folder, partial(copy_state, data), say)


def take_copy(
    dsn: str, folder: BackupFolder, copy_rest: Callable[[Path], None], say: Callable[[str], None]
) -> Backup:
    """Copy a database while it runs, and what belongs to it.

    Args:
        dsn: of its superuser.
        folder: where the backup is put.
        copy_rest: copies what an instance keeps outside its database into the backup.
        say: prints a line for the user.

    Raises:
        LauncherError: the folder is another log's, or a program failed.
        OSError: the folder cannot be written to.
    """
    folder.create()
    with psycopg.connect(dsn, autocommit=True) as connection:
        folder.require_log(log_id_of(connection))
        path = folder.new(datetime.now(UTC))
        unfinished = path.with_name(f"{path.name}{UNFINISHED}")
        unfinished.mkdir(mode=0o700)
        try:
            # First, so that no seal is newer than the copy of the log.
            copy_rest(unfinished)
            binaries = find_binaries(server_account())
            environment = client_environment(dsn)
            _copy_cluster(binaries, environment, unfinished / CLUSTER, say)
            manifest = _manifest(connection, server_version(binaries))
            write_private(unfinished / MANIFEST, manifest.model_dump_json(indent=2), durable=True)
            unfinished.rename(path)
        except BaseException:
            shutil.rmtree(unfinished, ignore_errors=True)
            raise
        backup = Backup(path)
        record_backup(connection, backup)
    return backup


def copy_state(data: DataFolder, to: Path) -> None:
    """Copy what an instance keeps outside its database, as private as it is there."""
    shutil.copy2(data.secrets, to)
    if data.sign_in.exists():  # or people would be let in without a password where it is restored
        shutil.copy2(data.sign_in, to)
    shutil.copytree(data.identity_provider, to / data.identity_provider.name)
    (to / data.audit.name).mkdir(mode=0o700)
    copy_seals(data.seals, to / data.audit.name / data.seals.name)
    shutil.copytree(
        data.audit, to / data.audit.name, dirs_exist_ok=True, ignore=shutil.ignore_patterns("hashes", "*.new")
    )


def copy_seals(seals: Path, to: Path) -> None:
    """Copy seals while they are written."""
    to.mkdir(mode=0o700)
    # Hashes come after their checkpoint, and missing ones are brought: so they are copied before it.
    if (seals / "hashes").exists():
        shutil.copy2(seals / "hashes", to)
    if seals.exists():
        shutil.copytree(seals, to, dirs_exist_ok=True, ignore=shutil.ignore_patterns("hashes", "*.new"))


def _copy_cluster(binaries: Path, environment: dict[str, str], to: Path, say: Callable[[str], None]) -> None:
    say("copying the database")
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
    say("checking the copy")
    verify_copy(binaries, to)


def verify_copy(binaries: Path, cluster: Path) -> None:
    """Hold a copy of a cluster against the checksums that were written with it.

    Raises:
        LauncherError: it is not what it was.
    """
    run_client([binaries / "pg_verifybackup", "--quiet", cluster], {"LC_ALL": "C", "PATH": str(binaries)})


def log_id_of(connection: psycopg.Connection) -> str:
    """Return the name of a database's log; empty where it has lost it."""
    row = connection.execute("SELECT log_id FROM log.identity").fetchone()
    return str(row[0]) if row else ""


def _manifest(connection: psycopg.Connection, postgres: str) -> Manifest:
    row = connection.execute("SELECT log_id, position, clock_timestamp() FROM log.head").fetchone()
    if row is None:
        raise LauncherError("the log has lost its id")
    return Manifest(log_id=row[0], position=row[1], finished=row[2], postgres=postgres)
