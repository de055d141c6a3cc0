"""The log as persistence of the `eventsourcing` library: its conformance suite, and applications."""

import asyncio
import time
import uuid
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path

import psycopg
import pytest
from command_api_testing.applications import environment_of
from command_api_testing.contexts import METADATA, command
from eventsourcing.application import AggregateNotFoundError, Application
from eventsourcing.persistence import (
    InfrastructureFactoryError,
    IntegrityError,
    Notification,
    OperationalError,
    ProcessRecorder,
    TrackingRecorder,
)
from eventsourcing.postgres import (
    PostgresAggregateRecorder,
    PostgresProcessRecorder,
    PostgresTrackingRecorder,
)
from eventsourcing.tests.persistence import (
    ApplicationRecorderTestCase,
    InfrastructureFactoryTestCase,
    NonInterleavingNotificationIDsBaseCase,
    ProcessRecorderTestCase,
    TrackingRecorderTestCase,
)
from eventsourcing.utils import Environment

from command_api.commands.handler import CommandHandler
from command_api.domain.aggregate import project
from command_api.domain.catalogue import DEFINITIONS
from command_api.domain.events import DetailsChanged, Registered, Removed
from command_api.event_store.log import EventLog
from command_api.event_store.records import RecordedEvent
from command_api.persistence import FleetlogFactory, FleetlogRecorder
from ops.base.database.connection import connect
from ops.base.encryption.key_cache import KEYS
from ops.testing.key_stores import OwnKeyStore
from ops.testing.postgres import Database

HORSE = DEFINITIONS["horse"]


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OwnKeyStore:
    """The key store of product and application."""
    monkeypatch.setenv("FLEETLOG_KEYS", str(tmp_path / "keys"))
    return OwnKeyStore.in_folder(tmp_path / "keys")


@pytest.fixture
async def product(database: Database, store: OwnKeyStore) -> AsyncIterator[CommandHandler]:
    async with KEYS.use(), EventLog.open(database.command, pool_size=2) as log:
        yield CommandHandler(log, shared=["all"])


@pytest.fixture
def application(database: Database, store: OwnKeyStore) -> Iterator[Application[str]]:
    with Application[str](environment_of(database.command, schema="")) as application:
        yield application


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 100
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


async def two_lives(product: CommandHandler) -> None:
    details = {**HORSE.blank_details(), "identifier": "7"}
    await product.register(HORSE, "H1", details, command())
    await product.change(HORSE, "H1", {**details, "identifier": "8"}, command())
    await product.remove(HORSE, "H1", command())
    await product.register(HORSE, "H1", {**details, "identifier": "9"}, command())


async def test_repository_returns_every_version(
    product: CommandHandler, application: Application[str]
) -> None:
    await two_lives(product)
    then = [
        application.repository.get("horse:H1", version=version, projector_func=project)
        for version in (1, 2, 3, 4)
    ]
    assert [(one.version, one.state and one.state.details["identifier"]) for one in then] == [
        *((1, "7"), (2, "8"), (3, None), (4, "9"))
    ]
    now = application.repository.get("horse:H1", projector_func=project)
    assert now == then[-1]
    with pytest.raises(AggregateNotFoundError):
        application.repository.get("horse:H2", projector_func=project)


async def test_notification_log_has_events_in_order_with_moments(
    product: CommandHandler, application: Application[str]
) -> None:
    await two_lives(product)
    events = [application.mapper.to_domain_event(one) for one in application.notification_log["1,10"].items]
    assert [type(event) for event in events] == [Registered, DetailsChanged, Removed, Registered]
    moments = [event.moment for event in events if isinstance(event, Registered | DetailsChanged | Removed)]
    assert None not in moments
    assert moments == sorted(moments, key=str)


async def test_product_continues_from_events_of_an_application(
    product: CommandHandler, application: Application[str]
) -> None:
    await two_lives(product)
    horse = application.repository.get("horse:H1", projector_func=project)
    removed = horse.remove(METADATA)
    assert removed
    assert [recording.notification.id for recording in application.save(removed)] == [5]
    with pytest.raises(IntegrityError):
        application.save(removed)
    outcome = await product.register(HORSE, "H1", HORSE.blank_details(), command())
    assert (outcome.aggregate.version, outcome.position) == (6, 6)


