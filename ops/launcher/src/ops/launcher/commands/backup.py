"""`./fleetlog backup`: copy all that a running instance keeps."""

import argparse
import time
from pathlib import Path

from pydantic import SecretStr

from ops.base.encryption.settings import KeySettings
from ops.launcher.backups.folder import BackupFolder
from ops.launcher.backups.taking import take_backup
from ops.launcher.backups.telling import tell_backup
from ops.launcher.errors import LauncherError
from ops.launcher.instance.data_folder import DataFolder, add_data_argument
from ops.launcher.instance.record import running_instance
from ops.launcher.keys.backups import KeyBackups
from ops.launcher.saying import say


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_data_argument(parser)
    parser.add_argument(
        "--to",
        type=Path,
        metavar="FOLDER",
        help="where to (default: the folder that `up --backups` streams to; only there what is written later"
        " is kept as well)",
    )
    parser.add_argument(
        "--keep",
        type=_count,
        metavar="NUMBER",
        help="then remove all but so many of the newest, and what they do not need (default: keep all)",
    )
    parser.add_argument(
        "--keys",
        type=Path,
        metavar="FOLDER",
        help="then back up the keys of people's data to another folder, and keep as many of those",
    )
    parser.add_argument(
        "--metrics",
        type=Path,
        metavar="FOLDER",
        help="tell Prometheus when it was finished: node_exporter's --collector.textfile.directory",
    )


def run(arguments: argparse.Namespace) -> int:
    """Take a backup and tell where it is."""
    data = DataFolder(arguments.data)
    record = running_instance(data)
    folder = arguments.to or record.backups
    if folder is None:
        raise LauncherError(
            "say where to: backup --to FOLDER; or run `up --backups FOLDER`, which keeps what comes later"
        )
    if arguments.keys and arguments.keys.absolute().is_relative_to(Path(folder).absolute()):
        raise LauncherError("--keys names the folder of the other backups, which these keys decrypt")
    began = time.monotonic()
    backup = take_backup(data, BackupFolder(Path(folder)), say)
    seconds = time.monotonic() - began
    print(f"{backup.path}: {backup.manifest.position} events, {backup.size / 1e6:.0f} MB in {seconds:.1f} s")
    if arguments.keep:
        BackupFolder(Path(folder)).keep_only(arguments.keep)
    if arguments.keys:
        where = record.environments["command-api"]["FLEETLOG_KEYS"]
        source = KeySettings(keys=SecretStr(where), key_encryption_keys=data.keys)
        print(KeyBackups(arguments.keys).take(source, keep=arguments.keep))
    if arguments.metrics:
        tell_backup(arguments.metrics, backup.manifest, backup.size)
    print(
        "It holds passwords and the sealing key: keep it as private as the instance.\n"
        "It holds none of the keys that people's data is sealed with, and nothing else opens that:"
        f" keep a copy of {data.keys} elsewhere (--keys FOLDER), and give it to restore with --keys"
    )
    return 0


def _count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return number
