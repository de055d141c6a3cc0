"""The split topology: services survive the end of their pair, and pass the tests of the running product."""

import asyncio
import json
import os
import random
import subprocess
from pathlib import Path
from typing import Any

import pytest

from ops.launcher.frontend.build import SETTING as FRONTEND_SETTING
from ops.launcher.paths import PROJECT, PYTHON
from ops.testing.browser_tests import run_browser_tests
from ops.testing.conditions import wait_for
from ops.testing.product.client import sign_in
from ops.testing.soak import soak_count, suite_and_soak
from ops.testing.split.stack import SplitStack
from ops.testing.split.trial import Trial, trial_on

pytestmark = [pytest.mark.integration, pytest.mark.split, pytest.mark.timeout(600)]


def one_of_each_pair(stack: SplitStack, number: int) -> list[str]:
    """Return one container of each pair, except gateways, whose requests in progress are lost."""
    return [
        f"{name}-{number}"
        for name, service in stack.engine.compose.services.items()
        if service.deploy.replicas == 2 and name != "gateway"
    ]


async def kill(stack: SplitStack, trial: Trial, *names: str) -> float:
    """Kill containers at once, and return the seconds until a write can be read."""
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


@pytest.mark.parametrize("rounds", suite_and_soak(1, 30, hours=3))
async def test_kill_of_one_of_each_pair_fails_no_read_and_no_retried_write(
    split_stack: SplitStack, rounds: int
) -> None:
    for _ in range(rounds):
        victims = one_of_each_pair(split_stack, random.randint(1, 2))
        async with trial_on(split_stack, sign_in(split_stack, "staff")) as trial:
            trial.recoveries["one of each"] = await kill(split_stack, trial, *victims)
        assert not trial.readings.failed
        assert max(request.attempt for request in trial.history.requests) <= 2


@pytest.mark.parametrize("rounds", suite_and_soak(1, 20, hours=3))
async def test_rolling_restart_under_load_fails_no_request(split_stack: SplitStack, rounds: int) -> None:
    for _ in range(rounds):
        staff = sign_in(split_stack, "staff")
        # Requests wait while services restart, on a busy machine for more than the usual 10 s; none fails.
        async with trial_on(split_stack, staff, attempt_seconds=30.0) as trial:
            await roll(split_stack, trial)
            await trial.load.wait_for(commands=50)
        assert not trial.readings.failed
        assert trial.history.unknown == 0


async def roll(stack: SplitStack, trial: Trial) -> None:
    """Restart one of each pair, the others, the foundations, and the gateways in turn."""
    for name, containers in {
        "one of each": one_of_each_pair(stack, 1),
        "the other of each": one_of_each_pair(stack, 2),
        "postgres": ["postgres-1"],
        "keys": ["keys-1"],
        "kafka": ["kafka-1"],
    }.items():
        trial.recoveries[name] = await asyncio.to_thread(stack.engine.restart, containers)
        await trial.load.see_a_write()
    for gateway, other in (("gateway-1", "gateway-2"), ("gateway-2", "gateway-1")):
        await asyncio.to_thread(prefer, stack, other)
        trial.recoveries[gateway] = await asyncio.to_thread(stack.engine.restart, [gateway])
        await asyncio.to_thread(prefer, stack)
        await trial.load.see_a_write()
    stack.engine.first("gateway").reload()


def prefer(stack: SplitStack, *gateways: str) -> None:
    """Make the edge prefer some gateways for new connections, as ops/roll does; none: no preference."""
    ports = [stack.engine.first(name).environment["FLEETLOG_EDGE_PORT"] for name in gateways]
    words = ["python", "-m", "ops.launcher.gateway.edge", "--first", *(f"127.0.0.1:{port}" for port in ports)]
    command, environment = stack.engine.inside("edge", words)
    subprocess.run(command, env=environment, check=True)


@pytest.mark.soak
@pytest.mark.timeout(6 * 3600)
async def test_topology_kill_of_any_container_loses_and_duplicates_nothing(split_stack: SplitStack) -> None:
    names = [name for name in split_stack.engine.containers if not name.startswith(("migrate", "prepare"))]
    for _ in range(soak_count(20)):
        random.shuffle(names)
        async with trial_on(split_stack, sign_in(split_stack, "staff")) as trial:
            for name in names:
                trial.recoveries[name] = await kill(split_stack, trial, name)
                await trial.load.wait_for(commands=random.randint(5, 30))


_FILES = "model races rebuilds documents feed screens exposure"
CONTRACT = [f"ops/tests/product/test_{name}.py" for name in _FILES.split()]
WITH_THE_LAUNCHER = "personal_data_in_the_event_stream or logs_hold or logs_are"
"""Tests among them that need the launcher, which does not supervise containers."""


@pytest.mark.skipif(FRONTEND_SETTING not in os.environ, reason=f"{FRONTEND_SETTING} names no built frontend")
def test_staff_sign_in_and_manage_drivers_in_the_browser(split_stack: SplitStack) -> None:
    run_browser_tests(
        split_stack.address,
        "drivers.spec.ts",
        "-g",
        "a user signs in, adds, views, edits and deletes a driver",
    )


@pytest.mark.soak
@pytest.mark.timeout(2 * 3600)
@pytest.mark.skipif(FRONTEND_SETTING not in os.environ, reason=f"{FRONTEND_SETTING} names no built frontend")
def test_topology_passes_all_tests_in_the_browser(split_stack: SplitStack) -> None:
    run_browser_tests(split_stack.address)


@pytest.mark.soak
@pytest.mark.timeout(2 * 3600)
def test_topology_passes_the_tests_of_the_running_product() -> None:
    environment = {**os.environ, "FLEETLOG_TOPOLOGY": "split"}
    done = subprocess.run(
        [*PYTHON, "pytest", *CONTRACT, "-m", "not soak", "-k", f"not ({WITH_THE_LAUNCHER})"],
        cwd=PROJECT,
        env=environment,
        check=False,
    )
    assert done.returncode == 0


def test_doctor_finds_stopped_services(split_stack: SplitStack) -> None:
    kept = Path(split_stack.engine.first("backups").environment["FLEETLOG_BACKUPS"])
    wait_for(lambda: any(kept.glob("*/backup-*Z")))
    found, status = run_doctor(split_stack)
    levels = {one["check"]: one["level"] for one in found}
    assert [one for one in found if one["level"] == "wrong"] == []
    assert status == 0
    services = {"command-api", "query-api", "worker", "relay", "notify", "gateway"}
    assert services | {"database", "seals", "sign-in"} <= levels.keys()
    assert len([one for one in found if one["check"] == "query-api"]) == 2
    relays = [split_stack.engine.first(f"relay-{number}") for number in (1, 2)]
    for relay in relays:
        relay.is_wanted = False
        relay.kill()
    found, status = run_doctor(split_stack)
    for relay in relays:
        relay.is_wanted = True
        split_stack.engine.wait_until_healthy(relay.name)
    assert {one["check"] for one in found if one["level"] == "wrong"} == {"relay"}
    assert status == 1


def run_doctor(stack: SplitStack) -> tuple[list[dict[str, Any]], int]:
    """Return the findings of the doctor, and its exit status."""
    words = ["python", "-m", "ops.launcher.doctor", "--json", "--seconds", "60"]
    command, environment = stack.engine.inside("doctor", words)
    done = subprocess.run(command, env=environment, cwd="/", capture_output=True, check=False)
    findings: list[dict[str, Any]] = json.loads(done.stdout)["findings"]
    return findings, done.returncode
