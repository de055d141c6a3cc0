"""The parameters of a request: only those we know, each once, and of harmless characters."""

import re
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import parse_qsl

from starlette.requests import Request

from ops.base.strict_json import UnreadableJson, parse_object

_MAX_BODY: Final = 16 * 1024
_MAX_NESTING: Final = 16
_KNOWN: Final = frozenset(
    {
        *("client_id", "client_secret", "redirect_uri", "response_type", "response_mode", "scope", "state"),
        *("nonce", "prompt", "max_age", "audience", "code_challenge", "code_challenge_method", "grant_type"),
        *("code", "code_verifier", "refresh_token", "token", "token_type_hint"),
    }
)
# RFC 6749, appendix A. Authlib puts some values into error descriptions, where `"` and `\` may not be.
_VALUE: Final = re.compile(r"[ -~]{0,2048}")
_QUOTABLE: Final = re.compile(r"[ !#-\[\]-~]*")


class BadParameters(Exception):
    """A request that is not worth handing on; the text says why, and repeats nothing of it."""


def parse_parameters(text: str) -> dict[str, str]:
    """Read parameters in the form encoding of query strings.

    Raises:
        BadParameters: one that we know is repeated, too long, or has odd characters.
    """
    try:
        pairs = parse_qsl(text, keep_blank_values=True, max_num_fields=100, errors="strict")
    except ValueError as error:
        raise BadParameters("The parameters cannot be read.") from error
    known = [(name, value) for name, value in pairs if name in _KNOWN]
    if len({name for name, _ in known}) < len(known):
        raise BadParameters("A parameter is there more than once.")
    return _checked(dict(known))


async def read_parameters(request: Request) -> dict[str, str]:
    """Read the parameters in a request's body, form-encoded or JSON.

    Raises:
        BadParameters: the body is too long, or not of that kind.
    """
    body = await _read(request)
    if "json" not in request.headers.get("content-type", ""):
        return parse_parameters(_text(body))
    try:
        members = parse_object(body, max_nesting=_MAX_NESTING)
    except UnreadableJson as error:
        raise BadParameters(f"{error}.") from error
    return _checked({name: value for name, value in members.items() if name in _KNOWN})


async def read_text(request: Request) -> str:
    """Read a short body as text.

    Raises:
        BadParameters: it is too long, or not UTF-8.
    """
    return _text(await _read(request))


async def _read(request: Request) -> bytes:
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > _MAX_BODY:
            raise BadParameters("The body is too long.")
    return bytes(body)


def _text(body: bytes) -> str:
    try:
        return body.decode()
    except UnicodeDecodeError as error:
        raise BadParameters("The body is not UTF-8.") from error


def _checked(parameters: Mapping[str, Any]) -> dict[str, str]:
    for name, value in parameters.items():
        if not isinstance(value, str) or not _VALUE.fullmatch(value):
            raise BadParameters("A parameter is too long or has characters that it may not have.")
        if name != "state" and not _QUOTABLE.fullmatch(value):
            raise BadParameters("A parameter has characters that it may not have.")
    return {name: value for name, value in parameters.items() if value}