def key_ids(application: Application[str]) -> list[str | None]:
    events = application.recorder.select_notifications(1, 100)
    return [event.key_id for event in events if isinstance(event, RecordedEvent)]


async def test_events_of_an_application_are_encrypted_with_the_key_of_their_stream(
    product: CommandHandler, application: Application[str]
) -> None:
    await two_lives(product)
    horse = application.repository.get("horse:H1", projector_func=project)
    changed = horse.change({"owner": "Ravi Kumar"}, METADATA)
    assert changed
    application.save(changed)
    new = HORSE.unused("H2")
    registered = new.register({"owner": "Asha Menon"}, METADATA)
    removed = new.after(registered, datetime.now(UTC)).remove(METADATA)
    assert removed
    application.save(registered, removed)
    first, *others = key_ids(application)
    assert first
    assert others[:4] == [first] * 4
    assert others[4] == others[5] != first
    states = [event.state for event in application.recorder.select_notifications(1, 100)]
    assert not any(b"Ravi" in state or b"Asha" in state for state in states)
    assert (await product.register(HORSE, "H2", HORSE.blank_details(), command())).aggregate.version == 3
    assert set(key_ids(application)[5:]) == {others[5]}


async def test_application_without_the_key_reads_nulls_and_cannot_save(
    product: CommandHandler, application: Application[str], store: OwnKeyStore, database: Database
) -> None:
    details = {**HORSE.blank_details(), "identifier": "7", "owner": "Ravi Kumar"}
    await product.register(HORSE, "H1", details, command())
    (key_id,) = key_ids(application)
    assert key_id
    await store.erase([key_id])
    with Application[str](environment_of(database.command, schema="")) as later:
        horse = later.repository.get("horse:H1", projector_func=project)
        assert horse.state
        assert (horse.state.details["identifier"], horse.state.details["owner"]) == ("7", None)
        removed = horse.remove(METADATA)
        assert removed
        with pytest.raises(OperationalError, match="erased"):
            later.save(removed)
        assert later.recorder.max_notification_id() == 1


async def test_application_waits_for_an_unavailable_key_store(
    product: CommandHandler, database: Database, store: OwnKeyStore, tmp_path: Path
) -> None:
    await two_lives(product)
    (tmp_path / "keys" / "epoch-1.key").rename(tmp_path / "away")
    with Application[str](environment_of(database.command, schema="")) as application:
        with pytest.raises(OperationalError, match="epoch-1"):
            application.repository.get("horse:H1", projector_func=project)
        (tmp_path / "away").rename(tmp_path / "keys" / "epoch-1.key")
        assert application.repository.get("horse:H1", projector_func=project).version == 4


