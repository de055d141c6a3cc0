"""Whatever happened to an entity, any version of it can be brought back, by a new change alone."""

import uuid
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from command_api.commands.context import CommandContext
from command_api.commands.handler import CommandHandler, Refused
from command_api.commands.reasons import NoSuchVersion
from command_api.domain.aggregate import Aggregate, NotRegistered
from command_api.domain.catalogue import DEFINITIONS, decode
from command_api.domain.events import EventActor, EventMetadata
from command_api.domain.folding import State
from command_api.event_store.log import EventLog
from command_api.event_store.records import (
    Append,
    Appended,
    RecordedEvent,
    Snapshot,
    Stretch,
    VersionConflict,
)
from ops.base.json_values import same_json

BEGIN = datetime(2026, 11, 21, 4, 10, 45, 123456, tzinfo=UTC)
METADATA = EventMetadata(actor=EventActor(sub="dev|asha", name="Asha"), request_id="r1", fingerprint="f" * 64)
HORSE = DEFINITIONS["horse"]
TIMES = ("created_at", "updated_at")

letters = "aBé भ😀"
texts = st.sampled_from(["", "a", "b"])
values = st.none() | st.booleans() | st.integers(-1, 1) | texts
details = st.fixed_dictionaries(
    {"chassis_number": st.sampled_from("AB")},
    optional={
        "owner": st.none() | st.text(letters, max_size=2),
        "metadata": st.dictionaries(st.text(letters, max_size=1), values),
    },
)
steps = st.lists(
    st.one_of(
        st.tuples(st.just("register"), details),
        st.tuples(st.just("change"), details),
        st.tuples(st.just("change"), details),
        st.tuples(st.just("remove"), st.none()),
        st.tuples(st.just("restore"), st.integers(1, 8)),
    ),
    max_size=12,
)


class LogInMemory:
    """One stream's events, read in stretches of two, with a snapshot of every third version."""

    def __init__(self) -> None:
        self.events: list[RecordedEvent] = []

    async def append(self, append: Append) -> Appended:
        (new,) = append.events
        if new.originator_version != len(self.events) + 1:
            raise VersionConflict
        moment = BEGIN + timedelta(seconds=len(self.events))
        self.events.append(RecordedEvent(**vars(new), position=len(self.events) + 1, moment=moment))
        return Appended((self.events[-1],))

    async def stretch(self, _originator_id: str, *, after: int = 0) -> Stretch:
        before = self.events[after - 1].place if after else None
        return Stretch(before, self.events[after : after + 2], is_last=len(self.events) <= after + 2)

    async def snapshot(self, _entity: str, _id: str, *, up_to: int) -> Snapshot | None:
        states = self.states()[: up_to + 1]
        found = [state for state in states if state and state.version % 3 == 0]
        if not found:
            return None
        place = replace(self.events[found[-1].version - 1].place, size=None)
        return Snapshot(place, found[-1].record())

    def states(self) -> list[State | None]:
        """Fold the log up to each version, of which 0 is before the first."""
        aggregate = Aggregate(HORSE, "H1")
        states: list[State | None] = [None]
        for recorded in self.events:
            version, moment = recorded.originator_version, recorded.moment
            event = decode(recorded.topic, recorded.state, originator_id="horse:H1", version=version)
            aggregate = aggregate.after(event, moment)
            states.append(aggregate.state)
        return states


class Entity:
    """One horse, and the commands that are sent to it."""

    def __init__(self) -> None:
        self.log = LogInMemory()
        self._handler = CommandHandler(cast("EventLog", self.log))

    async def send(self, action: str, given: Any) -> None:
        context = CommandContext(uuid.uuid4(), METADATA, may_be_repeat=False)
        match action:
            case "register":
                if self.log.events and self.log.states()[-1]:
                    return  # a conflict, which others test
                await self._handler.register(HORSE, "H1", given, context)
            case "change":
                await self._handler.change(HORSE, "H1", given, context)
            case "remove":
                await self._handler.remove(HORSE, "H1", context)
            case _:
                await self._handler.restore(HORSE, "H1", given, context)


def record_of(state: State | None) -> dict[str, Any] | None:
    record = state.record() if state else None
    return record and {name: value for name, value in record.items() if name not in TIMES}


@settings(deadline=None)
@given(history=steps, data=st.data())
async def test_a_restored_version_does_not_differ_from_what_is_now(
    history: list[tuple[str, Any]], data: st.DataObject
) -> None:
    horse = Entity()
    for action, given_values in history:
        with suppress(Refused):
            await horse.send(action, given_values)
    states = horse.log.states()
    versions = [version for version, state in enumerate(states) if state is not None]
    if not versions:
        return
    version = data.draw(st.sampled_from(versions))
    before = list(horse.log.events)
    await horse.send("restore", version)

    after = horse.log.states()
    assert same_json(record_of(after[-1]), record_of(states[version]))
    assert horse.log.events[: len(before)] == before, "what happened stays as it was"
    already = same_json(record_of(states[-1]), record_of(states[version]))
    assert len(horse.log.events) == len(before) + (0 if already else 1)

    restored = len(horse.log.events)
    await horse.send("restore", version)
    assert len(horse.log.events) == restored, "it is so already"


@settings(deadline=None)
@given(history=steps)
async def test_what_was_not_there_cannot_be_brought_back(history: list[tuple[str, Any]]) -> None:
    horse = Entity()
    for action, given_values in history:
        with suppress(Refused):
            await horse.send(action, given_values)
    states = horse.log.states()
    for version in range(1, len(states) + 2):
        if version < len(states) and states[version] is not None:
            continue
        with pytest.raises(Refused) as refused:
            await horse.send("restore", version)
        expected = NoSuchVersion if horse.log.events else NotRegistered
        assert isinstance(refused.value.reason, expected)
    assert horse.log.states() == states
