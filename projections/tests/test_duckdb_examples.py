"""The DuckDB examples return correct results for generated events."""

import json
import random
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import pytest
from projections_testing.fleet import DETAILS, METADATA

from command_api.domain.aggregate import Aggregate
from command_api.domain.catalogue import DEFINITIONS
from command_api.domain.events import Event
from command_api.domain.publication import public_payload
from read_model.public_events.envelope import Origin, PublicEvent

EXAMPLES = Path(__file__).parents[1] / "examples" / "duckdb"
ORIGIN = Origin("0123456789abcdef0123456789abcdef", "https://fleet.example")
PEOPLE = ("dev|asha", "dev|rohan")
STATUSES = ("Available", "Maintenance", "In Use", "at Ravi's", "in the yard")
STEPS = 400


@dataclass
class Story:
    """A year of a small fleet, and the answers, counted on the way."""

    events: list[PublicEvent] = field(default_factory=list)
    changes: Counter[tuple[date, str]] = field(default_factory=Counter)
    sizes: dict[tuple[date, str], int] = field(default_factory=dict)
    stays: list[tuple[str, datetime, datetime | None]] = field(default_factory=list)
    _registered: Counter[str] = field(default_factory=Counter)
    _moment: datetime = datetime(2026, 1, 1, tzinfo=UTC)

    def take(self, event: Event, person: str, status: str | None) -> None:
        """Append an event.

        Args:
            event: what happens.
            person: who does it.
            status: a trailer's afterwards.
        """
        self._moment += timedelta(hours=random.uniform(0, 40), microseconds=random.randint(0, 999_999))
        payload = public_payload(event)
        data = json.dumps(payload | {"actor": {"id": person}})
        position = len(self.events) + 1
        row = (position, event.entity, event.entity_id, event.type, self._moment, 2, data)
        self.events.append(PublicEvent(*row))
        day = self._moment.date()
        self.changes[day - timedelta(days=day.weekday()), person] += 1
        self._count(event, day)
        if event.entity == "trailer":
            self._stay(event.entity_id, status)

    def _count(self, event: Event, day: date) -> None:
        step = {"registered": 1, "removed": -1}.get(event.type.partition(".")[2])
        if step is not None:
            self._registered[event.entity] += step
            self.sizes[day, event.entity] = self._registered[event.entity]

    def _stay(self, trailer: str, status: str | None) -> None:
        lasting = next((stay for stay in self.stays if stay[0] == trailer and stay[2] is None), None)
        if lasting is None and status == "Maintenance":
            self.stays.append((trailer, self._moment, None))
        elif lasting is not None and status != "Maintenance":
            self.stays[self.stays.index(lasting)] = (trailer, lasting[1], self._moment)


def invent(seed: int) -> Story:
    random.seed(seed)
    story = Story()
    fleet: dict[tuple[str, str], Aggregate] = {}
    for _ in range(STEPS):
        key = (random.choice(["driver", "trailer", "trailer", "horse"]), f"ID-{random.randint(1, 6)}")
        entity, entity_id = key
        aggregate = fleet.get(key) or Aggregate(DEFINITIONS[entity], entity_id)
        status = {"status": random.choice(STATUSES)} if entity == "trailer" else {}
        event: Event | None
        if aggregate.state is None:
            event = aggregate.register({**DETAILS[entity], **status}, METADATA)
        elif random.random() < 0.15:
            event, status = aggregate.remove(METADATA), {}
        else:
            event = aggregate.change({**status, **_other_change(entity)}, METADATA)
        if event is not None:
            story.take(event, random.choice(PEOPLE), status.get("status"))
            fleet[key] = aggregate.after(event, story.events[-1].moment)
    return story


def _other_change(entity: str) -> dict[str, Any]:
    name = {"driver": "city", "trailer": "axles", "horse": "identifier"}[entity]
    return {name: random.randint(2, 9) if name == "axles" else f"no {random.randint(1, 99)}"}


@pytest.fixture(scope="module")
def story() -> Story:
    return invent(7)


@pytest.fixture
def database(story: Story, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> duckdb.DuckDBPyConnection:
    """With the events as `./fleetlog events export` writes them."""
    monkeypatch.chdir(tmp_path)
    lines = (f"{ORIGIN.structured(event)}\n" for event in story.events)
    Path("events.ndjson").write_text("".join(lines), encoding="utf-8")
    connection = duckdb.connect()
    connection.execute((EXAMPLES / "events.sql").read_text())
    return connection


def answer(database: duckdb.DuckDBPyConnection, question: str) -> list[tuple[Any, ...]]:
    return database.execute((EXAMPLES / f"{question}.sql").read_text()).fetchall()


def test_changes_per_user_and_week(database: duckdb.DuckDBPyConnection, story: Story) -> None:
    expected = [(week, person, count) for (week, person), count in sorted(story.changes.items())]
    assert answer(database, "changes_per_user_and_week") == expected
    assert len(expected) > 50


def test_fleet_size_over_time(database: duckdb.DuckDBPyConnection, story: Story) -> None:
    expected = [(day, entity, size) for (day, entity), size in sorted(story.sizes.items())]
    assert answer(database, "fleet_size_over_time") == expected
    assert {entity for _, entity, _ in expected} == {"driver", "trailer", "horse"}


def test_days_in_maintenance(database: duckdb.DuckDBPyConnection, story: Story) -> None:
    expected = [
        (
            trailer,
            since.replace(tzinfo=None),
            until and until.replace(tzinfo=None),
            until and pytest.approx((until - since).total_seconds() / 86400, abs=0.001),
        )
        for trailer, since, until in sorted(story.stays, key=lambda stay: (stay[1], stay[0]))
    ]
    assert answer(database, "days_in_maintenance") == expected
    assert any(until is None for _, _, until in story.stays)
    assert len(expected) > 20
