"""Roles of the demonstration users: an example of how a company can assign permissions."""

from collections.abc import Mapping
from typing import Final, Literal

from ops.base.permissions import OF_STAFF, Permission

Role = Literal["staff", "auditor", "analyst", "operator", "privacy-officer"]

_READS_EVERYTHING: Final = frozenset(
    {
        Permission.FLEET_READ,
        Permission.PERSONAL_READ,
        Permission.HISTORY_READ,
        Permission.AUDIT_READ,
        Permission.ACCESS_LOG_READ,
    }
)

PERMISSIONS: Final[Mapping[Role, frozenset[Permission]]] = {
    "staff": OF_STAFF,
    "auditor": _READS_EVERYTHING | {Permission.AUDIT_REVEAL, Permission.FEED_READ},
    "analyst": frozenset({Permission.FLEET_READ, Permission.FEED_READ}),
    "operator": frozenset(
        {Permission.FLEET_READ, Permission.FEED_READ, Permission.OPERATIONS_READ, Permission.OPERATIONS_ACT}
    ),
    "privacy-officer": _READS_EVERYTHING | {Permission.PRIVACY_RESTRICT, Permission.PRIVACY_ERASE},
}
ROLES: Final = tuple(PERMISSIONS)
