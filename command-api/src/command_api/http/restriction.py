"""Commands that restrict, hold and erase the data of a record, or of a user."""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from functools import cache, partial
from typing import Annotated, Any, Final, Literal, get_args

from fastapi import APIRouter, Depends, Request
from pydantic import Field
from starlette.responses import Response

from command_api.commands.execution import CommandResult
from command_api.domain.aggregate import Aggregate
from command_api.domain.catalogue import ACTOR
from command_api.domain.definition import Definition, Details
from command_api.domain.events import Basis, Event, EventMetadata
from command_api.domain.rules import Date, OneOf
from command_api.http.openapi import command, json_body
from command_api.http.requests import command_context, is_valid_id, read_details, read_json_object
from command_api.http.responses import answer, failure, handler_of, log_id_of, not_found
from ops.base.encryption.actors import ACTORS
from ops.base.encryption.key_encryption_keys import KeysUnavailable
from ops.base.http.direct_routes import direct_router
from ops.base.http.openapi import POSITION, Closed, EntityId, Subject, answer_of
from ops.base.http.problems import ValidationError, validation_failed
from ops.base.permissions import Permission
from ops.base.sign_in import Requires, VerifiedToken

DUE_WITHIN: Final = timedelta(days=30)
"""Default of `due`: GDPR article 12(3) allows a month."""

MayRestrict = Annotated[VerifiedToken, Depends(Requires(Permission.PRIVACY_RESTRICT))]
MayErase = Annotated[VerifiedToken, Depends(Requires(Permission.PRIVACY_ERASE))]

_Decision = Callable[[Aggregate, EventMetadata], Event | None]


class RestrictionBody(Details):
    """The reason of a restriction, and the day by which the request is to be answered."""

    basis: Annotated[str, OneOf(get_args(Basis))]
    due: Annotated[str | None, Date()] = None


class HoldBody(Details):
    """The last day of a hold; null ends it."""

    until: Annotated[str | None, Date()]


class ConfirmBody(Closed):
    """The confirmation of an erasure."""

    confirm: str = Field(description="The id in the path")


class RestrictionState(Closed):
    """The state of a record's data; the members after `state` are present while it is restricted."""

    id: str
    version: int = Field(description="Version of the record")
    state: Literal["active", "restricted", "erasing"]
    basis: str = ""
    due: str = Field(default="", json_schema_extra={"format": "date"})
    hold_until: str | None = Field(default=None, json_schema_extra={"format": "date"})
    asked_by: str = Field(default="", description="The user who restricted it: the provider's permanent id")


