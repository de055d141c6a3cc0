"""The fleet's trailers."""

from datetime import timedelta
from typing import Final, NamedTuple

from ops.development.demo.randomness import companies
from ops.development.demo.story import BACK_OFFICE, DISPATCHER, FLEET_MANAGER, Body, Edit, Kind, Thing


class _Build(NamedTuple):
    type: str
    mark: str
    """First letters of its identifiers."""
    tons: tuple[int, int]
    """Lowest and highest capacity."""
    axles: tuple[int, int]
    """Fewest and most."""
    notes: tuple[str, ...]
    """What else there is to say about one."""


_BUILDS: Final = {
    _Build("LOW_BED", "LB", (40, 80), (3, 5), ("Semi low bed, detachable gooseneck", "Hydraulic ramps")): 20,
    _Build("FLATBED", "FB", (26, 36), (2, 3), ("40 ft platform, stake pockets", "Coil well, 32 ft")): 30,
    _Build("CONTAINER", "CN", (27, 34), (2, 3), ("40 ft skeletal, twist locks", "2 x 20 ft skeletal")): 35,
    _Build("TANKER", "TK", (20, 32), (2, 3), ("32 kl, four compartments", "Stainless, 24 kl, insulated")): 20,
    _Build("SIDE_WALL", "SW", (28, 35), (2, 3), ("Drop sides, 40 ft",)): 15,
    _Build("REFRIGERATED", "RF", (18, 26), (2, 2), ("Reefer unit to -20 °C, 32 ft",)): 12,
    _Build("TIPPER", "TP", (24, 35), (2, 3), ("Rock body, 22 cubic metres",)): 10,
    _Build("CAR_CARRIER", "CC", (12, 18), (2, 2), ("Eight cars, two decks",)): 8,
}
_TYRES_PER_AXLE: Final = 4
_NOTES: Final = (
    *("Kingpin replaced", "New tarpaulin and ratchet straps", "Landing leg repaired", "Second axle retyred"),
    "Reflective tape renewed for the fitness certificate",
)
_STATUSES: Final = {"Available": 40, "In Use": 30, "RUNNING": 12, "Maintenance": 12, "Out of Service": 6}


def _trailer(thing: Thing) -> Body:
    draw = thing.draw
    build = draw.weighted(_BUILDS)
    axles = draw.number(*build.axles)
    purchased = thing.today - timedelta(days=draw.number(200, 4400))
    return {
        "identifier": f"{build.mark}-{thing.number:03}",
        "trailer_registration_number": thing.indian_place()[1].plate(draw),
        "type": build.type,
        "status": draw.weighted(_STATUSES),
        "capacity_tons": draw.number(*build.tons),
        "axles": axles,
        "no_of_tyres": axles * _TYRES_PER_AXLE,
        "name_of_country": "India",
        "purchase_date": purchased.isoformat(),
        "registered_at": draw.day(purchased, 5, 40),
        "description_1": draw.one_of(build.notes),
        "description_2": draw.one_of(_NOTES) if draw.happens(0.2) else None,
        **dict.fromkeys(f"description_{number}" for number in (3, 4, 5)),
        "data": {
            "currentLocation": draw.one_of(thing.places).name,
            "lastMaintenance": thing.day(-180, -20),
            "gpsDevice": draw.unique("gps", lambda: f"GPS-{draw.digits(6)}"),
            "insuranceUntil": thing.day(-10, 360),
        },
    }


def _owner(thing: Thing) -> Body:
    draw = thing.draw
    kind = draw.weighted({"OWNED": 5, "LEASED": 3, "HIRED": 2})
    if kind == "HIRED":  # from a driver who owns it
        return {"owner_name": draw.fake.name_male(), "ownership_type": kind}
    return {"owner_name": draw.one_of(companies()) if draw.happens(0.8) else None, "ownership_type": kind}


def _change_status(thing: Thing) -> Body:
    draw, data = thing.draw, thing.body["data"]
    match thing.body["status"]:
        case "Available":
            return {"status": draw.weighted({"In Use": 4, "RUNNING": 1, "Maintenance": 3})}
        case "In Use" | "RUNNING":
            return {"status": "Available", **_move(thing)}
        case "Maintenance":
            done = draw.later_day(data["lastMaintenance"], thing.today)
            return {"status": "Available", "data": data | {"lastMaintenance": done}}
        case _:
            return {"status": "Maintenance"}


def _move(thing: Thing) -> Body:
    return {"data": thing.body["data"] | {"currentLocation": thing.draw.one_of(thing.places).name}}


TRAILERS: Final = Kind(
    FLEET_MANAGER,
    parts=(_trailer, _owner),
    edits=(
        Edit(DISPATCHER, 10, _change_status),
        Edit(BACK_OFFICE, 3, _owner),
        Edit(FLEET_MANAGER, 2, lambda thing: {"description_2": thing.draw.one_of(_NOTES)}),
        Edit(DISPATCHER, 2, _move),
    ),
    edit_counts={0: 50, 1: 24, 2: 14, 3: 8, 6: 4},
)
