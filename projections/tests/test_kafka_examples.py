"""That the analyst's examples work as they are."""

import asyncio
import shutil
import subprocess
import sys
import threading

import pytest
from projections_testing.fleet import Fleet
from projections_testing.following import catch_up, eventually
from projections_testing.relaying import relaying, until_relayed
from psycopg import AsyncConnection

from ops.launcher.paths import PROJECT
from ops.testing.kafka import KafkaBroker
from ops.testing.postgres import Database

pytestmark = pytest.mark.integration

EXAMPLES = PROJECT / "projections" / "examples"
PATIENCE_SECONDS = 90.0


class Member:
    """A member of a consumer group: the example as a process."""

    def __init__(self, broker: KafkaBroker, group: str) -> None:
        command = [sys.executable, str(EXAMPLES / "consume.py"), broker.address, group]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self.lines: list[str] = []
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout
        self.lines += iter(self.process.stdout.readline, "")

    @property
    def ids(self) -> set[str]:
        """Of the events that it has printed."""
        return {line.split()[0] for line in self.lines if ":" in line}

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        self._reader.join()
        assert self.process.stdout
        self.process.stdout.close()


async def test_a_consumer_group_goes_on_without_one_of_its_members_and_a_late_one_begins_at_the_beginning(
    fleet: Fleet, connection: AsyncConnection, database: Database, broker: KafkaBroker
) -> None:
    async def register(first: int, last: int) -> None:
        for number in range(first, last + 1):
            fleet.register("driver", f"EMP-{number}")
        await catch_up(connection)
        await until_relayed(fleet.connection, last)

    row = fleet.connection.execute("SELECT log_id FROM log.identity").fetchone()
    assert row
    wanted = {f"{row[0]}:{position}" for position in range(1, 61)}
    members: list[Member] = []
    async with relaying(database, broker.address):
        try:
            await register(1, 20)
            members += [Member(broker, "planners"), Member(broker, "planners")]
            await eventually(lambda: len(members[0].ids | members[1].ids) == 20, seconds=PATIENCE_SECONDS)
            await register(21, 40)
            await eventually(lambda: len(members[0].ids | members[1].ids) == 40, seconds=PATIENCE_SECONDS)
            members[0].kill()
            await register(41, 60)
            await eventually(lambda: members[0].ids | members[1].ids == wanted, seconds=PATIENCE_SECONDS)
            members.append(Member(broker, "latecomers"))
            await eventually(lambda: members[2].ids == wanted, seconds=PATIENCE_SECONDS)
        finally:
            for member in members:
                member.kill()


async def test_kcat_prints_every_event(
    fleet: Fleet, connection: AsyncConnection, database: Database, broker: KafkaBroker
) -> None:
    if shutil.which("kcat") is None:
        pytest.skip("kcat is not installed; on Debian: apt-get install kcat")
    for number in range(10):
        fleet.register("driver", f"EMP-{number}")
    await catch_up(connection)
    async with relaying(database, broker.address):
        await until_relayed(fleet.connection, 10)
    command = [str(EXAMPLES / "kcat.sh"), broker.address]
    done = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True, check=True)
    assert {line.split()[0] for line in done.stdout.splitlines()} == {f"EMP-{n}" for n in range(10)}
