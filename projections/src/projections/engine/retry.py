"""Applies the events of quarantined streams, after the cause of the failure was fixed."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from psycopg import AsyncConnection, Rollback

from projections.engine.batch import fold, notify_renewed, write_changes
from projections.engine.projection import Projection
from projections.engine.quarantine import QuarantinedStream, find_quarantined, read_quarantined, release
from projections.event_log import ConnectionSession, read_stream
from projections.progress import positions


@dataclass(frozen=True)
class RetryResult:
    """The result of retrying one quarantined stream."""

    applied: int
    """The number of events that were applied."""
    still: QuarantinedStream | None
    """The stream's quarantine after the retry; None if the stream is released."""


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
        result = await retry(connection, projection, stream) or RetryResult(0, None)
        line = f"{projection.table.name}: {stream} is released ({result.applied} events applied)"
        if result.still is not None:
            why = f"at position {result.still.position}: {result.still.error}"
            line = f"{projection.table.name}: {stream} stays quarantined {why}"
            still.append(line)
        report(line, number, len(streams))
    return len(streams) - len(still), still


async def retry(connection: AsyncConnection, projection: Projection, stream: str) -> RetryResult | None:
    """Apply the events that a quarantined stream has missed, in one transaction that blocks the worker.

    Args:
        connection: in autocommit mode.

    Returns:
        The result, or None if the stream is not quarantined.

    Raises:
        OlderVersion: the table must be rebuilt, which retries all streams.
        NewerVersion: a later release fills the table.
    """
    table = projection.table
    async with connection.transaction() as transaction:
        filled_by, position = await positions.lock(connection, table)
        before = await find_quarantined(connection, table, stream)
        if before is None:
            return None
        positions.compare_versions(filled_by, table)
        await release(connection, table, stream)
        applied, still = 0, None
        session = ConnectionSession(connection)
        async for events in read_stream(connection, stream, first=before.position, last=position):
            rest = events
            while rest:
                number, (changes,) = await fold(session, [projection], rest)
                await write_changes(session, table, changes)
                rest = rest[number:]
            still = await find_quarantined(connection, table, stream)
            applied += sum(still is None or event.position < still.position for event in events)
            if still:
                break
        if still and not applied:
            still = replace(still, since=before.since)
            raise Rollback(transaction)
        # Even if no row has changed: answers have reported the quarantine.
        await positions.mark_renewed(connection, table)
    if applied or not still:
        await notify_renewed(connection, table, position)
    return RetryResult(applied, still)
