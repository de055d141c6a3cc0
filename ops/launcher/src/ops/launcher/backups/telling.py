"""Who is told of backups: operators, in the database, and Prometheus, through node_exporter."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import psycopg
from prometheus_client import CollectorRegistry, Gauge, write_to_textfile

from ops.launcher.backups.folder import Backup, Manifest
from ops.launcher.errors import LauncherError

_FILE: Final = "fleetlog-backup.prom"
_INSERT: Final = "INSERT INTO operations.backups (finished_at, bytes, place) VALUES (%s, %s, %s)"


def record_backup(connection: psycopg.Connection, backup: Backup) -> None:
    """Have the database remember a backup that was just finished.

    Args:
        connection: of the database's owner, in autocommit mode.
        backup: which.

    Raises:
        LauncherError: the database does not take it.
    """
    try:
        connection.execute(_INSERT, (backup.manifest.finished, backup.size, str(backup.path)))
    except psycopg.Error as error:
        raise LauncherError(
            f"the backup was taken, but operators are not told: {type(error).__name__}"
        ) from None


def tell_backup(folder: Path, manifest: Manifest, size: int) -> None:
    """Write a backup's metrics for node_exporter's textfile collector; see `write_metrics`."""
    finished = manifest.finished.timestamp()
    metrics = {
        "fleetlog_backup_finished_timestamp_seconds": ("When the last backup was finished", finished),
        "fleetlog_backup_size_bytes": ("Size of the last backup", float(size)),
    }
    write_metrics(folder / _FILE, metrics)


def write_metrics(file: Path, metrics: Mapping[str, tuple[str, float]]) -> None:
    """Write gauges for node_exporter's textfile collector.

    Args:
        file: in the collector's folder; it is replaced in one step, and everybody may read it.
        metrics: help and value by name.

    Raises:
        LauncherError: the folder cannot be written to.
    """
    registry = CollectorRegistry()
    for name, (text, value) in metrics.items():
        Gauge(name, text, registry=registry).set(value)
    try:
        write_to_textfile(str(file), registry)
        file.chmod(0o644)  # whatever the umask is
    except OSError as error:
        raise LauncherError(
            f"the backup was taken, but Prometheus is not told: {file}: {error.strerror}"
        ) from None
