"""The DuckDB examples return correct results."""

import json
from collections.abc import Iterator
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
MONDAY = datetime(2026, 1, 5, tzinfo=UTC)
ASHA, ROHAN = "dev|asha", "dev|rohan"
STORY: tuple[tuple[float, str, str, str, dict[str, Any]], ...] = (
    (0, ASHA, "trailer", "register", {"status": "Available"}),
    (1, ASHA, "trailer", "change", {"status": "Maintenance"}),
    (2, ROHAN, "trailer", "change", {"axles": 3}),
    (3.5, ROHAN, "trailer", "change", {"status": "at Ravi's"}),  # free text, which is not public
    (8, ASHA, "driver", "register", {}),
    (9, ASHA, "trailer", "change", {"status": "Maintenance"}),
    (10, ROHAN, "trailer", "remove", {}),
    (10, ROHAN, "driver", "remove", {}),
    (15, ROHAN, "trailer", "register", {"status": "Maintenance"}),
)
"""Days after the Monday, users, entity types, actions and details."""


def events() -> Iterator[PublicEvent]:
    fleet = {entity: Aggregate(DEFINITIONS[entity], "ID-1") for entity in ("driver", "trailer")}
    for position, (days, person, entity, action, details) in enumerate(STORY, start=1):
        aggregate, moment = fleet[entity], MONDAY + timedelta(days=days)
        event: Event | None
        match action:
            case "register":
                event = aggregate.register(DETAILS[entity] | details, METADATA)
            case "change":
                event = aggregate.change(details, METADATA)
            case _:
                event = aggregate.remove(METADATA)
        assert event
        fleet[entity] = aggregate.after(event, moment)
        data = json.dumps(public_payload(event) | {"actor": {"id": person}})
        yield PublicEvent(position, entity, "ID-1", event.type, moment, 2, data)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        (
            "changes_per_user_and_week",
            [
                (date(2026, 1, 5), ASHA, 2),
                (date(2026, 1, 5), ROHAN, 2),
                (date(2026, 1, 12), ASHA, 2),
                (date(2026, 1, 12), ROHAN, 2),
                (date(2026, 1, 19), ROHAN, 1),
            ],
        ),
        (
            "fleet_size_over_time",
            [
                (date(2026, 1, 5), "trailer", 1),
                (date(2026, 1, 13), "driver", 1),
                (date(2026, 1, 15), "driver", 0),
                (date(2026, 1, 15), "trailer", 0),
                (date(2026, 1, 20), "trailer", 1),
            ],
        ),
        (
            "days_in_maintenance",
            [
                ("ID-1", datetime(2026, 1, 6), datetime(2026, 1, 8, 12), 2.5),  # noqa: DTZ001 - in UTC
                ("ID-1", datetime(2026, 1, 14), datetime(2026, 1, 15), 1.0),  # noqa: DTZ001
                ("ID-1", datetime(2026, 1, 20), None, None),  # noqa: DTZ001
            ],
        ),
    ],
)
def test_example_answers_its_question(
    question: str, expected: list[tuple[Any, ...]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    # As `./fleetlog events export` writes them.
    lines = (f"{ORIGIN.structured(event)}\n" for event in events())
    Path("events.ndjson").write_text("".join(lines), encoding="utf-8")
    database = duckdb.connect()
    database.execute((EXAMPLES / "events.sql").read_text())
    assert database.execute((EXAMPLES / f"{question}.sql").read_text()).fetchall() == expected
