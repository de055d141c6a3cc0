"""Numbers of changes by day, with the filters of the audit trail."""

import time
from bisect import bisect_right
from collections import Counter
from datetime import date, datetime, timedelta
from typing import Final

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
).format(position=LAST_BEFORE.format(table=REVISIONS.identifier, moment=sql.SQL("instant")))
"""Reads the last position before each of `moments`, or 0."""


def counts_statement(wanted: ChangeFilter) -> sql.Composed:
    """Return the statement that counts changes by day, from 1 for the day that begins at `starts[0]`."""
    return _COUNTS.format(table=REVISIONS.identifier, conditions=conditions_of(wanted))


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
    since, until = max(starts[0], params.since or starts[0]), min(starts[-1], params.until or starts[-1])
    given = {name: getattr(params, name) for name in ChangeFilter.model_fields}
    wanted = ChangeFilter.model_construct(**{**given, "since": since, "until": until})
    if not any(value for name, value in given.items() if name not in _TIMES):
        ends = [max(since, min(start, until)) for start in starts]  # the time span may be empty
        return _by_day(params.first, await _by_positions(timeline, ends)), None
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
            parameters = {**timeline.parameters(wanted, batch), "starts": starts}
            rows = await fetch(timeline.source, counts_statement(wanted), parameters, prepare=False)
            found += Counter({day - 1: count for day, count in rows})
        scan.finish(batch, reached)
        if time.monotonic() > deadline and scan.is_left:
            return _by_day(params.first, found), scan.cursor
    return _by_day(params.first, found), None


async def _by_positions(timeline: Timeline, ends: list[datetime]) -> Counter[int]:
    """Count all changes by the positions at which days begin, which have no gaps."""
    rows = await fetch(timeline.source, _POSITIONS, {"moments": ends}, prepare=False)
    positions = [position for (position,) in rows]
    return Counter({day: positions[day + 1] - positions[day] for day in range(len(ends) - 1)})


def _by_day(first: date, found: Counter[int]) -> dict[date, int]:
    return {first + timedelta(days=day): found[day] for day in sorted(found) if found[day] > 0}
