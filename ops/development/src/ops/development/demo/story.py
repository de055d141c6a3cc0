"""What happens to one thing of the fleet, from its registration on: the commands, in their order."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Final, Literal

from ops.base.records.entities import EntityType
from ops.development.demo.after_example import completed, given_id
from ops.development.demo.places import Place
from ops.development.demo.randomness import Draw
from ops.development.demo.states import State

Body = dict[str, Any]
Method = Literal["POST", "PUT", "DELETE"]

DISPATCHER: Final = "dev|asha"
FLEET_MANAGER: Final = "dev|rohan"
BACK_OFFICE: Final = "dev|farah"
ACTORS: Final = (DISPATCHER, FLEET_MANAGER, BACK_OFFICE)
"""Subjects of the three users of the development identity provider who run the demonstration fleet."""

_OWN_WORK: Final = 0.8
"""Share of the changes that are made by the one whose work they are; the rest by whoever was there."""
_TRIES: Final = 100


@dataclass(frozen=True)
class Command:
    """One request.

    Attributes:
        kind: what it is counted as.
        method: its HTTP method.
        actor: subject of the user who sends it.
        body: its JSON; None for a removal.
    """

    kind: str
    method: Method
    actor: str
    body: Body | None = None


@dataclass(frozen=True, eq=False)
class Story:
    """All commands about one thing; the first registers it.

    Attributes:
        entity_type: what it is.
        name: tells it from all others of the demonstration fleet, for ever.
        commands: in the order in which they must be sent.
    """

    entity_type: EntityType
    name: str
    commands: Sequence[Command]


@dataclass
class Thing:
    """One thing while it is invented, and while it changes.

    Attributes:
        draw: where chance comes from.
        today: from which dates are counted.
        places: where it may be, the largest first.
        number: tells it from the others of its type, from 1 on.
        lot: of those who stay, each has another one, evenly from 0 to 1; None: it is removed in the end.
        body: its record as it is, or as far as it is invented.
    """

    draw: Draw
    today: date
    places: Sequence[Place]
    number: int
    lot: float | None = None
    body: Body = field(default_factory=dict)

    def day(self, first: int, last: int) -> str:
        """Return a day as YYYY-MM-DD, so many days after today (negative: before)."""
        return self.draw.day(self.today, first, last)

    def indian_place(self) -> tuple[Place, State]:
        """Return a place in India, and its state."""
        return self.draw.one_of([(place, place.state) for place in self.places if place.state])


Part = Callable[[Thing], Body]
"""Invents some fields; none where they cannot be otherwise."""


@dataclass(frozen=True)
class Edit:
    """One way in which a thing changes.

    Attributes:
        actor: whose work it usually is.
        weight: how often it happens, compared with the others.
        change: invents the fields that become different.
    """

    actor: str
    weight: float
    change: Part


@dataclass(frozen=True)
class Kind:
    """How things of one entity type are invented, and what happens to them.

    Attributes:
        registrar: who registers and removes.
        parts: invent a record together; what they leave out is invented after the released example.
        edits: how things change.
        edit_counts: how many times, with weights.
        certain: edits that happen before those that chance brings.
    """

    registrar: str
    parts: Sequence[Part]
    edits: Sequence[Edit]
    edit_counts: Mapping[int, float]
    certain: Callable[[Thing], Iterable[Edit]] = lambda _: ()


def tell(entity_type: EntityType, kind: Kind, thing: Thing, *, returns: bool = False) -> Story:
    """Invent a thing, and tell its story.

    Args:
        entity_type: what it is.
        kind: how such things are.
        thing: of which nothing is invented yet.
        returns: whether it is removed, registered again with something different, and goes on, which it can
            only where its id is its own.
    """
    for part in kind.parts:
        thing.body |= part(thing)
    thing.body = completed(entity_type, thing.body, thing.draw)
    if entity_type.given_id:
        thing.body.setdefault("id", given_id(entity_type, thing.number))
    name = thing.body.get("id") or f"{entity_type.name}-{thing.number}"
    commands = [Command(f"{entity_type.collection} registered", "POST", kind.registrar, thing.body)]
    for edit in kind.certain(thing):
        thing.body = thing.body | edit.change(thing)
        commands.append(_edited(edit, thing))
    if returns and "id" in thing.body and _edit_by_chance(kind, thing):
        commands += [
            Command("removed", "DELETE", kind.registrar),
            Command("registered again", "POST", kind.registrar, thing.body),
        ]
    for _ in range(thing.draw.weighted(kind.edit_counts)):
        if chosen := _edit_by_chance(kind, thing):
            commands.append(_edited(chosen, thing))
    if thing.lot is None:
        commands.append(Command("removed", "DELETE", kind.registrar))
    return Story(entity_type, name, commands)


def _edit_by_chance(kind: Kind, thing: Thing) -> Edit | None:
    for _ in range(_TRIES):
        edit = thing.draw.weighted({edit: edit.weight for edit in kind.edits})
        # An edit that changes nothing would leave no trace in the log by which a second run knows it.
        if (changed := thing.body | edit.change(thing)) != thing.body:
            thing.body = changed
            return edit
    return None


def _edited(edit: Edit, thing: Thing) -> Command:
    actor = edit.actor if thing.draw.happens(_OWN_WORK) else thing.draw.one_of(ACTORS)
    return Command("edits", "PUT", actor, thing.body)
