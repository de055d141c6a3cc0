"""`./fleetlog soak NAME`: the long counts, which `./fleetlog test` leaves out."""

import argparse

from ops.launcher.suites import PYTHON_SUITES, run_pytest


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("name", help="which: part of the tests' names, such as kills")


def run(arguments: argparse.Namespace) -> int:
    """Run the tests marked `soak` whose names contain the given one; naming none is an error."""
    folders = [f"{name}/tests" for name in PYTHON_SUITES]
    return run_pytest([*folders, "-m", "soak", "-k", arguments.name, "-s"])
