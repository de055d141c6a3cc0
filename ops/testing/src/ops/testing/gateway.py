"""nginx with the product's configuration, by itself."""

import http.client
import json
import signal
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ops.launcher.gateway.configuration import EMBEDDED, write_configuration
from ops.launcher.gateway.limits import GatewayLimits
from ops.launcher.gateway.part import gateway_part, listen_addresses
from ops.launcher.processes.wrapped import with_descriptors
from ops.testing.waiting import wait_for


@dataclass
class Answer:
    """What a gateway has answered."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def json(self) -> dict[str, Any]:
        """The body."""
        reported: dict[str, Any] = json.loads(self.body)
        return reported


class Gateway:
    """Asks a gateway, each time on a new connection."""

    def __init__(self, port: int) -> None:
        self.port = port

    def __call__(
        self,
        path: str,
        method: str = "GET",
        *,
        host: str = "localhost",
        body: bytes | None = None,
        headers: dict[str, str] | None = None,
        source: str | None = None,
    ) -> Answer:
        """Ask, from the address `source` if it is given."""
        connection = http.client.HTTPConnection(
            host, self.port, timeout=60, source_address=(source, 0) if source else None
        )
        try:
            connection.request(method, path, body=body, headers=headers or {})
            answer = connection.getresponse()
            return Answer(answer.status, answer.headers, answer.read())
        finally:
            connection.close()


def start_nginx(
    folder: Path,
    frontend: Path,
    port: int,
    upstreams: Mapping[str, str | int | list[int] | list[str]],
    *,
    address: str | None = None,
    processes: str = EMBEDDED,
    limits: GatewayLimits | None = None,
    metrics: str | None = None,
) -> subprocess.Popen[bytes]:
    """Start it and return when it answers.

    Args:
        folder: nginx's own.
        frontend: folder of pages.
        port: to listen on.
        upstreams: ports, or `HOST:PORT`, of the servers by service.
        address: of browsers; see `write_configuration`, as for the rest.
        processes: what is told of them.
        limits: what is bounded.
        metrics: where to tell metrics.
    """
    write_configuration(
        folder,
        address=address or f"http://localhost:{port}",
        listen=listen_addresses(port),
        upstreams={name: places(ports) for name, ports in upstreams.items()},
        frontend=frontend,
        processes=processes,
        limits=limits,
        metrics=metrics,
    )
    part = gateway_part(folder, port, limits)
    process = subprocess.Popen(
        with_descriptors(part.command, part.descriptors), env=dict(part.environment), cwd="/"
    )
    wait_for(lambda: process.poll() is not None or part.is_ready())
    if process.poll() is not None:
        raise RuntimeError("nginx has ended")
    return process


def places(servers: str | int | list[int] | list[str]) -> list[str]:
    """Return `HOST:PORT` of servers on this machine."""
    if isinstance(servers, str):
        return [servers]
    each = servers if isinstance(servers, list) else [servers]
    return [place if isinstance(place, str) else f"127.0.0.1:{place}" for place in each]


def stop(process: subprocess.Popen[bytes]) -> None:
    """End it."""
    process.send_signal(signal.SIGTERM)
    process.wait(timeout=60)


def problem(answer: Answer) -> tuple[int, str]:
    """Return the status and kind of a problem; an answer that is none, or not one of ours, is of no kind."""
    reported = answer.json
    ours = (
        answer.headers["Content-Type"] == "application/problem+json"
        and answer.headers["X-Request-Id"] == reported["request_id"]
        and reported["status"] == answer.status
    )
    return answer.status, reported["type"].removeprefix("urn:fleetlog:problem:") if ours else ""
