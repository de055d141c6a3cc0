"""`projections retry`: apply what was set aside, after its cause has been mended."""

from collections.abc import Iterable

from ops.base.database.pools import connect
from projections.engine.projection import Projection
from projections.engine.retry import retry_all
from projections.leases.sessions import end_when_silent


async def retry(dsn: str, projections: Iterable[Projection]) -> int:
    """Try every stream again that some projections have set aside, and tell what came of it.

    Args:
        dsn: where to connect.
        projections: which.

    Returns:
        1 if a stream is still set aside.
    """
    healed = still = 0
    async with await connect(dsn, autocommit=True) as connection:
        await end_when_silent(connection, idle_seconds=60)  # a worker may wait for each transaction
        async for tried in retry_all(connection, projections):
            print(tried)
            healed += tried.is_healed
            still += not tried.is_healed
    print(f"{healed} healed, {still} still set aside" if healed or still else "no stream is set aside")
    return 1 if still else 0
