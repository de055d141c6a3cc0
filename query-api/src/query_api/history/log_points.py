"""Points of the log: which position an instant is, and what log the revisions are of there."""

from typing import Final, NamedTuple

from psycopg import sql

from projections.tables import REVISIONS
from query_api.masking.withheld import tells_of_it

POSITION_AT: Final = sql.SQL(
    "SELECT position FROM {table} WHERE moment <= %(moment)s ORDER BY moment DESC, position DESC LIMIT 1"
)

AT_MOMENT: Final = sql.SQL(
    """
    SELECT head.log_id, coalesce(kept.generation, 0), coalesce(({position_at}), 0),
      (SELECT coalesce(max(position), 0) FROM {table} AS told WHERE {tells_of_it})
    FROM log.head LEFT JOIN read.positions AS kept ON kept.projection = {projection}
    """
).format(
    position_at=POSITION_AT.format(table=REVISIONS.identifier),
    projection=sql.Literal(REVISIONS.name),
    table=REVISIONS.identifier,
    tells_of_it=sql.SQL(tells_of_it("told")),
)

NOW: Final = sql.SQL(
    """
    SELECT identity.log_id, coalesce(kept.generation, 0)
    FROM log.identity LEFT JOIN read.positions AS kept ON kept.projection = {projection}
    """
).format(projection=sql.Literal(REVISIONS.name))


class LogPoint(NamedTuple):
    """A position, and what it is one of."""

    log_id: str
    generation: int
    """Of the revisions: how often they were mended."""
    position: int
    withheld: int = 0
    """Where it was last told what must be shown no longer, or again."""
