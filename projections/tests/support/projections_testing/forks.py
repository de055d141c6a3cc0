"""Commands in forks of a process that has imported the modules, because imports take most of a start."""

import ctypes
import multiprocessing
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from multiprocessing import forkserver
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Final

from ops.base.process.failpoints import FAILPOINTS, Failpoints
from projections.__main__ import main

_PR_SET_PDEATHSIG: Final = 1  # prctl(2)
_SERVER: Final = multiprocessing.get_context("forkserver")
_SERVER.set_forkserver_preload(
    [
        "projections.__main__",
        "ops.base.database.log_watch",
        "ops.base.http.server",
        "projections.commands.audit",
        "projections.commands.relay",
        "projections.notify.channels",
        "projections.notify.service",
        "projections.relay.service",
        "projections.workers.operations.runner",
        "projections.workers.process",
    ]
)


def fork(
    arguments: Sequence[str], environment: Mapping[str, str], output: Path | None, errors: Path | None
) -> BaseProcess:
    """Start `python -m projections`; append its output and errors to files if these are given."""
    process = _SERVER.Process(
        target=_run,
        args=(list(arguments), dict(environment), output, errors),
        daemon=True,
    )
    process.start()
    return process


def _run(arguments: list[str], environment: dict[str, str], output: Path | None, errors: Path | None) -> None:
    # Closed here, this end of a pipe is pytest's alone: if pytest is killed, the parent and this process end.
    os.close(forkserver._forkserver._forkserver_alive_fd)  # type: ignore[attr-defined]
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    os.environ.clear()
    os.environ.update(environment)
    sys.orig_argv = [sys.executable, "-m", "projections", *arguments]  # for its restart after an erasure
    vars(FAILPOINTS).update(vars(Failpoints(environment)))
    for path, stream in ((output, sys.stdout), (errors, sys.stderr)):
        if path is not None:
            with path.open("ab") as file:
                os.dup2(file.fileno(), stream.fileno())
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.exit(main(arguments))
