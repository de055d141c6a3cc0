"""Where many rows come in one request, as imports and bulk changes send them."""

from functools import partial
from typing import Annotated, Final

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from command_api.domain.definition import Definition
from command_api.http.answering import handler_of, is_masked, log_id_of, tell_reached
from command_api.http.batch_rows import Batch, BatchAnswer, BatchRow, Run
from command_api.http.disclosure import Disclosure
from command_api.http.entity_body import gives_personal_data, read_details
from command_api.http.openapi import ANY_MEMBERS, REASON, command, json_body
from command_api.http.request_headers import command_context, read_json_object
from command_api.http.undoing import permitting
from ops.base.http.consistency import LogPosition
from ops.base.http.direct_routes import direct_router
from ops.base.http.openapi import POSITION, answer_of
from ops.base.permissions import Permission
from ops.base.sign_in import Requires, VerifiedToken, require

PATH: Final = "/api/v1/batches"

MayWrite = Annotated[VerifiedToken, Depends(Requires(Permission.FLEET_WRITE))]


def batch_routes(definition: Definition) -> APIRouter:
    """Build the route of one entity type."""
    router = direct_router(tags=[definition.entity_type.collection])

    collection = definition.entity_type.collection
    values = dict(list(definition.example.items())[:1])
    row = {"key": "2", "id": definition.example_id, "values": values}
    known = {"id": definition.example_id, "fields": list(values)}
    example = {"batch": "7e7f1f4a-8f3a-4a55-9c56-0d5c0a3f7a11", "dry_run": True, "rows": [row]}

    body = json_body(Batch, example)
    (media,) = body["content"].values()
    media["schema"]["$defs"]["BatchRow"]["properties"]["values"] |= ANY_MEMBERS

    # Not below the records' path: there `batches` could be a record's id.
    @command(
        router,
        "POST",
        f"{PATH}/{collection}",
        f"carry_out_{collection}",
        {200: answer_of(BatchAnswer, "The outcome of each row", POSITION, known)},
        body=body,
        parameters=[REASON],
    )
    async def execute(request: Request, token: MayWrite) -> Response:
        """Save, change, remove or undo many records.

        Each row is a command of its own, under the same rules: `save` registers a record or changes an
        existing one; `change` and `remove` need an existing one; `undo` reverts the change that created
        `version`, unless the same fields have been changed since. `values` is a merge patch (RFC 7396). With
        `version`, other rows are executed only if the record still has that version. Within a `batch` a
        repeated `key` is answered as the first time. If the server gives ids, a row without an id gets one
        derived from `source` and `key`, so that importing the same file again registers nothing twice. With
        `dry_run` nothing is changed: the answer has the outcome that each row would have.
        """
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
        outcomes = await run.execute(rows)
        response = Response(BatchAnswer(rows=outcomes).model_dump_json(), media_type="application/json")
        await tell_reached(request, response, LogPosition(log_id, run.position))
        return response

    return router
