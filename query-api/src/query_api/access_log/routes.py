"""Routes to the access log: all of it, and the views of one record."""

from functools import cache
from typing import Annotated, Any, Final, Literal, get_args

from fastapi import APIRouter, Depends, Query, Request
from pydantic import Field
from starlette.responses import Response

from ops.base.access_log.views import Kind, PersonalContent
from ops.base.http.direct_routes import direct_router
from ops.base.http.openapi import Closed, EntityId
from ops.base.permissions import Permission
from ops.base.records.entities import ENTITY_TYPES, is_id
from ops.base.records.json_values import json_bytes
from ops.base.sign_in import Requires, VerifiedToken
from query_api.access_log.disclosure import OF_VIEWS, disclose
from query_api.access_log.reveals import REVEALED_EXPORT
from query_api.access_log.views import all_views, views_of
from query_api.database.readers import readers_of
from query_api.freshness.read_your_writes import is_fresh
from query_api.history.models import Actor, Erased, Masked, Moment, RequestId
from query_api.history.past_states import latest_state
from query_api.http.answers import answer_json, not_found, page_json
from query_api.http.openapi import query
from query_api.http.parameters import PageParameters, one_of
from query_api.masking.masks import is_masked_for, masked_access, masked_view, may_see_restricted
from read_model.tables import REVISIONS, EntityTable

ACCESS_LOG_PATH: Final = "/api/v1/access-log"
MayReadAccessLog = Annotated[VerifiedToken, Depends(Requires(Permission.ACCESS_LOG_READ))]


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


class Access(Closed):
    """An entry of the access log."""

    number: int = Field(examples=[1])
    moment: Moment
    actor: Actor
    request_id: RequestId
    action: str = Field(examples=[REVEALED_EXPORT])
    details: dict[str, Any] = Field(
        examples=[{"format": "csv", "filter": {"entity": ENTITY_TYPES[0].name}}],
    )
    masked: Masked
    erased: Erased


class Accesses(Closed):
    """A page of the access log."""

    content: list[Access]
    next: str | None


class AccessParameters(PageParameters):
    """A page of the access log."""

    show: Annotated[Literal["reveals", "views"], one_of("reveals", "views")] = Field(
        "reveals",
        description="`reveals`: unmasked exports, started operations; `views`: answers with personal data",
        examples=["views"],
    )


router = direct_router(tags=["audit"])
_SHOWING: Final = PersonalContent(ACCESS_LOG_PATH, "access-log", "access-log", OF_VIEWS, always=True)


@query(router, ACCESS_LOG_PATH, "access_log", Accesses, waits=False)
async def read_access_log(
    request: Request, token: MayReadAccessLog, params: Annotated[AccessParameters, Query()]
) -> Response:
    """List the users who revealed masked data, were shown personal data, or started operations."""
    readers, restricted = readers_of(request), may_see_restricted(token)
    if params.show == "views":
        found, following = await all_views(readers.searched, params, restricted=restricted)
    else:
        found, following = await readers.reveals.page(params, restricted=restricted)
    if is_masked_for(token):
        found = [masked_access(access) for access in found]
    response = await answer_json(request, page_json(map(json_bytes, found), following), fresh=True)
    return disclose(request, token, response, _SHOWING, params=params, count=len(found))


@cache
def seen_by_routes(table: EntityTable) -> APIRouter:
    """Build the route to the views of one entity type's records."""
    router = direct_router(tags=[table.name])
    path = table.entity.path + "/{entity_id}/seen-by"
    showing = PersonalContent(path, "seen-by", table.entity.name, OF_VIEWS, always=True)

    @query(router, path, f"viewers_of_{table.entity.name}", Views)
    async def read_seen_by(
        entity_id: EntityId,
        request: Request,
        token: MayReadAccessLog,
        page: Annotated[PageParameters, Query()],
    ) -> Response:
        """List the users who have seen personal data of a record.

        Lists and exports that may have shown the record are included.
        """
        fresh = await is_fresh(request, REVISIONS)
        readers = readers_of(request)
        if not is_id(entity_id) or await latest_state(readers.source, table.entity, entity_id) is None:
            raise not_found(fresh=fresh)
        views, following = await views_of(
            readers.searched, table.entity, entity_id, page, restricted=may_see_restricted(token)
        )
        if is_masked_for(token):
            views = [masked_view(view) for view in views]
        response = await answer_json(request, page_json(map(json_bytes, views), following), fresh=fresh)
        return disclose(request, token, response, showing, of=entity_id, params=page, count=len(views))

    return router
