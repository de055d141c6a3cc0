"""What is known from notifications is never more than is so, whatever is lost, repeated, late, or renewed."""

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TypeVar

import pytest
from projections_testing.entity_tables import DRIVERS

from ops.base.http.consistency import LogPosition
from projections.tables import REVISIONS, ReadTable
from projections.tables.projected import Projected
from query_api.freshness.notified import LEASE_SECONDS, Notified, TablePosition, Unchanged

STREAMS = ("driver:1", "driver:2", "horse:1")
LOG = "0" * 32

T = TypeVar("T")

Told = tuple[tuple[str, tuple[str, int, int]], ...]
"""What a read tells of streams: by which log's position each was changed last, and how often renewed."""


@dataclass
class Table:
    """A read table in the database."""

    table: ReadTable
    position: int = 0
    generation: int = 0
    rows: dict[str, tuple[str, int, int]] = field(default_factory=dict)
    history: list[tuple[float, dict[str, tuple[str, int, int]]]] = field(default_factory=list)
    """All that its rows have been, and from when on."""

    def concerns(self, stream: str) -> bool:
        return self.table is REVISIONS or stream.startswith("driver:")


@dataclass
class Read:
    """A read that is under way, or whose answer is kept."""

    table: Table
    stream: str | None
    unchanged: Unchanged
    told: Told | None = None


def told_of(rows: dict[str, tuple[str, int, int]], stream: str | None) -> Told:
    return tuple(sorted((name, row) for name, row in rows.items() if stream in (None, name)))


