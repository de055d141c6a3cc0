"""Signing of access tokens (RFC 9068), ID tokens and logout tokens."""

import os
import secrets
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet, RSAKey

from ops.base.permissions import OF_ROLES, PERMISSIONS_CLAIM, Role
from ops.development.identity_provider.users import PROGRAMS, User

_FILE: Final = "signing-key.pem"
CLIENT_ID: Final = "fleetlog-web"
"""The one client."""
ALGORITHM: Final = "RS256"
LIFETIME: Final = 3600
"""Lifetime of the command line's access tokens, in seconds."""
BROWSER_LIFETIME: Final = 600
"""Lifetime of browsers' access tokens: the time until changed permissions take effect."""
_LOGOUT_LIFETIME: Final = 120


def load_or_create_key(state_dir: Path) -> RSAKey:
    """Return the signing key of a folder, with its thumbprint (RFC 7638) as `kid`.

    Args:
        state_dir: created with mode 0700 if missing.

    Raises:
        OSError: the folder cannot be read or written.
        ValueError: the file has no RSA key.
    """
    state_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = state_dir / _FILE
    if not path.exists():
        unfinished = path.with_suffix(".new")
        with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(RSAKey.generate_key(2048).as_pem(private=True))
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    try:
        key = RSAKey.import_key(path.read_bytes())
    except ValueError as error:
        raise ValueError(f"{path} has no RSA key; remove it, and a new key is created") from error
    key.ensure_kid()
    return key


@dataclass(frozen=True)
class TokenSigner:
    """Signs tokens of this issuer."""

    key: RSAKey
    issuer: str
    audience: str

    @classmethod
    def of(cls, environment: dict[str, str]) -> Self:
        """Return a signer with the key of the provider that runs with these variables."""
        key = load_or_create_key(Path(environment["FLEETLOG_IDP_STATE"]))
        return cls(key, environment["FLEETLOG_ISSUER"], environment["FLEETLOG_AUDIENCE"])

    def access_token(
        self,
        user: User,
        *,
        scope: str = "openid profile email",
        sid: str | None = None,
        lifetime: int = LIFETIME,
        client_id: str = CLIENT_ID,
    ) -> str:
        """Sign an access token for the APIs.

        Args:
            scope: granted scopes, separated by spaces.
            sid: the session's `sid`; None: a random one.
            lifetime: in seconds.
        """
        named: dict[str, Any] = {"name": user.name, "scope": scope, "sid": sid or secrets.token_urlsafe(16)}
        if "email" in scope.split():
            named |= {"email": user.email, "email_verified": True}
        return self._access_token(user.sub, user.role, client_id, lifetime, named)

    def program_token(self, client_id: str) -> str:
        """Sign an access token for a program (RFC 9068, section 2.2: its subject is the client)."""
        return self._access_token(client_id, PROGRAMS[client_id], client_id, LIFETIME, {})

    def _access_token(self, sub: str, role: Role, client_id: str, lifetime: int, more: dict[str, Any]) -> str:
        claims = {
            "aud": self.audience,
            "sub": sub,
            "client_id": client_id,
            PERMISSIONS_CLAIM: sorted(OF_ROLES[role]),
            "roles": [role],
            "jti": secrets.token_urlsafe(16),
        }
        return self._sign("at+jwt", lifetime, {**claims, **more})

    def id_token(self, user: User, *, scope: str, sid: str, auth_time: int, nonce: str | None) -> str:
        """Sign an ID token, with the client's nonce."""
        claims = {"aud": CLIENT_ID, "sid": sid, "auth_time": auth_time, **user.claims(scope)}
        return self._sign("JWT", BROWSER_LIFETIME, claims if nonce is None else {**claims, "nonce": nonce})

    def is_id_token(self, token: str) -> bool:
        """Return whether this provider signed an ID token for the client, which may have expired."""
        try:
            claims = jwt.decode(token, self.key, [ALGORITHM]).claims
        except (JoseError, ValueError):
            return False
        return claims.get("aud") == CLIENT_ID and "events" not in claims

    def logout_token(self, sub: str, sid: str) -> str:
        """Sign a logout token for a session."""
        claims = {
            "aud": CLIENT_ID,
            "sub": sub,
            "sid": sid,
            "jti": secrets.token_urlsafe(16),
            "events": {"http://schemas.openid.net/event/backchannel-logout": {}},
        }
        return self._sign("logout+jwt", _LOGOUT_LIFETIME, claims)

    def key_set(self) -> dict[str, Any]:
        """Return the public key as a JSON Web Key Set."""
        return dict(KeySet([self.key]).as_dict(private=False, use="sig", alg=ALGORITHM))

    def _sign(self, kind: str, lifetime: int, claims: dict[str, Any]) -> str:
        now = int(time.time())
        payload = {"iss": self.issuer, "iat": now, "exp": now + lifetime, **claims}
        return jwt.encode(
            {"alg": ALGORITHM, "typ": kind, "kid": self.key.kid}, payload, self.key, [ALGORITHM]
        )
