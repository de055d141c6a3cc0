"""JSON forms of moments and actors."""

from datetime import UTC, datetime
from typing import Any, Final

ACTOR_NAME: Final = "actor.name"


def moment_text(moment: datetime) -> str:
    """Return an instant as RFC 3339 in UTC with microseconds, the log's precision, so it suits `as_of`."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def name_redaction(member: str | None) -> dict[str, list[str]]:
    """Return the JSON member, such as `erased`, that lists a missing actor's name; {} if none is missing."""
    return {} if member is None else {member: [ACTOR_NAME]}


def actor_json(sub: str | None, name: str | None, *, is_program: bool = False) -> dict[str, Any] | None:
    """Return an actor's JSON; None if the event has no readable actor."""
    return None if sub is None else {"sub": sub, "name": name, **({"is_program": True} if is_program else {})}