class World:
    """A log, two read tables, their workers, one listener, and clients who write and read."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.now = 100.0
        self.logs = 0
        self.log: list[str] = []
        self.tables = [Table(each, history=[(self.now, {})]) for each in (DRIVERS, REVISIONS)]
        self.untold: list[str] = []
        self.notified = Notified(clock=lambda: self.now)
        self.looking: Callable[[Iterable[TablePosition]], None] | None = None
        self.seen: list[TablePosition] | None = None
        self.reads: list[Read] = []
        self.kept: list[Read] = []
        self.answered = 0
        self.look()

    @property
    def log_id(self) -> str:
        return f"{self.logs:032x}"

    def one_of(self, *choices: T) -> T:
        return self.random.choice(choices)

    def changed(self, table: Table) -> None:
        table.history.append((self.now, dict(table.rows)))

    # What happens in the database

    def write(self) -> None:
        """A command, which some projections follow, and whose worker may die before it tells."""
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
        named = Projected.of([name], after=before, to=to, streams=events).payload
        payload = self.one_of(*[named] * 6, f"{name}:{before}-{to}", f"{name}:{to}")
        told = self.one_of("now", "now", "later", "never")
        if told == "now" and not self.untold:
            self.notified.notify(payload)
        elif told != "never":
            self.untold.append(payload)

    def renew(self) -> None:
        """A rebuild, or a stream that is healed."""
        table = self.one_of(*self.tables)
        table.generation += 1
        table.rows = {name: (log, at, more + 1) for name, (log, at, more) in table.rows.items()}
        self.changed(table)
        if self.one_of("told", ""):
            self.untold.append(f"{table.table.name}:{table.position}-{table.position}")

    def replace_log(self) -> None:
        """A restored log is accepted, as another one, which may hold less; its server has nothing to tell."""
        self.logs += 1
        self.untold.clear()
        self.log = self.log[: max(0, len(self.log) - self.one_of(0, 1, 2))]
        for table in self.tables:
            if table.position > len(self.log):
                table.position, table.rows = 0, {}
            table.rows = {name: (self.log_id, at, more) for name, (_, at, more) in table.rows.items()}
            self.changed(table)

    # What is heard

    def tell(self) -> None:
        if self.untold:
            payload = self.untold.pop(self.one_of(0, 0, -1))
            becomes = self.one_of("heard", "heard", "heard twice", "lost")
            if becomes != "lost":
                self.notified.notify(payload)
            if becomes == "heard twice":
                self.untold.append(payload)

    def wait(self) -> None:
        self.now += self.one_of(0.01, 0.6, 2.0)
        if self.one_of("look", "look", ""):
            self.look()

    def go_on_looking(self) -> None:
        """Ask, have the database look, or take its answer."""
        if self.looking is None:
            self.looking = self.notified.look()
        elif self.seen is None:
            self.seen = [
                TablePosition(self.log_id, each.table.name, each.position, 1, each.generation)
                for each in self.tables
            ]
        else:
            self.looking(self.seen)
            self.looking = self.seen = None

    def look(self) -> None:
        self.go_on_looking()
        while self.looking is not None:
            self.go_on_looking()

    def hear_again(self) -> None:
        """The connection was lost, and with it what would have been heard."""
        self.notified.forget()
        self.untold.clear()
        self.looking = self.seen = None
        self.write()  # which nobody hears of
        self.untold.clear()
        self.notified.notify("")
        self.look()

    # What clients do

    def begin_read(self) -> None:
        table, stream = self.one_of(*self.tables), self.one_of(None, *STREAMS)
        unchanged = self.notified.watch(table.table, stream)
        if unchanged is not None:
            self.reads.append(Read(table, stream, unchanged))

    def go_on_reading(self) -> None:
        """Have the database read, or keep what it has read."""
        if self.reads:
            read = self.one_of(*self.reads)
            if read.told is None:
                read.told = told_of(read.table.rows, read.stream)
            else:
                self.reads.remove(read)
                if read.unchanged.holds:
                    self.kept.append(read)

    def read(self) -> None:
        self.begin_read()
        for _ in range(6):
            self.go_on_reading()

    def read_what_was_written(self) -> None:
        """Whoever knows of a write reads it from memory only if that has it."""
        table, written = self.one_of(*self.tables), max(0, len(self.log) - self.one_of(0, 1, 2))
        reached = self.notified.reached(table.table.name)
        if reached is None or reached.log_id != self.log_id or written > reached.position:
            self.notified.seen(table.table.name, LogPosition(self.log_id, table.position))
            if table.position < written:
                return  # it waits
        for kept in self.kept:
            if kept.table is table and kept.unchanged.holds:
                self.check_written(kept, written)

    def check_written(self, kept: Read, written: int) -> None:
        assert kept.told is not None
        told = dict(kept.told)
        for position, stream in enumerate(self.log[:written], 1):
            if kept.table.concerns(stream) and kept.stream in (None, stream):
                assert told[stream][0] == self.log_id
                assert told[stream][1] >= position

    def check_age(self) -> None:
        """What is answered was so within the lease."""
        for kept in self.kept:
            if kept.unchanged.holds:
                self.answered += 1
                ends = [began for began, _ in kept.table.history[1:]] + [self.now]
                lately = [
                    told_of(rows, kept.stream)
                    for (_, rows), end in zip(kept.table.history, ends, strict=True)
                    if end >= self.now - LEASE_SECONDS
                ]
                assert kept.told in lately


_STEPS = {
    World.write: 6,
    World.tell: 4,
    World.wait: 4,
    World.go_on_looking: 4,
    World.read: 6,
    World.begin_read: 2,
    World.go_on_reading: 4,
    World.read_what_was_written: 4,
    World.renew: 1,
    World.replace_log: 1,
    World.hear_again: 1,
}


def test_no_answer_from_memory_lacks_what_its_client_wrote_or_is_older_than_the_lease() -> None:
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
    assert answered > 10_000  # or the test would show nothing


@pytest.fixture
def clock() -> list[float]:
    return [100.0]


@pytest.fixture
def notified(clock: list[float]) -> Notified:
    notified = Notified(clock=lambda: clock[0])
    look(notified, 5)
    return notified


def look(notified: Notified, position: int, *, generation: int = 0, log_id: str = LOG) -> None:
    notified.look()(
        TablePosition(log_id, table.name, position, table.version, generation)
        for table in (DRIVERS, REVISIONS)
    )


def watched(notified: Notified, stream: str | None = "driver:1", table: ReadTable = DRIVERS) -> Unchanged:
    unchanged = notified.watch(table, stream)
    assert unchanged is not None
    return unchanged


def holds(unchanged: Unchanged) -> bool:
    return unchanged.holds


def test_what_is_not_named_is_unchanged_and_what_is_has_changed(notified: Notified) -> None:
    one, other, horse, all_of_it, past = (
        watched(notified),
        watched(notified, "driver:2"),
        watched(notified, "horse:1", REVISIONS),
        watched(notified, None),
        watched(notified, "driver:1", REVISIONS),
    )
    notified.notify("drivers:5-6:horse:1")  # as every event is told that it has passed
    assert holds(one)
    assert holds(all_of_it)
    notified.notify("drivers:6-7:driver:1")
    assert [holds(each) for each in (one, other, horse, all_of_it, past)] == [False, True, True, False, True]
    notified.notify("revisions:5-7:driver:1,horse:1")
    assert [holds(each) for each in (other, horse, past)] == [True, False, False]
    assert notified.reached("drivers") == notified.reached("revisions") == LogPosition(LOG, 7)
    assert holds(watched(notified))


@pytest.mark.parametrize(
    "payload",
    [
        "drivers:6-7:driver:2",  # something before it was not told
        "drivers:5-6",  # of any stream
        "drivers:5-5",  # renewed
        "drivers:6",
        "",
        "nonsense",
    ],
)
def test_where_anything_may_have_changed_all_is_forgotten(notified: Notified, payload: str) -> None:
    unchanged = watched(notified)
    notified.notify(payload)
    assert not holds(unchanged)
    assert holds(watched(notified))


@pytest.mark.parametrize(("position", "more"), [(4, {}), (5, {"generation": 1}), (5, {"log_id": "f" * 32})])
def test_a_look_that_finds_something_else_forgets(
    notified: Notified, position: int, more: dict[str, str]
) -> None:
    unchanged = watched(notified)
    look(notified, position, **more)  # type: ignore[arg-type]
    assert not holds(unchanged)
    assert holds(watched(notified))


def test_what_a_look_has_seen_is_waited_for_until_the_next_one(notified: Notified) -> None:
    unchanged = watched(notified)
    look(notified, 6)  # whose notification is on its way
    assert not holds(unchanged)
    assert notified.watch(DRIVERS) is None
    assert notified.reached("drivers") is None
    notified.notify("drivers:5-6:driver:2")
    assert holds(unchanged)
    look(notified, 7)
    look(notified, 7)  # whose notification was lost
    assert not holds(unchanged)
    assert holds(watched(notified))


def test_a_commit_that_is_told_while_a_look_is_under_way_is_no_step_back(notified: Notified) -> None:
    unchanged = watched(notified)
    answered = notified.look()
    notified.notify("drivers:5-6:driver:2")
    answered([TablePosition(LOG, "drivers", 5, DRIVERS.version, 0)])
    assert holds(unchanged)


def test_who_finds_more_elsewhere_than_was_told_has_memory_wait_for_it(notified: Notified) -> None:
    unchanged = watched(notified)
    notified.seen("drivers", LogPosition(LOG, 6))
    assert not holds(unchanged)
    notified.notify("drivers:5-6:driver:2")
    assert holds(unchanged)
    notified.seen("drivers", LogPosition("f" * 32, 6))
    assert not holds(unchanged)
    assert notified.reached("drivers") is None


def test_what_nobody_has_polled_at_lately_is_not_known(notified: Notified, clock: list[float]) -> None:
    unchanged = watched(notified)
    answered = notified.look()
    clock[0] += LEASE_SECONDS
    assert not holds(unchanged)
    assert notified.reached("drivers") is None
    answered([TablePosition(LOG, "drivers", 5, DRIVERS.version, 0)])  # too late to count
    assert not holds(unchanged)
    look(notified, 5)
    assert holds(unchanged)


def test_a_listener_that_is_lost_knows_nothing(notified: Notified) -> None:
    unchanged = watched(notified)
    notified.forget()
    assert not holds(unchanged)
    assert notified.watch(DRIVERS) is None
    look(notified, 5)
    assert not holds(unchanged)


def test_beside_a_replica_nothing_is_known(clock: list[float]) -> None:
    notified = Notified(lease_seconds=0, clock=lambda: clock[0])
    look(notified, 5)
    assert notified.watch(DRIVERS) is None
    assert notified.reached("drivers") is None
