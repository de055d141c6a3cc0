"""The fleet's drivers: invented people with plausible papers, and nobody's accounts at real Indian banks."""

import re
from enum import Enum
from typing import Final, NamedTuple

from ops.development.demo.story import BACK_OFFICE, DISPATCHER, Body, Edit, Kind, Thing


class _Bank(NamedTuple):
    name: str
    """As customers know it."""
    code: str
    """First four letters of its IFSC codes."""
    swift: str
    account_digits: int
    """Length of its account numbers."""


_BANKS: Final = (
    _Bank("State Bank of India", "SBIN", "SBININBB", 11),
    _Bank("HDFC Bank", "HDFC", "HDFCINBB", 14),
    _Bank("ICICI Bank", "ICIC", "ICICINBB", 12),
    _Bank("Punjab National Bank", "PUNB", "PUNBINBB", 16),
    _Bank("Canara Bank", "CNRB", "CNRBINBB", 13),
    _Bank("Bank of Baroda", "BARB", "BARBINBB", 14),
    _Bank("Union Bank of India", "UBIN", "UBININBB", 15),
    _Bank("Axis Bank", "UTIB", "AXISINBB", 15),
    _Bank("Indian Bank", "IDIB", "IDIBINBB", 10),
    _Bank("Kotak Mahindra Bank", "KKBK", "KKBKINBB", 10),
)

_BRANCHES: Final = ("Main Branch", "Station Road", "MG Road", "Transport Nagar", "Market Yard", "Civil Lines")
_LANDMARKS: Final = (
    *("Near Bus Stand", "Opp. Railway Station", "Behind Transport Nagar", "Near Government School"),
    *("Old Town", "Near Water Tank", "Gandhi Nagar", "Nehru Colony"),
)
_PASSPORT_LETTERS: Final = "JKLMNPRSTUVWZ"


def bank_account(thing: Thing) -> Body:
    """Return the banking fields of a driver of a city, with an account number that was not drawn before."""
    draw = thing.draw
    bank = draw.one_of(_BANKS)
    return {
        "bank_account_number": draw.unique("account", lambda: draw.digits(bank.account_digits)),
        "bank_name": bank.name,
        "bank_address": f"{draw.one_of(_BRANCHES)}, {thing.body['city']}",
        "ifsc_code": f"{bank.code}0{draw.number(1, 9999):06}",  # RBI: bank, a zero, branch
        "swift_code": bank.swift if draw.happens(0.3) else None,
    }


class Licence(Enum):
    """How a driver's licence stands; the values say when it ends, in days from today."""

    VALID = (60, 1800)
    EXPIRED = (-400, -3)
    EXPIRING = (2, 28)
    RENEWED = (-60, 20)
    """It was about to end, or had ended, when the driver was registered; it has been renewed since."""


_SHARES: Final = {Licence.EXPIRED: 0.08, Licence.EXPIRING: 0.06, Licence.RENEWED: 0.15}
"""Of those who stay."""


def licence_of(thing: Thing) -> Licence:
    """Return how the licence of a driver stands: exactly as many have each as their shares say."""
    left = 1.0 if thing.lot is None else thing.lot
    for licence, share in _SHARES.items():
        if left < share:
            return licence
        left -= share
    return Licence.VALID


def _person(thing: Thing) -> Body:
    fake, draw = thing.draw.fake, thing.draw
    family = fake.last_name()
    name = draw.unique(
        "name",
        lambda: f"{fake.first_name_female() if draw.happens(0.05) else fake.first_name_male()} {family}",
    )
    return {
        "name": name,
        "father_name": f"{fake.first_name_male()} {family}",
        "email_address": f"{_mailbox(name)}@example.com",
    }


def _address(thing: Thing, city: str) -> Body:
    draw = thing.draw
    return {
        "address_1": f"{draw.fake.building_number()}, {draw.fake.street_name()}",
        "address_2": draw.one_of(_LANDMARKS) if draw.happens(0.6) else None,
        "city": city,
    }


def _mobile_number(thing: Thing) -> str:
    draw = thing.draw
    return draw.unique("mobile", lambda: f"+91 {draw.number(70000, 99999)} {draw.number(0, 99999):05}")


def _numbers(thing: Thing) -> Body:
    second = _mobile_number(thing) if thing.draw.happens(0.35) else None
    return {"mobile_number_1": _mobile_number(thing), "mobile_number_2": second}


def _passport(thing: Thing, days: tuple[int, int]) -> Body:
    draw = thing.draw
    number = draw.unique("passport", lambda: draw.letters(1, _PASSPORT_LETTERS) + draw.digits(7))
    return {"passport_number": number, "passport_expiry_date": thing.day(*days)}


def _at_home(thing: Thing) -> Body:
    """Return what depends on a driver's home: the licence's number is as its register, Sarathi, writes it."""
    draw = thing.draw
    place, state = thing.indian_place()
    year = thing.today.year - draw.number(2, 30)
    return {
        "id": f"EMP-{thing.number:04}",
        **_address(thing, place.name),
        "country": "India",
        # Office, year of issue, serial.
        "driving_license_number": draw.unique(
            "licence", lambda: f"{state.office(draw)} {year}{draw.number(1, 99999):07}"
        ),
        "driving_license_expiry": thing.day(*licence_of(thing).value),
    }


def _mailbox(name: str) -> str:
    """Return what stands before the @; names may have apostrophes."""
    return ".".join(re.sub("[^a-z]", "", word) for word in name.lower().split())


def _move(thing: Thing) -> Body:
    stays = thing.draw.happens(0.6)
    return _address(thing, thing.body["city"] if stays else thing.indian_place()[0].name)


def _second_number(thing: Thing) -> Body:
    return {"mobile_number_2": None if thing.body["mobile_number_2"] else _mobile_number(thing)}


def _new_mailbox(thing: Thing) -> Body:
    number = thing.draw.number(10, 99)
    return {"email_address": f"{_mailbox(thing.body['name'])}{number}@example.com"}


# Five years for transport vehicles: Motor Vehicles Act, section 14 (2).
_RENEWAL: Final = Edit(BACK_OFFICE, 0, lambda thing: {"driving_license_expiry": thing.day(1700, 1820)})

DRIVERS: Final = Kind(
    BACK_OFFICE,
    parts=(
        _person,
        _at_home,
        _numbers,
        lambda thing: _passport(thing, thing.draw.weighted({(60, 3600): 95, (-300, -5): 5})),
        bank_account,
    ),
    edits=(
        Edit(BACK_OFFICE, 5, _move),
        Edit(DISPATCHER, 4, lambda thing: {"mobile_number_1": _mobile_number(thing)}),
        Edit(DISPATCHER, 2, _second_number),
        Edit(BACK_OFFICE, 3, bank_account),
        Edit(BACK_OFFICE, 2, lambda thing: _passport(thing, (3300, 3640))),
        Edit(BACK_OFFICE, 1, _new_mailbox),
    ),
    edit_counts={0: 58, 1: 23, 2: 11, 3: 5, 5: 3},
    certain=lambda thing: [_RENEWAL] if licence_of(thing) is Licence.RENEWED else [],
)
