"""The command that dismisses a pair of possible duplicates."""

from functools import cache
from typing import Annotated, Any

from fastapi import APIRouter, Request
from pydantic import Field, StrictBool
from starlette.responses import Response

from command_api.domain.aggregate import Aggregate
from command_api.domain.definition import Definition, Details
from command_api.domain.events import Event, EventMetadata
from command_api.http.openapi import CREATED_VERSION, command, json_body
from command_api.http.requests import command_context, is_valid_id, read_details, read_json_object
from command_api.http.responses import answer, handler_of, log_id_of, not_found
from ops.base.http.direct_routes import direct_router
from ops.base.http.openapi import POSITION, EntityId
from ops.base.http.problems import ValidationError, validation_failed
from ops.base.permissions import Permission
from ops.base.records.entities import ID_PATTERN
from ops.base.sign_in import permitted


class Dismissal(Details):
    """The id of the other record; false: the pair is listed again."""

    other: Annotated[str, Field(pattern=ID_PATTERN)]
    dismissed: StrictBool


@cache
def dismissal_routes(definition: Definition) -> APIRouter:
    """Build the route of an entity type."""
    router = direct_router(tags=[definition.entity_type.collection])
    may_write: Any = permitted(Permission.FLEET_WRITE)
    done = {204: {"description": "Dismissed, or listed again", "headers": {**POSITION, **CREATED_VERSION}}}

    @command(
        *(router, "POST", f"{definition.entity_type.path}/{{entity_id}}/dismissals"),
        *(f"dismiss_duplicate_of_{definition.name}", done),
        body=json_body(Dismissal, {"other": definition.example_id, "dismissed": True}),
    )
    async def dismiss(entity_id: EntityId, request: Request, token: may_write) -> Response:
        """Dismiss a pair of possible duplicates: the records are of different people or vehicles.

        The pair is not listed any more until `dismissed` is false, or one of the records is registered again.
        The records do not change.
        """
        body = await read_json_object(request)
        if not is_valid_id(entity_id):
            raise not_found()
        given = read_details(Dismissal, body)
        if given["other"] == entity_id:
            raise validation_failed([ValidationError.at("other", message="Must be another record")])

        def decision(aggregate: Aggregate, metadata: EventMetadata) -> Event:
            return aggregate.dismiss(given["other"], metadata, dismissed=given["dismissed"])

        context = command_context(request, token.actor, body, log_id=await log_id_of(request))
        result = handler_of(request).decide(definition, entity_id, decision, context)
        return await answer(request, definition, result, token, lambda *_: Response(status_code=204))

    return router
