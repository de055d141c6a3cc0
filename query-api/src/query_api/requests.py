"""What the routes ask of a request and of the application it came to."""

from datetime import UTC, datetime

from starlette.requests import Request

from ops.base.consistency import POSITION_COOKIE, POSITION_HEADER, received_position
from ops.base.cookies import cookie_of
from projections.tables import ReadTable
from query_api.freshness import Freshness


async def is_fresh(request: Request, table: ReadTable) -> bool:
    """Wait for what the client has written, if it says that it has; tell whether that can be read now."""
    if POSITION_HEADER not in request.headers and cookie_of(request, POSITION_COOKIE) is None:
        return True
    freshness: Freshness = request.app.state.freshness
    return await freshness.wait(table.name, lambda log_id: received_position(request, log_id))


def now() -> datetime:
    """Return this instant; what is asked for must not be later."""
    return datetime.now(UTC)
