"""The network to the database fails under load: nothing hangs, nothing is lost or doubled, and all heals."""

import asyncio
import random
import time
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from statistics import median

import psycopg
import pytest

from ops.testing.postgres import Database
from ops.testing.product.faulty_services import FAULTS, SERVICES, FaultyServices, faulty_services
from ops.testing.product.history_check import assert_consistent
from ops.testing.product.load import Load, load_on
from ops.testing.product.whole import assert_whole, head_of, wait_until_caught_up
from ops.testing.soak import soak_count
from ops.testing.token_issuer import TokenIssuer

pytestmark = pytest.mark.integration

WRITERS = 6
HANG_SECONDS = 40.0
"""Everything is answered sooner, if only with 503."""
WHOLE_SECONDS = 45.0
"""After healing; usually 1 to 12, most of it until a silent worker's lock on a projection ends."""
SOAK_ROUNDS = 50
SOAK_BLOCK = 10


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
    assert seconds < WHOLE_SECONDS


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
            for _ in range(min(SOAK_BLOCK, rounds - len(took))):
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
    assert max(took) < WHOLE_SECONDS
