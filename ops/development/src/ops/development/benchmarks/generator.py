"""Sends load from a process of its own.

The process shares the machine with the services it measures, so the work per request is minimal: requests
are rendered from templates, answers parsed by httptools and only counted.
"""

import asyncio
import itertools
import re
import secrets
import time
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import closing
from multiprocessing import get_context
from typing import Final

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
_PIECE_BYTES: Final = 1 << 18


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


class _Connection:
    """One connection with at most one request in flight."""

    def __init__(self, port: int) -> None:
        self.status = 0
        self.position: bytes | None = None
        self.stale = False
        self._port = port
        self._is_complete = False
        self._parser: httptools.HttpResponseParser
        self._reader: asyncio.StreamReader
        self._writer: asyncio.StreamWriter | None = None

    async def send(self, request: bytes) -> None:
        """Send a request and receive the answer; connect again if the server closed after the last one."""
        if self._writer is None:
            self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)
            self._parser = httptools.HttpResponseParser(self)
        self.stale = self._is_complete = False
        self._writer.write(request)
        while not self._is_complete:
            if not (data := await self._reader.read(_PIECE_BYTES)):
                raise ConnectionError("the server closed a connection")
            self._parser.feed_data(data)
        self.status = self._parser.get_status_code()
        if not self._parser.should_keep_alive():
            self.close()

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()
            self._writer = None

    def on_header(self, name: bytes, value: bytes) -> None:
        name = name.lower()
        if name == _POSITION_HEADER:
            self.position = value
        elif name == _CONSISTENCY_HEADER:
            self.stale = True

    def on_message_complete(self) -> None:
        self._is_complete = True


class _Run:
    """A job in progress."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.begin = time.perf_counter() + job.warm_up_seconds
        self.end = self.begin + job.seconds
        self.over = False
        self.sample = Sample(seconds=0)
        self._templates = [_Template(request, job.port) for request in job.requests]
        self._unique_values = _unique_values()
        self._picks = itertools.cycle(range(job.pick_from))
        self._rounds = itertools.count() if job.rounds is None else iter(range(job.rounds))

    async def send_rounds(self) -> None:
        """Send rounds on one connection until the job is over."""
        with closing(_Connection(self.job.port)) as connection:
            while not self.over and next(self._rounds, None) is not None:
                await self._send_round(connection)

    async def _send_round(self, connection: _Connection) -> None:
        values = {
            UNIQUE.encode(): next(self._unique_values),
            PICK.encode(): b"%0*d" % (PICK_LENGTH, next(self._picks)),
        }
        for number, template in enumerate(self._templates):
            sent = time.perf_counter()
            await connection.send(template.render(values))
            good = self._count(number, connection, sent, time.perf_counter())
            if self.over or not good:
                return
            if connection.position is not None:
                values[POSITION.encode()] = connection.position

    def _count(self, number: int, answer: _Connection, sent: float, now: float) -> bool:
        """Count an answer to the request of this number in its round; return whether its status is right."""
        sample, good = self.sample, answer.status == self.job.requests[number].status
        if self.job.rounds is not None:
            self.end = now
        elif now > self.end and not self.over:
            self.over = bool(sample.latencies or sample.errors)
            if not self.over:
                self.end = now  # include this answer, so that each run has one
        if self.begin <= now <= self.end:
            if good and number == len(self._templates) - 1:
                sample.latencies.append(round((now - sent) * 1e6))
            sample.errors += not good
            sample.stale += answer.stale
        return good


def _unique_values() -> Iterator[bytes]:
    run = secrets.token_hex(3)
    return (b"%s%06d" % (run.encode(), number) for number in itertools.count())


def generator() -> Executor:
    """Return the process that sends load, for use as a context manager."""
    return ProcessPoolExecutor(1, mp_context=get_context("spawn"))


def send(process: Executor, job: Job) -> Sample:
    """Run a job in the process.

    Raises:
        ConnectionError: the server closed a connection or does not answer.
    """
    return process.submit(_work_in_uvloop, job).result()


def _work_in_uvloop(job: Job) -> Sample:
    return uvloop.run(_work(job))


async def _work(job: Job) -> Sample:
    run = _Run(job)
    limit = None if job.rounds else job.warm_up_seconds + job.seconds + _DRAIN_SECONDS
    try:
        async with asyncio.timeout(limit):
            await asyncio.gather(*(run.send_rounds() for _ in range(job.connections)))
    except TimeoutError:
        raise ConnectionError("the server does not answer") from None
    return run.sample.model_copy(update={"seconds": run.end - run.begin})
