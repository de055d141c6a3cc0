"""A rebuild yields a correct table while readers, writers and the worker continue."""

import asyncio
import json
import os
import signal
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from projections_testing.entity_tables import DRIVERS
from projections_testing.fleet import Fleet, fold_of_log, position_of, rows_of
from projections_testing.leases import at_work, catch_up, eventually, rebuild_equal
from projections_testing.poison import spoil
from projections_testing.processes import run, start
from psycopg import AsyncConnection, sql

from ops.base.database.connection import connect
from ops.testing.postgres import Database
from projections.catalogue import PROJECTIONS
from projections.engine.quarantine import read_quarantined
from projections.engine.states import StateCache
from projections.entity_tables.projection import EntityProjection
from projections.failures import LogGap, NewerVersion
from projections.leadership.locks import try_to_lock
from projections.rebuild.fill import fill
from projections.rebuild.next_table import create
from projections.rebuild.rebuild import Progress, RebuildRunning, rebuild
from read_model.lock_keys import rebuild_key
from read_model.status import read_statuses
from read_model.tables import READ_TABLES, REVISIONS, ReadTable


@pytest.fixture
async def filled_fleet(fleet: Fleet, connection: AsyncConnection) -> Fleet:
    """Drivers and horses with a history, projected into the read tables."""
    for number in range(6):
        fleet.register("driver", f"EMP-{number}")
        fleet.register("horse", f"HRS-{number}", metadata={"note": "tab\there \\ and there\nnew line"})
    for city in ("Pune", "Hosur"):
        for number in range(4):
            fleet.change("driver", f"EMP-{number}", city=city)
    fleet.remove("driver", "EMP-0")
    fleet.remove("driver", "EMP-1")
    fleet.register("driver", "EMP-1", city="Nagpur")
    await catch_up(connection)
    return fleet


def whole(fleet: Fleet, table: str) -> list[tuple[object, ...]]:
    """Return all rows of a table as text."""
    return fleet.connection.execute(
        sql.SQL("SELECT t::text FROM {} AS t ORDER BY 1").format(sql.Identifier("read", table))
    ).fetchall()


def expected_drivers(fleet: Fleet, *, up_to_poison: bool = False) -> dict[str, tuple[int, object]]:
    return {
        entity_id: (state.version, state.record())
        for (entity, entity_id), state in fold_of_log(fleet.connection, up_to_poison=up_to_poison).items()
        if entity == "driver"
    }


def kept(fleet: Fleet, projection: str) -> tuple[object, ...]:
    row = fleet.connection.execute(
        "SELECT position, changed_position, version, generation FROM read.positions WHERE projection = %s",
        (projection,),
    ).fetchone()
    assert row
    return row


def leftovers(fleet: Fleet) -> list[str]:
    rows = fleet.connection.execute(
        "SELECT tablename FROM pg_tables WHERE schemaname = 'read' AND tablename ~ '_(next|old)'"
        " UNION ALL SELECT indexname FROM pg_indexes WHERE schemaname = 'read' AND indexname LIKE '%next%'"
        " UNION ALL SELECT projection FROM read.positions WHERE projection LIKE '%next%'"
        " UNION ALL SELECT projection FROM read.quarantined_streams WHERE projection LIKE '%next%'"
    ).fetchall()
    return [name for (name,) in rows]


async def test_rebuilt_table_is_equal_and_has_a_new_generation(
    filled_fleet: Fleet, database: Database
) -> None:
    fleet = filled_fleet
    for table in READ_TABLES:
        rows, (position, changed, version, generation) = whole(fleet, table.name), kept(fleet, table.name)
        progress: list[Progress] = []
        rebuilt = await rebuild(database.projections, PROJECTIONS[table.name], progress.append)
        assert rebuilt.differences
        assert (rebuilt.events, rebuilt.rows) == (fleet.position, len(rows))
        assert (rebuilt.differences.count, rebuilt.differences.unsettled) == (0, [])
        assert whole(fleet, table.name) == rows
        assert kept(fleet, table.name) == (position, changed, version, int(str(generation)) + 1)
        assert leftovers(fleet) == []
        assert [step.phase for step in progress] == ["filling", "comparing", "swapping"]
        with psycopg.connect(database.query) as reader:
            reader.execute(sql.SQL("SELECT FROM {}").format(table.identifier))


