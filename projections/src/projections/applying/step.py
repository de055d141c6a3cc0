"""One step of a projection: the next events become rows, and each event counts exactly once."""

from collections.abc import Sequence
from contextlib import ExitStack, suppress
from functools import cache
from typing import Any, Final, LiteralString, NamedTuple

import psycopg
from prometheus_client import Counter
from psycopg import AsyncConnection, sql

from command_api.event_store.records import RecordedEvent
from ops.base.database.prepared import PreparedSession
from ops.base.observability import tracing
from ops.base.process.failpoints import failpoint
from projections import metrics
from projections.applying.causes import tracing_of_batch
from projections.applying.projection import NO_CHANGES, Projection
from projections.applying.states import Known, ask, begun_before, shared
from projections.applying.writing import Statement
from projections.progress import positions
from projections.progress.positions import Place
from projections.tables import PROJECTED_CHANNEL, ReadTable
from projections.tables.projected import Projected

_BEGIN: Final = sql.SQL("BEGIN; {}")
_COMMIT: Final = sql.SQL("{}; COMMIT; {}")
_NOTIFYING: Final = sql.SQL("SELECT pg_notify({}, {})")
_ADVANCED: Final[LiteralString] = "EXISTS (SELECT FROM advanced)"
_NOTIFY: Final = f"SELECT pg_notify('{PROJECTED_CHANNEL}', %b::text)".encode()


class Standing(NamedTuple):
    """A projection, and where it stands."""

    projection: Projection
    place: Place


async def apply_events(
    connection: AsyncConnection, projection: Projection, batch: Sequence[RecordedEvent]
) -> int:
    """Apply events, however much they change, and tell those who wait for them.

    Args:
        connection: in autocommit mode.
        projection: what to apply them to.
        batch: the events that follow its position, without a gap; at least one.

    Returns:
        The position reached.

    Raises:
        PositionTaken: somebody else has moved the projection meanwhile; nothing was written.
    """
    with tracing_of_batch(projection.table, batch):
        return await _apply(connection, projection, batch)


async def _apply(connection: AsyncConnection, projection: Projection, batch: Sequence[RecordedEvent]) -> int:
    table = projection.table
    # What needs no answer of its own is one message with what follows. A pipeline would make fewer still, but
    # where its end is lost, the server waits for it without its time-outs, and keeps all locks.
    try:
        cursor = await connection.execute(_BEGIN.format(positions.advancing(table, batch)), prepare=False)
        cursor.nextset()
        positions.require_advanced(cursor)
        failpoint("projection.position_moved")
        changed = await projection.handle(connection, batch)
        failpoint("projection.rows_written")
        marking = sql.SQL("") if changed is None else positions.marking_changed(table, changed)
        notifying = _NOTIFYING.format(sql.Literal(PROJECTED_CHANNEL), sql.Literal(_told([table], batch)))
        # After the commit: within it, NOTIFY would make all committing transactions queue up.
        await connection.execute(_COMMIT.format(marking, notifying), prepare=False)
    except BaseException:  # also where it is interrupted: others need the locks
        with suppress(psycopg.Error):  # a connection that is lost needs none
            await connection.rollback()
        raise
    failpoint("projection.committed")
    _count(table.name, len(batch))
    return batch[-1].position


async def apply_together(
    session: PreparedSession, standing: Sequence[Standing], batch: Sequence[RecordedEvent]
) -> bool:
    """Apply events to several projections in one transaction, which is one statement, and tell of it.

    Args:
        session: where.
        standing: the projections, which stand at one position.
        batch: the events that follow it, without a gap; at least one.

    Returns:
        Whether that was possible. If not, nothing was written, and each is to be tried alone: it is too much
        for a statement, or a stream must be set aside, or somebody holds or has moved one of them.
    """
    tables = [one.projection.table for one in standing]
    with ExitStack() as contexts:
        for table in tables if tracing.is_on() else ():
            contexts.enter_context(tracing_of_batch(table, batch))
        contexts.enter_context(shared(batch))
        statement = await _together(session, standing, batch)
        if statement is None:
            return False
        failpoint("projections.states_read")
        if not await session.fetch(*statement):
            return False
        failpoint("projections.committed")
        await session.fetch(_NOTIFY, [_told(tables, batch)])
    failpoint("projections.notified")
    for table in tables:
        _count(table.name, len(batch))
    return True


