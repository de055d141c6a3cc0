"""Valid and invalid values of each field, restated from the specification (records, validation)."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Final, NamedTuple

from hypothesis import strategies as st

from ops.base.records.entities import ENTITY_TYPES, entity_type

MARK: Final = "Qx7Zk"
"""Part of every text that is sent, so that logs and errors can be searched for submitted values."""

ABSENT: Final = object()
"""As a value to send: the field is left out."""


class Good(NamedTuple):
    """A valid value, as sent and as shown."""

    sent: Any
    shown: Any


class Bad(NamedTuple):
    """An invalid value."""

    sent: Any
    message: str | None = None
    """The specified message; None: the specification has none."""
    below: str = ""
    """The path of the invalid member below the field."""


@dataclass(frozen=True)
class Field:
    usual: Any
    """A valid value that is shown as sent."""
    good: st.SearchStrategy[Good]
    bad: tuple[Bad, ...]
    personal: bool = False
    """Whether it may hold personal data."""
    left_out: Any = None
    """The record's value if the field is left out; `ABSENT`: the field is required."""


_TEXT: Final = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc"]) | st.sampled_from("\t\n\r"), max_size=20
).map(MARK.__add__)
_DATES: Final = st.dates(min_value=date(1900, 1, 1)).map(date.isoformat)
_NULL: Final = st.just(Good(None, None))
_INTEGERS: Final = st.integers(-(2**53) + 1, 2**53 - 1)
_FLOATS: Final = st.floats(-1e15, 1e15)
_JSON: Final = st.recursive(
    st.none() | st.booleans() | _INTEGERS | _FLOATS | _TEXT,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["_type_", "_data_", "__class__", "$ref", "id", ""]) | _TEXT, inner, max_size=3
        )
    ),
    max_leaves=8,
)


def _all_bad(values: list[Any], message: str | None = None) -> tuple[Bad, ...]:
    return tuple(Bad(value, message) for value in values)


_NO_TEXTS: Final = _all_bad([7, True, ["a"], {"a": 1}])
_NO_DATES: Final = _all_bad(["31-03-2031", "2031-02-30", "2031-3-1", 20310301, "soon"])


def _as_sent(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Good]:
    return values.map(lambda value: Good(value, value))


def _missing(message: str) -> tuple[Bad, ...]:
    return _all_bad([ABSENT, None, "", " \t\n"], message=message)


def _required(message: str, usual: str, *, personal: bool = False) -> Field:
    bad = (*_missing(message), *_NO_TEXTS, Bad("x" * 501))
    return Field(f"{MARK} {usual}", _as_sent(_TEXT), bad, personal, ABSENT)


def _optional(*, longest: int = 500, personal: bool = False) -> Field:
    return Field(
        f"{MARK} optional",
        _NULL | st.just(Good("", "")) | _as_sent(_TEXT),
        (*_NO_TEXTS, Bad("x" * (longest + 1))),
        personal,
    )


def _required_date(message: str) -> Field:
    return Field(
        "2031-03-31", _as_sent(_DATES), (*_missing(message), *_NO_DATES), personal=True, left_out=ABSENT
    )


def _optional_date() -> Field:
    return Field("2021-05-10", _NULL | st.just(Good("", None)) | _as_sent(_DATES), _NO_DATES)


def _optional_number() -> Field:
    texts = st.integers(-(10**9), 10**9).map(lambda number: Good(f"{number}", number))
    decimals = st.integers(0, 10**6).map(lambda number: Good(f" {number}.5 ", number + 0.5))
    return Field(
        12,
        _NULL | st.just(Good("", None)) | _as_sent(_INTEGERS) | _as_sent(_FLOATS) | texts | decimals,
        _all_bad(["three", "0x10", "nan", "inf", "1e99", 1e300, True, [1], {}]),
    )


def _number_between(low: int, high: int, message: str) -> Field:
    return Field(
        12.5,
        _as_sent(st.floats(low, high) | st.integers(low, high)),
        _all_bad([low - 1, high + 0.001, 1e300, -1e300, "12", True, None, [], ABSENT], message=message),
        left_out=ABSENT,
    )


def _nested(levels: int) -> dict[str, Any]:
    return {} if levels == 1 else {"a": _nested(levels - 1)}


def _object(*, null_is: dict[str, Any] | None) -> Field:
    flags: list[dict[str, Any]] = [{"flag": True}, {"flag": 1}, {"flag": 1.0}, {"flag": "1"}]
    known = st.sampled_from([*flags, _nested(32)])
    anything = st.dictionaries(_TEXT, _JSON, max_size=3)
    return Field(
        {"_type_": "x", "_data_": 1, "currentLocation": MARK, "lastMaintenance": "2026-10-02"},
        st.just(Good(None, null_is)) | _as_sent(anything | known),
        _all_bad([[], "{}", 1, False, _nested(33), {"far": [1e20]}, {"far": -1.5e300}]),
        personal=True,
        left_out=null_is,
    )


