"""Carries erasures out, one process at a time, from the event to the receipt."""

import asyncio
import time
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, Final, Never, TypeVar

import structlog
from prometheus_client import Counter
from psycopg import AsyncConnection

from ops.base.encryption.key_cache import KEYS
from ops.base.encryption.key_encryption_keys import KeysUnavailable
from ops.base.http.health import Check
from ops.base.process.failpoints import failpoint
from ops.tamper_evidence.sealed_log import SealedLog
from ops.tamper_evidence.signed_notes import SigningKey
from projections import metrics
from projections.leases.leader import STANDBY_SECONDS, Leader
from projections.leases.locks import ERASE_KEY, try_to_lock
from projections.leases.sessions import open_session
from projections.reading.log import require_going
from projections.workers.erasure import erasures
from projections.workers.erasure.erasures import told
from projections.workers.erasure.receipts import receipts
from projections.workers.erasure.steps import NotYet, Steps

LOOK_SECONDS: Final = 1.0
_LONG_SECONDS: Final = 600.0
"""Who waits for longer needs somebody's help."""
_STEP_SECONDS: Final = 3600.0
"""The longest silence between two statements of a step: keys are wrapped anew, files are looked through."""

T = TypeVar("T")


class Eraser(Leader):
    """Looks for events that erase, and does what they ask for."""

    def __init__(self, dsn: str, seals: SealedLog, key: SigningKey, *, folder: Path | None = None) -> None:
        """Describe it; `run` makes it work.

        Args:
            dsn: where to connect, with the rights of a projection worker that also seals.
            seals: the log's.
            key: what receipts are signed with.
            folder: whose files are looked through at the end; None: none are.
        """
        log = structlog.get_logger()
        super().__init__("erasing", dsn, log, metrics.ERASING)
        self._seals = seals
        self._key = key
        self._steps = Steps(folder)
        self._waits: str | None = None
        self._waits_since = time.monotonic()

    @property
    def knows_texts(self) -> bool:
        """Whether it is to look for texts that nobody else knows any more."""
        return self._steps.knows_texts

    def readiness(self) -> Check:
        """Return what it does, and why it does not go on."""
        detail = {"role": self.state.role, "error": self.state.error, "waits": self._waits}
        waits_long = self._waits is not None and time.monotonic() - self._waits_since > _LONG_SECONDS
        return Check(ok=True, degraded=waits_long or self.state.error is not None, detail=detail)

    async def _work(self, connection: AsyncConnection) -> Never:
        while not await try_to_lock(connection, ERASE_KEY):
            self._set_role("standby")
            self._steps.forget_texts(await erasures.under_way(connection))
            metrics.ERASING_SINCE.set(0)
            await asyncio.sleep(STANDBY_SECONDS)
        seen = 0
        while True:
            await require_going(connection)
            seen = await erasures.take_in(connection, after=seen)
            left = await erasures.under_way(connection)
            metrics.ERASING_SINCE.set(min((one.since.timestamp() for one in left), default=0))
            if left:
                await _meanwhile(connection, self.carry_on())
            self._set_role("leading")
            await asyncio.sleep(LOOK_SECONDS)

    async def carry_on(self) -> None:
        """Do for all what can be done now, one step after the other."""
        async with open_session(self._dsn, answer_seconds=None, silence_seconds=_STEP_SECONDS) as connection:
            waits = None
            try:
                await KEYS.verify()
                for name, step in self._steps.in_order.items():
                    due = [
                        one for one in await erasures.under_way(connection) if self._steps.is_due(name, one)
                    ]
                    if due:
                        done = await step(connection, due)
                        failpoint(f"erasing.{name}")
                        await erasures.tell(connection, due, name, done)
                        failpoint(f"erasing.{name}_told")
            except (NotYet, KeysUnavailable) as error:
                waits = str(error)
            await self._issue(connection, waits)

    async def _issue(self, connection: AsyncConnection, waits: str | None) -> None:
        left = await erasures.under_way(connection)
        self._steps.forget_texts(left)
        whole = [one for one in left if "scanned" in one.steps]
        for erasure, receipt in await receipts(connection, self._seals, self._key, whole):
            failpoint("erasing.receipt")
            await erasures.issue(connection, erasure, receipt)
            failpoint("erasing.issued")
            left.remove(erasure)
            self._log.info("erased", entity=erasure.place.entity, position=erasure.position)
        waits = waits or ("no seal covers it yet" if left else None)
        if waits != self._waits:
            self._waits, self._waits_since = waits, time.monotonic()
            if waits is not None:
                self._log.warning("erasing_waits", why=waits, erasures=len(left))
        changed = [one for one in left if one.steps.get(erasures.WAITS, {}).get("why") != waits]
        await erasures.tell(connection, changed, erasures.WAITS, [told(why=waits)] * len(changed))

    def _failures(self, error: str) -> Counter:
        return metrics.FAILURES.labels("erasing", error)


async def _meanwhile(connection: AsyncConnection, work: Coroutine[Any, Any, T]) -> T:
    """Do something while a connection keeps its lock; it ends where that is lost."""
    task = asyncio.create_task(work)
    try:
        while not (await asyncio.wait({task}, timeout=LOOK_SECONDS))[0]:
            await connection.execute("SELECT")
        return task.result()
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
