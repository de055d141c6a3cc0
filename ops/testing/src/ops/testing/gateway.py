"""nginx alone with the product's configuration, and stand-ins for the services behind it."""

import http.client
import json
import os
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import IO, Any

from ops.launcher.gateway.configuration import EMBEDDED, write_configuration
from ops.launcher.gateway.limits import GatewayLimits
from ops.launcher.gateway.process import gateway_spec, listen_addresses
from ops.launcher.paths import PYTHON
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

    def __init__(self, port: int, process: subprocess.Popen[bytes] | None = None) -> None:
        self.port = port
        self._process = process

    @property
    def process(self) -> subprocess.Popen[bytes]:
        assert self._process is not None
        return self._process

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
def running_nginx(
    folder: Path,
    *servers: int | str,
    upstreams: Mapping[str, int] | None = None,
    frontend: Path | None = None,
    address: str | None = None,
    processes: str = EMBEDDED,
    limits: GatewayLimits | None = None,
    metrics: str | None = None,
) -> Iterator[Gateway]:
    """Run nginx during the context, which begins when it answers.

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
    command = with_open_file_limit(part.command, part.descriptors)
    with stopped_at_end(subprocess.Popen(command, env=dict(part.environment), cwd="/")) as process:
        _wait_until(part.is_ready, process)
        yield Gateway(port, process)


@contextmanager
def running_container(
    folder: Path, settings: Mapping[str, str], service: str = "127.0.0.1:1", output: IO[bytes] | None = None
) -> Iterator[Gateway]:
    """Run the gateway's container during the context, which begins when it answers.

    Args:
        folder: see `container_environment`; the page of `running_nginx` is written to it.
        settings: further environment variables.
        output: takes errors.
    """
    (folder / "index.html").write_text(PAGE)
    port = free_port()
    own = {**container_environment(folder, service), **settings, "FLEETLOG_PORT": str(port)}
    command = [*PYTHON, "ops.launcher.gateway"]
    with stopped_at_end(subprocess.Popen(command, env={**os.environ, **own}, stderr=output)) as process:
        gateway = Gateway(port, process)
        _wait_until(lambda: gateway.is_up(settings.get("FLEETLOG_HOST", "localhost")), process)
        yield gateway


def _wait_until(is_ready: Callable[[], bool], process: subprocess.Popen[bytes]) -> None:
    wait_for(lambda: process.poll() is not None or is_ready())
    if process.poll() is not None:
        raise RuntimeError("the gateway has ended")


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


@contextmanager
def stopped_at_end(process: subprocess.Popen[bytes]) -> Iterator[subprocess.Popen[bytes]]:
    try:
        yield process
    finally:
        process.terminate()
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
