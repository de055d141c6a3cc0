"""A subscription: which events or due dates are sent, to whom, and when."""

import re
from typing import Annotated, Any, Final

from pydantic import Field, ValidationInfo, field_validator

from command_api.domain.aggregate import ConsistentAggregate
from command_api.domain.definition import DEFINITIONS, Definition, Details
from command_api.domain.events import EVENT_CLASSES
from command_api.domain.marks import (
    Example,
    Filtered,
    FreeText,
    PersonalData,
    PublicNumber,
    PublicWord,
    Searched,
)
from command_api.domain.rules import Email, HttpsUrl, ListOf, OneOf, Text, TimeZone, WholeNumber, broken
from ops.base.permissions import Permission
from ops.base.records.entities import ENTITY_TYPES, EntityType

CONTENTS: Final = ("events", "due_dates")
CHANNELS: Final = ("email", "webhook")
SCHEDULES: Final = ("at_once", "daily")
STATUSES: Final = ("active", "paused")
_FILTER: Final = "Must be public fields of these records, each with a value, such as status=RUNNING"
_NUMBER: Final = r"-?[0-9]{1,15}(\.[0-9]{1,15})?"


class SubscriptionDetails(Details):
    """A subscription: which events or due dates are sent, to whom, and when."""

    name: Annotated[
        str, Text("Subscription name is required"), FreeText(), Searched(), Example("Transport office")
    ]
    content: Annotated[
        str,
        OneOf(CONTENTS, "Content is required"),
        PublicWord(CONTENTS),
        Field(description="what is sent: events, or the documents of drivers that expire"),
        Filtered(),
        Example("events"),
    ]
    entity_types: Annotated[
        list[str],
        ListOf(OneOf(tuple(entity.name for entity in ENTITY_TYPES))),
        Field(description="only events of these entity types; none: of all"),
        Example(["driver", "trailer"]),
    ] = Field(default_factory=list)
    event_kinds: Annotated[
        list[str],
        ListOf(OneOf(tuple(EVENT_CLASSES))),
        Field(description="only events of these kinds; none: of all"),
        Example(["registered", "removed"]),
    ] = Field(default_factory=list)
    filter: Annotated[
        list[str],
        ListOf(Text(_FILTER)),
        Field(
            description="only events that set public fields to these values, each written `field=value`: each"
            " named field to one of its values; none: all"
        ),
        Example([]),
    ] = Field(default_factory=list)
    channel: Annotated[
        str,
        OneOf(CHANNELS, "Channel is required"),
        PublicWord(CHANNELS),
        Field(description="how it is sent"),
        Filtered(),
        Example("webhook"),
    ]
    recipients: Annotated[
        list[str],
        ListOf(Email("Must be e-mail addresses, such as office@example.com")),
        Field(description="e-mail addresses"),
        PersonalData(),
        Example([]),
    ] = Field(default_factory=list, validate_default=True)
    url: Annotated[
        str | None,
        HttpsUrl(),
        Field(description="address of the webhook, which may contain a secret"),
        PersonalData(),
        Example("https://hooks.example.com/fleet"),
    ] = Field(default=None, validate_default=True)
    schedule: Annotated[
        str,
        OneOf(SCHEDULES),
        PublicWord(SCHEDULES),
        Field(description="when it is sent: at once, or once a day"),
        Example("at_once"),
    ] = Field(default="at_once", validate_default=True)
    hour: Annotated[
        int, WholeNumber(0, 23), Field(description="hour at which it is sent daily"), Example(7)
    ] = 7
    time_zone: Annotated[
        str, TimeZone(), Field(description="IANA time zone of the hour"), Example("Asia/Kolkata")
    ] = "UTC"
    status: Annotated[
        str,
        OneOf(STATUSES),
        PublicWord(STATUSES),
        Field(description="whether it is sent"),
        Filtered(),
        Example("active"),
    ] = "active"
    secret_generation: Annotated[
        int, WholeNumber(1), Field(description="incremented to change the webhook's secret"), Example(1)
    ] = 1

    @field_validator("entity_types", "event_kinds", "filter", "channel", "recipients", "url", "schedule")
    @classmethod
    def _matches_fields_before(cls, value: Any, info: ValidationInfo) -> Any:
        content, channel = info.data.get("content"), info.data.get("channel")
        match info.field_name:
            case "entity_types" | "event_kinds" | "filter" if value and content == "due_dates":
                raise broken("Must be empty for due dates")
            case "filter" if not all(_is_public(one, info.data.get("entity_types")) for one in value):
                raise broken(_FILTER)
            case "channel" if value == "webhook" and content == "due_dates":
                raise broken("Due dates are sent by e-mail only")
            case "recipients" if not value and channel == "email":
                raise broken("At least one e-mail address is required")
            case "recipients" if value and channel == "webhook":
                raise broken("Must be empty for a webhook")
            case "url" if value is None and channel == "webhook":
                raise broken("The address of the webhook is required")
            case "url" if value is not None and channel == "email":
                raise broken("Must be empty for e-mail")
            case "schedule" if value != "at_once" and channel == "webhook":
                raise broken("A webhook is sent at once")
            case "schedule" if value != "daily" and content == "due_dates":
                raise broken("Due dates are sent daily")
        return value


def _is_public(condition: str, entity_types: list[str] | None) -> bool:
    """Return whether `field=value` names a public field of these entity types and a public value."""
    name, _, text = condition.partition("=")
    for entity, definition in DEFINITIONS.items():
        if (mark := definition.public.get(name)) is None or (entity_types and entity not in entity_types):
            continue
        is_number = isinstance(mark, PublicNumber)
        if re.fullmatch(_NUMBER, text, re.ASCII) if is_number else mark.shows(text):
            return True
    return False


DEFINITION = Definition(
    EntityType(
        "subscription", "subscriptions", "/api/v1/subscriptions", None, Permission.NOTIFICATIONS_MANAGE
    ),
    SubscriptionDetails,
    ConsistentAggregate,
    "SUB-4M7Q2XKD",
    id_may_be_given=False,
    id_prefix="SUB-",
    shows_times=True,
)