def _attributes() -> Field:
    none = dict.fromkeys(("city", "state", "postalCode", "status", "capacity"))
    texts = st.fixed_dictionaries(
        {}, optional=dict.fromkeys(("city", "state", "postalCode", "status"), _TEXT)
    )
    capacity = st.fixed_dictionaries({}, optional={"capacity": st.none() | _TEXT | _INTEGERS})
    return Field(
        {**none, "city": MARK, "capacity": 120},
        st.builds(lambda one, two: Good({**one, **two}, {**none, **one, **two}), texts, capacity),
        (Bad(3), Bad([]), Bad({"city": 1}, below=".city"), Bad({"zip": "1"}, below=".zip")),
        left_out=none,
    )


def _choice(*choices: str) -> Field:
    return Field(
        choices[0],
        _as_sent(st.sampled_from(choices)),
        (Bad("PORT"), Bad("hub"), Bad(""), Bad(1)),
        left_out=choices[0],
    )


_SPECIFIED: Final[Mapping[str, Mapping[str, Field]]] = {
    "driver": {
        "name": _required("Driver name is required", "Ravi", personal=True),
        "address_1": _required("Primary address is required", "14 Residency Road", personal=True),
        "address_2": _optional(personal=True),
        "city": _required("City is required", "Bengaluru", personal=True),
        "country": _required("Country is required", "India", personal=True),
        "mobile_number_1": _required("Primary mobile number is required", "+91 98450", personal=True),
        "mobile_number_2": _optional(personal=True),
        "email_address": Field(
            f"{MARK}@example.com",
            _as_sent(st.from_regex(rf"{MARK}[a-z0-9.+_-]{{0,9}}@[a-z]{{1,9}}\.[a-z]{{2,3}}", fullmatch=True)),
            _all_bad(
                [ABSENT, None, "", "nobody", "a@b", "@example.com", "a b@example.com", 7],
                message="Invalid email address",
            ),
            personal=True,
            left_out=ABSENT,
        ),
        "father_name": _required("Father's name is required", "Mohan", personal=True),
        "passport_number": _required("Passport number is required", "M1234567", personal=True),
        "passport_expiry_date": _required_date("Passport expiry date is required"),
        "driving_license_number": _required("Driving license number is required", "KA05", personal=True),
        "driving_license_expiry": _required_date("License expiry date is required"),
        "bank_account_number": _required("Bank account number is required", "001122", personal=True),
        "bank_name": _required("Bank name is required", "Canara Bank", personal=True),
        "bank_address": _required("Bank address is required", "MG Road", personal=True),
        "ifsc_code": _required("IFSC code is required", "CNRB0000404", personal=True),
        "swift_code": _optional(personal=True),
    },
    "trailer": {
        "identifier": _required("Identifier is required", "Low bed 7"),
        "trailer_registration_number": _optional(),
        "owner_name": _optional(personal=True),
        "type": _optional(),
        "status": _optional(),
        "capacity_tons": _optional_number(),
        "axles": _optional_number(),
        "no_of_tyres": _optional_number(),
        "name_of_country": _optional(),
        "purchase_date": _optional_date(),
        "registered_at": _optional_date(),
        "ownership_type": _optional(),
        **{f"description_{n}": _optional(longest=4000, personal=True) for n in range(1, 6)},
        "data": _object(null_is=None),
    },
    "horse": {
        "chassis_number": _required("Chassis number is required", "MAT448061"),
        "engine_number": _required("Engine number is required", "ISBE5.9"),
        "hired": _optional(),
        "identifier": _required("Identifier is required", "Prima 4928"),
        "owner": _optional(personal=True),
        "metadata": _object(null_is={}),
        "description": _optional(longest=4000, personal=True),
    },
    "location": {
        "name": _required("Location name is required", "Hosur warehouse"),
        "lat": _number_between(-90, 90, "Latitude must be between -90 and 90"),
        "longitude": _number_between(-180, 180, "Longitude must be between -180 and 180"),
        "country": _required("Country is required", "India"),
        "location_type": _choice("REGULAR", "HUB", "WAREHOUSE", "SERVICE_POINT"),
        "attributes": _attributes(),
    },
}
"""The specification of each entity type's fields."""


def _of_released(entity: str, name: str) -> Field:
    """Return a field that was added after the specification."""
    released = entity_type(entity)
    example, schema = released.example[name], released.schema["properties"][name]
    is_personal = name in released.personal
    if "null" not in schema["type"]:
        return Field(example, st.just(Good(example, example)), (), left_out=ABSENT, personal=is_personal)
    return Field(example, _NULL | st.just(Good(example, example)), (), personal=is_personal)


FIELDS: Final[Mapping[str, Mapping[str, Field]]] = {
    entity.name: {
        name: _SPECIFIED.get(entity.name, {}).get(name) or _of_released(entity.name, name)
        for name in entity.schema["properties"]
        if name not in ("id", "created_at", "updated_at")
    }
    for entity in ENTITY_TYPES
}
"""The fields of each entity type except its id, in the order of the API."""

ENTITIES: Final = tuple(_SPECIFIED)
