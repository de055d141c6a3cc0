"""Connections whose request header is incomplete and never completed."""

import contextlib
import selectors
import socket
import threading
import time
from typing import Final, Self

from ops.testing.conditions import wait_for

HALF: Final = b"GET /api/v1/drivers HTTP/1.1\r\nHost: localhost\r\nX-Slow: "
_PAUSE_SECONDS: Final = 0.05


class HalfSentHeaders:
    """Context manager that keeps several such connections open, and replaces each that the server closes.

    Attributes:
        opened: the number of connections opened so far.
    """

    def __init__(self, port: int, count: int) -> None:
        """Prepare `count` connections to a port of 127.0.0.1."""
        self.opened = 0
        self._target = ("127.0.0.1", port)
        self._count = count
        self._selector = selectors.DefaultSelector()
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        """Open the connections, and return when each was opened once."""
        self._thread.start()
        wait_for(lambda: self.opened >= self._count)
        return self

    def __exit__(self, *_: object) -> None:
        self._ending.set()
        self._thread.join()

    @property
    def open(self) -> int:
        """The number of connections that are open now."""
        return len(self._selector.get_map() or ())

    def _run(self) -> None:
        while not self._ending.is_set():
            while self.open < self._count and self._open_one():
                pass
            for key, _ in self._selector.select(_PAUSE_SECONDS):
                self._close(key.fileobj)
        for key in list((self._selector.get_map() or {}).values()):
            self._close(key.fileobj)

    def _open_one(self) -> bool:
        connection = socket.socket()
        try:
            connection.settimeout(1)
            connection.connect(self._target)
            connection.sendall(HALF)
        except OSError:  # the server is full
            connection.close()
            time.sleep(_PAUSE_SECONDS)
            return False
        self._selector.register(connection, selectors.EVENT_READ)
        self.opened += 1
        return True

    def _close(self, connection: object) -> None:
        if isinstance(connection, socket.socket):
            self._selector.unregister(connection)
            with contextlib.suppress(OSError):
                connection.close()
