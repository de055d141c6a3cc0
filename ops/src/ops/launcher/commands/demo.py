"""`./fleetlog demo`: load a demonstration fleet into a running instance."""

import argparse

from ops.launcher.instance.data_folder import DataFolder, add_data_argument
from ops.launcher.instance.record import running_instance

configure = add_data_argument


def run(arguments: argparse.Namespace) -> int:
    """Load it through the instance's own HTTP API."""
    record = running_instance(DataFolder(arguments.data))
    from ops.launcher import demo  # noqa: PLC0415 - loads the world's places

    demo.run(record)
    return 0
