"""The keys of an application, which is not asynchronous, as a key ring is."""

import asyncio
from collections.abc import Coroutine, Sequence
from concurrent.futures import Future
from threading import Thread
from typing import Any, Final, TypeVar

from eventsourcing.persistence import OperationalError

from command_api.event_store.records import RecordedEvent
from ops.base.encryption.key_cache import KeyCache
from ops.base.encryption.key_encryption_keys import KeysUnavailable
from ops.base.encryption.keys import Key

_PATIENCE_SECONDS: Final = 60.0

T = TypeVar("T")


class Keys:
    """A `KeyCache` in a thread of its own, over the key store that the environment names."""

    def __init__(self) -> None:
        self._cache = KeyCache()
        self._loop = asyncio.new_event_loop()
        self._closed = asyncio.Event()
        self._made: tuple[str, Key] | None = None
        opened = Future[None]()
        self._thread = Thread(target=self._run, args=[opened], name="keys", daemon=True)
        self._thread.start()
        opened.result()

    def close(self) -> None:
        """Hold no key any more."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._closed.set)
        self._thread.join()

    def give(self, events: Sequence[RecordedEvent]) -> None:
        """Give sealed events their keys.

        Raises:
            OperationalError: they cannot be had now.
        """
        if any(event.key_id for event in events):
            self._call(self._cache.unlock(events))

    def next_key(self, stream: str, newest: RecordedEvent | None) -> Key:
        """Return what a stream's next event is sealed under.

        Args:
            stream: its name.
            newest: its newest event, which was given its key; None: it has none.

        Raises:
            OperationalError: it cannot be had now, or was erased.
        """
        if newest is not None and newest.key_id is not None:
            if newest.key is None:
                raise OperationalError(f"{newest.key_id} was erased, or is in another key store")
            return newest.key
        if self._made is None or self._made[0] != stream:  # several events may begin a stream together
            self._made = stream, self._call(self._cache.issue())
        return self._made[1]

    def _call(self, asked: Coroutine[Any, Any, T]) -> T:
        try:
            return asyncio.run_coroutine_threadsafe(asked, self._loop).result(_PATIENCE_SECONDS)
        except (KeysUnavailable, TimeoutError) as error:
            raise OperationalError(str(error)) from None

    def _run(self, opened: "Future[None]") -> None:
        async def hold() -> None:
            async with self._cache.use():
                opened.set_result(None)
                await self._closed.wait()

        try:
            with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
                runner.run(hold())
        except Exception as error:
            if opened.done():
                raise
            opened.set_exception(error)
