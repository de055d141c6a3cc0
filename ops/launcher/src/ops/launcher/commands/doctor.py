"""`./fleetlog doctor`: say what is wrong with an instance, or with the machine, and what to type."""

import argparse
from pathlib import Path

from ops.launcher.doctor.machine import checks_of_machine
from ops.launcher.doctor.running import add_doctor_arguments, run_doctor
from ops.launcher.instance.data_folder import DataFolder, add_data_argument


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_data_argument(parser)
    add_doctor_arguments(parser)
    parser.add_argument("--port", type=int, help="that an instance is to be started on (default: as before)")
    parser.add_argument(
        "--backups", type=Path, metavar="FOLDER", help="of backups (default: that of `up --backups`)"
    )
    parser.add_argument(
        "--key-backups", type=Path, metavar="FOLDER", help="of backups of the keys, that of `backup --keys`"
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the checks, print their findings, and return the exit status."""
    checks = checks_of_machine(
        DataFolder(arguments.data),
        port=arguments.port,
        backups=arguments.backups,
        key_backups=arguments.key_backups,
    )
    return run_doctor(arguments, checks)
