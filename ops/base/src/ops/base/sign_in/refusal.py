"""Reasons for refusing a token."""

from typing import Literal

Reason = Literal[
    "malformed",  # not a compact JWS within the size limit, or the header is not acceptable JSON
    "critical",  # the header demands an extension (`crit`)
    "algorithm",  # anything but RS256
    "type",  # not an access token's `typ`
    "unknown-key",  # no signing key of the issuer has its `kid`
    "signature",
    "claims",  # a claim is missing, repeated, or of the wrong type
    "issuer",
    "audience",
    "subject",
    "expired",
    "not-yet-valid",
    "id-token",  # made for the browser application, not for an API
    "logout-token",  # reports an ended session
    "revoked",  # the subject or session was revoked since the token was issued
]


class InvalidToken(Exception):
    """The token is not valid. The reason is from a closed set, for a metric's label."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason: Reason = reason


class SigningKeysUnavailable(Exception):
    """Tokens cannot be verified now: no signing key is loaded, or the revocations are unknown."""
