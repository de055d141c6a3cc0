"""Query parameters of the feed."""

import re
from collections.abc import Callable, Mapping
from typing import Annotated, Any, ClassVar, Final, Literal, Self

from pydantic import Field, PlainValidator, ValidationInfo, field_validator
from starlette.datastructures import Headers
from starlette.requests import Request

from ops.base.http.consistency import LogPosition
from ops.base.http.problems import Problem, ValidationError
from query_api.feed.filters import ENTITIES, TYPE_PATTERN, EventFilter
from query_api.feed.formats import FORMATS, MEDIA_TYPES, preferred
from query_api.http.parameters import (
    DEFAULT_LIMIT,
    MAX_LIMIT,
    YES_OR_NO,
    BadParameter,
    QueryParameters,
    one_of,
    parameter,
    whole_number,
)

LAST_EVENT_ID: Final = "Last-Event-ID"
MAX_WAIT_SECONDS: Final = 30
MAX_POSITION: Final = 10**18 - 1
MAX_FILTERS: Final = 50
"""Maximum number of values of one filter."""
HEAD: Final = "head"

Format = Literal["batch", "ndjson", "sse"]
Start = int | LogPosition | Literal["head"]
"""Position after which to begin: in this log, of an event's id, or the last one."""

_ONLY: Final[Mapping[str, Format]] = {"limit": "batch", "wait": "batch", "follow": "ndjson"}
"""Parameters that are allowed in one format only."""
_FOLLOWS: Final[Mapping[str, str]] = {"batch": "false", "sse": "true"}
"""The redundant value of `follow` that is allowed in other formats."""
_POSITION: Final = re.compile(r"[0-9]{1,19}", re.ASCII)


def _after(text: str) -> str:
    if text == HEAD or LogPosition.parse(text) or (_POSITION.fullmatch(text) and int(text) <= MAX_POSITION):
        return text
    raise BadParameter("Must be a position, the id of an event, or head")


def _names(is_known: Callable[[str], object], expected: str, described: Any) -> PlainValidator:
    """Return a validator of names, also separated by commas."""

    def read(texts: list[str]) -> frozenset[str]:
        names = frozenset(name for text in texts for name in text.split(","))
        if len(names) > MAX_FILTERS:
            raise BadParameter(f"Must be at most {MAX_FILTERS}")
        if not all(map(is_known, names)):
            raise BadParameter(f"Must be {expected}, or several separated by commas")
        return names

    return parameter(read, Annotated[list[described], Field(max_length=10)])


_ENTITIES: Final = _names(ENTITIES.__contains__, f"one of {', '.join(ENTITIES)}", Literal[ENTITIES])
_TYPES: Final = _names(
    re.compile(TYPE_PATTERN, re.ASCII).fullmatch,
    "a type such as fleetlog.driver.registered.v2, driver.registered or registered",
    Annotated[str, Field(pattern=TYPE_PATTERN)],
)


class FeedParameters(QueryParameters):
    """Query parameters of the feed."""

    decisive: ClassVar = "format"

    format: Annotated[Format, one_of(*FORMATS)] = Field(
        default_factory=lambda: "batch", description="Replaces `Accept`", examples=["ndjson"]
    )
    after: Annotated[
        str,
        parameter(
            _after,
            Annotated[str, Field(pattern=f"^([0-9]{{1,18}}|[0-9a-f]{{32}}:[0-9]{{1,18}}|{HEAD})$")],
        ),
    ] = Field(
        "0",
        description=f"Begin after this position or event id; `{HEAD}`: only new events. By default at the"
        " first event",
        examples=["0", HEAD],
    )
    limit: Annotated[int, whole_number(1, MAX_LIMIT)] = Field(
        DEFAULT_LIMIT, description="Maximum number of events of a batch", examples=[10]
    )
    wait: Annotated[int, whole_number(0, MAX_WAIT_SECONDS)] = Field(
        0, description="Seconds for which a batch waits for new events", examples=[0]
    )
    follow: Annotated[Literal["true", "false"], YES_OR_NO] = Field(
        "false", description="Whether lines continue with new events", examples=["false"]
    )
    entity: Annotated[frozenset[str], _ENTITIES] = Field(
        default_factory=frozenset,
        description="Only events of these entity types; also separated by commas",
        examples=[["driver"]],
    )
    type: Annotated[frozenset[str], _TYPES] = Field(
        default_factory=frozenset,
        description="Only events of these types: complete, an entity's in any version, or of any entity; also"
        " separated by commas",
        examples=[["fleetlog.horse.details_changed.v2"], ["driver.registered"], ["removed"]],
    )

    @field_validator(*_ONLY, mode="before")
    @classmethod
    def _fits_the_format(cls, text: Any, info: ValidationInfo) -> Any:
        form, only = (info.context or {}).get("format"), _ONLY[info.field_name or ""]
        if form not in (None, only) and (info.field_name != "follow" or text != _FOLLOWS.get(form)):
            raise BadParameter(f"Must not be given with the format {form}, only with {only}")
        return text

    @property
    def start(self) -> Start:
        """The position after which to begin."""
        return "head" if self.after == HEAD else LogPosition.parse(self.after) or int(self.after)

    @property
    def filter(self) -> EventFilter:
        """The filter by entity type and event type."""
        return EventFilter(self.entity, self.type)

    @property
    def lasts(self) -> bool:
        """Whether the answer may take long: a stream, or a long poll."""
        return self.format != "batch" or self.wait > 0

    @classmethod
    def of(cls, request: Request) -> Self:
        """Parse a request's parameters and headers.

        `Last-Event-ID` takes precedence over `after`: a reconnecting client repeats its original address.

        Raises:
            Problem: 422 with an error for each bad parameter; 406, the client accepts none of the formats.
        """
        headers = request.headers
        last = headers.get(LAST_EVENT_ID)
        parsed = cls.read(
            request.scope["query_string"],
            otherwise={"format": lambda: _accepted(headers)},
            errors=[ValidationError.at(LAST_EVENT_ID, message="Must be the id of an event of the feed")]
            if last and not LogPosition.parse(last)
            else [],
        )
        return parsed.model_copy(update={"after": last}) if last else parsed


def _accepted(headers: Headers) -> Format:
    chosen = preferred(",".join(headers.getlist("accept")), [MEDIA_TYPES[form] for form in FORMATS])
    if chosen is None:
        raise Problem(
            406,
            "not-acceptable",
            f"Accept one of {', '.join(MEDIA_TYPES.values())}.",
            headers={"Vary": "Accept"},
        )
    return next(form for form in FORMATS if MEDIA_TYPES[form] == chosen)