@cache
def restriction_routes(definition: Definition) -> APIRouter:
    """Build the routes of one entity type, or of users, whose ids may contain slashes."""
    router = direct_router(tags=["privacy"])
    name = definition.name
    path = f"{definition.entity_type.path}/{{entity_id{':path' if definition is ACTOR else ''}}}"
    entity: Any = Subject if definition is ACTOR else EntityId
    known = {"id": definition.example_id, "version": 7, "state": "restricted"}
    state = answer_of(RestrictionState, "Decided", POSITION, known)

    @command(
        *(router, "POST", f"{path}/restriction", f"restrict_{name}", {200: state}),
        body=json_body(RestrictionBody, {"basis": "asked"}),
    )
    async def restrict(entity_id: entity, request: Request, token: MayRestrict) -> Response:
        """Restrict the processing of a record's data.

        Reads mask it for everyone without `privacy:restrict`, lists for everyone, and other commands are
        refused, also after a removal. `asked`: the person asks for erasure; `purpose-served`: it is not
        needed any more; `unlawful`: it should never have been stored; `contested`: its accuracy is to be
        settled, so it is not to be erased. `due` is 30 days from now by default.
        """
        body = await read_json_object(request)
        await _require_known(definition, entity_id)
        given = read_details(RestrictionBody, body)
        due = coming_day("due", given["due"]) or _today() + DUE_WITHIN

        def decision(aggregate: Aggregate, metadata: EventMetadata) -> Event:
            return aggregate.restrict(given["basis"], due, metadata)

        return await _decide(request, definition, entity_id, token, decision, body=body)

    @command(
        *(router, "PUT", f"{path}/restriction/hold", f"hold_{name}", {200: state}),
        body=json_body(HoldBody, {"until": None}),
    )
    async def hold(entity_id: entity, request: Request, token: MayRestrict) -> Response:
        """Set or end a legal hold on restricted data.

        Until the end of that day (UTC) it cannot be erased. Setting a hold needs `X-Change-Reason`; null ends
        the hold.
        """
        body = await read_json_object(request)
        await _require_known(definition, entity_id)
        until = coming_day("until", read_details(HoldBody, body)["until"])
        return await _decide(
            *(request, definition, entity_id, token),
            lambda aggregate, metadata: aggregate.hold(until, metadata),
            body=body,
        )

    lifted = {204: {"description": "Lifted", "headers": POSITION}}

    @command(router, "DELETE", f"{path}/restriction", f"lift_{name}", lifted)
    async def lift(entity_id: entity, request: Request, token: MayRestrict) -> Response:
        """Lift a restriction."""
        await _require_known(definition, entity_id)
        return await _decide(request, definition, entity_id, token, Aggregate.lift, body=None, status=204)

    @command(
        *(router, "POST", f"{path}/erasure", f"erase_{name}", {202: state}),
        body=json_body(ConfirmBody, {"confirm": definition.example_id}),
    )
    async def erase(entity_id: entity, request: Request, token: MayErase) -> Response:
        """Erase restricted data.

        By another user than the one who restricted it, and after its hold. It cannot be undone: the key is
        destroyed, so the data is unreadable in the log, its copies and its backups. A receipt follows.
        """
        body = await read_json_object(request)
        await _require_known(definition, entity_id)
        if body != {"confirm": entity_id}:
            message = "Type the id of the record to erase"
            raise validation_failed([ValidationError.at("confirm", message=message)])
        return await _decide(
            *(request, definition, entity_id, token),
            lambda aggregate, metadata: aggregate.erase(_today(), metadata),
            body=body,
            status=202,
        )

    return router


async def _decide(
    request: Request,
    definition: Definition,
    entity_id: str,
    token: VerifiedToken,
    decision: _Decision,
    *,
    body: dict[str, Any] | None,
    status: int = 200,
) -> Response:
    context = command_context(request, token.actor, body, log_id=await log_id_of(request))
    if (body or {}).get("until") is not None and context.metadata.reason is None:
        raise validation_failed([ValidationError.at("until", message="Give the reason as X-Change-Reason")])
    command = handler_of(request).decide_for_person(definition, entity_id, decision, context)
    return await answer(request, definition, command, token, partial(_state, status=status))


async def _require_known(definition: Definition, entity_id: str) -> None:
    """Refuse ids under which no data can exist.

    Raises:
        Problem: 404, the id is invalid, or the directory of actors does not have it; 503, it is unavailable.
    """
    if definition is not ACTOR:
        is_known = is_valid_id(entity_id)
    else:
        try:
            is_known = await ACTORS.key_id_of(entity_id) is not None
        except KeysUnavailable as error:
            raise failure(error) from None
    if not is_known:
        raise not_found()


def coming_day(name: str, text: str | None) -> date | None:
    """Parse an optional day that must not be in the past."""
    day = None if text is None else date.fromisoformat(text)
    if day is not None and day < _today():
        raise validation_failed([ValidationError.at(name, message="Must not be in the past")])
    return day


def _today() -> date:
    return datetime.now(UTC).date()


def _state(result: CommandResult, *_: object, status: int) -> Response:
    if status == 204:
        return Response(status_code=status)
    aggregate = result.aggregate
    restriction = aggregate.restriction
    state = RestrictionState(
        id=aggregate.id,
        version=aggregate.version,
        state="restricted" if restriction else "erasing" if aggregate.is_erased else "active",
    )
    if restriction is not None:
        hold_until = restriction.hold_until
        state.basis, state.due = restriction.basis, restriction.due.isoformat()
        state.hold_until = None if hold_until is None else hold_until.isoformat()
        state.asked_by = restriction.by
    return Response(state.model_dump_json(exclude_unset=True), status, media_type="application/json")
