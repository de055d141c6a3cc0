"""People who look at others all the time, and take down whom they are shown although they must not be."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Final

import httpx

from ops.base.http.consistency import CONSISTENCY_HEADER, POSITION_HEADER
from ops.testing.product.canaries import everything_in
from ops.testing.product.forgetting import DRIVER, PASSING, Desk, Person
from ops.testing.stack import Stack

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
