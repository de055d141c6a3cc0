"""The command's circumstances, read from its request."""

import re
from typing import Any, Final

from fastapi import Request

from command_api.commands.context import CommandContext, command_id, fingerprint
from command_api.commands.if_match import IfMatch
from command_api.domain.events import EventActor, EventMetadata
from command_api.http.json_body import MAX_BYTES, parse_object
from ops.base.http import read_body
from ops.base.problems import Problem
from ops.base.request_context import request_id_of, traceparent_of
from ops.base.sign_in import Actor

_JSON = re.compile(r'application/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?', re.IGNORECASE)
_IDEMPOTENCY_KEY: Final = re.compile(r"[\x21-\x7e]{1,255}")


async def read_json_object(request: Request) -> dict[str, Any]:
    """Read a request's body.

    Raises:
        Problem: 415 for another content type, 413 for a long body, 422 for what is not strict JSON.
    """
    if not _JSON.fullmatch(request.headers.get("content-type", "").strip()):
        raise Problem(415, "unsupported-media-type", "Send application/json.")
    return parse_object(await read_body(request, limit=MAX_BYTES))


def command_context(request: Request, actor: Actor, body: dict[str, Any] | None) -> CommandContext:
    """Collect a command's circumstances.

    Args:
        request: its request.
        actor: who sends it.
        body: its JSON, None where it has none.

    Raises:
        Problem: 400 for a malformed `Idempotency-Key`.
    """
    key = request.headers.get("idempotency-key")
    if key is not None and not _IDEMPOTENCY_KEY.fullmatch(key):
        raise Problem(400, "invalid-header", "Idempotency-Key must be 1 to 255 visible ASCII characters.")
    tags = request.headers.getlist("if-match")
    return CommandContext(
        command_id=command_id(key, actor=actor.sub, path=request.url.path),
        metadata=EventMetadata(
            actor=EventActor(sub=actor.sub, name=actor.name),
            request_id=request_id_of(request.scope),
            traceparent=traceparent_of(request.headers),
            fingerprint=fingerprint(request.method, body),
        ),
        may_be_repeat=key is not None,
        if_match=IfMatch.parse(", ".join(tags) if tags else None),
    )
