"""Query parameters of the audit trail."""

import re
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Annotated, Any, ClassVar, Final, Literal
from zoneinfo import ZoneInfo

from pydantic import Field, ValidationInfo, field_validator

from ops.base.records.entities import ENTITY_TYPES, ID_PATTERN, entity_type, is_id
from ops.base.records.masks import is_personal
from query_api.history.parameters import BATCH, INSTANT, MOMENT
from query_api.history.wire import moment_text
from query_api.http.parameters import (
    PLAIN_TEXT,
    YES_OR_NO,
    BadParameter,
    Cursor,
    PageParameters,
    QueryParameters,
    one_of,
    parameter,
    read_day,
)
from read_model.tables import ENTITY_TABLES

_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_+\-/]{0,63}", re.ASCII)
_FIRST, _LAST = date(1970, 1, 1), date(9998, 12, 31)


def read_zone(text: str) -> str:
    """Return the name of a known IANA time zone, or raise `BadParameter`."""
    try:
        if _NAME.fullmatch(text) and zone_of(text) is not None:
            return text
    except (LookupError, ValueError, OSError):
        pass
    raise BadParameter("Must be the name of a time zone, such as Asia/Kolkata")


def zone_of(name: str) -> tzinfo:
    """Return the time zone of a name that `read_zone` accepts."""
    return UTC if name == "UTC" else ZoneInfo(name)


def _day(text: str) -> date:
    day = read_day(text)
    if not _FIRST <= day <= _LAST:
        raise BadParameter(f"Must be a day from {_FIRST} to {_LAST}")
    return day


def starts_of_days(first: date, count: int, zone: tzinfo) -> list[datetime]:
    """Return the beginnings of consecutive days in UTC; a day that the zone's clocks skip has no length."""
    days = (first + timedelta(days=number) for number in range(count))
    return [datetime.combine(day, time.min, zone).astimezone(UTC) for day in days]


ENTITIES: Final = tuple(entity.name for entity in ENTITY_TYPES)

_ENTITIES_WITH: Final[dict[str, set[str]]] = {}
"""Names of entity types, by field."""
for _table in ENTITY_TABLES:
    for _field in _table.entity.schema["properties"]:
        _ENTITIES_WITH.setdefault(_field, set()).add(_table.entity.name)


def _id(text: str) -> str:
    if not is_id(text):
        raise BadParameter("Must be an id")
    return text


class RecordFilter(QueryParameters):
    """Selects changes by record, author and time; None: any."""

    entity: Annotated[str | None, one_of(*ENTITIES)] = Field(
        None, description="Only changes of this entity type", examples=["driver"]
    )
    id: Annotated[str | None, parameter(_id, Annotated[str, Field(pattern=ID_PATTERN)])] = Field(
        None, description="Only changes of this id", examples=["EMP-001"]
    )
    actor: Annotated[str | None, PLAIN_TEXT] = Field(
        None,
        description="Only changes by this subject, or by the subject with this pseudonym in the event stream",
        examples=["dev|asha"],
    )
    since: Annotated[datetime | None, INSTANT] = Field(
        None, alias="from", description="Not before this instant", examples=[MOMENT]
    )
    until: Annotated[datetime | None, INSTANT] = Field(
        None, alias="to", description="Before this instant", examples=[MOMENT]
    )


