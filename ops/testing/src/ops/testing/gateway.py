"""nginx alone with the product's configuration, and stand-ins for the services behind it."""

import http.client
import json
import signal
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from ops.launcher.gateway.configuration import EMBEDDED, write_configuration
from ops.launcher.gateway.limits import GatewayLimits
from ops.launcher.gateway.process import gateway_spec, listen_addresses
from ops.launcher.processes.command_lines import with_open_file_limit
from ops.launcher.processes.ports import free_port
from ops.testing.conditions import wait_for

SERVERS = ("command-api", "query-api", "identity-provider")
PAGE = "<!doctype html><title>page</title>"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments: object) -> None:
        pass


@contextmanager
def http_server(
    handler: type[BaseHTTPRequestHandler], host: str = "127.0.0.1", port: int = 0
) -> Iterator[int]:
    """Run an HTTP server in a thread, and yield its port."""
    with ThreadingHTTPServer((host, port), handler) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, args=[0.01], daemon=True).start()
        try:
            yield server.server_port
        finally:
            server.shutdown()


@dataclass
class Answer:
    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def json(self) -> dict[str, Any]:
        reported: dict[str, Any] = json.loads(self.body)
        return reported


class Gateway:
    """Sends requests to a gateway, each on a new connection."""

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
        """Send a request, from the address `source` if it is given."""
        connection = http.client.HTTPConnection(
            host, self.port, timeout=60, source_address=(source, 0) if source else None
        )
        try:
            connection.request(method, path, body=body, headers=headers or {})
            answer = connection.getresponse()
            return Answer(answer.status, answer.headers, answer.read())
        finally:
            connection.close()

    def is_up(self, host: str = "localhost") -> bool:
        with suppress(OSError, http.client.HTTPException):
            return self("/config.json", host=host).status == 200
        return False


@contextmanager
def running_nginx(folder: Path, *servers: int | str, **options: Any) -> Iterator[Gateway]:
    """Run nginx until the context's end; see `start_nginx`."""
    gateway, process = start_nginx(folder, *servers, **options)
    try:
        yield gateway
    finally:
        stop(process)


def start_nginx(
    folder: Path,
    *servers: int | str,
    upstreams: Mapping[str, int] | None = None,
    frontend: Path | None = None,
    address: str | None = None,
    processes: str = EMBEDDED,
    limits: GatewayLimits | None = None,
    metrics: str | None = None,
) -> tuple[Gateway, subprocess.Popen[bytes]]:
    """Start nginx and return when it answers.

    Args:
        folder: nginx's own folder.
        servers: ports, or `HOST:PORT`, of the servers of every service; none: no service can be reached.
        upstreams: instead, the port of each service's server.
        frontend: folder of pages; None: a page is written to nginx's own folder.
        address: see `write_configuration`, as for `processes`, `limits` and `metrics`.
    """
    if frontend is None:
        (folder / "index.html").write_text(PAGE)
    port = free_port()
    places = [
        place if isinstance(place, str) else f"127.0.0.1:{place}" for place in servers or (free_port(),)
    ]
    write_configuration(
        folder,
        address=address or f"http://localhost:{port}",
        listen=listen_addresses(port),
        upstreams=dict.fromkeys(SERVERS, places)
        if upstreams is None
        else {name: [f"127.0.0.1:{port}"] for name, port in upstreams.items()},
        frontend=frontend or folder,
        processes=processes,
        limits=limits,
        metrics=metrics,
    )
    part = gateway_spec(folder, port, limits)
    process = subprocess.Popen(
        with_open_file_limit(part.command, part.descriptors), env=dict(part.environment), cwd="/"
    )
    wait_for(lambda: process.poll() is not None or part.is_ready())
    if process.poll() is not None:
        raise RuntimeError("nginx has ended")
    return Gateway(port), process


def container_environment(folder: Path, service: str = "127.0.0.1:1") -> dict[str, str]:
    """Return the required settings of `python -m ops.launcher.gateway`, with one server for both APIs."""
    return {
        "FLEETLOG_PUBLIC_ADDRESS": "https://fleet.example",
        "FLEETLOG_ISSUER": "https://tenant.example/",
        "FLEETLOG_CLIENT_ID": "web",
        "FLEETLOG_AUDIENCE": "https://api.example",
        "FLEETLOG_COMMAND_API": service,
        "FLEETLOG_QUERY_API": service,
        "FLEETLOG_FRONTEND_DIST": str(folder),
        "FLEETLOG_GATEWAY_STATE": str(folder),
    }


def stop(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGTERM)
    process.wait(timeout=60)


def problem(answer: Answer) -> tuple[int, str]:
    """Return the status and problem type of an answer; the type is empty for foreign documents."""
    reported = answer.json
    ours = (
        answer.headers["Content-Type"] == "application/problem+json"
        and answer.headers["X-Request-Id"] == reported["request_id"]
        and reported["status"] == answer.status
    )
    return answer.status, reported["type"].removeprefix("urn:fleetlog:problem:") if ours else ""
