"""Webhooks deliver every selected event in the order of the log, whatever fails."""

import hmac
import time
from base64 import b64decode, b64encode
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import psycopg
import pytest
from projections_testing.fleet import BEGIN, Fleet, register
from projections_testing.leases import catch_up, eventually
from projections_testing.notifications import (
    ADDRESS,
    DrivenClock,
    Received,
    Receiver,
    Subscriptions,
    advance,
    receiving,
    run_notifier,
)
from projections_testing.processes import RunningWorker
from psycopg import AsyncConnection

from ops.base.encryption.key_cache import KEYS
from ops.base.records.webhook_secrets import webhook_secret
from ops.testing.certificates import self_signed
from ops.testing.postgres import Database
from ops.testing.soak import suite_and_soak
from projections.notify import deliveries
from projections.notify.subscriptions import read_subscriptions
from projections.notify.webhooks.channel import GIVE_UP_AFTER, TEST_TYPE
from read_model.public_events.envelope import COLUMNS, Origin, PublicEvent

pytestmark = pytest.mark.integration

HOUR: Final = timedelta(hours=1)


@dataclass(frozen=True)
class World:
    """A fleet, a receiver and the notifier's world.clock."""

    database: Database
    fleet: Fleet
    connection: AsyncConnection
    receiver: Receiver
    clock: DrivenClock = field(default_factory=DrivenClock)

    @cached_property
    def subscriptions(self) -> Subscriptions:
        """The subscriptions, none yet."""
        return Subscriptions(self.fleet.connection)

    def cursor(self, name: str = "SUB-1") -> dict[str, Any]:
        """Return the progress of a subscription."""
        return self.subscriptions.cursor(name)

    async def subscribe(self, name: str = "SUB-1", path: str = "/hook", **details: Any) -> None:
        """Register a subscription, and wait until it receives every later event."""
        await self.subscriptions.write(name, url=self.receiver.url.replace("/hook", path), **details)
        await eventually(lambda: bool(self.cursor(name)))

    async def subscribe_in_log(self) -> None:
        """Register SUB-1, which selects drivers, as an event of the log."""
        url = self.receiver.url
        self.fleet.register("subscription", "SUB-1", url=url, entity_types=["driver"], event_kinds=[])
        await catch_up(self.connection)

    async def register(self, first: int, last: int) -> None:
        """Register drivers, and project the log."""
        register(self.fleet, first, last)
        await catch_up(self.connection)

    async def until_at(self, position: int, name: str = "SUB-1") -> None:
        """Wait until a subscription has received everything up to a position."""
        await eventually(lambda: self.cursor(name).get("position") == position)

    def worker(self, failpoint: str = "") -> RunningWorker:
        """Return a notifier as a process."""
        environment = {"FLEETLOG_WEBHOOK_NETWORKS": "127.0.0.0/8", "FLEETLOG_PUBLIC_ADDRESS": ADDRESS}
        return RunningWorker(self.database, command="notify", environment=environment, failpoint=failpoint)

    async def until_failed(self, attempts: int) -> None:
        """Wait until SUB-1 has failed a number of times."""
        await eventually(lambda: self.cursor().get("attempts") == attempts)


