"""The queries of lists beside their rows: what they can be narrowed to."""

from typing import Annotated, Any, Final

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import Response

from ops.base.direct_routes import direct_router
from ops.base.permissions import Permission
from ops.base.sign_in import Requires, VerifiedToken
from projections.tables import EntityTable
from query_api.answers import answer
from query_api.conditional import known_etags
from query_api.masking import shown_view
from query_api.openapi import add_query
from query_api.paging import documentation
from query_api.paging.parameters import parameters_of_choices
from query_api.readers import readers_of
from query_api.requests import is_fresh
from query_api.views.showing import Showing, shown

LISTS_PATH: Final = "/api/v1/lists"

MayRead = Annotated[VerifiedToken, Depends(Requires(Permission.FLEET_READ))]


def list_routes(table: EntityTable) -> APIRouter:
    """Build the routes of one list."""
    router = direct_router(tags=[table.name])
    entity, path = table.entity, f"{LISTS_PATH}/{table.name}"
    parameters: Any = parameters_of_choices(table)

    async def read_choices(
        request: Request, token: MayRead, asked: Annotated[parameters, Query()]
    ) -> Response:
        view = shown_view(token, entity, asked.narrowed, asked.field)
        fresh = await is_fresh(request, table)
        choices, known = readers_of(request).choices, known_etags(request.scope)
        content = await choices.of(table, asked.field, view, known_etags=known)
        response = await answer(request, content, fresh=fresh and not content.stale)
        personal = tuple({asked.field} & set(entity.personal))
        showing = Showing(f"{path}/choices", "choices", entity.name, personal)
        return shown(request, token, response, showing, asked=asked, count=content.count)

    if "value" in entity.filtered.values():
        add_query(router, f"{path}/choices", read_choices, documentation.of_choices(table))
    return router