async def test_rebuild_of_revisions_replaces_the_intervals_of_assignments(
    fleet: Fleet, database: Database, connection: AsyncConnection
) -> None:
    for number in range(3):
        fleet.register("assignment", f"ASG-{number}")
    fleet.change("assignment", "ASG-1", ends_at=None)
    fleet.remove("assignment", "ASG-2")
    await catch_up(connection)
    rows = whole(fleet, "assignment_intervals")
    fleet.connection.execute("DELETE FROM read.assignment_intervals WHERE id = 'ASG-1'")
    for _ in range(2):
        await rebuild(database.projections, PROJECTIONS["revisions"])
        assert (whole(fleet, "assignment_intervals"), leftovers(fleet)) == (rows, [])
    fleet.change("assignment", "ASG-0", ends_at=None)
    await catch_up(connection)
    derived = "SELECT t::text FROM read.intervals_of_revisions() AS t ORDER BY 1"
    assert whole(fleet, "assignment_intervals") == fleet.connection.execute(derived).fetchall() != rows


async def test_rebuilt_table_keeps_indexes_and_owner_and_no_statistics_of_personal_data(
    filled_fleet: Fleet, database: Database
) -> None:
    query = (
        "SELECT indexname, indexdef, tableowner FROM pg_indexes JOIN pg_tables USING (schemaname, tablename)"
        " WHERE schemaname = 'read' ORDER BY 1"
    )
    before = filled_fleet.connection.execute(query).fetchall()
    assert {"drivers_pkey", "drivers_restricted"} <= {name for name, *_ in before}
    for _ in range(2):
        for projection in ("revisions", "drivers"):
            await rebuild(database.projections, PROJECTIONS[projection])
        assert filled_fleet.connection.execute(query).fetchall() == before
        filled_fleet.connection.execute("ANALYZE read.drivers, read.drivers_search")
        rows = filled_fleet.connection.execute("SELECT attname FROM pg_stats WHERE tablename LIKE 'drivers%'")
        assert not {name for (name,) in rows} & {"ciphertext", "search_text", "sort_keys", "split_part"}


async def test_differences_are_reported_and_corrected(filled_fleet: Fleet, database: Database) -> None:
    fleet = filled_fleet
    fleet.connection.execute("""UPDATE read.drivers SET record = '{"id": "spoilt"}' WHERE id = 'EMP-2'""")
    fleet.connection.execute("DELETE FROM read.drivers WHERE id = 'EMP-3'")
    checked = await rebuild(database.projections, PROJECTIONS["drivers"], only_compare=True)
    assert checked.differences
    assert (checked.differences.count, checked.differences.examples) == (2, ("EMP-2", "EMP-3"))
    assert rows_of(fleet.connection, "drivers") != expected_drivers(fleet)
    assert leftovers(fleet) == []
    rebuilt = await rebuild(database.projections, PROJECTIONS["drivers"])
    assert rebuilt.differences == checked.differences
    assert rows_of(fleet.connection, "drivers") == expected_drivers(fleet)
    fleet.connection.execute("UPDATE read.revisions SET type = 'spoilt' WHERE position = 3")
    rebuilt = await rebuild(database.projections, PROJECTIONS["revisions"])
    assert rebuilt.differences
    assert rebuilt.differences.examples == ("3",)


async def test_concurrent_rebuilds_of_a_table_are_refused(
    filled_fleet: Fleet, database: Database, connection: AsyncConnection
) -> None:
    assert await try_to_lock(connection, rebuild_key(DRIVERS))
    with pytest.raises(RebuildRunning):
        await rebuild(database.projections, PROJECTIONS["drivers"])
    await rebuild(database.projections, PROJECTIONS["horses"])
    async with asyncio.timeout(60):  # the server lets go of a connection and its lock a moment after us
        while True:
            drivers, horses = await read_statuses(connection, [DRIVERS, PROJECTIONS["horses"].table])
            assert drivers.rebuild_position == 0
            if horses.rebuild_position is None:
                break
            await asyncio.sleep(0.05)


async def test_slow_reader_delays_the_swap_but_no_other_reader(
    filled_fleet: Fleet, database: Database
) -> None:
    with psycopg.connect(database.query) as slow, psycopg.connect(database.query, autocommit=True) as quick:
        slow.execute("SELECT FROM read.drivers")
        rebuilding = asyncio.create_task(rebuild(database.projections, PROJECTIONS["drivers"]))
        for _ in range(100):
            quick.execute("SELECT FROM read.drivers")
            await asyncio.sleep(0.005)
        assert not rebuilding.done()
        slow.rollback()
        await rebuilding
    assert rows_of(filled_fleet.connection, "drivers") == expected_drivers(filled_fleet)


async def test_interrupted_rebuild_leaves_nothing_behind(
    filled_fleet: Fleet, database: Database, tmp_path: Path
) -> None:
    before = whole(filled_fleet, "drivers")
    with psycopg.connect(database.query) as reader:
        reader.execute("SELECT FROM read.drivers")  # the swap waits for it
        rebuilding = start(database, "rebuild", "drivers", output=tmp_path / "output")
        await eventually(lambda: "drivers_next" in leftovers(filled_fleet))
        statuses = json.loads(run(database, "status", "--json").stdout)
        (status,) = (one for one in statuses if one["projection"] == "drivers")
        assert status["rebuild_position"] == filled_fleet.position
        os.kill(rebuilding.pid or 0, signal.SIGINT)
        rebuilding.join()
    assert rebuilding.exitcode == 130
    assert "drivers: interrupted; the table is unchanged" in (tmp_path / "output").read_text()
    assert (whole(filled_fleet, "drivers"), leftovers(filled_fleet)) == (before, [])


