"""`projections status`, `retry` and `rebuild`."""

import asyncio
import json
import sys
from collections.abc import Iterable
from dataclasses import asdict

from ops.base.database.connection import connect
from projections.engine.projection import Projection
from projections.engine.quarantine import read_quarantined
from projections.engine.retry import retry_all
from projections.leadership.sessions import open_session
from projections.rebuild.rebuild import Progress
from projections.rebuild.rebuild import rebuild as rebuild_table
from read_model.status import read_statuses
from read_model.tables import READ_TABLES

NAMED_STREAMS = 20
"""Quarantined streams that are named for each projection; all are counted."""
_ROW = "{:<12} {:>10} {:>10} {:>10} {:>11}  {:<7}  {}"


async def retry(dsn: str, projections: Iterable[Projection]) -> int:
    """Retry the quarantined streams of some projections, and print the results; return 1 if any stays.

    A worker may wait for each transaction, so the session ends when this process is silent.
    """
    async with open_session(dsn, answer_seconds=None, silence_seconds=60) as connection:
        released, still = await retry_all(connection, projections, lambda line, _number, _total: print(line))
    print(
        f"{released} released, {len(still)} still quarantined"
        if released or still
        else "no stream is quarantined"
    )
    return 1 if still else 0


async def rebuild(dsn: str, projection: Projection, *, only_compare: bool) -> int:
    """Rebuild a projection's table, or only compare it, and print progress and result.

    Returns:
        1 if a comparison finds differences, 130 if the command is interrupted.
    """
    name = projection.table.name
    last = ""

    def report(reached: Progress) -> None:
        nonlocal last
        line = f"{name}: {reached.phase}, {100 * reached.position // max(reached.head, 1)} %"
        if line != last:
            print(line, file=sys.stderr)
        last = line

    try:
        rebuilt = await rebuild_table(dsn, projection, report, only_compare=only_compare)
    except asyncio.CancelledError:
        print(f"{name}: interrupted; the table is unchanged, and the next rebuild starts from the beginning")
        return 130
    print("\n".join(rebuilt.lines(name)))
    if only_compare:
        verdict = "differs from the log" if rebuilt.differs else "matches the log"
        print(f"{name}: {verdict}; nothing was changed")
        return 1 if rebuilt.differs else 0
    print(f"{name}: done")
    return 0


async def status(dsn: str, *, as_json: bool) -> int:
    """Print the status of each projection, then the quarantined streams."""
    async with await connect(dsn, autocommit=True) as connection:
        statuses = await read_statuses(connection, READ_TABLES)
        quarantined = {
            table.name: await read_quarantined(connection, table, limit=NAMED_STREAMS)
            for table, status in zip(READ_TABLES, statuses, strict=True)
            if status.quarantined
        }
    if as_json:
        named = {name: [stream.as_json() for stream in streams] for name, streams in quarantined.items()}
        rows = [
            {**asdict(status), "quarantined_streams": named.get(status.projection, [])} for status in statuses
        ]
        print(json.dumps(rows, indent=2))
        return 0
    print(_ROW.format("projection", "position", "head", "lag", "quarantined", "worker", "rebuild").rstrip())
    for status in statuses:
        rebuild = ""
        if status.rebuild_position is not None:
            rebuild = f"at {status.rebuild_position} ({status.rebuild_position / max(status.head, 1):.0%})"
        counts = (status.position, status.head, status.lag_events, status.quarantined)
        worker = "running" if status.worker else "none"
        print(_ROW.format(status.projection, *counts, worker, rebuild).rstrip())
    for status in statuses:
        if not status.searchable:
            print(f"{status.projection}: not searchable until a worker has rebuilt the search terms")
    for projection, streams in quarantined.items():
        for stream in streams:
            since = stream.since.isoformat(sep=" ", timespec="seconds")
            print(
                f"{projection}: {stream.originator_id} is quarantined at position {stream.position}"
                f" since {since}: {stream.error}"
            )
    return 0
