"""How moments and people are told on the wire."""

from datetime import UTC, datetime
from typing import Final

ACTOR_NAME: Final = "actor.name"


def moment_text(moment: datetime) -> str:
    """Return an instant as RFC 3339 in UTC, to the microsecond, as the log counts: fit for `as_of`."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def withheld_name(member: str | None) -> dict[str, list[str]]:
    """Return the member that says why nobody is told what who did something is called.

    Args:
        member: its name; None: there is none.
    """
    return {} if member is None else {member: [ACTOR_NAME]}


def actor_json(sub: str | None, name: str | None) -> dict[str, str | None] | None:
    """Return who did something; None where the log cannot tell."""
    return None if sub is None else {"sub": sub, "name": name}
