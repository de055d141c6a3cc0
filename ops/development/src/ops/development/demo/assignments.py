"""Who drove what: weekly trips of three months up to the first day, and some ahead of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from typing import Final

from ops.base.records.entities import entity_type
from ops.development.demo.draw import Draw
from ops.development.demo.stories import ACTORS, Body, DemoRequest, Story

_WEEKS: Final = range(-13, 3)
_UNAVAILABLE: Final = ("Maintenance", "Out of Service")
_LICENCE_DAYS: Final = 60
"""Days after the first one on which a licence must still be valid; later than the end of all trips."""
_REASONS: Final = ("Returned later than planned", "Wrong trailer was entered", "Left later than entered")
_NOTES: Final = ("Return load from the port", "Relief driver on the way back", None, None, None, None)


@dataclass
class _Trips:
    """The trips so far."""

    draw: Draw
    ids: Mapping[str, Sequence[str]]
    stories: list[Story] = field(default_factory=list)

    def add(self, start: datetime, end: datetime | None, **records: str | list[str]) -> Body:
        """Add a trip, and return its body."""
        body: Body = {
            **records,
            "starts_at": _text(start),
            "ends_at": None if end is None else _text(end),
            "location": self.draw.one_of(self.ids["location"]),
            "note": self.draw.one_of(_NOTES),
        }
        name = f"assignment-{len(self.stories) + 1}"
        command = DemoRequest("assignments registered", "POST", self.draw.one_of(ACTORS), body)
        self.stories.append(Story(entity_type("assignment"), name, [command]))
        return body

    def correct(self, body: Body, **corrected: str) -> None:
        """Add a correction to the last trip."""
        story = self.stories.pop()
        reason = self.draw.one_of(_REASONS)
        more = DemoRequest("corrections", "PUT", self.draw.one_of(ACTORS), {**body, **corrected}, reason)
        self.stories.append(Story(story.entity_type, story.name, [*story.commands, more]))


def assignment_stories(
    records: Mapping[str, Sequence[tuple[str, Body]]], today: date, teams: int
) -> list[Story]:
    """Return the stories of assignments.

    Args:
        records: ids and bodies of the records that exist, by entity type.
        teams: the largest number of horses that travel.
    """
    last_day = str(today + timedelta(days=_LICENCE_DAYS))
    ids = {
        entity: [
            one
            for one, body in some
            if body.get("driving_license_expiry", last_day) >= last_day
            and body.get("status") not in _UNAVAILABLE
        ]
        for entity, some in records.items()
    }
    draw = Draw("assignments")
    made = _Trips(draw, ids)
    count = min(teams, *(len(ids[entity]) for entity in ("horse", "driver", "trailer")))
    crews = [ids[entity][:count] for entity in ("horse", "driver", "trailer")]
    first = datetime.combine(today - timedelta(days=2), time(), UTC)
    for week in _WEEKS if ids["location"] else ():
        for crew in crews[1:]:
            one = draw.number(0, count)
            crew[one : one + 2] = reversed(crew[one : one + 2])  # they stay swapped
        for horse, driver, trailer in list(zip(*crews, strict=True)):
            start = first + timedelta(weeks=week, hours=draw.number(2, 20))
            end = start + timedelta(days=draw.number(3, 5), hours=draw.number(0, 8))
            if draw.happens(0.2 if week <= 0 else 0.4):
                continue
            is_open = week == 0 and draw.happens(0.3)
            trip = made.add(start, None if is_open else end, horse=horse, driver=driver, trailers=[trailer])
            if week < 0 and draw.happens(0.08):
                made.correct(trip, ends_at=_text(end + timedelta(hours=draw.number(1, 6))))
            if is_open:
                for crew, one in zip(crews, (horse, driver, trailer), strict=True):
                    crew.remove(one)
    return made.stories


def _text(moment: datetime) -> str:
    return moment.isoformat().replace("+00:00", "Z")
