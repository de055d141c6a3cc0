"""Coalesced reads: concurrent requests share one statement."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Final, Generic, TypeVar

MOST_KEYS: Final = 64
"""Maximum keys per read, so that no caller waits for very many others."""

K = TypeVar("K")
V = TypeVar("V")


class SharedReads(Generic[K, V]):
    """Collects the keys that are requested during a read, and reads them together afterwards.

    A read begins after all its requests, so the results are as fresh as with separate reads. A lone caller is
    not delayed.
    """

    def __init__(self, read: Callable[[list[K]], Awaitable[Mapping[K, V]]]) -> None:
        """Share a read function, which takes distinct keys and returns the values that exist."""
        self._read = read
        self._waiting: dict[K, list[asyncio.Future[V | None]]] = {}
        self._reading: asyncio.Task[None] | None = None

    async def get(self, key: K) -> V | None:
        """Return the value of a key, or None; raises the errors of the read."""
        answer: asyncio.Future[V | None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(key, []).append(answer)
        if self._reading is None:
            # The task starts after the requests that are ready now.
            self._reading = asyncio.create_task(self._read_on())
        return await answer

    async def _read_on(self) -> None:
        try:
            while self._waiting:
                keys = list(self._waiting)[:MOST_KEYS]
                await self._answer({key: self._waiting.pop(key) for key in keys})
        finally:
            self._reading = None

    async def _answer(self, asked: dict[K, list[asyncio.Future[V | None]]]) -> None:
        try:
            found = await self._read(list(asked))
        except BaseException as error:
            for answer in _open(asked):
                answer.set_exception(error)
            if not isinstance(error, Exception):
                raise
        else:
            for key, answers in asked.items():
                for answer in answers:
                    if not answer.done():
                        answer.set_result(found.get(key))


def _open(asked: Mapping[K, list[asyncio.Future[V | None]]]) -> list[asyncio.Future[V | None]]:
    return [answer for answers in asked.values() for answer in answers if not answer.done()]
