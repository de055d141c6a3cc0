"""Killed processes and network faults under load: no event is lost, none is duplicated."""

import asyncio
import random
import signal
import time
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import Final

import pytest
from projections_testing.notifications import receiving

from ops.base.encryption.settings import KeySettings
from ops.testing.certificates import CERTIFICATE
from ops.testing.conditions import wait_until
from ops.testing.faulty_network import FaultyNetwork, faulty_network
from ops.testing.postgres import Database
from ops.testing.product.client import sign_in
from ops.testing.product.exchanges import Actor
from ops.testing.product.history import OperationHistory
from ops.testing.product.history_check import assert_consistent
from ops.testing.product.kills import SERVICES, VICTIMS, kill
from ops.testing.product.load import Load, load_on
from ops.testing.product.read_tables import assert_read_tables_match_log, head_of, wait_until_caught_up
from ops.testing.product.writer import Writer
from ops.testing.service_process import ServiceProcess, service_environment, service_process
from ops.testing.soak import soak_count, suite_and_soak
from ops.testing.stack import Stack
from ops.testing.token_issuer import TokenIssuer

pytestmark = pytest.mark.integration


WRITERS = 6
RECOVERY_SECONDS = 30.0
"""Usually 1 to 3; more on a loaded machine."""
BACKLOG_SECONDS = 600.0
"""Webhooks receive fewer events per second than the writers append."""
SOAK_BLOCK = 50
"""The number of kills between two checks of the complete log."""
SOAK_KILLS = {
    "command-api": 100,
    "command-api before it answers": 100,
    "query-api": 200,
    "projections": 200,
    "notify": 200,
    "session of command-api": 25,
    "session before it answers": 25,
    "session of query-api": 25,
    "session of projections": 25,
    "postgres": 50,
}


def figures_of(history: OperationHistory, lost_answers: int) -> dict[str, int]:
    """Return the numbers of acknowledged, refused and unanswered requests, and of answers lost by retries."""
    return {
        "acknowledged": history.acknowledged,
        "refused": history.refused,
        "unknown": history.unknown,
        "answers lost": lost_answers,
    }


@asynccontextmanager
async def webhook(stack: Stack, actor: Actor) -> AsyncIterator[None]:
    """Check that a webhook receives every event within the context, in the order of the log."""
    certificate = stack.data.parent / CERTIFICATE
    if not certificate.exists():  # the containers of a split product cannot reach the test
        yield
        return
    async with receiving(certificate) as receiver, stack.async_http(actor.token) as client:
        details = {"name": "Kills", "content": "events", "channel": "webhook", "url": receiver.url}
        added = await client.post("/api/v1/subscriptions", json=details)
        path = f"/api/v1/subscriptions/{added.raise_for_status().json()['id']}"

        async def has_received(position: int) -> bool:
            answer = await client.get(f"{path}/deliveries?before=0")
            return answer.is_success and (answer.json()["state"]["position"] or 0) >= position

        await wait_until(partial(has_received, begin := head_of(stack)))
        yield
        await wait_until(partial(has_received, end := head_of(stack)), seconds=BACKLOG_SECONDS)
        (await client.delete(path)).raise_for_status()
    assert receiver.positions == list(range(begin + 1, end + 1))


async def kill_under_load(
    stack: Stack, actor: Actor, victims: Sequence[str]
) -> tuple[list[float], dict[str, int]]:
    """Kill victims in turn under load, and check that no event is lost or duplicated.

    Returns:
        The recovery time of each kill in seconds, and figures for a report.
    """
    seconds = []
    async with webhook(stack, actor):
        before = head_of(stack)
        async with load_on(stack, actor, writers=WRITERS) as load:
            for victim in victims:
                await load.wait_for(commands=random.randint(20, 60))  # so that kills hit at any moment
                seconds.append(round(await kill(stack, victim, load), 1))
            await load.wait_for(commands=20)
        lost_answers = assert_consistent(load.history, assert_read_tables_match_log(stack), before=before)
    assert max(seconds) < RECOVERY_SECONDS
    return seconds, figures_of(load.history, lost_answers)


