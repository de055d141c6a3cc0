"""`./fleetlog soak NAME`: the long counts, which `./fleetlog test` leaves out."""

import argparse
import os

from ops.launcher.suites import python_test_folders, run_pytest


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("name", help="which: part of the tests' names, such as kills")
    parser.add_argument("--share", type=float, default=1.0, help="how much of the full counts (default: 1)")


def run(arguments: argparse.Namespace) -> int:
    """Run the tests marked `soak` whose names contain the given one; naming none is an error."""
    os.environ["FLEETLOG_SOAK_SHARE"] = str(arguments.share)  # read by ops.testing.soak
    return run_pytest([*python_test_folders(), "-m", "soak", "-k", arguments.name, "-s"])
