"""The queue of requested actions: one worker claims an action, or takes it over from a lost worker."""

import uuid
from dataclasses import dataclass
from typing import Any, Final, Literal

from psycopg import AsyncConnection, AsyncCursor
from psycopg.rows import class_row

from ops.base.database.pools import Pool

GONE_SECONDS: Final = 30
"""Silence after which a worker has lost its action."""
State = Literal["asked", "running", "done", "failed"]
WORDS: Final = 2_000
"""Characters of a result that are stored."""

_CLAIM: Final = """
UPDATE operations.actions SET
  state = 'running', worker = %(worker)s, seen_at = clock_timestamp(), attempts = attempts + 1,
  done = NULL, total = NULL
WHERE id = (
  SELECT id FROM operations.actions
  WHERE kind = ANY (%(kinds)s)
    AND (
      state = 'asked'
      OR state = 'running' AND seen_at < clock_timestamp() - make_interval(secs => %(gone)s)
    )
  ORDER BY asked_at LIMIT 1
  FOR UPDATE SKIP LOCKED
)
RETURNING id, kind, target, attempts
"""
_UPDATE: Final = """
UPDATE operations.actions SET
  state = %(state)s, done = %(done)s, total = %(total)s, words = %(words)s, seen_at = clock_timestamp()
WHERE id = %(id)s AND worker = %(worker)s AND state = 'running'
"""
_RELEASE: Final = """
UPDATE operations.actions SET state = 'asked', attempts = 0, done = NULL, total = NULL
WHERE worker = %(worker)s AND state = 'running'
"""
_FAIL_UNCLAIMED: Final = """
UPDATE operations.actions SET state = 'failed', words = %(words)s
WHERE state = 'asked' AND kind <> ALL (%(kinds)s) AND asked_at < clock_timestamp() - interval '10 minutes'
"""


@dataclass(frozen=True)
class QueuedAction:
    """An action that this worker executes."""

    id: uuid.UUID
    kind: Literal["retry", "rebuild", "verify"]
    target: str | None
    attempts: int


class Queue:
    """Claims actions of some kinds, and updates their states."""

    def __init__(self, pool: Pool, kinds: list[str]) -> None:
        self._pool = pool
        self._kinds = kinds
        self._worker = uuid.uuid4()

    async def claim(self) -> QueuedAction | None:
        """Claim the oldest action, if any is due."""

        async def claim(connection: AsyncConnection) -> QueuedAction | None:
            parameters = {"worker": self._worker, "kinds": self._kinds, "gone": GONE_SECONDS}
            async with connection.cursor(row_factory=class_row(QueuedAction)) as cursor:
                await cursor.execute(_CLAIM, parameters)
                return await cursor.fetchone()

        return await self._pool.read(claim)

    async def fail_unclaimed(self, words: str) -> None:
        """Fail actions of other kinds that no worker has claimed for ten minutes."""
        await self._execute(_FAIL_UNCLAIMED, {"words": words, "kinds": self._kinds})

    async def update(
        self,
        action: QueuedAction,
        state: State,
        *,
        done: int | None = None,
        total: int | None = None,
        words: str | None = None,
    ) -> bool:
        """Store state and progress; return False if another worker has taken the action over."""
        progress = {"state": state, "done": done, "total": total, "words": words and words[:WORDS]}
        cursor = await self._execute(_UPDATE, {"id": action.id, "worker": self._worker, **progress})
        return cursor.rowcount == 1

    async def release(self) -> None:
        """Let another worker start this worker's unfinished actions again at once.

        These may include one whose claim was cancelled after the database had committed it.
        """
        await self._execute(_RELEASE, {"worker": self._worker})

    async def _execute(self, statement: str, parameters: dict[str, Any]) -> AsyncCursor[Any]:
        return await self._pool.read(lambda connection: connection.execute(statement, parameters))
