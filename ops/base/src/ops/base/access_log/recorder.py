"""Records views in batches, in the background; a view is lost only with the process.

A view waits in memory until the database has committed it, usually for `BATCH_SECONDS`. During an outage of
the database views wait until it is back; when the queue is full, answers with personal data are refused.
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
from prometheus_client import Counter, Gauge

from ops.base.access_log.views import PersonalView, batch_of
from ops.base.encryption.actors import ACTORS
from ops.base.encryption.searches import SearchEncryption
from ops.base.http.problems import unavailable
from ops.base.process.tasks import supervised

BATCH_SECONDS: Final = 0.4
"""How long the first view of a batch waits for others."""
BATCH_ENTRIES: Final = 500
"""Maximum size of a batch; less than `query_api.access_log.views.PLACES`."""
MOST_ENTRIES: Final = 10_000
MOST_BYTES: Final = 8_000_000
RETRY_SECONDS: Final = 0.5
END_SECONDS: Final = 8.0
"""How long a stopping service tries to record: less than its supervisor waits before it kills the service."""

_WAITING: Final = Gauge("fleetlog_views_waiting", "Answers with personal data that wait to be recorded")
_WAITING_SINCE: Final = Gauge(
    "fleetlog_views_waiting_timestamp_seconds", "Time of the oldest view that waits; 0: none"
)
_RECORDED: Final = Counter("fleetlog_views_recorded_total", "Recorded answers with personal data")
_BATCHES: Final = Counter("fleetlog_view_batches_total", "Recorded batches of views")
_FAILURES: Final = Counter("fleetlog_view_failures_total", "Failed attempts to record a batch")
_REFUSED: Final = Counter("fleetlog_view_refusals_total", "Answers refused because the view queue was full")

Write = Callable[[uuid.UUID, bytes], Awaitable[None]]
"""Records a batch; idempotent."""

logger = structlog.get_logger()


class Recorder:
    """The queue of views.

    Attributes:
        waiting_since: when the oldest view was added, in seconds since 1970; 0: the queue is empty.
    """

    def __init__(
        self, write: Write, *, most_entries: int = MOST_ENTRIES, most_bytes: int = MOST_BYTES
    ) -> None:
        """Create an empty queue; `run` records it.

        Args:
            write: records a batch; any exception means a retry.
        """
        self._write = write
        self._most_entries = most_entries
        self._most_bytes = most_bytes
        self._searches = SearchEncryption()
        self._waiting = deque[PersonalView]()
        self._bytes = 0
        self.waiting_since = 0.0
        self._has_views = asyncio.Event()
        self._has_batch = asyncio.Event()
        """A full batch waits, or the queue is closed."""
        self._is_closed = False

    @property
    def waiting(self) -> int:
        """The number of views that are not recorded yet."""
        return len(self._waiting)

    def add(self, view: PersonalView) -> None:
        """Add the view of an answer, which must not be sent before this has returned.

        Raises:
            Problem: 503, the queue is full.
        """
        waiting, size = len(self._waiting) + 1, self._bytes + view.size
        if waiting > self._most_entries or size > self._most_bytes:
            _REFUSED.inc()
            raise unavailable(
                "This access must be recorded, which is not possible now. Please try again.", retry_after=5
            )
        self._waiting.append(view)
        self._bytes = size
        if waiting == 1:
            self.waiting_since = time.time()
            self._has_views.set()
        if waiting >= BATCH_ENTRIES:
            self._has_batch.set()

    async def run(self) -> None:
        """Record views until the queue is closed and empty."""
        while self._waiting or not self._is_closed:
            await self._has_views.wait()
            if not self._has_batch.is_set():
                with suppress(TimeoutError):
                    async with asyncio.timeout(BATCH_SECONDS):
                        await self._has_batch.wait()
            if self._waiting:
                await self._record(list(islice(self._waiting, BATCH_ENTRIES)))

    def close(self) -> None:
        """Close the queue: no view follows."""
        self._is_closed = True
        self._has_views.set()
        self._has_batch.set()

    async def _record(self, views: list[PersonalView]) -> None:
        batch_id, batch = uuid.uuid4(), b""
        while True:
            try:
                batch = batch or await self._batch_of(views)
                await self._write(batch_id, batch)
                break
            except Exception as error:  # noqa: BLE001 - no error may drop views
                _FAILURES.inc()
                logger.warning("views_not_recorded", error=type(error).__name__, waiting=self.waiting)
            await asyncio.sleep(RETRY_SECONDS)
        for view in views:
            self._waiting.popleft()
            self._bytes -= view.size
        self.waiting_since = time.time() if self._waiting else 0.0
        _BATCHES.inc()
        _RECORDED.inc(len(views))
        if self._is_closed:
            return
        if not self._waiting:
            self._has_views.clear()
        if len(self._waiting) < BATCH_ENTRIES:
            self._has_batch.clear()

    async def _batch_of(self, views: list[PersonalView]) -> bytes:
        for actor in {view.actor for view in views if view.actor is not None}:
            await ACTORS.try_record(actor.sub, actor.name)
        texts = {view.request: view.search for view in views if view.search is not None}
        return batch_of(views, await self._searches.encrypt(texts) if texts else {})


@asynccontextmanager
async def recording(write: Write, *, end_seconds: float = END_SECONDS) -> AsyncIterator[Recorder]:
    """Record views within the context, at whose end the queue is emptied."""
    recorder = Recorder(write)
    _WAITING.set_function(lambda: recorder.waiting)
    _WAITING_SINCE.set_function(lambda: recorder.waiting_since)
    task = asyncio.create_task(supervised(recorder.run))
    try:
        yield recorder
    finally:
        recorder.close()
        _, late = await asyncio.wait({task}, timeout=end_seconds)
        for each in late:
            each.cancel()
            await asyncio.gather(each, return_exceptions=True)
        if recorder.waiting:
            logger.error("views_lost", entries=recorder.waiting)
