"""Several of each: whatever ends, whether killed or restarted, somebody else goes on."""

import asyncio
import random

import pytest

from ops.testing.product.client import sign_in
from ops.testing.soak import soak_count
from ops.testing.split.stack import SplitStack
from ops.testing.split.trial import Trial, trial_on

pytestmark = [pytest.mark.integration, pytest.mark.split, pytest.mark.timeout(600)]


def of_each_pair(stack: SplitStack, number: int) -> list[str]:
    return [
        f"{name}-{number}"
        for name, service in stack.engine.compose.services.items()
        if service.deploy.replicas == 2
    ]


async def kill(stack: SplitStack, trial: Trial, *names: str) -> float:
    """Kill containers at once, and return after how many seconds all was whole again."""
    began = asyncio.get_running_loop().time()
    pids = {name: await asyncio.to_thread(stack.kill, name) for name in names}
    await trial.load.see_a_write()
    served = asyncio.get_running_loop().time() - began
    for name, pid in pids.items():
        if name != "kafka-1":
            await asyncio.to_thread(stack.wait_until_back, name, pid)
        else:
            await asyncio.to_thread(stack.engine.wait_until_healthy, name)
    return served


async def test_with_one_of_each_pair_killed_no_read_fails_and_no_write_that_is_tried_again(
    split_stack: SplitStack,
) -> None:
    number = random.randint(1, 2)
    async with trial_on(split_stack, sign_in(split_stack, "staff")) as trial:
        trial.recoveries["one of each"] = await kill(split_stack, trial, *of_each_pair(split_stack, number))
    assert not trial.readings.failed
    assert trial.most_attempts <= 2


async def test_a_rolling_restart_of_everything_under_load_fails_no_request(split_stack: SplitStack) -> None:
    """The gateway has no other one beside it, so it is reloaded."""
    first, second = (of_each_pair(split_stack, number) for number in (1, 2))
    async with trial_on(split_stack, sign_in(split_stack, "staff")) as trial:
        for name, containers in {
            "one of each": first,
            "the other of each": second,
            "postgres": ["postgres-1"],
            "kafka": ["kafka-1"],
        }.items():
            trial.recoveries[name] = await asyncio.to_thread(split_stack.engine.restart, containers)
            await trial.load.see_a_write()
        split_stack.engine.first("gateway").reload()
        await trial.load.wait_for(commands=50)
    assert not trial.readings.failed
    assert trial.unanswered_commands == 0


@pytest.mark.soak
@pytest.mark.timeout(6 * 3600)
async def test_topology_whichever_container_is_killed_nothing_is_lost_or_doubled(
    split_stack: SplitStack,
) -> None:
    names = [name for name in split_stack.engine.containers if not name.startswith("migrate")]
    for _ in range(soak_count(20)):
        random.shuffle(names)
        async with trial_on(split_stack, sign_in(split_stack, "staff")) as trial:
            for name in names:
                trial.recoveries[name] = await kill(split_stack, trial, name)
                await trial.load.wait_for(commands=random.randint(5, 30))


@pytest.mark.soak
@pytest.mark.timeout(3 * 3600)
async def test_topology_many_rolling_restarts_fail_no_request(split_stack: SplitStack) -> None:
    for _ in range(soak_count(20)):
        await test_a_rolling_restart_of_everything_under_load_fails_no_request(split_stack)


@pytest.mark.soak
@pytest.mark.timeout(3 * 3600)
async def test_topology_many_kills_of_one_of_each_pair_fail_no_read(split_stack: SplitStack) -> None:
    for _ in range(soak_count(30)):
        await test_with_one_of_each_pair_killed_no_read_fails_and_no_write_that_is_tried_again(split_stack)
