"""Where many rows come in one request, as imports and bulk changes send them."""

from functools import partial
from typing import Annotated, Final

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from command_api.domain.definition import Definition
from command_api.http import batch_documentation as documentation
from command_api.http.answering import handler_of, is_masked, log_id_of, tell_reached
from command_api.http.batch_rows import Batch, BatchRow, Run
from command_api.http.disclosure import Disclosure
from command_api.http.entity_body import gives_personal_data, read_details
from command_api.http.request_headers import command_context, read_json_object
from command_api.http.undoing import permitting
from ops.base.http.consistency import LogPosition
from ops.base.http.direct_routes import direct_router
from ops.base.permissions import Permission
from ops.base.records.json_values import json_bytes
from ops.base.sign_in import Requires, VerifiedToken, require

PATH: Final = "/api/v1/batches"

MayWrite = Annotated[VerifiedToken, Depends(Requires(Permission.FLEET_WRITE))]


def batch_routes(definition: Definition) -> APIRouter:
    """Build the route of one entity type."""
    router = direct_router(tags=[definition.entity_type.collection])

    # Not below the records: there it could be one's id.
    @router.post(f"{PATH}/{definition.entity_type.collection}", **documentation.of_batch(definition))
    async def carry_out(request: Request, token: MayWrite) -> Response:
        given = read_details(Batch, await read_json_object(request))
        rows = [BatchRow(**row) for row in given.pop("rows")]
        if any(row.do == "remove" for row in rows):
            require(token, Permission.FLEET_REMOVE)
        if is_masked(token) and any(gives_personal_data(definition, row.values) for row in rows):
            require(token, Permission.PERSONAL_READ)
        log_id = await log_id_of(request)
        run = Run(
            definition=definition,
            handler=handler_of(request),
            context=command_context(request, token.actor, None, log_id=log_id),
            log_id=log_id,
            is_masked=partial(is_masked, token),
            permit=permitting(definition, token),
            disclosure=Disclosure(request, token, definition),
            **given,
        )
        outcomes = await run.carry_out(rows)
        response = Response(json_bytes({"rows": outcomes}), media_type="application/json")
        await tell_reached(request, response, LogPosition(log_id, run.position))
        return response

    return router
