"""Applies a batch: rows and positions of all projections in one transaction, so each event counts once."""

from collections.abc import Sequence
from contextlib import ExitStack
from functools import cache
from itertools import chain, islice
from typing import Any, Final, NamedTuple

from prometheus_client import Counter
from psycopg import AsyncConnection

from command_api.event_store.records import RecordedEvent
from ops.base.observability import tracing
from ops.base.process.failpoints import failpoint
from projections import metrics
from projections.engine.projection import NO_CHANGES, Changes, Projection
from projections.engine.quarantine import set_aside
from projections.engine.states import Known, StateCache, ask, begun_before, shared
from projections.engine.tracing import tracing_of_batch
from projections.progress import positions
from projections.progress.positions import Place
from projections.reading.log import Batch
from projections.reading.session import Session
from projections.tables import PROJECTED_CHANNEL, ReadTable
from projections.tables.projected import Projected

_ADVANCED: Final = b"EXISTS (SELECT FROM advanced)"
_RETURNING: Final = b" SELECT true FROM advanced LIMIT 1"
_NOTIFY: Final = f"SELECT pg_notify('{PROJECTED_CHANNEL}', %b::text)".encode()


class Target(NamedTuple):
    """A projection and its progress."""

    projection: Projection
    place: Place


async def apply(
    session: Session, targets: Sequence[Target], batch: Batch, cache: StateCache | None = None
) -> int:
    """Apply events to projections, in one transaction or several, and notify the readers after each.

    Nothing is written, by any transaction, unless all projections are at the expected position and
    generation and nobody holds one of them.

    Args:
        session: in autocommit mode; or in a transaction, which then decides about all of it.
        targets: projections that are all at the position before the batch.
        batch: the events that follow.
        cache: states of the only target, whose table nobody else writes; None: the tables are queried.

    Returns:
        The position reached.
    """
    tables = [one.projection.table for one in targets]
    with ExitStack() as contexts:
        for table in tables if tracing.is_on() and batch.events else ():
            contexts.enter_context(tracing_of_batch(table, batch.events))
        contexts.enter_context(shared(batch.events))
        while batch:
            applied = await _apply_some(session, targets, batch, cache)
            if applied is None:
                break
            if not any(table.is_next for table in tables):
                # After the commit: within it, NOTIFY would make all committing transactions queue up.
                await session.fetch(_NOTIFY, [_projected(tables, applied).payload])
                failpoint("projections.notified")
                for table in tables:
                    _count(table.name, len(applied.events))
            batch = batch.following(applied.to, len(applied.events))
    return batch.after


async def _apply_some(
    session: Session, targets: Sequence[Target], batch: Batch, cache: StateCache | None
) -> Batch | None:
    """Apply the first events, as many as have states that fit into memory, in one transaction.

    Returns:
        These events; None: somebody holds or has moved one of the projections.
    """
    number, changes = await fold(session, [one.projection for one in targets], batch.events, cache)
    if number < len(batch.events):
        events = batch.events[:number]
        batch = Batch(events, batch.after, events[-1].position, events[-1].moment)
    failpoint("projections.states_read")
    places = zip(targets, changes, strict=True)
    advancing = positions.advancing(
        tuple((one.projection.table, one.place.generation, of.changed is not None) for one, of in places)
    )
    parameters: list[Any] = [of.changed for of in changes if of.changed is not None]
    parameters += [batch.after, batch.to, batch.moment]
    writes = [write for of in changes for write in of.writes]
    statements = [write.statements() for write in writes]
    # One more than there would be if all fitted into one statement.
    begun = [list(islice(of, write.fewest + 1)) for write, of in zip(writes, statements, strict=True)]
    fits = all(len(of) <= write.fewest for write, of in zip(writes, begun, strict=True))
    if fits and not any(of.failures for of in changes):
        for number, statement in enumerate(chain.from_iterable(begun)):
            advancing += b", write_%d AS (%b)" % (number, statement.under(_ADVANCED))
            parameters += statement.parameters
        if not await session.fetch(advancing + _RETURNING, parameters):
            return None
    else:
        async with session.transaction():
            if not await session.fetch(advancing + _RETURNING, parameters):
                return None
            failpoint("projections.position_moved")
            for statement in chain.from_iterable(map(chain, begun, statements)):
                await session.fetch(statement.under(), statement.parameters)
            for target, of in zip(targets, changes, strict=True):
                await set_aside(session, target.projection.table, of.failures)
            failpoint("projections.rows_written")
    failpoint("projections.committed")
    if cache is not None:
        (of,) = changes
        cache.update(of.states, map(_stream, of.failures), sum(len(event.state) for event in batch.events))
    return batch


