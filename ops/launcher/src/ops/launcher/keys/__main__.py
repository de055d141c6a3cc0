"""`python -m ops.launcher.keys`: the database of keys on several machines.

The services `prepare-keys`, `key-backups` and `restore-keys` of `compose.yaml` run it. `prepare` can be
repeated at any time. `rotate` needs the worker's settings: it encrypts all keys with a new key-encryption key
and destroys the former ones.
"""

import argparse
import asyncio
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Final

from pydantic import Field, SecretStr

from ops.base.encryption.key_encryption_keys import KeysUnavailable
from ops.base.encryption.settings import KeySettings, open_configured_store
from ops.base.settings import PREFIX, ServiceSettings, Settings
from ops.launcher.backups.metrics import write_metrics
from ops.launcher.containers import exit_on_error, read_passwords, report_health
from ops.launcher.errors import LauncherError
from ops.launcher.instance.database import check_database
from ops.launcher.keys.backups import KeyBackups, oldest_epoch
from ops.launcher.keys.schema import prepare_keys_database
from ops.launcher.postgres.groups import KEY_GROUPS

_CHECK_SECONDS: Final = 5.0
_RETRY_SECONDS: Final = 60.0


class KeysDatabaseSettings(ServiceSettings):
    """Settings of `prepare`: the owner's DSN and the passwords of the roles."""

    database: SecretStr = Field(description="PostgreSQL DSN of a role that may create schemas and roles")
    user_password_file: Path
    eraser_password_file: Path


class KeyBackupSettings(Settings):
    """Settings of the service `key-backups`; `KeySettings` are those of the store."""

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


def main() -> None:
    """Run a command."""
    parser = argparse.ArgumentParser(prog="python -m ops.launcher.keys")
    commands = parser.add_subparsers(dest="command")
    commands.add_parser("prepare", help="create the schema and the roles (default)")
    commands.add_parser("rotate", help="start a new epoch of key-encryption keys")
    commands.add_parser("keep-backups", help="back up the keys by a schedule")
    commands.add_parser("backup", help="create one more backup now")
    restore = commands.add_parser("restore", help="add the keys of a backup to the database")
    restore.add_argument("name", nargs="?", metavar="FILE", help="the backup (default: the newest)")
    arguments = parser.parse_args()
    with exit_on_error("keys"):
        match arguments.command:
            case "rotate":
                asyncio.run(_rotate())
            case "keep-backups":
                ending = threading.Event()
                for number in (signal.SIGTERM, signal.SIGINT):
                    signal.signal(number, lambda *_: ending.set())
                _run_backups(KeyBackupSettings(), KeySettings.load(), ending)
            case "backup":
                print(f"keys: {KeyBackupSettings().create_backup(KeySettings.load())}")
            case "restore":
                backups = KeyBackups(KeyBackupSettings().key_backups)
                restored = backups.restore(KeySettings.load(), arguments.name)
                print(f"keys: {restored.keys} restored, {restored.existing} existed already")
            case _:
                _prepare()


def _run_backups(settings: KeyBackupSettings, source: KeySettings, ending: threading.Event) -> None:
    """Create backups by a schedule and after each erasure, until the event is set."""
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


async def _rotate() -> None:
    try:
        async with open_configured_store() as store:
            if store is None:
                sys.exit(f"keys: {PREFIX}KEYS names no store")
            done = await store.rotate()
    except (KeysUnavailable, ValueError) as error:
        sys.exit(f"keys: {error}")
    if done.kept_because is not None:
        sys.exit(f"keys: the former key-encryption keys are not destroyed: {done.kept_because}")
    print(
        f"keys: {done.survivors} are encrypted in epoch {done.epoch};"
        " the former key-encryption keys are destroyed"
    )


def _prepare() -> None:
    settings = KeysDatabaseSettings.load()
    owner = settings.database.get_secret_value()
    passwords = read_passwords(settings, KEY_GROUPS)
    check_database(owner)
    prepare_keys_database(owner, passwords)
    print("keys: the database and its roles are up to date")


if __name__ == "__main__":
    main()
