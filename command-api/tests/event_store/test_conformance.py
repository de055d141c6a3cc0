"""The eventsourcing library's own conformance suite, whole, on our log as its persistence module."""

import uuid
from collections.abc import Iterator

import psycopg
import pytest
from command_api_testing.applications import environment_of
from eventsourcing.persistence import ProcessRecorder, TrackingRecorder
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

from command_api.persistence import FleetlogFactory, FleetlogRecorder
from ops.testing.postgres import Database

pytestmark = pytest.mark.integration


class _OnOurLog:
    """Gives each of the suite's tests a database of its own."""

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
    """Anybody's."""


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
