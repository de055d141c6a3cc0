"""Processes killed under load and at boundaries, networks that fail: nothing is lost, nothing doubled."""

import asyncio
import random
import signal
import time
from collections import Counter, defaultdict
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median, quantiles

import psycopg
import pytest

from ops.base.encryption.settings import KeySettings
from ops.testing.postgres import Database
from ops.testing.product.client import sign_in
from ops.testing.product.exchanges import Actor
from ops.testing.product.faulty_services import FAULTS, SERVICES, FaultyServices, faulty_services
from ops.testing.product.history import History
from ops.testing.product.history_check import assert_consistent
from ops.testing.product.kills import VICTIMS, kill
from ops.testing.product.load import Load, load_on
from ops.testing.product.whole import assert_whole, head_of, wait_until_caught_up
from ops.testing.product.writer import Writer
from ops.testing.service_process import ServiceProcess, service_process
from ops.testing.soak import soak_count
from ops.testing.stack import Stack
from ops.testing.token_issuer import TokenIssuer

pytestmark = pytest.mark.integration


WRITERS = 6
WHOLE_SECONDS = 30.0
"""Usually 1 to 3; more on a machine that has a lot else to do."""
SOAK_BLOCK = 50
"""After so many kills the whole log is checked."""
SOAK_KILLS = {
    "command-api": 100,
    "command-api before it answers": 100,
    "query-api": 200,
    "projections": 200,
    "session of command-api": 25,
    "session before it answers": 25,
    "session of query-api": 25,
    "session of projections": 25,
    "postgres": 50,
}


@dataclass(frozen=True)
class KillSummary:
    """What came of some kills."""

    seconds: list[float]
    """Until everything was whole again, for each kill."""
    acknowledged: int
    refused: int
    unknown: int
    """Requests of which the client did not hear what came of them."""
    lost_answers: int
    """Commands that had been carried out although the client had to ask again."""


async def kill_under_load(stack: Stack, actor: Actor, victims: Sequence[str]) -> KillSummary:
    """Kill one after the other under load, and check that nothing was lost or doubled."""
    before = head_of(stack)
    seconds = []
    async with load_on(stack, actor, writers=WRITERS) as load:
        for victim in victims:
            await load.wait_for(commands=random.randint(20, 60))  # so that it hits at any moment
            seconds.append(round(await kill(stack, victim, load), 1))
        await load.wait_for(commands=20)
    history = load.history
    lost_answers = assert_consistent(history, assert_whole(stack), before=before)
    assert max(seconds) < WHOLE_SECONDS
    return KillSummary(seconds, history.acknowledged, history.refused, history.unknown, lost_answers)


@pytest.mark.parametrize("victim", [name for name, victim in VICTIMS.items() if not victim.loses_answer])
async def test_kills_lose_and_double_nothing(stack: Stack, asha: Actor, victim: str) -> None:
    outcome = await kill_under_load(stack, asha, [victim])
    print(f"{victim} killed: {outcome}")


@pytest.mark.parametrize("victim", [name for name, victim in VICTIMS.items() if victim.loses_answer])
async def test_a_registration_whose_answer_is_lost_is_recognised_when_it_is_sent_again(
    stack: Stack, asha: Actor, victim: str
) -> None:
    """By its key when the client sends it; without a key, when the command API does."""
    before = head_of(stack)
    client_must_ask_again = VICTIMS[victim].part == "command-api"
    stop_requested = asyncio.Event()
    history = History()
    sender = Writer(stack, asha, history, name=f"lost-{before}", keyed=client_must_ask_again)

    async def register_trailers() -> None:
        while not stop_requested.is_set():
            await sender.register("trailer")

    async with sender, asyncio.TaskGroup() as group:
        group.create_task(register_trailers())
        await asyncio.to_thread(VICTIMS[victim].kill, stack)
        stop_requested.set()
    lost_answers = assert_consistent(history, assert_whole(stack), before=before)
    assert lost_answers == client_must_ask_again


@pytest.mark.soak
@pytest.mark.timeout(3 * 3600)
async def test_many_kills_lose_and_double_nothing(stack: Stack) -> None:
    began = time.monotonic()
    recoveries: defaultdict[str, list[float]] = defaultdict(list)
    totals: Counter[str] = Counter()
    victims = [victim for victim, full in SOAK_KILLS.items() for _ in range(soak_count(full))]
    random.shuffle(victims)
    for start in range(0, len(victims), SOAK_BLOCK):
        block = victims[start : start + SOAK_BLOCK]
        # Signed in anew: all of it takes longer than an access token is good for.
        outcome = await kill_under_load(stack, sign_in(stack, "staff"), block)
        for victim, seconds in zip(block, outcome.seconds, strict=True):
            recoveries[victim].append(seconds)
        totals.update({name: n for name, n in vars(outcome).items() if name != "seconds"})
        print(
            f"{start + len(block)} of {len(victims)} kills after {time.monotonic() - began:.0f} s: {totals}"
        )
    print(f"\n{'killed':<35} {'times':>5}   whole again after (s): min, median, p95, max")
    for victim, took in sorted(recoveries.items()):
        p95 = quantiles(took, n=20, method="inclusive")[-1] if len(took) > 1 else took[0]
        figures = " ".join(f"{figure:>6.1f}" for figure in (min(took), median(took), p95, max(took)))
        print(f"{victim:<35} {len(took):>5}   {figures}")
    print(f"{dict(totals)}: none lost, none doubled, nothing refused was written")


