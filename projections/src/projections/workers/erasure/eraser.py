"""Executes erasures in one process at a time, from the event to the receipt."""

import asyncio
import time
from collections.abc import Coroutine
from functools import partial
from pathlib import Path
from typing import Any, Final, Never, TypeVar

import structlog
from psycopg import AsyncConnection

from ops.base.encryption.key_cache import KEYS
from ops.base.encryption.key_encryption_keys import KeysUnavailable
from ops.base.http.health import ReadinessCheck
from ops.base.process.failpoints import failpoint
from ops.tamper_evidence.sealed_log import SealedLog
from ops.tamper_evidence.signed_notes import SigningKey
from projections import metrics
from projections.event_log import require_going
from projections.leadership.leader import STANDBY_SECONDS, Leader
from projections.leadership.locks import try_to_lock
from projections.leadership.sessions import open_session
from projections.workers.erasure import erasures
from projections.workers.erasure.erasures import timestamped
from projections.workers.erasure.receipts import receipts
from projections.workers.erasure.steps import NotYet, Steps
from projections.workers.sealing.settings import SealingSettings, require_seals
from read_model.lock_keys import ERASE_KEY

POLL_SECONDS: Final = 1.0
_LONG_SECONDS: Final = 600.0
"""Wait after which an operator must help."""
_STEP_SECONDS: Final = 3600.0
"""The longest silence between two statements of a step, such as while files are scanned."""

T = TypeVar("T")


def eraser_of(dsn: str) -> "Eraser | None":
    """Return the eraser of a worker that seals, because the sealing key signs receipts; otherwise None.

    Raises:
        ProjectionStopped: the key cannot be read.
    """
    settings = SealingSettings()
    return None if settings.seals is None else Eraser(dsn, *require_seals(), folder=settings.scanned)


class Eraser(Leader):
    """Executes the erasures that events request.

    Args:
        dsn: where to connect, with the rights of a projection worker that also seals.
        key: the key that signs receipts.
        folder: the folder to scan for remaining texts, if any.
    """

    def __init__(self, dsn: str, seals: SealedLog, key: SigningKey, *, folder: Path | None = None) -> None:
        failures = partial(metrics.FAILURES.labels, "erasing")
        super().__init__("erasing", dsn, structlog.get_logger(), metrics.ERASING, failures)
        self._seals = seals
        self._key = key
        self._steps = Steps(folder)
        self._waits: str | None = None
        self._waits_since = time.monotonic()

    @property
    def knows_texts(self) -> bool:
        """Whether this process alone knows texts that remain to be scanned for."""
        return self._steps.knows_texts

    def readiness(self) -> ReadinessCheck:
        """Return the role, and the reason for any wait."""
        detail = {"role": self.state.role, "error": self.state.error, "waits": self._waits}
        waits_long = self._waits is not None and time.monotonic() - self._waits_since > _LONG_SECONDS
        return ReadinessCheck(ok=True, degraded=waits_long or self.state.error is not None, detail=detail)

    async def _work(self, connection: AsyncConnection) -> Never:
        while not await try_to_lock(connection, ERASE_KEY):
            self._set_role("standby")
            self._steps.forget_texts(await erasures.pending(connection))
            metrics.ERASING_SINCE.set(0)
            await asyncio.sleep(STANDBY_SECONDS)
        seen = 0
        while True:
            await require_going(connection)
            seen = await erasures.begin_new(connection, after=seen)
            left = await erasures.pending(connection)
            metrics.ERASING_SINCE.set(min((one.since.timestamp() for one in left), default=0))
            if left:
                await _run_with_lock(connection, self.advance())
            self._set_role("leading")
            await asyncio.sleep(POLL_SECONDS)

    async def advance(self) -> None:
        """Execute every step that is possible now, for all erasures, in order."""
        async with open_session(self._dsn, answer_seconds=None, silence_seconds=_STEP_SECONDS) as connection:
            waits = None
            try:
                await KEYS.verify()
                for name, step in self._steps.in_order.items():
                    pending = await erasures.pending(connection)
                    if due := [one for one in pending if self._steps.is_due(name, one)]:
                        results = await step(connection, due)
                        failpoint(f"erasing.{name}")
                        await erasures.record_step(connection, due, name, results)
                        failpoint(f"erasing.{name}_recorded")
            except (NotYet, KeysUnavailable) as error:
                waits = str(error)
            await self._issue(connection, waits)

    async def _issue(self, connection: AsyncConnection, waits: str | None) -> None:
        left = await erasures.pending(connection)
        self._steps.forget_texts(left)
        complete = [one for one in left if "scanned" in one.steps]
        for erasure, receipt in await receipts(connection, self._seals, self._key, complete):
            failpoint("erasing.receipt")
            await erasures.issue(connection, erasure, receipt)
            failpoint("erasing.issued")
            left.remove(erasure)
            self._log.info("erased", entity=erasure.event.entity, position=erasure.position)
        waits = waits or ("no seal covers it yet" if left else None)
        if waits != self._waits:
            self._waits, self._waits_since = waits, time.monotonic()
            if waits is not None:
                self._log.warning("erasing_waits", why=waits, erasures=len(left))
        changed = [one for one in left if one.steps.get(erasures.WAITS, {}).get("why") != waits]
        await erasures.record_step(
            connection, changed, erasures.WAITS, [timestamped(why=waits)] * len(changed)
        )


async def _run_with_lock(connection: AsyncConnection, work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine while a connection keeps its lock; cancel it if the connection is lost."""
    task = asyncio.create_task(work)
    try:
        while not (await asyncio.wait({task}, timeout=POLL_SECONDS))[0]:
            await connection.execute("SELECT")
        return task.result()
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
