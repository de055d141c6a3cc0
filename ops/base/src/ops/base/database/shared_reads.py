"""Reads that those who wait for one share: a round trip and a statement for many requests."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Final, Generic, TypeVar

MOST_KEYS: Final = 64
"""Read at once: enough to share, and nobody waits for the sake of very many others."""

K = TypeVar("K")
V = TypeVar("V")


class SharedReads(Generic[K, V]):
    """Collects what is asked for while a read is under way, and reads it all together afterwards.

    A read always begins after it was asked for, so nobody gets what was there before they asked: it is as
    exact as a read of one's own. Whoever is alone waits for nobody.
    """

    def __init__(self, read: Callable[[list[K]], Awaitable[Mapping[K, V]]]) -> None:
        """Prepare to read.

        Args:
            read: reads what belongs to some different keys; of those without anything it says nothing.
        """
        self._read = read
        self._waiting: dict[K, list[asyncio.Future[V | None]]] = {}
        self._reading: asyncio.Task[None] | None = None

    async def get(self, key: K) -> V | None:
        """Return what belongs to a key, as it is at some moment from now on; None where nothing does.

        Raises:
            Exception: whatever the read raises.
        """
        answer: asyncio.Future[V | None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(key, []).append(answer)
        if self._reading is None:
            # It begins when all requests that have come in by now have asked.
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
