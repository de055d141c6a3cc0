"""The rebuild of a read table."""

import asyncio
import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import dataclass, replace
from typing import Final, Literal, NamedTuple

import psycopg
import structlog
from psycopg import AsyncConnection, sql

from projections.engine.batch import notify_renewed
from projections.engine.projection import Projection
from projections.entity_tables.search_terms import refill
from projections.event_log import read_head
from projections.failures import ProjectionStopped
from projections.leadership.locks import try_to_lock
from projections.leadership.sessions import open_session
from projections.progress import positions
from projections.rebuild import next_table
from projections.rebuild.comparison import NO_DIFFERENCES, Differences, compare, compare_with_history
from projections.rebuild.fill import fill
from projections.rebuild.swap import MOST_READERS_WAIT_SECONDS, settle, swap
from read_model.lock_keys import rebuild_key
from read_model.tables import EntityTable, ReadTable

logger = structlog.get_logger()

IDLE_SECONDS: Final = 60.0
"""Limit of silence outside transactions, while a batch is folded."""
_DROP_ATTEMPTS: Final = 5
"""A statement of a closed connection ends after its wait for a lock, at the latest."""


class RebuildRunning(ProjectionStopped):
    """Another process rebuilds the table."""

    def __init__(self) -> None:
        super().__init__("it is being rebuilt already")


class Progress(NamedTuple):
    """Progress of a rebuild."""

    phase: Literal["filling", "comparing", "swapping"]
    position: int
    head: int


@dataclass(frozen=True)
class RebuildResult:
    """The result of a rebuild."""

    rows: int
    events: int
    seconds: float
    """Duration of filling the table."""
    differences: Differences | None
    """Differences from the old table; None if the tables could not be compared."""
    contradictions: Differences = NO_DIFFERENCES
    """Rows of the old table that contradict their records' histories."""

    @property
    def differs(self) -> bool:
        """Whether the old table is known to be wrong."""
        return bool((self.differences and self.differences.count) or self.contradictions.count)

    def lines(self, name: str) -> list[str]:
        """Describe the result for operators."""
        speed = self.events / max(self.seconds, 0.001)
        done = (
            f"{name}: {self.rows} rows from {self.events} events"
            f" in {self.seconds:.1f} s ({speed:.0f} events/s)"
        )
        if self.differences is None:
            return [done, f"{name}: not compared, because the old table has another version or a long lag"]
        lines = [done]
        if self.contradictions.count:
            examples = _examples(self.contradictions)
            lines.append(f"{name}: {self.contradictions.count} ROWS CONTRADICT THEIR HISTORY: {examples}")
        if self.differences.count:
            examples = _examples(self.differences)
            lines.append(f"{name}: {self.differences.count} ROWS DIFFERED from the log: {examples}")
        if unsettled := len(self.differences.unsettled):
            lines.append(f"{name}: {unsettled} rows not compared: the old table lacked their last events")
        return lines


async def rebuild(
    dsn: str,
    projection: Projection,
    report: Callable[[Progress], None] = lambda _: None,
    *,
    only_compare: bool = False,
) -> RebuildResult:
    """Fill a new table from the log, and replace the old one; an interrupted rebuild starts again.

    Readers, writers and the projection's worker continue meanwhile.

    Args:
        dsn: where to connect, with the projection worker's rights.
        only_compare: compare the tables, and drop the new one.

    Raises:
        RebuildRunning: another process rebuilds the table.
        NewerVersion: a later release fills the table.
        LogGap: an event is missing from the log.
    """
    table = projection.table
    log = logger.bind(projection=table.name)
    async with _session(dsn) as connection:
        if not await try_to_lock(connection, rebuild_key(table)):
            raise RebuildRunning
        filled_by = await positions.begin(connection, table)
        positions.require_not_newer(filled_by, table)
        log.info("rebuild_begins", version=table.version, filled_by=filled_by)
        contradictions = NO_DIFFERENCES
        if only_compare and isinstance(table, EntityTable):
            contradictions = await compare_with_history(connection, table)
        try:
            await next_table.create(connection, table)
            rebuilt = await _fill(dsn, connection, projection, report)
            report(Progress("comparing", rebuilt.events, rebuilt.events))
            # Rows of another version are expected to differ.
            differences = await compare(connection, projection) if filled_by == table.version else None
            report(Progress("swapping", rebuilt.events, rebuilt.events))
            finish = settle if only_compare else swap
            differences = await finish(connection, projection, differences)
            rebuilt = replace(rebuilt, differences=differences, contradictions=contradictions)
        finally:
            with suppress(psycopg.Error):  # the next rebuild drops the table as well
                await _drop_next(dsn, connection, table)
        if not only_compare:
            await notify_renewed(connection, table, rebuilt.events)
            if isinstance(table, EntityTable):
                await refill(connection, table)
    log.info(
        "rebuild_done",
        rows=rebuilt.rows,
        events=rebuilt.events,
        seconds=round(rebuilt.seconds, 1),
        compared=differences is not None,
    )
    if differences and differences.count:
        log.error("rebuild_found_differences", rows=differences.count, examples=differences.examples)
    return rebuilt


async def _drop_next(dsn: str, connection: AsyncConnection, table: ReadTable) -> None:
    """Drop the next table, on another connection if this one was lost or is still busy."""
    try:
        await next_table.drop(connection, table)
    except psycopg.Error:
        await connection.close()  # an interrupted statement, or its transaction, may not have ended
        async with _session(dsn) as another:
            for _ in range(_DROP_ATTEMPTS):
                if await try_to_lock(another, rebuild_key(table)):
                    await next_table.drop(another, table)
                    return
                await asyncio.sleep(MOST_READERS_WAIT_SECONDS)


def _session(dsn: str) -> AbstractAsyncContextManager[AsyncConnection]:
    return open_session(dsn, answer_seconds=None, silence_seconds=IDLE_SECONDS)


async def _fill(
    dsn: str, connection: AsyncConnection, projection: Projection, report: Callable[[Progress], None]
) -> RebuildResult:
    following = projection.on_next_table()
    began = time.monotonic()
    async with _session(dsn) as reader:
        head = await read_head(reader)
        await fill(
            reader,
            connection,
            following,
            lambda position: report(Progress("filling", position, max(head, position))),
        )
    events = (await positions.read_place(connection, following.table)).position
    seconds = time.monotonic() - began
    await connection.execute(sql.SQL("ANALYZE {}").format(following.table.identifier))
    count = sql.SQL("SELECT count(*) FROM {}").format(following.table.identifier)
    ((rows,),) = await (await connection.execute(count)).fetchall()
    return RebuildResult(rows, events, seconds, None)


def _examples(differences: Differences) -> str:
    more = differences.count - len(differences.examples)
    return ", ".join(differences.examples) + (f" and {more} more" if more else "")
