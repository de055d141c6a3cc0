"""Erasure in the split topology: in all processes, files and topics, during load."""

import asyncio

import psutil
import pytest

from ops.tamper_evidence.receipts import check_receipt
from ops.tamper_evidence.signed_notes import VerifyingKey
from ops.testing.conditions import wait_for
from ops.testing.product.client import sign_in
from ops.testing.product.erasure import Person, assert_erased, erase_people, register_people, users_of
from ops.testing.scan import places_with, processes_with
from ops.testing.split.stack import SplitStack
from ops.testing.split.trial import trial_on

pytestmark = [pytest.mark.integration, pytest.mark.split, pytest.mark.timeout(600)]

# Requests wait while services restart, several times on a busy machine; none fails.
PATIENCE_SECONDS = 30.0
SERVICES = ("command-api", "query-api", "worker", "relay", "notify")


def holding(stack: SplitStack) -> list[str]:
    """Return the containers that may have personal data in memory."""
    return [name for name in stack.engine.containers if name.startswith(SERVICES)]


def pids_of(stack: SplitStack) -> list[int]:
    """Return the pids of all processes of these containers."""
    roots = [psutil.Process(stack.pid(name)) for name in holding(stack)]
    return [one.pid for root in roots for one in (root, *root.children(recursive=True))]


async def test_people_are_erased_everywhere_and_no_request_fails(split_stack: SplitStack) -> None:
    people = [Person(f"SPLIT-{number}") for number in range(3)]
    gone, others = people[:2], people[2:]
    epochs = split_stack.keys.wrapping
    with users_of(split_stack) as users:
        await asyncio.to_thread(register_people, users, people, 2)
        former = epochs.newest
        staff = sign_in(split_stack, "staff")
        async with trial_on(split_stack, staff, attempt_seconds=PATIENCE_SECONDS) as trial:
            await asyncio.to_thread(erase_people, users, gone)
            await trial.load.wait_for(commands=20)
        assert not trial.readings.failed
        assert trial.history.unknown == 0
        await asyncio.to_thread(assert_erased, users, gone, others)
        receipt = users.first.http.get(f"{gone[0].address}/privacy/receipt").text
    assert [path.name for path in epochs.folder.glob("epoch-*")] == [f"epoch-{epochs.newest}.key"]
    key = VerifyingKey.parse((split_stack.secrets / "public-key").read_text())
    statement = check_receipt(receipt, key).statement
    assert statement["epochs"]["destroyed"] >= former
    cleared = {one["instance"] for one in statement["services"] if one["state"] == "forgotten"}
    assert cleared == set(holding(split_stack))
    marks = [person.canaries.mark for person in gone]
    assert not await asyncio.to_thread(places_with, marks, split_stack.folder)
    assert await asyncio.to_thread(processes_with, [others[0].canaries.mark], pids_of(split_stack))
    await asyncio.to_thread(wait_for, lambda: not processes_with(marks, pids_of(split_stack)))
