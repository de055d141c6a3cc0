"""The eventsourcing library's own conformance suite for application recorders, on our log."""

import uuid

import pytest
from command_api_testing.synchronous_recorder import SynchronousRecorder
from eventsourcing.tests.persistence import (
    ApplicationRecorderTestCase,
    NonInterleavingNotificationIDsBaseCase,
)

from ops.testing.postgres import Database

pytestmark = pytest.mark.integration


class _OnOurLog:
    """Gives each of the suite's tests a database of its own."""

    @pytest.fixture(autouse=True)
    def _provide_database(self, database: Database) -> None:
        self._dsn = database.command
        self._recorders: list[SynchronousRecorder] = []

    def new_originator_id(self) -> str:
        return f"driver:{uuid.uuid4()}"

    def create_recorder(self) -> SynchronousRecorder:
        recorder = SynchronousRecorder(self._dsn)
        self._recorders.append(recorder)
        return recorder

    def tearDown(self) -> None:
        for recorder in self._recorders:
            recorder.close()


class TestApplicationRecorder(_OnOurLog, ApplicationRecorderTestCase):
    def close_db_connection(self, *args: object) -> None:
        """Nothing to do: the adapter's threads hold no connections."""


class TestNonInterleavingPositions(_OnOurLog, NonInterleavingNotificationIDsBaseCase):
    pass


del ApplicationRecorderTestCase, NonInterleavingNotificationIDsBaseCase
