"""People whose personal data are canaries: processed in every way, erased, and searched for."""

import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final
from urllib.parse import quote

import httpx

from ops.base.http.consistency import CONSISTENCY_HEADER
from ops.base.records.entities import ACTOR, entity_type
from ops.testing.conditions import wait_for
from ops.testing.product.canaries import Canaries, everything_in
from ops.testing.product.client import issuer_of
from ops.testing.product.exchanges import unwrap
from ops.testing.stack import Stack

DRIVER: Final = entity_type("driver")
VIEWS: Final = "/api/v1/access-log?show=views&order=desc&limit=1000"
PASSING: Final = (502, 503, 504)
"""Statuses while a service is unavailable."""


@dataclass
class Person:
    """A driver whose personal data are canaries."""

    id: str
    canaries: Canaries = field(default_factory=Canaries)
    details: dict[str, Any] = field(default_factory=dict)

    @property
    def address(self) -> str:
        return f"{DRIVER.path}/{self.id}"

    def is_in(self, text: str) -> bool:
        """Return whether a text contains a canary of the person; dates, which are not unique, are ignored."""
        return self.canaries.mark in text.lower()

    def places_in(self, text: str) -> list[str]:
        """Return the surroundings of the person's canaries in a text."""
        return [
            text[max(0, found.start() - 200) : found.end() + 50]
            for found in re.finditer(self.canaries.mark, text, re.IGNORECASE)
        ]


@dataclass
class FormerEmployee(Person):
    """A member of staff, identified by their subject, whose name is a canary."""

    horse: str = ""
    """Address of a horse that they registered."""

    @property
    def address(self) -> str:
        return f"{ACTOR.path}/{quote(self.id, safe='')}"


class UserClient:
    """A client of one signed-in user."""

    def __init__(self, stack: Stack, token: str) -> None:
        self.http = stack.http(token)

    def send(self, method: str, address: str, body: Any = None, *, reason: str = "") -> httpx.Response:
        """Send a command, and retry it while a service is unavailable."""
        headers = {"X-Change-Reason": reason} if reason else {}
        headers["Idempotency-Key"] = secrets.token_hex()

        def attempt() -> list[httpx.Response]:
            with suppress(httpx.TransportError):
                answer = self.http.request(method, address, json=body, headers=headers)
                return [] if answer.status_code in PASSING else [answer]
            return []

        (answer,) = wait_for(attempt, pause=0.1, failure=lambda: address)
        assert answer.status_code < 300, answer.text
        return answer

    def read(self, address: str) -> str:
        """Return body and headers of an answer that is not stale."""
        return everything_in(self._answer(address))

    def read_pages(self, address: str) -> str:
        """Return `read` of all pages; a slow search ends a page early."""
        shown = ""
        cursor: str | None = ""
        while cursor is not None:
            answer = self._answer(f"{address}{cursor and f'&cursor={cursor}'}")
            shown += everything_in(answer)
            cursor = answer.json()["next"]
        return shown

    def _answer(self, address: str) -> httpx.Response:
        def attempt() -> list[httpx.Response]:
            answer = self.http.get(address)
            is_passing = answer.status_code in PASSING or CONSISTENCY_HEADER in answer.headers
            return [] if is_passing else [answer]

        (answer,) = wait_for(attempt, pause=0.1, failure=lambda: address)
        assert answer.status_code == 200, (address, answer.text)
        return answer


@dataclass
class Users:
    """A clerk, and the two privacy officers that an erasure needs."""

    clerk: UserClient
    first: UserClient
    second: UserClient


@contextmanager
def users_of(stack: Stack) -> Iterator[Users]:
    """Sign in the users."""
    with issuer_of(stack) as issuer:
        names = ("asha", "ingrid", "samuel")
        clients = [UserClient(stack, issuer.token(sub=f"dev|{name}", name=name)) for name in names]
        try:
            yield Users(*clients)
        finally:
            for client in clients:
                client.http.close()


