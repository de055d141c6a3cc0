"""`python -m ops.launcher.backups.keeping`: stream all that is written, and copy the whole by a schedule.

With `now` it takes one more copy, beside the process that streams.

It is the service `backups` of `compose.yaml`. It lives in the database's network, whose image lets nobody
else replicate it, and ends when the stream breaks off: the engine starts it again.
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
from ops.launcher.backups.folder import BackupFolder, first_of, has_gap
from ops.launcher.backups.receiving import prepare_slot, receiver_command
from ops.launcher.backups.taking import copy_seals, log_id_of, take_copy
from ops.launcher.containers import report_health
from ops.launcher.errors import LauncherError
from ops.launcher.postgres.account import server_account
from ops.launcher.postgres.binaries import find_binaries
from ops.launcher.postgres.server import client_environment
from ops.launcher.processes.wrapped import tied_to_parent
from ops.launcher.programs import one_at_a_time

_LOOK_SECONDS: Final = 1.0
_AGAIN: Final = timedelta(minutes=10)
"""After a copy that failed."""


class KeepingSettings(ServiceSettings):
    """The owner's DSN, where backups are kept, how often they are taken, and how many there are to be."""

    backups: Path = Field(description="where each log has a folder of backups, best on another disk")
    backup_every_hours: float = Field(default=24.0, gt=0, description="from the end of one copy to the next")
    backup_keep: int = Field(default=7, ge=1, description="copies; older ones are removed after each")
    seals: Path | None = Field(default=None, description="folder that the worker seals in")
    health_file: Path | None = Field(
        default=None, description="exists while changes are streamed and the last copy succeeded"
    )


def due_at(folder: BackupFolder, every: timedelta) -> datetime:
    """Return when the next copy is to be taken: at once, where what was streamed leads on from none."""
    kept = folder.backups()
    if not kept or has_gap([kept[-1].cluster / "pg_wal", folder.wal], first=first_of(kept[-1].cluster)):
        return datetime.min.replace(tzinfo=UTC)
    return kept[-1].manifest.finished + every


def take_if_due(
    settings: KeepingSettings, folder: BackupFolder, dsn: str, *, now: datetime, anyway: bool = False
) -> datetime:
    """Copy the whole if it is time to, and return when it is next.

    Args:
        settings: see there.
        folder: the backups.
        dsn: of the database's superuser.
        now: the time.
        anyway: also if it is not.
    """
    every = timedelta(hours=settings.backup_every_hours)
    if (due := due_at(folder, every)) > now and not anyway:
        report_health(settings.health_file, healthy=True)
        return due
    try:
        take(settings, folder, dsn)
    except (LauncherError, OSError, psycopg.Error) as error:
        _say(f"no backup was taken, and it is tried again in 10 minutes: {type(error).__name__}: {error}")
        report_health(settings.health_file, healthy=False)
        return max(now + _AGAIN, due_at(folder, every))
    report_health(settings.health_file, healthy=True)
    return due_at(folder, every)


def take(settings: KeepingSettings, folder: BackupFolder, dsn: str) -> None:
    """Take a copy, and remove those beyond the number to keep; a second process waits for the first.

    Raises:
        LauncherError: the folder is another log's, or a program failed.
        OSError: the folder cannot be written to.
        psycopg.Error: the database does not answer.
    """
    folder.create()
    with one_at_a_time(folder.path / "lock"):
        backup = take_copy(dsn, folder, partial(_copy_rest, settings.seals), _say)
        _say(f"{backup.path.name} holds {backup.manifest.position} events")
        folder.keep_only(settings.backup_keep)


def _copy_rest(seals: Path | None, to: Path) -> None:
    (to / "audit").mkdir(mode=0o700)
    if seals is not None:
        copy_seals(seals, to / "audit" / "seals")


def main() -> int:
    """Keep backups until ended or until the stream breaks off; or take one now."""
    parser = argparse.ArgumentParser(prog="python -m ops.launcher.backups.keeping")
    parser.add_argument("when", nargs="?", choices=["now"], help="take one copy, and do not stream")
    only_one = parser.parse_args().when == "now"
    protect_stderr()
    settings = KeepingSettings.load()
    dsn = settings.database.get_secret_value()
    try:
        with psycopg.connect(dsn) as connection:
            # What was restored and accepted is another log, and begins anew beside the former one's.
            folder = BackupFolder(settings.backups / log_id_of(connection))
        if only_one:
            take(settings, folder, dsn)
            return 0
        return _keep(settings, folder, dsn)
    except (LauncherError, OSError, psycopg.OperationalError) as error:
        _say(f"{type(error).__name__}: {error}")
        return 1


def _keep(settings: KeepingSettings, folder: BackupFolder, dsn: str) -> int:
    ending: list[int] = []

    def end(number: int, _frame: FrameType | None) -> None:
        ending.append(number)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end)
    report_health(settings.health_file, healthy=False)
    goes_on = prepare_slot(dsn, folder, _say)
    folder.remove_unfinished()
    command = receiver_command(find_binaries(server_account()), folder)
    receiver = subprocess.Popen(tied_to_parent(command, signal.SIGTERM), env=client_environment(dsn))
    due = datetime.min.replace(tzinfo=UTC)
    try:
        while not ending and receiver.poll() is None:
            # First, so that no copy is begun where there is no room to stream.
            time.sleep(_LOOK_SECONDS)
            if receiver.poll() is None and (now := datetime.now(UTC)) >= due:
                due = take_if_due(settings, folder, dsn, now=now, anyway=not goes_on)
                goes_on = True
    finally:
        receiver.terminate()
        with suppress(subprocess.TimeoutExpired):
            receiver.wait(10)
        report_health(settings.health_file, healthy=False)
    return 0 if ending else 1


def _say(message: str) -> None:
    print(f"backups: {message}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
