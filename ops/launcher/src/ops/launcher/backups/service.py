"""`python -m ops.launcher.backups.service`: the service `backups` of `compose.yaml`.

It streams the write-ahead log and copies the database by a schedule; with `now`, it creates one more copy
while the service runs. It runs in the database's network, because the database's image allows replication
from there only, and ends when the stream is interrupted, so that the engine restarts it.
"""

import argparse
import signal
import subprocess
import sys
import time
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Final

import psycopg
from pydantic import Field

from ops.base.observability.log_stream import protect_stderr
from ops.base.settings import ServiceSettings
from ops.launcher.backups.creation import copy_database, copy_seals, read_log_id
from ops.launcher.backups.folder import BackupFolder, first_segment, has_gap
from ops.launcher.backups.wal_receiver import prepare_slot, receiver_command
from ops.launcher.containers import report_health
from ops.launcher.errors import LauncherError
from ops.launcher.postgres.account import server_account
from ops.launcher.postgres.binaries import find_binaries
from ops.launcher.postgres.server import client_environment
from ops.launcher.processes.command_lines import tied_to_parent
from ops.launcher.programs import one_at_a_time

_POLL_SECONDS: Final = 1.0
_RETRY: Final = timedelta(minutes=10)
_NOW: Final = datetime.min.replace(tzinfo=UTC)


class BackupServiceSettings(ServiceSettings):
    """Settings of the service; `database` is the owner's DSN."""

    backups: Path = Field(description="contains a folder of backups per log, preferably on another disk")
    backup_every_hours: float = Field(default=24.0, gt=0, description="from the end of one copy to the next")
    backup_keep: int = Field(default=7, ge=1, description="copies; older ones are removed after each")
    seals: Path | None = Field(default=None, description="folder of the worker's seals")
    health_file: Path | None = Field(
        default=None, description="exists while changes are streamed and the last copy succeeded"
    )


def due_at(folder: BackupFolder, every: timedelta) -> datetime:
    """Return the time of the next copy: now, if there is none or the stream after the newest has a gap."""
    backups = folder.backups()
    if not backups:
        return _NOW
    newest = backups[-1]
    if has_gap([newest.cluster / "pg_wal", folder.wal], first=first_segment(newest.cluster)):
        return _NOW
    return newest.manifest.finished + every


def create_if_due(
    settings: BackupServiceSettings, folder: BackupFolder, dsn: str, *, now: datetime, force: bool = False
) -> datetime:
    """Create a copy if it is due or forced, and return the time of the next one."""
    every = timedelta(hours=settings.backup_every_hours)
    if (due := due_at(folder, every)) > now and not force:
        report_health(settings.health_file, healthy=True)
        return due
    try:
        create(settings, folder, dsn)
    except (LauncherError, OSError, psycopg.Error) as error:
        _notify(f"the backup failed; the next attempt is in 10 minutes: {type(error).__name__}: {error}")
        report_health(settings.health_file, healthy=False)
        return max(now + _RETRY, due_at(folder, every))
    report_health(settings.health_file, healthy=True)
    return due_at(folder, every)


def create(settings: BackupServiceSettings, folder: BackupFolder, dsn: str) -> None:
    """Create a copy and remove old ones; another process waits meanwhile.

    Raises:
        LauncherError: the folder belongs to another log, or a program failed.
        OSError: the folder cannot be written to.
        psycopg.Error: the database does not answer.
    """
    folder.create()
    with one_at_a_time(folder.path / "lock"):
        backup = copy_database(dsn, folder, partial(_copy_seals, settings.seals), _notify)
        _notify(f"{backup.path.name} contains {backup.manifest.position} events")
        folder.prune(settings.backup_keep)


def _copy_seals(seals: Path | None, to: Path) -> None:
    (to / "audit").mkdir(mode=0o700)
    if seals is not None:
        copy_seals(seals, to / "audit" / "seals")


def main() -> int:
    """Run the service until it is ended or the stream is interrupted, or create one copy."""
    parser = argparse.ArgumentParser(prog="python -m ops.launcher.backups.service")
    parser.add_argument("when", nargs="?", choices=["now"], help="create one copy, without streaming")
    only_one = parser.parse_args().when == "now"
    protect_stderr()
    settings = BackupServiceSettings.load()
    dsn = settings.database.get_secret_value()
    try:
        with psycopg.connect(dsn) as connection:
            # One folder per log: a restored and accepted log has another id.
            folder = BackupFolder(settings.backups / read_log_id(connection))
        if only_one:
            create(settings, folder, dsn)
            return 0
        return _run(settings, folder, dsn)
    except (LauncherError, OSError, psycopg.OperationalError) as error:
        _notify(f"{type(error).__name__}: {error}")
        return 1


def _run(settings: BackupServiceSettings, folder: BackupFolder, dsn: str) -> int:
    ending: list[int] = []

    def end(number: int, _frame: FrameType | None) -> None:
        ending.append(number)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end)
    report_health(settings.health_file, healthy=False)
    has_stream = prepare_slot(dsn, folder, _notify)
    folder.remove_unfinished()
    command = receiver_command(find_binaries(server_account()), folder)
    receiver = subprocess.Popen(tied_to_parent(command, signal.SIGTERM), env=client_environment(dsn))
    due = _NOW
    try:
        while not ending and receiver.poll() is None:
            # Before a copy, which must not begin where the stream has no room.
            time.sleep(_POLL_SECONDS)
            if receiver.poll() is None and (now := datetime.now(UTC)) >= due:
                due = create_if_due(settings, folder, dsn, now=now, force=not has_stream)
                has_stream = True
    finally:
        receiver.terminate()
        with suppress(subprocess.TimeoutExpired):
            receiver.wait(10)
        report_health(settings.health_file, healthy=False)
    return 0 if ending else 1


def _notify(message: str) -> None:
    print(f"backups: {message}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
