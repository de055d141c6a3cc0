"""Backups without data."""

from datetime import datetime
from pathlib import Path

from ops.launcher.backups.folder import MANIFEST, BackupFolder, Manifest


def create_backup(folder: BackupFolder, finished: datetime) -> Path:
    """Create a backup whose cluster needs the write-ahead log from segment 2 on."""
    path = folder.path_of(finished)
    (path / "cluster" / "pg_wal").mkdir(parents=True)
    (path / "cluster" / "backup_label").write_text(
        "START WAL LOCATION: 0/2000028 (file 000000010000000000000002)\n"
    )
    (path / "cluster" / "pg_wal" / "000000010000000000000002").touch()
    manifest = Manifest(log_id="a", position=1, finished=finished, postgres="18")
    (path / MANIFEST).write_text(manifest.model_dump_json())
    return path
