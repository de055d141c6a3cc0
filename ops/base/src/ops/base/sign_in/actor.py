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

# Invisible, but part of how names are written in several Indian scripts.
_JOINERS: Final = frozenset("\u200c\u200d")


@dataclass(frozen=True, slots=True)
class Actor:
    """The user or machine that sent a request, as stored with events."""

    sub: str
    """The identity provider's permanent id."""
    name: str
    """The display name; never empty."""


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

    def may(self, permission: Permission) -> bool:
        """Return whether the token grants a permission."""
        return permission in self.permissions


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


def _printable(text: str) -> str:
    """Remove characters that break log lines, headers or text direction; collapse white space."""
    words = " ".join(text[: 4 * MAX_NAME].split())
    visible = "".join(c for c in words if c.isprintable() or c in _JOINERS)
    return unicodedata.normalize("NFC", visible)[:MAX_NAME].strip(" \u200c\u200d")
