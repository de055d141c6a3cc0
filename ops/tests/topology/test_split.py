"""The split topology: whatever ends, somebody else goes on; staff and operators do what they do elsewhere."""

import asyncio
import os
import random
import re
import shlex
import subprocess
import sys
import tarfile
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

import psycopg
import pytest

from ops.launcher.frontend.build import SETTING as FRONTEND_SETTING
from ops.launcher.frontend.chromium import find_or_install_chromium
from ops.launcher.frontend.node import npm_command, npm_environment
from ops.launcher.paths import FRONTEND, PROJECT, PYTHON
from ops.launcher.postgres.account import server_account
from ops.launcher.postgres.binaries import find_binaries
from ops.launcher.postgres.cluster import Cluster
from ops.launcher.postgres.temporary import temporary_server
from ops.testing.folders import open_folder
from ops.testing.product.bodies import usual_body
from ops.testing.product.client import Client, sign_in
from ops.testing.product.exchanges import PATHS
from ops.testing.soak import soak_count
from ops.testing.split.stack import SplitStack
from ops.testing.split.trial import Trial, trial_on
from ops.testing.waiting import wait_until

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


_FILES = "model histories read_your_writes races rebuilds documents feed screens exposure"
CONTRACT = [f"ops/tests/product/test_{name}.py" for name in _FILES.split()]
WITH_THE_LAUNCHER = " or ".join(
    (
        *("planted_personal_values", "poisoned_stream", "leaves_by_the_event_stream"),
        *("operator_reaches", "logs_hold", "logs_name"),
    )
)
"""Tests among them that use what the launcher runs or writes, which looks after no containers."""


def say(line: str) -> None:
    print(line, file=sys.stderr)


def browse(stack: SplitStack, *words: str) -> None:
    """Run tests in the browser."""
    chromium = find_or_install_chromium(say)
    done = subprocess.run(
        npm_command("run", "e2e", "--", *words),
        cwd=FRONTEND,
        env=npm_environment({"BASE_URL": stack.address, "CHROMIUM_PATH": str(chromium or "")}),
        check=False,
    )
    assert done.returncode == 0


@pytest.mark.skipif(FRONTEND_SETTING not in os.environ, reason=f"{FRONTEND_SETTING} names no built frontend")
def test_staff_sign_in_and_manage_drivers_in_the_browser(split_stack: SplitStack) -> None:
    browse(split_stack, "drivers.spec.ts", "-g", "from the sign-in to a driver added")


@pytest.mark.soak
@pytest.mark.timeout(2 * 3600)
@pytest.mark.skipif(FRONTEND_SETTING not in os.environ, reason=f"{FRONTEND_SETTING} names no built frontend")
def test_topology_passes_all_tests_in_the_browser(split_stack: SplitStack) -> None:
    browse(split_stack)


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


SECTION: Final = (PROJECT / "ops/docs/split.md").read_text().partition("## The operator's commands")[2]
COMMANDS, BACKUP, RESTORE = re.findall(r"```sh\n(.*?)```", SECTION, re.DOTALL)
ANSWERS: Final = {
    "-c": r'"status": "ok"',
    "status": r"revisions +[1-9]",
    "retry": "",
    "rebuild": r"horses",
    "rewind": r"publishes again from 1 on",
    "sign-out": r"Signed out: dev\|nobody\.",
    "verify": r"are what was sealed",
    "export": r"horse:",
    "check": r"Proven: these are the first 1 events",
    "events": r"fleetlog\.horse\.registered\.v2",
}
"""What each command prints, by a word of it."""
SEALED_SECONDS: Final = 60.0


def commands(block: str, **variables: str) -> list[tuple[str, list[str]]]:
    """Service and command line of each `docker compose exec` and `run` of a block."""
    found = []
    for line in block.replace("\n  ", " ").splitlines():
        words = [variables.get(word.removeprefix("$"), word) for word in shlex.split(line, comments=True)]
        if words[:2] != ["docker", "compose"] or words[2] not in {"exec", "run"}:
            continue
        service = next(
            number
            for number, word in enumerate(words)
            if number > 2 and not word.startswith("-") and words[number - 1] != "-e"
        )
        end = next((number for number, word in enumerate(words) if word in {"<", ">"}), len(words))
        found.append((words[service], words[service + 1 : end]))
    return found


