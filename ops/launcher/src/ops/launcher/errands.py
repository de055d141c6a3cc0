"""Errands: work that takes much which is of no use afterwards, done by a child that ends with it.

The launcher lives as long as the product, and what Python has loaded it keeps: the database's client,
settings and the like, which only a start needs, are tens of MB.
"""

import asyncio
import os
import pickle
import signal
import subprocess
import sys
import traceback
from collections.abc import Callable
from typing import Any, BinaryIO, Final, ParamSpec, Self, TypeVar

from ops.base.observability.log_stream import protect_stderr
from ops.launcher.errors import LauncherError
from ops.launcher.paths import PYTHON
from ops.launcher.processes.wrapped import tied_to_parent

_LENGTH: Final = 8

Inputs = ParamSpec("Inputs")
Output = TypeVar("Output")


class Errands:
    """A child that runs functions for us, one after the other, until the context ends."""

    _child: asyncio.subprocess.Process

    def __init__(self) -> None:
        self._one_at_a_time = asyncio.Lock()

    async def __aenter__(self) -> Self:
        """Start the child."""
        command = tied_to_parent([*PYTHON, "ops.launcher.errands"], signal.SIGKILL)
        self._child = await asyncio.create_subprocess_exec(
            *command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,  # Ctrl-C is for the launcher
            limit=1 << 24,
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        """End the child, whatever it is doing."""
        if self._child.returncode is None:
            self._child.kill()
        await self._child.wait()

    async def run(
        self, function: Callable[Inputs, Output], *args: Inputs.args, **kwargs: Inputs.kwargs
    ) -> Output:
        """Have a function run, and return what it returns.

        Args:
            function: of a module; what it is called with and returns must bear to be pickled.
            args: for it.
            kwargs: for it.

        Raises:
            LauncherError: as it raised; or it failed in a way that nobody foresaw, which is on stderr.
            OSError: as it raised.
        """
        if self._child.stdin is None or self._child.stdout is None:
            raise AssertionError("both are pipes")
        async with self._one_at_a_time:
            try:
                self._child.stdin.write(_packed((function, args, kwargs)))
                length = int.from_bytes(await self._child.stdout.readexactly(_LENGTH))
                error, output = pickle.loads(await self._child.stdout.readexactly(length))  # noqa: S301 - our own
            except (asyncio.IncompleteReadError, ConnectionError):
                raise LauncherError("what prepares the start was ended") from None
        if error is not None:
            raise error
        done: Output = output
        return done


def _packed(what: Any) -> bytes:
    pickled = pickle.dumps(what)
    return len(pickled).to_bytes(_LENGTH) + pickled


def _outcome(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any]:
    try:
        return None, function(*args, **kwargs)
    except (LauncherError, OSError) as error:
        return error, None
    except Exception:  # noqa: BLE001 - told to the user, and to the launcher that it failed
        traceback.print_exc()
        return LauncherError(f"{function.__name__} failed"), None


def _serve(questions: BinaryIO, answers: BinaryIO) -> None:
    """Run what is asked for until nobody can ask any more."""
    while head := questions.read(_LENGTH):
        answers.write(_packed(_outcome(*pickle.loads(questions.read(int.from_bytes(head))))))  # noqa: S301
        answers.flush()


if __name__ == "__main__":
    protect_stderr()
    with os.fdopen(os.dup(1), "wb") as told:
        os.dup2(2, 1)  # whatever is printed is for the user
        _serve(sys.stdin.buffer, told)
