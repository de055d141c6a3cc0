"""Notifications never claim too much, even if some are lost, repeated, late, or follow a rebuild."""

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TypeVar

import pytest
from projections_testing.entity_tables import DRIVERS

from ops.base.http.consistency import LogPosition
from query_api.freshness.notifications import LEASE_SECONDS, ChangeWatch, Notifications, PolledPosition
from read_model.tables import REVISIONS, ReadTable
from read_model.tables.notification import ProjectionNotification

STREAMS = ("driver:1", "driver:2", "horse:1")
LOG = "0" * 32

T = TypeVar("T")

Snapshot = tuple[tuple[str, tuple[str, int, int]], ...]
"""The rows of a read: each stream's log, last changed position, and number of rebuilds."""


@dataclass
class Table:
    """A read table in the database."""

    table: ReadTable
    position: int = 0
    generation: int = 0
    rows: dict[str, tuple[str, int, int]] = field(default_factory=dict)
    history: list[tuple[float, dict[str, tuple[str, int, int]]]] = field(default_factory=list)
    """All states of the rows, with their times."""

    def concerns(self, stream: str) -> bool:
        return self.table is REVISIONS or stream.startswith("driver:")


@dataclass
class Read:
    """A running read, or a cached answer."""

    table: Table
    stream: str | None
    unchanged: ChangeWatch
    snapshot: Snapshot | None = None


def snapshot_of(rows: dict[str, tuple[str, int, int]], stream: str | None) -> Snapshot:
    return tuple(sorted((name, row) for name, row in rows.items() if stream in (None, name)))


