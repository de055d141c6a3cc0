"""Free ports: each is returned once, also to concurrent processes."""

import socket
import subprocess
from contextlib import ExitStack

from ops.launcher.paths import PYTHON
from ops.launcher.processes.ports import free_port, is_free

PRINTS = """
from ops.launcher.processes.ports import free_port
print(*(free_port() for _ in range(100)), flush=True)
input()
"""


def test_no_port_is_returned_twice_before_it_is_in_use() -> None:
    with ExitStack() as stack:
        others = [
            stack.enter_context(
                subprocess.Popen(
                    [PYTHON[0], "-c", PRINTS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
                )
            )
            for _ in range(3)
        ]
        given = [free_port() for _ in range(100)]
        for other in others:
            assert other.stdout is not None
            given += [int(word) for word in other.stdout.readline().split()]
        for other in others:
            other.communicate("\n", timeout=30)
    assert len(given) == len(set(given)) == 400
    assert all(is_free(port) for port in given[:100])


def test_a_port_in_use_is_not_returned() -> None:
    with socket.create_server(("127.0.0.1", free_port())) as server:
        port: int = server.getsockname()[1]
        assert not is_free(port)
        assert port not in {free_port() for _ in range(100)}
