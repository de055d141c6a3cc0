"""`projections status`: how far each projection is, and what it has set aside."""

import json
from dataclasses import asdict

from ops.base.database.pools import connect
from projections.engine.quarantine import QuarantinedStream, read_quarantined
from projections.progress.status import Status, read_statuses
from projections.tables import READ_TABLES

NAMED_STREAMS = 20
"""So many are named for each projection; all are counted."""
_ROW = "{:<12} {:>10} {:>10} {:>10} {:>11}  {:<7}  {}"


async def status(dsn: str, *, as_json: bool) -> int:
    """Print a row for each projection, then the streams that are set aside.

    Args:
        dsn: where to connect.
        as_json: print all that as JSON.
    """
    async with await connect(dsn, autocommit=True) as connection:
        statuses = await read_statuses(connection, READ_TABLES)
        quarantined = {
            table.name: await read_quarantined(connection, table, limit=NAMED_STREAMS)
            for table, status in zip(READ_TABLES, statuses, strict=True)
            if status.quarantined
        }
    if as_json:
        named = {name: [stream.as_json() for stream in aside] for name, aside in quarantined.items()}
        rows = [
            {**asdict(status), "quarantined_streams": named.get(status.projection, [])} for status in statuses
        ]
        print(json.dumps(rows, indent=2))
        return 0
    print(_ROW.format("projection", "position", "head", "lag", "quarantined", "worker", "rebuild").rstrip())
    for status in statuses:
        print(_line(status))
    for status in statuses:
        if not status.searchable:
            print(f"{status.projection}: the search is being built again, or waits for a worker to do it")
    for projection, streams in quarantined.items():
        for stream in streams:
            print(_stream_line(projection, stream))
    return 0


def _line(status: Status) -> str:
    rebuild = ""
    if status.rebuild_position is not None:
        rebuild = f"at {status.rebuild_position} ({status.rebuild_position / max(status.head, 1):.0%})"
    return _ROW.format(
        status.projection,
        status.position,
        status.head,
        status.lag_events,
        status.quarantined,
        "running" if status.worker else "none",
        rebuild,
    ).rstrip()


def _stream_line(projection: str, stream: QuarantinedStream) -> str:
    since = stream.since.isoformat(sep=" ", timespec="seconds")
    return (
        f"{projection}: {stream.originator_id} is set aside at position {stream.position} since {since}:"
        f" {stream.error}"
    )