class World:
    """A log, two read tables, their workers, one listener, and clients."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.now = 100.0
        self.logs = 0
        self.log: list[str] = []
        self.tables = [Table(each, history=[(self.now, {})]) for each in (DRIVERS, REVISIONS)]
        self.pending: list[str] = []
        self.notified = Notifications(clock=lambda: self.now)
        self.polling: Callable[[Iterable[PolledPosition]], None] | None = None
        self.poll_result: list[PolledPosition] | None = None
        self.reads: list[Read] = []
        self.kept: list[Read] = []
        self.answered = 0
        self.poll()

    @property
    def log_id(self) -> str:
        return f"{self.logs:032x}"

    def one_of(self, *choices: T) -> T:
        return self.random.choice(choices)

    def changed(self, table: Table) -> None:
        table.history.append((self.now, dict(table.rows)))

    # Events in the database

    def write(self) -> None:
        """Append events; some projections follow, whose worker may die before its notification."""
        self.log += self.random.choices(STREAMS, k=self.one_of(1, 1, 2))
        for table in self.one_of(self.tables, self.tables, self.tables[:1], self.tables[1:]):
            self.project(table)

    def project(self, table: Table) -> None:
        before, table.position = table.position, len(self.log)
        events = self.log[before:]
        for position, stream in enumerate(events, before + 1):
            if table.concerns(stream):
                table.rows[stream] = (self.log_id, position, 0)
        self.changed(table)
        name, to = table.table.name, table.position
        named = ProjectionNotification.create([name], after=before, to=to, streams=events).payload
        payload = self.one_of(*[named] * 6, f"{name}:{before}-{to}", f"{name}:{to}")
        delivery = self.one_of("now", "now", "later", "never")
        if delivery == "now" and not self.pending:
            self.notified.notify(payload)
        elif delivery != "never":
            self.pending.append(payload)

    def renew(self) -> None:
        """Rebuild a table."""
        table = self.one_of(*self.tables)
        table.generation += 1
        table.rows = {name: (log, at, more + 1) for name, (log, at, more) in table.rows.items()}
        self.changed(table)
        if self.one_of("notified", ""):
            self.pending.append(f"{table.table.name}:{table.position}-{table.position}")

    def replace_log(self) -> None:
        """Accept a restored log, which may be shorter; its server sends no notifications."""
        self.logs += 1
        self.pending.clear()
        self.log = self.log[: max(0, len(self.log) - self.one_of(0, 1, 2))]
        for table in self.tables:
            if table.position > len(self.log):
                table.position, table.rows = 0, {}
            table.rows = {name: (self.log_id, at, more) for name, (_, at, more) in table.rows.items()}
            self.changed(table)

    # Notifications and polls

    def deliver(self) -> None:
        if self.pending:
            payload = self.pending.pop(self.one_of(0, 0, -1))
            becomes = self.one_of("heard", "heard", "heard twice", "lost")
            if becomes != "lost":
                self.notified.notify(payload)
            if becomes == "heard twice":
                self.pending.append(payload)

    def wait(self) -> None:
        self.now += self.one_of(0.01, 0.6, 2.0)
        if self.one_of("poll", "poll", ""):
            self.poll()

    def continue_poll(self) -> None:
        """Send a poll, run it in the database, or take its result."""
        if self.polling is None:
            self.polling = self.notified.begin_poll()
        elif self.poll_result is None:
            self.poll_result = [
                PolledPosition(self.log_id, each.table.name, each.position, 1, each.generation)
                for each in self.tables
            ]
        else:
            self.polling(self.poll_result)
            self.polling = self.poll_result = None

    def poll(self) -> None:
        self.continue_poll()
        while self.polling is not None:
            self.continue_poll()

    def reconnect(self) -> None:
        """Reconnect after the connection and its notifications were lost."""
        self.notified.discard()
        self.pending.clear()
        self.polling = self.poll_result = None
        self.write()  # without a notification
        self.pending.clear()
        self.notified.notify("")
        self.poll()

    # Clients

    def begin_read(self) -> None:
        table, stream = self.one_of(*self.tables), self.one_of(None, *STREAMS)
        unchanged = self.notified.watch(table.table, stream)
        if unchanged is not None:
            self.reads.append(Read(table, stream, unchanged))

    def continue_read(self) -> None:
        """Run a read in the database, or cache its result."""
        if self.reads:
            read = self.one_of(*self.reads)
            if read.snapshot is None:
                read.snapshot = snapshot_of(read.table.rows, read.stream)
            else:
                self.reads.remove(read)
                if read.unchanged.is_current:
                    self.kept.append(read)

    def read(self) -> None:
        self.begin_read()
        for _ in range(6):
            self.continue_read()

    def read_what_was_written(self) -> None:
        """A client that has written reads from memory only if the write is there."""
        table, written = self.one_of(*self.tables), max(0, len(self.log) - self.one_of(0, 1, 2))
        reached = self.notified.reached(table.table.name)
        if reached is None or reached.log_id != self.log_id or written > reached.position:
            self.notified.observe(table.table.name, LogPosition(self.log_id, table.position))
            if table.position < written:
                return  # the query waits
        for kept in self.kept:
            if kept.table is table and kept.unchanged.is_current:
                self.check_written(kept, written)

    def check_written(self, kept: Read, written: int) -> None:
        assert kept.snapshot is not None
        rows = dict(kept.snapshot)
        for position, stream in enumerate(self.log[:written], 1):
            if kept.table.concerns(stream) and kept.stream in (None, stream):
                assert rows[stream][0] == self.log_id
                assert rows[stream][1] >= position

    def check_age(self) -> None:
        """Check that cached answers were current within the lease."""
        for kept in self.kept:
            if kept.unchanged.is_current:
                self.answered += 1
                ends = [began for began, _ in kept.table.history[1:]] + [self.now]
                lately = [
                    snapshot_of(rows, kept.stream)
                    for (_, rows), end in zip(kept.table.history, ends, strict=True)
                    if end >= self.now - LEASE_SECONDS
                ]
                assert kept.snapshot in lately


_STEPS = {
    World.write: 6,
    World.deliver: 4,
    World.wait: 4,
    World.continue_poll: 4,
    World.read: 6,
    World.begin_read: 2,
    World.continue_read: 4,
    World.read_what_was_written: 4,
    World.renew: 1,
    World.replace_log: 1,
    World.reconnect: 1,
}


def test_answer_from_memory_has_own_writes_and_is_within_the_lease() -> None:
    answered = 0
    for seed in range(400):
        world = World(seed)
        steps = world.random.choices(list(_STEPS), list(_STEPS.values()), k=60)
        for number, step in enumerate(steps, 1):
            try:
                step(world)
                world.check_age()
            except AssertionError as error:
                error.add_note(f"seed {seed}: {', '.join(each.__name__ for each in steps[:number])}")
                raise
        answered += world.answered
    assert answered > 10_000  # otherwise the test is vacuous


@pytest.fixture
def notified() -> Notifications:
    notified = Notifications(clock=lambda: 100.0)
    poll(notified, 5)
    return notified


def poll(notified: Notifications, position: int, *, generation: int = 0, log_id: str = LOG) -> None:
    notified.begin_poll()(
        PolledPosition(log_id, table.name, position, table.version, generation)
        for table in (DRIVERS, REVISIONS)
    )


def watched(
    notified: Notifications, stream: str | None = "driver:1", table: ReadTable = DRIVERS
) -> ChangeWatch:
    unchanged = notified.watch(table, stream)
    assert unchanged is not None
    return unchanged


def holds(unchanged: ChangeWatch) -> bool:
    return unchanged.is_current


def test_notification_invalidates_only_the_named_streams(notified: Notifications) -> None:
    one, other, horse, all_of_it, past = (
        watched(notified),
        watched(notified, "driver:2"),
        watched(notified, "horse:1", REVISIONS),
        watched(notified, None),
        watched(notified, "driver:1", REVISIONS),
    )
    notified.notify("drivers:5-6:horse:1")  # an event of another table
    assert holds(one)
    assert holds(all_of_it)
    notified.notify("drivers:6-7:driver:1")
    assert [holds(each) for each in (one, other, horse, all_of_it, past)] == [False, True, True, False, True]
    notified.notify("revisions:5-7:driver:1,horse:1")
    assert [holds(each) for each in (other, horse, past)] == [True, False, False]
    assert notified.reached("drivers") == notified.reached("revisions") == LogPosition(LOG, 7)
    assert holds(watched(notified))


def test_notification_of_a_polled_position_is_awaited_until_the_next_poll(notified: Notifications) -> None:
    unchanged = watched(notified)
    poll(notified, 6)  # its notification has not arrived yet
    assert not holds(unchanged)
    assert notified.watch(DRIVERS) is None
    assert notified.reached("drivers") is None
    notified.notify("drivers:5-6:driver:2")
    assert holds(unchanged)
    poll(notified, 7)
    poll(notified, 7)  # its notification was lost
    assert not holds(unchanged)
    assert holds(watched(notified))


def test_notification_during_a_poll_is_not_a_step_back(notified: Notifications) -> None:
    unchanged = watched(notified)
    answered = notified.begin_poll()
    notified.notify("drivers:5-6:driver:2")
    answered([PolledPosition(LOG, "drivers", 5, DRIVERS.version, 0)])
    assert holds(unchanged)
