"""A TCP proxy before PostgreSQL that loses the answer to a commit."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from psycopg.conninfo import conninfo_to_dict, make_conninfo


class CuttingProxy:
    """Forwards everything; while armed, it lets one COMMIT through and cuts before its answer."""

    def __init__(self, host: str, port: int) -> None:
        self._target = (host, port)
        self._armed = False
        self.cuts = 0
        self._connections: set[asyncio.Task[None]] = set()

    def cut_after_next_commit(self) -> None:
        self._armed = True

    def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(self._serve(reader, writer))
        self._connections.add(task)
        task.add_done_callback(self._connections.discard)

    async def hang_up(self) -> None:
        for task in self._connections:
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        server_reader, server_writer = await asyncio.open_connection(*self._target)
        down = asyncio.create_task(self._forward(server_reader, writer))
        try:
            while chunk := await reader.read(65536):
                losing = self._armed and b"COMMIT" in chunk
                if losing:
                    self._armed = False
                    down.cancel()
                    await asyncio.wait([down])
                server_writer.write(chunk)
                await server_writer.drain()
                if losing:
                    await server_reader.read(65536)  # the answer: the commit has happened
                    self.cuts += 1
                    break
        finally:
            down.cancel()
            server_writer.close()
            writer.close()

    async def _forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while chunk := await reader.read(65536):
            writer.write(chunk)
            await writer.drain()


@asynccontextmanager
async def cutting_proxy(dsn: str) -> AsyncIterator[tuple[CuttingProxy, str]]:
    """Run a proxy before the server of `dsn`; gives it and the DSN that leads through it."""
    parameters = conninfo_to_dict(dsn)
    proxy = CuttingProxy(str(parameters["host"]), int(str(parameters["port"])))
    server = await asyncio.start_server(proxy.accept, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    try:
        yield proxy, make_conninfo(dsn, port=port, sslmode="disable", gssencmode="disable")
    finally:
        server.close()
        await proxy.hang_up()
