"""Requests of commands: strict JSON (RFC 7493), headers, and bodies with ids and details."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final
from urllib.parse import unquote_to_bytes

from fastapi import Request
from pydantic import BaseModel
from pydantic import ValidationError as PydanticError
from pydantic_core import ErrorDetails
from starlette.types import Scope

from command_api.commands.context import CommandContext, IfMatch, command_id, fingerprint
from command_api.commands.reasons import InvalidDetails
from command_api.domain.definition import Definition, Details
from command_api.domain.events import EventActor, EventMetadata
from command_api.domain.rules import MAX_NUMBER, NUMBER_TOO_GREAT, Rule, has_number_beyond_max
from ops.base.http.problems import Problem, ValidationError, validation_failed
from ops.base.http.request_context import (
    client_request_id_of,
    header_of,
    headers_of,
    read_body,
    request_id_of,
    traceparent_of,
)
from ops.base.http.strict_json import UnreadableJson
from ops.base.http.strict_json import parse_object as parse_strictly
from ops.base.records.control_characters import has_controls, without_controls
from ops.base.records.entities import RESERVED_IDS, is_id
from ops.base.records.json_values import merge_patched
from ops.base.records.masks import MASKED
from ops.base.sign_in import Actor

MAX_BYTES: Final = 256 * 1024
MAX_NESTING: Final = 64  # of the complete body; free-form objects have a lower limit
MAX_REASON: Final = 500
"""The maximum length of `X-Change-Reason`, in characters."""
MAX_ERRORS: Final = 100
INVALID_ID: Final = (
    "Use 1 to 64 letters, digits, dots, underscores or dashes, beginning with a letter or a digit"
)
_SHOWN_NAME_LENGTH: Final = 64
_SERVER_FIELDS: Final = ("created_at", "updated_at")

_JSON = re.compile(r'application/json\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?', re.IGNORECASE)
_SURROGATE = re.compile("[\ud800-\udfff]")
# JSON in UTF-8 must escape surrogates and most control characters; the others have these bytes.
_SUSPICIOUS = re.compile(rb"\\[ubf]|\x7f|\xc2[\x80-\x9f]")
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_BARE_PERCENT: Final = re.compile(r"%(?![0-9A-Fa-f]{2})")
_IDEMPOTENCY_KEY: Final = re.compile(r"[\x21-\x7e]{1,255}")


async def read_json_object(request: Request) -> dict[str, Any]:
    """Read a request's body.

    Raises:
        Problem: 415 for another content type, 413 for a body that is too long, 422 if it is no strict JSON.
    """
    if not _JSON.fullmatch((header_of(request.scope, b"content-type") or "").strip()):
        raise Problem(415, "unsupported-media-type", "Send application/json.")
    return parse_object(await read_body(request, limit=MAX_BYTES))


def parse_object(raw: bytes) -> dict[str, Any]:
    """Parse a JSON object.

    Raises:
        Problem: 422, the text is no JSON object, or has NaN, infinities, integers beyond 53 bits, lone
            surrogates, duplicate names, deep nesting, or control characters other than tabs and line ends.
    """
    try:
        value = parse_strictly(raw, max_nesting=MAX_NESTING, max_integer=MAX_NUMBER)
    except UnreadableJson as error:
        raise validation_failed([ValidationError.at(message=str(error))]) from None
    if _SUSPICIOUS.search(raw):
        errors = [ValidationError.at(*path, message=message) for path, message in _bad_texts(value)]
        if errors:
            raise validation_failed(errors[:MAX_ERRORS])
    return value


def _bad_texts(value: Any, *path: str | int) -> Iterator[tuple[Sequence[str | int], str]]:
    """Yield the paths of texts that cannot be stored, each with an error message."""
    if isinstance(value, str):
        if has_controls(value):
            yield path, "Must not contain control characters"
        elif _SURROGATE.search(value):
            yield path, "Must not contain lone surrogates"
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _bad_texts(item, *path, index)
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from _bad_texts(name, *path)
            yield from _bad_texts(item, *path, without_controls(name)[:_SHOWN_NAME_LENGTH])


def idempotency_key(scope: Scope) -> str | None:
    """Return the header's value.

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
    """Return the context of a request's command.

    Raises:
        Problem: 400 for a malformed `Idempotency-Key` or `X-Change-Reason`.
    """
    scope = request.scope
    key = idempotency_key(scope)
    tags = headers_of(scope, b"if-match")
    return CommandContext(
        command_id=command_id(key, actor=actor.sub, path=scope["path"]),
        metadata=EventMetadata(
            actor=EventActor(sub=actor.sub, name=actor.name, is_program=actor.is_program),
            request_id=request_id_of(scope),
            client_request_id=client_request_id_of(scope),
            traceparent=traceparent_of(scope),
            reason=_change_reason(header_of(scope, b"x-change-reason")),
            fingerprint="" if key is None else fingerprint(scope["method"], body),
        ),
        is_repeatable=key is not None,
        if_match=IfMatch.parse(", ".join(tags) if tags else None, log_id=log_id),
    )


