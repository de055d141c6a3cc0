"""`./fleetlog soak NAME`: the long counts, which `./fleetlog test` leaves out."""

import argparse

from ops.launcher.suites import python_test_folders, run_pytest


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("name", help="which: part of the tests' names, such as kills")


def run(arguments: argparse.Namespace) -> int:
    """Run the tests marked `soak` whose names contain the given one; naming none is an error."""
    return run_pytest([*python_test_folders(), "-m", "soak", "-k", arguments.name, "-s"])
