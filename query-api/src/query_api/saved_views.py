"""The user's saved views of lists; users see only their own."""

from typing import Annotated, Final

from fastapi import Depends, Request
from starlette.responses import Response

from ops.base.encryption.key_cache import KEYS
from ops.base.http.direct_routes import direct_router
from ops.base.http.openapi import Closed
from ops.base.records.json_values import json_bytes
from ops.base.records.saved_views import STORED_COLUMNS, VIEWS_PATH, SavedView, StoredView
from ops.base.sign_in import Requires, VerifiedToken
from query_api.database.readers import readers_of
from query_api.database.source import Source, fetch
from query_api.http.answers import answer_json
from query_api.http.openapi import query

_OF_USER: Final = f"SELECT {STORED_COLUMNS} FROM preferences.views WHERE sub = %s"  # noqa: S608 - constant


async def saved_views_of(source: Source, sub: str) -> list[SavedView]:
    """Return a user's views, ordered by list and name, without those whose key was destroyed."""

    stored = [StoredView._make(row) for row in await fetch(source, _OF_USER, (sub,))]
    await KEYS.load(one.key_id for one in stored if one.key_id is not None)
    views = [view for one in stored if (view := one.decrypt()) is not None]
    return sorted(views, key=lambda view: (view.list, view.name.casefold(), view.id))


class SavedViewList(Closed):
    """A user's saved views."""

    content: list[SavedView]


router = direct_router(tags=["views"])


@query(router, VIEWS_PATH, "saved_views", SavedViewList, waits=False)
async def read_views(request: Request, token: Annotated[VerifiedToken, Depends(Requires())]) -> Response:
    """List the user's own saved views of lists."""
    views = await saved_views_of(readers_of(request).primary, token.actor.sub)
    body = json_bytes({"content": [view.model_dump() for view in views]})
    return await answer_json(request, body, fresh=True)
