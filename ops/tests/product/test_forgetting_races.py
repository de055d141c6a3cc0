"""People are forgotten while others write, read, look, rebuild and export, and services are killed."""

import asyncio
import random
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Final

import httpx
import pytest

from ops.base.http.consistency import CONSISTENCY_HEADER, POSITION_HEADER
from ops.testing.product.canaries import everything_in
from ops.testing.product.client import sign_in
from ops.testing.product.forgetting import (
    DRIVER,
    PASSING,
    Desk,
    Office,
    Person,
    assert_forgotten,
    employed,
    has_receipt,
    office_of,
)
from ops.testing.product.history_check import assert_consistent
from ops.testing.product.kills import VICTIMS, kill
from ops.testing.product.load import Load, load_on
from ops.testing.product.whole import assert_whole, head_of
from ops.testing.scanning import places_with
from ops.testing.soak import soak_count
from ops.testing.stack import Stack
from ops.testing.waiting import PATIENCE_SECONDS, wait_for

_PAUSE_SECONDS: Final = 0.02


@dataclass
class Onlookers:
    """What they saw.

    Attributes:
        people: at whom they look.
        erased: who is erased, and the position of that.
        answered: how many answers told what stands, by address with `ID` in it.
        away: how often nobody answered.
        wrong: what must not be.
    """

    people: Sequence[Person]
    erased: dict[str, str] = field(default_factory=dict)
    answered: Counter[str] = field(default_factory=Counter)
    away: int = 0
    wrong: list[str] = field(default_factory=list)

    def erase(self, desk: Desk, person: Person) -> None:
        """Have somebody erased; from then on nobody is shown anything of them."""
        answer = desk.send("POST", f"{person.address}/erasure", {"confirm": person.id})
        self.erased[person.id] = answer.headers[POSITION_HEADER]

    def __str__(self) -> str:
        """Tell the figures."""
        return f"{self.answered.total()} answers, {self.away} times nobody was there"

    async def look(self, http: httpx.AsyncClient, address: str, person: Person) -> None:
        """Ask for something that stands after the last erasure."""
        erased = dict(self.erased)
        if person.id in erased and _SEARCHED in address:
            return
        last = max(erased.values(), key=lambda token: int(token.rpartition(":")[2]), default=None)
        asked = address.replace("ID", person.id).replace(_SEARCHED, str(person.details["name"]))
        try:
            answer = await http.get(asked, headers={POSITION_HEADER: last} if last else {})
        except httpx.TransportError:
            self.away += 1
            return
        if answer.status_code in PASSING:
            self.away += 1
        elif answer.status_code not in (200, 404):
            self.wrong.append(f"{address}: {answer.status_code}")
        elif CONSISTENCY_HEADER not in answer.headers:
            self.answered[address] += 1
            shown = everything_in(answer)
            seen = {one.id for one in self.people if one.is_in(shown)}
            self.wrong += [f"{address} shows {one}" for one in seen & erased.keys()]


_SEARCHED: Final = "NAME"
"""Nobody is looked for who is erased: that would be in the log of searches from now on."""
_ADDRESSES: Final = (
    f"{DRIVER.path}/ID",
    f"{DRIVER.path}/ID?version=1",
    f"{DRIVER.path}/ID/history?limit=200",
    DRIVER.path,
    f"{DRIVER.path}?page=0&size=10&sort=city,asc&q=NAME",
    "/api/v1/audit?q=NAME",
    "/api/v1/audit?format=csv&reveal=true&id=ID",
    "/api/v1/events?format=ndjson&after=0&entity=driver",
)


@asynccontextmanager
async def onlookers_at(stack: Stack, desk: Desk, people: Sequence[Person]) -> AsyncIterator[Onlookers]:
    """Look at people in every way there is, for as long as the context lasts.

    Args:
        stack: the running product.
        desk: as whom; they may see everything.
        people: at whom, who are there.
    """
    onlookers = Onlookers(people)
    stop_requested = asyncio.Event()

    async def look(addresses: Sequence[str]) -> None:
        headers = {"Authorization": desk.http.headers["Authorization"]}
        async with httpx.AsyncClient(
            base_url=stack.address, headers=headers, timeout=30, trust_env=False
        ) as http:
            while not stop_requested.is_set():
                for person in people:
                    for address in addresses:
                        await onlookers.look(http, address, person)
                        await asyncio.sleep(_PAUSE_SECONDS)

    async with asyncio.TaskGroup() as group:
        for number in range(2):
            group.create_task(look(_ADDRESSES[number::2]))
        try:
            yield onlookers
        finally:
            stop_requested.set()


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
