"""What everybody may know: no personal data, no names, and no free text unless that is published."""

import re
from typing import Any, Final

from command_api.domain.catalogue import DEFINITIONS
from command_api.domain.events import DetailsChanged, Event, Registered
from command_api.domain.personal_data import split

FIELD_NAME: Final = r"^[A-Za-z][A-Za-z0-9_]{0,63}$"
"""What a field's name looks like that may be told although its value may not."""

_FIELD_NAME: Final = re.compile(FIELD_NAME, re.ASCII)


class NotPublic(Exception):
    """An event has a field whose very name must not be told."""


def public_payload(event: Event, *, publish_free_text: bool = False) -> dict[str, Any]:
    """Return an event without what is personal: such fields are named, their values left out.

    A field that is not known, perhaps no longer known, counts as personal.

    Args:
        event: what happened.
        publish_free_text: whether free text, which may name people, is shown.

    Raises:
        NotPublic: a field's name is none, so it might say anything.
    """
    payload: dict[str, Any] = {
        "schema_version": event.schema_version,
        "type": event.type,
        "entity": event.entity,
        "id": event.entity_id,
        "version": event.originator_version,
        "actor": {"sub": event.metadata.actor.sub},
        "request_id": event.metadata.request_id,
    }
    public = DEFINITIONS[event.entity].public(publish_free_text=publish_free_text)
    match event:
        case Registered():
            payload["details"], payload["masked"] = split(event.details, public)
        case DetailsChanged():
            changes = {
                name: {"from": change.from_, "to": change.to} for name, change in event.changes.items()
            }
            payload["changes"], payload["masked"] = split(changes, public)
    if not all(_FIELD_NAME.fullmatch(name) for name in payload.get("masked", ())):
        raise NotPublic
    return payload


def public_record(entity: str, record: dict[str, Any], *, publish_free_text: bool = False) -> dict[str, Any]:
    """Return what everybody may know of an entity as it is.

    Args:
        entity: the entity type's name.
        record: as `State.record` returns it.
        publish_free_text: whether free text, which may name people, is shown.
    """
    definition = DEFINITIONS[entity]
    public = definition.public(publish_free_text=publish_free_text)
    times = {"created_at", "updated_at"} if definition.shows_times else set()
    return split(record, {"id"} | public | times)[0]
