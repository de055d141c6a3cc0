"""The embedded server, run by a command while the product is stopped."""

import contextlib
import signal
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from ops.launcher.errors import LauncherError
from ops.launcher.messages import notify
from ops.launcher.postgres.cluster import DURABLE, SERVER_ENVIRONMENT, Cluster
from ops.launcher.postgres.embedded import DATABASE
from ops.launcher.postgres.server import answers, superuser_dsn
from ops.launcher.processes.command_lines import start_process
from ops.launcher.processes.ports import free_port

_ACCEPTS_WRITES = "SELECT NOT pg_is_in_recovery()"
_POLL_SECONDS = 0.1
_NOTIFY_SECONDS = 5.0
_STOP_SECONDS = 120.0


@contextlib.contextmanager
def temporary_server(
    cluster: Cluster, password: str, log: Path, settings: Mapping[str, str] | None = None
) -> Iterator[str]:
    """Run an instance's server during the context, which begins when it has recovered and accepts writes.

    Yields:
        The superuser's DSN.
    """
    cluster.wait_for_server_end()
    port = free_port()
    dsn = superuser_dsn(port, password, DATABASE)
    with log.open("ab") as output:
        command = cluster.command(port, {**DURABLE, **(settings or {})})
        own = {"cwd": "/", **cluster.account.popen_options()}
        process = start_process(command, SERVER_ENVIRONMENT, output, stop_signal=signal.SIGINT, **own)
    try:
        began = shown = time.monotonic()
        while not answers(dsn, _ACCEPTS_WRITES):
            if process.poll() is not None:
                raise LauncherError(f"PostgreSQL has ended; see {log}")
            if time.monotonic() - shown > _NOTIFY_SECONDS:
                shown = time.monotonic()
                notify(f"still replaying, after {shown - began:.0f} s")
            time.sleep(_POLL_SECONDS)
        yield dsn
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(_STOP_SECONDS)
