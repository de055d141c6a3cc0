"""Rules for the claims of access tokens and logout tokens."""

import time
from collections.abc import Collection, Mapping
from typing import Any, Final

from ops.base.sign_in.actor import MAX_SUBJECT
from ops.base.sign_in.refusal import InvalidToken

LEEWAY: Final = 60
"""Seconds by which clocks may differ (product.md: constants)."""

_LAST_SECOND: Final = 253_402_300_799  # 9999-12-31T23:59:59Z, the last that `datetime` can hold
_LOGOUT_EVENT: Final = "http://schemas.openid.net/event/backchannel-logout"


def check_claims(claims: Mapping[str, Any], *, typ: str | None, issuer: str, audience: str) -> None:
    """Check the claims of an access token whose signature is valid; raises `InvalidToken`.

    They replace python-jose's, which accept `"1e3"`, `true`, lists and infinities as times.

    Args:
        typ: of the header; None: it is missing.
    """
    # Keycloak names the kind of a token in a claim; before version 25, its access tokens have a nonce.
    is_access_token = typ == "at+jwt" or claims.get("typ") == "Bearer"
    if typ is None and not is_access_token and "scp" not in claims:  # Okta's access tokens have scopes
        raise InvalidToken("type")
    if "at_hash" in claims or "c_hash" in claims or claims.get("typ") == "ID":
        raise InvalidToken("id-token")
    if "nonce" in claims and not is_access_token:
        raise InvalidToken("id-token")
    if "events" in claims:
        raise InvalidToken("logout-token")
    if claims.get("iss") != issuer:
        raise InvalidToken("issuer")
    _check_audience(claims.get("aud"), {audience})
    if not is_subject(claims.get("sub")):
        raise InvalidToken("subject")
    if not isinstance(claims.get("jti", ""), str):
        raise InvalidToken("claims")
    _check_times(claims, ("exp",), now=time.time())


def check_logout_claims(claims: Mapping[str, Any], *, issuer: str, audiences: Collection[str]) -> None:
    """Check the claims of a logout token whose signature is valid; raises `InvalidToken`.

    OpenID Connect Back-Channel Logout 1.0, sections 2.4 and 2.6.
    """
    if "nonce" in claims:
        raise InvalidToken("id-token")
    events = claims.get("events")
    if not isinstance(events, dict) or not isinstance(events.get(_LOGOUT_EVENT), dict):
        raise InvalidToken("claims")
    if claims.get("iss") != issuer:
        raise InvalidToken("issuer")
    _check_audience(claims.get("aud"), audiences)
    named = [claims[name] for name in ("sub", "sid") if name in claims]
    if not named or not all(map(is_subject, named)):
        raise InvalidToken("subject")
    if not isinstance(claims.get("jti"), str):
        raise InvalidToken("claims")
    _check_times(claims, ("exp", "iat"), now=time.time())


def is_subject(value: object) -> bool:
    """Return whether a value has the form of a subject or session id."""
    return (
        isinstance(value, str)
        and 0 < len(value) <= MAX_SUBJECT
        and value.isprintable()
        and not value.isspace()
    )


def _check_audience(value: object, accepted: Collection[str]) -> None:
    audiences = value if isinstance(value, list) else [value]
    if not all(isinstance(one, str) for one in audiences) or not any(one in accepted for one in audiences):
        raise InvalidToken("audience")


def _check_times(claims: Mapping[str, Any], required: Collection[str], *, now: float) -> None:
    if any(claim not in claims for claim in required):
        raise InvalidToken("claims")
    for claim in ("exp", "nbf", "iat"):
        if claim in claims and not _is_numeric_date(claims[claim]):
            raise InvalidToken("claims")
    if claims["exp"] + LEEWAY <= now:
        raise InvalidToken("expired")
    if max(claims.get("nbf", 0), claims.get("iat", 0)) > now + LEEWAY:
        raise InvalidToken("not-yet-valid")


def _is_numeric_date(value: object) -> bool:
    """Return whether a value is a NumericDate (RFC 7519, section 2), fractions of seconds included."""
    # Not `isinstance`: `bool` is an `int` to Python. NaN fails the comparison.
    return type(value) in {int, float} and 0 <= value <= _LAST_SECOND  # type: ignore[operator]
