"""People of whom everything is a canary: used in every way there is, forgotten, and looked for."""

import re
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final
from urllib.parse import quote

import httpx

from ops.base.records.entities import ACTOR, entity_type
from ops.testing.product.bad_credentials import issuer_of
from ops.testing.product.canaries import Canaries, everything_in
from ops.testing.product.exchanges import unwrap
from ops.testing.stack import Stack
from ops.testing.token_issuer import TokenIssuer
from ops.testing.waiting import PATIENCE_SECONDS, wait_for

DRIVER: Final = entity_type("driver")
VIEWS: Final = "/api/v1/access-log?show=views&order=desc&limit=1000"
PASSING: Final = (502, 503, 504)
"""Answered while a service is away."""


@dataclass
class Person:
    """A driver of whom everything that is personal is a canary."""

    id: str
    canaries: Canaries = field(default_factory=Canaries)
    details: dict[str, Any] = field(default_factory=dict)
    """The last."""

    @property
    def address(self) -> str:
        """Where the record is."""
        return f"{DRIVER.path}/{self.id}"

    def is_in(self, text: str) -> bool:
        """Whether anything of them is in a text; days may be others' as well."""
        return self.canaries.mark in text.lower()

    def places_in(self, text: str) -> list[str]:
        """Return the surroundings of whatever of them is in a text."""
        return [
            text[max(0, found.start() - 200) : found.end() + 50]
            for found in re.finditer(self.canaries.mark, text, re.IGNORECASE)
        ]


@dataclass
class Leaver(Person):
    """Somebody of the staff, by their subject: what they are called is a canary."""

    horse: str = ""
    """Where a horse is that they have registered."""

    @property
    def address(self) -> str:
        """Where it is told what is known of them."""
        return f"{ACTOR.path}/{quote(self.id, safe='')}"


class Desk:
    """Somebody who is signed in, at one product."""

    def __init__(self, stack: Stack, token: str) -> None:
        self.http = httpx.Client(
            base_url=stack.address,
            headers={"Authorization": f"Bearer {token}"},
            timeout=60,
            trust_env=False,
        )

    def send(self, method: str, address: str, body: Any = None, *, reason: str = "") -> httpx.Response:
        """Send a command, again while nobody is there to carry it out."""
        headers = {"X-Change-Reason": reason} if reason else {}
        headers["Idempotency-Key"] = secrets.token_hex()
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            with suppress(httpx.TransportError):
                answer = self.http.request(method, address, json=body, headers=headers)
                if answer.status_code not in PASSING:
                    assert answer.status_code < 300, answer.text
                    return answer
            if time.monotonic() > deadline:
                raise TimeoutError(address)
            time.sleep(0.1)

    def read(self, address: str) -> str:
        """Return all of an answer that shows what this one wrote, as text."""
        wait_for(lambda: "fleetlog-consistency" not in self.http.get(address).headers)
        answer = self.http.get(address)
        assert answer.status_code == 200, (address, answer.text)
        return everything_in(answer)


@dataclass
class Office:
    """Those who use a product."""

    clerk: Desk
    first: Desk
    second: Desk


@contextmanager
def office_of(stack: Stack) -> Iterator[Office]:
    """Sign three people in."""
    with issuer_of(stack) as issuer:
        desks = [Desk(stack, _token(issuer, name)) for name in ("asha", "ingrid", "samuel")]
        try:
            yield Office(*desks)
        finally:
            for desk in desks:
                desk.http.close()


def _token(issuer: TokenIssuer, name: str) -> str:
    return issuer.token(sub=f"dev|{name}", name=name)


def employed(office: Office, people: list[Person], changes: int) -> None:
    """Register people, change them, and use them in every way there is."""
    for person in people:
        person.details = person.canaries.details(DRIVER)
        sent = {**person.details, "id": person.id}
        office.clerk.send("POST", DRIVER.path, sent, reason=person.canaries.text())
        for _ in range(changes):
            person.details = person.canaries.details(DRIVER)
            office.clerk.send("PUT", person.address, person.details, reason=person.canaries.text())
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
            f"/api/v1/audit?q={name}",
            f"/api/v1/audit?format=csv&reveal=true&id={person.id}",
        ):
            assert person.is_in(office.clerk.read(address)), address
        assert not person.is_in(office.clerk.read("/api/v1/events?format=batch&after=0&limit=1000"))


def worked(office: Office, stack: Stack, leaver: Leaver) -> None:
    """Have somebody register a horse and look at it, so that it is told who they are."""
    with issuer_of(stack) as issuer:
        desk = Desk(stack, issuer.token(sub=leaver.id, name=leaver.canaries.text()))
    sent = {"chassis_number": "MAT448061", "engine_number": "ISBE5921", "identifier": "Prima 4928"}
    leaver.horse = desk.send("POST", "/api/v1/horses", sent).headers["location"]
    for address in (f"{leaver.horse}/history", f"{leaver.horse}/blame"):
        assert leaver.is_in(desk.read(address)), address
    wait_for(lambda: leaver.is_in(office.first.read(VIEWS)))
    assert leaver.is_in(office.first.read(ACTOR.path))
    desk.http.close()


def assert_leaver_forgotten(office: Office, leaver: Leaver) -> None:
    """Nobody is told any more what they were called, and that they did something all the same."""
    (registered,) = office.first.http.get(f"{leaver.horse}/history").json()["content"]
    assert (registered["actor"], registered["erased"]) == ({"sub": leaver.id, "name": None}, ["actor.name"])
    for address in (VIEWS, "/api/v1/audit?limit=100", ACTOR.path):
        assert not leaver.is_in(office.first.read(address)), address


def forgotten(office: Office, people: list[Person]) -> None:
    """Have people forgotten, and wait for their receipts."""
    for person in people:
        office.first.send("POST", f"{person.address}/restriction", {"basis": "asked"})
        office.second.send("POST", f"{person.address}/erasure", {"confirm": person.id})
    for person in people:
        wait_for(partial(has_receipt, office, person))


def has_receipt(office: Office, person: Person) -> bool:
    """Whether somebody can be shown to be forgotten."""
    with suppress(httpx.TransportError):
        return office.first.http.get(f"{person.address}/privacy/receipt").status_code == 200
    return False


def assert_forgotten(office: Office, people: list[Person], others: list[Person]) -> None:
    """Nobody can be told anything of them; of the others everything."""
    for person in people:
        history = office.first.read(f"{person.address}/history?limit=200")
        assert "erased" in history
        assert not person.places_in(history)
        for address in (f"/api/v1/audit?id={person.id}&limit=50", VIEWS):
            assert not person.places_in(office.first.read(address)), address
        assert not person.places_in(everything_in(office.clerk.http.get(person.address)))
    everybody = office.clerk.read(DRIVER.path)
    for person in people:
        assert not person.is_in(everybody)
    for person in others:
        assert person.details["name"] in everybody
        record = unwrap("driver", office.clerk.http.get(person.address).json())
        assert {name: record[name] for name in person.details} == person.details
        assert "erased" not in office.clerk.read(f"{person.address}/history?limit=200")
        assert person.is_in(office.first.read(f"{person.address}/privacy/held"))
