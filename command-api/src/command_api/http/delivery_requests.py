"""The command by which users test a subscription, or send events again."""

from typing import Annotated, Any, Final, Literal, get_args

from fastapi import APIRouter, Depends, Request
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
from ops.base.sign_in import Requires, VerifiedToken

PATH: Final = "/api/v1/subscriptions/{entity_id}/requests"
Kind = Literal["test", "again", "replay", "resume"]
_NUMBER_OF: Final[dict[str, str | None]] = {
    **dict.fromkeys(get_args(Kind)),
    "again": "delivery",
    "replay": "after",
}
_MOST: Final = 2**53 - 1
_REQUEST: Final = "SELECT notify.request(%s::uuid, %s::text, %s::text, %s::bigint, %s::bigint)"

MayManage = Annotated[VerifiedToken, Depends(Requires(Permission.NOTIFICATIONS_MANAGE))]


class Accepted(BaseModel):
    """An accepted request."""

    model_config = ConfigDict(extra="forbid")

    id: str = Field(json_schema_extra={"format": "uuid"}, examples=["3f0c9f4e-0a35-4c0a-9d2f-0e9a8d6f2b11"])


def delivery_request_routes() -> APIRouter:
    """Build the route."""
    router = direct_router(tags=["subscriptions"])
    schemas = [_schema(kind, number) for kind, number in _NUMBER_OF.items()]

    @command(
        *(router, "POST", PATH, "request_delivery", {202: answer_of(Accepted, "Accepted", {})}),
        body=json_body({"oneOf": schemas}, {"kind": "test"}),
        parameters=[IDEMPOTENCY_KEY],
    )
    async def request_delivery(entity_id: EntityId, request: Request, token: MayManage) -> Response:
        """Ask the notifier for something once.

        `test` sends a test message, `again` repeats a delivery of the log, `replay` sends all events after a
        position again, and `resume` continues a subscription that was given up or waits.
        """
        if not is_valid_id(entity_id):
            raise not_found()
        kind, number = _read(await read_json_object(request))
        key = idempotency_key(request.scope)
        request_id = command_id(key, actor=token.actor.sub, path=request.scope["path"])
        numbers = [number if _NUMBER_OF[kind] == name else None for name in ("delivery", "after")]
        calls: DatabaseCalls = request.app.state.calls
        outcome = await calls.call(_REQUEST, request_id, entity_id, kind, *numbers)
        if outcome is None:
            raise not_found()
        if outcome == "mismatch":
            raise failure(IdempotencyMismatch())
        if outcome == "full":
            raise Problem(409, "too-many-requests", "Many requests are waiting. Try again later.")
        return Response(Accepted(id=str(request_id)).model_dump_json(), 202, None, "application/json")

    return router


def _read(body: dict[str, Any]) -> tuple[str, int | None]:
    """Return the kind and the number of a request."""
    kind = body.get("kind")
    if not isinstance(kind, str) or kind not in _NUMBER_OF:
        message = f"Must be one of {', '.join(_NUMBER_OF)}"
        raise validation_failed([ValidationError.at("kind", message=message)])
    name = _NUMBER_OF[kind]
    if body.keys() - {"kind", name}:
        allowed = "kind" if name is None else f"kind and {name}"
        raise validation_failed([ValidationError.at(message=f"Only {allowed} are allowed")])
    number = body.get(name) if name else None
    if name and not (type(number) is int and 0 <= number <= _MOST):
        raise validation_failed([ValidationError.at(name, message="Must be a whole number")])
    return kind, number


def _schema(kind: str, number: str | None) -> dict[str, Any]:
    numbers = {number: {"type": "integer", "minimum": 0, "maximum": _MOST}} if number else {}
    return {
        "type": "object",
        "required": ["kind", *numbers],
        "additionalProperties": False,
        "properties": {"kind": {"const": kind}, **numbers},
    }
