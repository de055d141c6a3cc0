"""What no schema can say: hooks that schemathesis loads (`SCHEMATHESIS_HOOKS`)."""

import uuid
from typing import Any, Final

import schemathesis
from schemathesis import Case, GenerationMode, HookContext
from schemathesis.core.transport import Response

from ops.base.consistency import POSITION_HEADER, LogPosition

_KEY: Final = "Idempotency-Key"


class _Client:
    """What a client remembers of the answers it got."""

    reached: LogPosition | None = None


@schemathesis.hook
def before_call(_context: HookContext, case: Case[Any], **_: Any) -> None:
    """Let what is meant to be valid obey the rules that the documents can only put in words.

    A body that names an id names the one in the address. A key is used for one command: with another it is
    refused, which other tests show. A query names the position that its client has written to.
    """
    if case.meta is None or case.meta.generation.mode is not GenerationMode.POSITIVE:
        return
    if case.headers.get(_KEY):
        case.headers[_KEY] = uuid.uuid4().hex
    if case.method.upper() == "GET" and _Client.reached:
        case.headers[POSITION_HEADER] = str(_Client.reached)
    body = case.body
    if case.method.upper() == "PUT" and isinstance(body, dict) and isinstance(body.get("id"), str):
        body["id"] = case.path_parameters["entity_id"]


@schemathesis.hook
def after_call(_context: HookContext, _case: Case[Any], response: Response) -> None:
    """Remember the position that a command reached, as browsers do by cookie."""
    for value in response.headers.get(POSITION_HEADER.lower(), []):
        told = LogPosition.parse(value)
        if told and (_Client.reached is None or told.position > _Client.reached.position):
            _Client.reached = told
