"""The query of what is due, for those who may see drivers."""

from typing import Annotated, Final

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import Response

from ops.base.access_log.showing import Showing
from ops.base.http.direct_routes import direct_router
from ops.base.permissions import Permission
from ops.base.sign_in import Requires, VerifiedToken
from query_api.due import documentation
from query_api.due.parameters import DOCUMENTS, DueParameters
from query_api.due.reading import PHONE
from query_api.due.statement import DRIVERS
from query_api.http.answers import answer
from query_api.http.conditional import known_etags
from query_api.http.openapi import add_query
from query_api.http.requests import is_fresh
from query_api.reading.readers import readers_of
from query_api.views.showing import shown

PATH: Final = "/api/v1/due-dates"

# All of it is personal: there is nothing to be masked.
MaySee = Annotated[VerifiedToken, Depends(Requires(Permission.FLEET_READ, Permission.PERSONAL_READ))]


def due_routes() -> APIRouter:
    """Build the route."""
    router = direct_router(tags=["due dates"])
    of_dates = Showing(PATH, "due", DRIVERS.entity.name, ("name", PHONE, *DOCUMENTS.values()))

    async def read_due_dates(
        request: Request, token: MaySee, asked: Annotated[DueParameters, Query()]
    ) -> Response:
        fresh = await is_fresh(request, DRIVERS)
        content = await readers_of(request).due.page(asked, known_etags=known_etags(request.scope))
        response = await answer(request, content, fresh=fresh and not content.stale)
        return shown(request, token, response, of_dates, asked=asked, count=content.count)

    add_query(router, PATH, read_due_dates, documentation.of_due_dates())
    return router