@pytest.mark.parametrize("kills", suite_and_soak(0, 1, hours=3))
async def test_kills_lose_and_duplicate_nothing(stack: Stack, kills: int) -> None:
    """In the suite, most victims die once; in the soak, as often as `SOAK_KILLS` says."""
    victims = [*SERVICES, "gateway", "postgres", "session of command-api"]
    if kills:
        victims = [victim for victim, full in SOAK_KILLS.items() for _ in range(soak_count(full))]
        random.shuffle(victims)
    recoveries: defaultdict[str, list[float]] = defaultdict(list)
    totals: Counter[str] = Counter()
    for start in range(0, len(victims), SOAK_BLOCK):
        block = victims[start : start + SOAK_BLOCK]
        # A new token, since the soak outlives one.
        seconds, figures = await kill_under_load(stack, sign_in(stack, "staff"), block)
        for victim, took in zip(block, seconds, strict=True):
            recoveries[victim].append(took)
        totals.update(figures)
    for victim, took_each in sorted(recoveries.items()):
        print(f"{victim:<35} {len(took_each):>5} times, median {median(took_each)}, max {max(took_each)} s")
    print(f"{dict(totals)}: no event lost, duplicated or written although refused")


@pytest.mark.parametrize("victim", [name for name, victim in VICTIMS.items() if victim.loses_answer])
async def test_kills_before_the_answer_make_the_retry_return_the_first_outcome(
    stack: Stack, asha: Actor, victim: str
) -> None:
    """With a key the client retries; without one the command API does."""
    before = head_of(stack)
    client_must_retry = VICTIMS[victim].service == "command-api"
    stop_requested = asyncio.Event()
    history = OperationHistory()
    sender = Writer(stack, asha, history, name=f"lost-{before}", keyed=client_must_retry)

    async def register_trailers() -> None:
        while not stop_requested.is_set():
            await sender.register("trailer")

    async with sender, asyncio.TaskGroup() as group:
        group.create_task(register_trailers())
        await asyncio.to_thread(VICTIMS[victim].kill, stack)
        stop_requested.set()
    lost_answers = assert_consistent(history, assert_read_tables_match_log(stack), before=before)
    assert lost_answers == client_must_retry


@dataclass(frozen=True)
class Failover:
    """A product whose commands go to a process while it runs, and then to the stack."""

    stack: Stack
    first: ServiceProcess

    @property
    def command_address(self) -> str:
        return self.first.address if self.first.process.poll() is None else self.stack.command_address

    @property
    def query_address(self) -> str:
        return self.stack.query_address

    @property
    def owner_dsn(self) -> str:
        return self.stack.owner_dsn

    @property
    def keys(self) -> KeySettings:
        return self.stack.keys


@pytest.mark.parametrize(
    ("boundary", "commands"),
    [("command.committed", 2), ("command.answered", 1)],  # a complete answer is not sent yet
)
async def test_command_is_executed_once_when_its_process_dies_at_a_boundary(
    stack: Stack, asha: Actor, boundary: str, commands: int
) -> None:
    before = head_of(stack)
    history = OperationHistory()
    environment = stack.record().environments["command-api"]
    async with service_process("command-api", environment, failpoint=f"{boundary}:{commands}") as dying:
        async with Writer(Failover(stack, dying), asha, history, name=f"F{before}") as writer:
            address = await writer.register("trailer")
            await writer.change("trailer", address, known_version=1)
        assert await dying.ended() == -signal.SIGKILL
    lost_answers = assert_consistent(history, assert_read_tables_match_log(stack), before=before)
    assert (history.acknowledged, history.refused, lost_answers) == (2, 0, 1)


HANG_SECONDS = 40.0
"""Limit of every answer, including 503."""
HEALED_SECONDS = 45.0
"""Recovery after healing; usually 1 to 12, most of it until a silent worker's lease ends."""
SOAK_ROUNDS = 50
SOAK_ROUNDS_BLOCK = 10


FAULTS: Final[Mapping[str, Callable[[FaultyNetwork], None]]] = {
    "cut": FaultyNetwork.cut,
    "reset": FaultyNetwork.reset,
    "held back": FaultyNetwork.hold_back,
    "silent": FaultyNetwork.fall_silent,
    "silent to the server": partial(FaultyNetwork.fall_silent, to_client=False),
    "silent to the client": partial(FaultyNetwork.fall_silent, to_server=False),
}


