"""A log that was written in the clear becomes a sealed one, and tells what it told."""

import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import psycopg
import pytest
from projections_testing.fleet import METADATA, Fleet
from projections_testing.poison import POISONS, spoil
from projections_testing.sealed_data import KEY, begin_sealing, look_at, seal
from projections_testing.sealing_fleet import local_keys
from psycopg.rows import args_row

from command_api.event_store.mapper import MAPPER
from command_api.event_store.records import RecordedEvent
from ops.base.connection import connect
from ops.base.saved_views import KEPT_COLUMNS, KeptView, box_of_view
from ops.base.sealing.ring import KEYS
from ops.base.sealing.states import SEALED
from ops.base.sealing.stores import KeyStore
from ops.tamper_evidence.merkle_tree import root_of
from ops.tamper_evidence.sealed_log import SealedLog
from ops.testing.postgres import Database, PostgresServer
from projections.commands.verify import Wanted, verify
from projections.failures import ProjectionStopped
from projections.sealed_copy import copying
from projections.sealing.rows import rows_between

pytestmark = pytest.mark.integration

_EVENTS: Final = """
SELECT originator_id, originator_version, topic, state, notification_id, moment
FROM log.events ORDER BY notification_id
"""
_NAMED: Final = "SELECT count(*) FROM audit.accesses WHERE actor_name <> ''"
_PLACES: Final = """
SELECT notification_id, originator_id, originator_version, topic, moment, command_id
FROM log.events ORDER BY notification_id
"""


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[KeyStore]:
    folder = tmp_path / "keys"
    folder.mkdir()
    async with local_keys(folder) as store:
        yield store


@dataclass(frozen=True)
class Work:
    """A log and another database, which becomes its copy."""

    source: Database
    target: Database
    seals: SealedLog

    async def copy(self) -> list[str]:
        """Copy the log, and return what was said meanwhile."""
        said: list[str] = []
        await copying.copy_sealed(self.target.owner, self.seals, KEY, [], said.append)
        return said

    async def seal(self, up_to: int) -> None:
        """Seal the log as it is."""
        await begin_sealing(self.source.sealer, self.seals.folder)
        await seal(self.source.sealer, self.seals.folder, every=2, up_to=up_to)


@pytest.fixture
def work(
    postgres: PostgresServer, database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Work]:
    monkeypatch.setenv("FLEETLOG_DATABASE_IN_THE_CLEAR", database.owner)
    target = postgres.create_database()
    yield Work(database, target, SealedLog(tmp_path / "seals"))
    postgres.drop_database(target)


async def events_of(database: Database) -> list[RecordedEvent]:
    """Return the events of a log, with their keys."""
    with psycopg.connect(database.owner) as connection:
        events = connection.cursor(row_factory=args_row(RecordedEvent)).execute(_EVENTS).fetchall()
    await KEYS.give(events)
    return events


def everything_in(database: Database) -> str:
    """Return all of a log, its access log and its directory as text."""
    with psycopg.connect(database.owner) as connection:
        tables = ("log.events", "log.actors", "log.outcomes", "audit.accesses", "preferences.views")
        rows = [connection.execute(f"SELECT * FROM {table}").fetchall() for table in tables]  # noqa: S608
    return json.dumps(
        rows, default=lambda value: bytes(value).decode("latin-1") if isinstance(value, bytes) else str(value)
    )


def save_view(database: Database, name: str) -> None:
    """Have somebody save a view of a list, in the clear."""
    view_id = uuid4()
    row = ("dev|asha", view_id, "drivers", datetime.now(UTC), None)
    with psycopg.connect(database.owner) as connection:
        connection.execute(
            f"INSERT INTO preferences.views ({KEPT_COLUMNS}) VALUES (%s, %s, %s, %s, %s, %s)",  # noqa: S608
            (*row, box_of_view(None, "dev|asha", view_id, name, "")),
        )


async def views_of(database: Database) -> list[str]:
    """Return what the views are called that people have saved."""
    with psycopg.connect(database.owner) as connection:
        rows = connection.execute(f"SELECT {KEPT_COLUMNS} FROM preferences.views").fetchall()  # noqa: S608
    views = [KeptView._make(row) for row in rows]
    await KEYS.load(filter(None, (view.key_id for view in views)))
    return [said.name for view in views if (said := view.opened()) is not None]


def told(event: RecordedEvent) -> dict[str, Any]:
    """Return what an event tells, but for what its actor is called."""
    said: dict[str, Any] = MAPPER.to_domain_event(event).model_dump()
    return {**said, "metadata": {**said["metadata"], "actor": said["metadata"]["actor"]["sub"]}}


