"""Applies the events of quarantined streams, after the cause of the failure was fixed."""

from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, replace

from psycopg import AsyncConnection, Rollback

from projections.engine.batch import fold, notify_renewed, write_changes
from projections.engine.projection import Projection
from projections.engine.quarantine import QuarantinedStream, find_quarantined, read_quarantined, release
from projections.failures import NewerVersion, OlderVersion
from projections.progress import positions
from projections.reading.log import read_stream
from projections.reading.session import ConnectionSession


@dataclass(frozen=True)
class Retried:
    """What came of trying a stream again."""

    applied: int
    """How many of its events were applied."""
    still: QuarantinedStream | None
    """Why it stays set aside; None: it is healed."""


@dataclass(frozen=True)
class Tried:
    """What came of one of several streams."""

    projection: str
    stream: str
    retried: Retried | None
    number: int
    """How many have been tried with it."""
    of: int

    @property
    def is_healed(self) -> bool:
        """Whether it is set aside no more."""
        return self.retried is None or self.retried.still is None

    def __str__(self) -> str:
        applied = self.retried.applied if self.retried else 0
        if self.retried is None or self.retried.still is None:
            return f"{self.projection}: {self.stream} is healed ({applied} events applied)"
        still = self.retried.still
        return f"{self.projection}: {self.stream} stays set aside at position {still.position}: {still.error}"


async def retry_all(connection: AsyncConnection, projections: Iterable[Projection]) -> AsyncIterator[Tried]:
    """Try every stream again that some projections have set aside, whether a worker runs or not.

    Args:
        connection: in autocommit mode.
        projections: which.
    """
    aside = [
        (projection, stream.originator_id)
        for projection in projections
        for stream in await read_quarantined(connection, projection.table)
    ]
    for number, (projection, stream) in enumerate(aside, 1):
        retried = await retry(connection, projection, stream)
        yield Tried(projection.table.name, stream, retried, number, len(aside))


async def retry(connection: AsyncConnection, projection: Projection, stream: str) -> Retried | None:
    """Apply what has waited of a stream, in one transaction that keeps the projection's worker out.

    Args:
        connection: in autocommit mode.
        projection: the one that has set the stream aside.
        stream: its name.

    Returns:
        What came of it; None: the stream is not set aside.

    Raises:
        OlderVersion: the table must be rebuilt, which tries all streams again.
        NewerVersion: a later release fills the table.
    """
    table = projection.table
    async with connection.transaction() as transaction:
        filled_by, position = await positions.lock(connection, table)
        before = await find_quarantined(connection, table, stream)
        if before is None:
            return None
        if filled_by != table.version:
            raise (OlderVersion if filled_by < table.version else NewerVersion)(filled_by, table.version)
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
        # Also where no row is different now: answers have said that some may be.
        await positions.mark_renewed(connection, table)
    if applied or not still:
        await notify_renewed(connection, table, position)
    return Retried(applied, still)
