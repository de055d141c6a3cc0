"""Verification compares read tables and access log with the sealed log."""

from pathlib import Path

import psycopg
import pytest
from projections_testing.fleet import Fleet, insert_event, register
from projections_testing.leases import catch_up
from projections_testing.sealed_data import Capture, append, endless_events, look_at, seal, verified
from psycopg import AsyncConnection, IsolationLevel
from psycopg.types.json import Jsonb

from ops.base.database.connection import connect
from ops.testing.postgres import Database
from projections.catalogue import PROJECTIONS
from projections.workers.sealing.rows import all_rows
from projections.workers.verification.read_tables import ReadTablesCheck
from projections.workers.verification.verification import EVERYTHING
from read_model.tables import READ_TABLES

EVENTS = 400


@pytest.fixture(scope="module")
async def whole(module_database: Database, tmp_path_factory: pytest.TempPathFactory) -> tuple[Database, Path]:
    """A log that is sealed and projected, and an access log."""
    folder = tmp_path_factory.mktemp("whole") / "seals"
    append(module_database.command, endless_events(), number=EVENTS)
    look_at(module_database, 20)
    async with await connect(module_database.sealer, autocommit=True) as connection:
        await catch_up(connection)
    await seal(module_database.sealer, folder, every=100, up_to=EVENTS)
    return module_database, folder


async def test_untouched_data_verifies(whole: tuple[Database, Path], capsys: Capture) -> None:
    status, reported = await verified(*whole, capsys, EVERYTHING)
    assert (status, reported) == (
        0,
        (
            f"{EVENTS} of {EVENTS} events match their seals\n"
            "The access log matches its seals up to access 20 of 20\n"
            f"Read tables match the log: revisions up to {EVENTS}, assignments up to {EVENTS},"
            f" drivers up to {EVENTS}, horses up to {EVENTS}, locations up to {EVENTS},"
            f" subscriptions up to {EVENTS}, trailers up to {EVENTS}"
        ),
    )


CHANGES = {
    "bigint": "{} + 65536",
    "text": "coalesce({}, '') || 'x'",
    "timestamp with time zone": "{} + interval '1 us'",
    "json": "'{{}}'::json",
    "bytea": "'x'",
    "boolean": "NOT {}",
}
"""Changes of a column, by its type."""


async def test_changed_added_and_removed_rows_are_counted(
    fleet: Fleet, database: Database, connection: AsyncConnection, tmp_path: Path, capsys: Capture
) -> None:
    append(database.command, endless_events(), number=EVENTS)
    await catch_up(connection)
    await seal(database.sealer, tmp_path, every=EVENTS, up_to=EVENTS)
    execute = fleet.connection.execute
    expected = []
    for table in READ_TABLES:
        key = PROJECTIONS[table.name].key
        keys = [one for (one,) in execute(f"SELECT {key} FROM read.{table.name} ORDER BY 1").fetchall()]  # noqa: S608
        columns = execute(
            "SELECT attname, format_type(atttypid, NULL) FROM pg_attribute"
            " WHERE attrelid = %s::regclass AND attnum > 0 AND attname <> %s",
            [f"read.{table.name}", key],
        ).fetchall()
        for column, kind in columns:
            change = CHANGES[kind].format(column)
            execute(f"UPDATE read.{table.name} SET {column} = {change} WHERE {key} = %s", [keys.pop()])  # noqa: S608
        added = Jsonb({key: 10**9 if key == "position" else "X-1"})
        execute(
            f"INSERT INTO read.{table.name} SELECT (jsonb_populate_record(row, %s)).*"  # noqa: S608
            f" FROM read.{table.name} AS row WHERE {key} = %s",
            [added, keys[0]],
        )
        execute(f"DELETE FROM read.{table.name} WHERE {key} = %s", [keys[1]])  # noqa: S608
        expected.append(f"THE TABLE read.{table.name} DOES NOT MATCH THE LOG: {len(columns) + 2} rows differ")
    status, reported = await verified(database, tmp_path, capsys, EVERYTHING)
    assert status == 1
    for line in expected:
        assert line in reported


async def test_changed_intervals_of_assignments_are_counted(
    fleet: Fleet, database: Database, connection: AsyncConnection, tmp_path: Path, capsys: Capture
) -> None:
    append(database.command, endless_events(), number=EVENTS)
    await catch_up(connection)
    await seal(database.sealer, tmp_path, every=EVENTS, up_to=EVENTS)
    changed = "UPDATE read.assignment_intervals SET version = version + 1 WHERE id = (SELECT min(id) FROM {})"
    assert fleet.connection.execute(changed.format("read.assignment_intervals")).rowcount
    status, reported = await verified(database, tmp_path, capsys, EVERYTHING)
    assert status == 1
    assert "THE TABLE read.revisions DOES NOT MATCH THE LOG: 1 rows differ" in reported


ACCESS_COLUMNS = {
    "access_id": "gen_random_uuid()",
    "moment": "moment + interval '1 us'",
    **dict.fromkeys(("actor_sub", "actor_name", "request_id", "action"), "'x'"),
    "hash": "sha256('x')",
}


