"""The command that acknowledges the reminder of a driver's document."""

from typing import Annotated, Any, Final

from fastapi import Request
from starlette.responses import Response

from command_api.domain.aggregate import Aggregate
from command_api.domain.definition import DEFINITIONS, Details
from command_api.domain.entities.driver import Driver
from command_api.domain.events import Event, EventMetadata
from command_api.domain.rules import Date, OneOf
from command_api.http.openapi import CREATED_VERSION, command, json_body
from command_api.http.requests import command_context, is_valid_id, read_details, read_json_object
from command_api.http.responses import answer, handler_of, log_id_of, not_found
from command_api.http.restriction import coming_day
from ops.base.http.direct_routes import direct_router
from ops.base.http.openapi import POSITION, EntityId
from ops.base.permissions import Permission
from ops.base.sign_in import permitted


class Acknowledgement(Details):
    """The document, and the day on which reminders begin again; null: when its last day has changed."""

    document: Annotated[str, OneOf(("licence", "passport"), "Document is required")]
    until: Annotated[str | None, Date()] = None


router = direct_router(tags=["drivers"])
_may_write: Any = permitted(Permission.FLEET_WRITE)
_DEFINITION: Final = DEFINITIONS["driver"]
_ACKNOWLEDGED: Final = {204: {"description": "Acknowledged", "headers": {**POSITION, **CREATED_VERSION}}}


@command(
    *(router, "POST", f"{_DEFINITION.entity_type.path}/{{entity_id}}/acknowledgements"),
    *("acknowledge_reminder", _ACKNOWLEDGED),
    body=json_body(Acknowledgement, {"document": "licence", "until": None}),
)
async def acknowledge(entity_id: EntityId, request: Request, token: _may_write) -> Response:
    """Acknowledge the reminder that a document expires.

    No reminder of the document is sent until the day `until`; without one, until its last day is changed,
    which ends every acknowledgement. The record does not change. A repetition of the last acknowledgement
    has no effect.
    """
    body = await read_json_object(request)
    if not is_valid_id(entity_id):
        raise not_found()
    given = read_details(Acknowledgement, body)
    until = coming_day("until", given["until"])

    def decision(aggregate: Aggregate, metadata: EventMetadata) -> Event | None:
        event = aggregate.acknowledge(given["document"], until, metadata)
        is_known = isinstance(aggregate, Driver) and (event.document, until) in aggregate.acknowledged
        return None if is_known else event

    context = command_context(request, token.actor, body, log_id=await log_id_of(request))
    result = handler_of(request).decide(_DEFINITION, entity_id, decision, context)
    return await answer(request, _DEFINITION, result, token, lambda *_: Response(status_code=204))
