"""The fleet's horses (tractor units)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from ops.launcher.demo.companies import companies
from ops.launcher.demo.places import Place
from ops.launcher.demo.randomness import Draw
from ops.launcher.demo.story import BACK_OFFICE, FLEET_MANAGER, Body, Edit

_VIN_LETTERS: Final = "ABCDEFGHJKLMNPRSTUVWXYZ"
_VIN_YEARS: Final = "ABCDEFGHJKLMNPRSTVWXY123456789"
"""Model year codes from 2010 on (ISO 3779 as used in North America and India)."""


@dataclass(frozen=True)
class Make:
    """A maker of horses.

    Attributes:
        name: the maker.
        wmi: its world manufacturer identifier, with which its chassis numbers begin.
        models: their names and engine powers in horsepower.
        engine: makes an engine number of its form.
    """

    name: str
    wmi: str
    models: tuple[tuple[str, int], ...]
    engine: Callable[[Draw], str]


_MAKES: Final = {
    Make(
        "Tata",
        "MAT",
        (("Prima 5530.S", 300), ("Signa 4625.S", 250), ("Signa 5530.S", 300), ("LPS 4018", 180)),
        lambda draw: f"ISBE6.7-{draw.digits(8)}",
    ): 40,
    Make(
        "Ashok Leyland",
        "MB1",
        (("AVTR 5525", 250), ("AVTR 4620", 200), ("AVTR 5532", 320)),
        lambda draw: f"AHHZ{draw.digits(6)}",
    ): 35,
    Make(
        "BharatBenz",
        "MEC",
        (("4028TT", 280), ("5532TT", 320)),
        lambda draw: f"400908D00{draw.digits(5)}",
    ): 25,
    Make("Eicher", "MC2", (("Pro 6046", 260), ("Pro 6055", 300)), lambda draw: f"VEDX8{draw.digits(6)}"): 12,
    Make("Volvo", "YV2", (("FM 420", 420), ("FH 520", 520)), lambda draw: f"D13K-{draw.digits(6)}"): 8,
}
_NOTES: Final = (
    "Sleeper cabin",
    "Fuel tank with anti-theft cap",
    "Reserved for over-dimensional cargo",
    "Fitted with automatic greasing",
    "National permit",
)


class Horses:
    """Invents horses, and what becomes different about them."""

    def __init__(self, draw: Draw, today: date, places: Sequence[Place]) -> None:
        """Prepare.

        Args:
            draw: where chance comes from.
            today: from which dates are counted.
            places: where they may be registered; those outside India are left out.
        """
        self._draw = draw
        self._today = today
        self._states = [place.state for place in places if place.state]
        self._companies = companies()
        self._engines = {make.name: make.engine for make in _MAKES}
        self.edits = (
            Edit(FLEET_MANAGER, 5, self._service),
            Edit(BACK_OFFICE, 3, self._insure),
            Edit(BACK_OFFICE, 2, lambda _: self._owner()),
            Edit(FLEET_MANAGER, 1, self._replace_engine),
            Edit(FLEET_MANAGER, 1, lambda _: {"description": draw.one_of(_NOTES)}),
        )

    def new(self, number: int) -> Body:
        """Return the record with which a horse is registered."""
        draw = self._draw
        make = draw.weighted(_MAKES)
        model, power = draw.one_of(make.models)
        year = self._today.year - draw.number(1, 11)
        return {
            "id": f"HRS-{number:04}",
            "chassis_number": draw.unique("chassis", lambda: self._chassis_number(make, year)),
            "engine_number": self._engine_number(make.name),
            **self._owner(),
            "identifier": f"{model} #{number:03}",
            "metadata": {
                "make": make.name,
                "model": model,
                "year": year,
                "power_hp": power,
                "emission_norm": "BS-VI" if year >= 2020 else "BS-IV",
                "registration": draw.one_of(self._states).plate(draw),
                "odometer_km": (self._today.year - year) * draw.number(60_000, 110_000),
                "last_service": draw.day(self._today, -150, -30),
                "insurance": self._policy(),
            },
            "description": draw.one_of(_NOTES) if draw.happens(0.3) else None,
        }

    def _chassis_number(self, make: Make, year: int) -> str:
        draw = self._draw
        year_code = _VIN_YEARS[(year - 2010) % len(_VIN_YEARS)]
        descriptor = draw.digits(3) + draw.letters(3, _VIN_LETTERS)
        return f"{make.wmi}{descriptor}{year_code}{draw.letters(1, _VIN_LETTERS)}{draw.digits(6)}"

    def _engine_number(self, make: str) -> str:
        return self._draw.unique("engine", lambda: self._engines[make](self._draw))

    def _owner(self) -> Body:
        hired = self._draw.happens(0.3)
        return {"hired": "Yes" if hired else "No", "owner": self._draw.one_of(self._companies)}

    def _policy(self) -> Body:
        number = self._draw.unique("policy", lambda: f"MV/{self._draw.digits(8)}")
        return {"policy": number, "valid_until": self._draw.day(self._today, 5, 360)}

    def _service(self, body: Body) -> Body:
        former = body["metadata"]
        done = {
            "odometer_km": former["odometer_km"] + self._draw.number(4_000, 18_000),
            "last_service": self._draw.later_day(former["last_service"], self._today),
        }
        return {"metadata": former | done}

    def _insure(self, body: Body) -> Body:
        return {"metadata": body["metadata"] | {"insurance": self._policy()}}

    def _replace_engine(self, body: Body) -> Body:
        return {"engine_number": self._engine_number(body["metadata"]["make"])}
