"""Whether the brokers answer, as Kafka."""

import contextlib
import socket
import ssl
import struct
from collections.abc import Iterable
from typing import Final

from ops.launcher.doctor.findings import Findings, warning, well

_SECONDS: Final = 4.0
_WHO: Final = b"fleetlog-doctor"
# ApiVersions, version 0: what every broker answers, also before who asks has signed in.
_REQUEST: Final = struct.pack("!hhih", 18, 0, 1, len(_WHO)) + _WHO


def brokers(servers: Iterable[str], *, tls: bool) -> Findings:
    """Look at each broker, `HOST:PORT`, that the relay begins with; certificates are another look's."""
    for server in servers:
        host, _, port = server.rpartition(":")
        try:
            is_kafka = _is_kafka(host.strip("[]"), int(port), tls=tls)
        except (OSError, ValueError) as error:
            yield warning(f"Kafka at {server} does not answer: {error}", f"nc -vz {host} {port}")
            continue
        if is_kafka:
            yield well(f"Kafka at {server} answers")
        else:
            yield warning(f"what answers at {server} is no Kafka, or wants TLS", f"nc -vz {host} {port}")


def _is_kafka(host: str, port: int, *, tls: bool) -> bool:
    with contextlib.ExitStack() as open_now:
        connection = open_now.enter_context(socket.create_connection((host, port), timeout=_SECONDS))
        if tls:
            context = ssl._create_unverified_context()  # noqa: S323, SLF001 - nothing is told to it
            connection = open_now.enter_context(context.wrap_socket(connection, server_hostname=host))
        connection.sendall(struct.pack("!i", len(_REQUEST)) + _REQUEST)
        with connection.makefile("rb") as answer:
            return answer.read(8)[4:] == struct.pack("!i", 1)  # its length, and our number
