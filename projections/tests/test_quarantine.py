"""A poisoned event blocks only its own stream, which a retry releases."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from projections_testing.entity_tables import DRIVERS
from projections_testing.fleet import Fleet, assert_tables_hold, fold_of_log, position_of, rows_of
from projections_testing.leases import catch_up
from projections_testing.poison import POISONS, spoil
from psycopg import AsyncConnection
from structlog.testing import capture_logs

from ops.base.database.connection import connect
from ops.testing.postgres import Database
from projections.catalogue import PROJECTIONS
from projections.engine.quarantine import QuarantinedStream, read_quarantined
from projections.engine.retry import retry
from read_model.tables import ENTITY_TABLES


@pytest.fixture
async def shared_connection(module_database: Database) -> AsyncIterator[AsyncConnection]:
    async with await connect(module_database.projections, autocommit=True) as connection:
        yield connection


async def quarantined(connection: AsyncConnection) -> list[QuarantinedStream]:
    return await read_quarantined(connection, DRIVERS)


async def retry_all(connection: AsyncConnection) -> None:
    for table in ENTITY_TABLES:
        for stream in await read_quarantined(connection, table):
            await retry(connection, PROJECTIONS[table.name], stream.originator_id)


@pytest.mark.parametrize("poison", POISONS)
async def test_poisoned_stream_is_quarantined_and_released_after_the_fix(
    fleet: Fleet, connection: AsyncConnection, poison: str
) -> None:
    fleet.register("driver", "EMP-1")
    fleet.change("driver", "EMP-1", city="Pune")
    mend = spoil(fleet.connection, 2, poison)
    fleet.change("driver", "EMP-1", city="Nagpur")
    fleet.register("driver", "EMP-2")
    with capture_logs() as logs:
        await catch_up(connection)
    ((stream,),) = (await quarantined(connection),)
    assert (stream.originator_id, stream.position) == ("driver:EMP-1", 2)
    assert "Ravi" not in str(logs)
    assert [log["log_level"] for log in logs if log["event"] == "projection_stream_quarantined"] == ["error"]
    rows = rows_of(fleet.connection, "drivers")
    assert (rows["EMP-1"][0], rows["EMP-2"][0]) == (1, 1)
    assert position_of(fleet.connection, "drivers") == 4

    assert await retry(connection, PROJECTIONS["drivers"], "driver:EMP-1") == (0, stream)  # since when it was
    mend()
    fleet.change("driver", "EMP-1", city="Hosur")
    await catch_up(connection)
    assert rows_of(fleet.connection, "drivers")["EMP-1"][0] == 1  # still quarantined
    assert await retry(connection, PROJECTIONS["drivers"], "driver:EMP-1") == (3, None)
    assert await quarantined(connection) == []
    assert_tables_hold(fleet, fold_of_log(fleet.connection))
    fleet.change("driver", "EMP-1", city="Mysuru")
    await catch_up(connection)
    assert rows_of(fleet.connection, "drivers")["EMP-1"][1]["city"] == "Mysuru"


async def test_retry_stops_at_a_second_poisoned_event(fleet: Fleet, connection: AsyncConnection) -> None:
    fleet.register("driver", "EMP-1")
    for city in ("Pune", "Nagpur", "Hosur"):
        fleet.change("driver", "EMP-1", city=city)
    mends = [spoil(fleet.connection, position, "another shape") for position in (2, 4)]
    await catch_up(connection)
    mends[0]()
    applied, still = await retry(connection, PROJECTIONS["drivers"], "driver:EMP-1")
    assert still
    assert (applied, still.position) == (2, 4)
    assert rows_of(fleet.connection, "drivers")["EMP-1"][1]["city"] == "Nagpur"
    mends[1]()
    await retry_all(connection)
    assert rows_of(fleet.connection, "drivers")["EMP-1"][1]["city"] == "Hosur"


async def test_retry_ignores_a_stream_that_is_not_quarantined(
    fleet: Fleet, connection: AsyncConnection
) -> None:
    fleet.register("driver", "EMP-1")
    await catch_up(connection)
    assert await retry(connection, PROJECTIONS["drivers"], "driver:EMP-1") == (0, None)


async def test_revisions_describe_a_poisoned_event_without_quarantine(
    fleet: Fleet, connection: AsyncConnection
) -> None:
    fleet.register("driver", "EMP-1")
    for position, poison in enumerate(POISONS, start=2):
        fleet.change("driver", "EMP-1", city=poison)
        spoil(fleet.connection, position, poison)
    await catch_up(connection)
    rows = fleet.connection.execute("SELECT position FROM read.revisions ORDER BY position").fetchall()
    assert [position for (position,) in rows] == list(range(1, fleet.position + 1))
    row = fleet.connection.execute("SELECT array_agg(projection) FROM read.quarantined_streams").fetchone()
    assert row == (["drivers"],)


changes: dict[str, st.SearchStrategy[dict[str, Any]]] = {
    "driver": st.fixed_dictionaries({"city": st.sampled_from(["Pune", "Hosur"])}),
    "horse": st.fixed_dictionaries({"metadata": st.dictionaries(st.text(max_size=2), st.integers())}),
}


@st.composite
def steps(draw: st.DrawFn) -> tuple[str, str, str, dict[str, Any], str | None]:
    entity = draw(st.sampled_from(sorted(changes)))
    action = draw(st.sampled_from(["register", "change", "change", "remove", "project"]))
    poison = draw(st.none() | st.none() | st.sampled_from(sorted(POISONS)))
    return action, entity, draw(st.sampled_from(["A", "B"])), draw(changes[entity]), poison


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(history=st.lists(steps(), max_size=25), max_events=st.integers(1, 6))
async def test_tables_match_the_log_before_and_after_retry(
    shared_fleet: Fleet,
    shared_connection: AsyncConnection,
    history: list[tuple[str, str, str, dict[str, Any], str | None]],
    max_events: int,
) -> None:
    fleet = shared_fleet
    fleet.clear()
    mends = []
    for action, entity, entity_id, details, poison in history:
        before = fleet.position
        if action == "project":
            await catch_up(shared_connection, max_events=max_events)
        else:
            fleet.play(action, entity, entity_id, details)
        if poison and fleet.position > before:
            mends.append(spoil(fleet.connection, fleet.position, poison))
    await catch_up(shared_connection, max_events=max_events)
    assert_tables_hold(fleet, fold_of_log(fleet.connection, up_to_poison=True))
    for mend in mends:
        mend()
    await retry_all(shared_connection)
    assert_tables_hold(fleet, fold_of_log(fleet.connection))
