"""What somebody may do: the permissions that access tokens give, and that routes ask for.

Nothing is permitted that a token does not name. Which people get which is decided where they sign in; the
roles of the development provider are an example of it.
"""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any, Final


class Permission(StrEnum):
    """One thing that somebody may be permitted to do."""

    FLEET_READ = "fleet:read"
    """See records and lists, as they are now."""
    FLEET_WRITE = "fleet:write"
    """Add and change records."""
    FLEET_REMOVE = "fleet:remove"
    """Remove records, and restore earlier versions of them."""
    PERSONAL_READ = "personal:read"
    """See personal data, where the record may be seen."""
    HISTORY_READ = "history:read"
    """See what records were, and who changed them."""
    AUDIT_READ = "audit:read"
    """Search everybody's changes, and export them with personal data masked."""
    AUDIT_REVEAL = "audit:reveal"
    """Export them without masks."""
    ACCESS_LOG_READ = "access-log:read"
    """See who has seen personal data."""
    FEED_READ = "feed:read"
    """Follow the public events."""
    OPERATIONS_READ = "operations:read"
    """See how the system is doing."""
    OPERATIONS_ACT = "operations:act"
    """Have workers try again, rebuild and verify."""
    PRIVACY_RESTRICT = "privacy:restrict"
    """Restrict what is done with a person's data."""
    PRIVACY_ERASE = "privacy:erase"
    """Have a person forgotten."""


OF_STAFF: Final = frozenset(
    {
        Permission.FLEET_READ,
        Permission.FLEET_WRITE,
        Permission.FLEET_REMOVE,
        Permission.PERSONAL_READ,
        Permission.HISTORY_READ,
        Permission.AUDIT_READ,
        Permission.FEED_READ,
    }
)
"""Of those who see and do all that the specification says."""

PERMISSIONS_CLAIM: Final = "permissions"
"""The claim that names permissions where nobody says otherwise: as Auth0 has it."""

_KNOWN: Final = {str(permission): permission for permission in Permission}


def permissions_in(claims: Mapping[str, Any], claim: str) -> frozenset[Permission]:
    """Return the permissions that a token's claim names; what it names besides is for others.

    Args:
        claims: of a verified access token.
        claim: the claim's name. Its value is a list of texts (Auth0), or a text with spaces between
            (RFC 6749, section 3.3); any other permits nothing.
    """
    return frozenset(_KNOWN[name] for name in texts_in(claims.get(claim)) if name in _KNOWN)


def texts_in(value: object) -> Iterable[str]:
    """Return the texts in a claim that is a list of them, or one text with spaces between."""
    if isinstance(value, str):
        return value.split()
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else ()
