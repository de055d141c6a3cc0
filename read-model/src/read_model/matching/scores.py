"""The score of two records: the probability that they are doubles, from the likeness of each field.

Each field adds evidence, in log-odds (Fellegi and Sunter, 1969), less what the number of records makes
likely by chance: among 50 drivers two with one name and one father's name are doubles, among 50,000 they are
namesakes. Evidence of a value that both records lack, or only one has, is 0.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, Final, NamedTuple

from read_model.matching import forms

LEAST_SCORE: Final = 0.7
"""Pairs with a lower score are not reported."""
LEAST_SUGGESTED: Final = 0.5
"""The same for suggestions, for which some values are not entered yet."""
_LONGEST: Final = 200
"""Characters of a value that are compared: the time grows with their square."""
_CHANCE: Final = 0.6
"""Log-odds that each doubling of the records takes, times `log(2)`."""

Points = tuple[tuple[float, float], ...]
"""Log-odds by likeness, ascending; linear between them."""


class _Field(NamedTuple):
    name: str
    """In records and list items."""
    parse: Callable[..., Any]
    """Returns the form of a text; None if it counts as missing."""
    alike: Callable[[Any, Any], float]
    evidence: Points
    others: tuple[str, ...] = ()
    """Fields with further values of the same kind."""
    context: str = ""
    """A field whose text is the second argument of `parse`."""
    is_unique: bool = False
    """Whether equal values make two records exact doubles."""


_NAME: Final[Points] = ((0, -10), (0.7, -10), (0.75, -3.5), (0.8, -1.5), (0.9, 2), (0.97, 4), (1, 4))
_FATHER: Final[Points] = ((0, -1.5), (0.6, -1.5), (0.8, 0.5), (0.9, 2.5), (1, 3.5))
_PHONE: Final[Points] = ((0, -1), (0.5, -1), (0.9, 4), (1, 7))
_MAIL: Final[Points] = ((0, -0.5), (0.7, -0.5), (0.9, 3), (1, 6))
_ADDRESS: Final[Points] = ((0, -0.7), (0.5, -0.7), (0.8, 2), (1, 5))
_DOCUMENT: Final[Points] = ((0, 0), (0.5, 0), (0.9, 5), (1, 8))
_ACCOUNT: Final[Points] = ((0, -0.3), (0.5, -0.3), (0.9, 3.5), (1, 7))
_CHASSIS: Final[Points] = ((0, -3), (0.5, -3), (0.75, 0), (0.9, 3), (0.97, 12), (1, 12))
_ENGINE: Final[Points] = ((0, -2), (0.5, -2), (0.75, 0), (0.9, 3), (0.97, 10), (1, 10))
_PLATE: Final[Points] = ((0, -3), (0.5, -3), (0.75, 1.5), (0.9, 6.5), (0.97, 12), (1, 12))
_LABEL: Final[Points] = ((0, -1), (0.7, -1), (0.85, 1.5), (1, 3.5))

_code = partial(_Field, parse=forms.Code.parse, alike=forms.alike_codes)
_vehicle_code = partial(_code, alike=forms.alike_vehicle_codes, is_unique=True)
_value = partial(_Field, parse=forms.label, alike=forms.alike_values)
_label = partial(_Field, parse=forms.label, alike=forms.alike_labels, evidence=_LABEL)

_FIELDS: Final[Mapping[str, tuple[_Field, ...]]] = {
    "driver": (
        _Field("name", forms.Name.parse, forms.alike_names, _NAME),
        _Field("father_name", forms.Name.parse, forms.alike_names, _FATHER),
        _Field("mobile_number_1", forms.phone, forms.alike_digits, _PHONE, others=("mobile_number_2",)),
        _Field("email_address", forms.Mail.parse, forms.alike_mails, _MAIL),
        _Field("address_1", forms.Address.parse, forms.alike_addresses, _ADDRESS, context="city"),
        _code("passport_number", evidence=_DOCUMENT, is_unique=True),
        _code("driving_license_number", evidence=_DOCUMENT, is_unique=True),
        _code("bank_account_number", evidence=_ACCOUNT),
        _value("id", evidence=((0, 0), (1, 0)), is_unique=True),
    ),
    "horse": (
        _vehicle_code("chassis_number", evidence=_CHASSIS),
        _vehicle_code("engine_number", evidence=_ENGINE),
        _label("identifier"),
    ),
    "trailer": (
        _vehicle_code("trailer_registration_number", evidence=_PLATE),
        _label("identifier"),
        _value("type", evidence=((0, -1.5), (1, 0.3))),
        _value("capacity_tons", evidence=((0, -1), (1, 0.3))),
        _value("purchase_date", evidence=((0, -1), (1, 2))),
    ),
}
MATCHED_TYPES: Final = tuple(_FIELDS)
"""The entity types whose records are matched."""
COMPARED: Final = {
    entity: tuple(name for field in fields for name in (field.name, *field.others))
    for entity, fields in _FIELDS.items()
}
"""The names of the compared fields, by entity type."""
READ: Final = {
    entity: {*COMPARED[entity], *(field.context for field in fields if field.context)}
    for entity, fields in _FIELDS.items()
}
"""The same with fields that only complete a compared one, such as an address's city."""


