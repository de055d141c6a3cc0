"""Permissions, which access tokens grant and routes require.

The identity provider decides which users have which: tokens name permissions, or values that a setting maps
to roles.
"""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any, Final, Literal, get_args


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
    NOTIFICATIONS_MANAGE = "notifications:manage"
    """Manage subscriptions, instead of the `fleet:` permissions for other records."""


OF_STAFF: Final = frozenset(
    {
        Permission.FLEET_READ,
        Permission.FLEET_WRITE,
        Permission.FLEET_REMOVE,
        Permission.PERSONAL_READ,
        Permission.HISTORY_READ,
        Permission.AUDIT_READ,
        Permission.FEED_READ,
        Permission.NOTIFICATIONS_MANAGE,
    }
)
"""The permissions of back-office staff."""

Role = Literal["staff", "auditor", "analyst", "operator", "privacy-officer"]
ROLES: Final[tuple[Role, ...]] = get_args(Role)

_READS_EVERYTHING: Final = frozenset(
    {
        Permission.FLEET_READ,
        Permission.PERSONAL_READ,
        Permission.HISTORY_READ,
        Permission.AUDIT_READ,
        Permission.ACCESS_LOG_READ,
    }
)
OF_ROLES: Final[Mapping[Role, frozenset[Permission]]] = {
    "staff": OF_STAFF,
    "auditor": _READS_EVERYTHING | {Permission.AUDIT_REVEAL, Permission.FEED_READ},
    "analyst": frozenset({Permission.FLEET_READ, Permission.FEED_READ}),
    "operator": frozenset(
        {
            Permission.FLEET_READ,
            Permission.FEED_READ,
            Permission.OPERATIONS_READ,
            Permission.OPERATIONS_ACT,
            Permission.NOTIFICATIONS_MANAGE,
        }
    ),
    "privacy-officer": _READS_EVERYTHING | {Permission.PRIVACY_RESTRICT, Permission.PRIVACY_ERASE},
}
"""The permissions of each role: of the development provider's users, and for `parse_roles`."""

PERMISSIONS_CLAIM: Final = "permissions"
"""The default claim for permissions: Auth0's."""
ROLES_CLAIM: Final = "roles"
"""The default claim for roles: RFC 9068, section 2.2.3.1."""

_KNOWN: Final = {str(permission): permission for permission in Permission}


def permissions_in(claims: Mapping[str, Any], names: str) -> frozenset[Permission]:
    """Return the permissions in a token's claims; unknown ones are ignored.

    Args:
        names: of the claims, separated by spaces; see `claim_at`.
    """
    values = (value for name in names.split() for value in texts_in(claim_at(claims, name)))
    return frozenset(_KNOWN[value] for value in values if value in _KNOWN)


def parse_roles(text: str) -> dict[str, frozenset[Permission]]:
    """Parse a mapping such as `fleet-admins=staff,drivers=fleet:read feed:read`.

    Raises:
        ValueError: an entry is malformed, or names neither a role nor a permission.
    """
    roles: Mapping[str, frozenset[Permission]] = {str(role): granted for role, granted in OF_ROLES.items()}
    known = {**roles, **{name: frozenset({one}) for name, one in _KNOWN.items()}}
    mapping: dict[str, frozenset[Permission]] = {}
    for number, entry in enumerate(filter(str.strip, text.split(",")), 1):
        value, _, granted = entry.rpartition("=")
        names = granted.split()
        if not value.strip() or not names or not all(name in known for name in names):
            raise ValueError(
                f"entry {number} must be VALUE=ROLE, where ROLE is one of {', '.join(ROLES)},"
                " or permissions separated by spaces"
            )
        mapping[value.strip()] = mapping.get(value.strip(), frozenset()).union(*(known[one] for one in names))
    return mapping


def claim_at(claims: Mapping[str, Any], name: str) -> Any:
    """Return the value of a claim, or None.

    Args:
        name: of the claim, or a path to a member of nested objects, such as `realm_access.roles`. A claim
            whose name contains the dots takes precedence.
    """
    if name in claims:
        return claims[name]
    for end in (position for position in reversed(range(len(name))) if name[position] == "."):
        if isinstance(inner := claims.get(name[:end]), Mapping):
            return claim_at(inner, name[end + 1 :])
    return None


def texts_in(value: object) -> Iterable[str]:
    """Return the texts of a claim.

    The claim is a list (Auth0), a text separated by spaces (RFC 6749, section 3.3), or an object of objects
    (Zitadel's roles), whose names count; other values contain none.
    """
    if isinstance(value, str):
        return value.split()
    if isinstance(value, Mapping):
        return [name for name, details in value.items() if isinstance(details, Mapping)]
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else ()
