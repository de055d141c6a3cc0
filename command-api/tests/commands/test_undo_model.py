"""State machines of two users who change, remove, restore and undo, one record at a time or in batches."""

import asyncio
import uuid
from collections.abc import Awaitable, Iterable, Iterator
from datetime import UTC, datetime
from typing import Any, Final

from command_api_testing.log_in_memory import LogInMemory
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from starlette.requests import Request

from command_api.commands.context import CommandContext, IfMatch
from command_api.commands.execution import CommandRefused
from command_api.commands.handler import CommandHandler
from command_api.commands.outcomes import NoSuchVersion, PreconditionFailed
from command_api.domain.aggregate import NotRegistered, RuleBroken
from command_api.domain.catalogue import DEFINITIONS
from command_api.domain.events import DetailsChanged, Event, EventActor, EventMetadata, Registered, Removed
from command_api.event_store.mapper import MAPPER
from command_api.http.batch import BatchRow, BatchRun
from command_api.http.responses import Disclosure
from ops.base.permissions import Permission
from ops.base.sign_in import Actor, VerifiedToken

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
        self.handler = CommandHandler(self.log)
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

IDS: Final = ("L1", "L2", "L3")
DONE: Final = ("new", "changed", "removed")

some_ids = st.lists(st.sampled_from(IDS), min_size=1, unique=True)
all_parts = st.fixed_dictionaries({"name": words, "country": words, "attributes.city": words})


def patch_of(parts: Parts) -> dict[str, Any]:
    members = {name.partition(".")[2]: value for name, value in parts.items() if "." in name}
    plain = {name: value for name, value in parts.items() if "." not in name}
    return {**plain, **({"attributes": members} if members else {})}


class Unrecorded(Disclosure):
    """A disclosure that shows everything and records nothing."""

    def record(self, entity_id: str, fields: Iterable[str]) -> bool:
        """See `Disclosure`."""
        return True


class Runs(TwoUsers):
    """Three records with single commands and batches."""

    def __init__(self) -> None:
        super().__init__()
        self.runs: list[dict[str, int]] = []
        """The versions that each batch has created, by record."""

    @initialize(person=people)
    def begin(self, person: str) -> None:
        for self.id in IDS:
            self.register(
                person, {"name": "a", "country": "a", "attributes.city": "a", "attributes.state": "a"}
            )

    @rule(entity_id=st.sampled_from(IDS))
    def select_record(self, entity_id: str) -> None:
        self.id = entity_id

    @rule(person=people, ids=some_ids, parts=all_parts)
    def import_rows(self, person: str, ids: list[str], parts: Parts) -> None:
        values = {**details_of({"attributes.state": "a", **parts}), **patch_of(parts)}
        rows = [{"id": one, "values": values} for one in ids]
        before = self.all_states()
        tried = self.send_rows(person, rows, dry_run=True)
        assert self.all_states() == before
        results = self.send_rows(person, rows)
        assert self.summary(results) == self.summary(tried)
        for row in results:
            now = self.all_states()[row["id"]][-1]
            if before[row["id"]][-1][REGISTERED]:
                assert {part: now[part] for part in parts} == parts
            else:
                assert row["outcome"] == "refused", "the server gives locations their ids"

    @rule(person=people, ids=some_ids, parts=some_parts, between=st.data())
    def change_many(self, person: str, ids: list[str], parts: Parts, between: st.DataObject) -> None:
        self.do_many(person, [{"id": one, "do": "change", "values": patch_of(parts)} for one in ids], between)

    @rule(person=people, ids=some_ids, between=st.data())
    def remove_many(self, person: str, ids: list[str], between: st.DataObject) -> None:
        self.do_many(person, [{"id": one, "do": "remove"} for one in ids], between)

    @precondition(lambda self: self.runs)
    @rule(person=people, data=st.data())
    def undo_run(self, person: str, data: st.DataObject) -> None:
        made = data.draw(st.sampled_from(self.runs))
        events, states = self.all_events(), self.all_states()
        rows = [{"id": one, "do": "undo", "version": version} for one, version in made.items()]
        tried = self.send_rows(person, rows, dry_run=True)
        assert self.all_states() == states
        results = self.send_rows(person, rows)
        assert self.summary(results) == self.summary(tried)
        for row in results:
            self.id, version = row["id"], made[row["id"]]
            before = states[self.id]
            changed = self.changed(before)
            for part in changed:
                assert self.is_unchanged_since(version, part, events[self.id], before), "set by a later event"
                assert self.states()[-1][part] == before[version - 1][part]
            if row["outcome"] == "conflict":
                mine = self.set_by(before, version)
                assert any(self.set_by(before, later) & mine for later in range(version + 1, len(before)))
            assert bool(changed) <= (row["outcome"] in DONE)
            self.assert_undone_version(events[self.id], version)

    def do_many(self, person: str, rows: list[dict[str, Any]], between: st.DataObject) -> None:
        """Send a dry run, let the other user change records, then send the rows."""
        tried = {row["id"]: row for row in self.send_rows(person, rows, dry_run=True)}
        others = between.draw(
            st.lists(st.sampled_from(IDS), max_size=2, unique=True), label="changed meanwhile"
        )
        for self.id in others:
            if self.states()[-1][REGISTERED]:
                self.change("dev|ben", {"name": f"after {self.version}"})
        before = self.all_states()
        # As screens do: rows without effect are not sent.
        wanted = [row for row in rows if tried[row["id"]]["outcome"] in DONE]
        results = self.send_rows(person, [{**row, "version": tried[row["id"]]["version"]} for row in wanted])
        for row in results:
            is_untouched = self.all_states()[row["id"]] == before[row["id"]]
            if row["id"] in others:
                assert is_untouched
                assert row["outcome"] == "conflict"
            else:
                assert row["outcome"] == tried[row["id"]]["outcome"]
                assert not is_untouched

    def send_rows(
        self, person: str, rows: list[dict[str, Any]], *, dry_run: bool = False
    ) -> list[dict[str, Any]]:
        token = VerifiedToken(Actor(person, person), datetime.now(UTC), frozenset(Permission))
        run = BatchRun(
            definition=LOCATION,
            handler=self.handler,
            context=self.context(person),
            log_id="0" * 32,
            is_masked=lambda _: False,
            permit=lambda _: None,
            disclosure=Unrecorded(Request({"type": "http"}), token, LOCATION),
            batch=uuid.uuid4(),
            source=None,
            dry_run=dry_run,
        )
        outcomes = self.runner.run(run.execute([BatchRow(key=row["id"], **row) for row in rows]))
        results = [outcome.model_dump() for outcome in outcomes]
        made = {row["id"]: row["version"] for row in results if row["outcome"] in DONE}
        if made and not dry_run:
            self.runs.append(made)
            events = self.all_events()
            assert {events[one][version - 1].metadata.batch for one, version in made.items()} == {
                str(run.batch)
            }
        return results

    @staticmethod
    def summary(rows: list[dict[str, Any]]) -> list[tuple[str, str, list[str]]]:
        return [(row["id"], row["outcome"], row["fields"]) for row in rows]

    def each(self) -> Iterator[str]:
        """Select each record in turn, and the first again."""
        at = self.id
        for self.id in IDS:
            yield self.id
        self.id = at

    def all_states(self) -> dict[str, list[Parts]]:
        return {one: self.states() for one in self.each()}

    def all_events(self) -> dict[str, list[Event]]:
        return {one: list(self.events) for one in self.each()}


TestRuns = Runs.TestCase
TestRuns.settings = settings(deadline=None, max_examples=60, stateful_step_count=12)
