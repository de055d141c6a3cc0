"""Logout tokens: the identity provider tells that a session has ended, or all of somebody's.

OpenID Connect Back-Channel Logout 1.0. They are signed with the keys of access tokens; neither is taken for
the other (section 4.1 there).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from jose import jws

from ops.base.sign_in.claims import check_logout_claims
from ops.base.sign_in.compact import ALGORITHM, read_claims, read_key_id
from ops.base.sign_in.refusal import InvalidToken
from ops.base.sign_in.signing_keys import SigningKeys

# Section 2.4 recommends the first; some providers sign them as plain `JWT`.
_TYPES: Final = frozenset({"logout+jwt", "jwt"})


@dataclass(frozen=True, slots=True)
class Logout:
    """What has ended: a session; without one, all of a subject's."""

    subject: str | None
    session: str | None
    issued_at: datetime
    """By the provider's clock, as the tokens that it gave out."""


class LogoutTokens:
    """Verifies the logout tokens of one issuer."""

    def __init__(self, keys: SigningKeys, issuer: str, audiences: Iterable[str]) -> None:
        """Prepare to verify.

        Args:
            keys: the issuer's.
            issuer: exact `iss`.
            audiences: of which `aud` must contain one: by what the issuer knows us.
        """
        self._keys = keys
        self._issuer = issuer
        self._audiences = frozenset(audiences)

    async def verify(self, token: str) -> Logout:
        """Check a logout token. Whether it was seen before does not matter: it then changes nothing.

        Raises:
            InvalidToken: it tells nothing.
            KeysUnavailable: it cannot be judged, because the issuer's keys were never loaded.
        """
        key = await self._keys.find(read_key_id(token, _TYPES))
        try:
            jws.verify(token, key, [ALGORITHM])
        except Exception as error:
            raise InvalidToken("signature") from error
        claims = read_claims(token)
        check_logout_claims(claims, issuer=self._issuer, audiences=self._audiences)
        return Logout(claims.get("sub"), claims.get("sid"), datetime.fromtimestamp(claims["iat"], UTC))
