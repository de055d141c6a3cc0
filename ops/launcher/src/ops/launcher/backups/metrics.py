"""Metrics of finished backups, for node_exporter."""

from collections.abc import Mapping
from pathlib import Path

from prometheus_client import CollectorRegistry, Gauge, write_to_textfile

from ops.launcher.backups.folder import Manifest
from ops.launcher.errors import LauncherError


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
