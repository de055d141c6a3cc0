"""Parameters of an address's query, declared once: reading them and describing them follow.

An endpoint declares `Annotated[Model, Query()]` with a model of its own: FastAPI describes it in the OpenAPI
document, and `ops.base.http.direct_routes` has it read here.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache, lru_cache
from itertools import chain
from typing import Annotated, Any, ClassVar, Final, Literal, Self, get_origin
from urllib.parse import parse_qsl

from pydantic import BaseModel, ConfigDict, Field, PlainValidator, ValidationInfo
from pydantic import ValidationError as Refusal
from starlette.requests import Request

from ops.base.encryption.searches import SEARCH_PARAMETER
from ops.base.http.problems import ValidationError, validation_failed

MAX_TEXT: Final = 200
"""Characters of a text that is looked for."""
_REMEMBERED_LENGTH: Final = 200
"""Bytes of a query."""
_CONTROL: Final = r"\x00-\x1f\x7f-\x9f"
_CONTROLS: Final = re.compile(f"[{_CONTROL}]")
_WHOLE_NUMBER: Final = re.compile(r"[0-9]{1,19}", re.ASCII)


class BadParameter(ValueError):
    """Carries the message for the client; it never repeats what was sent."""


def not_together_with(*others: str) -> Callable[[Any, ValidationInfo], Any]:
    """Return a validator, to run before the others, of parameters that mean nothing beside other ones."""

    def check(text: Any, info: ValidationInfo) -> Any:
        for other in others:
            if other in (info.context or {}):
                raise BadParameter(f"Must not be given together with {other}")
        return text

    return check


class QueryParameters(BaseModel):
    """What an address's query asks for; parameters that no field declares are not for us.

    A field that is a frozen set or a tuple may be given several times, any other once. Validators find in
    their context the texts of all that are given.
    """

    model_config = ConfigDict(frozen=True, validate_by_name=True)

    decisive: ClassVar[str | None] = None
    """The parameter on which depends what the others mean: where it is bad, it alone is told."""
    looks_for: ClassVar[tuple[str, ...]] = (SEARCH_PARAMETER,)
    """The parameters that may hold anybody's name: what they do is recorded sealed."""
    _several: ClassVar[dict[str, bool]]
    """Whether a parameter may be given several times, by names, in the order in which errors are told."""

    @classmethod
    def __pydantic_init_subclass__(cls, **_: Any) -> None:
        """Note once how each parameter is given."""
        cls._several = {
            field.alias or name: get_origin(field.annotation) in (frozenset, tuple)
            for name, field in cls.model_fields.items()
        }

    @property
    def looked_for(self) -> str:
        """What of it may be anybody's name, a line each; empty: nothing."""
        given = [getattr(self, name) or () for name in self.looks_for if name in self.model_fields_set]
        lines = [[one] if isinstance(one, str) else sorted(one) for one in given]
        return "\n".join(filter(None, chain.from_iterable(lines)))

    @classmethod
    def of(cls, request: Request) -> Self:
        """Read a request's parameters; see `read`.

        What was asked lately is remembered; it may be asked again, also where it had to be in the past.
        """
        query: bytes = request.scope["query_string"]
        return cls.read(query) if len(query) > _REMEMBERED_LENGTH else _read(cls, query)

    @classmethod
    def read(
        cls,
        query: bytes,
        *,
        otherwise: Mapping[str, Callable[[], str]] | None = None,
        errors: Iterable[ValidationError] = (),
    ) -> Self:
        """Read all parameters, and tell everything that is wrong with them at once.

        Args:
            query: the address's query as it was sent.
            otherwise: tells what is meant by parameters that are not given, by their names.
            errors: what else is wrong with the request.

        Raises:
            Problem: 422 with an error for each parameter that is bad.
        """
        given, bad = _given(query, cls._several) if query else ({}, {})
        for name, tell in (otherwise or {}).items():
            if name not in given and name not in bad:
                given[name] = tell()
        if cls.decisive not in bad:
            try:
                asked = cls.model_validate(given, context=given) if given else _nothing(cls)
            except Refusal as refusal:
                bad = _messages(refusal, bad)
            else:
                if not bad and not errors:
                    return asked
        if cls.decisive in bad:
            bad, errors = {cls.decisive: bad[cls.decisive]}, ()
        reported = [ValidationError.at(name, message=bad[name]) for name in cls._several if name in bad]
        raise validation_failed([*reported, *errors])


