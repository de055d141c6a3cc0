"""The compact form (RFC 7515, section 3.1) and the header of tokens."""

import base64
import re
from collections.abc import Collection
from typing import Any, Final, NamedTuple

from jose import jws
from jose.backends.base import Key

from ops.base.http.strict_json import parse_object
from ops.base.sign_in.refusal import InvalidToken

ALGORITHM: Final = "RS256"

# RFC 9068 section 2.1 names access tokens `at+jwt`; Auth0 signs them as plain `JWT` unless set otherwise, and
# Okta gives them no type (see `check_claims`).
_ACCESS_TOKEN_TYPES: Final = frozenset({"jwt", "at+jwt", None})
_MAX_TOKEN: Final = 8192
_MAX_KID: Final = 255
_COMPACT: Final = re.compile(r"[A-Za-z0-9_-]{2,2048}\.[A-Za-z0-9_-]{2,}\.[A-Za-z0-9_-]{2,}")


class Header(NamedTuple):
    """A token's header: the id of the key that signed it, and the media type in lower case, if any."""

    kid: str
    typ: str | None


def read_header(token: str, types: Collection[str | None] = _ACCESS_TOKEN_TYPES) -> Header:
    """Check a token's form, and return its checked header; raises `InvalidToken`.

    The header is unauthenticated. It may only select one of the issuer's keys: `jku`, `jwk`, `x5u` and `x5c`
    are ignored (RFC 8725, section 3.10).

    Args:
        types: the accepted values of `typ`, in lower case; None: it may be missing.
    """
    if len(token) > _MAX_TOKEN or not _COMPACT.fullmatch(token) or not _is_canonical(token):
        raise InvalidToken("malformed")
    header = _decode_object(token.split(".", 1)[0], max_nesting=16)
    if "crit" in header:
        raise InvalidToken("critical")
    if header.get("alg") != ALGORITHM:
        raise InvalidToken("algorithm")
    # A media type: case-insensitive, and `application/` may be left out (RFC 7515, section 4.1.9).
    typ = f"{header['typ']}".lower().removeprefix("application/") if "typ" in header else None
    if typ not in types:
        raise InvalidToken("type")
    kid = header.get("kid")
    if not isinstance(kid, str) or not 0 < len(kid) <= _MAX_KID:
        raise InvalidToken("unknown-key")
    return Header(kid, typ)


def verified_claims(token: str, key: Key) -> dict[str, Any]:
    """Verify the signature of a token with a checked form; return its claims, or raise `InvalidToken`."""
    try:
        jws.verify(token, key, [ALGORITHM])
    except Exception as error:
        raise InvalidToken("signature") from error
    return read_claims(token)


def read_claims(token: str) -> dict[str, Any]:
    """Return a token's claims, unverified; raises `InvalidToken`."""
    try:
        return _decode_object(token.split(".")[1], max_nesting=64)
    except InvalidToken as error:
        raise InvalidToken("claims") from error


def _is_canonical(token: str) -> bool:
    """Return whether each segment is the canonical encoding of its bytes.

    The last letter may have unused bits, so that a valid token has up to 15 equivalent spellings.
    """
    try:
        return all(_encode(_decode(segment)) == segment for segment in token.split("."))
    except ValueError:
        return False


def _decode(segment: str) -> bytes:
    return base64.urlsafe_b64decode(segment + "=" * (-len(segment) % 4))


def _encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _decode_object(segment: str, *, max_nesting: int) -> dict[str, Any]:
    try:
        return parse_object(_decode(segment), max_nesting=max_nesting)
    except ValueError as error:
        raise InvalidToken("malformed") from error