async def _together(
    session: PreparedSession, standing: Sequence[Standing], batch: Sequence[RecordedEvent]
) -> Statement | None:
    """Return the statement that moves projections and writes what events change; None: it must not be one."""
    concerned = [[event for event in batch if one.projection.concerns(event)] for one in standing]
    known = await _known(session, standing, concerned)
    if known is None:
        return None
    writes: list[Statement] = []
    advancing: list[tuple[ReadTable, int, bool]] = []
    parameters: list[Any] = []
    for (projection, place), events, states in zip(standing, concerned, known, strict=True):
        changes = projection.fold(events, states) if events else NO_CHANGES
        written = changes.at_once(_ADVANCED)
        if written is None:
            return None
        writes += written
        advancing.append((projection.table, place.generation, changes.changed is not None))
        parameters += [] if changes.changed is None else [changes.changed]
    parameters += [batch[0].position - 1, batch[-1].position, batch[-1].moment]
    text = positions.advancing_together(tuple(advancing))
    for number, write in enumerate(writes):
        text += b", write_%d AS (%b)" % (number, write.text)
        parameters += write.parameters
    return Statement(text + b" SELECT true FROM advanced LIMIT 1", parameters)


async def _known(
    session: PreparedSession, standing: Sequence[Standing], concerned: Sequence[Sequence[RecordedEvent]]
) -> list[Known] | None:
    """Return what each projection's table knows of its events' streams; None: that does not fit into memory.

    Read before the transaction: it is still so where the projection still stands at its place then.
    """
    # A stream that begins with these events is in no table yet, and was not set aside.
    begun = [begun_before(events) for events in concerned]
    asked = [number for number, streams in enumerate(begun) if streams]
    known = [Known({}, set()) for _ in standing]
    questions = [standing[number].projection.question(begun[number]) for number in asked]
    for number, answer in zip(asked, await ask(session.fetch, questions), strict=True):
        if not all(map(answer.has, begun[number])):
            return None
        known[number] = answer
    return known


async def apply_within(
    connection: AsyncConnection, projection: Projection, batch: Sequence[RecordedEvent]
) -> None:
    """Write what events change, and the position, in a transaction of the caller's.

    Args:
        connection: in the transaction.
        projection: what to apply them to.
        batch: the events that follow its position.

    Raises:
        PositionTaken: they do not follow its position any more.
    """
    positions.require_advanced(await connection.execute(positions.advancing(projection.table, batch)))
    changed = await projection.handle(connection, batch)
    if changed is not None:
        await connection.execute(positions.marking_changed(projection.table, changed))


async def notify_renewed(connection: AsyncConnection, table: ReadTable, position: int) -> None:
    """Tell those who read the table that any of its rows may have changed, without a next event."""
    await connection.execute(_NOTIFY, [Projected((table.name,), position, position).payload])


def _told(tables: Sequence[ReadTable], batch: Sequence[RecordedEvent]) -> str:
    return Projected.of(
        [table.name for table in tables],
        after=batch[0].position - 1,
        to=batch[-1].position,
        streams=(event.originator_id for event in batch),
    ).payload


def _count(projection: str, events: int) -> None:
    batches, counted = _counters(projection)
    batches.inc()
    counted.inc(events)


@cache
def _counters(projection: str) -> tuple[Counter, Counter]:
    return metrics.BATCHES.labels(projection), metrics.EVENTS.labels(projection)
