"""`kill -9` under load: nothing acknowledged is lost, nothing is doubled, and soon all is whole again."""

import asyncio
import random
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median, quantiles

import pytest

from ops.testing.product.client import sign_in
from ops.testing.product.exchanges import Actor
from ops.testing.product.history import History
from ops.testing.product.history_check import assert_consistent
from ops.testing.product.kills import VICTIMS, kill
from ops.testing.product.load import load_on
from ops.testing.product.whole import assert_whole, head_of
from ops.testing.product.writer import Writer
from ops.testing.soak import soak_count
from ops.testing.stack import Stack

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
