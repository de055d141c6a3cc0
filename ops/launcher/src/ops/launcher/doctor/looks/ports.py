"""The port that an instance is to be found at, while it is not running."""

from contextlib import suppress

import psutil

from ops.launcher.doctor.findings import Findings, well, wrong
from ops.launcher.processes.ports import is_free


def port_to_start_on(port: int, start: str) -> Findings:
    """Look whether somebody else listens where the gateway is to; `start` is the command that starts it."""
    if all(is_free(port, host) for host in ("127.0.0.1", "::1") if is_free(0, host)):
        yield well(f"port {port} is free")
        return
    what = f"port {port} is in use by {_listener(port)}"
    yield wrong(what, f"ss -ltnp 'sport = :{port}'", f"{start} --port {port + 1}")


def _listener(port: int) -> str:
    """Who listens there, where we may know it."""
    with suppress(psutil.Error, OSError):
        for connection in psutil.net_connections("tcp"):
            here = connection.laddr
            if connection.status == psutil.CONN_LISTEN and connection.pid and here and here.port == port:
                return f"{psutil.Process(connection.pid).name()} (process {connection.pid})"
    return "another program"
