"""`python -m ops.development.benchmarks.generator`: sends load from a process of its own.

Reads one JSON `Job` per line from standard input and answers each with a `Sample` line. The process shares
the machine with the services it measures, so the work per request is minimal: requests are rendered from
templates, answers parsed by httptools and only counted.
"""

import asyncio
import itertools
import re
import secrets
import sys
import time
from collections.abc import Callable, Iterator
from typing import Final, cast

import httptools
import uvloop

from ops.base.http.consistency import CONSISTENCY_HEADER, POSITION_HEADER
from ops.development.benchmarks.load import (
    PICK,
    PICK_LENGTH,
    POSITION,
    UNIQUE,
    UNIQUE_LENGTH,
    Job,
    Request,
    Sample,
)

_PLACEHOLDER: Final = re.compile(
    "|".join(f"({re.escape(each)})" for each in (UNIQUE, PICK, POSITION)).encode()
)
_POSITION_HEADER: Final = POSITION_HEADER.lower().encode()
_CONSISTENCY_HEADER: Final = CONSISTENCY_HEADER.lower().encode()
_DRAIN_SECONDS: Final = 30.0


class _Template:
    """A request rendered except for its placeholders."""

    def __init__(self, request: Request, port: int) -> None:
        headers = {"Host": f"127.0.0.1:{port}", **request.headers}
        body = (request.body or "").encode()
        if request.body is not None:
            rendered = body.replace(UNIQUE.encode(), b"u" * UNIQUE_LENGTH).replace(
                PICK.encode(), b"p" * PICK_LENGTH
            )
            headers["Content-Length"] = str(len(rendered))
        lines = [
            f"{request.method} {request.path} HTTP/1.1",
            *(f"{name}: {value}" for name, value in headers.items()),
        ]
        text = "\r\n".join(lines).encode() + b"\r\n\r\n" + body
        self._pieces = [piece for piece in _PLACEHOLDER.split(text) if piece is not None]

    def render(self, values: dict[bytes, bytes]) -> bytes:
        return b"".join([values.get(piece, piece) for piece in self._pieces])


class _Connection(asyncio.Protocol):
    """One connection with at most one request in flight."""

    def __init__(self, on_answer: Callable[["_Connection"], None], on_lost: Callable[[], None]) -> None:
        self.status = 0
        self.is_last = False
        self.position: bytes | None = None
        self.stale = False
        self._on_answer = on_answer
        self._on_lost = on_lost
        self._parser = httptools.HttpResponseParser(self)
        self._transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - asyncio's signature
        if not self.is_last:
            self._on_lost()

    def send(self, request: bytes) -> None:
        self.stale = False
        self._transport.write(request)

    def close(self) -> None:
        self._transport.close()

    def data_received(self, data: bytes) -> None:
        self._parser.feed_data(data)

    def on_header(self, name: bytes, value: bytes) -> None:
        name = name.lower()
        if name == _POSITION_HEADER:
            self.position = value
        elif name == _CONSISTENCY_HEADER:
            self.stale = True

    def on_message_complete(self) -> None:
        self.status = self._parser.get_status_code()
        self.is_last = not self._parser.should_keep_alive()
        self._on_answer(self)