def run(
    stack: SplitStack,
    service: str,
    words: list[str],
    *,
    given: bytes = b"",
    more: Mapping[str, str] = MappingProxyType({}),
) -> bytes:
    command, environment = stack.engine.inside(service, words)
    done = subprocess.run(
        command, env={**environment, **more}, input=given, cwd="/", capture_output=True, check=False
    )
    assert done.returncode == 0, (words, done.stderr)
    return done.stdout


@pytest.fixture
async def horse(split_stack: SplitStack) -> str:
    """The stream of a horse whose event is sealed and published."""
    with Client(split_stack) as client:
        body = usual_body("horse").sent
        answer = client.request("POST", PATHS["horse"], actor=sign_in(split_stack, "staff"), json=body)
    position = int(answer.raise_for_status().headers["fleetlog-position"].rpartition(":")[2])
    seals = Path(split_stack.engine.first("worker").environment["FLEETLOG_SEALS"])
    with psycopg.connect(split_stack.owner_dsn, autocommit=True) as owner:
        relayed = "SELECT coalesce(max(position), 0) FROM read.relay_positions"
        await wait_until(
            lambda: (
                any(int(note.stem) >= position for note in seals.glob("checkpoints/*.note"))
                and owner.execute(relayed).fetchall()[0][0] >= position
            ),
            seconds=SEALED_SECONDS,
        )
    return f"horse:{answer.headers['location'].rpartition('/')[2]}"


def test_each_command_of_the_operators_page_does_its_work(split_stack: SplitStack, horse: str) -> None:
    key = (split_stack.secrets / "public-key").read_text()
    tried, printed = set(), b""
    for service, words in commands(COMMANDS, ENTITY=horse, PUBLIC_KEY=key, SUBJECT="dev|nobody"):
        (what,) = ANSWERS.keys() & {*words} - ({"export"} if "events" in words else set())
        given = printed if what == "check" else b""
        token = {"FLEETLOG_TOKEN": split_stack.token("analyst")}
        printed = run(split_stack, service, words, given=given, more=token)
        assert re.search(ANSWERS[what], printed.decode()), words
        tried.add(what)
    assert tried == ANSWERS.keys()


def test_a_copy_of_the_whole_comes_back_and_can_be_accepted(split_stack: SplitStack, horse: str) -> None:
    password = (split_stack.secrets / "owner-password").read_text()
    (sealing, seal_words), (serving, base_words) = commands(BACKUP)
    seals = run(split_stack, sealing, seal_words)
    base = run(split_stack, serving, base_words, more={"PGPASSWORD": password})
    account = server_account()
    with open_folder() as folder:
        for name, content in (("seals.tar", seals), ("base.tar.gz", base)):
            (folder / name).write_bytes(content)
        with tarfile.open(folder / "seals.tar") as archive:
            assert "./hashes" in archive.getnames()
            archive.extractall(folder / "seals", filter="tar")
        cluster = Cluster(folder, find_binaries(account), account)
        cluster.data.mkdir(mode=0o700)
        with tarfile.open(folder / "base.tar.gz") as archive:
            archive.extractall(cluster.data, filter="tar")
        for path in (cluster.data, *cluster.data.rglob("*")):
            account.own(path)
        with temporary_server(cluster, password, folder / "log", database="fleetlog") as dsn:
            ((accepting, words),) = [one for one in commands(RESTORE) if one[0] == "accept"]
            output = run(
                split_stack,
                accepting,
                words,
                more={"FLEETLOG_DATABASE": dsn, "FLEETLOG_SEALS": str(folder / "seals")},
            )
            assert b"Sealing was begun anew after position " in output
            assert re.search(rb"Accepted: the log [0-9a-f]{32} goes on after position [1-9]", output)
            with psycopg.connect(dsn) as restored:
                events = "SELECT count(*) FROM log.events WHERE originator_id = %s"
                assert restored.execute(events, [horse]).fetchone() == (1,)