@dataclass(frozen=True)
class FaultyServices:
    """Running services, each with a network of its own to the database.

    Attributes:
        owner_dsn: DSN of the database's owner, which bypasses the networks.
        networks: by service.
    """

    command_address: str
    query_address: str
    owner_dsn: str
    keys: KeySettings
    networks: Mapping[str, FaultyNetwork]
    actor: Actor


NETWORKED: Final = ("command-api", "query-api", "projections")
"""Services with faulty networks to the database."""


@pytest.fixture(scope="module")
async def services(module_database: Database) -> AsyncIterator[FaultyServices]:
    networks: dict[str, FaultyNetwork] = {}
    async with AsyncExitStack() as running:
        issuer = running.enter_context(TokenIssuer())

        async def start(name: str) -> ServiceProcess:
            environment = service_environment(name, module_database, issuer)
            networks[name], environment["FLEETLOG_DATABASE"] = await running.enter_async_context(
                faulty_network(environment["FLEETLOG_DATABASE"])
            )
            return await running.enter_async_context(service_process(name, environment))

        command_api, query_api, _ = await asyncio.gather(*(start(name) for name in NETWORKED))
        yield FaultyServices(
            command_api.address,
            query_api.address,
            module_database.owner,
            KeySettings(),
            networks,
            Actor("dev|asha", "Asha Menon", issuer.token(exp=issuer.claims()["iat"] + 24 * 3600)),
        )


async def seconds_to_recover(
    services: FaultyServices, load: Load, faults: Mapping[str, str], *, lasting: float
) -> float:
    """Inject faults for some seconds, and return the recovery time after healing.

    Args:
        services: the services.
        load: running load.
        faults: one of `FAULTS` by service.
        lasting: duration in seconds.
    """
    await load.wait_for(commands=random.randint(20, 50))  # so that faults hit at any moment
    for service, fault in faults.items():
        FAULTS[fault](services.networks[service])
    await asyncio.sleep(lasting)
    for network in services.networks.values():
        network.heal()
    healed = time.monotonic()
    await load.see_a_write()
    await asyncio.to_thread(wait_until_caught_up, services)
    seconds = time.monotonic() - healed
    for network in services.networks.values():
        network.close_silent()
    return seconds


SUITE_FAULTS: Final = [
    *(dict.fromkeys(NETWORKED, fault) for fault in ("cut", "reset", "held back")),
    dict(zip(NETWORKED, ("silent to the client", "silent", "silent to the server"), strict=True)),
]


def random_faults() -> dict[str, str]:
    hit = random.sample(NETWORKED, random.randint(1, len(NETWORKED)))
    return {service: random.choice(list(FAULTS)) for service in hit}


@pytest.mark.parametrize("rounds", suite_and_soak(0, SOAK_ROUNDS, hours=3))
async def test_network_faults_lose_and_duplicate_nothing(services: FaultyServices, rounds: int) -> None:
    took: list[float] = []
    totals: Counter[str] = Counter()
    slowest = 0.0
    injected = [random_faults() for _ in range(rounds)] or SUITE_FAULTS
    for start in range(0, len(injected), SOAK_ROUNDS_BLOCK):
        before = head_of(services)
        async with load_on(services, services.actor, writers=WRITERS, attempt_seconds=HANG_SECONDS) as load:
            for faults in injected[start : start + SOAK_ROUNDS_BLOCK]:
                lasting = random.uniform(0, 6) if rounds else 0.5
                took.append(await seconds_to_recover(services, load, faults, lasting=lasting))
                totals.update(faults.values())
            await load.wait_for(commands=20)
        history = load.history
        fold = await asyncio.to_thread(assert_read_tables_match_log, services)
        totals.update(figures_of(history, assert_consistent(history, fold, before=before)))
        slowest = max(slowest, history.slowest_seconds)
    print(f"recovered after {min(took):.1f} to {max(took):.1f} s, median {median(took):.1f}; {dict(totals)}")
    assert slowest < HANG_SECONDS
    assert max(took) < HEALED_SECONDS
