"""Erasure: nothing of erased people is left in answers, files, memory, backups and restored instances."""

import subprocess
import sys
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import psutil
import pytest

from ops.launcher.instance.data_folder import DataFolder
from ops.launcher.paths import PYTHON
from ops.testing.conditions import wait_for
from ops.testing.folders import open_folder
from ops.testing.product.erasure import (
    DRIVER,
    FormerEmployee,
    Person,
    assert_actor_erased,
    assert_erased,
    erase_people,
    has_receipt,
    register_horse_as,
    register_people,
    users_of,
)
from ops.testing.scan import places_with, processes_with
from ops.testing.soak import suite_and_soak
from ops.testing.stack import Stack, running_stack

pytestmark = [pytest.mark.integration, pytest.mark.timeout(900)]


def assert_proven(command_name: str, path: Path, key: Path) -> None:
    """Check an export or a receipt offline, without an instance."""
    command = [*PYTHON, "ops.launcher", command_name, "check", str(path), "--key", str(key)]
    finished = subprocess.run(command, capture_output=True, text=True, check=False, env={}, cwd="/")
    assert finished.returncode == 0, finished.stdout + finished.stderr


def assert_nowhere(people: list[Person], *folders: Path) -> None:
    """Check that no file contains a canary of these people."""
    found = places_with([person.canaries.mark for person in people], *folders)
    assert not found, found


def pids_of(stack: Stack) -> list[int]:
    """Return the pids of all processes of a product."""
    assert stack.launcher
    launcher = psutil.Process(stack.launcher.pid)
    return [launcher.pid, *(child.pid for child in launcher.children(recursive=True))]


def drill(count: int, changes: int, folder: Path) -> None:
    """Process the data of people, erase half of them, and search for their canaries everywhere."""
    backups = folder / "backups"
    people = [Person(f"CANARY-{number}") for number in range(count)]
    asked, others = people[: count // 2], people[count // 2 :]
    merged = Person("CANARY-MERGED")
    gone = [*asked, merged]
    former = FormerEmployee("dev|former")
    all_gone = [*gone, former]
    with running_stack(arguments=["--backups", str(backups)]) as stack:
        keys = DataFolder(stack.data).keys
        with users_of(stack) as users:
            register_people(users, [*people, merged], changes)
            values = {"from": merged.id, "version": changes + 1, "values": {"name": merged.details["name"]}}
            users.clerk.send("POST", f"{gone[0].address}/merges", values, reason=merged.canaries.text())
            register_horse_as(users, stack, former)
            stack.succeed("backup")
            before = folder / "before.json"
            wait_for(partial(_exported, stack, gone[0], before))
            assert_nowhere([*people, merged, former], backups)
            moment = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S.%fZ}"
            stack.wait_until_streamed()

            erase_people(users, [*asked, former])
            wait_for(partial(has_receipt, users, merged))

            assert {users.clerk.http.get(person.address).status_code for person in gone} == {404}
            assert_erased(users, gone, others)
            for name in ("drivers", "revisions"):
                stack.succeed("projections", "rebuild", name)
            assert_erased(users, gone, others)
            assert_actor_erased(users, former)
            stack.succeed("backup")
            assert "events match their seals" in stack.succeed("audit", "verify")
            key = stack.data / "audit" / "public-key"
            assert_proven("audit", before, key)
            held = stack.succeed("privacy", "export", f"driver:{others[0].id}")
            assert len(others[0].canaries.in_(held)) > len(others[0].details) * changes
            assert not gone[0].is_in(stack.succeed("privacy", "export", "--html", f"driver:{gone[0].id}"))
            for person in all_gone:
                receipt = folder / "receipt.json"
                answer = users.first.http.get(f"{person.address}/privacy/receipt")
                receipt.write_bytes(answer.content)
                assert not person.is_in(answer.text)
                assert_proven("privacy", receipt, key)
        assert_nowhere(all_gone, stack.data, backups)
        if sys.platform == "linux":
            assert processes_with([others[0].canaries.mark], pids_of(stack))
            wait_for(lambda: not processes_with([one.canaries.mark for one in all_gone], pids_of(stack)))
        stack.stop()
        assert_nowhere(all_gone, stack.data, backups)
        _assert_erased_after_restore(
            ["restore", str(backups), "--keys", str(keys), "--to-moment", moment], gone, others, former
        )


def _exported(stack: Stack, person: Person, path: Path) -> bool:
    finished = stack.run("audit", "export", f"driver:{person.id}")
    path.write_text(finished.stdout)
    return finished.returncode == 0


def _assert_erased_after_restore(
    words: list[str], gone: list[Person], others: list[Person], former: FormerEmployee
) -> None:
    """Restore to a moment before the erasures, with the current keys."""
    with open_folder() as folder:
        stack = Stack(folder)
        stack.succeed(*words)
        with stack:
            stack.succeed("restore", "accept")
            with users_of(stack) as users:
                wait_for(lambda: users.clerk.http.get(DRIVER.path).status_code == 200)
                assert_erased(users, gone, others)
                assert_actor_erased(users, former)
        assert_nowhere([*gone, former], stack.data)


@pytest.mark.parametrize("count", suite_and_soak(4, 20, hours=4))
def test_privacy_nothing_of_erased_people_is_left_anywhere(count: int) -> None:
    with open_folder() as folder:
        drill(max(4, count), 2 if count == 4 else 10, folder)
