"""Start and graceful shutdown of a server, as clients see it."""

import asyncio
import http.client
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
import uvicorn
from fastapi import FastAPI

from ops.base.http.draining import DrainingServer
from ops.base.http.protocol import ProblemProtocol
from ops.base.http.service import Service
from ops.launcher.processes.ports import free_port
from ops.launcher.processes.spec import answers_ok
from ops.testing.conditions import PATIENCE_SECONDS, wait_for, wait_until

DRAIN_SECONDS = 20.0
"""It takes connections for a fifth of it, and ends as soon as there are none."""
SERVER = """
from contextlib import asynccontextmanager
from pathlib import Path
import os
from ops.base.http.health import ReadinessCheck
from ops.base.http.server import create_app, serve
from ops.base.settings import ServiceSettings

@asynccontextmanager
async def lifespan(app):
    yield

async def ready():
    Path(os.environ["ASKED"]).touch()
    return {"test": ReadinessCheck(ok=Path(os.environ["READY"]).exists())}

app = create_app(service="test", title="Test", description="Test", readiness=ready, lifespan=lifespan)
serve(app, ServiceSettings.load())
"""


@dataclass(frozen=True)
class Server:
    port: int
    asked: Path
    """Whether it has looked if it is ready."""
    ready: Path
    process: subprocess.Popen[bytes]

    def connect(self) -> closing[http.client.HTTPConnection]:
        return closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=60))

    def become_ready(self) -> None:
        self.ready.touch()
        wait_for(lambda: self.process.poll() is not None or answers_ok(self.port, "/readyz"))
        assert self.process.poll() is None

    def ask(self, path: str) -> int:
        with self.connect() as connection:
            return ask(connection, path)[0]

    def refuses(self) -> bool:
        try:
            self.ask("/livez")
        except ConnectionRefusedError:
            return True
        return False


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """A server that waits until it is ready, and drains for some seconds when it is asked to end."""
    port = free_port()
    environment = {
        **os.environ,
        "FLEETLOG_DATABASE": "postgresql://",
        "FLEETLOG_PORT": str(port),
        "FLEETLOG_DRAIN_SECONDS": str(DRAIN_SECONDS),
        "FLEETLOG_READY_SECONDS": "60",
        "ASKED": str(tmp_path / "asked"),
        "READY": str(tmp_path / "ready"),
    }
    with subprocess.Popen([sys.executable, "-c", SERVER], env=environment) as process:
        try:
            yield Server(port, tmp_path / "asked", tmp_path / "ready", process)
        finally:
            process.kill()


@asynccontextmanager
async def serving(app: FastAPI) -> AsyncIterator[tuple[DrainingServer, socket.socket]]:
    """Serve an application in this process until it is asked to restart in the context, with its socket."""
    app.state.is_ending = False
    config = uvicorn.Config(
        app, http=ProblemProtocol, log_config=None, lifespan="off", timeout_graceful_shutdown=1
    )
    server = DrainingServer(config, app, seconds=3600, stall_seconds=0)
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        task = asyncio.create_task(server._serve([listener]))
        await wait_until(lambda: server.started)
        yield server, listener
        async with asyncio.timeout(PATIENCE_SECONDS):
            await task
    assert server.inherited is not None
    server.inherited.close()


async def test_open_connections_do_not_delay_a_restart() -> None:
    async with serving(FastAPI()) as (server, listener):
        _, writer = await asyncio.open_connection(*listener.getsockname())
        await wait_until(lambda: server.server_state.connections)
        server.restart(listener)
    writer.close()


async def test_a_request_that_outlasts_a_restart_is_answered_with_503() -> None:
    app = Service(name="test")
    begun = asyncio.Event()

    @app.get("/")
    async def never_answer() -> None:
        begun.set()
        await asyncio.Event().wait()

    async with serving(app) as (server, listener), httpx.AsyncClient(timeout=PATIENCE_SECONDS) as client:
        port = listener.getsockname()[1]
        request = asyncio.create_task(client.get(f"http://127.0.0.1:{port}/"))
        await begun.wait()
        server.restart(listener)
        answer = await request
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
    assert answer.json()["detail"].startswith("This took too long")


def ask(connection: http.client.HTTPConnection, path: str) -> tuple[int, str | None]:
    connection.request("GET", path)
    answer = connection.getresponse()
    answer.read()
    return answer.status, answer.headers["Connection"]


def test_unready_server_accepts_no_connection(server: Server) -> None:
    while not server.asked.exists():
        with pytest.raises(ConnectionRefusedError):
            server.ask("/livez")
        assert server.process.poll() is None
    assert server.refuses()
    server.become_ready()
    assert server.ask("/livez") == 200


def test_shutdown_is_graceful(
    server: Server,
) -> None:
    server.become_ready()
    with server.connect() as one, server.connect() as another:
        assert [ask(kept, "/livez") for kept in (one, another)] == [(200, None)] * 2
        began = time.monotonic()
        server.process.terminate()
        wait_for(lambda: server.ask("/readyz") == 503)
        assert ask(one, "/livez") == (200, None)
        wait_for(server.refuses)
        assert [ask(kept, "/livez") for kept in (one, another)] == [(200, "close")] * 2
    assert server.process.wait(60) == -signal.SIGTERM
    assert time.monotonic() - began < DRAIN_SECONDS, "it need not wait for anybody any more"
