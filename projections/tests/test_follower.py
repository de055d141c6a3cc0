"""That a follower keeps up whatever happens to notifications, connections and other workers."""

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack

import psycopg
import pytest
from projections_testing.entity_tables import DRIVERS, HORSES
from projections_testing.fleet import Fleet, insert_event, position_of, rows_of
from projections_testing.following import at_work, catch_up, eventually, follower_of, leader_of
from projections_testing.poison import POISONS, spoil
from psycopg import AsyncConnection
from structlog.testing import capture_logs

from command_api.event_store.records import RecordedEvent
from ops.base.database.pools import connect
from ops.testing.postgres import Database
from projections.applying.retrying import retry
from projections.catalogue import PROJECTIONS
from projections.entity_tables.projection import EntityProjection
from projections.leading.locks import lead_key, try_to_lock
from projections.leading.sessions import end_when_silent
from projections.reading.tail import POLL_SECONDS
from projections.rebuild.rebuilding import rebuild
from projections.worker.follower import Follower

pytestmark = pytest.mark.integration


def drivers_follower(database: Database, *, poll_seconds: float = POLL_SECONDS) -> Follower:
    return follower_of(PROJECTIONS["drivers"], database, poll_seconds=poll_seconds)


async def test_a_notified_event_is_projected_without_waiting_for_the_next_poll(
    fleet: Fleet, database: Database
) -> None:
    follower = drivers_follower(database, poll_seconds=60)
    async with at_work(follower):
        await eventually(lambda: follower.state.ok)
        for number in range(1, 4):
            fleet.register("driver", f"EMP-{number}")
            await eventually(lambda: position_of(fleet.connection, "drivers") == fleet.position)


async def test_an_event_whose_notification_is_lost_waits_a_second_at_most(
    fleet: Fleet, database: Database
) -> None:
    follower = drivers_follower(database)
    async with at_work(follower):
        await eventually(lambda: follower.state.ok)
        insert_event(
            fleet.connection, position=1, stream="horse:1", version=1, topic="horse.registered", state=b"{}"
        )
        await eventually(lambda: position_of(fleet.connection, "drivers") == 1)
    assert POLL_SECONDS <= 1


async def test_every_commit_is_notified_with_projection_positions_and_streams(
    fleet: Fleet, database: Database
) -> None:
    async with await connect(database.query, autocommit=True) as listener:
        await listener.execute("LISTEN fleetlog_projected")
        fleet.register("driver", "EMP-1")
        async with at_work(drivers_follower(database)):
            async for notification in listener.notifies(timeout=60, stop_after=1):
                assert notification.payload == "drivers:0-1:driver:EMP-1"
                break
            else:
                pytest.fail("no notification")


async def test_rows_that_are_renewed_without_a_next_event_are_notified_as_any_row(
    fleet: Fleet, database: Database, connection: AsyncConnection
) -> None:
    fleet.register("driver", "EMP-1")
    mend = spoil(fleet.connection, 1, next(iter(POISONS)))
    await catch_up(connection)
    mend()
    async with await connect(database.query, autocommit=True) as listener:
        await listener.execute("LISTEN fleetlog_projected")
        assert await retry(connection, PROJECTIONS["drivers"], "driver:EMP-1")
        assert [told.payload async for told in listener.notifies(timeout=60, stop_after=1)] == ["drivers:1-1"]
        await rebuild(database.projections, PROJECTIONS["drivers"])
        assert [told.payload async for told in listener.notifies(timeout=60, stop_after=1)] == ["drivers:1-1"]


async def test_an_event_in_flight_is_waited_for(fleet: Fleet, database: Database) -> None:
    follower = drivers_follower(database)
    with psycopg.connect(database.owner) as slow:
        insert_event(slow, position=1, stream="horse:1", version=1, topic="horse.registered", state=b"{}")
        insert_event(
            fleet.connection, position=2, stream="horse:2", version=1, topic="horse.registered", state=b"{}"
        )
        async with at_work(follower):
            await eventually(lambda: follower.state.error is not None)
            assert "position 1" in str(follower.state.error)
            assert position_of(fleet.connection, "drivers") == 0
            slow.commit()
            await eventually(lambda: position_of(fleet.connection, "drivers") == 2)


