"""What is asked of the feed."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from starlette.datastructures import Headers

from ops.base.consistency import LogPosition
from ops.base.problems import Problem, ValidationError, validation_failed
from query_api.feed.filters import ENTITIES, EVERYTHING, Filter, is_type
from query_api.feed.formats import FORMATS, MEDIA_TYPES
from query_api.feed.negotiation import preferred
from query_api.parameters import BadParameter, Reader, one_of, read_parameters, whole_number

FEED_PATH: Final = "/api/v1/events"
LAST_EVENT_ID: Final = "Last-Event-ID"
DEFAULT_LIMIT: Final = 100
MAX_LIMIT: Final = 1000
MAX_WAIT_SECONDS: Final = 30
MAX_POSITION: Final = 10**18 - 1
MAX_FILTERS: Final = 50
"""Values of one filter."""
HEAD: Final = "head"

Format = Literal["batch", "ndjson", "sse"]
Start = int | LogPosition | Literal["head"]
"""After which event to begin: a position in this log, an event's id, or the last one there is."""


@dataclass(frozen=True)
class Asked:
    """What a request asks of the feed."""

    format: Format
    after: Start = 0
    filter: Filter = EVERYTHING
    limit: int = DEFAULT_LIMIT
    """Of a batch."""
    wait: int = 0
    """Seconds for which an empty batch waits for what comes."""
    follow: bool = False
    """Whether lines go on at the head."""

    @property
    def lasts(self) -> bool:
        """Whether the answer may last as long as the client likes: a stream, or a long poll."""
        return self.format != "batch" or self.wait > 0


def read_asked(query: bytes, headers: Headers) -> Asked:
    """Read a request's parameters and headers.

    `Last-Event-ID` counts more than `after`: who comes back sends the address they began with.

    Raises:
        Problem: 422 with an error for each parameter that is bad; 406 where the client takes no format.
    """
    form = read_parameters(query, {"format": one_of("format", FORMATS)}).get("format")
    form = form or _accepted(headers)
    readers: dict[str, Reader] = {
        "format": one_of("format", FORMATS),
        "after": lambda text: {"after": _start(text)},
        "limit": lambda text: {"limit": whole_number(text, 1, MAX_LIMIT)},
        "wait": lambda text: {"wait": whole_number(text, 0, MAX_WAIT_SECONDS)},
        "follow": one_of("follow", ("true", "false")),
        **{name: _elsewhere(name, form) for name, forms in _ONLY.items() if form not in forms},
    }
    errors: list[ValidationError] = []
    members: dict[str, Any] = {}
    try:
        members = read_parameters(query, readers, lists={"entity": _entities, "type": _types})
    except Problem as problem:
        errors += problem.validation_errors
    last = headers.get(LAST_EVENT_ID)
    if last:
        members["after"] = LogPosition.parse(last)
        if members["after"] is None:
            errors.append(ValidationError.at(LAST_EVENT_ID, message="Must be the id of an event of the feed"))
    if errors:
        raise validation_failed(errors)
    return Asked(
        format=form,
        after=members.get("after", 0),
        filter=Filter.of(members.get("entity", ()), members.get("type", ())),
        limit=members.get("limit", DEFAULT_LIMIT),
        wait=members.get("wait", 0),
        follow=members.get("follow") == "true",
    )


def _accepted(headers: Headers) -> Format:
    chosen = preferred(",".join(headers.getlist("accept")), [MEDIA_TYPES[form] for form in FORMATS])
    if chosen is None:
        raise Problem(
            406,
            "not-acceptable",
            f"The feed is answered as {', '.join(MEDIA_TYPES.values())} only.",
            headers={"Vary": "Accept"},
        )
    return next(form for form in FORMATS if MEDIA_TYPES[form] == chosen)


def _start(text: str) -> Start:
    if text == HEAD:
        return "head"
    place = LogPosition.parse(text)
    if place is not None:
        return place
    try:
        return whole_number(text, 0, MAX_POSITION)
    except BadParameter:
        raise BadParameter("Must be a position, the id of an event, or head") from None


def _entities(texts: Iterable[str]) -> dict[str, Any]:
    names = _split(texts)
    if not names <= set(ENTITIES):
        raise BadParameter(f"Must be one of {', '.join(ENTITIES)}, or several with commas between them")
    return {"entity": names}


def _types(texts: Iterable[str]) -> dict[str, Any]:
    names = _split(texts)
    if not all(is_type(name) for name in names):
        raise BadParameter(
            "Must be a type such as fleetlog.driver.registered.v2, driver.registered or registered,"
            " or several with commas between them"
        )
    return {"type": names}


def _split(texts: Iterable[str]) -> set[str]:
    names = {name for text in texts for name in text.split(",")}
    if len(names) > MAX_FILTERS:
        raise BadParameter(f"Must be at most {MAX_FILTERS}")
    return names


def _elsewhere(name: str, form: str) -> Reader:
    places = " or ".join(_ONLY[name])

    def read(text: str) -> dict[str, Any]:
        if name == "follow" and text == _FOLLOWS[form]:  # says what is so anyway
            return {}
        raise BadParameter(f"Means nothing here: the format is {form}, not {places}")

    return read


_ONLY: Final[Mapping[str, tuple[str, ...]]] = {"limit": ("batch",), "wait": ("batch",), "follow": ("ndjson",)}
_FOLLOWS: Final[Mapping[str, str]] = {"batch": "false", "sse": "true"}
