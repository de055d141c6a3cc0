"""The fleet's horses (tractor units)."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from ops.development.demo.randomness import companies
from ops.development.demo.story import BACK_OFFICE, FLEET_MANAGER, Body, Edit, Kind, Thing

_VIN_LETTERS: Final = "ABCDEFGHJKLMNPRSTUVWXYZ"
_VIN_YEARS: Final = "ABCDEFGHJKLMNPRSTVWXY123456789"
"""Model year codes from 2010 on (ISO 3779 as used in North America and India)."""


class _Make(NamedTuple):
    wmi: str
    """Its world manufacturer identifier, with which its chassis numbers begin."""
    engine: str
    """What its engine numbers begin with."""
    digits: int
    """How many follow."""
    models: Sequence[tuple[str, int]]
    """Their names and engine powers in horsepower."""
    share: int


_MAKES: Final[Mapping[str, _Make]] = {
    "Tata": _Make(
        *("MAT", "ISBE6.7-", 8),
        (("Prima 5530.S", 300), ("Signa 4625.S", 250), ("Signa 5530.S", 300), ("LPS 4018", 180)),
        40,
    ),
    "Ashok Leyland": _Make(
        "MB1", "AHHZ", 6, (("AVTR 5525", 250), ("AVTR 4620", 200), ("AVTR 5532", 320)), 35
    ),
    "BharatBenz": _Make("MEC", "400908D00", 5, (("4028TT", 280), ("5532TT", 320)), 25),
    "Eicher": _Make("MC2", "VEDX8", 6, (("Pro 6046", 260), ("Pro 6055", 300)), 12),
    "Volvo": _Make("YV2", "D13K-", 6, (("FM 420", 420), ("FH 520", 520)), 8),
}
_NOTES: Final = (
    *("Sleeper cabin", "Fuel tank with anti-theft cap", "Reserved for over-dimensional cargo"),
    *("Fitted with automatic greasing", "National permit"),
)


def _horse(thing: Thing) -> Body:
    draw = thing.draw
    name = draw.weighted({name: make.share for name, make in _MAKES.items()})
    model, power = draw.one_of(_MAKES[name].models)
    age = draw.number(1, 11)
    year = thing.today.year - age
    return {
        "id": f"HRS-{thing.number:04}",
        "chassis_number": draw.unique("chassis", lambda: _chassis_number(thing, _MAKES[name].wmi, year)),
        "identifier": f"{model} #{thing.number:03}",
        "metadata": {
            "make": name,
            "model": model,
            "year": year,
            "power_hp": power,
            "emission_norm": "BS-VI" if year >= 2020 else "BS-IV",
            "registration": thing.indian_place()[1].plate(draw),
            "odometer_km": age * draw.number(60_000, 110_000),
            "last_service": thing.day(-150, -30),
            "insurance": _policy(thing),
        },
        "description": draw.one_of(_NOTES) if draw.happens(0.3) else None,
    }


def _chassis_number(thing: Thing, wmi: str, year: int) -> str:
    draw = thing.draw
    year_code = _VIN_YEARS[(year - 2010) % len(_VIN_YEARS)]
    descriptor = draw.digits(3) + draw.letters(3, _VIN_LETTERS)
    return f"{wmi}{descriptor}{year_code}{draw.letters(1, _VIN_LETTERS)}{draw.digits(6)}"


def _engine(thing: Thing) -> Body:
    make, draw = _MAKES[thing.body["metadata"]["make"]], thing.draw
    return {"engine_number": draw.unique("engine", lambda: f"{make.engine}{draw.digits(make.digits)}")}


def _owner(thing: Thing) -> Body:
    hired = thing.draw.happens(0.3)
    return {"hired": "Yes" if hired else "No", "owner": thing.draw.one_of(companies())}


def _policy(thing: Thing) -> Body:
    number = thing.draw.unique("policy", lambda: f"MV/{thing.draw.digits(8)}")
    return {"policy": number, "valid_until": thing.day(5, 360)}


def _service(thing: Thing) -> Body:
    former = thing.body["metadata"]
    done = {
        "odometer_km": former["odometer_km"] + thing.draw.number(4_000, 18_000),
        "last_service": thing.draw.later_day(former["last_service"], thing.today),
    }
    return {"metadata": former | done}


HORSES: Final = Kind(
    FLEET_MANAGER,
    parts=(_horse, _engine, _owner),
    edits=(
        Edit(FLEET_MANAGER, 5, _service),
        Edit(
            BACK_OFFICE, 3, lambda thing: {"metadata": thing.body["metadata"] | {"insurance": _policy(thing)}}
        ),
        Edit(BACK_OFFICE, 2, _owner),
        Edit(FLEET_MANAGER, 1, _engine),
        Edit(FLEET_MANAGER, 1, lambda thing: {"description": thing.draw.one_of(_NOTES)}),
    ),
    edit_counts={0: 58, 1: 24, 2: 12, 4: 6},
)
