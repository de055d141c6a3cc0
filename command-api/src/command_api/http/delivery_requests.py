"""The command by which users test a subscription, or send events again."""

import json
from datetime import UTC, datetime
from typing import Annotated, Any, Final, Literal, get_args

from fastapi import Depends, Request
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from command_api.commands.context import command_id
from command_api.commands.reasons import IdempotencyMismatch
from command_api.database_calls import DatabaseCalls
from command_api.http.openapi import IDEMPOTENCY_KEY, command, json_body
from command_api.http.requests import idempotency_key, is_valid_id, read_json_object
from command_api.http.responses import failure, not_found
from ops.base.http.direct_routes import direct_router
from ops.base.http.openapi import EntityId, answer_of
from ops.base.http.problems import Problem, ValidationError, validation_failed
from ops.base.permissions import Permission
from ops.base.records.operations import MOMENT
from ops.base.sign_in import Requires, VerifiedToken

PATH: Final = "/api/v1/subscriptions/{entity_id}/requests"
Kind = Literal["test", "again", "replay", "resume"]
_VALUES_OF: Final[dict[str, tuple[str, ...]]] = {
    **dict.fromkeys(get_args(Kind), ()),
    "again": ("delivery",),
    "replay": ("after", "since"),
}
"""The members that requests of a kind may have; each has one."""
_MOST: Final = 2**53 - 1
_REQUEST: Final = (
    "SELECT notify.request(%s::uuid, %s::text, %s::text, %s::bigint, %s::bigint, %s::timestamptz, %s::jsonb)"
)

MayManage = Annotated[VerifiedToken, Depends(Requires(Permission.NOTIFICATIONS_MANAGE))]


class Accepted(BaseModel):
    """An accepted request."""

    model_config = ConfigDict(extra="forbid")

    id: str = Field(json_schema_extra={"format": "uuid"}, examples=["3f0c9f4e-0a35-4c0a-9d2f-0e9a8d6f2b11"])


def _schema(kind: str, name: str | None) -> dict[str, Any]:
    number = {"type": "integer", "minimum": 0, "maximum": _MOST}
    member = {name: MOMENT["json_schema_extra"] | {"type": "string"} if name == "since" else number}
    values = member if name else {}
    return {
        "type": "object",
        "required": ["kind", *values],
        "additionalProperties": False,
        "properties": {"kind": {"const": kind}, **values},
    }


router = direct_router(tags=["subscriptions"])
_SCHEMAS: Final = [_schema(kind, name) for kind, names in _VALUES_OF.items() for name in names or (None,)]


@command(
    *(router, "POST", PATH, "request_delivery", {202: answer_of(Accepted, "Accepted", {})}),
    body=json_body({"oneOf": _SCHEMAS}, {"kind": "test"}),
    parameters=[IDEMPOTENCY_KEY],
)
async def request_delivery(entity_id: EntityId, request: Request, token: MayManage) -> Response:
    """Ask the notifier for something once.

    `test` sends a test message, `again` repeats a delivery of the log, `replay` sends all events after a
    position or from a moment on again, and `resume` continues a subscription that was given up or waits.
    """
    if not is_valid_id(entity_id):
        raise not_found()
    kind, given = _read(await read_json_object(request))
    key = idempotency_key(request.scope)
    request_id = command_id(key, actor=token.actor.sub, path=request.scope["path"])
    values = [given.get(name) for name in ("delivery", "after", "since")]
    actor = {"sub": token.actor.sub, "is_program": token.actor.is_program}
    calls: DatabaseCalls = request.app.state.calls
    outcome = await calls.call(_REQUEST, request_id, entity_id, kind, *values, json.dumps(actor))
    if outcome is None:
        raise not_found()
    if outcome == "mismatch":
        raise failure(IdempotencyMismatch())
    if outcome == "full":
        raise Problem(409, "too-many-requests", "Many requests are waiting. Try again later.")
    return Response(Accepted(id=str(request_id)).model_dump_json(), 202, None, "application/json")


def _read(body: dict[str, Any]) -> tuple[str, dict[str, int | datetime]]:
    """Return the kind of a request, and its other member."""
    kind = body.get("kind")
    if not isinstance(kind, str) or kind not in _VALUES_OF:
        message = f"Must be one of {', '.join(_VALUES_OF)}"
        raise validation_failed([ValidationError.at("kind", message=message)])
    names, given = _VALUES_OF[kind], body.keys() - {"kind"}
    if given - {*names} or len(given) > 1:
        allowed = " and ".join(filter(None, ("kind", " or ".join(names))))
        raise validation_failed([ValidationError.at(message=f"Only {allowed} are allowed")])
    if not names:
        return kind, {}
    name = next(iter(given), names[0])
    value = body.get(name)
    if name == "since":
        value = _moment(value)
    elif not (type(value) is int and 0 <= value <= _MOST):
        value = None
    if value is None:
        expected = "a date and time with a time zone" if name == "since" else "a whole number"
        raise validation_failed([ValidationError.at(name, message=f"Must be {expected}")])
    return kind, {name: value}


def _moment(value: object) -> datetime | None:
    try:
        moment = datetime.fromisoformat(value)  # type: ignore[arg-type]
        return moment.astimezone(UTC) if moment.tzinfo else None
    except (TypeError, ValueError, OverflowError):
        return None
