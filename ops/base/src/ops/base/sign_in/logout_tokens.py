"""Logout tokens, with which the identity provider reports ended sessions.

OpenID Connect Back-Channel Logout 1.0. They are signed with the keys of access tokens, but neither kind is
accepted in place of the other (section 4.1).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from ops.base.sign_in.claims import check_logout_claims
from ops.base.sign_in.signing_keys import SigningKeys
from ops.base.sign_in.token_format import read_key_id, verified_claims

# Section 2.4 recommends the first; some providers sign them as plain `JWT`.
_TYPES: Final = frozenset({"logout+jwt", "jwt"})


@dataclass(frozen=True, slots=True)
class Logout:
    """An ended session, or all sessions of a subject."""

    subject: str | None
    session: str | None
    issued_at: datetime
    """By the provider's clock, like the issue times of access tokens."""


class LogoutTokens:
    """Verifies the logout tokens of one issuer."""

    def __init__(self, keys: SigningKeys, issuer: str, audiences: Iterable[str]) -> None:
        """Create a verifier.

        Args:
            issuer: exact `iss`.
            audiences: `aud` must contain one of these names of this product.
        """
        self._keys = keys
        self._issuer = issuer
        self._audiences = frozenset(audiences)

    async def verify(self, token: str) -> Logout:
        """Verify a logout token; a token may be sent repeatedly.

        Raises:
            InvalidToken: the token is not valid.
            KeysUnavailable: the issuer's keys were never loaded.
        """
        key = await self._keys.find(read_key_id(token, _TYPES))
        claims = verified_claims(token, key)
        check_logout_claims(claims, issuer=self._issuer, audiences=self._audiences)
        return Logout(claims.get("sub"), claims.get("sid"), datetime.fromtimestamp(claims["iat"], UTC))
