"""The contract of all logs for the log in memory."""

from collections.abc import Sequence

import pytest
from command_api_testing.log_contract import KeepSnapshots, LogContract
from command_api_testing.log_in_memory import LogInMemory

from command_api.event_store.records import Snapshot


class TestLogInMemory(LogContract):
    @pytest.fixture
    def log(self) -> LogInMemory:
        return LogInMemory()

    @pytest.fixture
    def keep_snapshots(self, log: LogInMemory) -> KeepSnapshots:
        def keep_snapshots(known: Sequence[Snapshot]) -> None:
            log.snapshots["horse", "H1"] = list(known)

        return keep_snapshots


del LogContract  # an abstract test case
