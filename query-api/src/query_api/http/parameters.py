"""Query parameters, declared once for parsing and for the OpenAPI document.

An endpoint declares `Annotated[Model, Query()]`: FastAPI describes the model in the OpenAPI document, and
`ops.base.http.direct_routes` parses the request with `Model.of`.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from functools import lru_cache
from itertools import chain
from typing import Annotated, Any, ClassVar, Final, Literal, Self, get_origin
from urllib.parse import parse_qsl

from pydantic import BaseModel, ConfigDict, Field, PlainValidator, ValidationInfo
from pydantic import ValidationError as Refusal
from starlette.requests import Request

from ops.base.encryption.searches import SEARCH_PARAMETER
from ops.base.http.problems import ValidationError, validation_failed

MAX_TEXT: Final = 200
"""Maximum length of a search text in characters."""
_CACHED_LENGTH: Final = 200
"""Longest query string whose parsed parameters are cached, in bytes."""
_CONTROL: Final = r"\x00-\x1f\x7f-\x9f"
_CONTROLS: Final = re.compile(f"[{_CONTROL}]")
_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_WHOLE_NUMBER: Final = re.compile(r"[0-9]{1,19}", re.ASCII)


class BadParameter(ValueError):
    """A message for the client, without the submitted value."""


def not_together_with(*others: str) -> Callable[[Any, ValidationInfo], Any]:
    """Return a before-validator that rejects a parameter given together with one of others."""

    def check(text: Any, info: ValidationInfo) -> Any:
        for other in others:
            if other in (info.context or {}):
                raise BadParameter(f"Must not be given together with {other}")
        return text

    return check


class QueryParameters(BaseModel):
    """Query parameters of one endpoint; undeclared parameters are ignored.

    A field that is a frozen set or a tuple may be given several times, any other once. The validation context
    has the texts of all given parameters.
    """

    model_config = ConfigDict(frozen=True, validate_by_name=True)

    decisive: ClassVar[str | None] = None
    """The parameter that decides how others are validated: if it is bad, only its error is reported."""
    sensitive: ClassVar[tuple[str, ...]] = (SEARCH_PARAMETER,)
    """Parameters that may contain a person's name: the access log stores them encrypted."""
    _several: ClassVar[dict[str, bool]]
    """Whether a parameter may be given several times, by name, in the order of reported errors."""

    @classmethod
    def __pydantic_init_subclass__(cls, **_: Any) -> None:
        """Derive once which parameters may be given several times."""
        cls._several = {
            field.alias or name: get_origin(field.annotation) in (frozenset, tuple)
            for name, field in cls.model_fields.items()
        }

    @property
    def sensitive_text(self) -> str:
        """The given values of sensitive parameters, one per line."""
        given = [getattr(self, name) or () for name in self.sensitive if name in self.model_fields_set]
        lines = [[one] if isinstance(one, str) else sorted(one) for one in given]
        return "\n".join(filter(None, chain.from_iterable(lines)))

    @classmethod
    def of(cls, request: Request) -> Self:
        """Parse a request's parameters, or return them from the cache."""
        query: bytes = request.scope["query_string"]
        return cls.read(query) if len(query) > _CACHED_LENGTH else _read(cls, query)

    @classmethod
    def read(
        cls,
        query: bytes,
        *,
        otherwise: Mapping[str, Callable[[], str]] | None = None,
        errors: Iterable[ValidationError] = (),
    ) -> Self:
        """Parse a query string.

        Args:
            otherwise: functions that return the value of a missing parameter, by name.
            errors: other errors of the request, reported together with those of its parameters.

        Raises:
            Problem: 422 with an error for each bad parameter.
        """
        given, bad = _given(query, cls._several) if query else ({}, {})
        for name, default in (otherwise or {}).items():
            if name not in given and name not in bad:
                given[name] = default()
        if cls.decisive not in bad:
            try:
                parsed = cls.model_validate(given, context=given)
            except Refusal as refusal:
                bad = _messages(refusal, bad)
            else:
                if not bad and not errors:
                    return parsed
        if cls.decisive in bad:
            bad, errors = {cls.decisive: bad[cls.decisive]}, ()
        reported = [ValidationError.at(name, message=bad[name]) for name in cls._several if name in bad]
        raise validation_failed([*reported, *errors])


def parameter(read: Callable[[Any], Any], described: Any) -> PlainValidator:
    """Return a validator that parses a parameter's text; values given by code are not parsed.

    Args:
        read: parses a text (or a list of texts), or raises `BadParameter`.
        described: the type that describes the parameter in the OpenAPI document.
    """
    return PlainValidator(
        lambda value: read(value) if isinstance(value, str | list) else value,
        json_schema_input_type=described,
    )