def _change_reason(header: str | None) -> str | None:
    """Decode `X-Change-Reason`: percent-encoded UTF-8, to which plain ASCII mostly needs no change."""
    if header is None:
        return None
    reason: str | None
    try:
        # Headers are decoded as Latin-1, but some clients send UTF-8 without percent-encoding.
        reason = unquote_to_bytes(header.encode("latin-1")).decode("utf-8")
    except UnicodeDecodeError:
        reason = None
    if reason is None or _BARE_PERCENT.search(header) or len(reason) > MAX_REASON or _CONTROL.search(reason):
        message = (
            f"X-Change-Reason must be one line of at most {MAX_REASON} characters, percent-encoded as UTF-8"
            " (%25 for a percent sign)."
        )
        raise Problem(400, "invalid-header", message)
    return reason.strip() or None


def is_valid_id(entity_id: str) -> bool:
    """Return whether an entity may have this id."""
    return is_id(entity_id) and entity_id not in RESERVED_IDS


def read_new(definition: Definition, body: dict[str, Any]) -> tuple[str | None, dict[str, Any]]:
    """Return the id in the body of a registration, if any, and the details.

    Raises:
        Problem: 422 with every broken rule.
    """
    entity_id = body.get("id")
    if isinstance(entity_id, str) and not entity_id.strip():
        entity_id = None
    return entity_id, _read_record(definition.details, body, _new_id_error(definition, entity_id))


def read_changed(
    definition: Definition, body: dict[str, Any], *, path_id: str, masked: bool
) -> dict[str, Any]:
    """Return the details in the body of a change.

    Args:
        path_id: the id in the path, which the body's id must equal if present.
        masked: whether personal data is masked for the caller. Then it must be missing or null, and the
            returned details leave it out, so that it stays unchanged.

    Raises:
        Problem: 422 with every broken rule.
    """
    matches = body.get("id") is None or body["id"] == path_id
    details = definition.harmless_details if masked else definition.details
    if masked:
        shown = {MASKED, *definition.entity_type.personal}
        body = {name: value for name, value in body.items() if name not in shown}
    return _read_record(details, body, None if matches else "The id cannot be changed")


def read_patched(
    definition: Definition,
    before: dict[str, Any],
    values: dict[str, Any],
    *,
    path_id: str,
    masked: bool,
) -> dict[str, Any]:
    """Return the details after a merge patch; see `read_changed`.

    Raises:
        InvalidDetails: with every broken rule.
    """
    body = merge_patched({**definition.blank_details(), **before}, values)
    try:
        return read_changed(definition, body, path_id=path_id, masked=masked)
    except Problem as problem:
        raise InvalidDetails(problem.validation_errors) from None


def gives_personal_data(definition: Definition, body: dict[str, Any]) -> bool:
    """Return whether a body has values of personal data."""
    return any(body.get(name) is not None for name in definition.entity_type.personal)


def _new_id_error(definition: Definition, entity_id: Any) -> str | None:
    if entity_id is None:
        return definition.given_id_required
    if not definition.id_may_be_given:
        return "The id is given by the server"
    if not isinstance(entity_id, str) or not is_id(entity_id):
        return INVALID_ID
    return "This id is reserved" if entity_id in RESERVED_IDS else None


def _read_record(details: type[Details], body: dict[str, Any], id_error: str | None) -> dict[str, Any]:
    errors = [] if id_error is None else [ValidationError.at("id", message=id_error)]
    rest = dict(body)
    rest.pop("id", None)
    errors += [
        ValidationError.at(name, message=NUMBER_TOO_GREAT)
        for name in _SERVER_FIELDS
        if has_number_beyond_max(rest.pop(name, None))
    ]
    return read_details(details, rest, errors)


def read_details(
    model: type[Details], body: dict[str, Any], errors: Iterable[ValidationError] = ()
) -> dict[str, Any]:
    """Validate a body with a model.

    Raises:
        Problem: 422 with every broken rule.
    """
    errors = list(errors)
    details: dict[str, Any] = {}
    try:
        details = model.model_validate(body).model_dump()
    except PydanticError as error:
        found = error.errors(include_url=False, include_context=False, include_input=False)
        errors += [_translate(model, item) for item in found[:MAX_ERRORS]]
    if errors:
        raise validation_failed(errors)
    return details


def _translate(details: type[BaseModel], error: ErrorDetails) -> ValidationError:
    path = tuple(part[:_SHOWN_NAME_LENGTH] if isinstance(part, str) else part for part in error["loc"])
    match error["type"]:
        case "missing":
            field = details.model_fields.get(str(path[0]))  # None if its name is an alias
            rules = (mark for mark in (field.metadata if field else ()) if isinstance(mark, Rule))
            message = next((rule.required for rule in rules if rule.required), "This field is required")
        case "extra_forbidden":
            message = "This field is not known"
        case "rule":
            message = error["msg"]
        case "model_type" | "model_attributes_type" | "dict_type":
            message = "Must be a JSON object"
        case _:
            message = "This value is not valid"
    return ValidationError.at(*path, message=message)
