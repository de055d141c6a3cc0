"""How people's data is restricted, held, and erased: the same for every entity type, and for who acts."""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from functools import partial
from typing import Annotated, Any, Final, get_args

from fastapi import Request
from starlette.responses import Response

from command_api.commands.handler import CommandResult
from command_api.domain.actor import ACTOR
from command_api.domain.aggregate import Aggregate
from command_api.domain.definition import Definition, Details
from command_api.domain.events import Basis, Event, EventMetadata
from command_api.domain.rules import Date, OneOf
from command_api.http.answering import answer, handler_of, log_id_of
from command_api.http.entity_body import is_valid_id, read_details
from command_api.http.refusals import failure, not_found
from command_api.http.request_headers import command_context, read_json_object
from ops.base.encryption.actors import ACTORS
from ops.base.encryption.ring import KEYS
from ops.base.encryption.wrapping import KeysUnavailable
from ops.base.http.problems import Problem, ValidationError, validation_failed
from ops.base.records.json_values import json_bytes
from ops.base.sign_in import VerifiedToken

ANSWERED_WITHIN: Final = timedelta(days=30)
"""Of a request, unless somebody says otherwise: GDPR article 12(3) gives a month."""

_Decision = Callable[[Aggregate, EventMetadata], Event | None]


class RestrictionBody(Details):
    """Why it is restricted, and when who has asked for it is to be answered."""

    basis: Annotated[str, OneOf(get_args(Basis))]
    due: Annotated[str | None, Date()] = None


class HoldBody(Details):
    """Until when it must be kept; null: it need not be any more."""

    until: Annotated[str | None, Date()]


async def restrict(
    request: Request, definition: Definition, entity_id: str, token: VerifiedToken
) -> Response:
    """Answer POST to `restriction`."""
    body = await _read(request, definition, entity_id)
    given = read_details(RestrictionBody, body)
    due = _coming_day("due", given["due"]) or _today() + ANSWERED_WITHIN

    def decision(aggregate: Aggregate, metadata: EventMetadata) -> Event:
        return aggregate.restrict(given["basis"], due, metadata)

    return await _decide(request, definition, entity_id, token, decision, body=body)


async def hold(request: Request, definition: Definition, entity_id: str, token: VerifiedToken) -> Response:
    """Answer PUT to `restriction/hold`."""
    body = await _read(request, definition, entity_id)
    until = _coming_day("until", read_details(HoldBody, body)["until"])
    return await _decide(
        *(request, definition, entity_id, token),
        lambda aggregate, metadata: aggregate.hold(until, metadata),
        body=body,
    )


async def lift(request: Request, definition: Definition, entity_id: str, token: VerifiedToken) -> Response:
    """Answer DELETE of `restriction`."""
    await _require_known(definition, entity_id)
    return await _decide(request, definition, entity_id, token, Aggregate.lift, body=None, status=204)


async def erase(request: Request, definition: Definition, entity_id: str, token: VerifiedToken) -> Response:
    """Answer POST to `erasure`."""
    body = await _read(request, definition, entity_id)
    if body != {"confirm": entity_id}:
        message = "Type the id of what is to be erased"
        raise validation_failed([ValidationError.at("confirm", message=message)])
    if not KEYS.seals:
        raise Problem(409, "rule-broken", "Nothing is sealed here, so nothing can be erased.")
    return await _decide(
        *(request, definition, entity_id, token),
        lambda aggregate, metadata: aggregate.erase(_today(), metadata),
        body=body,
        status=202,
    )


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
        raise validation_failed([ValidationError.at("until", message="Say why, as X-Change-Reason")])
    command = handler_of(request).decide(definition, entity_id, decision, context)
    return await answer(request, definition, command, token, partial(_standing, status=status))


async def _read(request: Request, definition: Definition, entity_id: str) -> dict[str, Any]:
    body = await read_json_object(request)
    await _require_known(definition, entity_id)
    return body


async def _require_known(definition: Definition, entity_id: str) -> None:
    """See that something may be known under an id.

    Raises:
        Problem: 404, nothing is; 503, nobody can tell now.
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


def _coming_day(name: str, text: str | None) -> date | None:
    """Return the day that a text says.

    Raises:
        Problem: 422, it is past.
    """
    day = None if text is None else date.fromisoformat(text)
    if day is not None and day < _today():
        raise validation_failed([ValidationError.at(name, message="Must not be in the past")])
    return day


def _today() -> date:
    return datetime.now(UTC).date()


def _standing(result: CommandResult, *_: object, status: int) -> Response:
    """Return the answer that tells how it stands with what is known of an entity."""
    if status == 204:
        return Response(status_code=status)
    aggregate = result.aggregate
    restriction = aggregate.restriction
    told: dict[str, Any] = {
        "id": aggregate.id,
        "version": aggregate.version,
        "state": "erasing" if aggregate.is_erased else "active",
    }
    if restriction is not None:
        hold_until = restriction.hold_until
        told |= {
            "state": "restricted",
            "basis": restriction.basis,
            "due": restriction.due.isoformat(),
            "hold_until": None if hold_until is None else hold_until.isoformat(),
            "asked_by": restriction.by,
        }
    return Response(json_bytes(told), status, media_type="application/json")