class FieldMatch(NamedTuple):
    """The likeness of a field's values."""

    name: str
    first: str
    second: str
    likeness: float


class Match(NamedTuple):
    """The result of a comparison."""

    score: float
    exact: bool
    """Whether a value is equal that no two records may share; then the score is 1."""
    fields: tuple[FieldMatch, ...]
    """The fields in which both records have a value."""


@dataclass(frozen=True, slots=True)
class Profile:
    """The comparable forms of a record's fields.

    Attributes:
        values: for each field of the type, texts with their forms.
    """

    entity: str
    values: tuple[tuple[tuple[str, Any], ...], ...]

    @classmethod
    def parse(cls, entity: str, record: Mapping[str, Any]) -> "Profile":
        """Return the forms of a record's, or a list item's, values; some may be missing."""
        return cls(entity, tuple([tuple(_forms(field, record)) for field in _FIELDS[entity]]))

    def forms_of(self, name: str) -> list[Any]:
        """Return the forms of a field's values."""
        place = next(place for place, field in enumerate(_FIELDS[self.entity]) if field.name == name)
        return [form for _, form in self.values[place]]


def compare(first: Profile, second: Profile, *, among: int, least: float = 0.0) -> Match | None:
    """Compare two records of one type.

    Args:
        among: the number of records of the type.
        least: the least score that is of interest.

    Returns:
        None if the score is lower; a field that is compared, but not unique, does not appear if it adds none.
    """
    log_odds, exact = -_CHANCE * math.log(max(among, 2)), False
    found: list[FieldMatch] = []
    for field, ours, theirs in zip(_FIELDS[first.entity], first.values, second.values, strict=True):
        likeness, place = -1.0, (0, 0)
        for number, (_, one) in enumerate(ours):
            for other_number, (_, other) in enumerate(theirs):
                alike = 1.0 if one == other else field.alike(one, other)
                if alike > likeness:
                    likeness, place = alike, (number, other_number)
        if likeness < 0:
            continue
        log_odds += _interpolated(field.evidence, likeness)
        exact = exact or (field.is_unique and likeness == 1.0)
        if field.name != "id" or likeness == 1.0:
            texts = ours[place[0]][0], theirs[place[1]][0]
            found.append(FieldMatch(field.name, *texts, round(likeness, 2)))
    score = 1.0 if exact else round(1 / (1 + math.exp(-log_odds)), 3)
    return Match(score, exact, tuple(found)) if score >= least else None


def _forms(field: _Field, record: Mapping[str, Any]) -> Sequence[tuple[str, Any]]:
    context = (_text(record.get(field.context)),) if field.context else ()
    texts = [_text(record.get(name)) for name in (field.name, *field.others)]
    return [(text, form) for text in texts if text and (form := field.parse(text, *context)) is not None]


def _text(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    is_text = isinstance(value, str | int | float) and not isinstance(value, bool)
    return str(value).strip()[:_LONGEST] if is_text else ""


def _interpolated(points: Points, likeness: float) -> float:
    for (low, before), (high, after) in pairwise(points):
        if likeness <= high:
            return before + (after - before) * (likeness - low) / (high - low)
    return points[-1][1]
