"""Rules for fields, with the specification's messages (validation): `Annotated[str, Text(...)]`.

Each rule converts a submitted value into the JSON value to store, or raises a `PydanticCustomError` with a
message for people, which never repeats the submitted value.
"""

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any, ClassVar, Final
from zoneinfo import ZoneInfo

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from ops.base.records.control_characters import CONTROLS, NO_CONTROLS
from ops.base.records.entities import ID_PATTERN, is_id
from ops.base.records.json_values import nested_at_most
from ops.base.records.operations import moment_text

MAX_NUMBER: Final = 2**53 - 1
"""Every JSON reader represents integers up to this one exactly (RFC 7493)."""
SHORT_TEXT: Final = 500
MAX_DEPTH: Final = 32
LONG_TEXT: Final = 4000
LONG_URL: Final = 2000
NUMBER_TOO_GREAT: Final = f"Must not contain a number beyond {MAX_NUMBER}"

# The HTML standard's "valid e-mail address", with at least one dot in the domain.
_LABEL = r"[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"
_EMAIL = re.compile(rf"[a-zA-Z0-9.!#$%&'*+/=?^_`{{|}}~-]{{1,64}}@{_LABEL}(?:\.{_LABEL})+", re.ASCII)
_PORT = "(?:[1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5])"
_HTTPS_URL = rf"https://{_LABEL}(?:\.{_LABEL})*(?::{_PORT})?(?:[/?][!-\"$-~]*)?"
_ZONE_NAME = r"[A-Za-z][A-Za-z0-9_+-]*(?:/[A-Za-z0-9_+-]+)*"
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
# RFC 3339, section 5.6; seconds may be left out, as browsers do.
_MOMENT = re.compile(
    r"\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?([Zz]|[+-]\d{2}:\d{2})", re.ASCII
)
_STORED_MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z", re.ASCII)
# No text that matches is a number beyond MAX_NUMBER.
_NUMERIC_TEXT: Final = (
    r"[+-]?(?:[0-9]{1,15}(?:\.[0-9]{1,15})?|[0-9]{1,6}(?:\.[0-9]{1,15})?[eE](?:-[0-9]{1,2}|\+?[0-9]))"
)
# The characters that `str.strip` removes and a body may contain: `\s` differs between regex dialects.
_BLANK: Final = r"\t\n\r\x20\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
BLANK_TEXT: Final = rf"^[{_BLANK}]*$"
"""Pattern of a blank text, for the OpenAPI document."""


def broken(message: str) -> PydanticCustomError:
    """Return the error for a broken rule; clients see `message` unchanged."""
    return PydanticCustomError("rule", "{message}", {"message": message})


def _is_blank(value: Any, required: str | None) -> bool:
    """Return whether a value is missing; raise with the message `required` if it must not be."""
    is_blank = value is None or (isinstance(value, str) and not value.strip())
    if is_blank and required is not None:
        raise broken(required)
    return is_blank


def has_number_beyond_max(value: Any) -> bool:
    """Return whether a JSON value is, or contains, a number beyond `MAX_NUMBER` in either direction."""
    if isinstance(value, dict | list):
        return any(map(has_number_beyond_max, value.values() if isinstance(value, dict) else value))
    return isinstance(value, int | float) and abs(value) > MAX_NUMBER


