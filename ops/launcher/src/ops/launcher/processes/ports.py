"""Free ports for the services of one machine."""

import random
import socket
from collections.abc import Iterator

# Below the systems' range of local ports for outgoing connections (Linux from 32768, macOS from 49152), so
# that the port of a restarted process is still free.
_RANGE = range(20000, 32000)
_BLOCK = 16


def free_port() -> int:
    """Return a free port on 127.0.0.1 that no other call returns, in any process that still runs."""
    return next(port for port in _reserved_ports if is_free(port))


def is_free(port: int, host: str = "127.0.0.1") -> bool:
    """Return whether a server could listen on `port`."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        # As servers do: connections that are still closing do not occupy the port.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
            probe.listen(1)
        except OSError:
            return False
        return True


def _reserve_ports() -> Iterator[int]:
    """Yield ports from blocks that this process has reserved.

    A returned port stays unused until its server listens, so other processes could pick it as well. The first
    port of each block is therefore bound without listening: no other process can bind it, and the system
    releases it when this process ends.
    """
    for first in random.sample(_RANGE[::_BLOCK], len(_RANGE) // _BLOCK):
        with socket.socket() as reservation:
            try:
                reservation.bind(("127.0.0.1", first))
            except OSError:
                continue
            reservation.detach()  # keeps the socket open
        yield from range(first + 1, first + _BLOCK)
    raise OSError("no free port on 127.0.0.1")


_reserved_ports = _reserve_ports()
