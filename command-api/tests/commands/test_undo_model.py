"""State machine of two users who change, remove, restore and undo one record."""

import asyncio
import uuid
from collections.abc import Awaitable, Iterable
from typing import Any, Final

from command_api_testing.log_in_memory import LogInMemory
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from command_api.commands.context import CommandContext, IfMatch
from command_api.commands.execution import CommandRefused
from command_api.commands.handler import CommandHandler
from command_api.commands.reasons import NoSuchVersion, PreconditionFailed
from command_api.domain.aggregate import NotRegistered, RuleBroken
from command_api.domain.catalogue import DEFINITIONS
from command_api.domain.events import DetailsChanged, Event, EventActor, EventMetadata, Registered, Removed
from command_api.event_store.mapper import MAPPER

LOCATION: Final = DEFINITIONS["location"]
MEMBERS: Final = ("city", "state")
PARTS: Final = ("name", "country", *(f"attributes.{name}" for name in MEMBERS))
REGISTERED: Final = "is registered"

Parts = dict[str, Any]
"""Values of the parts of a record, and whether it is registered."""

people = st.sampled_from(["dev|asha", "dev|ben"])
words = st.sampled_from(["a", "b", "c"])
some_parts = st.dictionaries(st.sampled_from(PARTS), words, min_size=1, max_size=2)
kept_parts = st.frozensets(st.sampled_from(PARTS), max_size=2)


def details_of(parts: Parts) -> dict[str, Any]:
    plain = {name: value for name, value in parts.items() if name in ("name", "country")}
    members = {name: parts[f"attributes.{name}"] for name in MEMBERS}
    attributes = {**dict.fromkeys(LOCATION.members["attributes"]), **members}
    return {**LOCATION.example, **plain, "attributes": attributes}


