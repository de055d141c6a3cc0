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
from ops.base.records.json_values import json_of_only, to_json
from projections.reading.session import Session

Stream = tuple[str, str]
"""Entity type and id."""

STATES_BYTES: Final = 1_000_000
"""Of states in memory at once; a single larger one still comes."""

CACHED_BYTES: Final = 32_000_000

_SHARED: Final = "projections.shared"
"""Beside the fields of what is shared: no part of what it is."""


class Question(NamedTuple):
    """The query of a table for states before events are folded into it."""

    statement: bytes
    """Gives entity type, id, version, state as JSON, whether the stream is set aside, and, where it is
    sealed, the id of its key and the box whose first text is the state: of the first of the streams, as many
    as fit, but at least one."""
    parameters: tuple[Any, ...]
    table: str
    """The name that the table's boxes are sealed for."""


class Known(NamedTuple):
    """States of streams in one table."""

    states: dict[Stream, State | None]
    """None: nothing is registered."""
    set_aside: set[Stream]

    def has(self, stream: Stream) -> bool:
        """Return whether the stream was loaded."""
        return stream in self.states or stream in self.set_aside


class StateCache:
    """States after the events that were applied, of a table that is written by the caller alone."""

    def __init__(self, max_bytes: int = CACHED_BYTES) -> None:
        """Begin with an empty table.

        Args:
            max_bytes: once this much of payloads has been folded, the states are dropped and read again.
        """
        self.known = Known({}, set())
        self._max_bytes = max_bytes
        self._bytes = 0

    def update(self, states: Mapping[Stream, State | None], set_aside: Iterable[Stream], size: int) -> None:
        """Take the states after further events.

        Args:
            states: by stream.
            set_aside: streams that were set aside.
            size: of the events' payloads, in bytes.
        """
        self.known.states.update(states)
        self.known.set_aside.update(set_aside)
        self._bytes += size
        if self._bytes > self._max_bytes:
            self.known, self._bytes = Known({}, set()), 0


class Shown:
    """A state as tables show it.

    Attributes:
        record: as it is served.
        text: the record as JSON.
    """

    def __init__(self, state: State) -> None:
        """Encode a state.

        Raises:
            ValueError: JSON cannot represent it.
        """
        self._definition = DEFINITIONS[state.entity]
        self.record = state.record()
        self.text = to_json(self.record)

    @cached_property
    def harmless(self) -> str:
        """The record as JSON with null for personal values."""
        return json_of_only(self.record, self._definition.harmless_members)


async def ask(session: Session, questions: Sequence[Question]) -> list[Known]:
    """Query tables for states, all in one statement; equal states of several tables are one object."""
    answers = [Known({}, set()) for _ in questions]
    if not questions:
        return answers
    statement = b" UNION ALL ".join(
        b"SELECT %d, asked.* FROM (%b) AS asked" % (number, question.statement)
        for number, question in enumerate(questions)
    )
    parameters = [parameter for question in questions for parameter in question.parameters]
    same: dict[tuple[str, str, int, str], State] = {}
    rows = await session.fetch(statement, parameters)
    await KEYS.load(key_id for *_, key_id, _ in rows if key_id is not None)
    for number, entity, entity_id, version, shown_text, is_set_aside, key_id, box in rows:
        stream = (entity, entity_id)
        if is_set_aside:
            answers[number].set_aside.add(stream)
            continue
        texts = decrypt_row(questions[number].table, f"{entity}:{entity_id}", version, key_id, box)
        text = texts[0].decode() if texts else shown_text
        state = None
        if text:
            what = (entity, entity_id, version, text)
            state = same.get(what) or same.setdefault(
                what, State.of_record(entity, version, json.loads(text))
            )
        answers[number].states[stream] = state
    return answers


def begun_before(events: Iterable[RecordedEvent]) -> list[Stream]:
    """Return the streams of events that may be in a table already: those that do not begin with them."""
    first: dict[Stream, int] = {}
    for event in events:
        first.setdefault((event.entity, event.entity_id), event.originator_version)
    return [stream for stream, version in first.items() if version > 1]


@contextmanager
def shared(events: Iterable[RecordedEvent]) -> Iterator[None]:
    """Decode and apply each event once for all projections, within a context."""
    for event in events:
        event.__dict__[_SHARED] = {}
    try:
        yield
    finally:
        for event in events:
            del event.__dict__[_SHARED]


def opened(event: RecordedEvent) -> Event:
    """Return the decoded event.

    Raises:
        UnreadableEvent: it cannot be decoded.
    """
    memory = event.__dict__.get(_SHARED)
    if memory is None:
        return MAPPER.to_domain_event(event)
    if "opened" not in memory:
        memory["opened"] = MAPPER.to_domain_event(event)
    found: Event = memory["opened"]
    return found


def after(before: State | None, event: RecordedEvent, change: Event) -> State | None:
    """Return the state after an event.

    Args:
        before: the state before it.
        event: the event.
        change: what it was opened to.

    Raises:
        InapplicableEvent: it cannot have happened in that state.
    """
    memory = event.__dict__.get(_SHARED)
    if memory is None:
        return apply(before, change, moment=event.moment)
    if "after" not in memory or memory["before"] is not before:
        state = apply(before, change, moment=event.moment)
        if state is not None:
            state.__dict__[_SHARED] = {}
        memory["before"], memory["after"] = before, state
    found: State | None = memory["after"]
    return found


def shown(state: State) -> Shown:
    """Return a state as tables show it.

    Raises:
        ValueError: JSON cannot show it.
    """
    memory = state.__dict__.get(_SHARED)
    if memory is not None and "shown" in memory:
        found: Shown = memory["shown"]
        return found
    made = Shown(state)
    if memory is not None:
        memory["shown"] = made
    return made
