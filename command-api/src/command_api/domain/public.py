"""What everybody may know: what is declared public, who by pseudonym only, and nothing else."""

import re
from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import Any, Final

from command_api.domain.definition import DEFINITIONS, STREAMS, Definition
from command_api.domain.events import DetailsChanged, Event, Registered
from command_api.domain.pseudonyms import Pseudonyms
from command_api.domain.publication import Public

VERSION: Final = 2
"""Of the form in which events are published, whatever version they were stored in."""

FIELD_NAME: Final = r"^[A-Za-z][A-Za-z0-9_]{0,63}$"
"""What a field's name looks like that may be told although its value may not."""

_FIELD_NAME: Final = re.compile(FIELD_NAME, re.ASCII)
_ALWAYS: Final = {False: frozenset({"id"}), True: frozenset({"id", "created_at", "updated_at"})}
"""What is shown of every record, by whether the type's records show times."""


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

    def marks(self, definition: Definition) -> Mapping[str, Public]:
        """Return the marks of the fields that may be seen; of a field that is not known nothing may."""
        return definition.public_or_free_text if self.free_text else definition.public

    def harmless(self, definition: Definition) -> Set[str]:
        """Return the names of the fields that are personal to nobody."""
        return definition.harmless_or_free_text if self.free_text else definition.harmless


NOTHING_MORE: Final = Publishing()


def public_payload(event: Event, publishing: Publishing = NOTHING_MORE) -> dict[str, Any]:
    """Return an event as everybody may see it: other fields are named, their values left out.

    Args:
        event: what happened.
        publishing: what the instance publishes besides.

    Raises:
        NotPublic: a field's name is none, so it might say anything.
    """
    entity, _, entity_id = event.originator_id.partition(":")
    definition, metadata = STREAMS[entity], event.metadata
    marks, pseudonyms = publishing.marks(definition), publishing.pseudonyms
    payload: dict[str, Any] = {
        "schema_version": VERSION,
        "type": f"{entity}.{event.kind}",
        "entity": entity,
        "id": entity_id if entity in DEFINITIONS else None,  # of people, pseudonyms only
        "version": event.originator_version,
        "actor": {"id": pseudonyms.of(metadata.actor.sub)} if pseudonyms else None,
        "request_id": metadata.request_id,  # a client's may say anything
        **({} if metadata.undoes is None else {"undoes": metadata.undoes}),
        **({} if metadata.batch is None else {"batch": metadata.batch}),
    }
    match event:
        case Registered():
            details = event.details
            shown = {
                name: value for name, value in details.items() if name in marks and marks[name].shows(value)
            }
            masked = [name for name in details if name not in shown]
            payload["details"], payload["masked"] = shown, masked
        case DetailsChanged():
            changes = {
                name: {
                    end: value
                    for end, value in (("from", change.from_), ("to", change.to))
                    if marks[name].shows(value)
                }
                for name, change in event.changes.items()
                if name in marks
            }
            masked = [name for name in event.changes if len(changes.get(name, ())) < 2]
            payload["changes"] = {name: ends for name, ends in changes.items() if ends}
            payload["masked"] = masked
        case _:
            return {**payload, **event.model_dump(mode="json", include=set(event.plain))}
    # Those that are declared are names: a test sees to that.
    if not all(map(_FIELD_NAME.fullmatch, set(masked).difference(definition.fields))):
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
    marks, always = publishing.marks(definition), _ALWAYS[definition.shows_times]
    return {
        name: value
        for name, value in record.items()
        if name in always or (name in marks and marks[name].shows(value))
    }


def personal_in(event: Event, publishing: Publishing = NOTHING_MORE) -> list[str]:
    """Return which of the fields that an event set are personal data, and shown to nobody without need.

    Those that are not known count as such; free text does, unless it is published.
    """
    harmless = publishing.harmless(STREAMS[event.entity])
    match event:
        case Registered(details=fields) | DetailsChanged(changes=fields):
            return [name for name in fields if name not in harmless]
        case _:
            return []
