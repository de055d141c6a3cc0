"""`./fleetlog projections …`: the projections' own command line, run on an instance's database."""

import argparse

from ops.launcher.instance.data_folder import DataFolder, add_data_argument
from ops.launcher.instance.record import running_instance
from ops.launcher.services import become_projections


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
    if words[:1] == ["schemas"]:  # these are the code's, whatever instance there is
        become_projections({}, *words)
    environments = running_instance(DataFolder(arguments.data)).environments
    become_projections(environments["projections"], *(words or ["status"]))