async def test_rebuild_whose_transaction_failed_leaves_nothing_behind(
    filled_fleet: Fleet, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(connection: AsyncConnection, *_: object) -> None:
        await connection.execute("BEGIN")
        await connection.execute("SELECT 1 / 0")

    monkeypatch.setattr("projections.rebuild.rebuild.swap", fail)
    before = whole(filled_fleet, "drivers")
    with pytest.raises(psycopg.errors.DivisionByZero):
        await rebuild(database.projections, PROJECTIONS["drivers"])
    assert (whole(filled_fleet, "drivers"), leftovers(filled_fleet)) == (before, [])


@pytest.mark.parametrize("table", [DRIVERS, REVISIONS], ids=lambda table: table.name)
async def test_states_beyond_the_cache_are_loaded_again(
    filled_fleet: Fleet,
    database: Database,
    connection: AsyncConnection,
    table: ReadTable,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("projections.rebuild.fill.FILL_EVENTS", 1)
    monkeypatch.setattr("projections.rebuild.fill.BATCH_EVENTS", 1)
    following = PROJECTIONS[table.name].on_next_table()
    await create(connection, table)
    reached: list[int] = []
    async with await connect(database.projections, autocommit=True) as reader:
        await fill(reader, connection, following, reached.append, StateCache(max_bytes=0))
    assert reached == list(range(1, filled_fleet.position + 1))
    assert whole(filled_fleet, following.table.name) == whole(filled_fleet, table.name)


async def test_rebuild_quarantines_streams_and_keeps_their_start_times(
    filled_fleet: Fleet, database: Database, connection: AsyncConnection
) -> None:
    fleet = filled_fleet
    for number, poison in enumerate(["unreadable state", "no JSON number"], start=2):
        fleet.change("driver", f"EMP-{number}", city="Mysuru")
        spoil(fleet.connection, fleet.position, poison)
        fleet.change("driver", f"EMP-{number}", city="Kochi")
    await catch_up(connection)
    before = await read_quarantined(connection, DRIVERS)
    assert [stream.originator_id for stream in before] == ["driver:EMP-2", "driver:EMP-3"]
    await rebuild_equal(database, "drivers")
    assert await read_quarantined(connection, DRIVERS) == before
    assert rows_of(fleet.connection, "drivers") == expected_drivers(fleet, up_to_poison=True)


async def test_gap_in_the_log_ends_a_rebuild(filled_fleet: Fleet, database: Database) -> None:
    before = whole(filled_fleet, "drivers")
    filled_fleet.connection.execute("DELETE FROM log.events WHERE notification_id = 4")
    with pytest.raises(LogGap, match="position 4"):
        await rebuild(database.projections, PROJECTIONS["drivers"])
    assert whole(filled_fleet, "drivers") == before
    assert leftovers(filled_fleet) == []


async def test_rows_of_an_earlier_version_serve_until_the_rebuild(
    filled_fleet: Fleet, database: Database
) -> None:
    fleet = filled_fleet
    later = EntityProjection(replace(DRIVERS, version=DRIVERS.version + 1))
    async with at_work(database, PROJECTIONS["drivers"]) as (old,):
        await eventually(lambda: old.state.role == "leading")
        fleet.register("driver", "EMP-7")
        async with at_work(database, later) as (new,):
            await eventually(lambda: new.state.role == "leading")
            fleet.register("driver", "EMP-8")
            await eventually(lambda: position_of(fleet.connection, "drivers") == fleet.position)
            await eventually(lambda: old.state.error is not None)
            assert old.state.error == str(NewerVersion(later.table.version, DRIVERS.version))
    assert rows_of(fleet.connection, "drivers") == expected_drivers(fleet)
    assert kept(fleet, "drivers")[2:] == (later.table.version, 1)
    with pytest.raises(NewerVersion):
        await rebuild(database.projections, PROJECTIONS["drivers"])


async def test_table_ahead_of_a_restored_log_is_rebuilt(filled_fleet: Fleet, database: Database) -> None:
    fleet = filled_fleet
    fleet.connection.execute("DELETE FROM log.events WHERE notification_id > 10")
    await rebuild(database.projections, PROJECTIONS["drivers"])
    assert rows_of(fleet.connection, "drivers") == expected_drivers(fleet)
    assert position_of(fleet.connection, "drivers") == 10
