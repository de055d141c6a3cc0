"""Who is asking."""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

MAX_SUBJECT: Final = 255
"""Characters; OpenID Connect Core 1.0, section 2."""
MAX_NAME: Final = 200

# Invisible, but part of how names are written in several Indian scripts.
_JOINERS: Final = frozenset("\u200c\u200d")


@dataclass(frozen=True, slots=True)
class Actor:
    """The person or machine behind a request, as events remember it."""

    sub: str
    """The identity provider's permanent id."""
    name: str
    """For people to read; never empty."""


def name_from_claims(claims: Mapping[str, Any], *, audience: str, fallback: str) -> str:
    """Return the name to show for a token's subject.

    Auth0 puts no `name` into access tokens; an Action may add it as a namespaced claim, which here is
    `<audience>/name`.

    Args:
        claims: of a verified access token.
        audience: this API's identifier, the namespace.
        fallback: the name of someone whose token has none.
    """
    for claim in ("name", f"{audience.rstrip('/')}/name"):
        value = claims.get(claim)
        if isinstance(value, str) and (name := _printable(value)):
            return name
    return fallback[:MAX_NAME]


def _printable(text: str) -> str:
    """Drop what could disturb a log line, a header or a page's direction; fold white space."""
    words = " ".join(text[: 4 * MAX_NAME].split())
    visible = "".join(c for c in words if c.isprintable() or c in _JOINERS)
    return unicodedata.normalize("NFC", visible)[:MAX_NAME].strip(" \u200c\u200d")