def register_people(users: Users, people: list[Person], changes: int) -> None:
    """Register people, change them, and read them in every way."""
    for person in people:
        person.details = person.canaries.details(DRIVER)
        sent = {**person.details, "id": person.id}
        users.clerk.send("POST", DRIVER.path, sent, reason=person.canaries.text())
        for _ in range(changes):
            person.details = person.canaries.details(DRIVER)
            users.clerk.send("PUT", person.address, person.details, reason=person.canaries.text())
    for person in people:
        name = person.details["name"]
        for address in (
            person.address,
            f"{person.address}?version=1",
            f"{person.address}/history?limit=200",
            f"{person.address}/blame",
            f"{person.address}/diff?from=1&to=2",
            DRIVER.path,
            f"{DRIVER.path}?page=0&size=10&sort=city,asc&q={name}",
            f"/api/v1/audit?id={person.id}&limit=50",
            f"/api/v1/audit?format=csv&reveal=true&id={person.id}",
        ):
            assert person.is_in(users.clerk.read(address)), address
        assert person.is_in(users.clerk.read_pages(f"/api/v1/audit?q={name}"))
        assert not person.is_in(users.clerk.read("/api/v1/events?format=batch&after=0&limit=1000"))


def register_horse_as(users: Users, stack: Stack, former: FormerEmployee) -> None:
    """Register a horse as a member of staff, whose name then appears in history and access log."""
    with issuer_of(stack) as issuer:
        client = UserClient(stack, issuer.token(sub=former.id, name=former.canaries.text()))
    sent = {"chassis_number": "MAT448061", "engine_number": "ISBE5921", "identifier": "Prima 4928"}
    former.horse = client.send("POST", "/api/v1/horses", sent).headers["location"]
    for address in (f"{former.horse}/history", f"{former.horse}/blame"):
        assert former.is_in(client.read(address)), address
    wait_for(lambda: former.is_in(users.first.read(VIEWS)))
    assert former.is_in(users.first.read(ACTOR.path))
    client.http.close()


def assert_actor_erased(users: Users, former: FormerEmployee) -> None:
    """Check that no answer shows the name any more, while the changes stay attributed to the subject."""
    (registered,) = users.first.http.get(f"{former.horse}/history").json()["content"]
    assert (registered["actor"], registered["erased"]) == ({"sub": former.id, "name": None}, ["actor.name"])
    for address in (VIEWS, "/api/v1/audit?limit=100", ACTOR.path):
        assert not former.is_in(users.first.read(address)), address


def erase_people(users: Users, people: list[Person]) -> None:
    """Restrict and erase people, and wait for the receipts."""
    for person in people:
        users.first.send("POST", f"{person.address}/restriction", {"basis": "asked"})
        users.second.send("POST", f"{person.address}/erasure", {"confirm": person.id})
    for person in people:
        wait_for(partial(has_receipt, users, person))


def has_receipt(users: Users, person: Person) -> bool:
    with suppress(httpx.TransportError):
        return users.first.http.get(f"{person.address}/privacy/receipt").status_code == 200
    return False


def assert_erased(users: Users, people: list[Person], others: list[Person]) -> None:
    """Check that answers show nothing of erased people, and everything of others."""
    for person in people:
        history = users.first.read(f"{person.address}/history?limit=200")
        assert "erased" in history
        assert not person.places_in(history)
        for address in (f"/api/v1/audit?id={person.id}&limit=50", VIEWS):
            assert not person.places_in(users.first.read(address)), address
        assert not person.places_in(everything_in(users.clerk.http.get(person.address)))
    listed = users.clerk.read(DRIVER.path)
    for person in people:
        assert not person.is_in(listed)
    for person in others:
        assert person.details["name"] in listed
        record = unwrap("driver", users.clerk.http.get(person.address).json())
        assert {name: record[name] for name in person.details} == person.details
        assert "erased" not in users.clerk.read(f"{person.address}/history?limit=200")
        assert person.is_in(users.first.read(f"{person.address}/privacy/held"))
