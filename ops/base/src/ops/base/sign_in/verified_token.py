"""What an access token says, once it has been checked: known also where none is checked."""

from dataclasses import dataclass
from datetime import datetime

from ops.base.permissions import Permission
from ops.base.sign_in.actor import Actor


@dataclass(frozen=True, slots=True)
class VerifiedToken:
    """What is left of a token once it has been checked."""

    actor: Actor
    expires_at: datetime
    permissions: frozenset[Permission] = frozenset()
    roles: tuple[str, ...] = ()
    """What the company calls those who have them; only to be shown."""
    issued_at: datetime | None = None
    session: str | None = None
    """The identity provider's id of the session that it was given in: `sid`."""

    def may(self, permission: Permission) -> bool:
        """Tell whether its bearer is permitted something."""
        return permission in self.permissions
