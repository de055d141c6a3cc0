"""`projections retry`: apply what was set aside, after its cause has been mended."""

from collections.abc import Iterable

from psycopg import AsyncConnection

from ops.base.database import connect
from projections.applying.projection import Projection
from projections.applying.quarantine import read_quarantined
from projections.applying.retrying import retry as retry_stream
from projections.leading.sessions import end_when_silent


async def retry(dsn: str, projections: Iterable[Projection]) -> int:
    """Try every stream again that some projections have set aside, whether a worker runs or not.

    Args:
        dsn: where to connect.
        projections: which.

    Returns:
        1 if a stream is still set aside.
    """
    healed = still = 0
    async with await connect(dsn, autocommit=True) as connection:
        await end_when_silent(connection, idle_seconds=60)  # a worker may wait for each transaction
        for projection in projections:
            for stream in await read_quarantined(connection, projection.table):
                if await _is_healed(connection, projection, stream.originator_id):
                    healed += 1
                else:
                    still += 1
    print(f"{healed} healed, {still} still set aside" if healed or still else "no stream is set aside")
    return 1 if still else 0


async def _is_healed(connection: AsyncConnection, projection: Projection, stream: str) -> bool:
    retried = await retry_stream(connection, projection, stream)
    name = projection.table.name
    if retried is None or retried.still is None:
        print(f"{name}: {stream} is healed ({retried.applied if retried else 0} events applied)")
        return True
    print(f"{name}: {stream} stays set aside at position {retried.still.position}: {retried.still.error}")
    return False
