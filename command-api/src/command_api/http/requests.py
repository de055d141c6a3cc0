"""Reads requests: strict JSON (RFC 7493), and the headers of commands."""

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final
from urllib.parse import unquote_to_bytes

from fastapi import Request
from starlette.types import Scope

from command_api.commands.context import CommandContext, IfMatch, command_id, fingerprint
from command_api.domain.events import EventActor, EventMetadata
from command_api.domain.rules import MAX_NUMBER
from ops.base.http.problems import Problem, ValidationError, validation_failed
from ops.base.http.request_context import (
    client_request_id_of,
    header_of,
    headers_of,
    request_id_of,
    traceparent_of,
)
from ops.base.http.server import read_body
from ops.base.http.strict_json import UnreadableJson
from ops.base.http.strict_json import parse_object as parse_strictly
from ops.base.records.control_characters import has_controls, without_controls
from ops.base.sign_in import Actor

MAX_BYTES: Final = 256 * 1024
_MOST_ERRORS: Final = 100
_LONGEST_NAME_SHOWN: Final = 64
MAX_NESTING: Final = 64  # of the body as a whole; free-form objects have a lower bound of their own

_SURROGATE = re.compile("[\ud800-\udfff]")
# In UTF-8 JSON, surrogates and most control characters must be escaped; the others have these bytes.
_SUSPICIOUS = re.compile(rb"\\[ubf]|\x7f|\xc2[\x80-\x9f]")


def parse_object(raw: bytes) -> dict[str, Any]:
    """Read a JSON object.

    Raises:
        Problem: 422; it is not JSON, not an object, or JSON that some reader could not read: NaN, infinities,
            integers beyond 53 bits, lone surrogates, duplicate names, deep nesting. Or a text in it has
            control characters other than tabs and line ends.
    """
    try:
        value = parse_strictly(raw, max_nesting=MAX_NESTING, max_integer=MAX_NUMBER)
    except UnreadableJson as error:
        raise validation_failed([ValidationError.at(message=str(error))]) from None
    if _SUSPICIOUS.search(raw):
        errors = [ValidationError.at(*path, message=message) for path, message in _bad_texts(value)]
        if errors:
            raise validation_failed(errors[:_MOST_ERRORS])
    return value


def _bad_texts(value: Any, *path: str | int) -> Iterator[tuple[Sequence[str | int], str]]:
    """Yield where texts are that cannot be stored, and what is wrong with each."""
    if isinstance(value, str):
        if has_controls(value):
            yield path, "Must not contain control characters"
        elif _SURROGATE.search(value):
            yield path, "Must not contain lone surrogates"
    elif isinstance(value, list):
        for place, item in enumerate(value):
            yield from _bad_texts(item, *path, place)
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from _bad_texts(name, *path)
            yield from _bad_texts(item, *path, without_controls(name)[:_LONGEST_NAME_SHOWN])


_JSON = re.compile(r'application/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?', re.IGNORECASE)
MAX_REASON: Final = 500
"""Characters of `X-Change-Reason`."""
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_BARE_PERCENT: Final = re.compile(r"%(?![0-9A-Fa-f]{2})")
_IDEMPOTENCY_KEY: Final = re.compile(r"[\x21-\x7e]{1,255}")


async def read_json_object(request: Request) -> dict[str, Any]:
    """Read a request's body.

    Raises:
        Problem: 415 for another content type, 413 for a long body, 422 for what is not strict JSON.
    """
    if not _JSON.fullmatch((header_of(request.scope, b"content-type") or "").strip()):
        raise Problem(415, "unsupported-media-type", "Send application/json.")
    return parse_object(await read_body(request, limit=MAX_BYTES))


def idempotency_key(scope: Scope) -> str | None:
    """Return what tells a request that is sent again from another one.

    Raises:
        Problem: 400, it is malformed.
    """
    key = header_of(scope, b"idempotency-key")
    if key is not None and not _IDEMPOTENCY_KEY.fullmatch(key):
        raise Problem(400, "invalid-header", "Idempotency-Key must be 1 to 255 visible ASCII characters.")
    return key


def command_context(
    request: Request, actor: Actor, body: dict[str, Any] | None, *, log_id: str
) -> CommandContext:
    """Collect a command's circumstances.

    Args:
        request: its request.
        actor: who sends it.
        body: its JSON, None where it has none.
        log_id: the log that it is about.

    Raises:
        Problem: 400 for a malformed `Idempotency-Key` or `X-Change-Reason`.
    """
    scope = request.scope
    key = idempotency_key(scope)
    tags = headers_of(scope, b"if-match")
    return CommandContext(
        command_id=command_id(key, actor=actor.sub, path=scope["path"]),
        metadata=EventMetadata(
            actor=EventActor(sub=actor.sub, name=actor.name),
            request_id=request_id_of(scope),
            client_request_id=client_request_id_of(scope),
            traceparent=traceparent_of(scope),
            reason=_change_reason(header_of(scope, b"x-change-reason")),
            fingerprint="" if key is None else fingerprint(scope["method"], body),
        ),
        may_be_repeat=key is not None,
        if_match=IfMatch.parse(", ".join(tags) if tags else None, log_id=log_id),
    )


def _change_reason(header: str | None) -> str | None:
    """Return why the client changes something: percent-encoded UTF-8, which plain ASCII mostly is already."""
    if header is None:
        return None
    if _BARE_PERCENT.search(header):
        raise _invalid_reason()
    try:
        # Headers are read as Latin-1; some clients send UTF-8 as it is.
        reason = unquote_to_bytes(header.encode("latin-1")).decode("utf-8")
    except UnicodeDecodeError:
        raise _invalid_reason() from None
    if len(reason) > MAX_REASON or _CONTROL.search(reason):
        raise _invalid_reason()
    return reason.strip() or None


def _invalid_reason() -> Problem:
    message = (
        f"X-Change-Reason must be one line of at most {MAX_REASON} characters, percent-encoded as UTF-8"
        " (%25 for a percent sign)."
    )
    return Problem(400, "invalid-header", message)
