"""What no schema can say: hooks that schemathesis loads (`SCHEMATHESIS_HOOKS`)."""

import uuid
from typing import Any

import schemathesis
from schemathesis import Case, GenerationMode, HookContext

_KEY = "Idempotency-Key"


@schemathesis.hook
def before_call(_context: HookContext, case: Case[Any], **_: Any) -> None:
    """Let what is meant to be valid obey the rules that the documents can only put in words.

    A body that names an id names the one in the address. A key is used for one command: with another it is
    refused, which other tests show.
    """
    if case.meta is None or case.meta.generation.mode is not GenerationMode.POSITIVE:
        return
    if case.headers.get(_KEY):
        case.headers[_KEY] = uuid.uuid4().hex
    body = case.body
    if case.method.upper() == "PUT" and isinstance(body, dict) and isinstance(body.get("id"), str):
        body["id"] = case.path_parameters["entity_id"]
