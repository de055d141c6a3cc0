"""A worker with one leading instance and standbys."""

import asyncio
import traceback
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal, Never

import psycopg
from prometheus_client import Counter, Gauge
from psycopg import AsyncConnection
from structlog.typing import FilteringBoundLogger

from projections.failures import ProjectionStopped
from projections.leadership.locks import try_to_lock
from projections.leadership.sessions import open_session

STANDBY_SECONDS: Final = 0.5
"""Time between a standby's attempts to take over."""

_FIRST_PAUSE: Final = 0.1
_LONGEST_PAUSE_WITHOUT_DATABASE: Final = 2.0
_LONGEST_PAUSE: Final = 30.0


@dataclass(frozen=True)
class LeaderState:
    """The role of this instance; during a rebuild the old rows are served."""

    role: Literal["connecting", "rebuilding", "standby", "leading"]
    error: str | None = None
    """The cause of the last restart; None once the work succeeds again."""

    @property
    def ok(self) -> bool:
        """Whether the instance does its work, or is ready to take over."""
        return self.error is None and self.role != "connecting"


class Leader(ABC):
    """Works on one database connection; reconnects and starts again after any failure.

    Args:
        kind: prefix of the log events.
        leading: gauge that is 1 while this instance leads.
        failures: returns the counter of restarts because of a type of error.
    """

    def __init__(
        self,
        kind: str,
        dsn: str,
        log: FilteringBoundLogger,
        leading: Gauge,
        failures: Callable[[str], Counter],
    ) -> None:
        self.state = LeaderState("connecting")
        self._kind = kind
        self._dsn = dsn
        self._log = log
        self._leading = leading
        self._failures = failures
        self._pause = _FIRST_PAUSE

    async def run(self) -> Never:
        """Work until cancelled."""
        while True:
            try:
                async with open_session(self._dsn) as connection:
                    await self._work(connection)
            except Exception as error:  # noqa: BLE001 - every failure is logged and followed by a restart
                await self._recover(error)

    @abstractmethod
    async def _work(self, connection: AsyncConnection) -> Never: ...

    async def _wait_for(self, connection: AsyncConnection, key: int) -> None:
        """Acquire a lock, as a standby until then."""
        while not await try_to_lock(connection, key):
            self._set_role("standby")
            await asyncio.sleep(STANDBY_SECONDS)

    def _set_role(self, role: Literal["standby", "leading"]) -> None:
        if self.state.role != role or self.state.error:
            self._log.info(f"{self._kind}_role", role=role)
        self.state = LeaderState(role)
        if role == "leading":  # a standby that fails to lead keeps its growing pause
            self._pause = _FIRST_PAUSE
        self._leading.set(role == "leading")

    def _lost(self, error: Exception) -> tuple[str, str] | None:
        """Return the log event and a description that may be shown, if a dependency was lost."""
        is_database = isinstance(error, psycopg.OperationalError)
        return ("database_lost", type(error).__name__) if is_database else None

    async def _recover(self, error: Exception) -> None:
        # The message of any other exception may quote an event.
        description = str(error) if isinstance(error, ProjectionStopped) else type(error).__name__
        if lost := self._lost(error):
            event, description = lost
            self._log.warning(event, error=description, retry_seconds=self._pause)
        else:
            trace = None if isinstance(error, ProjectionStopped) else traceback.format_tb(error.__traceback__)
            event = f"{self._kind}_stopped"
            self._log.error(event, error=description, retry_seconds=self._pause, trace=trace)
        self.state = LeaderState("connecting", description)
        self._leading.set(0)
        self._failures(type(error).__name__).inc()
        await asyncio.sleep(self._pause)
        is_database = isinstance(error, psycopg.OperationalError)
        self._pause = min(2 * self._pause, _LONGEST_PAUSE_WITHOUT_DATABASE if is_database else _LONGEST_PAUSE)
