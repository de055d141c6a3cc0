"""The embedded server run for a while by a command, without the rest of the product."""

import contextlib
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from ops.launcher.errors import LauncherError
from ops.launcher.postgres.cluster import DURABLE, Cluster
from ops.launcher.postgres.server import answers, superuser_dsn
from ops.launcher.processes.ports import free_port
from ops.launcher.processes.wrapped import tied_to_parent

_TAKES_WRITES = "SELECT NOT pg_is_in_recovery()"
_LOOK_SECONDS = 0.1
_TELL_SECONDS = 5.0
_STOP_SECONDS = 120.0


@contextlib.contextmanager
def temporary_server(
    cluster: Cluster,
    password: str,
    log: Path,
    *,
    database: str,
    settings: Mapping[str, str] | None = None,
    tell: Callable[[float], None] = lambda _: None,
) -> Iterator[str]:
    """Run the server until the context's end; it takes writes when this begins, however long recovery takes.

    Args:
        cluster: what it serves.
        password: the superuser's.
        log: file that takes what it says.
        database: to connect to.
        settings: more of them.
        tell: called every few seconds until it is ready, with the seconds that have passed.

    Yields:
        DSN of the superuser.

    Raises:
        LauncherError: the server has ended; `log` says why.
    """
    cluster.let_server_end()
    port = free_port()
    dsn = superuser_dsn(port, password, database)
    with log.open("ab") as output:
        process = subprocess.Popen(
            tied_to_parent(cluster.command(port, {**DURABLE, **(settings or {})}), signal.SIGINT),
            cwd="/",
            env=cluster.environment(),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
            **cluster.account.popen_options(),
        )
    try:
        began = shown = time.monotonic()
        while not answers(dsn, _TAKES_WRITES):
            if process.poll() is not None:
                raise LauncherError(f"PostgreSQL has ended; see {log}")
            if time.monotonic() - shown > _TELL_SECONDS:
                shown = time.monotonic()
                tell(shown - began)
            time.sleep(_LOOK_SECONDS)
        yield dsn
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(_STOP_SECONDS)
