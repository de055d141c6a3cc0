"""A lag is told in positions and by the clock of who looks: no event's moment hides one, or makes one up."""

import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import psycopg
import pytest
from projections_testing.fleet import Fleet
from projections_testing.relaying import ADDRESS

from ops.base.database import open_pool
from ops.base.health import Check
from ops.testing.metrics import sample
from ops.testing.postgres import Database
from projections.catalogue import PROJECTIONS
from projections.progress.lag import Lag
from projections.relay.service import RelayService
from projections.relay.settings import KafkaSettings
from projections.worker.process import Worker


class Clock:
    def __init__(self) -> None:
        self.seconds = 100.0

    def __call__(self) -> float:
        return self.seconds


def test_it_tells_since_when_the_oldest_event_that_is_not_handled_is_known() -> None:
    clock = Clock()
    lag = Lag(clock)
    reported = []
    # position, head, at each second
    for position, head in [(0, 0), (0, 2), (0, 5), (1, 5), (2, 5), (4, 6), (5, 6), (6, 6), (6, 7), (7, 7)]:
        reported.append(lag.seconds(position=position, head=head))
        clock.seconds += 1
    assert reported == [0, 0, 1, 2, 2, 3, 1, 0, 0, 0]


def test_who_is_never_quite_there_but_never_far_behind_is_not_told_to_lag_for_ever() -> None:
    clock = Clock()
    lag = Lag(clock)
    for head in range(1, 10_000):
        assert lag.seconds(position=head - 3, head=head) <= 2
        clock.seconds += 1


def test_the_oldest_is_remembered_however_long_it_waits_and_whatever_comes_after_it() -> None:
    clock = Clock()
    lag = Lag(clock)
    for head in range(1, 20_000):
        assert lag.seconds(position=0, head=head) == head - 1
        clock.seconds += 1
    assert len(lag._looks) <= 1_001
    assert lag.seconds(position=19_998, head=19_999) == pytest.approx(1)
    assert lag.seconds(position=19_999, head=19_999) == 0


def test_another_log_begins_anew() -> None:
    clock = Clock()
    lag = Lag(clock)
    lag.seconds(position=0, head=10)
    clock.seconds += 60
    assert lag.seconds(position=0, head=4) == 0


def set_moments(database: Database, years: int) -> None:
    with psycopg.connect(database.owner) as connection:
        connection.execute(
            "UPDATE log.events SET moment = clock_timestamp() + make_interval(years => %s)", [years]
        )


@asynccontextmanager
async def held_up(database: Database) -> AsyncIterator[None]:
    """Keep every projection from advancing."""
    async with await psycopg.AsyncConnection.connect(database.owner) as connection:
        await connection.execute("LOCK TABLE read.positions IN SHARE MODE")
        yield


async def reported(
    readiness: Callable[[], Awaitable[dict[str, Check]]], name: str, wanted: Callable[[dict[str, Any]], bool]
) -> dict[str, Any]:
    deadline = time.monotonic() + 60
    while True:
        detail = (await readiness())[name].detail
        assert isinstance(detail, dict)
        if wanted(detail):
            return detail
        assert time.monotonic() < deadline, detail


@pytest.mark.integration
@pytest.mark.parametrize("years", [-10, 10])
async def test_a_moment_of_another_decade_neither_hides_nor_makes_up_a_projections_lag(
    fleet: Fleet, database: Database, years: int
) -> None:
    worker = Worker([PROJECTIONS["drivers"]], database.projections)
    async with worker.running():
        await reported(worker.readiness, "drivers", lambda detail: detail["role"] == "leading")
        async with held_up(database):
            began = time.monotonic()
            fleet.register("driver", "EMP-1")
            set_moments(database, years)
            lagging = await reported(worker.readiness, "drivers", lambda detail: detail["lag_seconds"] > 0.5)
            assert lagging["lag_seconds"] <= time.monotonic() - began
            assert (lagging["position"], lagging["head"], lagging["lag_events"]) == (0, 1, 1)
            assert sample("fleetlog_projection_lag_seconds", projection="drivers") > 0.5
            assert sample("fleetlog_projection_lag_events", projection="drivers") == 1
        caught_up = await reported(worker.readiness, "drivers", lambda detail: detail["lag_events"] == 0)
        assert (caught_up["position"], caught_up["lag_seconds"]) == (1, 0)


@pytest.mark.integration
@pytest.mark.parametrize("years", [-10, 10])
async def test_nor_the_relays(fleet: Fleet, database: Database, years: int) -> None:
    service = RelayService(database.relay, KafkaSettings(servers="127.0.0.1:1"), ADDRESS)
    async with open_pool(database.relay, size=1) as service._pool:  # it looks, and relays nothing
        began = time.monotonic()
        fleet.register("driver", "EMP-1")
        set_moments(database, years)
        lagging = await reported(service.readiness, "relay", lambda detail: detail["lag_seconds"] > 0.5)
        assert lagging["lag_seconds"] <= time.monotonic() - began
        assert (lagging["position"], lagging["head"], lagging["lag_events"]) == (0, 1, 1)
