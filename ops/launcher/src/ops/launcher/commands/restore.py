"""`./fleetlog restore`: a backup in a new data folder, which serves requests once it is accepted.

Examples:
  ./fleetlog restore /mnt/backups --data .restored --keys .fleetlog/keys
  ./fleetlog restore /mnt/backups --data .restored --to-moment 2026-11-22T03:00:00Z
  ./fleetlog restore accept --data .restored
"""

import argparse
import contextlib
import os
import time
from collections.abc import Iterator
from datetime import UTC
from pathlib import Path

from ops.launcher.backups.acceptance import accept_from_arguments, add_accept_arguments
from ops.launcher.backups.folder import MANIFEST, BackupFolder, add_moment_argument
from ops.launcher.backups.restoration import restore
from ops.launcher.commands.up import DATABASE_SETTING
from ops.launcher.errors import LauncherError
from ops.launcher.instance.data_folder import DataFolder, add_data_argument
from ops.launcher.instance.record import read_record
from ops.launcher.instance.secrets import load_or_make
from ops.launcher.keys.inventory import KeyInventory
from ops.launcher.postgres.embedded import DATABASE, prepare_cluster
from ops.launcher.postgres.server import superuser_dsn
from ops.launcher.postgres.temporary import temporary_server


def configure(parser: argparse.ArgumentParser) -> None:
    add_data_argument(parser)
    parser.add_argument(
        "folder",
        metavar="FOLDER | accept",
        help="the folder of backups; or `accept`, to let a restored log accept changes again",
    )
    add_moment_argument(parser)
    parser.add_argument(
        "--keys",
        type=Path,
        metavar="FOLDER",
        help="current keys of personal data, such as `keys` in the old data folder, which are used in place"
        " (default: the keys are lost, and the data that they encrypt reads as erased)",
    )
    add_accept_arguments(parser, "accept: ")
    parser.add_argument(
        "--database",
        metavar="DSN",
        default=os.environ.get(DATABASE_SETTING),
        help="accept: DSN of the database's owner, if the server is your own",
    )


def run(arguments: argparse.Namespace) -> int:
    data = DataFolder(arguments.data)
    return _accept(arguments, data) if arguments.folder == "accept" else _restore(arguments, data)


def _restore(arguments: argparse.Namespace, data: DataFolder) -> int:
    folder = Path(arguments.folder).absolute()
    if (folder / MANIFEST).exists():
        raise LauncherError(f"{folder} is one backup: name the folder that contains it, {folder.parent}")
    began = time.monotonic()
    restored = restore(BackupFolder(folder), data, arguments.to_moment, arguments.keys)
    last = f", the last of {restored.moment.astimezone(UTC).isoformat()}" if restored.moment else ""
    print(
        f"{data.path}: {restored.position} events{last}, restored in {time.monotonic() - began:.1f} s.\n"
        f"{_describe(restored.keys, data)}"
        "It refuses requests until you accept it. Examine it (up, status, audit verify), then run"
        f" ./fleetlog restore accept --data {data.path}"
    )
    return 0


def _describe(keys: KeyInventory, data: DataFolder) -> str:
    if keys.unknown:
        return (
            f"WARNING: {keys.lost_events} of {keys.events} encrypted events cannot be decrypted:"
            f" {len(keys.unknown)} of {keys.keys} keys are not in {data.keys}; all other data is served.\n"
            "If a copy of these keys exists, restore again into another folder with --keys FOLDER.\n"
        )
    if not keys.events:
        return ""
    return (
        f"{keys.events} events are encrypted with {keys.keys} keys, {keys.erased} of them erased."
        f" The keys are used in {data.keys}.\n"
    )


def _accept(arguments: argparse.Namespace, data: DataFolder) -> int:
    with _owner(arguments.database or None, data) as owner:
        record = read_record(data)
        worker = record.environments.get("projections", {}) if record else {}
        print(accept_from_arguments(arguments, owner, data.seals, data.sealing_key, worker, data=data))
    if not arguments.same_log and not arguments.moment:
        print("Backups need a new folder from now on: run up --backups FOLDER, then backup")
    return 0


@contextlib.contextmanager
def _owner(dsn: str | None, data: DataFolder) -> Iterator[str]:
    """Yield the owner's DSN: the given one, or that of the running instance or of a temporary server."""
    if dsn is not None:
        yield dsn
        return
    if not data.secrets.exists():
        raise LauncherError(f"there is no instance in {data.path}")
    secrets = load_or_make(data)
    if data.owner() is not None:
        record = read_record(data)
        if record is None or "postgres" not in record.processes:
            raise LauncherError("the instance uses your own database server: add --database DSN")
        yield superuser_dsn(record.processes["postgres"].port, secrets.superuser, DATABASE)
        return
    data.lock()
    try:
        cluster = prepare_cluster(data, secrets.superuser)
        with temporary_server(cluster, secrets.superuser, data.logs / "restore.log") as owner:
            yield owner
    finally:
        data.unlock()
