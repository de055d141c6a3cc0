"""One shared commit: many commands' events, appended in one transaction."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

import psycopg

from command_api.event_store import statements
from command_api.event_store.records import Append, Appended, NewEvent, RecordedEvent, VersionConflict
from ops.base.failpoints import failpoint

Outcome = Appended | VersionConflict


async def append_together(connection: psycopg.AsyncConnection, batch: Sequence[Append]) -> list[Outcome]:
    """Append what can be appended of a batch, in its order, commit, and notify whoever follows the log.

    A command whose id is in the log already is not appended again: its recorded event is the outcome. That
    is what makes trying again safe when the answer to a commit was lost.

    Args:
        connection: an autocommit connection that nobody else uses meanwhile; after an error it must be
            closed, for it may be in the midst of a transaction.
        batch: the commands.

    Returns:
        The outcome of each command.

    Raises:
        psycopg.Error: nothing is known of the batch; trying again is safe.
    """
    # Two round trips: one up to what the log holds now, one that appends, commits and notifies. BEGIN and
    # COMMIT are statements here, for `transaction()` would make two more of them.
    async with connection.pipeline() as pipeline:
        await connection.execute("BEGIN")
        await connection.execute(statements.LOCK)
        head = await connection.execute(statements.HEAD)
        versions = await connection.execute(statements.VERSIONS, [_streams(batch)])
        repeated = await connection.execute(statements.OF_COMMANDS, [[append.command_id for append in batch]])
        await pipeline.sync()
        position, last_moment, now = await _one(head)
        plan = _Plan(
            position=position,
            # The clock may be set back; the log's time may not.
            moment=max(now, last_moment) if last_moment else now,
            versions=dict(await versions.fetchall()),
            recorded={row[0]: RecordedEvent(*row[1:]) for row in await repeated.fetchall()},
        )
        outcomes = [plan.take(append) for append in batch]
        if plan.rows:
            await connection.execute(statements.INSERT, plan.columns(), binary=False)
            failpoint("command.appended")
        await connection.execute("COMMIT")
        # After the commit: within it, NOTIFY would take a lock that all databases of the server share.
        await connection.execute(statements.NOTIFY, [str(plan.position)])
    return outcomes


async def _one(cursor: psycopg.AsyncCursor) -> tuple[int, datetime | None, datetime]:
    row = await cursor.fetchone()
    if row is None:
        raise psycopg.DataError("log.head has no row")
    return row[0], row[1], row[2]


def _streams(batch: Sequence[Append]) -> list[str]:
    return list({event.originator_id for append in batch for event in append.events})


class _Plan:
    """Gives positions and checks versions, given what the log held when the lock was had."""

    def __init__(
        self,
        *,
        position: int,
        moment: datetime,
        versions: dict[str, int],
        recorded: dict[UUID, RecordedEvent],
    ) -> None:
        self.position = position
        self.rows: list[tuple[RecordedEvent, UUID | None]] = []
        self._moment = moment
        self._versions = versions
        self._recorded = recorded

    def take(self, append: Append) -> Outcome:
        recorded = self._recorded.get(append.command_id)
        if recorded is not None:
            return Appended((recorded,))
        versions: dict[str, int] = {}
        for event in append.events:
            reached = versions.get(event.originator_id, self._versions.get(event.originator_id, -1))
            if event.originator_version <= reached:
                return VersionConflict(event.originator_id)
            versions[event.originator_id] = event.originator_version
        self._versions.update(versions)
        taken = tuple(self._record(event) for event in append.events)
        self._recorded[append.command_id] = taken[0]
        ids: list[UUID | None] = [append.command_id, *[None] * (len(taken) - 1)]
        self.rows += zip(taken, ids, strict=True)
        return Appended(taken)

    def _record(self, event: NewEvent) -> RecordedEvent:
        self.position += 1
        return RecordedEvent(
            originator_id=event.originator_id,
            originator_version=event.originator_version,
            topic=event.topic,
            state=event.state,
            position=self.position,
            moment=self._moment,
        )

    def columns(self) -> list[list[object]]:
        return [
            [event.position for event, _ in self.rows],
            [event.originator_id for event, _ in self.rows],
            [event.originator_version for event, _ in self.rows],
            [event.topic for event, _ in self.rows],
            [event.state for event, _ in self.rows],
            [event.moment for event, _ in self.rows],
            [command_id for _, command_id in self.rows],
        ]
