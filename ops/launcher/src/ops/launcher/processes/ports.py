"""Free ports for parts that only talk to each other."""

import random
import socket

# Below the range from which systems take the local ports of outgoing connections (Linux 32768, macOS 49152):
# a restarted child then finds its port still free.
_RANGE = range(20000, 32000)


def free_port() -> int:
    """A port on 127.0.0.1 that nobody listens on now."""
    for port in random.sample(_RANGE, 200):
        if is_free(port):
            return port
    raise OSError("no free port on 127.0.0.1")


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
