"""`./fleetlog down`: stop a running instance.

Examples:
  ./fleetlog down
  ./fleetlog down --data /srv/fleetlog
"""

import argparse
import os
import signal

from ops.launcher.errors import LauncherError
from ops.launcher.instance.data_folder import DataFolder, add_data_argument
from ops.launcher.instance.record import read_record
from ops.launcher.processes.orphans import recorded_processes, terminate

_STOP_SECONDS = 90.0

configure = add_data_argument


def run(arguments: argparse.Namespace) -> int:
    folder = DataFolder(arguments.data)
    owner = folder.owner()
    if owner is None:
        orphans = recorded_processes(read_record(folder))
        terminate(orphans)
        count = len(orphans)
        print(
            f"ended {count} processes that a killed launcher left behind" if count else "nothing is running"
        )
        return 0
    try:
        os.kill(owner, signal.SIGTERM)
    except PermissionError as error:
        raise LauncherError(f"the instance belongs to another user (process {owner})") from error
    if not folder.wait_until_free(_STOP_SECONDS):
        raise LauncherError(f"the launcher (process {owner}) has not ended after {_STOP_SECONDS:.0f} s")
    print("stopped")
    return 0
