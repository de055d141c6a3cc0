"""What the routes ask of a request and of the application it came to."""

from datetime import UTC, datetime

from starlette.requests import Request

from ops.base.http.consistency import received_positions
from projections.tables import ReadTable
from query_api.freshness.waiting import Freshness


async def is_fresh(request: Request, table: ReadTable, *, patience_seconds: float | None = None) -> bool:
    """Wait for what the client has written, if it says that it has; tell whether that can be read now."""
    written = received_positions(request)
    if not written:
        return True
    freshness: Freshness = request.app.state.freshness
    return await freshness.wait(table.name, written, patience_seconds=patience_seconds)


def now() -> datetime:
    """Return this instant; what is asked for must not be later."""
    return datetime.now(UTC)
