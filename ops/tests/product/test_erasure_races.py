"""Erasure during writes, reads, rebuilds and exports, while services are killed."""

import asyncio
import random
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Final

import httpx
import pytest

from ops.base.http.consistency import CONSISTENCY_HEADER, POSITION_HEADER
from ops.launcher.instance.data_folder import DataFolder
from ops.testing.conditions import PATIENCE_SECONDS, wait_for
from ops.testing.product.canaries import everything_in
from ops.testing.product.client import sign_in
from ops.testing.product.erasure import (
    DRIVER,
    PASSING,
    Person,
    UserClient,
    Users,
    assert_erased,
    has_receipt,
    register_people,
    users_of,
)
from ops.testing.product.history_check import assert_consistent
from ops.testing.product.kills import VICTIMS, kill
from ops.testing.product.load import Load, load_on
from ops.testing.product.read_tables import assert_read_tables_match_log, head_of
from ops.testing.scan import places_with
from ops.testing.soak import soak_count
from ops.testing.stack import Stack

_PAUSE_SECONDS: Final = 0.02


_SEARCHED: Final = "NAME"
"""Erased people are not searched for, since the log of searches would contain their names."""
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


@dataclass
class ErasureReaders:
    """Concurrent readers of people's data, who have access to everything.

    Attributes:
        people: all people.
        erased: positions of the erasures, by person.
        answered: the number of current answers.
        wrong: violations.
    """

    people: Sequence[Person]
    erased: dict[str, str] = field(default_factory=dict)
    answered: int = 0
    wrong: list[str] = field(default_factory=list)

    async def read_until(
        self, stop: asyncio.Event, http: httpx.AsyncClient, addresses: Sequence[str]
    ) -> None:
        """Read people's data in turn."""
        while not stop.is_set():
            for person in self.people:
                for address in addresses:
                    if not (person.id in self.erased and _SEARCHED in address):
                        await self._read(http, address, person)
                    await asyncio.sleep(_PAUSE_SECONDS)

    async def _read(self, http: httpx.AsyncClient, address: str, person: Person) -> None:
        """Read an address at a position after the last erasure."""
        erased = dict(self.erased)
        last = max(erased.values(), key=lambda token: int(token.rpartition(":")[2]), default=None)
        asked = address.replace("ID", person.id).replace(_SEARCHED, str(person.details["name"]))
        try:
            answer = await http.get(asked, headers={POSITION_HEADER: last} if last else {})
        except httpx.TransportError:
            return
        if answer.status_code not in (200, 404, *PASSING):
            self.wrong.append(f"{address}: {answer.status_code} {answer.text}")
        elif answer.status_code not in PASSING and CONSISTENCY_HEADER not in answer.headers:
            self.answered += 1
            shown = everything_in(answer)
            seen = {one.id for one in self.people if one.is_in(shown)}
            self.wrong += [f"{address} shows {one}" for one in seen & erased.keys()]


@asynccontextmanager
async def readers_of(
    stack: Stack, client: UserClient, people: Sequence[Person]
) -> AsyncIterator[ErasureReaders]:
    """Read people's data in every way until the context's end."""
    readers, stop = ErasureReaders(people), asyncio.Event()
    headers = {"Authorization": client.http.headers["Authorization"]}
    async with stack.async_http(headers=headers, timeout=30) as http, asyncio.TaskGroup() as group:
        for number in range(2):
            group.create_task(readers.read_until(stop, http, _ADDRESSES[number::2]))
        try:
            yield readers
        finally:
            stop.set()


pytestmark = [pytest.mark.integration, pytest.mark.timeout(600)]

WRITERS: Final = 3
REBUILDS: Final = [("projections", "rebuild", name) for name in ("drivers", "revisions")]


async def erase(users: Users, readers: ErasureReaders, people: list[Person]) -> None:
    """Restrict and erase people in turn, and wait for their receipts."""
    for person in people:
        await asyncio.to_thread(users.first.send, "POST", f"{person.address}/restriction", {"basis": "asked"})
        answer = await asyncio.to_thread(
            users.second.send, "POST", f"{person.address}/erasure", {"confirm": person.id}
        )
        readers.erased[person.id] = answer.headers[POSITION_HEADER]  # no later answer may show the person
    for person in people:
        # A killed service counts as silent after a minute, and a later kill may begin another minute.
        await asyncio.to_thread(wait_for, partial(has_receipt, users, person), seconds=3 * PATIENCE_SECONDS)


def unexpected_errors(stack: Stack) -> str:
    """Return the lines of the services' logs about unexpected errors."""
    lines = []
    for log in sorted(DataFolder(stack.data).logs.glob("*.log")):
        lines += [line for line in log.read_text(errors="replace").splitlines() if "unexpected_error" in line]
    return "\n".join(lines)


async def kill_all(stack: Stack, load: Load, victims: list[str]) -> None:
    """Kill victims in turn at random moments."""
    for victim in victims:
        await load.wait_for(commands=random.randint(1, 20))
        await kill(stack, victim, load)


async def run_all(stack: Stack, commands: Sequence[tuple[str, ...]]) -> None:
    """Run operators' commands, and repeat those that fail because of a kill."""
    for words in commands:
        async with asyncio.timeout(3 * PATIENCE_SECONDS):  # a rebuild waits for what the kills stopped
            while (await asyncio.to_thread(stack.run, *words)).returncode:
                pass


async def race(
    stack: Stack, name: str, count: int, victims: list[str], commands: Sequence[tuple[str, ...]]
) -> None:
    """Erase `count` people and keep as many, during commands, load and kills."""
    people = [Person(f"{name}-{number}") for number in range(2 * count)]
    gone, others = people[::2], people[1::2]
    with users_of(stack) as users:
        await asyncio.to_thread(register_people, users, people, 1)
        before = head_of(stack)
        async with (
            load_on(stack, sign_in(stack, "staff"), writers=WRITERS) as load,
            readers_of(stack, users.first, people) as readers,
            asyncio.TaskGroup() as group,
        ):
            await load.wait_for(commands=10)
            group.create_task(kill_all(stack, load, victims))
            group.create_task(run_all(stack, commands))
            await erase(users, readers, gone)
        assert not readers.wrong, unexpected_errors(stack)
        assert_consistent(
            load.history, await asyncio.to_thread(assert_read_tables_match_log, stack), before=before
        )
        await asyncio.to_thread(assert_erased, users, gone, others)
    await run_all(stack, [("audit", "verify")])
    assert not await asyncio.to_thread(places_with, [one.canaries.mark for one in gone], stack.data)
    print(f"\n{readers.answered} answers; {load.history.acknowledged} commands acknowledged")


async def test_erased_people_are_never_shown_and_others_never_lost_during_kills(
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
