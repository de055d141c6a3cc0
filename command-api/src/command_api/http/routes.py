"""The commands' routes: the same four for every entity type."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from command_api.domain.definition import Definition
from command_api.http.answering import answer, answer_record, handler_of, is_masked, log_id_of
from command_api.http.entity_body import (
    Restoration,
    gives_personal_data,
    is_valid_id,
    read_changed,
    read_new,
    read_restored_version,
)
from command_api.http.openapi import (
    IDEMPOTENCY_KEY,
    MADE,
    NOT_SHOWN,
    REASON,
    command,
    json_body,
    record_answer,
    record_body,
)
from command_api.http.refusals import not_found
from command_api.http.requests import command_context, read_json_object
from ops.base.http.direct_routes import direct_router
from ops.base.http.openapi import POSITION, EntityId
from ops.base.permissions import Permission
from ops.base.sign_in import Requires, VerifiedToken, require

MayWrite = Annotated[VerifiedToken, Depends(Requires(Permission.FLEET_WRITE))]
MayRemove = Annotated[VerifiedToken, Depends(Requires(Permission.FLEET_REMOVE))]
# What was before comes back with the personal data that it had, which nobody decides who may not see it.
MayRestore = Annotated[VerifiedToken, Depends(Requires(Permission.FLEET_REMOVE, Permission.PERSONAL_READ))]


def entity_routes(definition: Definition) -> APIRouter:
    """Build the routes of one entity type."""
    router = direct_router(tags=[definition.entity_type.collection])
    path, name = definition.entity_type.path, definition.name
    location = {"description": "Address of the new record", "schema": {"type": "string"}}

    @command(
        router,
        "POST",
        path,
        f"register_{name}",
        {201: record_answer(definition, "Registered", Location=location)},
        body=record_body(definition, new=True),
        parameters=[IDEMPOTENCY_KEY, REASON],
    )
    async def register(request: Request, token: MayWrite) -> Response:
        """Register a record."""
        body = await read_json_object(request)
        entity_id, details = read_new(definition, body)
        context = command_context(request, token.actor, body, log_id=await log_id_of(request))
        command = handler_of(request).register(definition, entity_id, details, context)
        return await answer_record(request, definition, command, token, sent=details, status=201)

    @command(
        router,
        "PUT",
        path + "/{entity_id}",
        f"change_{name}",
        {200: record_answer(definition, "Changed, or unchanged"), **NOT_SHOWN},
        body=record_body(definition, new=False),
    )
    async def change(entity_id: EntityId, request: Request, token: MayWrite) -> Response:
        """Replace the details of a record.

        Without `personal:read` personal data stays unchanged: leave it out, or send null as it was shown;
        `masked` may be sent, too.
        """
        body = await read_json_object(request)
        if not is_valid_id(entity_id):
            raise not_found()
        masked = is_masked(token)
        if masked and gives_personal_data(definition, body):
            require(token, Permission.PERSONAL_READ)
        details = read_changed(definition, body, path_id=entity_id, masked=masked)
        context = command_context(request, token.actor, body, log_id=await log_id_of(request))
        command = handler_of(request).change(definition, entity_id, details, context)
        return await answer_record(request, definition, command, token, sent=details)

    removed = {204: {"description": "Removed", "headers": {**POSITION, **MADE}}}

    @command(router, "DELETE", path + "/{entity_id}", f"remove_{name}", removed)
    async def remove(entity_id: EntityId, request: Request, token: MayRemove) -> Response:
        """Remove a record.

        Removing a removed record succeeds and changes nothing.
        """
        if not is_valid_id(entity_id):
            raise not_found()
        context = command_context(request, token.actor, None, log_id=await log_id_of(request))
        command = handler_of(request).remove(definition, entity_id, context)
        return await answer(request, definition, command, token, lambda *_: Response(status_code=204))

    @command(
        router,
        "POST",
        path + "/{entity_id}/restore",
        f"restore_{name}",
        {200: record_answer(definition, "Restored, or unchanged"), **NOT_SHOWN},
        body=json_body(Restoration, {"version": 1}),
    )
    async def restore(entity_id: EntityId, request: Request, token: MayRestore) -> Response:
        """Restore a record's details of an earlier version.

        This is a change like any other; the history stays. A removed record is registered again.
        """
        body = await read_json_object(request)
        if not is_valid_id(entity_id):
            raise not_found()
        version = read_restored_version(body)
        context = command_context(request, token.actor, body, log_id=await log_id_of(request))
        command = handler_of(request).restore(definition, entity_id, version, context)
        return await answer_record(request, definition, command, token)

    return router
