"""The demonstration users, all invented."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote

from ops.base.permissions import OF_ROLES, Role


@dataclass(frozen=True)
class User:
    """A demonstration user."""

    sub: str
    name: str
    role: Role
    job: str
    colour: str
    """Background of the avatar, dark enough for white letters (contrast above 4.5)."""

    @property
    def email(self) -> str:
        """An address in a reserved domain (RFC 2606)."""
        return f"{self.name.lower().replace(' ', '.')}@fleetlog.example"

    @property
    def picture(self) -> str:
        """A picture of the initials as a data URL."""
        initials = "".join(word[0] for word in self.name.split()[:2])
        svg = (
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40">'
            f'<rect width="40" height="40" fill="{self.colour}"/>'
            '<text x="20" y="25.5" fill="#fff" font-family="sans-serif" font-size="15" font-weight="600" '
            f'text-anchor="middle">{initials}</text></svg>'
        )
        return f"data:image/svg+xml,{quote(svg)}"

    @property
    def permissions(self) -> list[str]:
        """The permissions in access tokens."""
        return sorted(OF_ROLES[self.role])

    def claims(self, scope: str) -> dict[str, object]:
        """Return the ID token's claims for scopes (OpenID Connect Core 1.0, section 5.4)."""
        claims: dict[str, object] = {"sub": self.sub}
        if "profile" in scope.split():
            claims |= {"name": self.name, "nickname": self.name.split()[0].lower(), "picture": self.picture}
        if "email" in scope.split():
            claims |= {"email": self.email, "email_verified": True}
        return claims


_PEOPLE: Final = (
    User("dev|asha", "Asha Menon", "staff", "Dispatcher", "#215db0"),
    User("dev|rohan", "Rohan Gupta", "staff", "Fleet manager", "#1c6e42"),
    User("dev|farah", "Farah Khan", "staff", "Back office", "#935610"),
    User("dev|daniel", "Daniel Okafor", "auditor", "Internal audit", "#634dbf"),
    User("dev|mei", "Mei Lin", "analyst", "Route planning", "#a82255"),
    User("dev|tomas", "Tomas Novak", "operator", "Systems", "#00695c"),
    User("dev|ingrid", "Ingrid Solberg", "privacy-officer", "Data protection", "#5d4037"),
    User("dev|kwame", "Kwame Mensah", "privacy-officer", "Legal", "#4a5a1f"),
)
PROGRAMS: Final[Mapping[str, Role]] = {"dispatch-planner": "staff", "data-warehouse": "analyst"}
"""Roles of the clients that sign in as themselves. Their secrets are their ids: everyone is admitted."""
USERS: Final[Mapping[str, User]] = {user.sub: user for user in _PEOPLE}


def user_named(name: str) -> User:
    """Return the user of a role (its first), a subject, or a subject without `dev|`.

    Raises:
        ValueError: no user has this name; the message lists the names.
    """
    for user in _PEOPLE:
        if name in {user.role, user.sub, user.sub.removeprefix("dev|")}:
            return user
    names = ", ".join([*dict.fromkeys(user.role for user in _PEOPLE), *USERS])
    raise ValueError(f"no such user; choose one of: {names}")
