"""What everybody may know of an event: no personal data, no names, no free text."""

from typing import Any

from command_api.domain.catalogue import DEFINITIONS
from command_api.domain.events import DetailsChanged, Event, Registered
from command_api.domain.personal_data import split


def public_payload(event: Event) -> dict[str, Any]:
    """Return an event without what is personal: such fields are named, their values left out."""
    payload: dict[str, Any] = {
        "schema_version": event.schema_version,
        "type": event.type,
        "entity": event.entity,
        "id": event.entity_id,
        "version": event.originator_version,
        "actor": {"sub": event.metadata.actor.sub},
        "request_id": event.metadata.request_id,
    }
    personal = DEFINITIONS[event.entity].personal
    match event:
        case Registered():
            payload["details"], payload["masked"] = split(event.details, personal)
        case DetailsChanged():
            changes = {
                name: {"from": change.from_, "to": change.to} for name, change in event.changes.items()
            }
            payload["changes"], payload["masked"] = split(changes, personal)
    return payload
