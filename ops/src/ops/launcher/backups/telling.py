"""What Prometheus is told of backups: through node_exporter, for nothing of ours runs between two of them."""

from pathlib import Path
from typing import Final

from prometheus_client import CollectorRegistry, Gauge, write_to_textfile

from ops.launcher.backups.folder import Manifest
from ops.launcher.errors import LauncherError

_FILE: Final = "fleetlog-backup.prom"


def tell_backup(folder: Path, manifest: Manifest, size: int) -> None:
    """Leave a backup's metrics where node_exporter's textfile collector finds them.

    Args:
        folder: the collector's; the file in it is replaced in one step, and everybody may read it.
        manifest: of the backup that was just finished.
        size: of it, in bytes.

    Raises:
        LauncherError: the folder cannot be written to.
    """
    registry = CollectorRegistry()
    finished = Gauge(
        "fleetlog_backup_finished_timestamp_seconds", "When the last backup was finished", registry=registry
    )
    finished.set(manifest.finished.timestamp())
    Gauge("fleetlog_backup_size_bytes", "Size of the last backup", registry=registry).set(size)
    file = folder / _FILE
    try:
        write_to_textfile(str(file), registry)
        file.chmod(0o644)  # whatever the umask is
    except OSError as error:
        raise LauncherError(
            f"the backup was taken, but Prometheus is not told: {file}: {error.strerror}"
        ) from None
