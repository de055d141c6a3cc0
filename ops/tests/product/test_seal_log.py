"""An instance that was written in the clear is sealed, killed on the way, and tells what it told."""

import os
import signal
import subprocess
import time
from functools import partial
from pathlib import Path
from typing import Final

import httpx
import psycopg
import pytest

from ops.launcher.paths import PYTHON
from ops.testing.folders import open_folder
from ops.testing.product.forgetting import DRIVER, Person, assert_forgotten, employed, forgotten, office_of
from ops.testing.product.long_log import copy_streams
from ops.testing.product.whole import wait_until_caught_up
from ops.testing.scanning import places_with
from ops.testing.soak import soak_count
from ops.testing.stack import Stack
from ops.testing.waiting import wait_for

pytestmark = [pytest.mark.integration, pytest.mark.timeout(900)]

LONG: Final = 4 * 3600
EVENTS: Final = 200_000
_POSITION: Final = "SELECT position FROM log.head"


def done(stack: Stack, *words: str) -> str:
    """Run a command of the launcher, which succeeds, and return what it prints."""
    finished = stack.run(*words)
    assert finished.returncode == 0, finished.stdout + finished.stderr
    return finished.stdout


def killed_when_it_has(stack: Stack, done_with: str) -> None:
    """Begin to seal a log, and kill all that does it, once it says so."""
    command = [*PYTHON, "ops.launcher", "privacy", "seal-log", "--data", str(stack.data)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as process:
        assert process.stdout
        assert any(line.startswith(done_with) for line in process.stdout)
        os.killpg(process.pid, signal.SIGKILL)


def exported(stack: Stack, person: Person, path: Path) -> bool:
    """Export somebody's history, once it is sealed."""
    finished = stack.run("audit", "export", f"driver:{person.id}")
    path.write_text(finished.stdout)
    return finished.returncode == 0


def answers(http: httpx.Client, people: list[Person]) -> list[str]:
    """What is told of some people, the last of whom has been removed."""
    histories = [f"{person.address}/history?limit=200" for person in people]
    records = [person.address for person in people[:-1]]
    return [http.get(address).text for address in (DRIVER.path, *records, *histories)]


def sealed(folder: Path, monkeypatch: pytest.MonkeyPatch, *, copies: int) -> None:
    """Write a log in the clear, also so many copies of somebody's history, and seal it."""
    people = [Person(f"CANARY-{number}") for number in range(3)]
    stack, before = Stack(folder), folder / "before.json"
    marks = [person.canaries.mark for person in people]
    with monkeypatch.context() as patch:
        patch.setenv("FLEETLOG_KEYS", "none")
        stack.start()
        with office_of(stack) as office:
            employed(office, people, 2)
            office.clerk.send("DELETE", people[2].address)
            wait_for(partial(exported, stack, people[0], before))
            copy_streams(stack, [f"driver:{people[1].id}"], copies=copies)
            with psycopg.connect(stack.owner_dsn, autocommit=True) as connection:
                wait_until_caught_up(connection, seconds=600)
                ((position,),) = connection.execute(_POSITION).fetchall()
            told = answers(office.clerk.http, people)
        stack.stop()
    assert places_with(marks, stack.data)

    for step in ("sealed", "compared"):
        killed_when_it_has(stack, step)
    began = time.monotonic()
    said = done(stack, "privacy", "seal-log", "--destroy")
    print(f"{position} events sealed and compared in {time.monotonic() - began:.1f} s")

    assert f"each of its {position} events was sealed" in said
    assert not (found := places_with(marks, stack.data)), found
    stack.start()
    try:
        with office_of(stack) as office:
            wait_for(lambda: answers(office.clerk.http, people) == told, seconds=600)
            assert f"{position} of {position} events are what was sealed" in done(stack, "audit", "verify")
            done(stack, "audit", "check", str(before), "--key", str(stack.data / "audit" / "public-key"))
            forgotten(office, people[:1])
            assert_forgotten(office, people[:1], people[1:2])
        assert "nothing to do" not in stack.run("privacy", "seal-log").stdout  # while it runs
    finally:
        stack.stop()
    assert "nothing to do" in done(stack, "privacy", "seal-log")


def test_a_log_in_the_clear_is_sealed_and_no_letter_of_it_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    with open_folder() as folder:
        sealed(folder, monkeypatch, copies=0)


@pytest.mark.soak
@pytest.mark.timeout(LONG)
def test_seal_log_soak(monkeypatch: pytest.MonkeyPatch) -> None:
    with open_folder() as folder:
        sealed(folder, monkeypatch, copies=soak_count(EVENTS) // 3)
