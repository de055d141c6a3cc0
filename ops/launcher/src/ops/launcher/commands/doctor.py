"""`./fleetlog doctor`: diagnosis of an instance or of this machine.

Examples:
  ./fleetlog doctor
  ./fleetlog doctor --port 8081       before the first start on another port
  ./fleetlog doctor --json
"""

import argparse
from pathlib import Path

from ops.launcher.doctor.machine import checks_of_machine
from ops.launcher.doctor.runner import add_doctor_arguments, run_doctor
from ops.launcher.instance.data_folder import DataFolder, add_data_argument


def configure(parser: argparse.ArgumentParser) -> None:
    add_data_argument(parser)
    add_doctor_arguments(parser)
    parser.add_argument("--port", type=int, help="port of the next start (default: that of the last one)")
    parser.add_argument(
        "--backups", type=Path, metavar="FOLDER", help="backups to check (default: those of `up --backups`)"
    )
    parser.add_argument(
        "--key-backups", type=Path, metavar="FOLDER", help="backups of the keys to check (`backup --keys`)"
    )


def run(arguments: argparse.Namespace) -> int:
    checks = checks_of_machine(
        DataFolder(arguments.data),
        port=arguments.port,
        backups=arguments.backups,
        key_backups=arguments.key_backups,
    )
    return run_doctor(arguments, checks)
