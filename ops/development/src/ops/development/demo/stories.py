"""The demonstration fleet as stories: the commands about each record, from its registration on."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Final, Literal

from ops.base.records.entities import EntityType
from ops.development.demo.draw import Draw
from ops.development.demo.places import Place

Body = dict[str, Any]
ACTORS: Final = ("dev|asha", "dev|rohan", "dev|farah")
"""Subjects of the users of the development identity provider who run the demonstration fleet."""
_TRIES: Final = 100


@dataclass(frozen=True)
class DemoRequest:
    """One request.

    Attributes:
        kind: how the summary counts it.
        body: its JSON; None for a removal.
        reason: of the change, in ASCII.
    """

    kind: str
    method: Literal["POST", "PUT", "DELETE"]
    actor: str
    body: Body | None = None
    reason: str | None = None


@dataclass(frozen=True, eq=False)
class Story:
    """All commands about one record, in their order; the first registers it.

    Attributes:
        name: unique within the type and the same in every run.
    """

    entity_type: EntityType
    name: str
    commands: Sequence[DemoRequest]


@dataclass
class Thing:
    """One record while it is invented and changed.

    Attributes:
        draw: source of random values.
        today: first day of the fleet, from which dates are counted.
        places: possible locations, the largest first.
        number: number of the record within its type, from 1.
        lot: a different share, evenly from 0 to 1, for each record that remains; None: it is removed at last.
        body: the record so far.
    """

    draw: Draw
    today: date
    places: Sequence[Place]
    number: int
    lot: float | None = None
    body: Body = field(default_factory=dict)

    def day(self, first: int, last: int) -> str:
        """Return a day as YYYY-MM-DD, from `first` to `last` days after today (negative: before)."""
        return self.draw.day(self.today, first, last)

    def place(self) -> Place:
        """Return a place in India."""
        return self.draw.one_of([place for place in self.places if place.state])


Part = Callable[[Thing], Body]
"""Invents fields that belong together."""


@dataclass(frozen=True)
class Kind:
    """How records of one entity type are invented and changed.

    Attributes:
        parts: invent a record together, each with its weight among the edits: an edit invents one part again.
            Declared fields that no part invents are invented after the released example.
        edit_counts: numbers of edits, with weights.
        renewal: an edit that comes first, where it returns fields.
    """

    parts: Mapping[Part, float]
    edit_counts: Mapping[int, float]
    renewal: Part = lambda _: {}


def invent(entity_type: EntityType, kind: Kind, thing: Thing, *, returns: bool) -> Story:
    """Invent a record and its changes.

    Args:
        thing: nothing of it is invented yet.
        returns: whether it is removed and registered again, if its id is given by the client.
    """
    draw, registrar = thing.draw, ACTORS[-1]
    for part in kind.parts:
        thing.body |= part(thing)
    name = thing.body.get("id") or f"{entity_type.name}-{thing.number}"
    commands = [DemoRequest(f"{entity_type.collection} registered", "POST", registrar, thing.body)]
    removed = DemoRequest("removed", "DELETE", registrar)
    if renewed := kind.renewal(thing):
        thing.body = thing.body | renewed
        commands.append(DemoRequest("edits", "PUT", registrar, thing.body))
    if returns and "id" in thing.body and _edit(kind, thing):
        commands += [removed, DemoRequest("registered again", "POST", registrar, thing.body)]
    for _ in range(draw.weighted(kind.edit_counts)):
        if _edit(kind, thing):
            commands.append(DemoRequest("edits", "PUT", draw.one_of(ACTORS), thing.body))
    if thing.lot is None:
        commands.append(removed)
    return Story(entity_type, name, commands)


def _edit(kind: Kind, thing: Thing) -> bool:
    """Invent one part again; False: that changed nothing, so the log would not show that it was sent."""
    for _ in range(_TRIES):
        changed = thing.body | thing.draw.weighted(kind.parts)(thing)
        if changed != thing.body:
            thing.body = changed
            return True
    return False
