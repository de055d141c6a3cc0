"""Example programs as processes."""

import os
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path


class Example:
    """An example as a process, and the lines that it has printed."""

    def __init__(self, script: Path, *arguments: str, environment: Mapping[str, str] | None = None) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(script), *arguments],
            env={**os.environ, **(environment or {})},
            stdout=subprocess.PIPE,
            text=True,
        )
        self.lines: list[str] = []
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout
        self.lines += iter(self.process.stdout.readline, "")

    def kill(self) -> None:
        """Kill the process."""
        self.process.kill()
        self.process.wait()
        self._reader.join()
        assert self.process.stdout
        self.process.stdout.close()
