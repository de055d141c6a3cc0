"""The whole demonstration fleet: which stories there are, and how often what happens."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from ops.base.entities import entity_type
from ops.launcher.demo.drivers import Drivers, Licence
from ops.launcher.demo.horses import Horses
from ops.launcher.demo.locations import Locations
from ops.launcher.demo.places import Place, real_places
from ops.launcher.demo.randomness import Draw
from ops.launcher.demo.story import BACK_OFFICE, DISPATCHER, FLEET_MANAGER, Story, Teller
from ops.launcher.demo.trailers import Trailers

REMOVED: Final = 0.04
"""How many were there and are gone, as a share of those who are there."""
REGISTERED_AGAIN: Final = 0.02
EXPIRED: Final = 0.08
EXPIRING: Final = 0.06
RENEWED: Final = 0.15


@dataclass(frozen=True)
class Size:
    """How many of each are there in the end."""

    locations: int = 500
    drivers: int = 200
    trailers: int = 150
    horses: int = 120


def _with_removed(remaining: int) -> int:
    return remaining + round(remaining * REMOVED)


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
    return [
        *location_stories(size, places),
        *driver_stories(size, places, today),
        *trailer_stories(size, places, today),
        *horse_stories(size, places, today),
    ]


def location_stories(size: Size, places: Sequence[Place]) -> list[Story]:
    """Tell the locations' stories; they know no dates."""
    draw = Draw("locations")
    locations = Locations(draw, places)
    teller = Teller(
        draw,
        entity_type("location"),
        registrar=DISPATCHER,
        edits=locations.edits,
        edit_counts={0: 90, 1: 6, 2: 3, 3: 1},
    )
    count = _with_removed(size.locations)
    leaving = draw.some_of(count, count - size.locations)
    return [
        teller.tell(f"location-{rank + 1}", locations.new(place, rank), leaves=rank in leaving)
        for rank, place in enumerate(places[:count])
    ]


def driver_stories(size: Size, places: Sequence[Place], today: date) -> list[Story]:
    """Tell the drivers' stories; those who stay have licences in the shares named above."""
    draw = Draw("drivers")
    drivers = Drivers(draw, today, places)
    teller = Teller(
        draw,
        entity_type("driver"),
        registrar=BACK_OFFICE,
        edits=drivers.edits,
        edit_counts={0: 58, 1: 23, 2: 11, 3: 5, 5: 3},
    )
    count = _with_removed(size.drivers)
    leaving = draw.some_of(count, count - size.drivers)
    licences = iter(_licences(draw, size.drivers))
    returning = draw.some_of(count, round(count * REGISTERED_AGAIN)) - leaving
    stories = []
    for index in range(count):
        number = f"EMP-{index + 1:04}"
        licence = Licence.VALID if index in leaving else next(licences)
        story = teller.tell(
            number,
            drivers.new(number, licence),
            certain=[drivers.renewal] if licence is Licence.RENEWED else [],
            leaves=index in leaving,
            returns=index in returning,
        )
        stories.append(story)
    return stories


def trailer_stories(size: Size, places: Sequence[Place], today: date) -> list[Story]:
    """Tell the trailers' stories."""
    draw = Draw("trailers")
    trailers = Trailers(draw, today, places)
    teller = Teller(
        draw,
        entity_type("trailer"),
        registrar=FLEET_MANAGER,
        edits=trailers.edits,
        edit_counts={0: 50, 1: 24, 2: 14, 3: 8, 6: 4},
    )
    count = _with_removed(size.trailers)
    leaving = draw.some_of(count, count - size.trailers)
    return [
        teller.tell(f"trailer-{number}", trailers.new(number), leaves=number - 1 in leaving)
        for number in range(1, count + 1)
    ]


def horse_stories(size: Size, places: Sequence[Place], today: date) -> list[Story]:
    """Tell the horses' stories."""
    draw = Draw("horses")
    horses = Horses(draw, today, places)
    teller = Teller(
        draw,
        entity_type("horse"),
        registrar=FLEET_MANAGER,
        edits=horses.edits,
        edit_counts={0: 58, 1: 24, 2: 12, 4: 6},
    )
    count = _with_removed(size.horses)
    leaving = draw.some_of(count, count - size.horses)
    returning = draw.some_of(count, round(count * REGISTERED_AGAIN)) - leaving
    return [
        teller.tell(
            f"HRS-{index + 1:04}",
            horses.new(index + 1),
            leaves=index in leaving,
            returns=index in returning,
        )
        for index in range(count)
    ]


def _licences(draw: Draw, count: int) -> list[Licence]:
    shares = {Licence.EXPIRED: EXPIRED, Licence.EXPIRING: EXPIRING, Licence.RENEWED: RENEWED}
    licences = [licence for licence, share in shares.items() for _ in range(round(count * share))]
    licences += [Licence.VALID] * (count - len(licences))
    draw.random.shuffle(licences)
    return licences
