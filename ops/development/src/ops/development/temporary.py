"""A temporary instance of the product, for browser tests and measurements."""

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from ops.launcher.errors import LauncherError
from ops.launcher.instance.data_folder import DataFolder
from ops.launcher.paths import PYTHON
from ops.launcher.postgres.embedded import cluster_folder
from ops.launcher.processes.command_lines import tied_to_parent
from ops.launcher.processes.ports import free_port


@contextmanager
def temporary_instance(environment: Mapping[str, str] | None = None) -> Iterator[tuple[DataFolder, int]]:
    """Run an instance with additional variables on a free port, and delete its data at the end.

    The instance ends with this process, even if it is killed.
    """
    with tempfile.TemporaryDirectory(prefix="fleetlog-instance-") as folder:
        Path(folder).chmod(0o711)  # PostgreSQL's user must be able to traverse it
        data, port = DataFolder(Path(folder) / "data"), free_port()
        command = [*PYTHON, "ops.launcher", "up", "--port", str(port), "--data", str(data.path)]
        with (
            (Path(folder) / "up.log").open("w+") as log,
            subprocess.Popen(
                tied_to_parent(command, signal.SIGTERM),
                env={**os.environ, **(environment or {})},
                stdout=subprocess.PIPE,
                stderr=log,
                start_new_session=True,  # Ctrl-C goes to this process alone, which then stops the instance
            ) as launcher,
        ):
            try:
                if launcher.stdout is None or not launcher.stdout.readline():  # prints one line when ready
                    log.seek(0)
                    raise LauncherError(f"the instance did not start:\n{log.read()}")
                yield data, port
            finally:
                launcher.terminate()
                launcher.wait()
                shutil.rmtree(cluster_folder(data.path), ignore_errors=True)  # may be outside the data folder