class Rule(ABC):
    """One rule for one field; a pydantic annotation."""

    required: str | None = None
    """The message for a missing field; None: the field may be missing."""

    @abstractmethod
    def check(self, value: Any) -> Any:
        """Return the value to store; raises `PydanticCustomError`."""

    @abstractmethod
    def json_schema(self) -> dict[str, Any]:
        """Return the schema of values that `check` accepts, for the OpenAPI document."""

    def stored_json_schema(self) -> dict[str, Any]:
        """Return the schema of values that `check` returns, which are stored and answered."""
        return self.json_schema()

    def __get_pydantic_core_schema__(self, _source: Any, _handler: GetCoreSchemaHandler) -> CoreSchema:
        check: Callable[[Any], Any] = self.check
        return core_schema.no_info_plain_validator_function(check)

    def __get_pydantic_json_schema__(
        self, _schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return self.stored_json_schema() if handler.mode == "serialization" else self.json_schema()


@dataclass(frozen=True)
class Text(Rule):
    """Text of any form. With `required`, the field must be present and not blank."""

    required: str | None = None
    max_length: int = SHORT_TEXT

    def check(self, value: Any) -> str | None:
        if self.required is not None and (value is None or (isinstance(value, str) and not value.strip())):
            raise broken(self.required)
        if value is None:
            return None
        if not isinstance(value, str):
            raise broken("Must be text")
        if len(value) > self.max_length:
            raise broken(f"Must be at most {self.max_length} characters")
        return value

    def json_schema(self) -> dict[str, Any]:
        if self.required is None:
            return {"type": ["string", "null"], "maxLength": self.max_length, "pattern": NO_CONTROLS}
        return {
            "type": "string",
            "minLength": 1,
            "maxLength": self.max_length,
            "pattern": rf"^[^{CONTROLS}]*[^{CONTROLS}{_BLANK}][^{CONTROLS}]*$",
        }


@dataclass(frozen=True)
class Email(Rule):
    """An e-mail address, required."""

    required: str

    def check(self, value: Any) -> str:
        if not isinstance(value, str) or len(value) > SHORT_TEXT or not _EMAIL.fullmatch(value):
            raise broken(self.required)
        return value

    def json_schema(self) -> dict[str, Any]:
        return {"type": "string", "format": "email", "maxLength": SHORT_TEXT}


@dataclass(frozen=True)
class _TextOrNull(Rule):
    """A text of some form. An optional one may be null or blank, which both mean null."""

    form: ClassVar[Mapping[str, str]]
    """Keywords that describe the form in a schema."""
    required: str | None = None

    @abstractmethod
    def read(self, value: Any) -> str:
        """Return the text to store; raises `PydanticCustomError`."""

    def check(self, value: Any) -> str | None:
        return None if _is_blank(value, self.required) else self.read(value)

    def json_schema(self) -> dict[str, Any]:
        schema = {"type": "string", **self.form}
        blank = {"type": ["string", "null"], "pattern": BLANK_TEXT}
        return schema if self.required is not None else {"anyOf": [schema, blank]}

    def stored_json_schema(self) -> dict[str, Any]:
        form = {name: value for name, value in self.form.items() if name == "format"}
        return {"type": "string" if self.required else ["string", "null"], **form}


class Date(_TextOrNull):
    """A calendar day as `YYYY-MM-DD`."""

    form: ClassVar[Mapping[str, str]] = {"format": "date"}

    def read(self, value: Any) -> str:
        if not is_day(value):
            raise broken("Must be a date as YYYY-MM-DD")
        return str(value)


def is_day(value: Any) -> bool:
    """Return whether a value is an existing day, as `YYYY-MM-DD`."""
    if not isinstance(value, str) or not _DATE.fullmatch(value):
        return False
    try:
        date.fromisoformat(value)
    except ValueError:
        return False
    return True


class Moment(_TextOrNull):
    """A date and time with its time zone (RFC 3339), stored in UTC with milliseconds."""

    form: ClassVar[Mapping[str, str]] = {"format": "date-time"}

    def read(self, value: Any) -> str:
        if isinstance(value, str) and _MOMENT.fullmatch(value):
            try:
                return moment_text(datetime.fromisoformat(value.upper()).astimezone(UTC))
            except (ValueError, OverflowError):
                pass
        raise broken("Must be a date and time with its time zone, such as 2026-11-21T09:30:00+05:30")


def is_moment(value: Any) -> bool:
    """Return whether a value is a moment as `Moment` stores it."""
    return isinstance(value, str) and _STORED_MOMENT.fullmatch(value) is not None


class RecordId(_TextOrNull):
    """The id of a record."""

    form: ClassVar[Mapping[str, str]] = {"pattern": ID_PATTERN}

    def read(self, value: Any) -> str:
        if not isinstance(value, str) or not is_id(value):
            raise broken("Must be the id of a record")
        return value


@dataclass(frozen=True)
class Number(Rule):
    """An optional number; numeric text is converted, and blank text means null."""

    def check(self, value: Any) -> int | float | None:
        if value is None or (isinstance(value, str) and not value.strip()):
            return None
        if isinstance(value, str):
            text = value.strip()
            if not re.fullmatch(_NUMERIC_TEXT, text):
                raise broken("Must be a number")
            number = float(text)
            value = int(number) if number.is_integer() and abs(number) <= MAX_NUMBER else number
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise broken("Must be a number")
        if not math.isfinite(value) or abs(value) > MAX_NUMBER:
            raise broken(f"Must be between {-MAX_NUMBER} and {MAX_NUMBER}")
        return value

    def json_schema(self) -> dict[str, Any]:
        return {
            "anyOf": [
                {"type": "number", "minimum": -MAX_NUMBER, "maximum": MAX_NUMBER},
                {"type": "string", "pattern": rf"^[{_BLANK}]*(?:{_NUMERIC_TEXT})?[{_BLANK}]*$"},
                {"type": "null"},
            ]
        }

    def stored_json_schema(self) -> dict[str, Any]:
        return {"type": ["number", "null"]}


@dataclass(frozen=True)
class NumberBetween(Rule):
    """A required number from `low` to `high`, both included."""

    low: float
    high: float
    required: str

    def check(self, value: Any) -> int | float:
        if type(value) not in (int, float) or not self.low <= value <= self.high:
            raise broken(self.required)
        number: int | float = value
        return number

    def json_schema(self) -> dict[str, Any]:
        return {"type": "number", "minimum": self.low, "maximum": self.high}


@dataclass(frozen=True)
class OneOf(Rule):
    """One of the given texts."""

    choices: tuple[str, ...]
    required: str | None = None

    def check(self, value: Any) -> str:
        if self.required is not None and (value is None or (isinstance(value, str) and not value.strip())):
            raise broken(self.required)
        if not isinstance(value, str) or value not in self.choices:
            raise broken(f"Must be one of {', '.join(self.choices)}")
        return value

    def json_schema(self) -> dict[str, Any]:
        return {"type": "string", "enum": list(self.choices)}


@dataclass(frozen=True)
class ListOf(Rule):
    """Different values that obey a rule for texts; null means none."""

    item: Rule
    most: int = 50

    def check(self, value: Any) -> list[str]:
        if value is None:
            return []
        if not isinstance(value, list):
            raise broken("Must be a list")
        if len(value) > self.most:
            raise broken(f"Must have at most {self.most} values")
        items = [self.item.check(one) for one in value]
        if len(set(items)) < len(items):
            raise broken("Must not have the same value twice")
        return items

    def json_schema(self) -> dict[str, Any]:
        items = self.item.json_schema()
        return {"type": ["array", "null"], "items": items, "maxItems": self.most, "uniqueItems": True}

    def stored_json_schema(self) -> dict[str, Any]:
        return {"type": "array", "items": {"type": "string"}}


@dataclass(frozen=True)
class HttpsUrl(Rule):
    """The https address of a host, with neither user nor fragment, or null."""

    def check(self, value: Any) -> str | None:
        if value is None:
            return None
        if not isinstance(value, str) or len(value) > LONG_URL or not re.fullmatch(_HTTPS_URL, value):
            raise broken("Must be an address such as https://hooks.example.com/fleet")
        return value

    def json_schema(self) -> dict[str, Any]:
        return {"type": ["string", "null"], "maxLength": LONG_URL, "pattern": f"^{_HTTPS_URL}$"}

    def stored_json_schema(self) -> dict[str, Any]:
        return {"type": ["string", "null"]}


@dataclass(frozen=True)
class TimeZone(Rule):
    """The name of an existing IANA time zone."""

    def check(self, value: Any) -> str:
        try:
            if isinstance(value, str) and re.fullmatch(_ZONE_NAME, value) and ZoneInfo(value):
                return value
        except (LookupError, ValueError, OSError):
            pass
        raise broken("Must be the name of a time zone, such as Asia/Kolkata")

    def json_schema(self) -> dict[str, Any]:
        return {"type": "string", "pattern": f"^{_ZONE_NAME}$"}

    def stored_json_schema(self) -> dict[str, Any]:
        return {"type": "string"}


@dataclass(frozen=True)
class WholeNumber(Rule):
    """A whole number from `low` to `high`, both included."""

    low: int
    high: int = MAX_NUMBER

    def check(self, value: Any) -> int:
        if type(value) not in (int, float) or not self.low <= value <= self.high or value != int(value):
            raise broken(f"Must be a whole number from {self.low} to {self.high}")
        return int(value)

    def json_schema(self) -> dict[str, Any]:
        return {"type": "integer", "minimum": self.low, "maximum": self.high}


@dataclass(frozen=True)
class JsonObject(Rule):
    """A JSON object of the client's own, with any keys."""

    null_means_empty: bool = False

    def check(self, value: Any) -> dict[str, Any] | None:
        if value is None:
            return {} if self.null_means_empty else None
        if not isinstance(value, dict):
            raise broken("Must be a JSON object")
        if not nested_at_most(value, MAX_DEPTH):
            raise broken(f"Must not be nested deeper than {MAX_DEPTH} levels")
        if has_number_beyond_max(value):
            raise broken(NUMBER_TOO_GREAT)
        return value

    def json_schema(self) -> dict[str, Any]:
        return {"type": ["object", "null"], "additionalProperties": True}

    def stored_json_schema(self) -> dict[str, Any]:
        stored = "object" if self.null_means_empty else ["object", "null"]
        return {"type": stored, "additionalProperties": True}


@dataclass(frozen=True)
class TextOrNumber(Rule):
    """A short text, a number, or null."""

    def check(self, value: Any) -> str | int | float | None:
        if isinstance(value, str):
            return Text().check(value)
        return Number().check(value)

    def json_schema(self) -> dict[str, Any]:
        return {
            "type": ["string", "number", "null"],
            "maxLength": SHORT_TEXT,
            "pattern": NO_CONTROLS,
            "minimum": -MAX_NUMBER,
            "maximum": MAX_NUMBER,
        }


@dataclass(frozen=True)
class VersionNumber(Rule):
    """A required version number."""

    def check(self, value: Any) -> int:
        if type(value) is not int or value < 1:
            raise broken("Must be a version: a whole number from 1")
        return value

    def json_schema(self) -> dict[str, Any]:
        return {"type": "integer", "minimum": 1, "maximum": MAX_NUMBER}
