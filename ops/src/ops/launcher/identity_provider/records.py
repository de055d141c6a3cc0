"""What the identity provider remembers; in the shapes that Authlib asks for."""

import hashlib
import time
from dataclasses import dataclass


@dataclass(frozen=True)
class Session:
    """A browser in which somebody has signed in."""

    id: str
    sub: str
    auth_time: int
    """Unix time at which they did."""

    def is_too_old(self, max_age: str | None) -> bool:
        """Tell whether a request's `max_age` (seconds) asks for a fresher sign-in than this."""
        return max_age is not None and max_age.isdecimal() and time.time() - self.auth_time > int(max_age)


@dataclass(frozen=True)
class Credential:
    """An authorization code or a refresh token.

    Authlib calls the methods (its `AuthorizationCodeMixin` and `TokenMixin`).
    """

    id: str
    """Digest of the secret, which itself is not kept."""
    family: str
    """Digest of the authorization code from which everything in the family was obtained."""
    session: str
    client_id: str
    redirect_uri: str
    scope: str
    sub: str
    auth_time: int
    nonce: str | None
    code_challenge: str | None
    spent: bool
    """Used once already: a code that was exchanged, a refresh token that was rotated."""

    code_challenge_method = "S256"

    def get_redirect_uri(self) -> str:
        """Return where the code was sent."""
        return self.redirect_uri

    def get_scope(self) -> str:
        """Return the granted scopes, separated by spaces."""
        return self.scope

    def check_client(self, client: object) -> bool:
        """Tell whether this was issued to `client`."""
        return getattr(client, "client_id", None) == self.client_id


def digest(secret: str) -> str:
    """Return what is stored instead of a random secret."""
    return hashlib.sha256(secret.encode()).hexdigest()