async def test_a_follower_goes_on_after_its_connection_was_terminated(
    fleet: Fleet, database: Database
) -> None:
    follower = drivers_follower(database)
    async with at_work(follower):
        for number in range(1, 4):
            fleet.register("driver", f"EMP-{number}")
            await eventually(lambda: position_of(fleet.connection, "drivers") == fleet.position)
            fleet.connection.execute(
                "SELECT pg_terminate_backend(%s)", (leader_of(fleet.connection, DRIVERS),)
            )
        await eventually(lambda: follower.state.error is not None)
        await eventually(lambda: follower.state.ok)
    assert len(rows_of(fleet.connection, "drivers")) == 3


async def test_a_spare_takes_over_when_the_leader_is_gone(fleet: Fleet, database: Database) -> None:
    leader, spare = drivers_follower(database), drivers_follower(database)
    async with AsyncExitStack() as spare_works:
        async with at_work(leader):
            await eventually(lambda: leader.state.role == "leading")
            await spare_works.enter_async_context(at_work(spare))
            await eventually(lambda: spare.state.role == "standby")
            fleet.register("driver", "EMP-1")
            await eventually(lambda: position_of(fleet.connection, "drivers") == 1)
            assert spare.state.ok
            assert spare.state.role == "standby"
        fleet.register("driver", "EMP-2")
        await eventually(lambda: position_of(fleet.connection, "drivers") == 2)
        await eventually(lambda: spare.state.role == "leading")


async def test_killing_the_leader_s_connection_over_and_over_loses_and_doubles_nothing(
    fleet: Fleet, database: Database
) -> None:
    async with at_work(drivers_follower(database), drivers_follower(database)):
        for number in range(1, 61):
            fleet.register("driver", f"EMP-{number}")
            fleet.change("driver", f"EMP-{number}", city="Pune")
            if number % 10 == 0:
                await eventually(lambda: leader_of(fleet.connection, DRIVERS) is not None)
                pid = leader_of(fleet.connection, DRIVERS)
                fleet.connection.execute("SELECT pg_terminate_backend(%s)", (pid,))
        await eventually(lambda: position_of(fleet.connection, "drivers") == fleet.position)
    rows = rows_of(fleet.connection, "drivers")
    assert len(rows) == 60
    assert {version for version, _ in rows.values()} == {2}


async def _lock_when_free(connection: AsyncConnection) -> None:
    while not await try_to_lock(connection, lead_key(DRIVERS)):  # noqa: ASYNC110 - the server tells nobody
        await asyncio.sleep(0.05)


async def test_a_leader_that_falls_silent_loses_its_lock(database: Database) -> None:
    async with (
        await connect(database.projections, autocommit=True) as frozen,
        await connect(database.projections, autocommit=True) as spare,
    ):
        assert await try_to_lock(frozen, lead_key(DRIVERS))
        assert not await try_to_lock(spare, lead_key(DRIVERS))
        await end_when_silent(frozen, idle_seconds=1)
        async with asyncio.timeout(60):
            await _lock_when_free(spare)


async def test_a_leader_that_falls_silent_in_the_midst_of_a_statement_loses_its_lock(
    database: Database,
) -> None:
    async with (
        await connect(database.projections, autocommit=True) as frozen,
        await connect(database.projections, autocommit=True) as spare,
    ):
        assert await try_to_lock(frozen, lead_key(DRIVERS))
        await end_when_silent(frozen, idle_seconds=600, transaction_seconds=1)
        # More than the network takes at once: the rest would go out when there is room, but nobody sends it.
        frozen.pgconn.send_query_params(b"SELECT length($1)", [b"x" * 50_000_000])
        async with asyncio.timeout(60):
            await _lock_when_free(spare)
        frozen.pgconn.finish()


async def test_an_unforeseen_error_is_reported_without_what_it_quotes(
    fleet: Fleet, database: Database
) -> None:
    personal = "Ravi Kumar"

    class Broken(EntityProjection):
        async def handle(self, connection: AsyncConnection, batch: Sequence[RecordedEvent]) -> int | None:
            raise KeyError(personal)

    fleet.register("driver", "EMP-1")
    with capture_logs() as logs:
        follower = follower_of(Broken(HORSES), database)
        async with at_work(follower):
            await eventually(lambda: follower.state.error is not None)
    assert follower.state.error == "KeyError"
    assert "projection_stopped" in {entry["event"] for entry in logs}
    assert personal not in str(logs)
