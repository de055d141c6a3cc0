"""What the log has of somebody who is to be forgotten: the keys, and texts that tell of them."""

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
from ops.base.encryption.keys import Key
from ops.base.records.operations import moment_text
from ops.tamper_evidence.receipts import ARTICLES, ERASED
from projections.reading.log import read_stream
from projections.tables import EntityTable
from projections.tables.search_terms import folded, key_of
from projections.workers.erasure.erasures import Erasure, told

SHORTEST: Final = 6
_MOST_TEXTS: Final = 60
"""Of all versions; with so many, 40 MB are looked through in a second."""
_DATE: Final = re.compile(r"\d{4}-\d{2}-\d{2}")
_FINGERPRINTED: Final = "receipt"
HAS: Final = sql.SQL(
    "(strpos(search_text, folded) > 0 OR strpos(sort_keys, folded) > 0 OR strpos(sort_keys, key) > 0)"
)
"""Whether a row of search terms has a text, in either form."""
# What somebody else's record has, too, tells of nobody. In the clear it has it here.
_TELLING: Final = sql.SQL(
    """
    SELECT text
    FROM unnest(%(texts)s::text[], %(folded)s::text[], %(keys)s::text[]) AS looked_for (text, folded, key)
    WHERE NOT EXISTS (SELECT FROM {search} WHERE id <> %(id)s AND {has})
    """
)


@dataclass
class Life:
    """The events of a record, from its registration (again) to the one that erases it."""

    keys: dict[str, str | None] = field(default_factory=dict)
    """By id, what tells the key from others; None: nobody has it any more."""
    sealed: int = 0
    in_the_clear: int = 0
    texts: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    """What staff look the record up by, of any length: names, numbers, addresses."""
    asked: Event | None = None
    erased: Event | None = None
    last: RecordedEvent | None = None

    @property
    def is_known(self) -> bool:
        """Whether all that was sealed could be opened."""
        return None not in self.keys.values()

    def is_over_at(self, position: int) -> bool:
        """Whether the event at a position erases it."""
        return self.last is not None and self.last.position == position and self.last.topic.endswith(ERASED)

    def take(self, event: RecordedEvent) -> None:
        """Take its next event."""
        self.last = event
        if event.key_id is None:
            self.in_the_clear += 1
        else:
            self.sealed += 1
            self.take_key(event.key_id, event.key)
        with suppress(UnreadableEvent):
            opened = MAPPER.to_domain_event(event)
            self.texts.update(_telling(opened, event.entity_id))
            self.names.update(_names(opened))
            if isinstance(opened, Restricted):
                self.asked = opened
            self.erased = opened

    def take_key(self, key_id: str, key: Key | None) -> None:
        """Take what something of it is sealed under; None: nobody has it any more."""
        self.keys[key_id] = None if key is None else key.fingerprint(_FINGERPRINTED)

    def told(self) -> dict[str, Any]:
        """Return what may be written down of it."""
        basis = getattr(self.erased, "basis", "")
        return told(
            basis={"word": basis, "articles": ARTICLES.get(basis, ())},
            asked=_by(self.asked),
            erased=_by(self.erased),
            keys=[{"id": key_id, "fingerprint": value} for key_id, value in self.keys.items()],
            events={"sealed": self.sealed, "in_the_clear": self.in_the_clear},
        )


async def life_of(connection: AsyncConnection, erasure: Erasure) -> Life:
    """Read the life that an event ends.

    Raises:
        KeysUnavailable: what it is sealed under cannot be had now.
    """
    life = Life()
    async for events in read_stream(connection, erasure.stream, first=1, last=erasure.position):
        for event in events:
            if life.last is not None and life.is_over_at(life.last.position):
                life = Life()
            life.take(event)
    return life


async def telling_of_nobody_else(
    connection: AsyncConnection, table: EntityTable, entity_id: str, texts: Sequence[str]
) -> frozenset[str]:
    """Return which texts no other record has.

    Args:
        connection: any.
        table: of the records of its type.
        entity_id: whose texts they are.
        texts: the texts.
    """
    statement = _TELLING.format(search=table.search.identifier, has=HAS)
    parameters = {**looked_for(texts), "id": entity_id}
    return frozenset(text for (text,) in await (await connection.execute(statement, parameters)).fetchall())


def looked_for(texts: Sequence[str]) -> dict[str, list[str]]:
    """Return the parameters of what is looked for in search terms."""
    return {
        "texts": list(texts),
        "folded": [folded(text) for text in texts],
        "keys": [key_of(text) for text in texts],
    }


def longest(texts: set[str]) -> list[str]:
    """Return the texts that are looked for where there are too many."""
    return sorted(texts, key=len, reverse=True)[:_MOST_TEXTS]


def _telling(event: Event, entity_id: str) -> Iterator[str]:
    """Yield the personal texts of an event by which somebody could be recognised."""
    harmless = STREAMS[event.entity].harmless
    for name, value in _fields(event).items():
        if name not in harmless:
            for text in _texts(value):
                # Dates are everywhere, and the id names the stream.
                if len(text) >= SHORTEST and not _DATE.match(text) and text.lower() not in entity_id.lower():
                    yield text


def _names(event: Event) -> Iterator[str]:
    """Yield the personal texts of an event by which staff look its record up."""
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