def parameter(read: Callable[[Any], Any], described: Any) -> PlainValidator:
    """Return what reads a parameter's text; values that code gives are taken as they are.

    Args:
        read: returns what a text means (a list's texts), or raises `BadParameter`.
        described: the type that says of it in the document what can be said.
    """
    return PlainValidator(
        lambda value: read(value) if isinstance(value, str | list) else value,
        json_schema_input_type=described,
    )


def whole_number(low: int, high: int, *, described: Any = None) -> PlainValidator:
    """Return what reads a whole number from `low` to `high`."""

    def read(text: str) -> int:
        if not _WHOLE_NUMBER.fullmatch(text) or not low <= int(text) <= high:
            raise BadParameter(f"Must be a whole number from {low} to {high}")
        return int(text)

    return parameter(read, described or Annotated[int, Field(ge=low, le=high)])


def one_of(*values: str, message: str | None = None) -> PlainValidator:
    """Return what reads one of some words."""

    def read(text: str) -> str:
        if text not in values:
            raise BadParameter(message or f"Must be one of {', '.join(values)}")
        return text

    return parameter(read, Literal[values])


def plain_text(text: str) -> str:
    """Return a text that can be looked for.

    Raises:
        BadParameter: it is none.
    """
    if len(text) > MAX_TEXT:
        raise BadParameter(f"Must be at most {MAX_TEXT} characters")
    if _CONTROLS.search(text):
        raise BadParameter("Must not contain control characters")
    return text


PLAIN_TEXT: Final = parameter(
    plain_text, Annotated[str, Field(max_length=MAX_TEXT, pattern=f"^[^{_CONTROL}]*$")]
)
"""Reads a text that can be looked for."""
YES_OR_NO: Final = one_of("true", "false")


@lru_cache(maxsize=256)
def _read(model: type[Any], query: bytes) -> Any:
    return model.read(query)


def forget_queries() -> None:
    """Remember nothing that was asked: it may be anybody's name."""
    _read.cache_clear()


@cache
def _nothing(model: type[Any]) -> Any:
    """Return what is asked for where nothing is given."""
    return model.model_validate({})


def _messages(refusal: Refusal, bad: Mapping[str, str]) -> dict[str, str]:
    """Return what is wrong, by names; that something is missing, only where nothing is bad."""
    found = {str(error["loc"][0]): error for error in refusal.errors(include_url=False)}
    missing = {name for name, error in found.items() if error["type"] == "missing"}
    bad = {**bad, **{name: str(found[name]["ctx"]["error"]) for name in found.keys() - missing}}
    return bad or dict.fromkeys(missing, "Must be given")


def _given(query: bytes, several: Mapping[str, bool]) -> tuple[dict[str, Any], dict[str, str]]:
    """Return what is given, and messages about what cannot be read, both by names."""
    values: dict[str, list[str]] = {}
    # What is not UTF-8 becomes lone surrogates, and is refused only where it matters.
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
            # Bytes that were sent as they are, not as %XX, are surrogates still.
            decoded = [text.encode("utf-8", "surrogateescape").decode("utf-8") for text in texts]
        except UnicodeDecodeError:
            bad[name] = "Must be UTF-8"
        else:
            given[name] = decoded if several[name] else decoded[0]
    return given, bad


DEFAULT_LIMIT: Final = 100
MAX_LIMIT: Final = 1000
MAX_CURSOR: Final = 2**53 - 1
PASSED_ON: Final = Annotated[str, Field(pattern="^[0-9]{1,15}$")]
"""Clients pass a cursor on as it was told."""


class PartParameters(QueryParameters):
    """A part of a history or a timeline."""

    cursor: Annotated[int | None, whole_number(0, MAX_CURSOR, described=PASSED_ON)] = Field(
        None, description="`next` of the part before", examples=["1"]
    )
    limit: Annotated[int, whole_number(1, MAX_LIMIT)] = Field(
        DEFAULT_LIMIT, description="How many at most", examples=[10]
    )
    order: Annotated[Literal["asc", "desc"], one_of("asc", "desc")] = Field(
        "asc", description="By default the oldest first", examples=["desc"]
    )

    @property
    def descending(self) -> bool:
        """Whether the latest comes first; the part then begins before its cursor, otherwise after it."""
        return self.order == "desc"
