"""Restarts a server in place, with empty memory and without refusing connections.

Python cannot overwrite freed memory. After an erasure a process therefore replaces itself with the same
program (`execve`), which inherits the listening socket: new connections wait in the socket's queue.
"""

import os
import socket
import sys
from typing import Final, Never

import uvicorn

_INHERITED: Final = "FLEETLOG_HANDED_ON"
"""Environment variable with the descriptor of the inherited socket."""


def listening(config: uvicorn.Config) -> socket.socket:
    """Return the inherited socket, or a new one that is bound as configured.

    Raises:
        SystemExit: the socket cannot be bound; the log says why.
    """
    descriptor = os.environ.pop(_INHERITED, None)
    return config.bind_socket() if descriptor is None else socket.socket(fileno=int(descriptor))


def restart(listener: socket.socket) -> Never:
    """Replace this process with a new one that inherits the socket."""
    listener.set_inheritable(True)
    os.environ[_INHERITED] = str(listener.fileno())
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])  # noqa: S606 - our own
