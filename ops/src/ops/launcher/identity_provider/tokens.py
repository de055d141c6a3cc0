"""Access tokens, JWTs after RFC 9068, and the key that signs them: made once, for its owner alone to read."""

import os
import secrets
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet, RSAKey

from ops.base.permissions import PERMISSIONS_CLAIM
from ops.launcher.errors import LauncherError
from ops.launcher.identity_provider.users import User, user_named
from ops.launcher.instance.record import Record

_FILE: Final = "signing-key.pem"
ALGORITHM: Final = "RS256"
LIFETIME: Final = 3600
"""Seconds for which the command line's access tokens are good, where nobody wants otherwise."""
BROWSER_LIFETIME: Final = 600
"""Of browsers', which get new ones by themselves: so long may it take until other permissions are felt."""
_LOGOUT_LIFETIME: Final = 120
SCOPES: Final = ("openid", "profile", "email", "offline_access")


def load_or_create_key(state_dir: Path) -> RSAKey:
    """Return the RS256 signing key of this folder, with its thumbprint (RFC 7638) as `kid`.

    Several processes may call this at once on a fresh folder: all get the same key.

    Args:
        state_dir: made if missing, with mode 0700.

    Raises:
        OSError: the folder cannot be read or written.
        ValueError: the file holds something else.
    """
    state_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = state_dir / _FILE
    if not path.exists():
        _write_once(path, RSAKey.generate_key(2048).as_pem(private=True))
    try:
        key = RSAKey.import_key(path.read_bytes())
    except ValueError as error:
        raise ValueError(f"{path} holds no RSA key; remove it to have a new one made") from error
    key.ensure_kid()
    return key


def _write_once(path: Path, content: bytes) -> None:
    """Put a complete file in place, unless another process was first."""
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")  # mode 0600
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.link(temporary, path)
    except FileExistsError:
        pass
    finally:
        Path(temporary).unlink()


@dataclass(frozen=True)
class TokenSigner:
    """Signs and reads this issuer's access tokens."""

    key: RSAKey
    issuer: str
    audience: str

    @property
    def kid(self) -> str:
        """The id of the signing key."""
        return self.key.kid or ""

    def access_token(
        self, user: User, *, client_id: str, scope: str, lifetime: int = LIFETIME, sid: str | None = None
    ) -> str:
        """Sign an access token for the APIs.

        Args:
            user: whose.
            client_id: for which application.
            scope: granted scopes, separated by spaces.
            lifetime: seconds for which it is good.
            sid: the session that it is given in; None: in none of a browser's, so it is one of its own.
        """
        now = int(time.time())
        claims = {
            "iss": self.issuer,
            "aud": self.audience,
            "sub": user.sub,
            "name": user.name,
            "client_id": client_id,
            "scope": scope,
            PERMISSIONS_CLAIM: user.permissions,
            "roles": [user.role],
            "iat": now,
            "exp": now + lifetime,
            "jti": secrets.token_urlsafe(16),
            "sid": sid or secrets.token_urlsafe(16),
        }
        return jwt.encode({"alg": ALGORITHM, "typ": "at+jwt", "kid": self.kid}, claims, self.key, [ALGORITHM])

    def logout_token(self, sub: str, sid: str, *, client_id: str) -> str:
        """Sign a token that tells an application that a session has ended."""
        now = int(time.time())
        claims = {
            "iss": self.issuer,
            "aud": client_id,
            "sub": sub,
            "sid": sid,
            "iat": now,
            "exp": now + _LOGOUT_LIFETIME,
            "jti": secrets.token_urlsafe(16),
            "events": {"http://schemas.openid.net/event/backchannel-logout": {}},
        }
        head = {"alg": ALGORITHM, "typ": "logout+jwt", "kid": self.kid}
        return jwt.encode(head, claims, self.key, [ALGORITHM])

    def read_access_token(self, token: str) -> dict[str, Any] | None:
        """Return the claims of an access token of ours that is still good, else None."""
        rules = jwt.JWTClaimsRegistry(
            iss={"essential": True, "value": self.issuer},
            aud={"essential": True, "value": self.audience},
            exp={"essential": True},
            sub={"essential": True},
        )
        try:
            decoded = jwt.decode(token, self.key, [ALGORITHM])
            rules.validate(decoded.claims)
        except (JoseError, ValueError):
            return None
        return decoded.claims if decoded.header.get("typ") == "at+jwt" else None

    def key_set(self) -> dict[str, Any]:
        """Return the public key as a JSON Web Key Set."""
        return dict(KeySet([self.key]).as_dict(private=False, use="sig", alg=ALGORITHM))


def development_token(record: Record, user: str, *, lifetime: int = LIFETIME) -> str:
    """Sign an access token as a running instance's development provider would.

    Args:
        record: the instance.
        user: a role, such as `staff`, or a user's subject.
        lifetime: seconds for which it is good.

    Raises:
        LauncherError: people sign in to it elsewhere.
    """
    environment = record.environments.get("identity-provider")
    if environment is None:
        issuer = record.environments["query-api"]["FLEETLOG_ISSUER"]
        raise LauncherError(
            f"{record.address} takes tokens of {issuer} alone: get one there (for `events`, see --url)"
        )
    return mint_access_token(
        Path(environment["FLEETLOG_IDP_STATE"]),
        issuer=environment["FLEETLOG_ISSUER"],
        audience=environment["FLEETLOG_AUDIENCE"],
        user=user,
        lifetime=lifetime,
    )


def mint_access_token(
    state_dir: Path, *, issuer: str, audience: str, user: str, lifetime: int = LIFETIME
) -> str:
    """Sign an access token without asking the running identity provider.

    Args:
        state_dir: the identity provider's state folder; a key is made there if there is none yet.
        issuer: exact `iss`, with its final slash.
        audience: the APIs' identifier.
        user: a role, such as `staff`, or a user's subject.
        lifetime: seconds for which it is good.

    Raises:
        ValueError: there is no such user.
        OSError: the state folder cannot be used.
    """
    signer = TokenSigner(load_or_create_key(state_dir), issuer, audience)
    scope = "openid profile email"
    return signer.access_token(user_named(user), client_id="fleetlog-cli", scope=scope, lifetime=lifetime)