@dataclass(frozen=True)
class Failover:
    """Commands go to a process for as long as it lives, and then to the stack."""

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
    ("boundary", "command", "was_written"),
    [
        ("command.committed", "a change with If-Match", True),
        ("command.answered", "a registration", True),  # the answer is ready, and never sent
    ],
)
async def test_a_command_is_carried_out_once(
    stack: Stack, asha: Actor, boundary: str, command: str, *, was_written: bool
) -> None:
    before = head_of(stack)
    history = History()
    passes = 1 if command == "a registration" else 2
    environment = stack.record().environments["command-api"]
    async with service_process("command-api", environment, failpoint=f"{boundary}:{passes}") as dying:
        async with Writer(Failover(stack, dying), asha, history, name=f"F{before}") as writer:
            address = await writer.register("trailer")
            await writer.change("trailer", address, known_version=1)
        assert await dying.ended() == -signal.SIGKILL
    lost_answers = assert_consistent(history, assert_whole(stack), before=before)
    assert (history.acknowledged, history.refused, lost_answers) == (2, 0, int(was_written))


HANG_SECONDS = 40.0
"""Everything is answered sooner, if only with 503."""
HEALED_SECONDS = 45.0
"""After healing; usually 1 to 12, most of it until a silent worker's lock on a projection ends."""
SOAK_ROUNDS = 50
SOAK_ROUNDS_BLOCK = 10


@pytest.fixture(scope="module")
async def services(module_database: Database) -> AsyncIterator[FaultyServices]:
    with TokenIssuer() as issuer:
        async with faulty_services(module_database, issuer) as services:
            yield services


def wait_until_whole(services: FaultyServices) -> None:
    """Wait until all projections have got over what happened, while others write on."""
    with psycopg.connect(services.owner_dsn, autocommit=True) as connection:
        wait_until_caught_up(connection, head_of(services))


async def seconds_to_recover(
    services: FaultyServices, load: Load, faults: Mapping[str, str], *, lasting: float
) -> float:
    """Let networks fail for a while, and return how long all takes to be whole after they have healed.

    Args:
        services: under load.
        load: at work.
        faults: by service, one of `FAULTS`.
        lasting: seconds.
    """
    await load.wait_for(commands=random.randint(20, 50))  # so that it hits at any moment
    for service, fault in faults.items():
        FAULTS[fault](services.networks[service])
    await asyncio.sleep(lasting)
    services.heal()
    healed = time.monotonic()
    await load.see_a_write()
    await asyncio.to_thread(wait_until_whole, services)
    seconds = time.monotonic() - healed
    services.forget_the_silent()
    return seconds


@pytest.mark.parametrize(
    ("command", "query", "projections"),
    [
        ("cut", "cut", "cut"),
        ("reset", "reset", "reset"),
        ("held back", "held back", "held back"),
        ("silent to the client", "silent", "silent to the server"),
    ],
)
async def test_a_network_fault_loses_and_doubles_nothing(
    services: FaultyServices, command: str, query: str, projections: str
) -> None:
    before = head_of(services)
    faults = dict(zip(SERVICES, (command, query, projections), strict=True))
    async with load_on(services, services.actor, writers=WRITERS, attempt_seconds=HANG_SECONDS) as load:
        seconds = await seconds_to_recover(services, load, faults, lasting=0.5)
        await load.wait_for(commands=20)
    history = load.history
    whole = await asyncio.to_thread(assert_whole, services)
    lost_answers = assert_consistent(history, whole, before=before)
    print(
        f"{faults}: whole after {seconds:.1f} s, slowest answer {history.slowest_seconds:.1f} s,"
        f" {history.acknowledged} acknowledged, {history.unknown} unknown, {lost_answers} answers lost"
    )
    assert history.slowest_seconds < HANG_SECONDS
    assert seconds < HEALED_SECONDS


@pytest.mark.soak
@pytest.mark.timeout(3 * 3600)
async def test_many_network_faults_lose_and_double_nothing(services: FaultyServices) -> None:
    took: list[float] = []
    totals: Counter[str] = Counter()
    slowest = 0.0
    rounds = soak_count(SOAK_ROUNDS)
    while len(took) < rounds:
        before = head_of(services)
        async with load_on(services, services.actor, writers=WRITERS, attempt_seconds=HANG_SECONDS) as load:
            for _ in range(min(SOAK_ROUNDS_BLOCK, rounds - len(took))):
                hit = random.sample(SERVICES, random.randint(1, len(SERVICES)))
                faults = {service: random.choice(list(FAULTS)) for service in hit}
                lasting = random.uniform(0, 6)
                took.append(await seconds_to_recover(services, load, faults, lasting=lasting))
                print(f"{len(took)}: {faults} for {lasting:.1f} s: whole after {took[-1]:.1f} s")
                totals.update(faults.values())
        history = load.history
        whole = await asyncio.to_thread(assert_whole, services)
        totals["answers lost"] += assert_consistent(history, whole, before=before)
        totals["acknowledged"] += history.acknowledged
        totals["refused"] += history.refused
        totals["unknown"] += history.unknown
        slowest = max(slowest, history.slowest_seconds)
    print(f"whole after {min(took):.1f} to {max(took):.1f} s, median {median(took):.1f}; {dict(totals)}")
    print(f"slowest answer {slowest:.1f} s; none lost, none doubled, nothing refused was written")
    assert slowest < HANG_SECONDS
    assert max(took) < HEALED_SECONDS
