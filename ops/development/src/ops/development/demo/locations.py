"""The fleet's locations: yards, hubs, warehouses and service points in real places."""

from typing import Any, Final

from ops.development.demo.story import BACK_OFFICE, DISPATCHER, FLEET_MANAGER, Body, Edit, Kind, Thing

_SUFFIXES: Final = {
    "REGULAR": "",
    "HUB": " Hub",
    "WAREHOUSE": " Warehouse",
    "SERVICE_POINT": " Service Point",
}
_CAPACITIES: Final = {"REGULAR": (4, 20), "HUB": (80, 300), "WAREHOUSE": (30, 150), "SERVICE_POINT": (4, 16)}
"""Vehicles that find room there."""
_GROWS_INTO: Final = {"REGULAR": "SERVICE_POINT", "SERVICE_POINT": "WAREHOUSE", "WAREHOUSE": "HUB"}
_LARGEST: Final = 60
"""So many of the largest places are where hubs may be."""


def _location(thing: Thing) -> Body:
    place, draw = thing.places[thing.number - 1], thing.draw
    kind = draw.weighted(
        {"HUB": 5 if thing.number <= _LARGEST else 0, "WAREHOUSE": 3, "SERVICE_POINT": 3, "REGULAR": 6}
    )
    known = place.state and draw.happens(0.8)
    return {
        "name": place.name + _SUFFIXES[kind],
        "lat": place.latitude,
        "longitude": place.longitude,
        "country": place.country,
        "location_type": kind,
        "attributes": {
            "city": place.name,
            "state": place.state.name if place.state else None,
            "postalCode": place.state.postal_code(draw) if place.state and known else None,
            "status": draw.weighted({"Active": 88, "Maintenance": 7, "Inactive": 5}),
            "capacity": draw.number(*_CAPACITIES[kind]),
        },
    }


def _with_attributes(thing: Thing, **changes: Any) -> Body:
    return {"attributes": thing.body["attributes"] | changes}


def _change_status(thing: Thing) -> Body:
    now_active = thing.body["attributes"]["status"] != "Active"
    status = "Active" if now_active else thing.draw.weighted({"Maintenance": 3, "Inactive": 1})
    return _with_attributes(thing, status=status)


def _change_capacity(thing: Thing) -> Body:
    return _with_attributes(thing, capacity=thing.draw.number(*_CAPACITIES[thing.body["location_type"]]))


def _grow(thing: Thing) -> Body:
    if (kind := _GROWS_INTO.get(thing.body["location_type"])) is None:
        return {}
    return {
        "name": thing.body["attributes"]["city"] + _SUFFIXES[kind],
        "location_type": kind,
        **_with_attributes(thing, capacity=thing.draw.number(*_CAPACITIES[kind])),
    }


def _find_postal_code(thing: Thing) -> Body:
    state = thing.places[thing.number - 1].state
    if state is None or thing.body["attributes"]["postalCode"] is not None:
        return {}
    return _with_attributes(thing, postalCode=state.postal_code(thing.draw))


LOCATIONS: Final = Kind(
    DISPATCHER,
    parts=(_location,),
    edits=(
        Edit(DISPATCHER, 4, _change_status),
        Edit(FLEET_MANAGER, 3, _change_capacity),
        Edit(FLEET_MANAGER, 2, _grow),
        Edit(BACK_OFFICE, 2, _find_postal_code),
    ),
    edit_counts={0: 90, 1: 6, 2: 3, 3: 1},
)
