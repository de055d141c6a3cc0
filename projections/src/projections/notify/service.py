"""The notifier's process: delivers notifications, and serves health and metrics."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Final

from psycopg import AsyncConnection

from ops.base.database.pools import Pool
from ops.base.http.health import ReadinessCheck
from ops.base.process.tasks import running
from projections.notify import metrics
from projections.notify.channel import ChannelFactory
from projections.notify.worker import Notifier
from projections.progress.observation import OBSERVE_SECONDS, keep_observing

_FAILING: Final = """
SELECT subscription_id, extract(epoch FROM clock_timestamp() - failing_since)::float
FROM notify.cursors JOIN read.subscriptions ON id = subscription_id
WHERE failing_since IS NOT NULL AND record ->> 'status' = 'active'
"""
_WITHOUT_MAIL: Final = """
SELECT count(*)
FROM notify.cursors JOIN read.subscriptions ON id = subscription_id AND record ->> 'status' = 'active'
WHERE NOT is_configured
"""


class NotifyService:
    """Runs the notifier, and observes failing subscriptions.

    Args:
        missing: the settings without which no mail can be sent.
    """

    def __init__(
        self, dsn: str, address: str, channels: Mapping[str, ChannelFactory], missing: Sequence[str] = ()
    ) -> None:
        self._dsn = dsn
        self._missing = missing
        self._notifier = Notifier(dsn, address, channels)
        self._pool: Pool

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Deliver while the context lasts."""
        async with (
            Pool(self._dsn, size=1) as self._pool,
            running(self._notifier.run, partial(keep_observing, self._observe)),
        ):
            yield

    def defers_restart(self) -> bool:
        """Whether an erasure needs no restart of this process: its memory holds decrypted addresses."""
        return False

    async def readiness(self) -> dict[str, ReadinessCheck]:
        """Return the notifier's state. A target that fails makes neither it nor the product unready."""
        state = self._notifier.state
        detail = {"role": state.role, "error": state.error, "failing": len(await self._observe())}
        checks = {"notify": ReadinessCheck(ok=True, degraded=state.error is not None, detail=detail)}
        if self._missing and (
            waiting := await self._pool.read(_count_without_mail, patience=OBSERVE_SECONDS)
        ):
            error = f"{' and '.join(self._missing)} not set; active subscriptions by e-mail: {waiting}"
            checks["mail"] = ReadinessCheck(ok=True, degraded=True, detail=error)
        return checks

    async def _observe(self) -> dict[str, float]:
        async def read(connection: AsyncConnection) -> dict[str, float]:
            return dict(await (await connection.execute(_FAILING)).fetchall())

        failing = await self._pool.read(read, patience=OBSERVE_SECONDS)
        metrics.FAILING_SECONDS.clear()
        for subscription_id, seconds in failing.items():
            metrics.FAILING_SECONDS.labels(subscription_id).set(seconds)
        return failing


async def _count_without_mail(connection: AsyncConnection) -> int:
    ((count,),) = await (await connection.execute(_WITHOUT_MAIL)).fetchall()
    return int(count)
