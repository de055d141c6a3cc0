"""A child process that prepares a start, so that the launcher does not keep the memory which that takes.

The launcher runs as long as the product. Only a start needs the database client, settings and cryptography;
loaded into the launcher they would occupy tens of MB until it ends.
"""

import asyncio
import contextlib
import os
import pickle
import pkgutil
import signal
import subprocess
import sys
import traceback
from typing import Any, BinaryIO, Self

from ops.base.observability.log_stream import protect_stderr
from ops.launcher.errors import LauncherError
from ops.launcher.paths import PYTHON
from ops.launcher.processes.command_lines import tied_to_parent


class StartupWorker:
    """A child process that runs functions, one at a time, until the context ends."""

    _child: subprocess.Popen[bytes]

    def __init__(self) -> None:
        self._one_at_a_time = asyncio.Lock()

    def __enter__(self) -> Self:
        """Start the child."""
        command = tied_to_parent([*PYTHON, "ops.launcher.startup_worker"], signal.SIGKILL)
        # A session of its own, because Ctrl-C is for the launcher.
        self._child = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
        )
        return self

    def __exit__(self, *_: object) -> None:
        """Kill the child, even while it runs a function."""
        self._child.kill()
        self._child.communicate()

    async def run(self, function: str, *args: Any, **kwargs: Any) -> Any:
        """Run a function in the child and return its result.

        Args:
            function: `module:name`; arguments and result are pickled.

        Raises:
            LauncherError: as the function raised it, or after an unexpected error, printed to stderr.
            OSError: as the function raised it.
        """
        if self._child.stdin is None or self._child.stdout is None:
            raise AssertionError("both are pipes")
        async with self._one_at_a_time:
            try:
                pickle.dump((function, args, kwargs), self._child.stdin)
                self._child.stdin.flush()
                error, result = await asyncio.to_thread(pickle.load, self._child.stdout)
            except (EOFError, ConnectionError, pickle.UnpicklingError):
                raise LauncherError("the process that prepares the start was ended") from None
        if error is not None:
            raise error
        return result


def _call(function: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Exception | None, Any]:
    try:
        return None, pkgutil.resolve_name(function)(*args, **kwargs)
    except (LauncherError, OSError) as error:
        return error, None
    except Exception:  # noqa: BLE001 - the user sees the traceback, the launcher reports the failure
        traceback.print_exc()
        return LauncherError(f"{function} failed"), None


def _serve(calls: BinaryIO, results: BinaryIO) -> None:
    with contextlib.suppress(EOFError):  # the launcher has ended
        while True:
            results.write(pickle.dumps(_call(*pickle.load(calls))))  # noqa: S301 - from the launcher
            results.flush()


if __name__ == "__main__":
    protect_stderr()
    with os.fdopen(os.dup(1), "wb") as results:
        os.dup2(2, 1)  # functions print for the user
        _serve(sys.stdin.buffer, results)
