"""Numbers of changes by day, with the filters of the audit trail."""

import time
from bisect import bisect_right
from collections import Counter
from datetime import date, datetime, timedelta
from typing import Any, Final

from psycopg import sql

from query_api.audit.parameters import ChangeFilter, DaysParameters, starts_of_days, zone_of
from query_api.audit.statements import LAST_BEFORE, conditions_of
from query_api.audit.timeline import DECRYPTED_ROWS, Timeline, filters_in_python
from query_api.database.source import PART_BYTES, fetch
from read_model.tables import REVISIONS

_COUNTS: Final = sql.SQL(
    """
    SELECT width_bucket(moment, %(starts)s::timestamptz[]), count(*)
    FROM {table}
    WHERE position > %(low)s AND position <= %(high)s AND {conditions}
    GROUP BY 1
    """
)
_POSITIONS: Final = sql.SQL(
    "SELECT coalesce({position}, 0)"
    " FROM unnest(%(moments)s::timestamptz[]) WITH ORDINALITY AS wanted (instant, number) ORDER BY number"
)


def counts_statement(wanted: ChangeFilter) -> sql.Composed:
    """Return the statement that counts changes by day, from 1 for the day that begins at `starts[0]`."""
    return _COUNTS.format(table=REVISIONS.identifier, conditions=conditions_of(wanted))


def positions_statement() -> sql.Composed:
    """Return the statement that reads the last position before each of `moments`, or 0."""
    position = LAST_BEFORE.format(table=REVISIONS.identifier, moment=sql.SQL("instant"))
    return _POSITIONS.format(position=position)


_TIMES: Final = {"since", "until"}


async def count_days(
    timeline: Timeline, params: DaysParameters, *, masked: bool = False, restricted: bool = False
) -> tuple[dict[date, int], int | None]:
    """Return the numbers of changes of days that have any, and the cursor of the previous page.

    If counting takes long, a page has only the last days, and its first day may be incomplete.

    Args:
        masked: whether personal data is masked, and so not searched.
        restricted: whether restricted data is searched.
    """
    starts = starts_of_days(params.first, params.count + 1, zone_of(params.zone))
    wanted = _within(params, starts[0], starts[-1])
    if not any(getattr(wanted, name) for name in ChangeFilter.model_fields if name not in _TIMES):
        return _by_day(params.first, await _by_positions(timeline, wanted, starts)), None
    wanted = await timeline.by_subject(wanted)
    scan = await timeline.scan(wanted, descending=True)
    if params.cursor is not None:
        scan.high = min(scan.high, params.cursor - 1)
    deadline = time.monotonic() + timeline.patience_seconds
    found: Counter[int] = Counter()
    while scan.is_left:
        batch = scan.next()
        reached = None
        if filters_in_python(wanted):
            changes, reached = await timeline.changes(
                wanted,
                batch,
                limit=DECRYPTED_ROWS,
                descending=True,
                most=PART_BYTES,
                masked=masked,
                restricted=restricted,
            )
            found.update(bisect_right(starts, change.moment) - 1 for change in changes)
        else:
            found += await _by_statement(timeline, wanted, batch, starts)
        scan.finish(batch, reached)
        if time.monotonic() > deadline and scan.is_left:
            return _by_day(params.first, found), scan.cursor
    return _by_day(params.first, found), None


async def _by_positions(timeline: Timeline, wanted: ChangeFilter, starts: list[datetime]) -> Counter[int]:
    """Count all changes by the positions at which days begin, which have no gaps."""
    ends = [_clamped(start, wanted) for start in starts]
    rows = await fetch(timeline.source, positions_statement(), {"moments": ends}, prepare=False)
    positions = [position for (position,) in rows]
    return Counter({day: positions[day + 1] - positions[day] for day in range(len(starts) - 1)})


async def _by_statement(
    timeline: Timeline, wanted: ChangeFilter, batch: tuple[int, int], starts: list[datetime]
) -> Counter[int]:
    parameters: dict[str, Any] = {**timeline.parameters(wanted, batch), "starts": starts}
    rows = await fetch(timeline.source, counts_statement(wanted), parameters, prepare=False)
    return Counter({day - 1: count for day, count in rows})


def _within(params: DaysParameters, since: datetime, until: datetime) -> ChangeFilter:
    since, until = max(since, params.since or since), min(until, params.until or until)
    given = {name: getattr(params, name) for name in ChangeFilter.model_fields}
    return ChangeFilter.model_construct(**{**given, "since": since, "until": until})


def _clamped(moment: datetime, wanted: ChangeFilter) -> datetime:
    """Return the instant, limited to the filter's time span, which may be empty."""
    if wanted.since is not None and wanted.until is not None:
        return max(wanted.since, min(moment, wanted.until))
    return moment


def _by_day(first: date, found: Counter[int]) -> dict[date, int]:
    return {first + timedelta(days=day): found[day] for day in sorted(found) if found[day] > 0}
