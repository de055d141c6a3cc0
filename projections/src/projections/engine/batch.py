"""Applies a batch: rows and positions of all projections in one transaction, so each event counts once."""

import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from itertools import chain, islice
from typing import Any, Final, NamedTuple

from opentelemetry.trace import SpanKind
from psycopg import AsyncConnection

from command_api.event_store.records import RecordedEvent
from ops.base.encryption.states import plaintext_part
from ops.base.observability import tracing
from ops.base.process.failpoints import failpoint
from projections import metrics
from projections.engine.projection import NO_CHANGES, Changes, Projection
from projections.engine.quarantine import quarantine
from projections.engine.states import KnownStates, StateCache, continued_streams, load_states, shared_decoding
from projections.event_log import EventBatch, LogSession
from projections.progress import positions
from projections.progress.positions import TablePosition
from read_model.tables import PROJECTED_CHANNEL, ReadTable
from read_model.tables.notification import ProjectionNotification

_ADVANCED: Final = b"EXISTS (SELECT FROM advanced)"
_RETURNING: Final = b" SELECT true FROM advanced LIMIT 1"
_NOTIFY: Final = f"SELECT pg_notify('{PROJECTED_CHANNEL}', %b::text)".encode()


class Target(NamedTuple):
    """A projection and its progress."""

    projection: Projection
    place: TablePosition


async def apply(
    session: LogSession, targets: Sequence[Target], batch: EventBatch, cache: StateCache | None = None
) -> int:
    """Apply events to projections in one or several transactions, notify the readers after each, and return
    the position reached.

    A transaction writes only if all projections are at the expected position and generation, and unlocked.

    Args:
        session: in autocommit mode, or in a transaction that commits everything.
        targets: projections at the position before the batch.
        batch: the events that follow.
        cache: states of a single target whose table has no other writer; None: query the tables.
    """
    tables = [one.projection.table for one in targets]
    with ExitStack() as contexts:
        for table in tables if tracing.is_on() and batch.events else ():
            span = tracing.span(
                f"project {table.name}",
                kind=SpanKind.CONSUMER,
                linked=_traceparents(batch.events),
                attributes={
                    "fleetlog.projection": table.name,
                    "fleetlog.first_position": batch.events[0].position,
                    "fleetlog.last_position": batch.events[-1].position,
                },
            )
            contexts.enter_context(span)
        contexts.enter_context(shared_decoding(batch.events))
        while batch:
            applied = await _apply_some(session, targets, batch, cache)
            if applied is None:
                break
            if not any(table.is_next for table in tables):
                # After the commit: NOTIFY takes a lock that serialises all committing transactions.
                names, streams = [table.name for table in tables], {e.originator_id for e in applied.events}
                projected = ProjectionNotification.create(
                    names, after=applied.after, to=applied.to, streams=streams
                )
                await session.fetch(_NOTIFY, [projected.payload])
                failpoint("projections.notified")
                for name in names:
                    metrics.BATCHES.labels(name).inc()
                    metrics.EVENTS.labels(name).inc(len(applied.events))
            batch = batch.following(applied.to, len(applied.events))
    return batch.after


async def _apply_some(
    session: LogSession, targets: Sequence[Target], batch: EventBatch, cache: StateCache | None
) -> EventBatch | None:
    """Apply the first events, as many as have states that fit into memory, in one transaction.

    Return these events, or None if a projection is locked or was moved.
    """
    number, changes = await fold(session, [one.projection for one in targets], batch.events, cache)
    if number < len(batch.events):
        events = batch.events[:number]
        batch = EventBatch(events, batch.after, events[-1].position, events[-1].moment)
    failpoint("projections.states_read")
    places = zip(targets, changes, strict=True)
    advancing = positions.advancing(
        tuple((one.projection.table, one.place.generation, of.changed is not None) for one, of in places)
    )
    parameters: list[Any] = [of.changed for of in changes if of.changed is not None]
    parameters += [batch.after, batch.to, batch.moment]
    writes = [write for of in changes for write in of.writes]
    statements = [write.statements() for write in writes]
    # One statement more than needed if everything fits, to find out whether it does.
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
                await quarantine(session, target.projection.table, of.failures)
            failpoint("projections.rows_written")
    failpoint("projections.committed")
    if cache is not None:
        (of,) = changes
        cache.update(of.states, of.failures, sum(len(event.state) for event in batch.events))
    return batch


async def fold(
    session: LogSession,
    projections: Sequence[Projection],
    events: Sequence[RecordedEvent],
    cache: StateCache | None = None,
) -> tuple[int, list[Changes]]:
    """Fold the first events, as many as have states that fit into memory.

    The states may be read before the writing transaction, which compares position and generation: while these
    are equal, so are the states.

    Returns:
        The number of folded events, and the changes of each projection.
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


async def write_changes(session: LogSession, table: ReadTable, changes: Changes) -> None:
    """Write changes in the caller's transaction."""
    for write in changes.writes:
        for statement in write.statements():
            await session.fetch(statement.under(), statement.parameters)
    await quarantine(session, table, changes.failures)


async def notify_renewed(connection: AsyncConnection, table: ReadTable, position: int) -> None:
    """Notify the readers of a table that any row may have changed without a next event."""
    await connection.execute(_NOTIFY, [ProjectionNotification((table.name,), position, position).payload])


async def _known(
    session: LogSession,
    projections: Sequence[Projection],
    concerned: Sequence[Sequence[RecordedEvent]],
    cache: StateCache | None,
) -> list[KnownStates]:
    cached = KnownStates({}, set()) if cache is None else cache.known
    known, queries, incomplete = [], [], []
    for projection, events in zip(projections, concerned, strict=True):
        # A stream that begins with these events is neither in the table nor quarantined yet.
        streams = {(event.entity, event.entity_id): None for event in events}
        states = {stream: cached.states.get(stream) for stream in streams}
        missing = [stream for stream in continued_streams(events) if not cached.has(stream)]
        for stream in missing:
            del states[stream]
        known.append(KnownStates(states, {stream for stream in streams if stream in cached.quarantined}))
        if missing:
            queries.append(projection.state_query(missing))
            incomplete.append(known[-1])
    for one, loaded in zip(incomplete, await load_states(session, queries), strict=True):
        one.states.update(loaded.states)
        one.quarantined.update(loaded.quarantined)
    return known


def _traceparents(batch: Sequence[RecordedEvent]) -> Iterator[str]:
    for event in batch:
        try:
            state = event.state if event.key_id is None else plaintext_part(event.state)
            traceparent = json.loads(state)["metadata"]["traceparent"]
        except (ValueError, TypeError, LookupError, RecursionError):
            continue  # an unreadable event is reported when it is applied
        if isinstance(traceparent, str):
            yield traceparent
