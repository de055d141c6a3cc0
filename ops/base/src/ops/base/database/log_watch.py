"""Polls the state of the log: its id, whether it is stopped, revocations, and cache purges."""

import asyncio
import signal
from collections.abc import Callable
from typing import Final

import psycopg
import structlog
from prometheus_client import Gauge

from ops.base.database.connection import ANSWER_SECONDS, connect
from ops.base.database.schema import UnknownSchema, require_known_schema
from ops.base.encryption.cache_purge import PURGE_CHANNEL, CachePurge
from ops.base.sign_in.revocations import CHANNEL, Revocations

POLL_SECONDS: Final = 1.0
_PAUSE_SECONDS: Final = 0.05
"""Minimum time between two polls, however many notifications arrive."""
_SELECT: Final = "SELECT log_id, stopped, (SELECT number FROM privacy.cache_purges) FROM log.head"

STOPPED: Final = Gauge("fleetlog_log_stopped", "1 while the log is stopped, else 0")

logger = structlog.get_logger()


class LogWatch:
    """Polls the log's state once a second, and after notifications.

    Attributes:
        log_id: the log's id, once it is known.
        stopped: why nothing may be served until an operator accepts the log; None: it may be served.
        revocations: the revoked tokens; None: the service accepts no tokens.
        purge: the handled cache purges.
        has_polled: set after the first poll, successful or not.
    """

    def __init__(
        self,
        dsn: str,
        *,
        on_new_log: Callable[[], None] = lambda: None,
        revocations: Revocations | None = None,
        on_purge: Callable[[], None] = lambda: None,
        defers_restart: Callable[[], bool] = lambda: False,
    ) -> None:
        """Create a watch; `run` starts it.

        Args:
            dsn: the database, as any of the services' roles.
            on_new_log: called when the log has another id, or was accepted, before it is served.
            on_purge: see `CachePurge`; called also when the database cannot be reached.
        """
        self.log_id: str | None = None
        self.stopped: str | None = None
        self.dsn = dsn
        self._on_new_log = on_new_log
        self.revocations = revocations
        self.purge = CachePurge(on_purge, defers_restart=defers_restart)
        self.has_polled = asyncio.Event()

    async def run(self) -> None:
        """Poll until cancelled; an outage of the database changes nothing but the caches.

        If the database has a schema that this release does not know, the process ends. The schema is checked
        once: later migrations state themselves which releases they serve.
        """
        is_known = False
        while True:
            try:
                if not is_known:
                    await require_known_schema(self.dsn)
                    is_known = True
                await self._poll()
            except UnknownSchema as error:
                logger.error("unknown_schema", error=str(error))  # noqa: TRY400 - the message says it all
                signal.raise_signal(signal.SIGTERM)
                return
            except psycopg.Error as error:
                logger.warning("log_watch_interrupted", error=type(error).__name__)
                self.purge.clear()
            finally:
                self.has_polled.set()
            await asyncio.sleep(POLL_SECONDS)

    async def _poll(self) -> None:
        async with await connect(self.dsn, autocommit=True, answer_seconds=ANSWER_SECONDS) as connection:
            await connection.execute(f"LISTEN {PURGE_CHANNEL}")
            if self.revocations is not None:
                self.revocations.reset()
                await connection.execute(f"LISTEN {CHANNEL}")
            while True:
                row = await (await connection.execute(_SELECT)).fetchone()
                if row is not None:
                    log_id, stopped, number = row
                    self._update(log_id, stopped)
                    self.purge.update(number)
                if self.revocations is not None:
                    await self.revocations.update(connection)
                self.has_polled.set()
                async for _ in connection.notifies(timeout=POLL_SECONDS, stop_after=1):
                    await asyncio.sleep(_PAUSE_SECONDS)

    def _update(self, log_id: str, stopped: str | None) -> None:
        if self.log_id not in (None, log_id):
            logger.warning("log_replaced", log_id=log_id)
            self._on_new_log()
        elif self.stopped and not stopped:
            self._on_new_log()
        if stopped != self.stopped:
            logger.error("log_stopped", reason=stopped) if stopped else logger.info("log_accepted")
        self.log_id, self.stopped = log_id, stopped
        STOPPED.set(stopped is not None)
