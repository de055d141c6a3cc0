"""A query API that has caught up."""

import httpx
from projections_testing.fleet import Fleet
from projections_testing.leases import catch_up
from psycopg import AsyncConnection

from ops.base.http.consistency import CONSISTENCY_HEADER, POSITION_HEADER


async def caught_up(fleet: Fleet, connection: AsyncConnection, *clients: httpx.AsyncClient) -> None:
    """Let the read tables catch up, and clients wait for them from then on.

    Args:
        connection: with the projections' rights.
        clients: clients of a query API.
    """
    await catch_up(connection)
    ((log_id,),) = fleet.connection.execute("SELECT log_id FROM log.identity").fetchall()
    for client in clients:
        client.headers[POSITION_HEADER] = f"{log_id}:{fleet.position}"
        for path in ("/api/v1/drivers/none", "/api/v1/drivers/none/history"):
            while CONSISTENCY_HEADER in (await client.get(path)).headers:
                pass
