"""Why a token, or a request without one, is refused."""

from typing import Literal

Reason = Literal[
    "malformed",  # not a compact JWS of a sane size, or its header is not JSON we accept
    "critical",  # its header demands an extension (`crit`) that we do not know
    "algorithm",  # anything but RS256
    "type",  # not an access token's `typ`
    "unknown-key",  # no signing key of the issuer has its `kid`
    "signature",
    "claims",  # a claim is missing, twice there, or of the wrong type
    "issuer",
    "audience",
    "subject",
    "expired",
    "not-yet-valid",
    "id-token",  # made for the browser application, not for an API
    "logout-token",  # tells that somebody was signed out
    "revoked",  # its bearer, or their session, has been signed out since it was issued
]


class InvalidToken(Exception):
    """The token does not prove who is asking.

    The reason comes from a closed list, so that it can label a metric; it never holds a part of the token.
    """

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason: Reason = reason


class KeysUnavailable(Exception):
    """No token can be judged: our trouble, not the caller's.

    No signing key has been loaded yet, or nobody knows who has been signed out.
    """