class _Client:
    """One connection's sequence of rounds."""

    def __init__(self, run: "_Run", number: int) -> None:
        self._run = run
        self._values: dict[bytes, bytes] = {}
        self._next = 0
        self._sent = 0.0
        self._connection: _Connection
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        job = run.job
        self._interval = job.connections / job.rounds_per_second if job.rounds_per_second else None
        self._due = time.perf_counter() + (self._interval or 0) * number / job.connections

    async def connect(self) -> None:
        _, self._connection = await asyncio.get_running_loop().create_connection(
            lambda: _Connection(self._answered, self._lost), "127.0.0.1", self._run.job.port
        )

    def begin_or_end(self) -> None:
        """Begin the next round if the job has one."""
        if not self._run.has_next_round():
            self.done.set_result(None)
            return
        self._values = self._run.new_values()
        self._next = 0
        self._send()

    def close(self) -> None:
        self._connection.close()

    def _send(self) -> None:
        if self._connection.is_last:
            self._reconnecting = asyncio.ensure_future(self._reconnect())
            return
        request = self._run.templates[self._next].render(self._values)
        self._sent = time.perf_counter()
        self._connection.send(request)

    async def _reconnect(self) -> None:
        """Continue after a server such as nginx closed the connection by its limit of requests."""
        try:
            await self.connect()
        except OSError:
            self._lost()
        else:
            self._send()

    def _answered(self, connection: _Connection) -> None:
        now = time.perf_counter()
        good = self._run.count(self._next, connection, self._sent, now)
        if self._run.over:
            self.done.set_result(None)
            return
        self._next += 1
        if good and self._next < len(self._run.templates):
            if connection.position is not None:
                self._values[POSITION.encode()] = connection.position
            self._send()
        elif self._interval is None:
            self.begin_or_end()
        else:
            self._due = max(self._due + self._interval, now)
            asyncio.get_running_loop().call_later(self._due - now, self.begin_or_end)

    def _lost(self) -> None:
        if not self.done.done():
            self.done.set_exception(ConnectionError("the server closed a connection"))


class _Run:
    """A job in progress."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.templates = [_Template(request, job.port) for request in job.requests]
        self.begin = time.perf_counter() + job.warm_up_seconds
        self.end = self.begin + job.seconds
        self.over = False
        self.sample = Sample(seconds=0)
        self._unique_values = _unique_values()
        self._picks = itertools.cycle(range(job.pick_from))
        self._rounds = itertools.count() if job.rounds is None else iter(range(job.rounds))

    def has_next_round(self) -> bool:
        return next(self._rounds, None) is not None

    def new_values(self) -> dict[bytes, bytes]:
        return {
            UNIQUE.encode(): next(self._unique_values),
            PICK.encode(): b"%0*d" % (PICK_LENGTH, next(self._picks)),
        }

    def count(self, number: int, answer: _Connection, sent: float, now: float) -> bool:
        """Count an answer to the request of this number in its round; return whether its status is right."""
        sample, good = self.sample, answer.status == self.job.requests[number].status
        if self.job.rounds is not None:
            self.end = now
        elif now > self.end and not self.over:
            self.over = bool(sample.latencies or sample.errors)
            if not self.over:
                self.end = now  # include this answer, so that each run has one
        if self.begin <= now <= self.end:
            if good and number == len(self.templates) - 1:
                sample.latencies.append(round((now - sent) * 1e6))
            sample.errors += not good
            sample.stale += answer.stale
        return good


def _unique_values() -> Iterator[bytes]:
    run = secrets.token_hex(3)
    return (b"%s%06d" % (run.encode(), number) for number in itertools.count())


async def work(job: Job) -> Sample:
    """Run a job.

    Raises:
        ConnectionError: the server closed a connection or does not answer.
    """
    run = _Run(job)
    clients = [_Client(run, number) for number in range(job.connections)]
    try:
        for client in clients:
            await client.connect()
        for client in clients:
            client.begin_or_end()
        limit = None if job.rounds else job.warm_up_seconds + job.seconds + _DRAIN_SECONDS
        async with asyncio.timeout(limit):
            await asyncio.gather(*(client.done for client in clients))
    except TimeoutError:
        raise ConnectionError("the server does not answer") from None
    finally:
        for client in clients:
            client.done.cancel()
            client.close()
    return run.sample.model_copy(update={"seconds": run.end - run.begin})


def main() -> None:
    """Run the jobs on standard input until it ends."""
    for line in sys.stdin:
        sample = uvloop.run(work(Job.model_validate_json(line)))
        print(sample.model_dump_json(), flush=True)


if __name__ == "__main__":
    main()
