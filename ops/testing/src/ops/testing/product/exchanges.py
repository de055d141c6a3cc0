"""Commands and answers as the tests speak of them."""

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
    """Who sends commands."""

    sub: str
    name: str
    token: str = field(repr=False)


@dataclass(frozen=True)
class Command:
    """One command as a client sends it."""

    method: str
    entity: str
    actor: Actor
    id: str | None = None
    """In the address; None with POST."""
    body: Body | None = None
    if_match: str | None = None
    key: str | None = None

    @property
    def path(self) -> str:
        """Where it is sent to."""
        return PATHS[self.entity] + (f"/{self.id}" if self.id is not None else "")

    @property
    def identity(self) -> tuple[str, str, str | None]:
        """What makes it the same command as another one."""
        return self.actor.sub, self.path, self.key

    @property
    def fingerprint(self) -> str:
        """What tells it from another command with its key."""
        return json.dumps([self.method, self.body.sent if self.body else None], sort_keys=True)


@dataclass(frozen=True)
class Chosen:
    """What the server is free to choose when it accepts a command."""

    id: str | None = None
    moment: str | None = None


@dataclass(frozen=True)
class Answer:
    """What a client is told."""

    status: int
    version: int | None = None
    """What the ETag names."""
    record: dict[str, Any] | None = None
    problem: str | None = None
    """The last part of the problem's type."""
    errors: dict[str, str | None] = field(default_factory=dict)
    """Validation errors by field; a message of None stands for any."""
    changed_since: list[tuple[int, str, str, frozenset[str]]] | None = None
    """With 412: version, type, actor's subject and fields of each change that the client did not know."""


def unwrap(entity: str, body: dict[str, Any]) -> dict[str, Any]:
    """Return the record in an answer's body."""
    record: dict[str, Any] = body[WRAPPERS[entity]] if entity in WRAPPERS else body
    return record
