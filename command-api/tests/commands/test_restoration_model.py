"""Any version of an entity can be restored by a new event."""

import uuid
from contextlib import suppress
from typing import Any

import pytest
from command_api_testing.contexts import METADATA
from command_api_testing.log_in_memory import LogInMemory
from hypothesis import given, settings
from hypothesis import strategies as st

from command_api.commands.context import CommandContext
from command_api.commands.execution import CommandRefused
from command_api.commands.handler import CommandHandler
from command_api.commands.outcomes import NoSuchVersion
from command_api.domain.aggregate import Aggregate, NotRegistered
from command_api.domain.catalogue import DEFINITIONS
from command_api.domain.state import State
from command_api.event_store.mapper import MAPPER
from command_api.event_store.records import RecordedEvent, Snapshot
from ops.base.records.json_values import same_json

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


class Entity:
    """A horse, and commands to it."""

    def __init__(self) -> None:
        self._log = LogInMemory(page_events=2)
        self._handler = CommandHandler(self._log)

    @property
    def events(self) -> list[RecordedEvent]:
        return self._log.stream("horse:H1")

    def states(self) -> list[State | None]:
        """Return the state at each version; index 0 is before the first event."""
        aggregate = Aggregate(HORSE, "H1")
        states: list[State | None] = [None]
        for recorded in self.events:
            aggregate = aggregate.after(MAPPER.to_domain_event(recorded), recorded.moment)
            states.append(aggregate.state)
        return states

    async def send(self, action: str, given: Any) -> None:
        """Execute a command; every third version has a snapshot."""
        await self._send(action, given)
        self._log.snapshots["horse", "H1"] = [
            Snapshot(self.events[state.version - 1].reference._replace(size=None), state.record())
            for state in self.states()
            if state and state.version % 3 == 0
        ]

    async def _send(self, action: str, given: Any) -> None:
        context = CommandContext(uuid.uuid4(), METADATA, is_repeatable=False)
        match action:
            case "register":
                if self.states()[-1]:
                    return  # a conflict, which other tests cover
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
async def test_restored_version_equals_the_former_one(
    history: list[tuple[str, Any]], data: st.DataObject
) -> None:
    horse = Entity()
    for action, given_values in history:
        with suppress(CommandRefused):
            await horse.send(action, given_values)
    states = horse.states()
    versions = [version for version, state in enumerate(states) if state is not None]
    if not versions:
        return
    version = data.draw(st.sampled_from(versions))
    before = list(horse.events)
    await horse.send("restore", version)

    after = horse.states()
    assert same_json(record_of(after[-1]), record_of(states[version]))
    assert horse.events[: len(before)] == before, "earlier events stay unchanged"
    already = same_json(record_of(states[-1]), record_of(states[version]))
    assert len(horse.events) == len(before) + (0 if already else 1)

    restored = len(horse.events)
    await horse.send("restore", version)
    assert len(horse.events) == restored, "a repeated restoration appends nothing"


@settings(deadline=None)
@given(history=steps)
async def test_versions_without_a_record_cannot_be_restored(history: list[tuple[str, Any]]) -> None:
    horse = Entity()
    for action, given_values in history:
        with suppress(CommandRefused):
            await horse.send(action, given_values)
    states = horse.states()
    for version in range(1, len(states) + 2):
        if version < len(states) and states[version] is not None:
            continue
        with pytest.raises(CommandRefused) as refused:
            await horse.send("restore", version)
        expected = NoSuchVersion if horse.events else NotRegistered
        assert isinstance(refused.value.reason, expected)
    assert horse.states() == states