@pytest.fixture
async def world(
    database: Database,
    fleet: Fleet,
    connection: AsyncConnection,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> AsyncIterator[World]:
    """A world whose receiver's certificate the notifier trusts."""
    certificate = self_signed(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    async with receiving(certificate) as receiver:
        yield World(database, fleet, connection, receiver)


def signatures(received: Received, secret: str) -> bool:
    """Return whether a request has a signature by a secret."""
    content = f"{received.id}.{received.headers['webhook-timestamp']}.".encode() + received.body
    mac = hmac.digest(b64decode(secret.removeprefix("whsec_")), content, "sha256")
    return f"v1,{b64encode(mac).decode()}" in received.headers["webhook-signature"].split(" ")


async def secret_of(database: Database, generation: int = 1) -> str:
    """Return the secret of SUB-1."""
    async with await AsyncConnection.connect(database.notify) as connection:
        one = (await read_subscriptions(connection))["SUB-1"]
    assert one.key
    return webhook_secret(one.key, "SUB-1", generation)


async def test_events_arrive_in_order_as_in_the_feed_from_the_logs_head_on(world: World) -> None:
    await world.register(1, 3)
    async with run_notifier(world.database):
        await world.subscribe("SUB-1")
        for number in range(4, 30):
            world.fleet.register("driver", f"EMP-{number}")
            world.fleet.change("driver", "EMP-1", city=f"Hosur {number}")
        await catch_up(world.connection)
        await world.until_at(world.fleet.position)
    assert world.receiver.positions == list(range(4, world.fleet.position + 1))
    assert len(world.receiver.requests) == world.fleet.position - 3
    secret = await secret_of(world.database)
    assert all(signatures(one, secret) for one in world.receiver.requests)
    with psycopg.connect(world.database.relay) as relay:
        ((log_id,),) = relay.execute("SELECT log_id FROM log.identity").fetchall()
        rows = relay.execute(f"SELECT {COLUMNS} FROM read.revisions WHERE position > 3 ORDER BY position")  # noqa: S608
        expected = [Origin(log_id, ADDRESS).structured(PublicEvent(*row)).encode() for row in rows]
    assert [one.body for one in world.receiver.requests] == expected
    first = world.receiver.requests[0]
    assert (first.path, first.id) == ("/hook", f"{log_id}:4")
    assert first.headers["content-type"] == "application/cloudevents+json"
    logged = world.subscriptions.deliveries("SUB-1")
    assert [one["event_id"] for one in logged] == [f"{log_id}:{n}" for n in world.receiver.positions]
    assert {(one["kind"], one["ok"], one["status"], one["attempt"]) for one in logged} == {
        ("event", True, 204, 1)
    }
    assert "/hook" not in str(logged)


async def test_filters_select_events(world: World) -> None:
    async with run_notifier(world.database):
        await world.subscribe("SUB-1", entity_types=["driver"], event_kinds=["removed"])
        register(world.fleet, 1, 2)
        world.fleet.register("horse", "HRS-1")
        world.fleet.remove("horse", "HRS-1")
        world.fleet.remove("driver", "EMP-2")
        await catch_up(world.connection)
        await world.until_at(world.fleet.position)
        world.fleet.register("horse", "HRS-2")  # the cursor passes events that are not selected
        await catch_up(world.connection)
        await world.until_at(world.fleet.position)
    assert [one.event["type"] for one in world.receiver.requests] == ["fleetlog.driver.removed.v2"]


async def test_a_filter_selects_events_that_set_fields_to_values(world: World) -> None:
    async with run_notifier(world.database):
        await world.subscribe("SUB-1", filter=["status=RUNNING", "status=In Use", "axles=3"])
        for status, axles in (
            ("RUNNING", 3),
            ("RUNNING", 2),
            ("Maintenance", 3),
            ("In Use", 3.0),
            (None, None),
        ):
            world.fleet.register("trailer", f"TRL-{status}-{axles}", status=status, axles=axles)
        world.fleet.change("trailer", "TRL-None-None", status="RUNNING", axles=3)
        world.fleet.change("trailer", "TRL-None-None", status="Maintenance")
        world.fleet.change("trailer", "TRL-None-None", status="RUNNING")
        world.fleet.remove("trailer", "TRL-RUNNING-3")
        await catch_up(world.connection)
        await world.until_at(world.fleet.position)
    assert world.receiver.positions == [1, 4, 6]


@pytest.mark.parametrize("failpoint", ["notify.posted", "notify.posted:4"])
async def test_a_kill_before_the_commit_repeats_the_last_ids_and_loses_none(
    world: World, failpoint: str
) -> None:
    with world.worker():
        await world.subscribe("SUB-1")
    await world.register(1, 8)
    with world.worker(failpoint) as killed:
        await eventually(lambda: not killed.process.is_alive())
    seen = len(world.receiver.requests)
    with world.worker() as worker:
        await world.until_at(world.fleet.position)
        await eventually(worker.is_ready)
    assert world.receiver.positions == list(range(1, 9))
    repeated = len(world.receiver.requests) - 8
    assert 1 <= repeated <= seen
    ids = [(one.id, one.body) for one in world.receiver.requests]
    assert ids[seen : seen + repeated] == ids[seen - repeated : seen]


async def test_a_stop_writes_what_was_delivered_and_repeats_nothing(world: World) -> None:
    with world.worker() as stopped:
        await world.subscribe("SUB-1")
        await world.register(1, 8)
        await eventually(lambda: len(world.receiver.requests) >= 4)
        stopped.process.terminate()
        await eventually(lambda: not stopped.process.is_alive())
    await world.register(9, 9)
    async with run_notifier(world.database):
        await world.until_at(9)
    ids = [one.id for one in world.receiver.requests]
    assert len(ids) - len(set(ids)) <= 1  # a request under way was not answered
    assert world.receiver.positions == list(range(1, 10))


async def test_subscriptions_share_transactions(world: World) -> None:
    async with run_notifier(world.database):
        for number in range(5):
            await world.subscribe(f"SUB-{number}")
        await world.register(1, 20)
        for number in range(5):
            await world.until_at(20, f"SUB-{number}")
    counts = "SELECT count(*), count(DISTINCT xmin::text) FROM notify.deliveries"
    ((rows, transactions),) = world.fleet.connection.execute(counts).fetchall()
    assert (rows, transactions < rows / 2) == (100, True)


@pytest.mark.parametrize("events", suite_and_soak(40, 100_000))
async def test_a_receiver_that_is_down_for_days_receives_everything_later(world: World, events: int) -> None:
    world.fleet.use_for_records(await KEYS.store.issue(50))
    world.receiver.answer = lambda _: 503
    async with run_notifier(world.database, world.clock) as notifier:
        await world.subscribe("SUB-1")
        world.fleet.connection.execute("SET synchronous_commit = off")
        register(world.fleet, 1, 20)
        for number in range(20, events):
            world.fleet.change("driver", f"EMP-{number % 20 + 1}", city=f"Hosur {number}")
        await catch_up(world.connection)
        await world.until_failed(1)
        began = world.clock.now
        while world.clock.now - began < GIVE_UP_AFTER - 2 * HOUR:
            attempts = world.cursor()["attempts"]
            advance(notifier, world.clock, HOUR)
            await world.until_failed(attempts + 1)
        progress = world.cursor()
        assert (progress["position"], progress["given_up_at"], progress["reason"]) == (0, None, "status 503")
        assert {one.id for one in world.receiver.requests} == {world.receiver.requests[0].id}
    world.receiver.answer = lambda _: 200
    world.receiver.requests.clear()
    with world.worker():
        await eventually(lambda: bool(world.receiver.requests))
        started = time.monotonic()
        await eventually(lambda: world.cursor()["position"] == events, seconds=3600)
        print(f"{events / (time.monotonic() - started):.0f} events/s")
    assert world.receiver.positions == list(range(1, events + 1))
    assert len(world.receiver.requests) == events
    assert world.cursor()["failing_since"] is None


async def test_after_four_days_the_subscription_is_given_up_and_resumes_at_its_place(world: World) -> None:
    world.receiver.answer = lambda _: 500
    async with run_notifier(world.database, world.clock) as notifier:
        await world.subscribe_in_log()
        await world.register(1, 3)
        await world.until_failed(1)
        advance(notifier, world.clock, GIVE_UP_AFTER)
        await eventually(lambda: bool(world.cursor().get("given_up_at")))
        assert world.cursor()["attempts"] == 2
        world.receiver.answer = lambda _: 200
        world.receiver.requests.clear()
        advance(notifier, world.clock, GIVE_UP_AFTER)
        await world.subscribe("SUB-2")  # restarts nothing that was given up
        assert world.receiver.requests == []
        await catch_up(world.connection)
        world.subscriptions.request("SUB-1", "resume")
        await eventually(lambda: [one for one in world.receiver.positions if one < 5] == [2, 3, 4])


async def test_giving_up_and_resuming_are_events_that_a_kill_repeats_not(world: World) -> None:
    world.fleet.use_for_records(await KEYS.store.issue(2))
    world.receiver.answer = lambda _: 410
    await world.subscribe_in_log()
    with world.worker("notify.posted") as killed:
        await eventually(lambda: bool(world.cursor()))
        await world.register(1, 1)
        await eventually(lambda: not killed.process.is_alive())
    with world.worker():
        await eventually(lambda: bool(world.cursor().get("given_up_at")))
        await catch_up(world.connection)
        world.receiver.answer = lambda _: 204
        world.subscriptions.request("SUB-1", "resume")
        world.subscriptions.request("SUB-1", "resume")
        await eventually(lambda: world.receiver.positions == [2] and world.cursor()["position"] >= 2)
    await catch_up(world.connection)
    events = world.fleet.connection.execute(
        "SELECT type, version, actor_sub, actor_is_program, public_event ->> 'position' FROM read.revisions"
        " WHERE entity = 'subscription' ORDER BY position OFFSET 1"
    ).fetchall()
    assert events == [
        ("subscription.delivery_given_up", 2, "fleetlog-notify", True, "1"),
        ("subscription.delivery_resumed", 3, "dev|asha", False, "1"),
    ]
    assert world.receiver.positions == [2]


@pytest.mark.parametrize(
    ("answer", "pause"),
    [
        (410, None),
        ((302, {"location": "https://127.0.0.1/elsewhere"}), timedelta(seconds=5)),
        ((429, {"retry-after": "1800"}), timedelta(seconds=1800)),
        ((503, {"Retry-After": "999999"}), HOUR),
    ],
)
async def test_answers_decide_about_the_next_attempt(
    world: World, answer: Any, pause: timedelta | None
) -> None:
    world.receiver.answer = lambda _: answer
    async with run_notifier(world.database, world.clock):
        await world.subscribe_in_log()
        await world.register(1, 1)
        await world.until_failed(1)
    row = world.fleet.connection.execute("SELECT given_up_at, next_attempt_at FROM notify.cursors").fetchone()
    now = world.clock.now
    assert row == ((now, None) if pause is None else (None, now + pause))
    assert len(world.receiver.requests) == 1


async def test_a_receiver_that_never_answers_delays_no_other(world: World) -> None:
    """The other subscription receives everything while a request to the dead receiver is under way."""
    world.receiver.answer = lambda one: None if one.path == "/dead" else 200
    async with run_notifier(world.database):
        dead = [f"DEAD-{number}" for number in range(5)]  # more than the pool's connections
        for name in dead:
            await world.subscribe(name, "/dead")
        await world.subscribe("SUB-1")
        await world.register(1, 1)
        await eventually(lambda: sum(one.path == "/dead" for one in world.receiver.requests) == 5)
        await world.register(2, 30)
        await world.until_at(30)
        assert [world.cursor(name)["attempts"] for name in dead] == [0] * 5
    received = [one for one in world.receiver.requests if one.path == "/hook"]
    assert [int(one.event["sequence"]) for one in received] == [*range(1, 31)]


async def test_both_secrets_sign_for_a_day_after_a_rotation(world: World) -> None:
    world.fleet.use_for_records(await KEYS.store.issue(4))
    chosen = {"url": world.receiver.url, "entity_types": ["driver"], "secret_generation": 3}
    world.fleet.register("subscription", "SUB-1", **chosen)
    world.fleet.change("subscription", "SUB-1", secret_generation=7)
    await catch_up(world.connection)
    new, former = await secret_of(world.database, 7), await secret_of(world.database, 3)
    world.clock.now = BEGIN + 23 * HOUR
    async with run_notifier(world.database, world.clock) as notifier:
        await eventually(lambda: bool(world.cursor()))
        await world.register(1, 1)
        await world.until_at(3)
        advance(notifier, world.clock, 2 * HOUR)
        await world.register(2, 2)
        await world.until_at(4)
    assert world.receiver.positions == [3, 4]
    assert [(signatures(one, new), signatures(one, former)) for one in world.receiver.requests] == [
        (True, True),
        (True, False),
    ]


async def test_paused_erased_and_removed_subscriptions_stop(world: World) -> None:
    names = ("SUB-1", "PAUSED", "ERASED", "REMOVED")
    async with run_notifier(world.database):
        for name in names:
            await world.subscribe(name, f"/{name}")
        await world.subscriptions.write("PAUSED", status="paused")
        key_of = "SELECT key_id FROM read.subscriptions WHERE id = 'ERASED'"
        await KEYS.store.erase(world.fleet.connection.execute(key_of).fetchone() or ())
        KEYS.clear()
        world.subscriptions.remove("REMOVED")
        await world.subscribe("LATER")
        await world.register(1, 1)
        await world.until_at(1)
        await world.until_at(1, "LATER")
        assert {one.path for one in world.receiver.requests} == {"/SUB-1", "/hook"}
        await world.subscriptions.write("PAUSED", status="active")  # it continues at its place
        await world.until_at(1, "PAUSED")
    assert world.receiver.requests[-1].path == "/PAUSED"


async def test_a_busy_leader_delivers_nothing_for_a_subscription_that_may_be_paused(world: World) -> None:
    answered_at = [time.monotonic()]
    with psycopg.connect(world.database.owner) as blocking:

        def answer(_: Received) -> int:
            if len(world.receiver.requests) == 1:
                blocking.execute("LOCK TABLE notify.requests")  # which the leader reads
            time.sleep(0.05)  # the events take longer than the leader may be unaware of a pause
            answered_at.append(time.monotonic())
            return 204

        async with run_notifier(world.database):
            await world.subscribe("SUB-1")
            world.receiver.answer = answer
            await world.register(1, 60)
            await eventually(lambda: len(answered_at) > 1 and time.monotonic() - answered_at[-1] > 1)
            before = len(world.receiver.requests)
            assert before < 60
            await world.subscriptions.write("SUB-1", status="paused")
            blocking.rollback()
            await world.subscribe("LATER", "/later")  # the leader has read the pause
            assert len(world.receiver.requests) == before
            await world.subscriptions.write("SUB-1", status="active")
            await world.until_at(60)
    assert world.receiver.positions == list(range(1, 61))


async def test_users_can_test_send_again_and_replay(world: World) -> None:
    async with run_notifier(world.database):
        await world.subscribe("SUB-1")
        await world.register(1, 4)
        await world.until_at(4)
        left = "SELECT count(*) FROM notify.requests WHERE NOT is_done"
        second = world.subscriptions.deliveries("SUB-1")[1]["number"]
        for kind, values in (("test", {}), ("again", {"delivery": second})):
            world.subscriptions.request("SUB-1", kind, **values)
            await eventually(lambda: world.fleet.connection.execute(left).fetchone() == (0,))
        test, again = world.receiver.requests[-2:]
        assert (test.event["type"], again.event["sequence"][-1]) == (TEST_TYPE, "2")
        assert signatures(test, await secret_of(world.database))
        assert [one["kind"] for one in world.subscriptions.deliveries("SUB-1")[-2:]] == ["test", "again"]
        world.receiver.requests.clear()
        world.subscriptions.request("SUB-1", "replay", after=1)
        await eventually(lambda: len(world.receiver.requests) == 3)
        await world.until_at(4)
    assert world.receiver.positions == [2, 3, 4]


async def test_the_log_of_deliveries_is_bounded(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deliveries, "MOST_ROWS", 10)
    for name in ("SUB-1", "SUB-2"):
        await world.subscriptions.write(name)
    world.fleet.connection.execute(
        "INSERT INTO notify.deliveries (subscription_id, moment, kind, attempt, ok)"
        " SELECT name, now() - age * interval '1 day', 'event', 1, true"
        " FROM generate_series(1, 25), (VALUES ('SUB-1', 0), ('SUB-2', 31), ('GONE', 0)) AS one (name, age)"
    )
    async with await AsyncConnection.connect(world.database.notify, autocommit=True) as notifier:
        await deliveries.prune(notifier)
    left = world.fleet.connection.execute(
        "SELECT subscription_id, count(*) FROM notify.deliveries GROUP BY 1"
    ).fetchall()
    assert left == [("SUB-1", 10)]
