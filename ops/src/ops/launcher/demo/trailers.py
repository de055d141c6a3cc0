"""The fleet's trailers."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from ops.launcher.demo.companies import companies
from ops.launcher.demo.places import Place
from ops.launcher.demo.randomness import Draw
from ops.launcher.demo.story import BACK_OFFICE, DISPATCHER, FLEET_MANAGER, Body, Edit


@dataclass(frozen=True)
class Kind:
    """A kind of trailer.

    Attributes:
        type: the record's `type`.
        mark: first letters of its identifiers.
        tons: lowest and highest capacity.
        axles: fewest and most.
        builds: what else there is to say about one.
    """

    type: str
    mark: str
    tons: tuple[int, int]
    axles: tuple[int, int]
    builds: tuple[str, ...]


_KINDS: Final = {
    Kind("LOW_BED", "LB", (40, 80), (3, 5), ("Semi low bed, detachable gooseneck", "Hydraulic ramps")): 20,
    Kind("FLATBED", "FB", (26, 36), (2, 3), ("40 ft platform, stake pockets", "Coil well, 32 ft")): 30,
    Kind("CONTAINER", "CN", (27, 34), (2, 3), ("40 ft skeletal, twist locks", "2 x 20 ft skeletal")): 35,
    Kind("TANKER", "TK", (20, 32), (2, 3), ("32 kl, four compartments", "Stainless, 24 kl, insulated")): 20,
    Kind("SIDE_WALL", "SW", (28, 35), (2, 3), ("Drop sides, 40 ft",)): 15,
    Kind("REFRIGERATED", "RF", (18, 26), (2, 2), ("Reefer unit to -20 °C, 32 ft",)): 12,
    Kind("TIPPER", "TP", (24, 35), (2, 3), ("Rock body, 22 cubic metres",)): 10,
    Kind("CAR_CARRIER", "CC", (12, 18), (2, 2), ("Eight cars, two decks",)): 8,
}
_TYRES_PER_AXLE: Final = 4
_NOTES: Final = (
    "Kingpin replaced",
    "New tarpaulin and ratchet straps",
    "Reflective tape renewed for the fitness certificate",
    "Landing leg repaired",
    "Second axle retyred",
)
_STATUSES: Final = {"Available": 40, "In Use": 30, "RUNNING": 12, "Maintenance": 12, "Out of Service": 6}


class Trailers:
    """Invents trailers, and what becomes different about them."""

    def __init__(self, draw: Draw, today: date, places: Sequence[Place]) -> None:
        """Prepare.

        Args:
            draw: where chance comes from.
            today: from which dates are counted back.
            places: where they may be.
        """
        self._draw = draw
        self._today = today
        self._places = places
        self._states = [place.state for place in places if place.state]
        self._companies = companies()
        self.edits = (
            Edit(DISPATCHER, 10, self._change_status),
            Edit(BACK_OFFICE, 3, self._change_owner),
            Edit(FLEET_MANAGER, 2, lambda _: {"description_2": draw.one_of(_NOTES)}),
            Edit(DISPATCHER, 2, self._move),
        )

    def new(self, number: int) -> Body:
        """Return the record with which a trailer is registered."""
        draw = self._draw
        kind = draw.weighted(_KINDS)
        axles = draw.number(*kind.axles)
        purchased = self._today - timedelta(days=draw.number(200, 4400))
        return {
            "identifier": f"{kind.mark}-{number:03}",
            "trailer_registration_number": draw.one_of(self._states).plate(draw),
            **self._owner(),
            "type": kind.type,
            "status": draw.weighted(_STATUSES),
            "capacity_tons": draw.number(*kind.tons),
            "axles": axles,
            "no_of_tyres": axles * _TYRES_PER_AXLE,
            "name_of_country": "India",
            "purchase_date": purchased.isoformat(),
            "registered_at": draw.day(purchased, 5, 40),
            "description_1": draw.one_of(kind.builds),
            "description_2": draw.one_of(_NOTES) if draw.happens(0.2) else None,
            "description_3": None,
            "description_4": None,
            "description_5": None,
            "data": {
                "currentLocation": self._somewhere(),
                "lastMaintenance": draw.day(self._today, -180, -20),
                "gpsDevice": draw.unique("gps", lambda: f"GPS-{draw.digits(6)}"),
                "insuranceUntil": draw.day(self._today, -10, 360),
            },
        }

    def _somewhere(self) -> str:
        return self._draw.one_of(self._places).name

    def _owner(self) -> Body:
        draw = self._draw
        kind = draw.weighted({"OWNED": 5, "LEASED": 3, "HIRED": 2})
        if kind == "HIRED":  # from a driver who owns it
            return {"owner_name": draw.fake.name_male(), "ownership_type": kind}
        return {
            "owner_name": draw.one_of(self._companies) if draw.happens(0.8) else None,
            "ownership_type": kind,
        }

    def _change_owner(self, _: Body) -> Body:
        return self._owner()

    def _change_status(self, body: Body) -> Body:
        draw = self._draw
        match body["status"]:
            case "Available":
                return {"status": draw.weighted({"In Use": 4, "RUNNING": 1, "Maintenance": 3})}
            case "In Use" | "RUNNING":
                return {"status": "Available", **self._move(body)}
            case "Maintenance":
                done = draw.later_day(body["data"]["lastMaintenance"], self._today)
                return {"status": "Available", "data": body["data"] | {"lastMaintenance": done}}
            case _:
                return {"status": "Maintenance"}

    def _move(self, body: Body) -> Body:
        return {"data": body["data"] | {"currentLocation": self._somewhere()}}