async def fold(
    session: Session,
    projections: Sequence[Projection],
    events: Sequence[RecordedEvent],
    cache: StateCache | None = None,
) -> tuple[int, list[Changes]]:
    """Fold events, as many as have states that fit into memory.

    The states may be read before the transaction that writes: they are still the same if the projection is
    still at the same place then.

    Returns:
        The number of events, and the changes of each projection.
    """
    concerned = [
        [event for event in events if event.originator_id.startswith(one.prefix)] for one in projections
    ]
    known = await _known(session, projections, concerned, cache)
    last = min(
        (
            event.position - 1
            for of_projection, states in zip(concerned, known, strict=True)
            for event in of_projection
            if not states.has((event.entity, event.entity_id))
        ),
        default=None,
    )
    if last is not None:
        events = [event for event in events if event.position <= last]
        concerned = [[event for event in one if event.position <= last] for one in concerned]
    return len(events), [
        projection.fold(of_projection, states) if of_projection else NO_CHANGES
        for projection, of_projection, states in zip(projections, concerned, known, strict=True)
    ]


async def write_changes(session: Session, table: ReadTable, changes: Changes) -> None:
    """Write changes in a transaction of the caller's, with as many statements as it takes."""
    for write in changes.writes:
        for statement in write.statements():
            await session.fetch(statement.under(), statement.parameters)
    await set_aside(session, table, changes.failures)


async def notify_renewed(connection: AsyncConnection, table: ReadTable, position: int) -> None:
    """Notify the readers of a table that any of its rows may have changed, without a next event."""
    await connection.execute(_NOTIFY, [Projected((table.name,), position, position).payload])


async def _known(
    session: Session,
    projections: Sequence[Projection],
    concerned: Sequence[Sequence[RecordedEvent]],
    cache: StateCache | None,
) -> list[Known]:
    cached = Known({}, set()) if cache is None else cache.known
    known, questions, asking = [], [], []
    for projection, events in zip(projections, concerned, strict=True):
        begun = begun_before(events)
        # A stream that begins with these events is in no table yet, and was not set aside.
        streams = {(event.entity, event.entity_id): None for event in events}
        states = {stream: cached.states.get(stream) for stream in streams}
        missing = [stream for stream in begun if not cached.has(stream)]
        for stream in missing:
            del states[stream]
        known.append(Known(states, {stream for stream in streams if stream in cached.set_aside}))
        if missing:
            questions.append(projection.question(missing))
            asking.append(known[-1])
    for one, answer in zip(asking, await ask(session, questions), strict=True):
        one.states.update(answer.states)
        one.set_aside.update(answer.set_aside)
    return known


def _stream(name: str) -> tuple[str, str]:
    entity, _, entity_id = name.partition(":")
    return entity, entity_id


def _projected(tables: Sequence[ReadTable], batch: Batch) -> Projected:
    streams = (event.originator_id for event in batch.events)
    return Projected.of((table.name for table in tables), after=batch.after, to=batch.to, streams=streams)


def _count(projection: str, events: int) -> None:
    batches, counted = _counters(projection)
    batches.inc()
    counted.inc(events)


@cache
def _counters(projection: str) -> tuple[Counter, Counter]:
    return metrics.BATCHES.labels(projection), metrics.EVENTS.labels(projection)
