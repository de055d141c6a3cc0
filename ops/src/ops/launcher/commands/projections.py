"""`./fleetlog projections …`: the projections' own command line, run on an instance's database."""

import argparse
import os

from ops.launcher.instance.data_folder import DataFolder, add_data_argument
from ops.launcher.instance.record import running_instance
from ops.launcher.paths import PYTHON


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_data_argument(parser)
    parser.add_argument(
        "words",
        nargs=argparse.REMAINDER,
        metavar="status | retry [NAME…] | rebuild NAME [--check] | schemas [--release]",
        help="what the projections are to do",
    )


def run(arguments: argparse.Namespace) -> int:
    """Become `python -m projections …` with that instance's environment."""
    # argparse gives everything after the first word to the remainder, --data too.
    parser = argparse.ArgumentParser(add_help=False)
    add_data_argument(parser)
    _, words = parser.parse_known_args(arguments.words, namespace=arguments)
    environment = dict(os.environ)
    if words[:1] != ["schemas"]:  # these are the code's, whatever instance there is
        environment |= running_instance(DataFolder(arguments.data)).environments["projections"]
        environment["FLEETLOG_PORT"] = "0"  # the worker has its own
    command = [*PYTHON, "projections", *(words or ["status"])]
    os.execve(command[0], command, environment)  # noqa: S606 - replaces this process
