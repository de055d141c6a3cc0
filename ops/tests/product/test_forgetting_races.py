"""People are forgotten while others write, read, look, rebuild and export, and services are killed."""

import asyncio
import random
from collections.abc import Sequence
from functools import partial
from typing import Final

import pytest

from ops.testing.product.client import sign_in
from ops.testing.product.forgetting import Office, Person, assert_forgotten, employed, has_receipt, office_of
from ops.testing.product.history_check import assert_consistent
from ops.testing.product.kills import VICTIMS, kill
from ops.testing.product.load import Load, load_on
from ops.testing.product.onlookers import Onlookers, onlookers_at
from ops.testing.product.whole import assert_whole, head_of
from ops.testing.scanning import places_with
from ops.testing.soak import soak_count
from ops.testing.stack import Stack
from ops.testing.waiting import PATIENCE_SECONDS, wait_for

pytestmark = [pytest.mark.integration, pytest.mark.timeout(600)]

WRITERS: Final = 3
REBUILDS: Final = [("projections", "rebuild", name) for name in ("drivers", "revisions")]


async def forget(office: Office, onlookers: Onlookers, people: list[Person]) -> None:
    """Have people forgotten one after the other, and wait for their receipts."""
    for person in people:
        await asyncio.to_thread(
            office.first.send, "POST", f"{person.address}/restriction", {"basis": "asked"}
        )
        await asyncio.to_thread(onlookers.erase, office.second, person)
    for person in people:
        await asyncio.to_thread(wait_for, partial(has_receipt, office, person))


async def kill_all(stack: Stack, load: Load, victims: list[str]) -> None:
    """Kill one after the other at whatever moment it is."""
    for victim in victims:
        await load.wait_for(commands=random.randint(1, 20))
        await kill(stack, victim, load)


async def run_all(stack: Stack, commands: Sequence[tuple[str, ...]]) -> None:
    """Carry out what operators do, again where something is killed meanwhile."""
    for words in commands:
        async with asyncio.timeout(PATIENCE_SECONDS):
            while (await asyncio.to_thread(stack.run, *words)).returncode:
                pass


async def race(
    stack: Stack, name: str, count: int, victims: list[str], commands: Sequence[tuple[str, ...]]
) -> None:
    """Have so many people forgotten, and as many not, while all that is done and killed."""
    people = [Person(f"{name}-{number}") for number in range(2 * count)]
    gone, others = people[::2], people[1::2]
    with office_of(stack) as office:
        await asyncio.to_thread(employed, office, people, 1)
        before = head_of(stack)
        async with (
            load_on(stack, sign_in(stack, "staff"), writers=WRITERS) as load,
            onlookers_at(stack, office.first, people) as onlookers,
            asyncio.TaskGroup() as group,
        ):
            await load.wait_for(commands=10)
            group.create_task(kill_all(stack, load, victims))
            group.create_task(run_all(stack, commands))
            await forget(office, onlookers, gone)
        assert not onlookers.wrong
        assert_consistent(load.history, await asyncio.to_thread(assert_whole, stack), before=before)
        await asyncio.to_thread(assert_forgotten, office, gone, others)
    await run_all(stack, [("audit", "verify")])
    assert not await asyncio.to_thread(places_with, [one.canaries.mark for one in gone], stack.data)
    print(f"\n{onlookers}; {load.history.acknowledged} commands acknowledged")


async def test_whatever_goes_on_and_dies_nobody_who_is_erased_is_shown_and_nothing_of_others_is_lost(
    stack: Stack,
) -> None:
    await race(stack, "RACE", 2, ["projections", "query-api", "command-api"], REBUILDS[:1])


@pytest.mark.soak
@pytest.mark.timeout(4 * 3600)
async def test_privacy_races_soak(stack: Stack) -> None:
    victims = [name for name, victim in VICTIMS.items() if not victim.loses_answer]
    for number in range(soak_count(20)):
        random.shuffle(victims)
        await race(stack, f"RACES-{number}", 5, victims[:4], REBUILDS)
