"""Applies the events of quarantined streams, after the cause of the failure was fixed."""

from collections.abc import Callable, Iterable
from dataclasses import replace

from psycopg import AsyncConnection, Rollback

from projections.engine.batch import fold, notify_renewed, write_changes
from projections.engine.projection import Projection
from projections.engine.quarantine import QuarantinedStream, read_quarantined, release
from projections.event_log import ConnectionSession, read_stream
from projections.progress import positions


async def retry_all(
    connection: AsyncConnection,
    projections: Iterable[Projection],
    report: Callable[[str, int, int], None],
) -> tuple[int, list[str]]:
    """Retry every quarantined stream of some projections, whether a worker runs or not.

    Args:
        connection: in autocommit mode.
        report: called with a line about each retried stream, its number, and the number of all streams.

    Returns:
        The number of released streams, and a line about each that stays quarantined.
    """
    streams = [
        (projection, stream.originator_id)
        for projection in projections
        for stream in await read_quarantined(connection, projection.table)
    ]
    still = list[str]()
    for number, (projection, stream) in enumerate(streams, 1):
        applied, found = await retry(connection, projection, stream)
        line = f"{projection.table.name}: {stream} is released ({applied} events applied)"
        if found is not None:
            why = f"at position {found.position}: {found.error}"
            line = f"{projection.table.name}: {stream} stays quarantined {why}"
            still.append(line)
        report(line, number, len(streams))
    return len(streams) - len(still), still


async def retry(
    connection: AsyncConnection, projection: Projection, stream: str
) -> tuple[int, QuarantinedStream | None]:
    """Apply the events that a quarantined stream has missed, in one transaction that blocks the worker.

    Args:
        connection: in autocommit mode.

    Returns:
        The number of events that were applied, and the stream's quarantine now; None if it is released.

    Raises:
        OlderVersion: the table must be rebuilt, which retries all streams.
        NewerVersion: a later release fills the table.
    """
    table = projection.table
    async with connection.transaction() as transaction:
        filled_by, position = await positions.lock(connection, table)
        found = await read_quarantined(connection, table, stream=stream)
        if not found:
            return 0, None
        (before,) = found
        positions.compare_versions(filled_by, table)
        await release(connection, table, stream)
        applied, still = 0, list[QuarantinedStream]()
        session = ConnectionSession(connection)
        async for events in read_stream(connection, stream, first=before.position, last=position):
            rest = events
            while rest:
                number, (changes,) = await fold(session, [projection], rest)
                await write_changes(session, table, changes)
                rest = rest[number:]
            still = await read_quarantined(connection, table, stream=stream)
            applied += sum(not still or event.position < still[0].position for event in events)
            if still:
                break
        if still and not applied:
            still = [replace(still[0], since=before.since)]
            raise Rollback(transaction)
        # Even if no row has changed: answers have reported the quarantine.
        await positions.mark_renewed(connection, table)
    if applied or not still:
        await notify_renewed(connection, table, position)
    return applied, next(iter(still), None)
