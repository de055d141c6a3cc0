"""Back up under load, lose the instance, restore it to its end and to a moment, and check both."""

import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import psycopg
import pytest

from ops.base.http.record_etags import LOG_CHARACTERS, RecordETag
from ops.launcher.backups.acceptance import newest_seal
from ops.launcher.instance.data_folder import DataFolder
from ops.testing.conditions import wait_for, wait_until
from ops.testing.folders import open_folder
from ops.testing.product.bodies import usual_body
from ops.testing.product.client import sign_in
from ops.testing.product.history import Ok, OperationHistory
from ops.testing.product.history_check import assert_consistent, logged_events
from ops.testing.product.load import load_on
from ops.testing.product.log_fold import Fold
from ops.testing.product.read_tables import assert_read_tables_match_log, head_of
from ops.testing.soak import suite_and_soak
from ops.testing.stack import Stack, running_stack

pytestmark = pytest.mark.integration

WRITERS = 4


@dataclass(frozen=True)
class Lost:
    """The remains of an instance: its backups, its keys, and the history of its clients."""

    backups: Path
    keys: Path
    """The key store, which is not part of the backups."""
    history: OperationHistory
    moment: datetime
    acknowledged: set[str]
    """Commands acknowledged before the moment."""
    begun_later: set[str]
    """Commands first sent after the moment."""
    log_id: str


async def lose_an_instance(backups: Path, commands: int) -> Lost:
    """Write, back up, write further, and kill everything."""
    with running_stack(arguments=["--backups", str(backups)]) as stack:
        async with load_on(stack, sign_in(stack, "staff"), writers=WRITERS) as load:
            await load.wait_for(commands)
            await until_sealed(stack)
            print(stack.succeed("backup").splitlines()[0])
            await load.wait_for(commands)
            moment, sent = datetime.now(UTC), len(load.history.requests)
            acknowledged = {one.command for one in load.history.requests if isinstance(one.outcome, Ok)}
            await load.wait_for(commands)
        requests = load.history.requests
        begun_later = {one.command for one in requests[sent:]} - {one.command for one in requests[:sent]}
        stack.wait_until_streamed()
        log_id = id_of(stack)
        stack.kill_everything()
        keys = backups.with_name("keys")
        shutil.copytree(DataFolder(stack.data).keys, keys)
    return Lost(backups, keys, load.history, moment, acknowledged, begun_later, log_id)


async def until_sealed(stack: Stack) -> None:
    """Wait for the first checkpoint, which the backup must contain."""
    await wait_until(lambda: newest_seal(DataFolder(stack.data).seals) != 0)


def id_of(stack: Stack) -> str:
    with psycopg.connect(stack.owner_dsn) as connection:
        row = connection.execute("SELECT log_id FROM log.identity").fetchone()
        return str(row[0]) if row else ""


@contextmanager
def restored(lost: Lost, *words: str) -> Iterator[Stack]:
    """Yield a running restored instance that is not yet accepted."""
    with open_folder() as folder:
        stack = Stack(folder)
        began = time.monotonic()
        printed = stack.succeed("restore", str(lost.backups), "--keys", str(lost.keys), *words)
        print(f"{printed.splitlines()[0]}, {time.monotonic() - began:.1f} s in all")
        with stack:
            yield stack


def statuses(stack: Stack) -> set[int]:
    """Return the statuses of a query and a command."""
    with stack.http() as http:
        return {
            http.get("/api/v1/horses").status_code,
            http.post("/api/v1/drivers", json={}).status_code,
        }


def accept(stack: Stack) -> None:
    """Check that nothing is served, accept the restored instance, and check that everything is served."""
    assert statuses(stack) == {503}
    output = stack.run("status")
    assert output.returncode == 1
    assert "restored from backup-" in output.stdout
    stack.succeed("restore", "accept")
    wait_for(lambda: statuses(stack) == {200, 422})
    wait_for(lambda: stack.run("status").returncode == 0)


def commands_in(fold: Fold) -> set[str]:
    return {event.command for event in logged_events(fold)}


@pytest.mark.parametrize("commands", suite_and_soak(40, 5_000))
async def test_lost_instance_is_restored_to_its_end_and_to_a_moment(commands: int) -> None:
    with open_folder() as folder:
        lost = await lose_an_instance(folder / "backups", commands)
        with restored(lost) as stack:
            stack.succeed("audit", "verify")
            assert_consistent(lost.history, assert_read_tables_match_log(stack), before=0)
            accept(stack)
        with restored(lost, "--to-moment", lost.moment.isoformat()) as stack:
            made = commands_in(assert_read_tables_match_log(stack))
            assert lost.acknowledged <= made, "a command acknowledged before the moment is missing"
            assert not lost.begun_later & made, "a command sent after the moment was restored"
            assert lost.begun_later
            accept(stack)
            await assert_new_log_continues(stack, lost)


async def assert_new_log_continues(stack: Stack, lost: Lost) -> None:
    """Check that the log has a new id, since positions are reused, and that all seals are verified."""
    assert id_of(stack) != lost.log_id
    assert_old_etags_are_refused(stack, lost)
    head = head_of(stack)
    async with load_on(stack, sign_in(stack, "staff"), writers=1) as load:
        await load.wait_for(10)
    assert_read_tables_match_log(stack)
    assert head_of(stack) > head
    # Sealed again.
    await wait_until(lambda: stack.succeed("audit", "verify").startswith(f"{head_of(stack)} of"))


def assert_old_etags_are_refused(stack: Stack, lost: Lost) -> None:
    """Check that an ETag of the lost log does not match the same version of the new log."""
    body = usual_body("horse").sent
    with stack.http() as http:
        address = http.post("/api/v1/horses", json=body).headers["location"]
        wait_for(lambda: http.get(address).status_code == 200)
        found = http.get(address)
        now = RecordETag.parse(found.headers["etag"])
        assert now is not None
        tag = now._replace(log=lost.log_id[:LOG_CHARACTERS])
        assert http.get(address, headers={"If-None-Match": str(tag)}).status_code == 200
        refused = http.put(address, json=body, headers={"If-Match": str(tag)})
        assert (refused.status_code, refused.json()["changed_since"]) == (412, [])
        known = {"If-Match": found.headers["etag"]}
        assert http.put(address, json=body, headers=known).status_code == 200
