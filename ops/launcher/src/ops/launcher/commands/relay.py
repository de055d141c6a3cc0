"""`./fleetlog relay rewind POSITION`: publish to Kafka again."""

import argparse

from ops.launcher.errors import LauncherError
from ops.launcher.instance.data_folder import DataFolder, add_data_argument
from ops.launcher.instance.record import running_instance
from ops.launcher.services import RELAY, become_projections


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("verb", choices=("rewind",), help="publish again, in the same order")
    parser.add_argument("position", metavar="POSITION", help="the last one to leave out; 0 for all")
    add_data_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    """Become `python -m projections rewind POSITION` with the relay's environment."""
    environments = running_instance(DataFolder(arguments.data)).environments
    if RELAY.name not in environments:
        raise LauncherError("this instance has no relay; ./fleetlog up --kafka HOST:PORT starts one")
    become_projections(environments[RELAY.name], "rewind", arguments.position)
