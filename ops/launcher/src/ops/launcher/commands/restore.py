"""`./fleetlog restore FOLDER --data NEW [--to-moment TIME]`, and `restore accept`: bring a backup back."""

import argparse
import contextlib
import os
import time
from collections.abc import Iterator
from datetime import UTC
from pathlib import Path

from ops.launcher.backups.accepting import accept_as_asked, add_accept_arguments
from ops.launcher.backups.folder import MANIFEST, BackupFolder
from ops.launcher.backups.moments import moment_of
from ops.launcher.backups.restoring import restore
from ops.launcher.commands.up import DATABASE_SETTING
from ops.launcher.errors import LauncherError
from ops.launcher.instance.data_folder import DataFolder, add_data_argument
from ops.launcher.instance.record import read_record
from ops.launcher.instance.secrets import load_or_make
from ops.launcher.keys.of_log import Held
from ops.launcher.postgres.embedded import DATABASE, prepare_cluster
from ops.launcher.postgres.server import superuser_dsn
from ops.launcher.postgres.temporary import temporary_server
from ops.launcher.saying import say

_ACCEPT = "accept"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_data_argument(parser)
    parser.add_argument(
        "folder",
        metavar="FOLDER | accept",
        help="the backups to restore from; or `accept`: let a restored instance go on, as another log",
    )
    parser.add_argument(
        "--to-moment",
        type=moment_of,
        metavar="TIME",
        help="such as 2026-11-22T03:00:00Z: everything committed until then, then included, and nothing later"
        " (default: all there is)",
    )
    parser.add_argument(
        "--keys",
        type=Path,
        metavar="FOLDER",
        help="where the keys are that people's data is sealed with, such as `keys` in the old data folder;"
        " they are used as they are now, and stay there (default: they are lost, and with them what only they"
        " open)",
    )
    add_accept_arguments(parser, "accept: ")
    parser.add_argument(
        "--database",
        metavar="DSN",
        default=os.environ.get(DATABASE_SETTING),
        help="accept: the owner's DSN, where the server is one of your own",
    )


def run(arguments: argparse.Namespace) -> int:
    """Restore, or accept what was restored."""
    data = DataFolder(arguments.data)
    return _accept(arguments, data) if arguments.folder == _ACCEPT else _restore(arguments, data)


def _restore(arguments: argparse.Namespace, data: DataFolder) -> int:
    folder = Path(arguments.folder).absolute()
    if (folder / MANIFEST).exists():
        raise LauncherError(f"name the folder that this backup lies in: {folder.parent}")
    began = time.monotonic()
    restored = restore(BackupFolder(folder), data, arguments.to_moment, say, arguments.keys)
    last = f", the last of {restored.moment.astimezone(UTC).isoformat()}" if restored.moment else ""
    print(
        f"{data.path}: {restored.position} events{last}, restored in {time.monotonic() - began:.1f} s.\n"
        f"{_told(restored.keys, data)}"
        "It serves nothing yet. Look at it (up, status, audit verify), and let it go on with"
        f" ./fleetlog restore accept --data {data.path}"
    )
    return 0


def _told(keys: Held, data: DataFolder) -> str:
    """Say which keys there are, where something was sealed."""
    lost = (
        f"WARNING: {keys.lost_events} of {keys.events} sealed events cannot be read, nor what was made of"
        f" them: {len(keys.unknown)} of {keys.keys} keys are not in {data.keys}; all else is served.\n"
        "If there are such keys elsewhere, restore again into another folder with --keys FOLDER.\n"
    )
    there = (
        f"{keys.events} events are sealed under {keys.keys} keys, {keys.erased} of them erased. The keys are"
        f" in {data.keys}, and stay there.\n"
    )
    return lost if keys.unknown else there if keys.events else ""


def _accept(arguments: argparse.Namespace, data: DataFolder) -> int:
    with _owner(arguments.database or None, data) as owner:
        record = read_record(data)
        worker = record.environments.get("projections", {}) if record else {}
        print(accept_as_asked(arguments, owner, data.seals, data.sealing_key, worker, data=data))
    if not arguments.same_log and not arguments.moment:
        print("Backups go to a new folder from here on: up --backups FOLDER, and then take one")
    return 0


@contextlib.contextmanager
def _owner(dsn: str | None, data: DataFolder) -> Iterator[str]:
    """DSN of the database's owner: as given, of the running instance, or of a server that runs meanwhile."""
    if dsn is not None:
        yield dsn
        return
    if not data.secrets.exists():
        raise LauncherError(f"there is no instance in {data.path}")
    secrets = load_or_make(data)
    if data.owner() is not None:
        record = read_record(data)
        if record is None or "postgres" not in record.parts:
            raise LauncherError("say which database: --database DSN")
        yield superuser_dsn(record.parts["postgres"].port, secrets.superuser, DATABASE)
        return
    data.lock()
    try:
        cluster = prepare_cluster(data, secrets.superuser, say)
        log = data.logs / "restore.log"
        with temporary_server(cluster, secrets.superuser, log, database=DATABASE) as owner:
            yield owner
    finally:
        data.unlock()
