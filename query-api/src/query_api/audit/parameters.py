"""What is asked of the audit trail."""

import re
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Annotated, Any, ClassVar, Final, Literal
from zoneinfo import ZoneInfo

from pydantic import Field, ValidationInfo, field_validator

from ops.base.records.entities import ENTITY_TYPES, ID_PATTERN, entity_type, is_id
from ops.base.records.masks import is_personal
from projections.tables import ENTITY_TABLES
from query_api.history.parameters import BATCH, INSTANT, MOMENT
from query_api.http.parameters import (
    MAX_CURSOR,
    PASSED_ON,
    PLAIN_TEXT,
    YES_OR_NO,
    BadParameter,
    PartParameters,
    QueryParameters,
    one_of,
    parameter,
    whole_number,
)

_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_+\-/]{0,63}", re.ASCII)
_DAY: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_FIRST, _LAST = date(1970, 1, 1), date(9998, 12, 31)


def read_zone(text: str) -> str:
    """Return the name of a time zone that is known here (IANA's).

    Raises:
        BadParameter: it is not known.
    """
    try:
        is_known = _NAME.fullmatch(text) is not None and zone_of(text) is not None
    except (LookupError, ValueError, OSError):
        is_known = False
    if not is_known:
        raise BadParameter("Must be a time zone's name, such as Asia/Kolkata")
    return text


def zone_of(name: str) -> tzinfo:
    """Return a zone that `read_zone` knows."""
    return UTC if name == "UTC" else ZoneInfo(name)


def read_day(text: str) -> date:
    """Return the day that a text names.

    Raises:
        BadParameter: it names none.
    """
    try:
        day = date.fromisoformat(text) if _DAY.fullmatch(text) else None
    except ValueError:
        day = None
    if day is None or not _FIRST <= day <= _LAST:
        raise BadParameter("Must be a day, such as 2026-11-21")
    return day


def starts_of_days(first: date, count: int, zone: tzinfo) -> list[datetime]:
    """Return when each of some days begins, in UTC; two are the same where clocks skipped a whole day."""
    days = (first + timedelta(days=number) for number in range(count))
    return [datetime.combine(day, time.min, zone).astimezone(UTC) for day in days]


ENTITIES: Final = tuple(entity.name for entity in ENTITY_TYPES)

_ENTITIES_WITH: Final[dict[str, set[str]]] = {}
"""By the names of fields, the entity types that have them."""
for _table in ENTITY_TABLES:
    for _field in _table.entity.schema["properties"]:
        _ENTITIES_WITH.setdefault(_field, set()).add(_table.entity.name)


def _id(text: str) -> str:
    if not is_id(text):
        raise BadParameter("Must be an id")
    return text


class Filter(QueryParameters):
    """Which changes are looked for; None: any."""

    entity: Annotated[str | None, one_of(*ENTITIES)] = Field(
        None, description="Only this type", examples=["driver"]
    )
    id: Annotated[str | None, parameter(_id, Annotated[str, Field(pattern=ID_PATTERN)])] = Field(
        None, description="Only this id", examples=["EMP-001"]
    )
    actor: Annotated[str | None, PLAIN_TEXT] = Field(
        None,
        description="Only changes by this subject, or by whom the event stream calls so",
        examples=["dev|asha"],
    )
    type: Annotated[str | None, PLAIN_TEXT] = Field(
        None,
        description="Only this kind of change: of any entity, or of one",
        examples=["removed", "driver.removed"],
    )
    field: Annotated[str | None, PLAIN_TEXT] = Field(
        None,
        description="Only changes of this field; that a record was registered with it is none",
        examples=["city"],
    )
    batch: Annotated[str | None, PLAIN_TEXT] = Field(
        None, description="Only what came about in this run, such as an import", examples=[BATCH]
    )
    since: Annotated[datetime | None, INSTANT] = Field(
        None, alias="from", description="Not before this instant", examples=[MOMENT]
    )
    until: Annotated[datetime | None, INSTANT] = Field(
        None, alias="to", description="Before this instant", examples=[MOMENT]
    )
    q: Annotated[str | None, PLAIN_TEXT] = Field(
        None,
        description="Only what contains this: ids, what the record was called then, people, requests,"
        " reasons, values; without `personal:read` only ids, subjects, requests' ids, and names and values"
        " that are not personal",
        examples=["Pune"],
    )

    @property
    def tells_runs_once(self) -> bool:
        """Whether of a run its last change stands for all."""
        return False

    @property
    def entities(self) -> tuple[str, ...]:
        """The entity types whose changes can be let through at all, as far as that can be told from names."""
        possible = [{self.entity} if self.entity else set(ENTITIES)]
        if self.type is not None and "." in self.type:
            possible.append({self.type.partition(".")[0]})
        if self.field is not None:
            # A field that no record has now may have been one.
            possible.append(_ENTITIES_WITH.get(self.field, set(ENTITIES)))
        return tuple(entity for entity in ENTITIES if all(entity in names for names in possible))

    @property
    def names_personal_field(self) -> bool:
        """Whether it looks for changes of a field that is personal data, or may be."""
        return self.field is not None and any(
            is_personal(entity_type(entity), self.field) for entity in self.entities
        )

    @property
    def types(self) -> list[str] | None:
        """The types that `type` stands for, in full."""
        if self.type is None or "." in self.type:
            return None if self.type is None else [self.type]
        return [f"{entity}.{self.type}" for entity in ENTITIES]


