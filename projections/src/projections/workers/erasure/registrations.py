"""The keys and identifying texts of a person who is erased, from the log and the table of users."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

from psycopg import AsyncConnection, sql

from command_api.domain.definition import STREAMS
from command_api.domain.events import DetailsChanged, Event, Registered, Restricted
from command_api.domain.marks import Searched, marks
from command_api.event_store.mapper import MAPPER, UnreadableEvent
from command_api.event_store.records import RecordedEvent
from ops.base.encryption.actors import decrypt_names
from ops.base.encryption.key_cache import KEYS
from ops.base.encryption.keys import Key
from ops.base.records.operations import moment_text
from ops.tamper_evidence.receipts import ARTICLES, ERASED
from projections.event_log import read_stream
from projections.workers.erasure.erasures import Erasure, timestamped
from read_model.tables import ENTITY_TABLES, EntityTable
from read_model.tables.search_terms import folded, key_of

SHORTEST: Final = 6
MOST_TEXTS: Final = 60
"""Texts of all versions that are searched for; 60 texts are found in 40 MB per second."""
_DATE: Final = re.compile(r"\d{4}-\d{2}-\d{2}")
_FINGERPRINTED: Final = "receipt"
_ACTOR: Final = "SELECT key_id, ciphertext FROM log.actors WHERE sub = %s"
# A text that another record contains as well does not identify the person.
_UNIQUE: Final = sql.SQL(
    """
    SELECT text
    FROM unnest(%(texts)s::text[], %(folded)s::text[], %(keys)s::text[]) AS candidate (text, folded, key)
    WHERE {}
    """
)
_NOT_IN: Final = sql.SQL(
    """
    NOT EXISTS (
      SELECT FROM {} WHERE id IS DISTINCT FROM %(id)s AND (
        strpos(search_text, folded) > 0 OR strpos(sort_keys, folded) > 0 OR strpos(sort_keys, key) > 0
      )
    )
    """
)


@dataclass
class Registration:
    """The events of a record, from its last registration to the event that erases it."""

    keys: dict[str, str | None] = field(default_factory=dict)
    """Fingerprints of the keys by id; None if the key was destroyed."""
    sealed: int = 0
    """The number of encrypted events."""
    in_the_clear: int = 0
    texts: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    """Names, numbers and addresses by which staff find the record, of any length."""
    asked: Event | None = None
    erased: Event | None = None
    last: RecordedEvent | None = None

    @property
    def is_known(self) -> bool:
        """Whether all encrypted events could be decrypted."""
        return None not in self.keys.values()

    def is_erased_at(self, position: int) -> bool:
        """Return whether the event at a position erases the record."""
        return self.last is not None and self.last.position == position and self.last.topic.endswith(ERASED)

    def add(self, event: RecordedEvent) -> None:
        """Add the next event."""
        self.last = event
        if event.key_id is None:
            self.in_the_clear += 1
        else:
            self.sealed += 1
            self.add_key(event.key_id, event.key)
        with suppress(UnreadableEvent):
            decoded = MAPPER.to_domain_event(event)
            self.texts.update(_identifying(decoded, event.entity_id))
            self.names.update(_names(decoded))
            if isinstance(decoded, Restricted):
                self.asked = decoded
            self.erased = decoded

    def add_key(self, key_id: str, key: Key | None) -> None:
        """Add a key; None if it was destroyed."""
        self.keys[key_id] = None if key is None else key.fingerprint(_FINGERPRINTED)

    async def add_user(self, connection: AsyncConnection, sub: str) -> None:
        """Add the names of a user, and their key; raise KeysUnavailable if it cannot be loaded now."""
        for key_id, ciphertext in await (await connection.execute(_ACTOR, (sub,))).fetchall():
            await KEYS.load([key_id])
            self.add_key(key_id, KEYS.get(key_id))
            names = {name for name, _ in decrypt_names(key_id, sub, ciphertext)}
            self.names |= names
            self.texts |= {name for name in names if len(name) >= SHORTEST}

    def facts(self) -> dict[str, Any]:
        """Return the facts for the receipt."""
        basis = getattr(self.erased, "basis", "")
        return timestamped(
            basis={"word": basis, "articles": ARTICLES.get(basis, ())},
            asked=_by(self.asked),
            erased=_by(self.erased),
            keys=[{"id": key_id, "fingerprint": value} for key_id, value in self.keys.items()],
            events={"sealed": self.sealed, "in_the_clear": self.in_the_clear},
        )


async def read_registration(connection: AsyncConnection, erasure: Erasure) -> Registration:
    """Read the events that an erasure concerns; raise KeysUnavailable if keys cannot be loaded now."""
    registration = Registration()
    async for events in read_stream(connection, erasure.stream, first=1, last=erasure.position):
        for event in events:
            if registration.last is not None and registration.is_erased_at(registration.last.position):
                registration = Registration()
            registration.add(event)
    return registration


async def unique_texts(
    connection: AsyncConnection, table: EntityTable | None, entity_id: str, texts: Sequence[str]
) -> frozenset[str]:
    """Return the texts that no other record contains.

    Args:
        table: the table of the person's record, which is searched; None for a user: search all tables.
    """
    tables = ENTITY_TABLES if table is None else [table]
    conditions = [_NOT_IN.format(one.search.identifier) for one in tables]
    parameters = {
        "texts": list(texts),
        "folded": [folded(text) for text in texts],
        "keys": [key_of(text) for text in texts],
        "id": None if table is None else entity_id,
    }
    cursor = await connection.execute(_UNIQUE.format(sql.SQL(" AND ").join(conditions)), parameters)
    return frozenset(text for (text,) in await cursor.fetchall())


def _identifying(event: Event, entity_id: str) -> Iterator[str]:
    """Yield the personal texts of an event that may identify the person."""
    harmless = STREAMS[event.entity].harmless
    for name, value in _fields(event).items():
        if name not in harmless:
            for text in _texts(value):
                # Dates are not specific, and the id is the stream's name.
                if len(text) >= SHORTEST and not _DATE.match(text) and text.lower() not in entity_id.lower():
                    yield text


def _names(event: Event) -> Iterator[str]:
    """Yield the personal texts of an event by which staff find the record."""
    definition = STREAMS[event.entity]
    wanted = definition.personal & marks(definition.details, Searched).keys()
    for name, value in _fields(event).items():
        if name in wanted:
            yield from filter(None, _texts(value))


def _fields(event: Event) -> Mapping[str, Any]:
    match event:
        case Registered(details=details):
            return details
        case DetailsChanged(changes=changes):
            return {name: [change.from_, change.to] for name, change in changes.items()}
    return {}


def _texts(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value.strip()
        case list():
            for one in value:
                yield from _texts(one)
        case dict():
            for one in value.values():
                yield from _texts(one)


def _by(event: Event | None) -> dict[str, str] | None:
    if event is None or event.moment is None:
        return None
    return {"by": event.metadata.actor.sub, "at": moment_text(event.moment)}
