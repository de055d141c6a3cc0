"""Records of finished backups in the database and for node_exporter."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import psycopg
from prometheus_client import CollectorRegistry, Gauge, write_to_textfile

from ops.launcher.backups.folder import Backup, Manifest
from ops.launcher.errors import LauncherError

_INSERT: Final = "INSERT INTO operations.backups (finished_at, bytes, place) VALUES (%s, %s, %s)"


def record_backup(connection: psycopg.Connection, backup: Backup) -> None:
    """Record a backup in the database.

    Args:
        connection: of the database's owner, in autocommit mode.
    """
    try:
        connection.execute(_INSERT, (backup.manifest.finished, backup.size, str(backup.path)))
    except psycopg.Error as error:
        raise LauncherError(
            f"the backup is complete, but could not be recorded in the database: {type(error).__name__}"
        ) from None


def write_backup_metrics(folder: Path, manifest: Manifest, size: int) -> None:
    """Write a backup's metrics into the folder of node_exporter's textfile collector; see `write_metrics`."""
    finished = manifest.finished.timestamp()
    metrics = {
        "fleetlog_backup_finished_timestamp_seconds": ("When the last backup was finished", finished),
        "fleetlog_backup_size_bytes": ("Size of the last backup", float(size)),
    }
    write_metrics(folder / "fleetlog-backup.prom", metrics)


def write_metrics(file: Path, metrics: Mapping[str, tuple[str, float]]) -> None:
    """Replace a file of node_exporter's textfile collector; all users may read it.

    Args:
        metrics: help text and value by name.
    """
    registry = CollectorRegistry()
    for name, (text, value) in metrics.items():
        Gauge(name, text, registry=registry).set(value)
    try:
        write_to_textfile(str(file), registry)
        file.chmod(0o644)  # whatever the umask is
    except OSError as error:
        raise LauncherError(
            f"the backup is complete, but its metrics could not be written: {file}: {error.strerror}"
        ) from None
