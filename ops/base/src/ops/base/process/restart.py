"""A server that begins anew in its own process: with empty memory, and no connection turned away meanwhile.

Memory that a process has freed keeps what was in it, and Python cannot overwrite it. So whoever has held what
was erased runs the same program once more in its place (`execve`), and hands its socket on: whoever connects
in between waits in the socket's queue.
"""

import os
import socket
import sys
from typing import Final, Never

import uvicorn

_SOCKET: Final = "FLEETLOG_HANDED_ON"
"""The descriptor of the socket, in the environment of the program that runs in this one's place."""


def listening(config: uvicorn.Config) -> socket.socket:
    """Return the socket that was handed on to this program, or else a new one.

    Args:
        config: where a new one listens.

    Raises:
        SystemExit: it cannot be made; the log says why.
    """
    handed_on = os.environ.pop(_SOCKET, None)
    return config.bind_socket() if handed_on is None else socket.socket(fileno=int(handed_on))


def begin_anew(listener: socket.socket) -> Never:
    """Run this process's program once more in its place.

    Args:
        listener: what is handed on to it.
    """
    listener.set_inheritable(True)
    os.environ[_SOCKET] = str(listener.fileno())
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])  # noqa: S606 - our own
