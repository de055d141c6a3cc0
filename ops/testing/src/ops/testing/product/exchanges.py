"""Commands and answers, independent of the product's code."""

import json
from dataclasses import dataclass, field
from typing import Any, Final

from ops.base.records.entities import ENTITY_TYPES
from ops.testing.product.bodies import Body

PATHS: Final = {entity.name: entity.path for entity in ENTITY_TYPES}
WRAPPERS: Final = {entity.name: entity.wrapper for entity in ENTITY_TYPES if entity.wrapper}
SHOW_TIMES: Final = tuple(
    entity.name for entity in ENTITY_TYPES if "created_at" in entity.schema["properties"]
)


@dataclass(frozen=True)
class Actor:
    """A signed-in user."""

    sub: str
    name: str
    token: str = field(repr=False)


@dataclass(frozen=True)
class Command:
    method: str
    entity: str
    actor: Actor
    id: str | None = None
    """Id in the path; None with POST."""
    body: Body | None = None
    if_match: str | None = None
    key: str | None = None

    @property
    def path(self) -> str:
        return PATHS[self.entity] + (f"/{self.id}" if self.id is not None else "")

    @property
    def identity(self) -> tuple[str, str, str | None]:
        """Scope and value of its idempotency key."""
        return self.actor.sub, self.path, self.key

    @property
    def fingerprint(self) -> str:
        """Method and body, by which commands with one key are compared."""
        return json.dumps([self.method, self.body.sent if self.body else None], sort_keys=True)


@dataclass(frozen=True)
class Chosen:
    """Values that the server chooses when it accepts a command."""

    id: str | None = None
    moment: str | None = None


@dataclass(frozen=True)
class Answer:
    status: int
    version: int | None = None
    """Version of the ETag."""
    record: dict[str, Any] | None = None
    problem: str | None = None
    """The last part of the problem's type."""
    errors: dict[str, str | None] = field(default_factory=dict)
    """Validation errors by field; None matches any message."""
    changed_since: list[tuple[int, str, str, frozenset[str]]] | None = None
    """With 412: version, type, actor's subject and fields of each change since the client's version."""


def unwrap(entity: str, body: dict[str, Any]) -> dict[str, Any]:
    """Return the record in an answer's body."""
    record: dict[str, Any] = body[WRAPPERS[entity]] if entity in WRAPPERS else body
    return record


def canonical(value: Any) -> Any:
    """Return a value that is equal for two JSON values exactly if they are the same JSON value.

    `true` is not `1`, unlike in Python; `1` is `1.0`; the order of an object's members does not matter.
    """
    match value:
        case None | bool() | str():
            return (type(value).__name__, value)
        case int() | float():
            return ("number", float(value))
        case list():
            return ("array", [canonical(item) for item in value])
        case dict():
            return ("object", {name: canonical(item) for name, item in value.items()})
    raise TypeError(f"{type(value).__name__} is not JSON")
