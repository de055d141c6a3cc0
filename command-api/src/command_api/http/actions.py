"""The command by which operators start a task of the workers."""

from typing import Annotated, Any, Final

from fastapi import Depends, Request
from starlette.responses import Response

from command_api.commands.context import command_id
from command_api.commands.reasons import IdempotencyMismatch
from command_api.database_calls import DatabaseCalls
from command_api.http.openapi import IDEMPOTENCY_KEY, command, json_body
from command_api.http.requests import idempotency_key, read_json_object
from command_api.http.responses import failure
from ops.base.encryption.actors import ACTORS
from ops.base.http.direct_routes import direct_router
from ops.base.http.openapi import answer_of
from ops.base.http.problems import Problem, ValidationError, validation_failed
from ops.base.http.request_context import request_id_of
from ops.base.permissions import Permission
from ops.base.records.operations import ACTION_COLUMNS, KINDS, PROJECTIONS, SYSTEM_PATH, Action, action_of
from ops.base.sign_in import Requires, VerifiedToken

PATH: Final = f"{SYSTEM_PATH}/actions"
_EXAMPLE: Final = {"kind": "rebuild", "target": PROJECTIONS[0]}
_NO_STORE: Final = {"Cache-Control": {"schema": {"type": "string", "const": "no-store"}}}
# Add a task unless its id exists, and record the user in the access log; no row: an equal task is under way.
_REQUEST_ACTION: Final = f"""
SELECT {ACTION_COLUMNS}
FROM operations.ask(%s::uuid, %s::text, %s::text, %s::text, %s::text, %s::text, %s::boolean)
"""  # noqa: S608 - put together from our own constants

MayAct = Annotated[VerifiedToken, Depends(Requires(Permission.OPERATIONS_ACT))]


router = direct_router(tags=["system"])
_KNOWN: Final = {**_EXAMPLE, **dict.fromkeys(("done", "total", "words"))}
_SCHEMAS: Final = [
    {
        "type": "object",
        "required": ["kind"],
        "additionalProperties": False,
        "properties": {"kind": {"enum": kinds}, "target": {"enum": targets}},
    }
    for kinds, targets in ((["retry", "rebuild"], [*PROJECTIONS, None]), (["verify"], [None]))
]


@command(
    *(router, "POST", PATH, "ask", {202: answer_of(Action, "Accepted", _NO_STORE, _KNOWN)}),
    body=json_body({"oneOf": _SCHEMAS}, _EXAMPLE),
    parameters=[IDEMPOTENCY_KEY],
)
async def ask(request: Request, token: MayAct) -> Response:
    """Start a task of the workers.

    `retry` applies quarantined events, `rebuild` fills read tables again while the old ones serve,
    `verify` checks the log and the access log against the signed checkpoints. The access log records the
    user.
    """
    kind, target = _read(await read_json_object(request))
    actor = token.actor
    key = idempotency_key(request.scope)
    action_id = command_id(key, actor=actor.sub, path=request.scope["path"])
    await ACTORS.try_record(actor.sub, actor.name)
    calls: DatabaseCalls = request.app.state.calls
    request_id = request_id_of(request.scope)
    parameters = (action_id, kind, target, actor.sub, "", request_id, actor.is_program)
    action: Action | None = await calls.call(_REQUEST_ACTION, *parameters, make=action_of)
    if action is None:
        raise Problem(409, "action-running", "The same task is running. Wait until it has ended.")
    if (action.kind, action.target) != (kind, target):
        raise failure(IdempotencyMismatch())
    headers = {"Cache-Control": "no-store"}
    return Response(action.model_dump_json(), 202, headers, "application/json")


def _read(body: dict[str, Any]) -> tuple[Any, str | None]:
    """Return the kind and the target of a task."""
    kind, target = body.get("kind"), body.get("target")
    errors = []
    if body.keys() - {"kind", "target"}:
        errors.append(ValidationError.at(message="Only kind and target are allowed"))
    if kind not in KINDS:
        errors.append(ValidationError.at("kind", message=f"Must be one of {', '.join(KINDS)}"))
    if kind == "verify" and target is not None:
        errors.append(ValidationError.at("target", message="Must be null: everything is verified"))
    elif target is not None and target not in PROJECTIONS:
        message = f"Must be one of {', '.join(PROJECTIONS)}, or null"
        errors.append(ValidationError.at("target", message=message))
    if errors:
        raise validation_failed(errors)
    return kind, target