@pytest.mark.parametrize(
    ("statements", "said"),
    [
        (["DELETE FROM audit.accesses"], "access 20, which was sealed, is missing"),
        (["DELETE FROM audit.accesses WHERE number > 15"], "access 20, which was sealed, is missing"),
        (["DELETE FROM audit.accesses WHERE number = 7"], "access 8 does not match the hash chain after 6"),
        *(
            (
                [f"UPDATE audit.accesses SET {column} = {value} WHERE number = 7"],  # noqa: S608
                "access 7 does not match the hash chain",
            )
            for column, value in ACCESS_COLUMNS.items()
        ),
        (
            [
                (
                    "UPDATE audit.accesses SET details = replace(details::text, 'EMP-1', 'EMP-2')::json"
                    " WHERE number = 8"
                )
            ],
            "access 8 does not match the hash chain after 7",
        ),
        (
            [
                (
                    "UPDATE audit.accesses SET details ="
                    " json_build_object('views', json_build_array(details -> 'views' -> 1)) WHERE number = 8"
                )
            ],
            "access 8 does not match the hash chain after 7",
        ),
        (
            [
                "DELETE FROM audit.accesses WHERE number > 7",
                "UPDATE audit.accesses SET actor_sub = 'x' WHERE number = 7",
                (
                    "UPDATE audit.accesses AS row SET hash = audit.access_hash("
                    "(SELECT hash FROM audit.accesses WHERE number = 6), row) WHERE number = 7"
                ),
                *["SELECT audit.record_access(gen_random_uuid(), 'x', 'x', 'x', 'x', '{}')"] * 13,
            ],
            "an access was changed, added or removed before access 20 was sealed",
        ),
    ],
    ids=[
        *("all deleted", "the last deleted", "one deleted", *ACCESS_COLUMNS),
        *("a view changed", "a view removed", "chained again"),
    ],
)
async def test_changes_of_the_access_log_are_detected(
    whole: tuple[Database, Path], capsys: Capture, statements: list[str], said: str
) -> None:
    with psycopg.connect(whole[0].owner, autocommit=True) as owner:
        owner.execute("CREATE TABLE kept AS SELECT * FROM audit.accesses")
        for statement in statements:
            owner.execute(statement.encode())
        status, reported = await verified(*whole, capsys, EVERYTHING)
        owner.execute("DELETE FROM audit.accesses")
        owner.execute("INSERT INTO audit.accesses SELECT * FROM kept; DROP TABLE kept")
    assert (status, f"THE ACCESS LOG DOES NOT MATCH ITS SEALS: {said}" in reported) == (1, True), reported


async def test_lagging_table_is_verified_up_to_its_position(
    fleet: Fleet, database: Database, connection: AsyncConnection, tmp_path: Path, capsys: Capture
) -> None:
    register(fleet, 1, 5)
    await catch_up(connection)
    fleet.change("driver", "EMP-1", city="Elsewhere")
    fleet.remove("driver", "EMP-2")
    await seal(database.sealer, tmp_path, every=7, up_to=7)
    status, reported = await verified(database, tmp_path, capsys, EVERYTHING)
    assert (status, "revisions up to 5, assignments up to 5, drivers up to 5" in reported) == (0, True), (
        reported
    )
    fleet.connection.execute("UPDATE read.positions SET position = 3")
    status, reported = await verified(database, tmp_path, capsys, EVERYTHING)
    assert status == 1
    assert "THE TABLE read.revisions DOES NOT MATCH THE LOG: 2 rows differ: 4, 5" in reported
    assert "THE TABLE read.drivers DOES NOT MATCH THE LOG: 2 rows differ: EMP-4, EMP-5" in reported


async def test_quarantined_stream_is_verified_up_to_its_quarantine(
    fleet: Fleet, database: Database, connection: AsyncConnection, tmp_path: Path, capsys: Capture
) -> None:
    fleet.register("driver", "EMP-1")
    for position, stream, version in ((2, "driver:EMP-1", 2), (3, "driver:EMP-2", 1)):
        insert_event(
            fleet.connection,
            position=position,
            stream=stream,
            version=version,
            topic="driver.no-such-event",
            state=b"{}",
        )
    await catch_up(connection)
    await seal(database.sealer, tmp_path, every=3, up_to=3)
    status, reported = await verified(database, tmp_path, capsys, EVERYTHING)
    assert (status, "read.drivers: 2 streams are quarantined" in reported) == (0, True), reported
    fleet.connection.execute("UPDATE read.drivers SET version = 2")
    fleet.connection.execute(
        "INSERT INTO read.drivers SELECT 'EMP-2', version, position, record, list_item FROM read.drivers"
    )
    assert "2 rows differ: EMP-1, EMP-2" in (await verified(database, tmp_path, capsys, EVERYTHING))[1]


@pytest.mark.parametrize("at_once", [1, 4])
@pytest.mark.parametrize("tampered", [False, True])
async def test_dropped_states_are_loaded_again(
    fleet: Fleet,
    database: Database,
    connection: AsyncConnection,
    tampered: bool,  # noqa: FBT001
    at_once: int,
) -> None:
    register(fleet, 1, 3)
    fleet.remove("driver", "EMP-2")
    fleet.register("driver", "EMP-2")
    for city in "ABC":
        fleet.change("driver", "EMP-1", city=city)
    fleet.register("driver", "EMP-4")
    fleet.change("driver", "EMP-4", city="A")
    await catch_up(connection)
    if tampered:
        fleet.connection.execute("""UPDATE read.revisions SET state = '{"id": "EMP-1"}' WHERE position = 6""")
    await connection.set_isolation_level(IsolationLevel.REPEATABLE_READ)
    async with connection.transaction():
        check = await ReadTablesCheck.begin(connection, remembered_bytes=0)
        async for rows in all_rows(connection):
            for first in range(0, len(rows), at_once):
                await check.add(rows[first : first + at_once])
        verdicts = await check.finish()
    await connection.set_isolation_level(None)
    found = {one.table.name: one.examples for one in verdicts if one.differences}
    assert found == ({"revisions": ["6"]} if tampered else {})
