"""`projections rebuild`: fill a read table anew while the old one serves."""

import asyncio

from projections.applying.projection import Projection
from projections.rebuild.comparison import Differences
from projections.rebuild.rebuilding import Progress as Reached
from projections.rebuild.rebuilding import Rebuilt
from projections.rebuild.rebuilding import rebuild as rebuild_table


async def rebuild(dsn: str, projection: Projection, *, only_compare: bool) -> int:
    """Rebuild a projection's table and tell what came of it.

    Args:
        dsn: where to connect.
        projection: which.
        only_compare: leave the table as it is; a difference is a failure.
    """
    from rich.progress import (  # noqa: PLC0415 - the worker imports this module, and shows nothing
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
    )

    name = projection.table.name
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    try:
        with Progress(*columns) as progress:
            bar = progress.add_task(name, total=None)

            def report(reached: Reached) -> None:
                progress.update(
                    bar,
                    description=f"{name}: {reached.phase}",
                    completed=reached.position,
                    total=reached.head,
                )

            rebuilt = await rebuild_table(dsn, projection, report, only_compare=only_compare)
    except asyncio.CancelledError:
        print(f"{name}: interrupted; the table is as it was, and the next rebuild begins anew")
        return 130
    _tell(name, rebuilt)
    differs = rebuilt.differences is not None and rebuilt.differences.count > 0
    if only_compare:
        verdict = "differs from the log" if differs else "is what the log adds up to"
        print(f"{name}: {verdict}; nothing was changed")
        return 1 if differs else 0
    print(f"{name}: done")
    return 0


def _tell(name: str, rebuilt: Rebuilt) -> None:
    speed = rebuilt.events / max(rebuilt.seconds, 0.001)
    print(
        f"{name}: {rebuilt.rows} rows from {rebuilt.events} events"
        f" in {rebuilt.seconds:.1f} s ({speed:.0f} events/s)"
    )
    differences = rebuilt.differences
    if differences is None:
        print(f"{name}: not compared, for the old table is of another version or far behind")
        return
    if differences.count:
        print(f"{name}: {differences.count} ROWS DIFFERED from the log: {_examples(differences)}")
    if differences.unsettled:
        print(f"{name}: {len(differences.unsettled)} rows not compared: the old table had not got there yet")


def _examples(differences: Differences) -> str:
    more = differences.count - len(differences.examples)
    return ", ".join(differences.examples) + (f" and {more} more" if more else "")
