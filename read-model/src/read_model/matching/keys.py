"""Keys that near doubles share, by which SQL finds candidates without comparing all records.

A key joins parts of a record that seldom agree by chance. Each likely difference, such as one wrong
character, leaves some key of a double as it is.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

from read_model.matching.forms import Code, consonants
from read_model.matching.scores import MATCHED_TYPES, Profile

NAMESAKE: Final = "n"
"""First letter of the keys of a name with a father's name, which many namesakes share."""
_LONGEST: Final = 48
_PART: Final = 4
_VEHICLE_CODES: Final = {
    "horse": ("chassis_number", "engine_number"),
    "trailer": ("trailer_registration_number",),
}
_DELETED: Final = 24
"""Longest number of a vehicle each character of which is left out once."""


def match_keys(entity: str, record: Mapping[str, Any]) -> list[str]:
    """Return the keys of a record, or of a list item; values may be missing.

    Keys consist of letters and digits, so that they need no quotes in an array literal.
    """
    if entity not in MATCHED_TYPES:
        return []
    profile = Profile.parse(entity, record)
    keys = _of_driver(profile) if entity == "driver" else _of_vehicle(profile)
    return sorted({key[:_LONGEST] for key in keys})


def _of_driver(driver: Profile) -> Iterator[str]:
    (name, *_), (father, *_) = ([*driver.forms_of(one), None] for one in ("name", "father_name"))
    names, fathers = (name.keys if name else ()), (father.keys if father else ())
    for key in fathers:
        words = name.sounds if name and len(name.sounds) > 1 else ()
        yield from (f"{NAMESAKE}{one}x{key}" for one in names)
        yield from (f"{NAMESAKE}{consonants(one)}y{key}" for one in words if len(one) > 1)
    yield from _of_contacts(driver, names, fathers)
    yield from _of_numbers(driver, names)
    yield from (f"u{employee}" for employee in driver.forms_of("id"))


def _of_contacts(driver: Profile, names: Sequence[str], fathers: Sequence[str]) -> Iterator[str]:
    for number in driver.forms_of("mobile_number_1"):
        yield f"p{number}"
        for name in names:
            yield from (f"q{number[-5:]}{name}", f"r{number[:-5]}{name}")
    for mail in driver.forms_of("email_address"):
        yield f"e{_plain(mail.mailbox)}"
    for address in driver.forms_of("address_1"):
        place = f"{_plain(address.key)}{_plain(address.city)}"
        yield from (f"a{name}x{place}" for name in names)
        yield from (f"b{father}x{place}" for father in fathers)


def _of_numbers(driver: Profile, names: Sequence[str]) -> Iterator[str]:
    for place, field in enumerate(("passport_number", "driving_license_number", "bank_account_number")):
        for code in driver.forms_of(field):
            yield f"k{place}{code.clear}"
            half = code.clear[: len(code.clear) // 2]
            for name in names:
                yield from (f"l{place}{half}z{name}", f"m{place}{code.clear[-_PART:]}z{name}")


def _of_vehicle(vehicle: Profile) -> Iterator[str]:
    for place, field in enumerate(_VEHICLE_CODES[vehicle.entity]):
        for code in vehicle.forms_of(field):
            yield from map(partial(str.__add__, f"c{place}"), _with_deletions(code))
    yield from (f"i{identifier}" for identifier in vehicle.forms_of("identifier"))


def _with_deletions(code: Code) -> Iterator[str]:
    """Yield a number, and the same without one character: common to numbers that differ by one."""
    yield code.clear
    if _PART < len(code.clear) <= _DELETED:
        yield from (code.clear[:place] + code.clear[place + 1 :] for place in range(len(code.clear)))


def _plain(text: str) -> str:
    return "".join(filter(str.isalnum, text))
