"""The command that reverts one change of a record."""

from collections.abc import Callable
from typing import Annotated, Any, Final, NamedTuple

from fastapi import APIRouter, Request
from pydantic import Field
from starlette.responses import Response

from command_api.domain.definition import Definition, Details
from command_api.domain.events import DetailsChanged, Event, Registered, Removed
from command_api.domain.rules import VersionNumber
from command_api.http.answering import answer_record, handler_of, log_id_of
from command_api.http.entity_body import is_valid_id, read_details
from command_api.http.openapi import NOT_SHOWN, command, json_body, record_answer
from command_api.http.refusals import not_found
from command_api.http.requests import command_context, read_json_object
from command_api.http.routes import MayWrite
from ops.base.http.direct_routes import direct_router
from ops.base.http.openapi import EntityId
from ops.base.http.problems import ValidationError, validation_failed
from ops.base.permissions import Permission
from ops.base.sign_in import VerifiedToken, require

_NOT_KNOWN: Final = "This field is not known"


class UndoBody(Details):
    """The version to undo."""

    version: Annotated[int, VersionNumber()] = Field(description="The version whose change is reverted")
    keep: tuple[str, ...] = Field((), description="Fields that stay as they are")


class _Undoing(NamedTuple):
    version: int
    keep: frozenset[str]
    """By the details' own names."""


def undo_routes(definition: Definition) -> APIRouter:
    """Build the route of one entity type."""
    router = direct_router(tags=[definition.entity_type.collection])
    path = f"{definition.entity_type.path}/{{entity_id}}/undo"

    body = json_body(UndoBody, {"version": 2})
    (media,) = body["content"].values()
    media["schema"]["properties"]["keep"]["items"]["enum"] = _parts(definition)

    @command(
        router,
        "POST",
        path,
        f"undo_{definition.name}",
        {200: record_answer(definition, "Reverted, or unchanged"), **NOT_SHOWN},
        body=body,
    )
    async def undo(entity_id: EntityId, request: Request, token: MayWrite) -> Response:
        """Undo one change of a record.

        A new change, which names the version as `undoes`: a registration is reverted by a removal, a removal
        by a registration, a change by the values before it. Other changes stay. If a later change has set the
        same fields, the answer is 412 with its actor; if `If-Match` is the current version, the change is
        reverted all the same, except for the fields of `keep`. Reverting a registration or a removal needs
        `fleet:remove`, restoring personal data `personal:read`.
        """
        return await _undo(request, definition, entity_id, token)

    return router


async def _undo(request: Request, definition: Definition, entity_id: str, token: VerifiedToken) -> Response:
    """Answer it.

    Raises:
        Problem: 403, it would remove what the client must not, or bring back what they must not see; 422 for
            what is no version, or no field.
    """
    body = await read_json_object(request)
    if not is_valid_id(entity_id):
        raise not_found()
    version, keep = _read(definition, body)

    context = command_context(request, token.actor, body, log_id=await log_id_of(request))
    outcome = handler_of(request).undo(
        definition, entity_id, version, keep, context, permit=permitting(definition, token)
    )
    return await answer_record(request, definition, outcome, token)


def permitting(definition: Definition, token: VerifiedToken) -> Callable[[Event], None]:
    """Return what is given an event to be undone, and raises a `Problem` (403) where somebody must not."""

    def permit(event: Event) -> None:
        for permission in _needed(definition, event):
            require(token, permission)

    return permit


def _read(definition: Definition, body: dict[str, Any]) -> _Undoing:
    given = read_details(UndoBody, body)
    parts = _parts(definition)
    errors = [
        ValidationError.at("keep", index, message=_NOT_KNOWN)
        for index, name in enumerate(given["keep"])
        if name not in parts
    ]
    if errors:
        raise validation_failed(errors[:100])
    return _Undoing(given["version"], frozenset(given["keep"]))


def _parts(definition: Definition) -> list[str]:
    """Return the names of the fields, and `field.member` for each declared member of a field."""
    return [
        part
        for name in definition.fields
        for part in (name, *(f"{name}.{member}" for member in definition.members.get(name, ())))
    ]


def _needed(definition: Definition, event: Event) -> list[Permission]:
    """Return what it takes besides to undo an event: what it would take to do the opposite by hand."""
    match event:
        case Registered():
            return [Permission.FLEET_REMOVE]
        case Removed():
            return [Permission.FLEET_REMOVE, *([Permission.PERSONAL_READ] if definition.personal else [])]
        case DetailsChanged() if not definition.harmless.issuperset(event.changes):
            return [Permission.PERSONAL_READ]
        case _:
            return []
