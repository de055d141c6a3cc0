"""The routes of each entity type's commands."""

from collections.abc import Callable, Set
from functools import cache
from typing import Annotated, Any

from fastapi import APIRouter, Request
from pydantic import Field
from starlette.responses import Response

from command_api.domain.definition import Definition, Details
from command_api.domain.events import DetailsChanged, Event, Merged, Registered, Removed
from command_api.domain.rules import VersionNumber
from command_api.http.openapi import (
    CREATED_VERSION,
    IDEMPOTENCY_KEY,
    NO_BODY,
    REASON,
    command,
    json_body,
    record_answer,
    record_body,
)
from command_api.http.requests import (
    MAX_ERRORS,
    command_context,
    gives_personal_data,
    is_valid_id,
    read_changed,
    read_details,
    read_json_object,
    read_new,
)
from command_api.http.responses import answer, answer_record, handler_of, is_masked, log_id_of, not_found
from ops.base.http.direct_routes import direct_router
from ops.base.http.openapi import POSITION, EntityId
from ops.base.http.problems import ValidationError, validation_failed
from ops.base.permissions import Permission
from ops.base.sign_in import VerifiedToken, permitted, require


class Restoration(Details):
    """The version to restore."""

    version: Annotated[int, VersionNumber()]


class UndoBody(Details):
    """The version to undo."""

    version: Annotated[int, VersionNumber()] = Field(description="The version whose change is reverted")
    keep: tuple[str, ...] = Field((), description="Fields that are not reverted")


@cache
def entity_routes(definition: Definition) -> APIRouter:
    """Build the routes of one entity type."""
    router = direct_router(tags=[definition.entity_type.collection])
    path, name = definition.entity_type.path, definition.name
    may_write: Any = permitted(definition.entity_type.needs(Permission.FLEET_WRITE))
    remove_permission = definition.entity_type.needs(Permission.FLEET_REMOVE)
    may_remove: Any = permitted(remove_permission)
    # A restored version has its personal data, which only callers who may read it can decide on.
    may_restore: Any = permitted(remove_permission, Permission.PERSONAL_READ)
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
    async def register(request: Request, token: may_write) -> Response:
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
        {200: record_answer(definition, "Changed, or unchanged"), **NO_BODY},
        body=record_body(definition, new=False),
    )
    async def change(entity_id: EntityId, request: Request, token: may_write) -> Response:
        """Replace the details of a record.

        Without `personal:read` personal data stays unchanged: leave it out, or send null as it was shown;
        `masked` may be sent, too.
        """
        body = await read_json_object(request)
        _require_valid(entity_id)
        masked = is_masked(token)
        if masked and gives_personal_data(definition, body):
            require(token, Permission.PERSONAL_READ)
        details = read_changed(definition, body, path_id=entity_id, masked=masked)
        context = command_context(request, token.actor, body, log_id=await log_id_of(request))
        command = handler_of(request).change(definition, entity_id, details, context)
        return await answer_record(request, definition, command, token, sent=details)

    removed = {204: {"description": "Removed", "headers": {**POSITION, **CREATED_VERSION}}}

    @command(router, "DELETE", path + "/{entity_id}", f"remove_{name}", removed)
    async def remove(entity_id: EntityId, request: Request, token: may_remove) -> Response:
        """Remove a record.

        Removing a removed record succeeds and changes nothing.
        """
        _require_valid(entity_id)
        context = command_context(request, token.actor, None, log_id=await log_id_of(request))
        command = handler_of(request).remove(definition, entity_id, context)
        return await answer(request, definition, command, token, lambda *_: Response(status_code=204))

    @command(
        router,
        "POST",
        path + "/{entity_id}/restore",
        f"restore_{name}",
        {200: record_answer(definition, "Restored, or unchanged"), **NO_BODY},
        body=json_body(Restoration, {"version": 1}),
    )
    async def restore(entity_id: EntityId, request: Request, token: may_restore) -> Response:
        """Restore a record's details of an earlier version.

        This is a change like any other; the history stays. A removed record is registered again.
        """
        body = await read_json_object(request)
        _require_valid(entity_id)
        version = read_details(Restoration, body)["version"]
        context = command_context(request, token.actor, body, log_id=await log_id_of(request))
        command = handler_of(request).restore(definition, entity_id, version, context)
        return await answer_record(request, definition, command, token)

    undo_body = json_body(UndoBody, {"version": 2})
    (media,) = undo_body["content"].values()
    media["schema"]["properties"]["keep"]["items"]["enum"] = _parts(definition)

    @command(
        router,
        "POST",
        path + "/{entity_id}/undo",
        f"undo_{name}",
        {200: record_answer(definition, "Reverted, or unchanged"), **NO_BODY},
        body=undo_body,
    )
    async def undo(entity_id: EntityId, request: Request, token: may_write) -> Response:
        """Undo one change of a record.

        A new change, which names the version as `undoes`: a registration is reverted by a removal, a removal
        by a registration, a change by the values before it. Other changes stay. If a later change has set the
        same fields, the answer is 412 with its actor; if `If-Match` is the current version, the change is
        reverted all the same, except for the fields of `keep`. Reverting a registration or a removal needs
        `fleet:remove`, restoring personal data `personal:read`.
        """
        body = await read_json_object(request)
        _require_valid(entity_id)
        version, keep = _read_undo(definition, body)
        context = command_context(request, token.actor, body, log_id=await log_id_of(request))
        permit = undo_permission(definition, token)
        command = handler_of(request).undo(definition, entity_id, version, keep, context, permit=permit)
        return await answer_record(request, definition, command, token)

    return router


def _require_valid(entity_id: str) -> None:
    if not is_valid_id(entity_id):
        raise not_found()


def undo_permission(definition: Definition, token: VerifiedToken) -> Callable[[Event], None]:
    """Return a function that raises a `Problem` (403) if the caller must not undo an event.

    An undo needs the permissions of the opposite command.
    """

    def permit(event: Event) -> None:
        needed: list[Permission] = []
        match event:
            case Registered() | Removed() | Merged():
                needed = [definition.entity_type.needs(Permission.FLEET_REMOVE)]
                if not isinstance(event, Registered) and definition.personal:
                    needed.append(Permission.PERSONAL_READ)
            case DetailsChanged() if not definition.harmless.issuperset(event.changes):
                needed = [Permission.PERSONAL_READ]
        for permission in needed:
            require(token, permission)

    return permit


def _read_undo(definition: Definition, body: dict[str, Any]) -> tuple[int, Set[str]]:
    given = read_details(UndoBody, body)
    parts = _parts(definition)
    errors = [
        ValidationError.at("keep", index, message="This field is not known")
        for index, name in enumerate(given["keep"])
        if name not in parts
    ]
    if errors:
        raise validation_failed(errors[:MAX_ERRORS])
    return given["version"], frozenset(given["keep"])


def _parts(definition: Definition) -> list[str]:
    """Return the names of the fields, and `field.member` for each declared member of a field."""
    return [
        part
        for name in definition.fields
        for part in (name, *(f"{name}.{member}" for member in definition.members.get(name, ())))
    ]
