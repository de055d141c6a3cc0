"""The fleet's drivers: invented people with plausible papers."""

import re
from collections.abc import Sequence
from datetime import date
from enum import Enum
from typing import Final

from ops.launcher.demo.banks import bank_account
from ops.launcher.demo.places import Place
from ops.launcher.demo.randomness import Draw
from ops.launcher.demo.states import State
from ops.launcher.demo.story import BACK_OFFICE, DISPATCHER, Body, Edit

_LANDMARKS: Final = (
    "Near Bus Stand",
    "Opp. Railway Station",
    "Behind Transport Nagar",
    "Near Government School",
    "Old Town",
    "Near Water Tank",
    "Gandhi Nagar",
    "Nehru Colony",
)
_PASSPORT_LETTERS: Final = "JKLMNPRSTUVWZ"


class Licence(Enum):
    """How a driver's licence stands; the values say when it ends, in days from today."""

    VALID = (60, 1800)
    EXPIRED = (-400, -3)
    EXPIRING = (2, 28)
    RENEWED = (-60, 20)
    """It was about to end, or had ended, when the driver was registered; it has been renewed since."""


class Drivers:
    """Invents drivers, and what becomes different about them."""

    def __init__(self, draw: Draw, today: date, places: Sequence[Place]) -> None:
        """Prepare.

        Args:
            draw: where chance comes from.
            today: from which expiry dates are counted.
            places: where they may live; those outside India are left out.
        """
        self._draw = draw
        self._today = today
        self._homes = [(place, place.state) for place in places if place.state]
        self.edits = (
            Edit(BACK_OFFICE, 5, self._move),
            Edit(DISPATCHER, 4, self._new_mobile_number),
            Edit(DISPATCHER, 2, self._second_mobile_number),
            Edit(BACK_OFFICE, 3, lambda body: bank_account(draw, body["city"])),
            Edit(BACK_OFFICE, 2, self._renew_passport),
            Edit(BACK_OFFICE, 1, self._new_email_address),
        )
        self.renewal = Edit(BACK_OFFICE, 0, self._renew_licence)

    def new(self, employee_number: str, licence: Licence) -> Body:
        """Return the record with which a driver is registered."""
        draw = self._draw
        family = draw.fake.last_name()
        name = draw.unique("name", lambda: f"{self._first_name()} {family}")
        place, state = draw.one_of(self._homes)
        return {
            "id": employee_number,
            "name": name,
            **self._address(place.name),
            "country": "India",
            "mobile_number_1": self._mobile_number(),
            "mobile_number_2": self._mobile_number() if draw.happens(0.35) else None,
            "email_address": f"{_mailbox(name)}@example.com",
            "father_name": f"{draw.fake.first_name_male()} {family}",
            **self._passport(draw.weighted({(60, 3600): 95, (-300, -5): 5})),
            "driving_license_number": self._licence_number(state),
            "driving_license_expiry": draw.day(self._today, *licence.value),
            **bank_account(draw, place.name),
        }

    def _first_name(self) -> str:
        fake = self._draw.fake
        return str(fake.first_name_female() if self._draw.happens(0.05) else fake.first_name_male())

    def _address(self, city: str) -> Body:
        fake = self._draw.fake
        return {
            "address_1": f"{fake.building_number()}, {fake.street_name()}",
            "address_2": self._draw.one_of(_LANDMARKS) if self._draw.happens(0.6) else None,
            "city": city,
        }

    def _mobile_number(self) -> str:
        draw = self._draw
        return draw.unique("mobile", lambda: f"+91 {draw.number(70000, 99999)} {draw.number(0, 99999):05}")

    def _passport(self, days: tuple[int, int]) -> Body:
        draw = self._draw
        return {
            "passport_number": draw.unique(
                "passport", lambda: draw.letters(1, _PASSPORT_LETTERS) + draw.digits(7)
            ),
            "passport_expiry_date": draw.day(self._today, *days),
        }

    def _licence_number(self, state: State) -> str:
        """Return a number as Sarathi, the licence register, writes it: office, year of issue, serial."""
        draw = self._draw
        year = self._today.year - draw.number(2, 30)
        return draw.unique("licence", lambda: f"{state.office(draw)} {year}{draw.number(1, 99999):07}")

    def _move(self, body: Body) -> Body:
        elsewhere, _ = self._draw.one_of(self._homes)
        return self._address(body["city"] if self._draw.happens(0.6) else elsewhere.name)

    def _new_mobile_number(self, _: Body) -> Body:
        return {"mobile_number_1": self._mobile_number()}

    def _second_mobile_number(self, body: Body) -> Body:
        return {"mobile_number_2": None if body["mobile_number_2"] else self._mobile_number()}

    def _renew_passport(self, _: Body) -> Body:
        return self._passport((3300, 3640))

    def _renew_licence(self, _: Body) -> Body:
        # Five years for transport vehicles: Motor Vehicles Act, section 14 (2).
        return {"driving_license_expiry": self._draw.day(self._today, 1700, 1820)}

    def _new_email_address(self, body: Body) -> Body:
        return {"email_address": f"{_mailbox(body['name'])}{self._draw.number(10, 99)}@example.com"}


def _mailbox(name: str) -> str:
    """Return what stands before the @; names may have apostrophes."""
    return ".".join(re.sub("[^a-z]", "", word) for word in name.lower().split())