class TwoUsers(RuleBasedStateMachine):
    """A record, its events, and the properties of each undo."""

    def __init__(self) -> None:
        super().__init__()
        self.id = "L1"
        self.log = LogInMemory(page_events=3)
        self.handler = CommandHandler(self.log, shared=["all"])
        self.runner = asyncio.Runner()

    def teardown(self) -> None:
        self.runner.close()

    @property
    def events(self) -> list[Event]:
        return [MAPPER.to_domain_event(recorded) for recorded in self.log.stream(f"location:{self.id}")]

    @property
    def version(self) -> int:
        return len(self.log.stream(f"location:{self.id}"))

    def states(self) -> list[Parts]:
        """Return the entity at each version; index 0 is before the first event."""
        details: dict[str, Any] | None = None
        states = []
        for event in (None, *self.events):
            match event:
                case Registered():
                    details = event.details
                case DetailsChanged():
                    details = {**(details or {}), **{name: one.to for name, one in event.changes.items()}}
                case Removed():
                    details = None
            values = {**(details or {}), **{f"attributes.{k}": v for k, v in self._members(details)}}
            states.append({**{part: values.get(part) for part in PARTS}, REGISTERED: details is not None})
        return states

    @staticmethod
    def _members(details: dict[str, Any] | None) -> Iterable[tuple[str, Any]]:
        return ((details or {}).get("attributes") or {}).items()

    def send(self, command: Awaitable[Any]) -> Exception | None:
        async def sent() -> Exception | None:
            try:
                await command
            except CommandRefused as refused:
                return refused.reason
            return None

        return self.runner.run(sent())

    def context(self, person: str, if_match: str | None = None) -> CommandContext:
        metadata = EventMetadata(actor=EventActor(sub=person), request_id="r1", fingerprint="")
        condition = IfMatch.parse(if_match, log_id="0" * 32)
        return CommandContext(uuid.uuid4(), metadata, is_repeatable=False, if_match=condition)

    def undo(self, person: str, version: int, keep: frozenset[str], if_match: str | None) -> Exception | None:
        context = self.context(person, if_match)
        undoing = self.handler.undo(LOCATION, self.id, version, keep, context, permit=lambda _: None)
        return self.send(undoing)

    @initialize(person=people)
    def begin(self, person: str) -> None:
        self.register(person, dict.fromkeys(PARTS, "a"))

    @precondition(lambda self: not self.states()[-1][REGISTERED])
    @rule(person=people, parts=st.fixed_dictionaries(dict.fromkeys(PARTS, words)))
    def register(self, person: str, parts: Parts) -> None:
        assert (
            self.send(self.handler.register(LOCATION, self.id, details_of(parts), self.context(person)))
            is None
        )

    @precondition(lambda self: self.states()[-1][REGISTERED])
    @rule(person=people, parts=some_parts)
    def change(self, person: str, parts: Parts) -> None:
        details = details_of({**self.states()[-1], **parts})
        assert self.send(self.handler.change(LOCATION, self.id, details, self.context(person))) is None

    @rule(person=people)
    def remove(self, person: str) -> None:
        assert self.send(self.handler.remove(LOCATION, self.id, self.context(person))) is None

    @rule(person=people, data=st.data())
    def restore(self, person: str, data: st.DataObject) -> None:
        before, states = self.events, self.states()
        version = data.draw(st.integers(1, self.version + 1))
        refusal = self.send(self.handler.restore(LOCATION, self.id, version, self.context(person)))
        if version > len(before) or not states[version][REGISTERED]:
            assert isinstance(refusal, NoSuchVersion)
            assert self.events == before
        else:
            assert refusal is None
            assert self.states()[-1] == states[version]
            assert len(self.events) == len(before) + (states[-1] != states[version])

    @rule(person=people, keep=kept_parts, data=st.data())
    def undo_without_condition(self, person: str, keep: frozenset[str], data: st.DataObject) -> None:
        version = data.draw(st.integers(1, self.version))
        before, states = self.events, self.states()
        refusal = self.undo(person, version, keep, None)
        changed = self.changed(states)
        if refusal is None:
            assert not changed & keep
            for part in changed:
                assert self.is_unchanged_since(version, part, before, states), "set by a later event"
                assert self.states()[-1][part] == states[version - 1][part]
        elif isinstance(refusal, PreconditionFailed):
            assert refusal.known_version == version
            set_by_it = self.set_by(states, version) - keep
            is_gone = not states[-1][REGISTERED]  # a removed record has no fields to keep
            assert is_gone or any(
                self.set_by(states, later) & set_by_it for later in range(version + 1, len(states))
            )
        else:
            assert isinstance(refusal, RuleBroken)  # a registration or a removal is undone completely
        self.assert_undone_version(before, version)

    @rule(person=people, keep=kept_parts, data=st.data())
    def undo_with_the_current_version(self, person: str, keep: frozenset[str], data: st.DataObject) -> None:
        version = data.draw(st.integers(1, self.version))
        before, states = self.events, self.states()
        refusal = self.undo(person, version, keep, f'"{self.version}"')
        if refusal is None:
            then, now = states[version - 1], self.states()[-1]
            assert now[REGISTERED] == then[REGISTERED]
            for part in self.set_by(states, version) - {REGISTERED}:
                if part in keep and states[-1][REGISTERED]:
                    assert now[part] == states[-1][part]
                else:
                    assert now[part] == then[part]
            assert self.changed(states) <= self.set_by(states, version) | {REGISTERED} | self.set_by_return(
                states
            )
        else:
            assert isinstance(refusal, (RuleBroken, NotRegistered))
            assert self.events == before
        self.assert_undone_version(before, version)

    @rule(person=people)
    def undo_with_a_stale_version(self, person: str) -> None:
        before = self.events
        refusal = self.undo(person, self.version, frozenset(), '"999"')
        assert isinstance(refusal, PreconditionFailed)
        assert self.events == before

    @rule(person=people)
    def undo_the_undo(self, person: str) -> None:
        states = self.states()
        assert self.undo(person, self.version, frozenset(), None) is None, "no later event"
        undone = self.states()
        assert undone[-1] == states[-2]
        assert len(undone) == len(states) + 1
        assert self.undo(person, self.version, frozenset(), None) is None
        assert self.states()[-1] == states[-1]
        # A later change that was undone itself does not prevent the undo.
        assert self.undo(person, len(states) - 1, frozenset(), None) is None
        assert self.states()[-1] == states[-2]

    @rule(person=people, beyond=st.integers(1, 3))
    def undo_an_unknown_version(self, person: str, beyond: int) -> None:
        refusal = self.undo(person, self.version + beyond, frozenset(), None)
        assert isinstance(refusal, NoSuchVersion)

    @invariant()
    def versions_are_consecutive(self) -> None:
        assert [event.originator_version for event in self.events] == list(range(1, self.version + 1))

    def changed(self, states: list[Parts]) -> set[str]:
        now = self.states()[-1]
        return {part for part in now if now[part] != states[-1][part]}

    def set_by(self, states: list[Parts], version: int) -> set[str]:
        """Return the parts that a version has set."""
        if states[version - 1][REGISTERED] != states[version][REGISTERED]:
            return {*PARTS, REGISTERED}
        return {part for part in PARTS if states[version - 1][part] != states[version][part]}

    def set_by_return(self, states: list[Parts]) -> set[str]:
        """Return all parts if the record was registered again."""
        return set() if states[-1][REGISTERED] == self.states()[-1][REGISTERED] else set(PARTS)

    def is_unchanged_since(self, version: int, part: str, events: list[Event], states: list[Parts]) -> bool:
        """Return whether a part has a version's value, and all later changes of it were undone."""
        undone = {event.metadata.undoes for event in events}
        return states[-1][part] == states[version][part] and all(
            event.metadata.undoes is not None or event.originator_version in undone
            for event in events[version:]
            if part in self.set_by(states, event.originator_version)
        )

    def assert_undone_version(self, before: list[Event], version: int) -> None:
        assert [event.metadata.undoes for event in self.events[len(before) :]] in ([], [version])


TestTwoUsers = TwoUsers.TestCase
TestTwoUsers.settings = settings(deadline=None, max_examples=60, stateful_step_count=14)
