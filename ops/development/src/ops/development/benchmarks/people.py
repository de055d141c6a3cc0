"""Drivers who differ as people do: few are called as most are, and papers end on any day of some years."""

import json
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from random import Random
from typing import Any, Final

from faker.providers.person.en_IN import Provider

from ops.development.benchmarks.bodies import body
from ops.development.demo.places import real_places

FIRST_DAY: Final = date(2025, 1, 1)
DAYS: Final = 3650
_CITIES: Final = 300
# Each stands in a template where a person has another; days must be some.
_TOKENS: Final = {
    "name": "Somebody Somewhat",
    "father_name": "Somebody Other",
    "city": "Somewhere",
    "mobile_number_1": "+91 00000 00001",
    "mobile_number_2": "+91 00000 00002",
    "email_address": "somebody@example.com",
    "passport_number": "PASSPORT0",
    "passport_expiry_date": "1901-01-01",
    "driving_license_number": "LICENCE00",
    "driving_license_expiry": "1902-02-02",
}


def template(entity_id: str) -> str:
    """Return a driver's body, of which copies are to be other people."""
    made: dict[str, Any] = json.loads(body("driver", entity_id))
    return json.dumps({**made, **_TOKENS})


class People:
    """The same people each time."""

    def __init__(self) -> None:
        """Begin with the first."""
        self._random = Random(1)  # noqa: S311 - nothing secret
        self._cities = [place.name for place in real_places(_CITIES)]

    def person(self) -> Iterator[tuple[bytes, bytes]]:
        """Yield what in a template is to be replaced by what, for the next of them."""
        given, family = self._one_of(Provider.first_names), self._one_of(Provider.last_names)
        number = self._random.randrange(10**9)
        values = {
            "name": f"{given} {family}",
            "father_name": f"{self._one_of(Provider.first_names)} {family}",
            "city": self._one_of(self._cities),
            "mobile_number_1": self._phone(),
            "mobile_number_2": self._phone(),
            "email_address": f"{given}.{family}{number % 1000}@example.com".lower(),
            "passport_number": f"P{self._random.randrange(10**7):07}",
            "passport_expiry_date": self._day(),
            "driving_license_number": f"MH{number % 100:02} {number:011}",
            "driving_license_expiry": self._day(),
        }
        return ((_TOKENS[name].encode(), value.encode()) for name, value in values.items())

    def _one_of(self, choices: Sequence[str]) -> str:
        """Return one of the first more often."""
        return choices[int(len(choices) * self._random.random() ** 2)]

    def _phone(self) -> str:
        digits = f"{self._random.randrange(6 * 10**9, 10**10)}"
        return f"+91 {digits[:5]} {digits[5:]}"

    def _day(self) -> str:
        return str(FIRST_DAY + timedelta(days=self._random.randrange(DAYS)))
