"""What operators have asked for: taken by one worker, and taken over from one that is gone."""

import uuid
from dataclasses import dataclass
from typing import Final, Literal

from psycopg import AsyncConnection
from psycopg.rows import class_row

from ops.base.database.pools import Pool, read_with

GONE_SECONDS: Final = 30
"""Who has not told of an action for so long has lost it."""
_MOST_ATTEMPTS: Final = 3
State = Literal["asked", "running", "done", "failed"]
WORDS: Final = 2_000
"""So many letters of what has come of it are kept."""

_TAKE: Final = """
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
_TELL: Final = """
UPDATE operations.actions SET
  state = %(state)s, done = %(done)s, total = %(total)s, words = %(words)s, seen_at = clock_timestamp()
WHERE id = %(id)s AND worker = %(worker)s AND state = 'running'
"""
_HAND_OVER: Final = """
UPDATE operations.actions SET state = 'asked', attempts = 0, done = NULL, total = NULL
WHERE worker = %s AND state = 'running'
"""
_GIVE_UP: Final = """
UPDATE operations.actions SET state = 'failed', words = %(words)s
WHERE state = 'asked' AND kind <> ALL (%(kinds)s) AND asked_at < clock_timestamp() - interval '10 minutes'
"""


@dataclass(frozen=True)
class Taken:
    """An action that this worker carries out."""

    id: uuid.UUID
    kind: Literal["retry", "rebuild", "verify"]
    target: str | None
    attempts: int

    @property
    def was_lost_too_often(self) -> bool:
        """Whether those who had begun it were gone so often that it may be why."""
        return self.attempts > _MOST_ATTEMPTS


class Queue:
    """Takes actions, and tells of them."""

    def __init__(self, pool: Pool, kinds: list[str]) -> None:
        """Describe it.

        Args:
            pool: of the worker.
            kinds: what this worker can do.
        """
        self._pool = pool
        self._kinds = kinds
        self._worker = uuid.uuid4()

    async def take(self) -> Taken | None:
        """Take what was asked for first, if there is anything."""

        async def take(connection: AsyncConnection) -> Taken | None:
            parameters = {"worker": self._worker, "kinds": self._kinds, "gone": GONE_SECONDS}
            async with connection.cursor(row_factory=class_row(Taken)) as cursor:
                await cursor.execute(_TAKE, parameters)
                return await cursor.fetchone()

        return await read_with(self._pool, take)

    async def give_up_others(self, words: str) -> None:
        """Let what this worker cannot do fail, once nobody else has taken it for long."""

        async def give_up(connection: AsyncConnection) -> None:
            await connection.execute(_GIVE_UP, {"words": words, "kinds": self._kinds})

        await read_with(self._pool, give_up)

    async def tell(
        self,
        action: Taken,
        state: State,
        *,
        done: int | None = None,
        total: int | None = None,
        words: str | None = None,
    ) -> bool:
        """Tell how far it is; False: somebody else has it now."""

        async def tell(connection: AsyncConnection) -> bool:
            parameters = {
                "id": action.id,
                "worker": self._worker,
                "state": state,
                "done": done,
                "total": total,
                "words": words and words[:WORDS],
            }
            return (await connection.execute(_TELL, parameters)).rowcount == 1

        return await read_with(self._pool, tell)

    async def hand_over(self) -> None:
        """Let another worker begin anew, at once, what this one has taken and not ended.

        That may be what it does not know of: `take` can be cancelled after the database has given it.
        """

        async def hand_over(connection: AsyncConnection) -> None:
            await connection.execute(_HAND_OVER, [self._worker])

        await read_with(self._pool, hand_over)
