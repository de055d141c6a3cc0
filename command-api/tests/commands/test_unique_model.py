"""State machine of horses with few chassis numbers: never two alike, and no refusal without a double."""

import asyncio
from collections.abc import Awaitable
from datetime import date
from typing import Any, Final

from command_api_testing.contexts import command
from command_api_testing.log_in_memory import LogInMemory
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from command_api.commands.execution import CommandRefused
from command_api.commands.handler import CommandHandler
from command_api.commands.reasons import Duplicate
from command_api.domain.catalogue import DEFINITIONS
from ops.base.records.unique_texts import normalised

HORSE: Final = DEFINITIONS["horse"]
IDS: Final = ("H1", "H2", "H3")
ids = st.sampled_from(IDS)
chassis_numbers = st.sampled_from(["C1", "c-1", "C2", "N/A"])


def key(chassis: str) -> str | None:
    """What makes chassis numbers equal; None for a missing one."""
    return None if chassis == "N/A" else normalised(chassis)


class Horses(RuleBasedStateMachine):
    """Horses whose chassis numbers are given, taken and given up."""

    def __init__(self) -> None:
        super().__init__()
        self.log = LogInMemory()
        self.handler = CommandHandler(self.log)
        self.runner = asyncio.Runner()
        self.now: dict[str, str] = {}
        """The chassis numbers of registered horses."""
        self.past: dict[str, list[str | None]] = {one: [] for one in IDS}
        """The chassis number at each version."""
        self.merges: dict[str, tuple[str, str, str]] = {}
        """Merged horses: the survivor, and the chassis numbers of both before."""

    def teardown(self) -> None:
        self.runner.close()

    def send(self, sent: Awaitable[Any]) -> Exception | None:
        async def outcome() -> Exception | None:
            try:
                await sent
            except CommandRefused as refused:
                return refused.reason
            return None

        return self.runner.run(outcome())

    def owner(self, entity_id: str, chassis: str) -> str | None:
        """The other horse that has a chassis number."""
        wanted = key(chassis)
        owners = [one for one, other in self.now.items() if one != entity_id and key(other) == wanted]
        return owners[0] if wanted and owners else None

    def check(self, reason: Exception | None, entity_id: str, chassis: str) -> None:
        """Expect that a command was refused for a duplicate if, and only if, there is one."""
        owner = self.owner(entity_id, chassis)
        assert isinstance(reason, Duplicate) == (owner is not None), (reason, owner)
        if isinstance(reason, Duplicate):
            assert (reason.field, reason.record) == ("chassis_number", owner)

    @initialize()
    def register(self) -> None:
        for entity_id, chassis in zip(IDS, ("C1", "c-2", "N/A"), strict=True):
            self.save(entity_id, chassis)

    @rule(entity_id=ids, chassis=chassis_numbers)
    def save(self, entity_id: str, chassis: str) -> None:
        details = {**HORSE.example, "chassis_number": chassis, "engine_number": "N/A"}
        saving = self.handler.save(HORSE, entity_id, lambda _: details, command(), may_register=True)
        self.check(self.send(saving), entity_id, chassis)

    @rule(entity_id=ids)
    def remove(self, entity_id: str) -> None:
        self.send(self.handler.remove(HORSE, entity_id, command()))

    @rule(entity_id=ids, version=st.integers(1, 6))
    def restore(self, entity_id: str, version: int) -> None:
        past = self.past[entity_id]
        chassis = past[version - 1] if version <= len(past) else None
        reason = self.send(self.handler.restore(HORSE, entity_id, version, command()))
        self.check(reason, entity_id, chassis or "N/A")

    @rule(entity_id=ids, version=st.integers(1, 6))
    def undo(self, entity_id: str, version: int) -> None:
        undoing = self.handler.undo(HORSE, entity_id, version, set(), command(), permit=lambda _: None)
        reason = self.send(undoing)
        if isinstance(reason, Duplicate):
            assert reason.record in self.now.keys() - {entity_id}

    @precondition(lambda self: len(self.now) > 1)
    @rule(data=st.data(), chassis=st.none() | chassis_numbers)
    def merge(self, data: st.DataObject, chassis: str | None) -> None:
        entity_id, other_id, *_ = data.draw(st.permutations(sorted(self.now)))
        details = {} if chassis is None else {"chassis_number": chassis}
        version = self.runner.run(self.handler.load(HORSE, other_id)).version
        merging = self.handler.merge(HORSE, entity_id, (other_id, version), lambda _: details, command())
        reason = self.send(merging)
        released = self.now.pop(other_id)  # which the survivor may claim
        self.check(reason, entity_id, chassis or self.now[entity_id])
        if reason is None:
            self.merges[other_id] = (entity_id, self.now[entity_id], released)
        else:
            self.now[other_id] = released

    @precondition(lambda self: self.merges)
    @rule(data=st.data(), of_survivor=st.booleans())
    def undo_merge(self, data: st.DataObject, *, of_survivor: bool) -> None:
        """Undo a merge, from either record, that is the last event of both."""
        entity_id = data.draw(st.sampled_from(sorted(self.merges)))
        merged = self.runner.run(self.handler.load(HORSE, entity_id))
        survivor = self.runner.run(self.handler.load(HORSE, merged.into or entity_id))
        if merged.into is None or survivor.state is None or survivor.sources != {entity_id}:
            return
        log = self.log.stream(f"horse:{survivor.id}")
        *_, merge = (event.originator_version for event in log if event.topic == "horse.merged")
        if merge != survivor.version:
            return
        into, survivors, own = self.merges.pop(entity_id)
        restored = (survivors, own)
        undone = (survivor.id, merge) if of_survivor else (entity_id, merged.version)
        undoing = self.handler.undo(HORSE, *undone, set(), command(), permit=lambda _: None)
        reason = self.send(undoing)
        others = {key(chassis) for one, chassis in self.now.items() if one != into}
        is_taken = not others.isdisjoint(map(key, restored)) and others & set(map(key, restored)) != {None}
        assert isinstance(reason, Duplicate) == is_taken, reason
        if reason is not None:
            self.merges[entity_id] = (into, survivors, own)

    @rule(entity_id=ids, lot=st.integers(0, 3))
    def erase(self, entity_id: str, lot: int) -> None:
        if lot:  # rarely, so that records remain
            return
        restricted = self.handler.decide_for_person(
            HORSE, entity_id, lambda horse, metadata: horse.restrict("asked", date.max, metadata), command()
        )
        self.send(restricted)
        erased = self.handler.decide_for_person(
            *(HORSE, entity_id, lambda horse, metadata: horse.erase(date.min, metadata)), command(who="ben")
        )
        self.send(erased)
        loaded = [self.runner.run(self.handler.load(HORSE, one)) for one in IDS]
        assert all(horse.restriction is None for horse in loaded)
        assert not any(horse.into and loaded[IDS.index(horse.into)].is_erased for horse in loaded)

    @rule()
    def lose_hashes(self) -> None:
        self.log.lose_unique_values()

    @invariant()
    def no_two_horses_have_the_same_chassis(self) -> None:
        for entity_id in IDS:
            history = self.runner.run(self.handler.streams.load(HORSE, entity_id))
            state = history.aggregate.state
            chassis = None if state is None else str(state.details["chassis_number"])
            past = self.past[entity_id]
            past += [chassis] * (history.aggregate.version - len(past))
            if history.aggregate.is_erased:
                past[:] = [None] * len(past)
            self.now.pop(entity_id, None)
            if chassis is not None:
                self.now[entity_id] = chassis
        keys = [key(chassis) for chassis in self.now.values() if key(chassis)]
        assert len(keys) == len(set(keys))


TestHorses = Horses.TestCase
TestHorses.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)
