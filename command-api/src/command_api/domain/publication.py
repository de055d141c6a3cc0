"""Public form of events and records: declared fields, pseudonyms of actors, and nothing else."""

import hmac
import re
from collections.abc import Mapping, Set
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from command_api.domain.definition import DEFINITIONS, STREAMS, Definition
from command_api.domain.events import DetailsChanged, Event, Registered
from command_api.domain.marks import Public

VERSION: Final = 2
"""Version of the public form of events, whatever version they were stored in."""
FIELD_NAME: Final = r"^[A-Za-z][A-Za-z0-9_]{0,63}$"
"""Pattern of the names of masked fields: other names are not published either."""
KEY_BYTES: Final = 32

_FIELD_NAME: Final = re.compile(FIELD_NAME, re.ASCII)
_ALWAYS: Final = {False: frozenset({"id"}), True: frozenset({"id", "created_at", "updated_at"})}
"""Members that every public record has, by whether the type's records show times."""
_PURPOSE: Final = b"fleetlog actor\0"


class NotPublic(Exception):
    """An event has a field whose name must not be published."""


class Pseudonyms:
    """Pseudonyms of actors: the first 128 bits of the HMAC-SHA256 of a subject under the instance's key."""

    def __init__(self, key: bytes) -> None:
        """Raise `ValueError` if the key is shorter than `KEY_BYTES`."""
        if len(key) < KEY_BYTES:
            raise ValueError(f"a key of pseudonyms has at least {KEY_BYTES} bytes")
        self._key = key
        self.of = lru_cache(1000)(self._pseudonym)

    def _pseudonym(self, subject: str) -> str:
        # Subjects that are not valid text have pseudonyms as well.
        text = subject.encode(errors="surrogatepass")
        return hmac.digest(self._key, _PURPOSE + text, "sha256")[:16].hex()


@dataclass(frozen=True)
class PublicationPolicy:
    """Additions of an instance to the declared public data.

    Attributes:
        free_text: whether free text, which may name people, is published.
        pseudonyms: of the actors of events; None: actors are left out.
    """

    free_text: bool = False
    pseudonyms: Pseudonyms | None = None

    def marks(self, definition: Definition) -> Mapping[str, Public]:
        """Return the marks of the public fields; unknown fields are never public."""
        return definition.public_or_free_text if self.free_text else definition.public

    def harmless(self, definition: Definition) -> Set[str]:
        """Return the names of the fields that are not personal data."""
        return definition.harmless | definition.free_text if self.free_text else definition.harmless


DEFAULT_POLICY: Final = PublicationPolicy()


def public_payload(event: Event, policy: PublicationPolicy = DEFAULT_POLICY) -> dict[str, Any]:
    """Return an event's public form: values that are not public are left out, and their fields named.

    Raises:
        NotPublic: an unknown field's name does not match `FIELD_NAME`, so it might contain anything.
    """
    entity, _, entity_id = event.originator_id.partition(":")
    definition, metadata = STREAMS[entity], event.metadata
    marks, pseudonyms = policy.marks(definition), policy.pseudonyms
    payload: dict[str, Any] = {
        "schema_version": VERSION,
        "type": f"{entity}.{event.kind}",
        "entity": entity,
        "id": entity_id if entity in DEFINITIONS else None,  # the id of an actor is personal data
        "version": event.originator_version,
        "actor": {"id": pseudonyms.of(metadata.actor.sub)} if pseudonyms else None,
        "request_id": metadata.request_id,  # a client's own request id may contain anything
        **({} if metadata.undoes is None else {"undoes": metadata.undoes}),
        **({} if metadata.batch is None else {"batch": metadata.batch}),
    }
    match event:
        case Registered(details=details):
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
            return {**payload, **event.plain_members()}
    # A test ensures that the names of declared fields match the pattern.
    if not all(map(_FIELD_NAME.fullmatch, set(masked).difference(definition.fields))):
        raise NotPublic
    return {**payload, **event.plain_members()}


def public_record(
    entity: str, record: Mapping[str, Any], policy: PublicationPolicy = DEFAULT_POLICY
) -> dict[str, Any]:
    """Return the public members of a record, given as `State.record` returns it."""
    definition = DEFINITIONS[entity]
    marks, always = policy.marks(definition), _ALWAYS[definition.shows_times]
    return {
        name: value
        for name, value in record.items()
        if name in always or (name in marks and marks[name].shows(value))
    }


def personal_in(event: Event, policy: PublicationPolicy = DEFAULT_POLICY) -> list[str]:
    """Return the fields set by an event that are personal data.

    Unknown fields count as personal data; free text does unless it is published.
    """
    harmless = policy.harmless(STREAMS[event.entity])
    match event:
        case Registered(details=fields) | DetailsChanged(changes=fields):
            return [name for name in fields if name not in harmless]
        case _:
            return []
