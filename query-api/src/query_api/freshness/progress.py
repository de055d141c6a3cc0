"""How far projections have read the log."""

from dataclasses import dataclass
from typing import Final

from query_api.reading.source import KeyedRows, Source

_STANDINGS: Final = b"""
SELECT asked.projection, head.log_id, head.position, coalesce(kept.position, 0), coalesce(kept.version, 0)
FROM unnest(%s::text[]) AS asked (projection)
  CROSS JOIN log.head
  LEFT JOIN read.positions AS kept USING (projection)
"""


@dataclass(frozen=True)
class ProjectionProgress:
    """How far a projection has read which log."""

    log_id: str
    head: int
    position: int
    version: int = 0
    """Of the rows that it has written; see `ReadTable.version`."""


class Projections:
    """The projections as the query API sees them."""

    def __init__(self, source: Source) -> None:
        self._standings = KeyedRows(source, _STANDINGS)

    async def progress(self, projection: str) -> ProjectionProgress:
        """Return how far a projection is; 0 before it has begun."""
        return ProjectionProgress(*await self._standings.get(projection))
