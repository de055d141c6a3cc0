"""`./fleetlog doctor`: say what is wrong with an instance, or with the machine, and what to type."""

import argparse
from pathlib import Path

from ops.launcher.doctor.machine import looks_at_machine
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


def run(arguments: argparse.Namespace) -> int:
    """Look, tell what was found, and return the exit status."""
    looks = looks_at_machine(DataFolder(arguments.data), port=arguments.port, kept=arguments.backups)
    return run_doctor(arguments, looks)
