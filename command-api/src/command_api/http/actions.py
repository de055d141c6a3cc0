"""The command by which operators start a task of the workers."""

from typing import Annotated, Any, Final

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from command_api.actions import Actions
from command_api.commands.context import command_id
from command_api.commands.idempotency import IdempotencyMismatch
from command_api.http.openapi import IDEMPOTENCY_KEY, command, json_body
from command_api.http.refusals import failure
from command_api.http.requests import idempotency_key, read_json_object
from ops.base.http.direct_routes import direct_router
from ops.base.http.openapi import answer_of
from ops.base.http.problems import Problem, ValidationError, validation_failed
from ops.base.http.request_context import request_id_of
from ops.base.permissions import Permission
from ops.base.records.operations import KINDS, PROJECTIONS, SYSTEM_PATH, Action
from ops.base.sign_in import Requires, VerifiedToken

PATH: Final = f"{SYSTEM_PATH}/actions"
_EXAMPLE: Final = {"kind": "rebuild", "target": PROJECTIONS[0]}
_NO_STORE: Final = {"Cache-Control": {"schema": {"type": "string", "const": "no-store"}}}

MayAct = Annotated[VerifiedToken, Depends(Requires(Permission.OPERATIONS_ACT))]


def action_routes() -> APIRouter:
    """Build the route."""
    router = direct_router(tags=["system"])

    known = {**_EXAMPLE, **dict.fromkeys(("done", "total", "words"))}

    @command(
        *(router, "POST", PATH, "ask", {202: answer_of(Action, "Accepted", _NO_STORE, known)}),
        body=json_body(
            {
                "oneOf": [
                    _body(["retry", "rebuild"], [*PROJECTIONS, None]),
                    _body(["verify"], [None]),
                ]
            },
            _EXAMPLE,
        ),
        parameters=[IDEMPOTENCY_KEY],
    )
    async def ask(request: Request, token: MayAct) -> Response:
        """Start a task of the workers.

        `retry` applies quarantined events, `rebuild` fills read tables again while the old ones serve,
        `verify` checks the log and the access log against the signed checkpoints. The access log records the
        user.
        """
        body = await read_json_object(request)
        kind, target = _read(body)
        key = idempotency_key(request.scope)
        action_id = command_id(key, actor=token.actor.sub, path=request.scope["path"])
        actions: Actions = request.app.state.actions
        action = await actions.ask(action_id, kind, target, token.actor, request_id_of(request.scope))
        if action is None:
            raise Problem(409, "action-running", "The same is under way already.")
        if (action.kind, action.target) != (kind, target):
            raise failure(IdempotencyMismatch())
        headers = {"Cache-Control": "no-store"}
        return Response(action.model_dump_json(), 202, headers, "application/json")

    return router


def _read(body: dict[str, Any]) -> tuple[Any, str | None]:
    """Return what is asked for.

    Raises:
        Problem: 422, there is no such thing.
    """
    kind, target = body.get("kind"), body.get("target")
    errors = []
    if body.keys() - {"kind", "target"}:
        errors.append(ValidationError.at(message="There are fields that this does not have"))
    if kind not in KINDS:
        errors.append(ValidationError.at("kind", message=f"Must be one of {', '.join(KINDS)}"))
    if kind == "verify" and target is not None:
        errors.append(ValidationError.at("target", message="All is verified: must be null"))
    elif target is not None and target not in PROJECTIONS:
        errors.append(
            ValidationError.at("target", message=f"Must be one of {', '.join(PROJECTIONS)}, or null")
        )
    if errors:
        raise validation_failed(errors)
    return kind, target


def _body(kinds: list[str], targets: list[str | None]) -> dict[str, Any]:
    return {
        "type": "object",
        "required": ["kind"],
        "additionalProperties": False,
        "properties": {"kind": {"enum": kinds}, "target": {"enum": targets}},
    }
