"""The caller of a request, and the verified content of the access token."""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from ops.base.permissions import Permission

MAX_SUBJECT: Final = 255
"""Characters; OpenID Connect Core 1.0, section 2."""
MAX_NAME: Final = 200

_CLIENT_CLAIMS: Final = ("client_id", "azp", "cid", "appid")
"""The client's id: RFC 9068, section 2.2; OpenID Connect Core 1.0, section 2; Okta; Entra ID's v1 tokens."""

# Invisible, but part of how names are written in several Indian scripts.
_JOINERS: Final = frozenset("\u200c\u200d")


@dataclass(frozen=True, slots=True)
class Actor:
    """The user or program that sent a request, as stored with events."""

    sub: str
    """The identity provider's permanent id."""
    name: str
    """The display name; never empty."""
    is_program: bool = False
    """Whether a client signed in as itself, with the client credentials grant."""


@dataclass(frozen=True, slots=True)
class VerifiedToken:
    """The content of a verified access token."""

    actor: Actor
    expires_at: datetime
    permissions: frozenset[Permission] = frozenset()
    roles: tuple[str, ...] = ()
    """The caller's roles at the provider, at most 20, for display."""
    unmapped_claim: str | None = None
    """The claim for roles, if roles are mapped, but none of the caller's."""
    issued_at: datetime | None = None
    session: str | None = None
    """The identity provider's id of the session: claim `sid`."""
    email: str | None = None
    """The e-mail address that the provider has verified."""

    def may(self, permission: Permission) -> bool:
        """Return whether the token grants a permission."""
        return permission in self.permissions


def client_of_program(claims: Mapping[str, Any]) -> str | None:
    """Return the client id if the token was issued to a client itself (RFC 6749, section 4.4), or else None.

    Only claims count that the issuer sets: users choose their names, and can choose `service-account-…`.
    """
    sub, account = claims["sub"], claims.get("preferred_username")
    ids = [text for text in map(claims.get, _CLIENT_CLAIMS) if isinstance(text, str)]
    # Keycloak adds the id, formerly as `clientId`, to tokens of service accounts only; all have `azp`.
    own = claims.get("client_id", claims.get("clientId"))
    is_program = (
        # RFC 9068, section 2.2: without a user, `sub` identifies the client. By section 5, issuers keep users
        # from having such a subject.
        sub == claims.get("client_id")
        # Auth0, "Access Token Profiles": the client id with a suffix, and `gty` in Auth0's own profile.
        or (claims.get("gty") == "client-credentials" and sub.endswith("@clients"))
        or sub in {f"{one}@clients" for one in ids}
        # Okta, "Access token payload": `cid` is the client, and users' tokens have `uid`.
        or (sub == claims.get("cid") and "uid" not in claims)
        # Entra ID, "Access token claims reference": the optional claim `idtyp` is `app` without a user.
        or claims.get("idtyp") == "app"
        # Keycloak, ServiceAccountConstants: the account's name is a prefix and the client id in lower case.
        or (isinstance(own, str) and account == f"service-account-{own.lower()}")
    )
    return (next(filter(None, map(_printable, ids)), None) or sub) if is_program else None


def name_from_claims(claims: Mapping[str, Any], *, audience: str, fallback: str) -> str:
    """Return the display name of a token's subject.

    Auth0 puts no `name` into access tokens; an Action may add it as a namespaced claim, which here is
    `<audience>/name`.

    Args:
        fallback: the name if the token has none.
    """
    for claim in ("name", f"{audience.rstrip('/')}/name"):
        value = claims.get(claim)
        if isinstance(value, str) and (name := _printable(value)):
            return name
    return fallback[:MAX_NAME]


def email_from_claims(claims: Mapping[str, Any], *, audience: str) -> str | None:
    """Return the verified e-mail address of a token's subject; claims as for the name."""
    for prefix in ("", f"{audience.rstrip('/')}/"):
        if claims.get(f"{prefix}email_verified") is True and isinstance(claims.get(f"{prefix}email"), str):
            return str(claims[f"{prefix}email"])
    return None


def _printable(text: str) -> str:
    """Remove characters that break log lines, headers or text direction; collapse white space."""
    words = " ".join(text[: 4 * MAX_NAME].split())
    visible = "".join(c for c in words if c.isprintable() or c in _JOINERS)
    return unicodedata.normalize("NFC", visible)[:MAX_NAME].strip(" \u200c\u200d")
