"""`python -m ops.development.benchmarks.generator`: the load, from a process of its own.

It reads jobs from its standard input, one JSON document a line, and answers each with a line that holds a
`Result`. It does no more per request than it must, for it shares the machine with what it
measures: requests are rendered from templates, answers are parsed by httptools, and only counted.
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

from ops.base.consistency import CONSISTENCY_HEADER, POSITION_HEADER
from ops.development.benchmarks.jobs import (
    PICK,
    PICK_LENGTH,
    POSITION,
    UNIQUE,
    UNIQUE_LENGTH,
    Job,
    Result,
    Step,
    Tally,
)

_PLACEHOLDER: Final = re.compile(
    "|".join(f"({re.escape(name)})" for name in (UNIQUE, PICK, POSITION)).encode()
)
_POSITION_HEADER: Final = POSITION_HEADER.lower().encode()
_CONSISTENCY_HEADER: Final = CONSISTENCY_HEADER.lower().encode()
_DRAIN_SECONDS: Final = 30.0


class _Template:
    """A request, rendered but for its placeholders."""

    def __init__(self, step: Step) -> None:
        headers = {"Host": f"127.0.0.1:{step.port}", **step.headers}
        body = (step.body or "").encode()
        if step.body is not None:
            length = len(
                body.replace(UNIQUE.encode(), b"u" * UNIQUE_LENGTH).replace(PICK.encode(), b"p" * PICK_LENGTH)
            )
            headers["Content-Length"] = str(length)
        lines = [
            f"{step.method} {step.path} HTTP/1.1",
            *(f"{name}: {value}" for name, value in headers.items()),
        ]
        text = "\r\n".join(lines).encode() + b"\r\n\r\n" + body
        self._pieces = [piece for piece in _PLACEHOLDER.split(text) if piece is not None]

    def render(self, values: dict[bytes, bytes]) -> bytes:
        return b"".join([values.get(piece, piece) for piece in self._pieces])


class _Connection(asyncio.Protocol):
    """One connection, on which one request is under way at a time."""

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

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - the protocol's
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


class _Slot:
    """Does one round after another."""

    def __init__(self, run: "_Run", number: int) -> None:
        self._run = run
        self._values: dict[bytes, bytes] = {}
        self._step = 0
        self._sent = 0.0
        self._connections: dict[int, _Connection] = {}
        self.done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        job = run.job
        self._interval = job.connections / job.rounds_per_second if job.rounds_per_second else None
        self._due = time.perf_counter() + (self._interval or 0) * number / job.connections

    async def connect(self) -> None:
        for port in {step.port for step in self._run.job.steps}:
            await self._connect(port)

    async def _connect(self, port: int) -> None:
        _, self._connections[port] = await asyncio.get_running_loop().create_connection(
            lambda: _Connection(self._answered, self._lost), "127.0.0.1", port
        )

    def begin(self) -> None:
        self._values = self._run.new_values()
        self._step = 0
        self._send()

    def close(self) -> None:
        for connection in self._connections.values():
            connection.close()

    def _send(self) -> None:
        step = self._run.job.steps[self._step]
        if self._connections[step.port].is_last:
            self._reconnecting = asyncio.ensure_future(self._reconnect(step.port))
            return
        request = self._run.templates[self._step].render(self._values)
        self._sent = time.perf_counter()
        self._connections[step.port].send(request)

    async def _reconnect(self, port: int) -> None:
        """Go on where a server, as nginx does, ends a connection after so many answers."""
        try:
            await self._connect(port)
        except OSError:
            self._lost()
        else:
            self._send()

    def _answered(self, connection: _Connection) -> None:
        now = time.perf_counter()
        good = self._run.count(self._step, connection, self._sent, now)
        if self._run.over:
            self.done.set_result(None)
            return
        self._step += 1
        if good and self._step < len(self._run.templates):
            if connection.position is not None:
                self._values[POSITION.encode()] = connection.position
            self._send()
        elif self._interval is None:
            self.begin()
        else:
            self._due = max(self._due + self._interval, now)
            asyncio.get_running_loop().call_later(self._due - now, self.begin)

    def _lost(self) -> None:
        if not self.done.done():
            self.done.set_exception(ConnectionError("the server closed a connection"))


class _Run:
    """A job at work."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.templates = [_Template(step) for step in job.steps]
        self.begin = time.perf_counter() + job.warm_up_seconds
        self.end = self.begin + job.seconds
        self.over = False
        self.tallies = [Tally() for _ in job.steps]
        self._uniques = _uniques()
        self._picks = itertools.cycle(range(job.pick_from))

    def new_values(self) -> dict[bytes, bytes]:
        return {
            UNIQUE.encode(): next(self._uniques),
            PICK.encode(): b"%0*d" % (PICK_LENGTH, next(self._picks)),
        }

    def count(self, step: int, answer: _Connection, sent: float, now: float) -> bool:
        """Count an answer, and tell whether it is as it must be."""
        good = answer.status == self.job.steps[step].status
        if now > self.end and not self.over:
            self.over = bool(self.tallies[-1].latencies) or any(tally.errors for tally in self.tallies)
            if not self.over:
                self.end = now  # this answer counts still
        if self.begin <= now <= self.end:
            tally = self.tallies[step]
            if good:
                tally.latencies.append(round((now - sent) * 1e6))
            tally.errors += not good
            tally.stale += answer.stale
        return good


def _uniques() -> Iterator[bytes]:
    run = secrets.token_hex(3)
    return (b"%s%06d" % (run.encode(), number) for number in itertools.count())


async def work(job: Job) -> Result:
    """Do a job.

    Raises:
        ConnectionError: a server closed a connection, or does not answer.
    """
    run = _Run(job)
    slots = [_Slot(run, number) for number in range(job.connections)]
    try:
        for slot in slots:
            await slot.connect()
        for slot in slots:
            slot.begin()
        async with asyncio.timeout(job.warm_up_seconds + job.seconds + _DRAIN_SECONDS):
            await asyncio.gather(*(slot.done for slot in slots))
    except TimeoutError:
        raise ConnectionError("a server does not answer") from None
    finally:
        for slot in slots:
            slot.done.cancel()
            slot.close()
    return Result(seconds=run.end - run.begin, tallies=run.tallies)


def main() -> None:
    """Do the jobs that come in; end when no more can."""
    for line in sys.stdin:
        result = uvloop.run(work(Job.model_validate_json(line)))
        print(result.model_dump_json(), flush=True)


if __name__ == "__main__":
    main()
