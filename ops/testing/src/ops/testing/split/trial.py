"""Load on the split topology, and the checks after it."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Final

import psycopg

from ops.development.kafka.broker import HOST
from ops.testing.kafka import read_topics
from ops.testing.product.exchanges import PATHS, Actor
from ops.testing.product.fields import ENTITIES
from ops.testing.product.history import OperationHistory
from ops.testing.product.history_check import assert_consistent
from ops.testing.product.load import Load, Readings, load_on, readers_on
from ops.testing.product.read_tables import assert_read_tables_match_log, head_of
from ops.testing.split.stack import SplitStack

_LISTS: Final = [f"{path}?page=0&size=20" for path in PATHS.values()]
_RELAYED_SECONDS: Final = 90.0


@dataclass
class Trial:
    """Writers and readers during a disturbance.

    Attributes:
        recoveries: seconds until the product had recovered, by disturbance.
    """

    load: Load
    readings: Readings
    recoveries: dict[str, float] = field(default_factory=dict)

    @property
    def history(self) -> OperationHistory:
        return self.load.history

    def __str__(self) -> str:
        took = ", ".join(f"{what} {seconds:.1f} s" for what, seconds in self.recoveries.items())
        return (
            f"recovered: {took}; {self.history.acknowledged} commands acknowledged, "
            f"{self.history.unknown} attempts unanswered, slowest {self.history.slowest_seconds:.1f} s; "
            f"{len(self.readings.answers)} reads, failed {dict(self.readings.failed)}, "
            f"slowest {self.readings.slowest_since():.1f} s"
        )


@asynccontextmanager
async def trial_on(stack: SplitStack, actor: Actor, *, attempt_seconds: float = 10.0) -> AsyncIterator[Trial]:
    """Put load on the product, and check at the end that log, read tables and topics are complete and equal.

    Args:
        stack: the running topology.
        actor: the user of all writers and readers.
        attempt_seconds: how long a writer waits for an answer before it retries.

    Raises:
        AssertionError: an event is lost or duplicate, or a read table or a topic differs from the log.
    """
    before = head_of(stack)
    async with (
        readers_on(stack, actor, _LISTS, readers=2, pause=0.02) as readings,
        load_on(stack, actor, writers=4, attempt_seconds=attempt_seconds) as load,
    ):
        trial = Trial(load, readings)
        await load.wait_for(commands=20)
        yield trial
    assert_consistent(load.history, assert_read_tables_match_log(stack), before=before)
    duplicates = await asyncio.to_thread(assert_relayed, stack)
    print(f"\n{trial}; {duplicates} events published twice")


def assert_relayed(stack: SplitStack) -> int:
    """Wait until Kafka holds every event of the log, and return the number of duplicates."""
    with psycopg.connect(stack.owner_dsn) as connection:
        row = connection.execute("SELECT log_id FROM log.identity").fetchone()
        log_id = str(row[0]) if row else ""
    wanted = {f"{log_id}:{position + 1}" for position in range(head_of(stack))}
    address = f"{HOST}:{stack.engine.addresses.port('kafka')}"
    topics = [f"fleetlog.{entity}.events.v2" for entity in ENTITIES]
    found: Counter[str] = Counter()
    for _ in range(int(_RELAYED_SECONDS)):
        records = read_topics(address, *topics)
        found = Counter(dict(record.headers)["ce_id"].decode() for record in records)
        if found.keys() >= wanted:
            break
    assert found.keys() == wanted, f"{len(wanted - found.keys())} events are missing"
    return found.total() - len(found)
