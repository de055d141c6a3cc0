"""Records who was shown what: behind the answers, many at once, and nothing is forgotten before it is kept.

What is told waits in memory until the database has committed it. That is a few hundredths of a second beyond
`EVERY_SECONDS` while the database answers; only a process that is killed, or a machine that fails, loses what
waits then. While the database does not answer it waits for as long as that lasts; once as much waits as may,
answers that would have to be recorded are refused.
"""

import asyncio
import time
import uuid
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from itertools import islice
from typing import Final

import structlog

from ops.base.access_log import metrics
from ops.base.access_log.batches import View, batch_of
from ops.base.encryption.actors import ACTORS
from ops.base.encryption.searches import SearchEncryption
from ops.base.http.problems import unavailable
from ops.base.process.tasks import supervised

EVERY_SECONDS: Final = 0.4
"""So long the first of a batch waits for others."""
BATCH_ENTRIES: Final = 500
"""The most views in a batch; fewer than `query_api.views.reading.PLACES`."""
MOST_ENTRIES: Final = 10_000
MOST_BYTES: Final = 8_000_000
RETRY_SECONDS: Final = 0.5
END_SECONDS: Final = 8.0
"""So long a service that ends goes on trying: less than whoever ends it waits before killing it."""

Write = Callable[[uuid.UUID, bytes], Awaitable[None]]
"""Records a batch; the same one twice is recorded once."""

logger = structlog.get_logger()


class Recorder:
    """What waits to be recorded."""

    def __init__(
        self,
        write: Write,
        *,
        most_entries: int = MOST_ENTRIES,
        most_bytes: int = MOST_BYTES,
        every_seconds: float = EVERY_SECONDS,
        retry_seconds: float = RETRY_SECONDS,
    ) -> None:
        """Describe it; `recording` makes it work.

        Args:
            write: what keeps a batch, or raises whatever it likes.
            most_entries: how many may wait.
            most_bytes: and how long all of them may be.
            every_seconds: how long the first of a batch waits for others.
            retry_seconds: how long to wait before a batch that could not be written is tried again.
        """
        self._write = write
        self._most_entries = most_entries
        self._most_bytes = most_bytes
        self._every_seconds = every_seconds
        self._retry_seconds = retry_seconds
        self._searches = SearchEncryption()
        self._waiting = deque[View]()
        self._bytes = 0
        self.waiting_since = 0.0
        """In seconds since 1970; 0: nothing waits."""
        self._any = asyncio.Event()
        self._many = asyncio.Event()
        """A whole batch waits, or no more will come."""
        self._ends = False

    @property
    def waiting(self) -> int:
        """How many wait."""
        return len(self._waiting)

    def note(self, view: View) -> None:
        """Take what an answer is going to show; it must not be sent before this has returned.

        Raises:
            Problem: 503, so much waits already that it could not be kept.
        """
        waiting, size = len(self._waiting) + 1, self._bytes + view.size
        if waiting > self._most_entries or size > self._most_bytes:
            metrics.VIEWS_REFUSED.inc()
            raise unavailable(
                "Who sees this must be recorded, and that is not possible now. Please try again.",
                retry_after=5,
            )
        self._waiting.append(view)
        self._bytes = size
        if waiting == 1:
            self.waiting_since = time.time()
            self._any.set()
        if waiting >= BATCH_ENTRIES:
            self._many.set()

    async def run(self) -> None:
        """Record until there is nothing more, and nothing more will come."""
        while self._waiting or not self._ends:
            await self._any.wait()
            if not self._many.is_set():
                with suppress(TimeoutError):
                    async with asyncio.timeout(self._every_seconds):
                        await self._many.wait()
            if self._waiting:
                await self._record(list(islice(self._waiting, BATCH_ENTRIES)))

    def end(self) -> None:
        """Say that nothing more will come."""
        self._ends = True
        self._any.set()
        self._many.set()

    async def _record(self, views: list[View]) -> None:
        batch_id, batch = uuid.uuid4(), b""
        while True:
            try:
                batch = batch or await self._batch_of(views)
                await self._write(batch_id, batch)
                break
            except Exception as error:  # noqa: BLE001 - whatever it is: what was shown is not forgotten for it
                metrics.VIEW_FAILURES.inc()
                logger.warning("views_not_recorded", error=type(error).__name__, waiting=self.waiting)
            await asyncio.sleep(self._retry_seconds)
        for view in views:
            self._waiting.popleft()
            self._bytes -= view.size
        self.waiting_since = time.time() if self._waiting else 0.0
        metrics.VIEW_BATCHES.inc()
        metrics.VIEWS_RECORDED.inc(len(views))
        if self._ends:
            return
        if not self._waiting:
            self._any.clear()
        if len(self._waiting) < BATCH_ENTRIES:
            self._many.clear()

    async def _batch_of(self, views: list[View]) -> bytes:
        for actor in {view.actor for view in views if view.actor is not None}:
            await ACTORS.name_to_write(actor.sub, actor.name)
        texts = {view.request: view.search for view in views if view.search is not None}
        return batch_of(views, await self._searches.encrypt(texts) if texts else {})


@asynccontextmanager
async def recording(write: Write, *, end_seconds: float = END_SECONDS) -> AsyncIterator[Recorder]:
    """Record for the time of a context, at whose end all that waits is written.

    Args:
        write: see `Recorder`.
        end_seconds: how long to go on trying at the end.
    """
    recorder = Recorder(write)
    metrics.VIEWS_WAITING.set_function(lambda: recorder.waiting)
    metrics.VIEWS_WAITING_SINCE.set_function(lambda: recorder.waiting_since)
    task = asyncio.create_task(supervised(recorder.run))
    try:
        yield recorder
    finally:
        recorder.end()
        _, late = await asyncio.wait({task}, timeout=end_seconds)
        for each in late:
            each.cancel()
            await asyncio.gather(each, return_exceptions=True)
        if recorder.waiting:
            logger.error("views_lost", entries=recorder.waiting)
