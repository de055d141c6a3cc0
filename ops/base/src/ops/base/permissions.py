"""Permissions, which access tokens grant and routes require.

The identity provider decides which users have which; the roles of the development provider are an example.
"""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any, Final


class Permission(StrEnum):
    """A permission."""

    FLEET_READ = "fleet:read"
    """See current records and lists."""
    FLEET_WRITE = "fleet:write"
    """Add and change records."""
    FLEET_REMOVE = "fleet:remove"
    """Remove records, and restore earlier versions of them."""
    PERSONAL_READ = "personal:read"
    """See the personal data of visible records."""
    HISTORY_READ = "history:read"
    """See earlier versions of records, and who changed them."""
    AUDIT_READ = "audit:read"
    """Search the changes of all users, and export them with personal data masked."""
    AUDIT_REVEAL = "audit:reveal"
    """Export changes without masks."""
    ACCESS_LOG_READ = "access-log:read"
    """See who has seen personal data."""
    FEED_READ = "feed:read"
    """Subscribe to the public events."""
    OPERATIONS_READ = "operations:read"
    """See the system's health."""
    OPERATIONS_ACT = "operations:act"
    """Request retries, rebuilds and verifications."""
    PRIVACY_RESTRICT = "privacy:restrict"
    """Restrict the use of a person's data."""
    PRIVACY_ERASE = "privacy:erase"
    """Erase a person's data."""


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
"""The permissions of back-office staff."""

PERMISSIONS_CLAIM: Final = "permissions"
"""The default claim for permissions: Auth0's."""

_KNOWN: Final = {str(permission): permission for permission in Permission}


def permissions_in(claims: Mapping[str, Any], claim: str) -> frozenset[Permission]:
    """Return the permissions in a token's claim; unknown names are ignored.

    Args:
        claim: the claim's name. The value is a list of texts (Auth0), or a text separated by spaces
            (RFC 6749, section 3.3); other values grant nothing.
    """
    return frozenset(_KNOWN[name] for name in texts_in(claims.get(claim)) if name in _KNOWN)


def texts_in(value: object) -> Iterable[str]:
    """Return the texts of a claim that is a list, or a text separated by spaces."""
    if isinstance(value, str):
        return value.split()
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else ()