class ChangeFilter(RecordFilter):
    """Selects changes; None: any."""

    def texts(self) -> dict[str, str]:
        """Return the given filters as texts, by the names of this class's fields."""
        given = ((name, getattr(self, name)) for name in ChangeFilter.model_fields)
        return {
            name: moment_text(value) if isinstance(value, datetime) else value
            for name, value in given
            if value is not None
        }

    by: Annotated[str | None, one_of("person", "program")] = Field(
        None, description="Only changes by people, or by programs", examples=["program"]
    )
    type: Annotated[str | None, PLAIN_TEXT] = Field(
        None,
        description="Only changes of this type, of any entity or of one",
        examples=["removed", "driver.removed"],
    )
    field: Annotated[str | None, PLAIN_TEXT] = Field(
        None, description="Only changes of this field, without registrations", examples=["city"]
    )
    batch: Annotated[str | None, PLAIN_TEXT] = Field(
        None, description="Only changes of this batch, such as an import", examples=[BATCH]
    )
    q: Annotated[str | None, PLAIN_TEXT] = Field(
        None,
        description="Only changes that contain this text: in ids, the record's name then, users, request ids,"
        " reasons or values; without `personal:read`, in ids, subjects, the server's request ids, and names"
        " and values that are not personal",
        examples=["Pune"],
    )

    @property
    def shows_runs_once(self) -> bool:
        """Whether a run is represented by its last change."""
        return False

    @property
    def entities(self) -> tuple[str, ...]:
        """The entity types whose changes the filter can select."""
        possible = [{self.entity} if self.entity else set(ENTITIES)]
        if self.type is not None and "." in self.type:
            possible.append({self.type.partition(".")[0]})
        if self.field is not None:
            # A field that no entity type has now may have existed earlier.
            possible.append(_ENTITIES_WITH.get(self.field, set(ENTITIES)))
        return tuple(entity for entity in ENTITIES if all(entity in names for names in possible))

    @property
    def filters_personal_field(self) -> bool:
        """Whether `field` is, or may be, personal data."""
        return self.field is not None and any(
            is_personal(entity_type(entity), self.field) for entity in self.entities
        )

    @property
    def types(self) -> list[str] | None:
        """The complete event types that `type` selects."""
        if self.type is None or "." in self.type:
            return None if self.type is None else [self.type]
        return [f"{entity}.{self.type}" for entity in ENTITIES]


class AuditParameters(PageParameters, ChangeFilter):
    """Query parameters of the audit trail: a page as JSON, or an export of all changes."""

    decisive: ClassVar = "format"

    format: Annotated[Literal["json", "csv", "ndjson"], one_of("json", "csv", "ndjson")] = Field(
        "json", description="A page as JSON, or an export of all changes", examples=["csv"]
    )
    reveal: Annotated[Literal["true", "false"], YES_OR_NO] = Field(
        "false", description="Export without masks; also needs `audit:reveal`", examples=["false"]
    )

    runs: Annotated[Literal["each", "once"], one_of("each", "once")] = Field(
        "each",
        description="`once`: a batch, such as an import, is represented by its last change, with the number"
        " of its changes (`run`). Ignored in exports, and with `q`, `id`, `type`, `field` or `batch`",
        examples=["once"],
    )

    @property
    def shows_runs_once(self) -> bool:
        """Whether a run is represented by its last change."""
        single = (self.q, self.id, self.type, self.field, self.batch)
        return self.runs == "once" and self.format == "json" and single == (None,) * 5

    @field_validator("cursor", "limit", "reveal", mode="before")
    @classmethod
    def _fits_the_format(cls, text: Any, info: ValidationInfo) -> Any:
        given = info.context or {}
        exported = given.get("format", "json") != "json"
        if exported and info.field_name != "reveal":
            raise BadParameter("Must not be given for an export")
        if given and not exported and info.field_name == "reveal":
            raise BadParameter("Must be given with the format csv or ndjson")
        return text


MOST_DAYS: Final = 400
USUAL_DAYS: Final = 91


class DaysParameters(ChangeFilter):
    """Query parameters of the numbers of changes by day."""

    zone: Annotated[str, parameter(read_zone, str)] = Field(
        "UTC", description="Name of an IANA time zone, in which days begin", examples=["Asia/Kolkata"]
    )
    last_day: Annotated[date | None, parameter(_day, date)] = Field(
        None, alias="last", description="The last day; by default today", examples=["2026-11-21"]
    )
    first_day: Annotated[date | None, parameter(_day, date)] = Field(
        None,
        alias="first",
        description=f"The first day; by default {USUAL_DAYS} days are counted, at most {MOST_DAYS}",
        examples=["2026-09-01"],
    )
    cursor: Cursor = None

    @field_validator("first_day", mode="after")
    @classmethod
    def _is_not_too_far(cls, first: date | None, info: ValidationInfo) -> date | None:
        last = info.data.get("last_day") or _today(info.data.get("zone", "UTC"))
        if first is not None and not 0 <= (last - first).days < MOST_DAYS:
            raise BadParameter(f"Must be at most {MOST_DAYS - 1} days before `last`, and not after it")
        return first

    @property
    def first(self) -> date:
        """The first day."""
        return self.first_day or self.last - timedelta(days=USUAL_DAYS - 1)

    @property
    def last(self) -> date:
        """The last day."""
        return self.last_day or _today(self.zone)

    @property
    def count(self) -> int:
        """The number of days."""
        return (self.last - self.first).days + 1


def _today(zone: str) -> date:
    return datetime.now(zone_of(zone)).date()
