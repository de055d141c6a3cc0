"""The commands' routes: the same four for every entity type."""

from collections.abc import Awaitable
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from command_api.commands.handler import CommandHandler, CommandResult, Refused
from command_api.commands.log import Log
from command_api.domain.aggregate import Aggregate
from command_api.domain.definition import Definition
from command_api.http import documentation
from command_api.http.entity_body import (
    gives_personal_data,
    is_valid_id,
    read_changed,
    read_new,
    read_restored_version,
)
from command_api.http.refusals import FAILURES, failure, not_found, record_body, refusal
from command_api.http.request_headers import command_context, read_json_object
from ops.base.consistency import LogPosition, received_position, tell_position
from ops.base.direct_routes import direct_router
from ops.base.failpoints import failpoint
from ops.base.openapi import EntityId
from ops.base.permissions import Permission
from ops.base.problems import problem_response
from ops.base.record_etags import RecordETag
from ops.base.request_context import request_id_of
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
        context = command_context(request, token.actor, body, log_id=await _log_id(request))
        command = _handler(request).register(definition, entity_id, details, context)
        return await _answer(request, definition, command, token, status=201)

    @router.put(path + "/{entity_id}", **documentation.of_change(definition))
    async def change(entity_id: EntityId, request: Request, token: MayWrite) -> Response:
        body = await read_json_object(request)
        if not is_valid_id(entity_id):
            raise not_found()
        masked = _is_masked(token)
        if masked and gives_personal_data(definition, body):
            require(token, Permission.PERSONAL_READ)
        details = read_changed(definition, body, path_id=entity_id, masked=masked)
        context = command_context(request, token.actor, body, log_id=await _log_id(request))
        command = _handler(request).change(definition, entity_id, details, context)
        return await _answer(request, definition, command, token, status=200)

    @router.delete(path + "/{entity_id}", **documentation.of_removal(definition))
    async def remove(entity_id: EntityId, request: Request, token: MayRemove) -> Response:
        if not is_valid_id(entity_id):
            raise not_found()
        context = command_context(request, token.actor, None, log_id=await _log_id(request))
        command = _handler(request).remove(definition, entity_id, context)
        return await _answer(request, definition, command, token, status=204)

    @router.post(path + "/{entity_id}/restore", **documentation.of_restoration(definition))
    async def restore(entity_id: EntityId, request: Request, token: MayRestore) -> Response:
        body = await read_json_object(request)
        if not is_valid_id(entity_id):
            raise not_found()
        version = read_restored_version(body)
        context = command_context(request, token.actor, body, log_id=await _log_id(request))
        command = _handler(request).restore(definition, entity_id, version, context)
        return await _answer(request, definition, command, token, status=200)

    return router


async def _answer(
    request: Request,
    definition: Definition,
    command: Awaitable[CommandResult],
    token: VerifiedToken,
    *,
    status: int,
) -> Response:
    """Await a command and answer it, with the position to read from to see what the answer tells of."""
    masked = _is_masked(token)
    try:
        outcome: CommandResult | Refused = await command
    except Refused as refused:
        outcome = refused
    except FAILURES as error:
        raise failure(error) from None
    log_id = await _log_id(request)
    if isinstance(outcome, Refused):
        problem = refusal(definition, outcome, log_id=log_id, masked=masked)
        response = problem_response(problem, request_id_of(request.scope))
        position = outcome.history.position
    else:
        response = _accepted(definition, outcome.aggregate, status, log_id=log_id, masked=masked)
        position = outcome.position
    await _tell(request, response, LogPosition(log_id, position))
    failpoint("command.answered")
    return response


def _accepted(
    definition: Definition, aggregate: Aggregate, status: int, *, log_id: str, masked: bool
) -> Response:
    if status == 204:
        return Response(status_code=status)
    body = record_body(definition, aggregate, masked=masked)
    headers = {"ETag": str(RecordETag.of(aggregate.version, log_id, body))}
    if status == 201:
        headers["Location"] = f"{definition.entity_type.path}/{aggregate.id}"
    return Response(body, status_code=status, media_type="application/json", headers=headers)


def _is_masked(token: VerifiedToken) -> bool:
    return Permission.PERSONAL_READ not in token.permissions


async def _tell(request: Request, response: Response, reached: LogPosition) -> None:
    received = received_position(request, reached.log_id)
    # What a client claims to have seen counts only if it can be.
    if received > reached.position and received <= await _log(request).head():
        reached = LogPosition(reached.log_id, received)
    # Whoever claims to have come over https gets a cookie that leaves it no more: that is theirs alone.
    secure = request.app.state.over_https or request.headers.get("x-forwarded-proto") == "https"
    tell_position(response, reached, secure=secure)


async def _log_id(request: Request) -> str:
    """Return which log it is; once a process knows, that costs nothing.

    A restored log is refused until it is accepted, and whoever sees that this has happened sees its new name.
    """
    return await _log(request).log_id()


def _log(request: Request) -> Log:
    log: Log = request.app.state.log
    return log


def _handler(request: Request) -> CommandHandler:
    handler: CommandHandler = request.app.state.handler
    return handler
