"""What everybody may know: what is declared public, who by pseudonym only, and nothing else."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from command_api.domain.catalogue import DEFINITIONS, Definition
from command_api.domain.events import OWN_REQUEST_IDS, DetailsChanged, Event, Registered
from command_api.domain.pseudonyms import Pseudonyms

VERSION: Final = 2
"""Of the form in which events are published, whatever version they were stored in."""

FIELD_NAME: Final = r"^[A-Za-z][A-Za-z0-9_]{0,63}$"
"""What a field's name looks like that may be told although its value may not."""

_FIELD_NAME: Final = re.compile(FIELD_NAME, re.ASCII)


class NotPublic(Exception):
    """An event has a field whose very name must not be told."""


@dataclass(frozen=True)
class Publishing:
    """What an instance publishes besides what is declared public.

    Attributes:
        free_text: whether free text, which may name people, is shown.
        pseudonyms: of those who cause events; None: nothing is told of them.
    """

    free_text: bool = False
    pseudonyms: Pseudonyms | None = None

    def shows(self, definition: Definition, field: str, value: Any) -> bool:
        """Return whether a field's value may be seen; of a field that is not known it may not."""
        if mark := definition.public.get(field):
            return mark.shows(value)
        return self.free_text and field in definition.free_text


NOTHING_MORE: Final = Publishing()


def public_payload(event: Event, publishing: Publishing = NOTHING_MORE) -> dict[str, Any]:
    """Return an event as everybody may see it: other fields are named, their values left out.

    Args:
        event: what happened.
        publishing: what the instance publishes besides.

    Raises:
        NotPublic: a field's name is none, so it might say anything.
    """
    definition, metadata = DEFINITIONS[event.entity], event.metadata
    pseudonyms = publishing.pseudonyms
    # Before, a client could choose it, and write anything there.
    has_own_request_id = event.schema_version >= OWN_REQUEST_IDS
    payload: dict[str, Any] = {
        "schema_version": VERSION,
        "type": event.type,
        "entity": event.entity,
        "id": event.entity_id,
        "version": event.originator_version,
        "actor": {"id": pseudonyms.of(metadata.actor.sub)} if pseudonyms else None,
        "request_id": metadata.request_id if has_own_request_id else None,
    }
    match event:
        case Registered():
            shown = {
                name: value
                for name, value in event.details.items()
                if publishing.shows(definition, name, value)
            }
            payload |= {"details": shown, "masked": [name for name in event.details if name not in shown]}
        case DetailsChanged():
            changes = {
                name: {
                    end: value
                    for end, value in (("from", change.from_), ("to", change.to))
                    if publishing.shows(definition, name, value)
                }
                for name, change in event.changes.items()
            }
            payload["changes"] = {name: ends for name, ends in changes.items() if ends}
            payload["masked"] = [name for name, ends in changes.items() if len(ends) < 2]
    if not all(_FIELD_NAME.fullmatch(name) for name in payload.get("masked", ())):
        raise NotPublic
    return payload


def public_record(
    entity: str, record: Mapping[str, Any], publishing: Publishing = NOTHING_MORE
) -> dict[str, Any]:
    """Return what everybody may know of an entity as it is.

    Args:
        entity: the entity type's name.
        record: as `State.record` returns it.
        publishing: what the instance publishes besides.
    """
    definition = DEFINITIONS[entity]
    whose = {"id", "created_at", "updated_at"} if definition.shows_times else {"id"}
    return {
        name: value
        for name, value in record.items()
        if name in whose or publishing.shows(definition, name, value)
    }


def personal_in(event: Event, publishing: Publishing = NOTHING_MORE) -> list[str]:
    """Return which of the fields that an event set are personal data, and shown to nobody without need.

    Those that are not known count as such; free text does, unless it is published.
    """
    definition = DEFINITIONS[event.entity]
    harmless = set(definition.fields) - definition.personal
    if publishing.free_text:
        harmless |= definition.free_text
    match event:
        case Registered(details=fields) | DetailsChanged(changes=fields):
            return [name for name in fields if name not in harmless]
        case _:
            return []
