"""The service `key-backups` of `compose.yaml`: backs up keys by a schedule, and after each erasure."""

import sys
import threading
import time
from pathlib import Path
from typing import Final

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

from ops.base.encryption.settings import KeySettings
from ops.base.settings import PREFIX
from ops.launcher.backups.metrics import write_metrics
from ops.launcher.containers import report_health
from ops.launcher.errors import LauncherError
from ops.launcher.keys.backups import KeyBackups, oldest_epoch

_CHECK_SECONDS: Final = 5.0
_RETRY_SECONDS: Final = 60.0


class KeyBackupSettings(BaseSettings):
    """Settings of the service; `KeySettings` are those of the store."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, extra="ignore")

    key_backups: Path = Field(description="folder of backups, on another disk than the backups of the data")
    key_backup_every_minutes: float = Field(default=10.0, gt=0, description="from one backup to the next")
    key_backup_keep: int = Field(default=7, ge=1, description="the number of backups to keep")
    health_file: Path | None = Field(default=None, description="exists while backups succeed")
    metrics: Path | None = Field(default=None, description="folder of node_exporter's textfile collector")

    def create_backup(self, source: KeySettings) -> Path:
        """Create a backup and write its metrics; see `KeyBackups.create`."""
        backup = KeyBackups(self.key_backups).create(source, keep=self.key_backup_keep)
        if self.metrics is not None:
            metric = "fleetlog_key_backup_finished_timestamp_seconds"
            finished = "When the last backup of the keys was finished", time.time()
            write_metrics(self.metrics / "fleetlog-key-backup.prom", {metric: finished})
        return backup


def run_backups(settings: KeyBackupSettings, source: KeySettings, ending: threading.Event) -> None:
    """Create backups until the event is set."""
    due, epoch = 0.0, None
    report_health(settings.health_file, healthy=False)
    while True:
        try:
            # Before the backup, so that a rotation during the backup leads to another one.
            current = oldest_epoch(source)
            if time.monotonic() >= due or current != epoch:
                backup = settings.create_backup(source)
                print(f"key-backups: {backup.name}", file=sys.stderr, flush=True)
                due, epoch = time.monotonic() + 60 * settings.key_backup_every_minutes, current
            report_health(settings.health_file, healthy=True)
            wait = _CHECK_SECONDS
        except LauncherError as error:
            print(f"key-backups: {error}", file=sys.stderr, flush=True)
            report_health(settings.health_file, healthy=False)
            wait = _RETRY_SECONDS
        if ending.wait(wait):
            return
