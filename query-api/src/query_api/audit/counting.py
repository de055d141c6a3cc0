"""The statements that count the timeline's changes."""

from typing import Final

from psycopg import sql

from projections.tables import REVISIONS
from query_api.audit.parameters import ENTITIES, Filter
from query_api.audit.statements import LAST_BEFORE, all_of, conditions_of
from query_api.history.columns import FORMER

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
