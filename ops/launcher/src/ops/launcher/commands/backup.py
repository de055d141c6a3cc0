"""`./fleetlog backup`: a copy of a running instance.

Examples:
  ./fleetlog backup                                         into the folder of `up --backups`
  ./fleetlog backup --to /mnt/backups --keep 7
  ./fleetlog backup --keys /mnt/keys --metrics /var/lib/node_exporter
"""

import argparse
import time
from pathlib import Path

from pydantic import SecretStr

from ops.base.encryption.settings import KeySettings
from ops.launcher.backups.creation import create_backup
from ops.launcher.backups.folder import BackupFolder
from ops.launcher.backups.metrics import write_backup_metrics
from ops.launcher.errors import LauncherError
from ops.launcher.instance.data_folder import DataFolder, add_data_argument
from ops.launcher.instance.record import running_instance
from ops.launcher.keys.backups import KeyBackups
from ops.launcher.messages import notify


def configure(parser: argparse.ArgumentParser) -> None:
    add_data_argument(parser)
    for name, text in {
        "--to": "target folder (default: the folder of `up --backups`, which also receives later changes)",
        "--keys": "also back up the keys of personal data, to another folder",
        "--metrics": "also write metrics for node_exporter's --collector.textfile.directory",
    }.items():
        parser.add_argument(name, type=Path, metavar="FOLDER", help=text)
    parser.add_argument(
        "--keep",
        type=_count,
        metavar="NUMBER",
        help="then delete all but the newest backups, of the keys as well (default: keep all)",
    )


def run(arguments: argparse.Namespace) -> int:
    data = DataFolder(arguments.data)
    record = running_instance(data)
    target = arguments.to or record.backups
    if target is None:
        raise LauncherError(
            "no folder given: use backup --to FOLDER; or up --backups FOLDER, which also saves later changes"
        )
    folder = BackupFolder(Path(target))
    if arguments.keys and arguments.keys.absolute().is_relative_to(folder.path):
        raise LauncherError("--keys must not be in the folder of the other backups, which these keys decrypt")
    began = time.monotonic()
    backup = create_backup(data, folder, notify)
    seconds = time.monotonic() - began
    print(f"{backup.path}: {backup.manifest.position} events, {backup.size / 1e6:.0f} MB in {seconds:.1f} s")
    if arguments.keep:
        folder.prune(arguments.keep)
    if arguments.keys:
        where = record.environments["command-api"]["FLEETLOG_KEYS"]
        source = KeySettings(keys=SecretStr(where), key_encryption_keys=data.keys)
        print(KeyBackups(arguments.keys).create(source, keep=arguments.keep))
    if arguments.metrics:
        write_backup_metrics(arguments.metrics, backup.manifest, backup.size)
    print(
        "The backup contains passwords and the sealing key: keep it as private as the instance.\n"
        "It does not contain the keys of personal data, and nothing else decrypts that data: store a copy"
        f" of {data.keys} elsewhere (--keys FOLDER), and pass it to restore with --keys"
    )
    return 0


def _count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return number