class AuditParameters(PartParameters, Filter):
    """What a request asks of the audit trail; an export takes no part but everything."""

    decisive: ClassVar = "format"

    format: Annotated[Literal["json", "csv", "ndjson"], one_of("json", "csv", "ndjson")] = Field(
        "json", description="The part as JSON, or an export of everything", examples=["csv"]
    )
    reveal: Annotated[Literal["true", "false"], YES_OR_NO] = Field(
        "false", description="Export without masks. Needs `audit:reveal`, too", examples=["false"]
    )

    runs: Annotated[Literal["each", "once"], one_of("each", "once")] = Field(
        "each",
        description="Whether of a run, such as an import, each change is told, or the last one alone, with"
        " how many there are (`run`). Each is in exports, and where `q`, `id`, `type`, `field` or `batch`"
        " look for single ones",
        examples=["once"],
    )

    @property
    def tells_runs_once(self) -> bool:
        """See `Filter`."""
        looks_for_single = (self.q, self.id, self.type, self.field, self.batch)
        return self.runs == "once" and self.format == "json" and looks_for_single == (None,) * 5

    @field_validator("cursor", "limit", "reveal", mode="before")
    @classmethod
    def _fits_the_format(cls, text: Any, info: ValidationInfo) -> Any:
        given = info.context or {}
        exported = given.get("format", "json") != "json"
        if exported and info.field_name != "reveal":
            raise BadParameter("An export has no parts")
        if given and not exported and info.field_name == "reveal":
            raise BadParameter("Only exports are masked: give a format, csv or ndjson")
        return text


MOST_DAYS: Final = 400
USUAL_DAYS: Final = 91


class DaysParameters(Filter):
    """Of which days the changes are counted that a filter lets through."""

    zone: Annotated[str, parameter(read_zone, str)] = Field(
        "UTC", description="Whose days: a time zone's name as IANA has it", examples=["Asia/Kolkata"]
    )
    last_day: Annotated[date | None, parameter(read_day, date)] = Field(
        None, alias="last", description="The last day; by default today", examples=["2026-11-21"]
    )
    first_day: Annotated[date | None, parameter(read_day, date)] = Field(
        None,
        alias="first",
        description=f"The first day; by default {USUAL_DAYS} days are counted, and at most {MOST_DAYS}",
        examples=["2026-09-01"],
    )
    cursor: Annotated[int | None, whole_number(0, MAX_CURSOR, described=PASSED_ON)] = Field(
        None, description="`next` of the part before", examples=["1"]
    )

    @field_validator("first_day", mode="after")
    @classmethod
    def _is_not_too_far(cls, first: date | None, info: ValidationInfo) -> date | None:
        last = info.data.get("last_day") or _today(info.data.get("zone", "UTC"))
        if first is not None and not 0 <= (last - first).days < MOST_DAYS:
            raise BadParameter(f"Must not be after `last`, nor {MOST_DAYS} days or more before it")
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
        """How many days they are."""
        return (self.last - self.first).days + 1


def _today(zone: str) -> date:
    return datetime.now(zone_of(zone)).date()