async def test_subscription_delivers_each_event_once_across_lost_connections(
    product: CommandHandler, application: Application[str], database: Database
) -> None:
    events, cuts = 60, 6
    seen: list[Notification] = []

    def follow() -> None:
        with application.recorder.subscribe(gt=0) as subscription:
            for notification in subscription:
                seen.append(notification)
                if notification.id == events:
                    return

    async def write_and_cut() -> None:
        async with await connect(database.owner, autocommit=True) as owner:
            for number in range(events):
                await product.register(HORSE, f"H{number}", HORSE.blank_details(), command())
                if number % (events // cuts) == 0:
                    await owner.execute(
                        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                        " WHERE datname = current_database() AND pid <> pg_backend_pid()"
                    )

    async with asyncio.timeout(200):
        await asyncio.gather(asyncio.to_thread(follow), write_and_cut())
    assert [notification.id for notification in seen] == list(range(1, events + 1))


async def test_subscription_advances_past_other_topics(
    product: CommandHandler, application: Application[str]
) -> None:
    await two_lives(product)
    recorder = application.recorder
    with recorder.subscribe(topics=["horse.removed"]) as subscription:
        assert next(subscription).id == 3
        await asyncio.to_thread(until, lambda: subscription._last_notification_id == 4)


class Unreachable(FleetlogRecorder):
    """A recorder that is unreachable at times."""

    failures = 0

    def max_notification_id(self) -> int | None:
        if self.failures < 2:
            self.failures += 1
            raise OperationalError("the server is away")
        head: int | None = super().max_notification_id()
        return head


async def test_subscription_survives_a_long_outage(product: CommandHandler, database: Database) -> None:
    await two_lives(product)
    factory = FleetlogFactory(environment_of(database.projections, schema=""))
    recorder = Unreachable(factory.datastore)
    with closing(factory), recorder.subscribe() as subscription:
        assert [next(subscription).id for _ in range(4)] == [1, 2, 3, 4]
    assert recorder.failures == 2


async def test_read_models_need_their_own_schema(application: Application[str]) -> None:
    for make in (application.factory.tracking_recorder, application.factory.process_recorder):
        with pytest.raises(InfrastructureFactoryError, match="schema"):
            make()


async def test_setting_that_loses_events_is_refused(database: Database) -> None:
    environment = environment_of(database.command, schema="own")
    with pytest.raises(InfrastructureFactoryError, match="skip events"):
        FleetlogFactory({**environment, "POSTGRES_ENABLE_DB_FUNCTIONS": "y"})


async def test_read_only_role_cannot_append(product: CommandHandler, database: Database) -> None:
    await two_lives(product)
    with Application[str](environment_of(database.projections, schema="")) as application:
        horse = application.repository.get("horse:H1", projector_func=project)
        removed = horse.remove(METADATA)
        assert removed
        with pytest.raises(Exception, match="permission denied"):
            application.save(removed)
    with psycopg.connect(database.owner) as connection, suppress(psycopg.Error):
        assert connection.execute("SELECT position FROM log.head").fetchone() == (4,)


class _OnOurLog:
    """Provides a database for each test of the suite."""

    @pytest.fixture(autouse=True)
    def _provide_database(self, database: Database) -> Iterator[None]:
        self.env = Environment(env=environment_of(database.command, schema="own"))
        with psycopg.connect(database.owner) as connection:
            connection.execute(f"CREATE SCHEMA own AUTHORIZATION {database.name}_command")
        self._factory = FleetlogFactory(self.env)
        yield
        self._factory.close()

    def new_originator_id(self) -> str:
        return f"driver:{uuid.uuid4()}"


class TestApplicationRecorder(_OnOurLog, ApplicationRecorderTestCase):
    def create_recorder(self) -> FleetlogRecorder:
        return self._factory.application_recorder()

    def test_insert_subscribe(self) -> None:
        self.optional_test_insert_subscribe()


class TestNonInterleavingPositions(_OnOurLog, NonInterleavingNotificationIDsBaseCase):
    def create_recorder(self) -> FleetlogRecorder:
        return self._factory.application_recorder()


class TestTrackingRecorder(_OnOurLog, TrackingRecorderTestCase):
    def create_recorder(self) -> TrackingRecorder:
        recorder: TrackingRecorder = self._factory.tracking_recorder()
        return recorder


class TestProcessRecorder(_OnOurLog, ProcessRecorderTestCase):
    def create_recorder(self) -> ProcessRecorder:
        recorder: ProcessRecorder = self._factory.process_recorder()
        return recorder


class ReadModel(PostgresTrackingRecorder):
    """A read model."""


class TestInfrastructureFactory(_OnOurLog, InfrastructureFactoryTestCase[FleetlogFactory]):
    def expected_factory_class(self) -> type[FleetlogFactory]:
        return FleetlogFactory

    def expected_aggregate_recorder_class(self) -> type[PostgresAggregateRecorder]:
        return PostgresAggregateRecorder

    def expected_application_recorder_class(self) -> type[FleetlogRecorder]:
        return FleetlogRecorder

    def expected_tracking_recorder_class(self) -> type[PostgresTrackingRecorder]:
        return PostgresTrackingRecorder

    def tracking_recorder_subclass(self) -> type[PostgresTrackingRecorder]:
        return ReadModel

    def expected_process_recorder_class(self) -> type[PostgresProcessRecorder]:
        return PostgresProcessRecorder


del (
    ApplicationRecorderTestCase,
    InfrastructureFactoryTestCase,
    NonInterleavingNotificationIDsBaseCase,
    ProcessRecorderTestCase,
    TrackingRecorderTestCase,
)
