"""Serving an ASGI application on a real socket, and reading its answers page by page."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import httpx
import uvicorn
from starlette.types import ASGIApp

from ops.base.http.protocol import ProblemProtocol
from ops.testing.conditions import PATIENCE_SECONDS


@asynccontextmanager
async def serve(app: ASGIApp) -> AsyncIterator[str]:
    """Serve an application on a free port of 127.0.0.1, and yield its origin, such as `http://127.0.0.1:4711`.

    Raises:
        RuntimeError: it does not start.
    """
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
        config = uvicorn.Config(
            app, http=ProblemProtocol, log_config=None, access_log=False, server_header=False
        )
        server = uvicorn.Server(config)
        # The test session's own signal handlers stay.
        task = asyncio.create_task(server._serve([listener]))  # noqa: SLF001
        while not server.started:
            if task.done():
                task.result()
                raise RuntimeError("the application does not start: see the log")
            await asyncio.sleep(0.005)
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            server.should_exit = True
            await task


async def until_ready(client: httpx.AsyncClient) -> None:
    """Wait until a service is ready: on an overloaded machine its first requests fail or take seconds.

    Raises:
        TimeoutError: it is not ready.
    """
    async with asyncio.timeout(PATIENCE_SECONDS):
        while True:
            with suppress(httpx.TransportError):
                if (await client.get("/readyz")).is_success:
                    return
            await asyncio.sleep(0.02)


async def pages_of(client: httpx.AsyncClient, path: str, **parameters: Any) -> AsyncIterator[httpx.Response]:
    """Yield all pages of an answer."""
    while True:
        answer = await client.get(path, params=parameters)
        assert answer.status_code == 200, answer.text
        yield answer
        parameters["cursor"] = answer.json()["next"]
        if parameters["cursor"] is None:
            break
