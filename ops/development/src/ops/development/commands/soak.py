"""`./fleetlog soak NAME`: run long tests, which `./fleetlog test` skips."""

import argparse

from ops.development.debian import try_to_install_kafka_tools
from ops.development.suites import PYTHON_TESTS, run_pytest
from ops.launcher.frontend.build import SETTING as FRONTEND_SETTING
from ops.launcher.frontend.build import ensure_built


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("name", help="part of the tests' names, such as kills")
    parser.add_argument("--share", type=float, default=1.0, help="share of the full counts (default: 1)")


def run(arguments: argparse.Namespace) -> int:
    """Run the tests marked `soak` whose names contain the given name; no match is an error."""
    try_to_install_kafka_tools()
    environment = {
        "FLEETLOG_SOAK_SHARE": str(arguments.share),  # read by ops.testing.soak
        FRONTEND_SETTING: str(ensure_built()),
    }
    return run_pytest([*PYTHON_TESTS, "-m", "soak", "-k", arguments.name, "-s"], environment)
