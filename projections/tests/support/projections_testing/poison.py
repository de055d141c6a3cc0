"""Poisons events of the log, each so that it cannot be applied, and restores them."""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

import psycopg

from projections_testing.fleet import METADATA

_READ: Final = "SELECT topic, state, originator_version FROM log.events WHERE notification_id = %s"
_WRITE: Final = (
    "UPDATE log.events SET topic = %s, state = %s, originator_version = %s WHERE notification_id = %s"
)


@dataclass(frozen=True)
class Written:
    """The columns of an event in the log."""

    topic: str
    state: bytes
    version: int


def _not_a_number(event: Written) -> Written:
    stored = json.loads(event.state)
    if "details" in stored:
        stored["details"]["name"] = float("nan")
    else:
        stored["changes"] = {"name": {"from": None, "to": float("inf")}}
    return replace(event, state=json.dumps(stored).encode())


def _out_of_order(event: Written) -> Written:
    """Return a change before the registration, or a second registration."""
    entity, _, kind = event.topic.partition(".")
    metadata = METADATA.model_dump()
    stored, other = (
        ({"changes": {"name": {"from": None, "to": "x"}}}, "details_changed")
        if kind == "registered"
        else ({"details": {}}, "registered")
    )
    state = json.dumps({"schema_version": 1, "metadata": metadata, **stored}).encode()
    return replace(event, topic=f"{entity}.{other}", state=state)


POISONS: Final[dict[str, Callable[[Written], Written]]] = {
    "unreadable state": lambda event: replace(event, state=b'{"name": "Ravi Kumar"'),
    "another shape": lambda event: replace(event, state=b'{"name": "Ravi Kumar"}'),
    "unknown topic": lambda event: replace(event, topic=f"{event.topic.partition('.')[0]}.exploded"),
    "impossible order": _out_of_order,
    "no JSON number": _not_a_number,
}


def spoil(connection: psycopg.Connection, position: int, poison: str) -> Callable[[], None]:
    """Spoil an event of the log in one of the ways of `POISONS`, and return a function that restores it."""
    row = connection.execute(_READ, (position,)).fetchone()
    assert row
    good = Written(*row)
    _write(connection, position, POISONS[poison](good))
    return lambda: _write(connection, position, good)


def _write(connection: psycopg.Connection, position: int, event: Written) -> None:
    connection.execute(_WRITE, (event.topic, event.state, event.version, position))
