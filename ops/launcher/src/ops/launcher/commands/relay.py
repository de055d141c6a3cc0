"""`./fleetlog relay`: publication to Kafka.

Examples:
  ./fleetlog relay rewind 0           publish all events again
  ./fleetlog relay rewind 120000      publish again from position 120001
"""

import argparse

from ops.launcher.errors import LauncherError
from ops.launcher.instance.data_folder import DataFolder, add_data_argument
from ops.launcher.instance.record import running_instance
from ops.launcher.services import RELAY, become


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("verb", choices=("rewind",), help="publish again, in the same order")
    parser.add_argument("position", metavar="POSITION", help="the last position to skip; 0: publish all")
    add_data_argument(parser)


def run(arguments: argparse.Namespace) -> int:
    environments = running_instance(DataFolder(arguments.data)).environments
    if RELAY.name not in environments:
        raise LauncherError("this instance has no relay; ./fleetlog up --kafka HOST:PORT starts one")
    become("projections", environments[RELAY.name], "rewind", arguments.position)
