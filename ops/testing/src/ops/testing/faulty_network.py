"""A TCP proxy that injects network faults: FIN, RST, loss, delay."""

import asyncio
import contextlib
import socket
import struct
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final

from psycopg.conninfo import conninfo_to_dict, make_conninfo

_CHUNK_BYTES: Final = 65536


class FaultyNetwork:
    """The network in front of one server.

    Attributes:
        lost_answers: the number of lost answers, see `lose_next_answer_to`.
    """

    def __init__(self, host: str, port: int) -> None:
        self.lost_answers = 0
        self.passing = asyncio.Event()
        self.passing.set()
        self.silent_to_server = False
        self.silent_to_client = False
        self.marker_of_lost: bytes | None = None
        self._target = (host, port)
        self._connections: set[_Connection] = set()

    def cut(self) -> None:
        """Close all connections: both sides receive FIN, as from a proxy that stops."""
        for connection in list(self._connections):
            connection.end()

    def reset(self) -> None:
        """Abort all connections with RST, as a firewall does that has lost their state."""
        for connection in list(self._connections):
            connection.reset()

    def fall_silent(self, *, to_server: bool = True, to_client: bool = True) -> None:
        """Lose all bytes of a direction, also of new connections, which stay half-open for ever."""
        self.silent_to_server, self.silent_to_client = to_server, to_client
        for connection in self._connections:
            connection.silence(to_server=to_server, to_client=to_client)

    def hold_back(self) -> None:
        """Delay all bytes until the network is healed."""
        self.passing.clear()

    def heal(self) -> None:
        """Let new connections work; connections that lost bytes stay silent."""
        self.silent_to_server = self.silent_to_client = False
        self.passing.set()

    def lose_next_answer_to(self, marker: bytes) -> None:
        """Forward the next message that contains a marker, and close the connection before its answer."""
        self.marker_of_lost = marker

    def close_silent(self) -> None:
        """Close silent connections, as the server's TCP keepalive does in the end."""
        for connection in list(self._connections):
            if connection.is_silent:
                connection.end()

    async def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            server_reader, server_writer = await asyncio.open_connection(*self._target)
        except OSError:
            writer.close()
            return
        connection = _Connection(self, (reader, writer), (server_reader, server_writer))
        connection.silence(to_server=self.silent_to_server, to_client=self.silent_to_client)
        self._connections.add(connection)
        try:
            await connection.run()
        finally:
            self._connections.discard(connection)


_Stream = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class _Connection:
    def __init__(self, network: FaultyNetwork, client: _Stream, server: _Stream) -> None:
        self._network = network
        self._client, self._server = client, server
        self._to_server_lost = self._to_client_lost = False
        self._answer_lost = False
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def is_silent(self) -> bool:
        return self._to_server_lost or self._to_client_lost

    def silence(self, *, to_server: bool, to_client: bool) -> None:
        self._to_server_lost |= to_server
        self._to_client_lost |= to_client

    async def run(self) -> None:
        to_server = self._forward(self._client[0], self._server[1], self._take_from_client)
        to_client = self._forward(self._server[0], self._client[1], self._take_from_server)
        self._tasks = [asyncio.create_task(way) for way in (to_server, to_client)]
        try:
            await asyncio.wait(self._tasks, return_when=asyncio.FIRST_COMPLETED)
            # Across a silent network one side does not notice that the other has closed.
            if self.is_silent and not any(task.cancelled() for task in self._tasks):
                await asyncio.wait(self._tasks)
        finally:
            self.end()

    def end(self) -> None:
        for task in self._tasks:
            task.cancel()
        for _, writer in (self._client, self._server):
            writer.close()

    def reset(self) -> None:
        for _, writer in (self._client, self._server):
            with contextlib.suppress(OSError):
                plain: socket.socket = writer.get_extra_info("socket")
                # with a linger time of 0, closing sends RST
                plain.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            writer.transport.abort()
        self.end()

    async def _forward(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        take: Callable[[bytes], bool],
    ) -> None:
        with contextlib.suppress(ConnectionError):
            while chunk := await reader.read(_CHUNK_BYTES):
                await self._network.passing.wait()
                if take(chunk):
                    writer.write(chunk)
                    await writer.drain()

    def _take_from_client(self, chunk: bytes) -> bool:
        marker = self._network.marker_of_lost
        if marker and marker in chunk:
            self._network.marker_of_lost = None
            self._answer_lost = True
        return not self._to_server_lost

    def _take_from_server(self, _chunk: bytes) -> bool:
        if self._answer_lost:  # the server has executed the request
            self._network.lost_answers += 1
            self.end()
            return False
        return not self._to_client_lost


@asynccontextmanager
async def faulty_network(dsn: str) -> AsyncIterator[tuple[FaultyNetwork, str]]:
    """Put a network in front of a DSN's server; yield the network and the DSN through it."""
    parameters = conninfo_to_dict(dsn)
    async with network_to(str(parameters["host"]), int(str(parameters["port"]))) as (network, port):
        yield network, make_conninfo(dsn, port=port, sslmode="disable", gssencmode="disable")


@asynccontextmanager
async def network_to(host: str, port: int) -> AsyncIterator[tuple[FaultyNetwork, int]]:
    """Put a network in front of a server; yield the network and its port of 127.0.0.1."""
    network = FaultyNetwork(host, port)
    tasks: set[asyncio.Task[None]] = set()

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(network.accept(reader, writer))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    server = await asyncio.start_server(accept, "127.0.0.1", 0)
    try:
        yield network, server.sockets[0].getsockname()[1]
    finally:
        server.close()
        network.cut()
        for task in list(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