def whole_number(low: int, high: int, *, described: Any = None) -> PlainValidator:
    """Return a validator that parses an integer from `low` to `high`."""

    def read(text: str) -> int:
        if not _WHOLE_NUMBER.fullmatch(text) or not low <= int(text) <= high:
            raise BadParameter(f"Must be a whole number from {low} to {high}")
        return int(text)

    return parameter(read, described or Annotated[int, Field(ge=low, le=high)])


def one_of(*values: str) -> PlainValidator:
    """Return a validator that accepts one of some words."""

    def read(text: str) -> str:
        if text not in values:
            raise BadParameter(f"Must be one of {', '.join(values)}")
        return text

    return parameter(read, Literal[values])


def read_day(text: str) -> date:
    """Return the day that a text such as 2026-11-21 names, or raise `BadParameter`."""
    try:
        if _DAY.fullmatch(text):
            return date.fromisoformat(text)
    except ValueError:
        pass
    raise BadParameter("Must be a day such as 2026-11-21")


def plain_text(text: str) -> str:
    """Return a text that is not too long and has no control characters, or raise `BadParameter`."""
    if len(text) > MAX_TEXT:
        raise BadParameter(f"Must be at most {MAX_TEXT} characters")
    if _CONTROLS.search(text):
        raise BadParameter("Must not contain control characters")
    return text


AnyPlainText = Annotated[str, Field(max_length=MAX_TEXT, pattern=f"^[^{_CONTROL}]*$")]
"""Describes what `plain_text` reads."""
PLAIN_TEXT: Final = parameter(plain_text, AnyPlainText)
YES_OR_NO: Final = one_of("true", "false")


@lru_cache(maxsize=256)  # parsing takes 16 µs; a whole request answered from memory 120 µs
def _read(model: type[Any], query: bytes) -> Any:
    return model.read(query)


def clear_parsed_queries() -> None:
    """Empty the cache of parsed queries, which may contain people's names."""
    _read.cache_clear()


def _messages(refusal: Refusal, bad: Mapping[str, str]) -> dict[str, str]:
    """Return error messages by name; missing parameters are reported only if no other is bad."""
    found = {str(error["loc"][0]): error for error in refusal.errors(include_url=False)}
    missing = {name for name, error in found.items() if error["type"] == "missing"}
    bad = {**bad, **{name: str(found[name]["ctx"]["error"]) for name in found.keys() - missing}}
    return bad or dict.fromkeys(missing, "Must be given")


def _given(query: bytes, several: Mapping[str, bool]) -> tuple[dict[str, Any], dict[str, str]]:
    """Return given texts, and messages about those that cannot be decoded, both by name."""
    values: dict[str, list[str]] = {}
    # Bytes that are not UTF-8 become lone surrogates, which are rejected only in declared parameters.
    text = query.decode("ascii", "surrogateescape")
    for name, value in parse_qsl(text, keep_blank_values=True, errors="surrogateescape"):
        if name in several:
            values.setdefault(name, []).append(value)
    given: dict[str, Any] = {}
    bad = {}
    for name, texts in values.items():
        if len(texts) > 1 and not several[name]:
            bad[name] = "May be given only once"
            continue
        try:
            # Bytes that were not sent as %XX are surrogates, too.
            decoded = [text.encode("utf-8", "surrogateescape").decode("utf-8") for text in texts]
        except UnicodeDecodeError:
            bad[name] = "Must be UTF-8"
        else:
            given[name] = decoded if several[name] else decoded[0]
    return given, bad


DEFAULT_LIMIT: Final = 100
MAX_LIMIT: Final = 1000
MAX_CURSOR: Final = 2**53 - 1
Cursor = Annotated[
    int | None,
    whole_number(0, MAX_CURSOR, described=Annotated[str, Field(pattern="^[0-9]{1,15}$")]),
    Field(description="`next` of the previous page", examples=["1"]),
]


class PageParameters(QueryParameters):
    """A page of entries after a cursor."""

    cursor: Cursor = None
    limit: Annotated[int, whole_number(1, MAX_LIMIT)] = Field(
        DEFAULT_LIMIT, description="Maximum number of entries", examples=[10]
    )
    order: Annotated[Literal["asc", "desc"], one_of("asc", "desc")] = Field(
        "asc", description="Oldest first by default", examples=["desc"]
    )

    @property
    def descending(self) -> bool:
        """Whether the page has the entries before its cursor, latest first, instead of those after it."""
        return self.order == "desc"
