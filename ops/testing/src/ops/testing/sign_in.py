"""An issuer of tokens together with a verifier that trusts it."""

from typing import Any, NamedTuple

from ops.base.sign_in import VerifiedToken
from ops.base.sign_in.verifier import Logout, TokenVerifier
from ops.testing.logout_tokens import logout_token
from ops.testing.token_issuer import TokenIssuer


class SignIn(NamedTuple):
    """An issuer and a verifier of its tokens, for tests that only read them."""

    issuer: TokenIssuer
    verifier: TokenVerifier

    async def verify(self, **changes: Any) -> VerifiedToken:
        """Verify an access token; see `TokenIssuer.token`."""
        return await self.verifier.verify(self.issuer.token(**changes))

    async def verify_logout(self, **changes: Any) -> Logout:
        """Verify a logout token; see `logout_token`."""
        return await self.verifier.verify_logout(logout_token(self.issuer, **changes))