async def test_a_sealed_copy_tells_what_the_log_told_and_its_seals_name_both_roots(
    fleet: Fleet, work: Work, store: KeyStore, capsys: pytest.CaptureFixture[str]
) -> None:
    fleet.register("driver", "EMP-1")
    fleet.change("driver", "EMP-1", city="Mysuru")
    fleet.register("trailer", "T-1")
    fleet.remove("driver", "EMP-1")
    fleet.register("driver", "EMP-1", city="Hubli")
    fleet.register("location", "L-1")
    for number, poison in enumerate(POISONS):
        fleet.register("horse", f"H-{number}")
        spoil(fleet.connection, fleet.position, poison)
    look_at(work.source, 4)
    save_view(work.source, "Where Zubeida is")
    await work.seal(fleet.position - fleet.position % 2)
    fleet.change("driver", "EMP-1", city="Bidar")  # is not sealed
    before = await events_of(work.source)

    said = await work.copy()

    assert said[-1].startswith(f"compared {len(before)} of {len(before)} events")
    after = await events_of(work.target)
    with psycopg.connect(work.source.owner) as one, psycopg.connect(work.target.owner) as other:
        assert one.execute(_PLACES).fetchall() == other.execute(_PLACES).fetchall()
        assert one.execute(_NAMED).fetchone() == (4,)
        assert other.execute(_NAMED).fetchone() == (0,)
    assert all(event.state.startswith(SEALED) for event in after)
    readable = [number for number, event in enumerate(before) if event.entity != "horse"]
    assert [told(after[number]) for number in readable] == [told(before[number]) for number in readable]
    kept = everything_in(work.target)
    for text in (
        "Ravi Kumar",
        "M1234567",
        "Mysuru",
        METADATA.actor.name,
        "as told on the telephone",
        "Zubeida",
    ):
        assert text in everything_in(work.source)
        assert text not in kept

    assert await views_of(work.target) == ["Where Zubeida is"]

    capsys.readouterr()
    assert await verify(work.target.sealer, work.seals, KEY, Wanted(log_only=True)) == 0, capsys.readouterr()
    async with await connect(work.source.owner) as connection:
        former = [
            row.hash() async for rows in rows_between(connection, after=0, up_to=len(before)) for row in rows
        ]
    latest = work.seals.latest(KEY.verifying_key)
    assert latest is not None
    assert latest.size == len(before)
    told_roots = [(one.known, one.root) for one in latest.beginnings]
    assert (len(before), root_of(former)) in told_roots


async def test_of_who_was_forgotten_nothing_is_kept_that_can_be_opened(
    fleet: Fleet, work: Work, store: KeyStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One has had a key by then, another never; who came back has one of their own."""
    sealing_from_now = iter(await store.issue(3))
    fleet.register("driver", "EMP-1", name="Nobody Now")
    fleet.register("driver", "EMP-2", name="Nobody Ever")
    fleet.register("driver", "EMP-3", name="Somebody")
    fleet.restrict("driver", "EMP-2")
    fleet.erase("driver", "EMP-2")
    fleet.register("driver", "EMP-2", name="Somebody New")
    monkeypatch.setattr(fleet, "_unused", sealing_from_now)
    fleet.change("driver", "EMP-3", city="Sealed Already")
    fleet.restrict("driver", "EMP-1")
    fleet.erase("driver", "EMP-1")
    await store.erase([fleet.key_ids["driver:EMP-1"]])
    KEYS.forget()
    before = await events_of(work.source)

    await work.copy()

    KEYS.forget()
    after = await events_of(work.target)
    sealed_before = [event for event in before if event.state.startswith(SEALED)]
    assert sealed_before
    assert [after[event.position - 1].state for event in sealed_before] == [
        one.state for one in sealed_before
    ]
    last_of_emp_2 = next(event.position for event in before if event.topic == "driver.erased")
    for event in after:
        is_forgotten = event.entity_id == "EMP-1" or (
            event.entity_id == "EMP-2" and event.position <= last_of_emp_2
        )
        assert (event.key is None) == is_forgotten, event.position
    assert {"Somebody", "Somebody New"} <= {
        str(getattr(MAPPER.to_domain_event(event), "details", {}).get("name")) for event in after
    }
    keys = {event.key_id for event in after if event.entity_id == "EMP-3"}
    assert len(keys) == 1
    assert "Nobody" not in everything_in(work.target)
    assert set(await store.fetch({str(event.key_id) for event in after})) == {e.key_id for e in after}


async def test_a_log_that_is_not_what_was_sealed_is_not_copied(
    fleet: Fleet, work: Work, store: KeyStore
) -> None:
    for number in range(4):
        fleet.register("driver", f"EMP-{number}")
    await work.seal(4)
    fleet.connection.execute("UPDATE log.events SET topic = 'driver.removed' WHERE notification_id = 2")

    with pytest.raises(ProjectionStopped, match="not what was sealed"):
        await work.copy()
    with pytest.raises(ProjectionStopped, match="in the other database already"):
        await work.copy()
