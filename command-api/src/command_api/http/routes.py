"""The commands' routes: the same four for every entity type."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from command_api.domain.definition import Definition
from command_api.http import documentation
from command_api.http.answering import answer, answer_record, handler_of, is_masked, log_id_of
from command_api.http.entity_body import (
    gives_personal_data,
    is_valid_id,
    read_changed,
    read_new,
    read_restored_version,
)
from command_api.http.refusals import not_found
from command_api.http.request_headers import command_context, read_json_object
from ops.base.http.direct_routes import direct_router
from ops.base.http.openapi import EntityId
from ops.base.permissions import Permission
from ops.base.sign_in import Requires, VerifiedToken, require

MayWrite = Annotated[VerifiedToken, Depends(Requires(Permission.FLEET_WRITE))]
MayRemove = Annotated[VerifiedToken, Depends(Requires(Permission.FLEET_REMOVE))]
# What was before comes back with the personal data that it had, which nobody decides who may not see it.
MayRestore = Annotated[VerifiedToken, Depends(Requires(Permission.FLEET_REMOVE, Permission.PERSONAL_READ))]


def entity_routes(definition: Definition) -> APIRouter:
    """Build the routes of one entity type."""
    router = direct_router(tags=[definition.entity_type.collection])
    path = definition.entity_type.path

    @router.post(path, **documentation.of_registration(definition))
    async def register(request: Request, token: MayWrite) -> Response:
        body = await read_json_object(request)
        entity_id, details = read_new(definition, body)
        context = command_context(request, token.actor, body, log_id=await log_id_of(request))
        command = handler_of(request).register(definition, entity_id, details, context)
        return await answer_record(request, definition, command, token, sent=details, status=201)

    @router.put(path + "/{entity_id}", **documentation.of_change(definition))
    async def change(entity_id: EntityId, request: Request, token: MayWrite) -> Response:
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

    @router.delete(path + "/{entity_id}", **documentation.of_removal(definition))
    async def remove(entity_id: EntityId, request: Request, token: MayRemove) -> Response:
        if not is_valid_id(entity_id):
            raise not_found()
        context = command_context(request, token.actor, None, log_id=await log_id_of(request))
        command = handler_of(request).remove(definition, entity_id, context)
        return await answer(request, definition, command, token, lambda *_: Response(status_code=204))

    @router.post(path + "/{entity_id}/restore", **documentation.of_restoration(definition))
    async def restore(entity_id: EntityId, request: Request, token: MayRestore) -> Response:
        body = await read_json_object(request)
        if not is_valid_id(entity_id):
            raise not_found()
        version = read_restored_version(body)
        context = command_context(request, token.actor, body, log_id=await log_id_of(request))
        command = handler_of(request).restore(definition, entity_id, version, context)
        return await answer_record(request, definition, command, token)

    return router
