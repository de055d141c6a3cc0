"""The query of who has seen a record."""

from typing import Annotated, Any, Final, get_args

from fastapi import APIRouter, Depends, Query, Request
from pydantic import Field
from starlette.responses import Response

from ops.base.access_log.views import Kind, PersonalContent
from ops.base.http.direct_routes import direct_router
from ops.base.http.openapi import Closed, EntityId
from ops.base.permissions import Permission
from ops.base.records.entities import is_id
from ops.base.records.json_values import json_bytes
from ops.base.sign_in import Requires, VerifiedToken
from projections.tables import REVISIONS, EntityTable
from query_api.freshness.waiting import is_fresh
from query_api.history.models import Actor, Erased, Masked, Moment, RequestId
from query_api.history.past_states import latest_state
from query_api.http.answers import answer_json, not_found
from query_api.http.openapi import query
from query_api.http.parameters import PartParameters
from query_api.masking.masking import sees_restricted
from query_api.reading.readers import readers_of
from query_api.views.reading import views_of
from query_api.views.showing import OF_VIEWS, shown

MaySeeWhoLooked = Annotated[VerifiedToken, Depends(Requires(Permission.ACCESS_LOG_READ))]


class View(Closed):
    """An answer that contained, or may have contained, personal data of a record."""

    number: int = Field(examples=[10001])
    moment: Moment
    actor: Actor
    route: str = Field(examples=["/api/v1/drivers/{entity_id}"])
    kind: Kind = Field(description="Kind of the answer", examples=list(get_args(Kind)))
    fields: list[str] = Field(description="Personal fields of the answer", examples=[["name"]])
    request_id: RequestId
    filter: dict[str, Any] | None = Field(
        description="Query parameters; `q` is null if it may have contained the name of an erased person"
    )
    count: int | None = Field(description="Number of rows or changes of the answer, if known")
    masked: Masked
    erased: Erased


class Views(Closed):
    """A page of views."""

    content: list[View]
    next: str | None = Field(description="`cursor` of the next page; null after the last")


def seen_by_routes(table: EntityTable) -> APIRouter:
    """Build the route to who has seen a record of one entity type."""
    router = direct_router(tags=[table.name])
    path = table.entity.path + "/{entity_id}/seen-by"
    showing: Final = PersonalContent(path, "seen-by", table.entity.name, OF_VIEWS, always=True)

    @query(router, path, f"viewers_of_{table.entity.name}", Views)
    async def read_seen_by(
        entity_id: EntityId,
        request: Request,
        token: MaySeeWhoLooked,
        part: Annotated[PartParameters, Query()],
    ) -> Response:
        """List the users who have seen personal data of a record.

        Lists and exports that may have shown it are included.
        """
        fresh = await is_fresh(request, REVISIONS)
        readers = readers_of(request)
        if not is_id(entity_id) or await latest_state(readers.source, table.entity, entity_id) is None:
            raise not_found(fresh=fresh)
        views, following = await views_of(
            readers.searched, table.entity, entity_id, part, restricted=sees_restricted(token)
        )
        masked = not token.may(Permission.PERSONAL_READ)
        body = {
            "content": [view.told(masked=masked) for view in views],
            "next": None if following is None else str(following),
        }
        response = await answer_json(request, json_bytes(body), fresh=fresh)
        return shown(request, token, response, showing, of=entity_id, asked=part, count=len(views))

    return router
