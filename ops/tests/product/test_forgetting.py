"""People full of canaries are used in every way; some are forgotten, and nothing of them is left anywhere."""

import subprocess
import sys
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final

import psutil
import pytest

from ops.launcher.instance.data_folder import DataFolder
from ops.launcher.paths import PYTHON
from ops.testing.folders import open_folder
from ops.testing.product.backed_up import wait_until_streamed
from ops.testing.product.forgetting import (
    DRIVER,
    Leaver,
    Person,
    assert_forgotten,
    assert_leaver_forgotten,
    employed,
    forgotten,
    office_of,
    worked,
)
from ops.testing.scanning import places_with, processes_with
from ops.testing.soak import soak_count
from ops.testing.stack import Stack, running_stack
from ops.testing.waiting import wait_for

pytestmark = [pytest.mark.integration, pytest.mark.timeout(900)]

PEOPLE: Final = 20
CHANGES: Final = 10
LONG: Final = 4 * 3600


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
    leaver = Leaver("dev|leaver")
    all_gone = [*gone, leaver]
    with running_stack(arguments=["--backups", str(backups)]) as stack:
        keys = DataFolder(stack.data).keys
        with office_of(stack) as office:
            employed(office, people, changes)
            worked(office, stack, leaver)
            done(stack, "backup")
            before = folder / "before.json"
            wait_for(partial(_exported, stack, gone[0], before))
            assert_nowhere([*people, leaver], backups)
            moment = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S.%fZ}"
            wait_until_streamed(stack)

            forgotten(office, all_gone)

            assert {office.clerk.http.get(person.address).status_code for person in gone} == {404}
            assert_forgotten(office, gone, others)
            for name in ("drivers", "revisions"):
                done(stack, "projections", "rebuild", name)
            assert_forgotten(office, gone, others)
            assert_leaver_forgotten(office, leaver)
            done(stack, "backup")
            assert "events are what was sealed" in done(stack, "audit", "verify")
            key = stack.data / "audit" / "public-key"
            proven("audit", before, key)
            held = done(stack, "privacy", "export", f"driver:{others[0].id}")
            assert len(others[0].canaries.in_(held)) > len(others[0].details) * changes
            assert not gone[0].is_in(done(stack, "privacy", "export", "--html", f"driver:{gone[0].id}"))
            for person in all_gone:
                receipt = folder / "receipt.json"
                answer = office.first.http.get(f"{person.address}/privacy/receipt")
                receipt.write_bytes(answer.content)
                assert not person.is_in(answer.text)
                proven("privacy", receipt, key)
        assert_nowhere(all_gone, stack.data, backups)
        if sys.platform == "linux":
            assert processes_with([others[0].canaries.mark], pids_of(stack))
            wait_for(lambda: not processes_with([one.canaries.mark for one in all_gone], pids_of(stack)))
        stack.stop()
        assert_nowhere(all_gone, stack.data, backups)
        _restored_they_stay_so(
            ["restore", str(backups), "--keys", str(keys), "--to-moment", moment], gone, others, leaver
        )


def _exported(stack: Stack, person: Person, path: Path) -> bool:
    finished = stack.run("audit", "export", f"driver:{person.id}")
    path.write_text(finished.stdout)
    return finished.returncode == 0


def _restored_they_stay_so(
    words: list[str], gone: list[Person], others: list[Person], leaver: Leaver
) -> None:
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
                assert_leaver_forgotten(office, leaver)
        finally:
            stack.stop()
        assert_nowhere([*gone, leaver], stack.data)


def test_nothing_of_who_was_forgotten_is_left_anywhere() -> None:
    with open_folder() as folder:
        drill(4, 2, folder)


@pytest.mark.soak
@pytest.mark.timeout(LONG)
def test_privacy_soak() -> None:
    with open_folder() as folder:
        drill(max(4, soak_count(PEOPLE)), CHANGES, folder)
