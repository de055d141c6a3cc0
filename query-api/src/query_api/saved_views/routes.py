"""The route to the user's saved views."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from ops.base.http.direct_routes import direct_router
from ops.base.http.openapi import Closed
from ops.base.records.json_values import json_bytes
from ops.base.records.saved_views import VIEWS_PATH, SavedView
from ops.base.sign_in import Requires, VerifiedToken
from query_api.database.readers import readers_of
from query_api.http.answers import answer_json
from query_api.http.openapi import query
from query_api.saved_views.queries import saved_views_of

SignedIn = Annotated[VerifiedToken, Depends(Requires())]


class SavedViewList(Closed):
    """A user's saved views."""

    content: list[SavedView]


def saved_view_routes() -> APIRouter:
    """Build the route."""
    router = direct_router(tags=["views"])

    @query(router, VIEWS_PATH, "saved_views", SavedViewList, waits=False)
    async def read_views(request: Request, token: SignedIn) -> Response:
        """List the user's own saved views of lists."""
        views = await saved_views_of(readers_of(request).primary, token.actor.sub)
        body = json_bytes({"content": [view.model_dump() for view in views]})
        return await answer_json(request, body, fresh=True)

    return router
