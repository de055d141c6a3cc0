"""The fleet's locations: yards, hubs, warehouses and service points in real places."""

from collections.abc import Sequence
from typing import Final

from ops.launcher.demo.places import Place
from ops.launcher.demo.randomness import Draw
from ops.launcher.demo.story import BACK_OFFICE, DISPATCHER, FLEET_MANAGER, Body, Edit

_SUFFIXES: Final = {
    "REGULAR": "",
    "HUB": " Hub",
    "WAREHOUSE": " Warehouse",
    "SERVICE_POINT": " Service Point",
}
_CAPACITIES: Final = {
    "REGULAR": (4, 20),
    "HUB": (80, 300),
    "WAREHOUSE": (30, 150),
    "SERVICE_POINT": (4, 16),
}
"""Vehicles that find room there."""
_GROWS_INTO: Final = {"REGULAR": "SERVICE_POINT", "SERVICE_POINT": "WAREHOUSE", "WAREHOUSE": "HUB"}
_LARGEST: Final = 60
"""So many of the largest places are where hubs may be."""


class Locations:
    """Invents what the business has in a place."""

    def __init__(self, draw: Draw, places: Sequence[Place]) -> None:
        self._draw = draw
        self._states = {place.name: place.state for place in places}
        self.edits = (
            Edit(DISPATCHER, 4, self._change_status),
            Edit(FLEET_MANAGER, 3, self._change_capacity),
            Edit(FLEET_MANAGER, 2, self._grow),
            Edit(BACK_OFFICE, 2, self._find_postal_code),
        )

    def new(self, place: Place, rank: int) -> Body:
        """Return the record for a place.

        Args:
            place: where.
            rank: how many places are larger.
        """
        kind = self._draw.weighted(
            {"HUB": 5 if rank < _LARGEST else 0, "WAREHOUSE": 3, "SERVICE_POINT": 3, "REGULAR": 6}
        )
        return {
            "name": place.name + _SUFFIXES[kind],
            "lat": place.latitude,
            "longitude": place.longitude,
            "country": place.country,
            "location_type": kind,
            "attributes": {
                "city": place.name,
                "state": place.state.name if place.state else None,
                "postalCode": place.state.postal_code(self._draw)
                if place.state and self._draw.happens(0.8)
                else None,
                "status": self._draw.weighted({"Active": 88, "Maintenance": 7, "Inactive": 5}),
                "capacity": self._capacity(kind),
            },
        }

    def _capacity(self, kind: str) -> int:
        return self._draw.number(*_CAPACITIES[kind])

    def _change_status(self, body: Body) -> Body:
        now_active = body["attributes"]["status"] != "Active"
        status = "Active" if now_active else self._draw.weighted({"Maintenance": 3, "Inactive": 1})
        return _with_attributes(body, status=status)

    def _change_capacity(self, body: Body) -> Body:
        return _with_attributes(body, capacity=self._capacity(body["location_type"]))

    def _grow(self, body: Body) -> Body:
        if (kind := _GROWS_INTO.get(body["location_type"])) is None:
            return {}
        return {
            "name": body["attributes"]["city"] + _SUFFIXES[kind],
            "location_type": kind,
            **_with_attributes(body, capacity=self._capacity(kind)),
        }

    def _find_postal_code(self, body: Body) -> Body:
        state = self._states[body["attributes"]["city"]]
        if state is None or body["attributes"]["postalCode"] is not None:
            return {}
        return _with_attributes(body, postalCode=state.postal_code(self._draw))


def _with_attributes(body: Body, **changes: str | int) -> Body:
    return {"attributes": body["attributes"] | changes}
