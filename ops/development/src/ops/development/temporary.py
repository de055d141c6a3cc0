"""A temporary instance of the product, for browser tests and measurements."""

import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from ops.launcher.instance.data_folder import DataFolder
from ops.launcher.paths import PYTHON
from ops.launcher.postgres.embedded import cluster_folder
from ops.launcher.processes.ports import free_port
from ops.launcher.programs import run_silently


@contextmanager
def temporary_instance(environment: Mapping[str, str] | None = None) -> Iterator[tuple[DataFolder, int]]:
    """Run an instance with additional variables on a free port, and delete its data at the end."""
    with tempfile.TemporaryDirectory(prefix="fleetlog-instance-") as folder:
        Path(folder).chmod(0o711)  # PostgreSQL's user must be able to traverse it
        data, port = DataFolder(Path(folder) / "data"), free_port()
        launcher, where = [*PYTHON, "ops.launcher"], ["--data", str(data.path)]
        run_silently(
            [*launcher, "up", "--detach", "--port", str(port), *where],
            "the instance did not start",
            environment={**os.environ, **(environment or {})},
        )
        try:
            yield data, port
        finally:
            run_silently([*launcher, "down", *where], "the instance did not stop")
            shutil.rmtree(cluster_folder(data.path), ignore_errors=True)  # may be outside the data folder
