"""The connection that appends, and its two statements, without what a cursor does for any statement."""

import asyncio
from collections.abc import Sequence
from typing import Final, Self

import psycopg
from psycopg import generators
from psycopg.pq import ExecStatus
from psycopg.pq.abc import PGresult

from command_api.event_store import statements
from ops.base.connection import BoundedConnection, ServerSilent, connect

ANSWER_SECONDS: Final = 4.0  # more than a dead session may keep the log's lock: see statements.SESSION
_APPEND: Final = b"append"
_NOTIFY: Final = b"notify"


class Session:
    """A connection for one statement at a time; what it takes is half of what a cursor's `execute` does.

    A wait that fails, or that is given up, ends it: what became of the statement is unknown.
    """

    def __init__(self, connection: BoundedConnection) -> None:
        """See `over`."""
        self._connection = connection
        self._pgconn = connection.pgconn
        self._socket = connection.pgconn.socket
        self._is_watched = False
        self._results: list[PGresult] = []
        self._answered: asyncio.Future[None] | None = None

    @classmethod
    async def open(cls, dsn: str) -> Self:
        """Connect.

        Raises:
            psycopg.OperationalError: the server cannot be reached.
        """
        connection = await connect(dsn, autocommit=True, answer_seconds=ANSWER_SECONDS)
        await connection.execute(statements.SESSION)
        return await cls.over(connection)

    @classmethod
    async def over(cls, connection: BoundedConnection) -> Self:
        """Take over a connection that nobody else uses."""
        session = cls(connection)
        for name, statement in ((_APPEND, statements.APPEND), (_NOTIFY, statements.NOTIFY)):
            session._pgconn.send_prepare(name, statement.encode())
            await session._answer()
        return session

    @property
    def closed(self) -> bool:
        """Whether it has ended."""
        return self._connection.closed

    async def append(self, parameters: Sequence[bytes | None]) -> PGresult:
        """Run `statements.APPEND`; see `transaction`.

        Raises:
            psycopg.Error: what became of it is unknown, unless the server says why it refused.
        """
        return await self._run(_APPEND, parameters)

    async def notify(self, position: int) -> None:
        """Tell all who listen where the log ends; raises what `append` does."""
        await self._run(_NOTIFY, [str(position).encode()])

    async def close(self) -> None:
        """End it."""
        self._unwatch()
        await self._connection.close()

    async def _run(self, name: bytes, parameters: Sequence[bytes | None]) -> PGresult:
        self._pgconn.send_query_prepared(name, parameters, [1] * len(parameters), result_format=1)
        return await self._answer()

    async def _answer(self) -> PGresult:
        loop = asyncio.get_running_loop()
        self._answered = loop.create_future()
        timer = loop.call_later(ANSWER_SECONDS, self._fall_silent)
        try:
            if self._pgconn.flush():  # it is more than the system takes at once
                self._unwatch()
                await self._connection.wait(generators.send(self._pgconn))
            if not self._is_watched:  # and from then on: to begin and to end that takes as long as to wait
                loop.add_reader(self._socket, self._read)
                self._is_watched = True
            await self._answered
        except BaseException:
            self._unwatch()
            self._pgconn.finish()
            raise
        finally:
            timer.cancel()
            self._answered = None
        (result, *_), self._results = self._results, []
        return checked(result)

    def _read(self) -> None:
        try:
            self._pgconn.consume_input()
            while not self._pgconn.is_busy():
                result = self._pgconn.get_result()
                if result is None:
                    self._tell()
                    return
                self._results.append(result)
        except psycopg.Error as error:
            self._unwatch()  # the system gives the number of a socket that is closed to the next one
            if self._results:
                self._tell()  # why the server has ended it
            else:
                self._fail(error)

    def _tell(self) -> None:
        if self._answered is not None and not self._answered.done():
            self._answered.set_result(None)

    def _fall_silent(self) -> None:
        self._fail(ServerSilent(f"no answer in {ANSWER_SECONDS} s"))

    def _fail(self, error: psycopg.Error) -> None:
        if self._answered is not None and not self._answered.done():
            self._answered.set_exception(error)

    def _unwatch(self) -> None:
        if self._is_watched:
            self._is_watched = False
            asyncio.get_running_loop().remove_reader(self._socket)


def checked(result: PGresult) -> PGresult:
    """Return a result that is no error.

    Raises:
        psycopg.Error: it is one.
    """
    if result.status == ExecStatus.FATAL_ERROR:
        error = psycopg.errors.error_from_result(result)
        raise error if error.sqlstate else psycopg.OperationalError("the connection is lost")
    return result
