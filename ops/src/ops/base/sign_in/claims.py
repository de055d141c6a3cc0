"""What a token must say, beyond being signed."""

import time
from collections.abc import Mapping
from typing import Any, Final

from ops.base.sign_in.actor import MAX_SUBJECT
from ops.base.sign_in.refusal import InvalidToken

LEEWAY: Final = 60
"""Seconds by which clocks may differ (specification, section 9)."""

_LAST_SECOND: Final = 253_402_300_799  # 9999-12-31T23:59:59Z, the last that `datetime` can hold
_ID_TOKEN_CLAIMS: Final = ("nonce", "at_hash", "c_hash")


def check_claims(claims: Mapping[str, Any], *, issuer: str, audience: str) -> None:
    """Check the claims of a token whose signature is good.

    python-jose checks most of this too, but takes `"1e3"`, `true`, lists and infinities for times.

    Raises:
        InvalidToken: with the first rule that is broken.
    """
    if any(claim in claims for claim in _ID_TOKEN_CLAIMS):
        raise InvalidToken("id-token")
    if claims.get("iss") != issuer:
        raise InvalidToken("issuer")
    _check_audience(claims.get("aud"), audience)
    sub = claims.get("sub")
    if not isinstance(sub, str) or not 0 < len(sub) <= MAX_SUBJECT or not sub.isprintable() or sub.isspace():
        raise InvalidToken("subject")
    _check_times(claims, now=time.time())


def _check_audience(value: object, audience: str) -> None:
    audiences = value if isinstance(value, list) else [value]
    if audience not in audiences or not all(isinstance(one, str) for one in audiences):
        raise InvalidToken("audience")


def _check_times(claims: Mapping[str, Any], *, now: float) -> None:
    if "exp" not in claims:
        raise InvalidToken("claims")
    for claim in ("exp", "nbf", "iat"):
        # `bool` is an `int` to Python.
        if claim in claims and (type(claims[claim]) is not int or not 0 <= claims[claim] <= _LAST_SECOND):
            raise InvalidToken("claims")
    if claims["exp"] + LEEWAY <= now:
        raise InvalidToken("expired")
    if max(claims.get("nbf", 0), claims.get("iat", 0)) > now + LEEWAY:
        raise InvalidToken("not-yet-valid")
