"""Numbers of changes by day, under the filters of the audit trail."""

import time
from bisect import bisect_right
from collections import Counter
from datetime import date, datetime, timedelta
from typing import Any, Final

from psycopg import sql

from projections.tables import REVISIONS
from query_api.audit.parameters import ENTITIES, DaysParameters, Filter, starts_of_days, zone_of
from query_api.audit.statements import LAST_BEFORE, all_of, conditions_of
from query_api.audit.timeline import OPENED_ROWS, Timeline, must_be_opened
from query_api.history.changes import FORMER
from query_api.reading.source import PART_BYTES, fetch

_COUNTS: Final = sql.SQL(
    """
    SELECT width_bucket(moment, %(starts)s::timestamptz[]), count(*)
    FROM {table} AS revision {former}
    WHERE position > %(low)s AND position <= %(high)s AND {conditions}
    GROUP BY 1
    """
)
_WITH_FORMER: Final = sql.SQL(f"LEFT JOIN LATERAL ({FORMER}) AS former ON true")
_POSITIONS: Final = sql.SQL(
    "SELECT coalesce({position}, 0)"
    " FROM unnest(%(moments)s::timestamptz[]) WITH ORDINALITY AS asked (instant, number) ORDER BY number"
)


def counts_statement(wanted: Filter, *, masked: bool) -> sql.Composed:
    """Return what counts a stretch's changes by the days, from 1, that begin at `starts`."""
    given = conditions_of(wanted, masked=masked)
    if wanted.entities != ENTITIES:
        given.append("entities")
    table = REVISIONS.identifier
    return _COUNTS.format(
        table=table,
        former=sql.SQL("") if wanted.q is None else _WITH_FORMER.format(table=table),
        conditions=all_of(given),
    )


def positions_statement() -> sql.Composed:
    """Return what reads the last position before each of some `moments`; 0: there is none."""
    position = LAST_BEFORE.format(table=REVISIONS.identifier, moment=sql.SQL("instant"))
    return _POSITIONS.format(position=position)


_TIMES: Final = {"since", "until"}


async def count_days(
    timeline: Timeline, asked: DaysParameters, *, masked: bool = False, restricted: bool = False
) -> tuple[dict[date, int], int | None]:
    """Return how many changes days have, where there are any, and the cursor of the part before.

    A part's last day may have more in the next one: looking took long.

    Args:
        asked: which days, and which changes.
        masked: whether it is for somebody who may not see personal data, of which nothing is looked for.
        restricted: whether what is restricted is looked for all the same.
    """
    starts = starts_of_days(asked.first, asked.count + 1, zone_of(asked.zone))
    wanted = _within(asked, starts[0], starts[-1])
    if not any(getattr(wanted, name) for name in Filter.model_fields if name not in _TIMES):
        return _by_day(asked.first, await _by_positions(timeline, wanted, starts)), None
    wanted = await timeline.by_subject(wanted)
    span = await timeline.span(wanted, descending=True)
    if asked.cursor is not None:
        span.high = min(span.high, asked.cursor - 1)
    deadline = time.monotonic() + timeline.patience_seconds
    found: Counter[int] = Counter()
    while span.is_left:
        stretch = span.next()
        reached = None
        if must_be_opened(wanted, masked=masked):
            changes, reached = await timeline.changes(
                wanted,
                stretch,
                limit=OPENED_ROWS,
                descending=True,
                most=PART_BYTES,
                masked=masked,
                restricted=restricted,
            )
            found.update(bisect_right(starts, change.moment) - 1 for change in changes)
        else:
            found += await _by_statement(timeline, wanted, stretch, starts, masked=masked)
        span.go_on(stretch, reached)
        if time.monotonic() > deadline and span.is_left:
            return _by_day(asked.first, found), span.cursor
    return _by_day(asked.first, found), None


async def _by_positions(timeline: Timeline, wanted: Filter, starts: list[datetime]) -> Counter[int]:
    """Count everything: positions have no gaps, so where days begin tells how many they have."""
    ends = [_clamped(start, wanted) for start in starts]
    rows = await fetch(timeline.source, positions_statement(), {"moments": ends}, prepare=False)
    positions = [position for (position,) in rows]
    return Counter({day: positions[day + 1] - positions[day] for day in range(len(starts) - 1)})


async def _by_statement(
    timeline: Timeline, wanted: Filter, stretch: tuple[int, int], starts: list[datetime], *, masked: bool
) -> Counter[int]:
    parameters: dict[str, Any] = {**timeline.parameters(wanted, stretch), "starts": starts}
    rows = await fetch(timeline.source, counts_statement(wanted, masked=masked), parameters, prepare=False)
    return Counter({day - 1: count for day, count in rows})


def _within(asked: DaysParameters, since: datetime, until: datetime) -> Filter:
    since, until = max(since, asked.since or since), min(until, asked.until or until)
    given = {name: getattr(asked, name) for name in Filter.model_fields}
    return Filter.model_construct(**{**given, "since": since, "until": until})


def _clamped(moment: datetime, wanted: Filter) -> datetime:
    """Return the instant, or the filter's end that it is beyond; there may be no time between these."""
    if wanted.since is not None and wanted.until is not None:
        return max(wanted.since, min(moment, wanted.until))
    return moment


def _by_day(first: date, found: Counter[int]) -> dict[date, int]:
    return {first + timedelta(days=day): found[day] for day in sorted(found) if found[day] > 0}
