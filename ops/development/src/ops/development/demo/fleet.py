"""The whole demonstration fleet: which stories exist."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Final

from ops.base.records.entities import EntityType, entity_type
from ops.development.demo.draw import Draw
from ops.development.demo.kinds import DOUBLES, KINDS, Double
from ops.development.demo.places import real_places
from ops.development.demo.stories import Story, Thing, invent

REMOVED: Final = 0.04
"""Records that are removed in the end, as a share of those that remain."""
REGISTERED_AGAIN: Final = 0.02


@dataclass(frozen=True)
class Size:
    """Numbers of records that remain in the end."""

    locations: int = 500
    drivers: int = 200
    trailers: int = 150
    horses: int = 120
    teams: int = 30
    """Horses that have assignments."""


def all_stories(size: Size, today: date) -> list[Story]:
    """Return all stories, the locations' first; dates are counted from `today`."""
    return [story for name in KINDS for story in _stories(entity_type(name), size, today)]


def first_story(size: Size) -> Story:
    """Return the first of all stories: a location's, which contains no dates."""
    return _stories(entity_type("location"), size, date.min)[0]


def _stories(entity_type: EntityType, size: Size, today: date) -> list[Story]:
    places = real_places(max(100, _with_removed(size.locations)))
    draw = Draw(entity_type.collection)
    kind = KINDS[entity_type.name]
    remaining = int(getattr(size, entity_type.collection))
    count = _with_removed(remaining)
    leaving = {*draw.random.sample(range(count), count - remaining)}
    returning = {*draw.random.sample(range(count), round(count * REGISTERED_AGAIN))} - leaving
    lots = [(number + 0.5) / remaining for number in range(remaining)]
    draw.random.shuffle(lots)
    things = (
        Thing(draw, today, places, index + 1, None if index in leaving else lots.pop())
        for index in range(count)
    )
    stories = [invent(entity_type, kind, thing, returns=thing.number - 1 in returning) for thing in things]
    _double(stories, DOUBLES.get(entity_type.name, ()))
    return stories


def _double(stories: list[Story], doubles: Sequence[Double]) -> None:
    """Make the last of the stories that only register a record near doubles of the first ones."""
    places = [place for place, story in enumerate(stories) if len(story.commands) == 1]
    for number, double in enumerate(doubles):
        if 2 * number + 1 < len(places):
            (original,), place = stories[places[number]].commands, places[-1 - number]
            (command,) = stories[place].commands
            body = {**(command.body or {}), **double(original.body or {})}
            stories[place] = replace(stories[place], commands=[replace(command, body=body)])


def _with_removed(remaining: int) -> int:
    return remaining + round(remaining * REMOVED)
