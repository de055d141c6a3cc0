"""The whole demonstration fleet: which stories there are, and how often what happens."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Final

from ops.base.records.entities import ENTITY_TYPES, EntityType, entity_type
from ops.development.demo.after_example import like, sent_fields
from ops.development.demo.drivers import DRIVERS
from ops.development.demo.horses import HORSES
from ops.development.demo.locations import LOCATIONS
from ops.development.demo.places import Place, real_places
from ops.development.demo.randomness import Draw
from ops.development.demo.story import BACK_OFFICE, DISPATCHER, Body, Edit, Kind, Story, Thing, tell
from ops.development.demo.trailers import TRAILERS

REMOVED: Final = 0.04
"""How many were there and are gone, as a share of those who are there."""
REGISTERED_AGAIN: Final = 0.02
_KINDS: Final[Mapping[str, Kind]] = {
    "location": LOCATIONS,
    "driver": DRIVERS,
    "trailer": TRAILERS,
    "horse": HORSES,
}


@dataclass(frozen=True)
class Size:
    """How many of each are there in the end."""

    locations: int = 500
    drivers: int = 200
    trailers: int = 150
    horses: int = 120
    others: int = 40
    """Of each entity type that nobody has said more about here than what is released."""

    def remaining(self, entity_type: EntityType) -> int:
        """Return how many there are of an entity type in the end."""
        return int(getattr(self, entity_type.collection, self.others))


def places_for(size: Size) -> Sequence[Place]:
    """Choose the places of a fleet."""
    return real_places(max(100, _with_removed(size.locations)))


def all_stories(size: Size, places: Sequence[Place], today: date) -> list[Story]:
    """Tell everything, the locations first.

    Args:
        size: how many of each.
        places: from `places_for`.
        today: the day from which all dates are counted.
    """
    locations = location_stories(size, places)
    others = [each for each in ENTITY_TYPES if each.name != "location"]
    return [*locations, *(story for each in others for story in _stories(each, size, places, today))]


def location_stories(size: Size, places: Sequence[Place]) -> list[Story]:
    """Tell the locations' stories; they know no dates."""
    return _stories(entity_type("location"), size, places, date.min)


def _stories(entity_type: EntityType, size: Size, places: Sequence[Place], today: date) -> list[Story]:
    draw = Draw(entity_type.collection)
    kind = _KINDS.get(entity_type.name) or _unknown_kind(entity_type)
    remaining = size.remaining(entity_type)
    count = _with_removed(remaining)
    leaving = draw.some_of(count, count - remaining)
    returning = draw.some_of(count, round(count * REGISTERED_AGAIN)) - leaving
    lots = [(number + 0.5) / remaining for number in range(remaining)]
    draw.random.shuffle(lots)
    things = (
        Thing(draw, today, places, index + 1, None if index in leaving else lots.pop())
        for index in range(count)
    )
    return [tell(entity_type, kind, thing, returns=thing.number - 1 in returning) for thing in things]


def _with_removed(remaining: int) -> int:
    return remaining + round(remaining * REMOVED)


def _unknown_kind(entity_type: EntityType) -> Kind:
    """Return how things are of which nothing is known but what was released: any field may change."""

    def change(name: str, thing: Thing) -> Body:
        return {name: like(sent_fields(entity_type)[name], entity_type.example.get(name), thing.draw)}

    edits = [Edit(DISPATCHER, 1, partial(change, name)) for name in sent_fields(entity_type)]
    return Kind(BACK_OFFICE, parts=(), edits=edits, edit_counts={0: 58, 1: 24, 2: 12, 4: 6})
