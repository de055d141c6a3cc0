"""`./fleetlog projections`: the read tables of a running instance.

Examples:
  ./fleetlog projections status
  ./fleetlog projections retry drivers
  ./fleetlog projections rebuild drivers --check
"""

import argparse

from ops.launcher.instance.data_folder import DataFolder, add_data_argument
from ops.launcher.instance.record import running_instance
from ops.launcher.services import become


def configure(parser: argparse.ArgumentParser) -> None:
    add_data_argument(parser)
    parser.add_argument(
        "words",
        nargs=argparse.REMAINDER,
        metavar="status | retry [NAME…] | rebuild NAME [--check] | schemas [--release]",
        help="arguments of `python -m projections` (default: status)",
    )


def run(arguments: argparse.Namespace) -> int:
    # argparse includes every word after the first in the remainder, --data too.
    parser = argparse.ArgumentParser(add_help=False)
    add_data_argument(parser)
    _, words = parser.parse_known_args(arguments.words, namespace=arguments)
    if words[:1] == ["schemas"]:  # reads the code alone
        become("projections", {}, *words)
    environments = running_instance(DataFolder(arguments.data)).environments
    become("projections", environments["projections"], *(words or ["status"]))
