"""Access to the asynchronous key cache for synchronous applications."""

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

_TIMEOUT_SECONDS: Final = 60.0

T = TypeVar("T")


class Keys:
    """A `KeyCache` in its own thread, on the key store that the environment names."""

    def __init__(self) -> None:
        self._cache = KeyCache()
        self._loop = asyncio.new_event_loop()
        self._closed = asyncio.Event()
        self._issued: tuple[str, Key] | None = None
        opened = Future[None]()
        self._thread = Thread(target=self._run, args=[opened], name="keys", daemon=True)
        self._thread.start()
        opened.result()

    def close(self) -> None:
        """Drop all keys and stop the thread."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._closed.set)
        self._thread.join()

    def unlock(self, events: Sequence[RecordedEvent]) -> None:
        """Set the keys of encrypted events; raises `OperationalError`."""
        if any(event.key_id for event in events):
            self._call(self._cache.unlock(events))

    def next_key(self, stream: str, newest: RecordedEvent | None) -> Key:
        """Return the key that encrypts a stream's next event; raises `OperationalError`.

        Args:
            newest: its newest event, unlocked; None: it has no event.
        """
        if newest is not None and newest.key_id is not None:
            if newest.key is None:
                raise OperationalError(f"{newest.key_id} was erased, or is in another key store")
            return newest.key
        if self._issued is None or self._issued[0] != stream:  # one save may append several first events
            self._issued = stream, self._call(self._cache.issue())
        return self._issued[1]

    def _call(self, call: Coroutine[Any, Any, T]) -> T:
        try:
            return asyncio.run_coroutine_threadsafe(call, self._loop).result(_TIMEOUT_SECONDS)
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
