"""A query API that has heard of all that has happened."""

import httpx
from projections_testing.fleet import Fleet
from projections_testing.following import catch_up
from psycopg import AsyncConnection

from ops.base.http.consistency import CONSISTENCY_HEADER, POSITION_HEADER


async def caught_up(fleet: Fleet, connection: AsyncConnection, *clients: httpx.AsyncClient) -> None:
    """Let the read tables have all that has happened; from then on clients are told of nothing earlier.

    Args:
        fleet: to whom it has happened.
        connection: with the projections' rights.
        clients: of a query API, which hears of it a moment later.
    """
    await catch_up(connection)
    ((log_id,),) = fleet.connection.execute("SELECT log_id FROM log.identity").fetchall()
    for client in clients:
        client.headers[POSITION_HEADER] = f"{log_id}:{fleet.position}"
        for path in ("/api/v1/drivers/nobody", "/api/v1/drivers/nobody/history"):
            while CONSISTENCY_HEADER in (await client.get(path)).headers:
                pass
