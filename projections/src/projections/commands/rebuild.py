"""`projections rebuild`: fill a read table anew while the old one serves."""

import asyncio
import sys

from projections.engine.projection import Projection
from projections.rebuild.rebuilding import Progress
from projections.rebuild.rebuilding import rebuild as rebuild_table


async def rebuild(dsn: str, projection: Projection, *, only_compare: bool) -> int:
    """Rebuild a projection's table and tell what came of it.

    Args:
        dsn: where to connect.
        projection: which.
        only_compare: leave the table as it is; a difference is a failure.
    """
    name = projection.table.name
    told: list[str] = []

    def report(reached: Progress) -> None:
        line = f"{name}: {reached.phase}, {100 * reached.position // max(reached.head, 1)} %"
        if line not in told[-1:]:
            told.append(line)
            print(line, file=sys.stderr)

    try:
        rebuilt = await rebuild_table(dsn, projection, report, only_compare=only_compare)
    except asyncio.CancelledError:
        print(f"{name}: interrupted; the table is as it was, and the next rebuild begins anew")
        return 130
    print("\n".join(rebuilt.lines(name)))
    if only_compare:
        verdict = "differs from the log" if rebuilt.differs else "is what the log adds up to"
        print(f"{name}: {verdict}; nothing was changed")
        return 1 if rebuilt.differs else 0
    print(f"{name}: done")
    return 0
