"""People full of canaries are used in every way; some are forgotten, and nothing of them is left anywhere."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Final

import httpx
import psutil
import pytest

from ops.base.entities import entity_type
from ops.launcher.instance.data_folder import DataFolder
from ops.launcher.paths import PYTHON
from ops.testing.folders import open_folder
from ops.testing.product.backed_up import wait_until_streamed
from ops.testing.product.bad_credentials import issuer_of
from ops.testing.product.canaries import Canaries, everything_in
from ops.testing.product.exchanges import unwrap
from ops.testing.scanning import places_with, processes_with
from ops.testing.soak import soak_count
from ops.testing.stack import Stack, running_stack
from ops.testing.token_issuer import TokenIssuer
from ops.testing.waiting import wait_for

pytestmark = [pytest.mark.integration, pytest.mark.timeout(900)]

DRIVER: Final = entity_type("driver")
PEOPLE: Final = 20
CHANGES: Final = 10
LONG: Final = 4 * 3600


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
        """Send a command."""
        headers = {"X-Change-Reason": reason} if reason else {}
        answer = self.http.request(method, address, json=body, headers=headers)
        assert answer.status_code < 300, answer.text
        return answer

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


def forgotten(office: Office, people: list[Person]) -> None:
    """Have people forgotten, and wait for their receipts."""
    for person in people:
        office.first.send("POST", f"{person.address}/restriction", {"basis": "asked"})
        office.second.send("POST", f"{person.address}/erasure", {"confirm": person.id})
    for person in people:
        wait_for(partial(_has_receipt, office, person))


def _has_receipt(office: Office, person: Person) -> bool:
    return office.first.http.get(f"{person.address}/privacy/receipt").status_code == 200


def assert_forgotten(office: Office, people: list[Person], others: list[Person]) -> None:
    """Nobody can be told anything of them; of the others everything."""
    for person in people:
        history = office.first.read(f"{person.address}/history?limit=200")
        assert "erased" in history
        told = [history, office.first.read(f"/api/v1/audit?id={person.id}&limit=50")]
        told.append(office.first.read("/api/v1/access-log?show=views&limit=1000"))
        assert not person.is_in("\n".join(told))
        assert not person.is_in(everything_in(office.clerk.http.get(person.address)))
    everybody = office.clerk.read(DRIVER.path)
    for person in people:
        assert not person.is_in(everybody)
    for person in others:
        assert person.details["name"] in everybody
        record = unwrap("driver", office.clerk.http.get(person.address).json())
        assert {name: record[name] for name in person.details} == person.details
        assert "erased" not in office.clerk.read(f"{person.address}/history?limit=200")
        assert person.is_in(office.first.read(f"{person.address}/privacy/held"))


def done(stack: Stack, *words: str) -> str:
    """Run a command of the launcher, which succeeds, and return what it prints."""
    finished = stack.run(*words)
    assert finished.returncode == 0, finished.stdout + finished.stderr
    return finished.stdout


def proven(what: str, path: Path, key: Path) -> str:
    """Check an export or a receipt, as an outsider does."""
    command = [*PYTHON, "ops.launcher", what, "check", str(path), "--key", str(key)]
    finished = subprocess.run(command, capture_output=True, text=True, check=False, env={}, cwd="/")
    assert finished.returncode == 0, finished.stdout + finished.stderr
    return finished.stdout


def assert_nowhere(people: list[Person], *folders: Path) -> None:
    """Not one byte of any file has anything of them."""
    found = places_with([person.canaries.mark for person in people], *folders)
    assert not found, found


def pids_of(stack: Stack) -> list[int]:
    """Return the processes of a product."""
    assert stack.launcher
    launcher = psutil.Process(stack.launcher.pid)
    return [launcher.pid, *(child.pid for child in launcher.children(recursive=True))]


def drill(count: int, changes: int, folder: Path) -> None:
    """Go through it all with so many people, of whom half are forgotten."""
    backups = folder / "backups"
    people = [Person(f"CANARY-{number}") for number in range(count)]
    gone, others = people[: count // 2], people[count // 2 :]
    with running_stack(arguments=["--backups", str(backups)]) as stack:
        keys = DataFolder(stack.data).keys
        with office_of(stack) as office:
            employed(office, people, changes)
            done(stack, "backup")
            before = folder / "before.json"
            wait_for(partial(_exported, stack, gone[0], before))
            assert_nowhere(people, backups)
            moment = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S.%fZ}"
            wait_until_streamed(stack)

            forgotten(office, gone)

            assert {office.clerk.http.get(person.address).status_code for person in gone} == {404}
            assert_forgotten(office, gone, others)
            for name in ("drivers", "revisions"):
                done(stack, "projections", "rebuild", name)
            assert_forgotten(office, gone, others)
            done(stack, "backup")
            assert "events are what was sealed" in done(stack, "audit", "verify")
            key = stack.data / "audit" / "public-key"
            proven("audit", before, key)
            held = done(stack, "privacy", "export", f"driver:{others[0].id}")
            assert len(others[0].canaries.in_(held)) > len(others[0].details) * changes
            assert not gone[0].is_in(done(stack, "privacy", "export", "--html", f"driver:{gone[0].id}"))
            for person in gone:
                receipt = folder / "receipt.json"
                answer = office.first.http.get(f"{person.address}/privacy/receipt")
                receipt.write_bytes(answer.content)
                assert not person.is_in(answer.text)
                proven("privacy", receipt, key)
        assert_nowhere(gone, stack.data, backups)
        if sys.platform == "linux":
            assert processes_with([others[0].canaries.mark], pids_of(stack))
            wait_for(lambda: not processes_with([one.canaries.mark for one in gone], pids_of(stack)))
        stack.stop()
        assert_nowhere(gone, stack.data, backups)
        _restored_they_stay_so(
            ["restore", str(backups), "--keys", str(keys), "--to-moment", moment], gone, others
        )


def _exported(stack: Stack, person: Person, path: Path) -> bool:
    finished = stack.run("audit", "export", f"driver:{person.id}")
    path.write_text(finished.stdout)
    return finished.returncode == 0


def _restored_they_stay_so(words: list[str], gone: list[Person], others: list[Person]) -> None:
    """Restore to before the erasures, with the keys that there are after them."""
    with open_folder() as folder:
        stack = Stack(folder)
        done(stack, *words)
        stack.start()
        try:
            done(stack, "restore", "accept")
            with office_of(stack) as office:
                wait_for(lambda: office.clerk.http.get(DRIVER.path).status_code == 200)
                assert_forgotten(office, gone, others)
        finally:
            stack.stop()
        assert_nowhere(gone, stack.data)


def test_nothing_of_who_was_forgotten_is_left_anywhere() -> None:
    with open_folder() as folder:
        drill(4, 2, folder)


@pytest.mark.soak
@pytest.mark.timeout(LONG)
def test_privacy_soak() -> None:
    with open_folder() as folder:
        drill(max(4, soak_count(PEOPLE)), CHANGES, folder)
