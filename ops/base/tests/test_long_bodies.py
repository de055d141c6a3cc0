"""Long answers to slow clients."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from urllib.parse import urlsplit

from starlette.types import Receive, Scope, Send

from ops.base.http.long_responses import PIECE_BYTES, LongBodies
from ops.testing.conditions import PATIENCE_SECONDS
from ops.testing.http_servers import serve

BODY_BYTES = 16 * 1024 * 1024
"""More than the sockets of a connection hold."""


class Reader:
    """A client that has requested a body, and reads it when the test allows it."""

    def __init__(self, reader: asyncio.StreamReader) -> None:
        self._reader = reader

    async def rest(self) -> int:
        """Read until the connection ends; return how many bytes of the body came."""
        received = 0
        with suppress(ConnectionError):
            while piece := await self._reader.read(1024 * 1024):
                received += len(piece)
        return received


@asynccontextmanager
async def clients(
    bodies: LongBodies, body_of: Callable[[], bytes]
) -> AsyncIterator[Callable[[], "asyncio.Future[Reader]"]]:
    """Serve bodies, and return a function that connects a client and reads the answer's head."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        del receive
        if scope["type"] == "lifespan":
            return
        headers = [(b"content-length", b"%d" % BODY_BYTES), (b"connection", b"close")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        async for piece in bodies.pieces(scope, body_of()):
            await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body", "body": b""})

    async with serve(app) as origin, AsyncExitStack() as connected:

        async def connect() -> Reader:
            place = urlsplit(origin)
            reader, writer = await asyncio.open_connection(place.hostname, place.port, limit=1024)
            connected.callback(writer.close)
            writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            await reader.readuntil(b"\r\n\r\n")
            return Reader(reader)

        yield lambda: asyncio.ensure_future(connect())


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not condition():  # noqa: ASYNC110 - there is no event to await
            await asyncio.sleep(0.01)


async def test_body_is_sent_in_pieces() -> None:
    bodies, body = LongBodies(), bytes(range(256)) * 1024
    sent = b""
    async for piece in bodies.pieces({}, body):
        assert len(piece) == PIECE_BYTES
        assert bodies.size == len(body)
        sent += piece
    assert sent == body
    assert bodies.size == 0


async def test_body_of_several_clients_counts_once() -> None:
    bodies, body = LongBodies(), bytes(BODY_BYTES)
    async with clients(bodies, lambda: body) as connect:
        readers = [await connect() for _ in range(3)]
        assert bodies.size == BODY_BYTES
        assert [await reader.rest() for reader in readers] == [BODY_BYTES] * 3
        await until(lambda: bodies.size == 0)


async def test_slowest_client_is_disconnected_at_the_memory_limit() -> None:
    bodies = LongBodies(2 * BODY_BYTES, patience_seconds=0)
    async with clients(bodies, lambda: bytes(BODY_BYTES)) as connect:
        first, second, third = [await connect() for _ in range(3)]
        assert await first.rest() < BODY_BYTES
        assert [await second.rest(), await third.rest()] == [BODY_BYTES] * 2


async def test_clients_have_their_patience_at_any_memory_use() -> None:
    bodies = LongBodies(BODY_BYTES, patience_seconds=PATIENCE_SECONDS)
    async with clients(bodies, lambda: bytes(BODY_BYTES)) as connect:
        readers = [await connect() for _ in range(3)]
        assert [await reader.rest() for reader in readers] == [BODY_BYTES] * 3


async def test_slow_client_is_disconnected_after_its_patience() -> None:
    bodies, made = LongBodies(BODY_BYTES, patience_seconds=0.2), list[bytes]()

    def body() -> bytes:
        made.append(bytes(BODY_BYTES))
        return made[-1]

    async with clients(bodies, body) as connect:
        first, second = [await connect() for _ in range(2)]
        await until(lambda: len(made) == 2 and bodies.size == BODY_BYTES)
        assert await first.rest() < BODY_BYTES
        assert await second.rest() == BODY_BYTES
