"""Free ports for parts that only talk to each other."""

import random
import socket
from collections.abc import Iterator

# Below the range from which systems take the local ports of outgoing connections (Linux 32768, macOS 49152):
# a restarted child then finds its port still free.
_RANGE = range(20000, 32000)
_BLOCK = 16


def free_port() -> int:
    """A port on 127.0.0.1 that nobody listens on, and that no other call gives, in no process."""
    return next(port for port in _own_ports if is_free(port))


def is_free(port: int, host: str = "127.0.0.1") -> bool:
    """Whether `port` can be listened on."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        # as servers do: a port whose last connections are still closing counts as free
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
            probe.listen(1)
        except OSError:
            return False
        return True


def _ports_of_own_blocks() -> Iterator[int]:
    """Ports in blocks that are this process's until it ends.

    Between a port's being given and its being listened on, others look for free ones. So each block's first
    port is bound, never listened on: the system lets nobody else bind it, and frees it when this process
    ends.
    """
    for first in random.sample(_RANGE[::_BLOCK], len(_RANGE) // _BLOCK):
        with socket.socket() as claim:
            try:
                claim.bind(("127.0.0.1", first))
            except OSError:
                continue
            claim.detach()  # it stays open
        yield from range(first + 1, first + _BLOCK)
    raise OSError("no free port on 127.0.0.1")


_own_ports = _ports_of_own_blocks()
