"""`kill -9` under load: nothing acknowledged is lost, nothing is doubled, and soon all is whole again."""

import asyncio
import random
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

import pytest

from ops.testing.product.exchanges import Actor
from ops.testing.product.json_values import canonical
from ops.testing.product.kills import VICTIMS, kill
from ops.testing.product.load import load_on
from ops.testing.product.log_fold import Fold
from ops.testing.product.whole import assert_whole, head_of
from ops.testing.product.writer import Acknowledged, Writer
from ops.testing.stack import Stack

pytestmark = pytest.mark.integration

WRITERS = 8
WHOLE_SECONDS = 30.0
"""Usually 1 to 3; more on a machine that has a lot else to do."""
SOAK_ROUNDS = 20
SETTLED_SECONDS = 21.0
"""What lived shorter when it died is started again with a delay, which is not what is measured here."""


@dataclass(frozen=True)
class Outcome:
    """What came of some kills."""

    seconds: list[float]
    """Until everything was whole again, for each kill."""
    commands: int
    """Acknowledged in all."""
    sent_again: int
    """Of these, how many took more than one attempt."""
    lost_answers: int
    """Of these, how many had been carried out by an attempt whose answer was lost."""


def assert_each_counted_once(fold: Fold, before: int, commands: Sequence[Acknowledged]) -> int:
    """Check that the log has exactly one event for each acknowledged command, and no other new ones.

    Returns:
        How many commands were carried out by an earlier attempt than the one that was answered.
    """
    events = defaultdict(list)
    for revision in fold.revisions[before:]:
        key, _, attempt = revision["request_id"].rpartition(":")
        events[key].append((int(attempt), revision))
    assert events.keys() == {command.key for command in commands}
    lost_answers = 0
    for command in commands:
        ((attempt, event),) = events[command.key]
        assert event["position"] == command.position
        assert command.version in (None, event["version"])
        assert canonical(event["state"]) == canonical(command.record)
        lost_answers += attempt < command.attempts
    return lost_answers


def seconds_lived(stack: Stack, victim: str) -> float:
    """How long the part lives already that the victim is, or belongs to."""
    return time.time() - stack.record().parts[VICTIMS[victim].part].started


async def kill_under_load(
    stack: Stack, actor: Actor, victims: Sequence[str], *, settled_seconds: float = 0
) -> Outcome:
    """Kill one after the other under load, and check that nothing was lost or doubled."""
    before = head_of(stack)
    seconds = []
    async with load_on(stack, actor, writers=WRITERS) as load:
        for victim in victims:
            await load.wait_for(commands=random.randint(50, 100))  # so that it hits at any moment
            while seconds_lived(stack, victim) < settled_seconds:
                await load.wait_for(commands=10)
            seconds.append(round(await kill(stack, victim, load), 1))
        await load.wait_for(commands=50)
    commands = load.acknowledged
    lost_answers = assert_each_counted_once(assert_whole(stack), before, commands)
    assert max(seconds) < WHOLE_SECONDS
    return Outcome(seconds, len(commands), sum(command.attempts > 1 for command in commands), lost_answers)


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
    told_to_stop = asyncio.Event()
    sender = Writer(stack, asha, name=f"lost-{before}", keyed=client_must_ask_again)

    async def register_trailers() -> None:
        while not told_to_stop.is_set():
            await sender.register("trailer")

    async with sender, asyncio.TaskGroup() as group:
        group.create_task(register_trailers())
        await asyncio.to_thread(VICTIMS[victim].kill, stack)
        told_to_stop.set()
    lost_answers = assert_each_counted_once(assert_whole(stack), before, sender.acknowledged)
    assert lost_answers == client_must_ask_again


@pytest.mark.soak
@pytest.mark.timeout(3600)
async def test_many_kills_lose_and_double_nothing(stack: Stack, asha: Actor) -> None:
    recoveries: defaultdict[str, list[float]] = defaultdict(list)
    outcomes = []
    for number in range(1, SOAK_ROUNDS + 1):
        victims = random.sample(list(VICTIMS), len(VICTIMS))
        outcome = await kill_under_load(stack, asha, victims, settled_seconds=SETTLED_SECONDS)
        outcomes.append(outcome)
        for victim, seconds in zip(victims, outcome.seconds, strict=True):
            recoveries[victim].append(seconds)
        print(f"round {number}: {', '.join(victims)}: {outcome}")
    print(f"\n{'killed':<35} {'times':>5}   whole again after (s): min, median, max")
    for victim, took in recoveries.items():
        print(f"{victim:<35} {len(took):>5} {min(took):>26.1f} {median(took):>7.1f} {max(took):>4.1f}")
    print(
        f"{sum(o.commands for o in outcomes)} commands acknowledged, none lost, none doubled;"
        f" {sum(o.sent_again for o in outcomes)} sent again,"
        f" {sum(o.lost_answers for o in outcomes)} of them although they had been carried out"
    )
