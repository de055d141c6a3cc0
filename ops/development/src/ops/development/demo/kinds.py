"""Invented drivers, trailers, horses and locations: with plausible documents, accounts and plates."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from ops.development.demo.draw import companies
from ops.development.demo.stories import Body, Kind, Thing

_MARKS: Final = (
    *("KA", "MH", "TN", "DL", "GJ", "UP", "RJ", "WB"),
    *("KL", "TS", "AP", "HR", "PB", "MP", "BR", "OD"),
)
"""First letters of Indian number plates and driving licences, by state."""

# Drivers

_BANKS: Final = {
    "State Bank of India": ("SBIN", "SBININBB", 11),
    "HDFC Bank": ("HDFC", "HDFCINBB", 14),
    "Punjab National Bank": ("PUNB", "PUNBINBB", 16),
    "Canara Bank": ("CNRB", "CNRBINBB", 13),
    "Union Bank of India": ("UBIN", "UBININBB", 15),
    "Indian Bank": ("IDIB", "IDIBINBB", 10),
}
"""Start of the IFSC code, SWIFT code and length of account numbers, by name."""
_LANDMARKS: Final = ("Near Bus Stand", "Opp. Railway Station", "Behind Transport Nagar", "Old Town", None)
_EXPIRED, _EXPIRING, _RENEWED = 0.08, 0.14, 0.29
"""Driving licences of remaining drivers: lots up to which each has expired, expires soon, or was renewed."""


def _person(thing: Thing) -> Body:
    fake, family = thing.draw.fake, thing.draw.fake.last_name()
    name = thing.draw.unique("name", lambda: f"{fake.first_name_male()} {family}")
    mailbox = ".".join(re.sub("[^a-z]", "", word) for word in name.lower().split())
    return {
        "id": f"EMP-{thing.number:04}",
        "name": name,
        "father_name": f"{fake.first_name_male()} {family}",
        "email_address": f"{mailbox}@example.com",
    }


def _home(thing: Thing) -> Body:
    fake = thing.draw.fake
    return {
        "address_1": f"{fake.building_number()}, {fake.street_name()}",
        "address_2": thing.draw.one_of(_LANDMARKS),
        "city": thing.place().name,
        "country": "India",
    }


def _phones(thing: Thing) -> Body:
    draw = thing.draw
    first, second = (
        draw.unique("mobile", lambda: f"+91 {draw.number(70000, 99999)} {draw.number(0, 99999):05}")
        for _ in range(2)
    )
    return {"mobile_number_1": first, "mobile_number_2": second if draw.happens(0.35) else None}


def _passport(thing: Thing) -> Body:
    number = thing.draw.unique("passport", lambda: thing.draw.letters(1) + thing.draw.digits(7))
    days = thing.draw.weighted({(60, 3600): 95, (-300, -5): 5})
    return {"passport_number": number, "passport_expiry_date": thing.day(*days)}


def _bank(thing: Thing) -> Body:
    draw = thing.draw
    bank = draw.one_of(list(_BANKS))
    code, swift, digits = _BANKS[bank]
    return {
        "bank_account_number": draw.unique("account", lambda: draw.digits(digits)),
        "bank_name": bank,
        "bank_address": f"Main Branch, {thing.body['city']}",
        "ifsc_code": f"{code}0{draw.number(1, 9999):06}",  # bank, a zero, branch
        "swift_code": swift if draw.happens(0.3) else None,
    }


def _licence(thing: Thing) -> Body:
    draw, lot = thing.draw, 1.0 if thing.lot is None else thing.lot
    limits: Mapping[float, tuple[int, int]] = {_EXPIRED: (-400, -3), _EXPIRING: (2, 28), _RENEWED: (-60, 20)}
    days = next((days for limit, days in limits.items() if lot < limit), (60, 1800))
    return {
        # Office, year of issue, serial number.
        "driving_license_number": draw.unique(
            "licence", lambda: f"{_office(thing)} {thing.today.year - 5}{draw.number(1, 99999):07}"
        ),
        "driving_license_expiry": thing.day(*days),
    }


def _renewal(thing: Thing) -> Body:
    is_due = thing.lot is not None and _EXPIRING <= thing.lot < _RENEWED
    return {"driving_license_expiry": thing.day(1700, 1820)} if is_due else {}


def _office(thing: Thing) -> str:
    return f"{thing.draw.one_of(_MARKS)}{thing.draw.number(1, 60):02}"


def _plate(thing: Thing) -> str:
    draw = thing.draw
    return draw.unique("plate", lambda: f"{_office(thing)}{draw.letters(2)}{draw.number(1, 9999):04}")


# Trailers

_BUILDS: Final = {
    ("LOW_BED", "LB", 60, 4, "Semi low bed, detachable gooseneck"): 20,
    ("FLATBED", "FB", 30, 3, "40 ft platform, stake pockets"): 30,
    ("CONTAINER", "CN", 30, 3, "40 ft skeletal, twist locks"): 35,
    ("TANKER", "TK", 25, 3, "32 kl, four compartments"): 20,
    ("SIDE_WALL", "SW", 30, 2, "Drop sides, 40 ft"): 15,
    ("REFRIGERATED", "RF", 20, 2, "Reefer unit to -20 °C, 32 ft"): 12,
    ("CAR_CARRIER", "CC", 15, 2, "Eight cars, two decks"): 8,
}
"""Type, start of the identifier, tons, axles and description, with weights."""
_REPAIRS: Final = ("Kingpin replaced", "New tarpaulin and ratchet straps", "Second axle retyred", None, None)
_STATUSES: Final = {"Available": 40, "In Use": 30, "RUNNING": 12, "Maintenance": 12, "Out of Service": 6}


def _build(thing: Thing) -> Body:
    draw = thing.draw
    kind, mark, tons, axles, description = draw.weighted(_BUILDS)
    return {
        "identifier": f"{mark}-{thing.number:03}",
        "trailer_registration_number": _plate(thing),
        "type": kind,
        "capacity_tons": tons + draw.number(-4, 4),
        "axles": axles,
        "no_of_tyres": 4 * axles,
        "name_of_country": "India",
        "purchase_date": thing.day(-4400, -300),
        "registered_at": thing.day(-299, -200),
        "description_1": description,
        **dict.fromkeys(f"description_{number}" for number in (3, 4, 5)),
    }


def _status(thing: Thing) -> Body:
    return {"status": thing.draw.weighted(_STATUSES)}


def _repair(thing: Thing) -> Body:
    return {"description_2": thing.draw.one_of(_REPAIRS)}


def _trailer_owner(thing: Thing) -> Body:
    kind = thing.draw.weighted({"OWNED": 5, "LEASED": 3, "HIRED": 2})
    owner = thing.draw.fake.name_male() if kind == "HIRED" else thing.draw.one_of([*companies(), None])
    return {"owner_name": owner, "ownership_type": kind}


def _whereabouts(thing: Thing) -> Body:
    draw = thing.draw
    data = thing.body.get("data") or {"gpsDevice": draw.unique("gps", lambda: f"GPS-{draw.digits(6)}")}
    now = {"currentLocation": draw.one_of(thing.places).name, "lastMaintenance": thing.day(-180, -20)}
    return {"data": {**data, **now, "insuranceUntil": thing.day(-10, 360)}}


# Horses

_MODELS: Final = {
    ("MAT", "Tata", "Prima 5530.S", 300): 40,
    ("MB1", "Ashok Leyland", "AVTR 5525", 250): 35,
    ("MEC", "BharatBenz", "5532TT", 320): 25,
    ("MC2", "Eicher", "Pro 6055", 300): 12,
    ("YV2", "Volvo", "FH 520", 520): 8,
}
"""World manufacturer identifier, make, model and horsepower, with weights."""
_EQUIPMENT: Final = ("Sleeper cabin", "National permit", "Fitted with automatic greasing", None, None, None)


def _vehicle(thing: Thing) -> Body:
    draw = thing.draw
    manufacturer, make, model, power = draw.weighted(_MODELS)
    year = thing.today.year - draw.number(1, 11)
    serial = f"{draw.digits(3)}{draw.letters(5)}{thing.number:06}"
    metadata = {"make": make, "model": model, "year": year, "power_hp": power, "registration": _plate(thing)}
    return {
        "id": f"HRS-{thing.number:04}",
        "chassis_number": f"{manufacturer}{serial}",
        "identifier": f"{model} #{thing.number:03}",
        "metadata": metadata,
    }


def _service(thing: Thing) -> Body:
    driven = thing.body["metadata"].get("odometer_km", 0) + thing.draw.number(4_000, 90_000)
    insurance = {"policy": f"MV/{thing.draw.digits(8)}", "valid_until": thing.day(5, 360)}
    now = {"odometer_km": driven, "last_service": thing.day(-150, -1), "insurance": insurance}
    return {"metadata": thing.body["metadata"] | now}


def _engine(thing: Thing) -> Body:
    draw = thing.draw
    return {"engine_number": draw.unique("engine", lambda: f"{draw.letters(4)}{draw.digits(6)}")}


def _horse_owner(thing: Thing) -> Body:
    return {"hired": "Yes" if thing.draw.happens(0.3) else "No", "owner": thing.draw.one_of(companies())}


def _equipment(thing: Thing) -> Body:
    return {"description": thing.draw.one_of(_EQUIPMENT)}


# Locations

_TYPES: Final = {
    "REGULAR": ("", 20),
    "HUB": (" Hub", 300),
    "WAREHOUSE": (" Warehouse", 150),
    "SERVICE_POINT": (" Service Point", 16),
}
"""End of the name and the largest number of vehicles, by type."""


def _site(thing: Thing) -> Body:
    place = thing.places[thing.number - 1]
    kind = thing.draw.one_of(list(_TYPES))
    return {
        "name": place.name + _TYPES[kind][0],
        "lat": place.latitude,
        "longitude": place.longitude,
        "country": place.country,
        "location_type": kind,
        "attributes": {"city": place.name, "state": place.state, "postalCode": None},
    }


def _capacity(thing: Thing) -> Body:
    draw, largest = thing.draw, _TYPES[thing.body["location_type"]][1]
    now = {
        "status": draw.weighted({"Active": 88, "Maintenance": 7, "Inactive": 5}),
        "capacity": draw.number(largest // 4, largest),
    }
    if thing.body["attributes"]["state"]:
        now["postalCode"] = str(draw.number(110_001, 855_999))
    return {"attributes": thing.body["attributes"] | now}


KINDS: Final[Mapping[str, Kind]] = {
    "location": Kind({_site: 0, _capacity: 1}, {0: 90, 1: 6, 2: 3, 3: 1}),
    "driver": Kind(
        {_person: 0, _home: 5, _phones: 6, _passport: 2, _bank: 3, _licence: 0},
        {0: 58, 1: 23, 2: 11, 3: 5, 5: 3},
        _renewal,
    ),
    "trailer": Kind(
        {_build: 0, _status: 10, _repair: 2, _trailer_owner: 3, _whereabouts: 2},
        {0: 50, 1: 24, 2: 14, 3: 8, 6: 4},
    ),
    "horse": Kind(
        {_vehicle: 0, _service: 5, _engine: 1, _horse_owner: 2, _equipment: 1}, {0: 58, 1: 24, 2: 12, 4: 6}
    ),
}
"""By the names of entity types."""

# Near doubles, which are never exact by the rules for unique values

Double = Callable[[Body], Body]
"""Returns the fields of a double, given the record of the same person or vehicle."""


def _swapped_name(driver: Body) -> Body:
    same = ("father_name", "city", "email_address")
    return {
        **{name: driver[name] for name in same},
        "name": " ".join(reversed(driver["name"].split(" "))),
        "mobile_number_1": "0" + "".join(re.findall("[0-9]", driver["mobile_number_1"]))[2:],
        "address_1": driver["address_1"].upper(),
    }


def _other_spelling(driver: Body) -> Body:
    return {
        **{name: driver[name] for name in ("address_1", "city")},
        "name": re.sub("[aei]", lambda vowel: 2 * vowel[0], driver["name"], count=1),
        "father_name": driver["father_name"],
        "bank_account_number": f"{driver['bank_account_number'][:4]} {driver['bank_account_number'][4:]}",
    }


def _letter_for_digit(horse: Body) -> Body:
    number = horse["chassis_number"]
    return {"chassis_number": f"{number[:3]}{number[3:].replace('0', 'O', 1)}"}


def _mistyped_plate(trailer: Body) -> Body:
    plate = trailer["trailer_registration_number"]
    wrong = f"{plate[:-2]}{(int(plate[-2]) + 5) % 10}{plate[-1]}"
    same = ("type", "capacity_tons", "axles", "no_of_tyres", "purchase_date", "registered_at")
    return {**{name: trailer[name] for name in same}, "trailer_registration_number": wrong}


DOUBLES: Final[Mapping[str, Sequence[Double]]] = {
    "driver": (_swapped_name, _other_spelling),
    "horse": (_letter_for_digit,),
    "trailer": (_mistyped_plate,),
}
"""By the names of entity types."""
