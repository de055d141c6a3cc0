"""Whether a service may serve its log: asked all the time, for a log may be replaced while services run."""

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

LOOK_SECONDS: Final = 1.0
_PAUSE_SECONDS: Final = 0.05
"""However often somebody notifies, it looks no more often than that."""
_SELECT: Final = "SELECT log_id, stopped, (SELECT number FROM privacy.forgettings) FROM log.head"

STOPPED: Final = Gauge("fleetlog_log_stopped", "1 while nothing is served until an operator decides, else 0")

logger = structlog.get_logger()


class LogWatch:
    """Looks once a second which log it is, if somebody stopped it, who was signed out, and what to forget.

    Attributes:
        log_id: the log's name, once it is known.
        dsn: where it connects.
        stopped: why nothing may be served until an operator decides; None: it may.
        revocations: who was signed out.
        purge: what was purged.
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
        """Describe the watch; `run` makes it work.

        Args:
            dsn: where to connect, as any of the services' roles.
            on_new_log: called when the log has got another name, or was accepted, before anything is served
                from it.
            revocations: kept up to date; None: who watches lets nobody in.
            on_purge: see `CachePurge`; called as well when nothing is heard of the database any more.
            defers_restart: see `CachePurge`.
        """
        self.log_id: str | None = None
        self.stopped: str | None = None
        self.dsn = dsn
        self._on_new_log = on_new_log
        self.revocations = revocations
        self.purge = CachePurge(on_purge, defers_restart=defers_restart)
        self.has_looked = asyncio.Event()
        """Set when it has looked once, or has seen that it cannot."""

    async def run(self) -> None:
        """Watch until cancelled; a database that is away changes nothing, those who read it tell of it.

        It ends the process where the database proves to have a schema that this release does not know. Where
        it knew it once, the service goes on: later scripts say themselves whom they serve.
        """
        is_known = False
        while True:
            try:
                if not is_known:
                    await require_known_schema(self.dsn)
                    is_known = True
                await self._watch()
            except UnknownSchema as error:
                logger.error("unknown_schema", error=str(error))  # noqa: TRY400 - the message says it all
                signal.raise_signal(signal.SIGTERM)
                return
            except psycopg.Error as error:
                logger.warning("log_watch_interrupted", error=type(error).__name__)
                self.purge.clear()
            finally:
                self.has_looked.set()
            await asyncio.sleep(LOOK_SECONDS)

    async def _watch(self) -> None:
        async with await connect(self.dsn, autocommit=True, answer_seconds=ANSWER_SECONDS) as connection:
            await connection.execute(f"LISTEN {PURGE_CHANNEL}")
            if self.revocations is not None:
                self.revocations.begin_anew()
                await connection.execute(f"LISTEN {CHANNEL}")
            while True:
                row = await (await connection.execute(_SELECT)).fetchone()
                if row is not None:
                    *told, number = row
                    self._tell(*told)
                    self.purge.update(number)
                if self.revocations is not None:
                    await self.revocations.look(connection)
                self.has_looked.set()
                async for _ in connection.notifies(timeout=LOOK_SECONDS, stop_after=1):
                    await asyncio.sleep(_PAUSE_SECONDS)  # whatever it tells of is looked at

    def _tell(self, log_id: str, stopped: str | None) -> None:
        if self.log_id not in (None, log_id):
            logger.warning("log_replaced", log_id=log_id)
            self._on_new_log()
        elif self.stopped and not stopped:
            self._on_new_log()
        if stopped != self.stopped:
            logger.error("log_stopped", reason=stopped) if stopped else logger.info("log_accepted")
        self.log_id, self.stopped = log_id, stopped
        STOPPED.set(stopped is not None)
