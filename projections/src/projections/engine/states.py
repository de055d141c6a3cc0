"""The states before events, read from the tables in amounts that fit into memory."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any, Final, NamedTuple

from command_api.domain.catalogue import DEFINITIONS
from command_api.domain.events import Event
from command_api.domain.state import State, apply
from command_api.event_store.mapper import MAPPER
from command_api.event_store.records import RecordedEvent
from ops.base.encryption.key_cache import KEYS
from ops.base.encryption.rows import decrypt_row
from ops.base.records.json_values import only, to_json
from projections.event_log import LogSession

Stream = tuple[str, str]
"""Entity type and id."""

STATES_BYTES: Final = 1_000_000
"""Size of the states loaded at once; one larger state is still loaded."""

CACHED_BYTES: Final = 32_000_000

_SHARED: Final = "projections.shared"
"""Attribute for shared results, which is no field of the event or state."""


class StateQuery(NamedTuple):
    """A query of a table for the states of streams."""

    statement: bytes
    """Selects entity type, id, version, state as JSON, whether the stream is quarantined, key id and
    ciphertext, whose first text is the state. Returns the first streams whose states fit, at least one."""
    parameters: tuple[Any, ...]
    table: str
    """The table name that the payloads are bound to."""


class KnownStates(NamedTuple):
    """States of streams in one table."""

    states: dict[Stream, State | None]
    """None if no entity is registered."""
    quarantined: set[Stream]

    def has(self, stream: Stream) -> bool:
        """Return whether the stream was loaded."""
        return stream in self.states or stream in self.quarantined


class StateCache:
    """States after the applied events, of an initially empty table that only the caller writes.

    Args:
        max_bytes: size of folded payloads after which the states are dropped and loaded again.
    """

    def __init__(self, max_bytes: int = CACHED_BYTES) -> None:
        self.known = KnownStates({}, set())
        self._max_bytes = max_bytes
        self._bytes = 0

    def update(self, states: Mapping[Stream, State | None], failed: Iterable[str], size: int) -> None:
        """Update the states after events whose payloads have the given size in bytes; name failed streams."""
        self.known.states.update(states)
        for name in failed:
            entity, _, entity_id = name.partition(":")
            self.known.quarantined.add((entity, entity_id))
        self._bytes += size
        if self._bytes > self._max_bytes:
            self.known, self._bytes = KnownStates({}, set()), 0


class Rendering:
    """A state as the tables store it: the served record, and its JSON text.

    Raises:
        ValueError: JSON cannot represent the state.
    """

    def __init__(self, state: State) -> None:
        self._definition = DEFINITIONS[state.entity]
        self.record = state.record()
        self.text = to_json(self.record)

    @cached_property
    def harmless(self) -> str:
        """The record as JSON with null for personal values."""
        return to_json(only(self.record, self._definition.harmless_members))


async def load_states(session: LogSession, queries: Sequence[StateQuery]) -> list[KnownStates]:
    """Execute queries in one statement; equal states of several tables become one object."""
    results = [KnownStates({}, set()) for _ in queries]
    if not queries:
        return results
    statement = b" UNION ALL ".join(
        b"SELECT %d, query.* FROM (%b) AS query" % (number, query.statement)
        for number, query in enumerate(queries)
    )
    parameters = [parameter for query in queries for parameter in query.parameters]
    unique: dict[tuple[str, str, int, str], State] = {}
    rows = await session.fetch(statement, parameters)
    await KEYS.load(key_id for *_, key_id, _ in rows if key_id is not None)
    for number, entity, entity_id, version, masked_text, is_quarantined, key_id, ciphertext in rows:
        stream = (entity, entity_id)
        if is_quarantined:
            results[number].quarantined.add(stream)
            continue
        texts = decrypt_row(queries[number].table, f"{entity}:{entity_id}", version, key_id, ciphertext)
        text = texts[0].decode() if texts else masked_text
        state = None
        if text:
            identity = (entity, entity_id, version, text)
            state = unique.get(identity) or unique.setdefault(
                identity, State.of_record(entity, version, json.loads(text))
            )
        results[number].states[stream] = state
    return results


def continued_streams(events: Iterable[RecordedEvent]) -> list[Stream]:
    """Return the streams whose first event is not among these: a table may contain their states."""
    first: dict[Stream, int] = {}
    for event in events:
        first.setdefault((event.entity, event.entity_id), event.originator_version)
    return [stream for stream, version in first.items() if version > 1]


@contextmanager
def shared_decoding(events: Iterable[RecordedEvent]) -> Iterator[None]:
    """Decode and apply each event once for all projections while the context lasts."""
    for event in events:
        event.__dict__[_SHARED] = {}
    try:
        yield
    finally:
        for event in events:
            del event.__dict__[_SHARED]


def decode(event: RecordedEvent) -> Event:
    """Return the decoded event.

    Raises:
        UnreadableEvent: the event cannot be decoded.
    """
    memory = event.__dict__.get(_SHARED, {})
    if "decoded" not in memory:
        memory["decoded"] = MAPPER.to_domain_event(event)
    found: Event = memory["decoded"]
    return found


def state_after(before: State | None, event: RecordedEvent, decoded: Event) -> State | None:
    """Return the state after an event.

    Raises:
        InapplicableEvent: the event cannot follow that state.
    """
    memory = event.__dict__.get(_SHARED)
    if memory is None:
        return apply(before, decoded, moment=event.moment)
    if "after" not in memory or memory["before"] is not before:
        state = apply(before, decoded, moment=event.moment)
        if state is not None:
            state.__dict__[_SHARED] = {}
        memory["before"], memory["after"] = before, state
    found: State | None = memory["after"]
    return found


def render(state: State) -> Rendering:
    """Return a state as the tables store it.

    Raises:
        ValueError: JSON cannot represent the state.
    """
    memory = state.__dict__.get(_SHARED, {})
    if "rendering" not in memory:
        memory["rendering"] = Rendering(state)
    found: Rendering = memory["rendering"]
    return found
