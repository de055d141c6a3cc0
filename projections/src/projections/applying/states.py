"""The states before events: what the tables say, as much of it at once as fits into memory."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property, partial
from itertools import takewhile
from typing import Any, Final, NamedTuple

from psycopg import AsyncConnection

from command_api.domain.catalogue import DEFINITIONS
from command_api.domain.events import Event
from command_api.domain.folding import State, apply
from command_api.event_store.mapper import MAPPER
from command_api.event_store.records import RecordedEvent
from ops.base.encryption.ring import KEYS
from ops.base.encryption.rows import texts_of
from ops.base.records.json_values import json_of_only, to_json

Stream = tuple[str, str]
"""Entity type and id."""

Fetch = Callable[[bytes, Sequence[Any]], Awaitable[Iterable[tuple[Any, ...]]]]
"""Executes a statement and returns its rows."""

STATES_BYTES: Final = 1_000_000
"""Of states in memory at once; a single larger one still comes."""

_SHARED: Final = "projections.shared"
"""Beside the fields of what is shared: no part of what it is."""


class Question(NamedTuple):
    """What a table is asked before events are folded into it."""

    statement: bytes
    """Gives entity type, id, version, state as JSON, whether the stream is set aside, and, where it is
    sealed, the id of its key and the box whose first text is the state: of the first of the streams, as many
    as fit, but at least one."""
    parameters: tuple[Any, ...]
    table: str
    """The name that the table's boxes are sealed for."""


class Known(NamedTuple):
    """What a table has answered."""

    states: dict[Stream, State | None]
    """None: nothing is registered."""
    set_aside: set[Stream]

    def has(self, stream: Stream) -> bool:
        """Tell whether the stream is among those that fitted."""
        return stream in self.states or stream in self.set_aside


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


async def ask(fetch: Fetch, questions: Sequence[Question]) -> list[Known]:
    """Ask tables for states, all at once; where two have the same one, it is one object.

    Args:
        fetch: how.
        questions: what to ask.
    """
    answers = [Known({}, set()) for _ in questions]
    if not questions:
        return answers
    statement = b" UNION ALL ".join(
        b"SELECT %d, asked.* FROM (%b) AS asked" % (number, question.statement)
        for number, question in enumerate(questions)
    )
    parameters = [parameter for question in questions for parameter in question.parameters]
    same: dict[tuple[str, str, int, str], State] = {}
    rows = list(await fetch(statement, parameters))
    await KEYS.load(key_id for *_, key_id, _ in rows if key_id is not None)
    for number, entity, entity_id, version, shown_text, is_set_aside, key_id, box in rows:
        stream = (entity, entity_id)
        if is_set_aside:
            answers[number].set_aside.add(stream)
            continue
        texts = texts_of(questions[number].table, f"{entity}:{entity_id}", version, key_id, box)
        text = texts[0].decode() if texts else shown_text
        state = None
        if text:
            what = (entity, entity_id, version, text)
            state = same.get(what) or same.setdefault(
                what, State.of_record(entity, version, json.loads(text))
            )
        answers[number].states[stream] = state
    return answers


async def fetch_over(
    connection: AsyncConnection, statement: bytes, parameters: Sequence[Any]
) -> list[tuple[Any, ...]]:
    """Execute a statement over a connection, in the transaction that it is in, and return its rows."""
    return await (await connection.execute(statement, parameters)).fetchall()


async def with_states(
    connection: AsyncConnection,
    question: Callable[[Sequence[Stream]], Question],
    events: Sequence[RecordedEvent],
) -> AsyncIterator[tuple[Sequence[RecordedEvent], Known]]:
    """Give events in their order, as many at once as their streams' states fit into memory, with these.

    Args:
        connection: any; what comes of the events that were given must be there when the next are wanted.
        question: makes what asks a table for streams; it has all earlier events.
        events: the events.
    """
    while events:
        known = Known({}, set())
        if begun := begun_before(events):
            (known,) = await ask(partial(fetch_over, connection), [question(begun)])
        for beginning in set(streams_of(events)).difference(begun):
            known.states[beginning] = None
        fitting = list(takewhile(lambda event: known.has((event.entity, event.entity_id)), events))  # noqa: B023
        yield fitting, known
        events = events[len(fitting) :]


def streams_of(events: Iterable[RecordedEvent]) -> list[Stream]:
    """Return the streams of events, each once, in their order."""
    return list(dict.fromkeys((event.entity, event.entity_id) for event in events))


def begun_before(events: Iterable[RecordedEvent]) -> list[Stream]:
    """Return those streams of which a table that has all earlier events may know something."""
    first: dict[Stream, int] = {}
    for event in events:
        first.setdefault((event.entity, event.entity_id), event.originator_version)
    return [stream for stream, version in first.items() if version > 1]


@contextmanager
def shared(events: Iterable[RecordedEvent]) -> Iterator[None]:
    """Let several projections have what comes of events from one opening, for the time of a context."""
    for event in events:
        event.__dict__[_SHARED] = {}
    try:
        yield
    finally:
        for event in events:
            del event.__dict__[_SHARED]


def opened(event: RecordedEvent) -> Event:
    """Return what happened.

    Raises:
        UnreadableEvent: nobody can tell.
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
