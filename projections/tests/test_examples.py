"""The examples of a read model and of Kafka consumers work."""

import asyncio
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import date, timedelta
from pathlib import Path

import psycopg
import pytest
from command_api_testing.applications import environment_of
from command_api_testing.contexts import command
from projections_testing.fleet import DETAILS, Fleet, register
from projections_testing.leases import catch_up, eventually
from projections_testing.relays import run_relay, until_relayed
from psycopg import AsyncConnection, sql
from psycopg.conninfo import make_conninfo

from command_api.commands.handler import CommandHandler
from command_api.domain.catalogue import DEFINITIONS
from command_api.event_store.log import EventLog
from ops.base.encryption.key_cache import KEYS
from ops.launcher.paths import PROJECT
from ops.testing.kafka import KafkaBroker
from ops.testing.key_stores import OwnKeyStore
from ops.testing.postgres import Database

LICENCES = PROJECT / "projections" / "examples" / "expiring_licences.py"
PATIENCE_SECONDS = 90.0
DRIVER = DEFINITIONS["driver"]


def in_days(days: int) -> str:
    return f"{date.today() + timedelta(days=days)}"  # noqa: DTZ011 - the database's day, on the same machine


class Example:
    """An example as a process, and the lines that it has printed."""

    def __init__(self, script: Path, *arguments: str, environment: Mapping[str, str] | None = None) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(script), *arguments],
            env={**os.environ, **(environment or {})},
            stdout=subprocess.PIPE,
            text=True,
        )
        self.lines: list[str] = []
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout
        self.lines += iter(self.process.stdout.readline, "")

    def kill(self) -> None:
        """Kill the process."""
        self.process.kill()
        self.process.wait()
        self._reader.join()
        assert self.process.stdout
        self.process.stdout.close()


class Licences(Example):
    """The example that prints licences that expire soon."""

    @property
    def shown(self) -> list[str] | None:
        """The printed lines, once the initial state is complete."""
        return self.lines[:-1] if self.lines[-1:] == ["following\n"] else None


@contextmanager
def example(environment: dict[str, str]) -> Iterator[Licences]:
    started = Licences(LICENCES, environment=environment)
    try:
        yield started
    finally:
        started.kill()


@pytest.fixture
def keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The environment variables of the key store."""
    OwnKeyStore.in_folder(tmp_path / "keys")
    monkeypatch.setenv("FLEETLOG_KEYS", str(tmp_path / "keys"))
    return {"FLEETLOG_KEYS": str(tmp_path / "keys")}


@pytest.fixture
def environment(database: Database, keys: dict[str, str]) -> Iterator[dict[str, str]]:
    """The example's environment, with a role that has the rights stated in its docstring."""
    role = f"{database.name}_licences"
    reported = "".join(re.findall(r"^    (?:CREATE|GRANT) .*;$", LICENCES.read_text(), re.MULTILINE))
    reported = reported.replace("DATABASE fleetlog", f"DATABASE {database.name}")
    reported = re.sub(r"(ROLE|TO|AUTHORIZATION) licences", rf"\1 {role}", reported)
    with psycopg.connect(database.owner, autocommit=True) as connection:
        connection.execute(reported.encode())
        where = make_conninfo(database.owner, user=role, password="secret")
        yield {**environment_of(where, schema="licences"), **keys}
        connection.execute(sql.SQL("DROP OWNED BY {0} CASCADE; DROP ROLE {0}").format(sql.Identifier(role)))


async def test_example_read_model_survives_being_killed(
    database: Database, environment: dict[str, str], fleet: Fleet
) -> None:
    def kept() -> list[tuple[str, str]]:
        rows = fleet.connection.execute("SELECT id, name FROM licences.expiries ORDER BY id").fetchall()
        return [(row[0], row[1]) for row in rows]

    def driver(days: int, **changes: str) -> dict[str, str]:
        return {**DETAILS["driver"], "driving_license_expiry": in_days(days), **changes}

    async with KEYS.use(dsn=database.command), EventLog.open(database.command) as log:
        product = CommandHandler(log, shared=["all"])
        await product.register(DRIVER, "EMP-1", driver(29, name="Ravi"), command())
        await product.register(DRIVER, "EMP-2", driver(400, name="Asha"), command())
        await product.register(DRIVER, "EMP-3", driver(5, name="Meera"), command())
        await product.remove(DRIVER, "EMP-3", command())
        await product.register(DEFINITIONS["horse"], "HRS-1", DETAILS["horse"], command())
        with example(environment) as first:
            await eventually(lambda: first.shown is not None, seconds=PATIENCE_SECONDS)
            assert first.shown == [f"EMP-1 Ravi {in_days(29)}\n"]
            await product.change(DRIVER, "EMP-2", driver(400, name="Asha Menon"), command())
            await eventually(lambda: ("EMP-2", "Asha Menon") in kept(), seconds=PATIENCE_SECONDS)

        fleet.connection.execute("UPDATE licences.expiries SET name = 'not applied again' WHERE id = 'EMP-1'")
        await product.change(DRIVER, "EMP-2", driver(-1, name="Asha Menon"), command())
        with example(environment) as second:
            await eventually(lambda: second.shown is not None, seconds=PATIENCE_SECONDS)
            assert second.shown == [
                f"EMP-1 not applied again {in_days(29)}\n",
                f"EMP-2 Asha Menon {in_days(-1)}\n",
            ]


EXAMPLES = PROJECT / "projections" / "examples"


class Member(Example):
    """A member of a consumer group."""

    def __init__(self, broker: KafkaBroker, group: str, options: Path) -> None:
        super().__init__(EXAMPLES / "consume.py", broker.address, group, str(options))

    @property
    def ids(self) -> set[str]:
        """The ids of the printed events."""
        return {line.split()[0] for line in self.lines if ":" in line}


async def test_consumer_group_continues_and_late_group_starts_at_the_beginning(
    fleet: Fleet, connection: AsyncConnection, database: Database, broker: KafkaBroker, tmp_path: Path
) -> None:
    async def relayed(first: int, last: int) -> None:
        register(fleet, first, last)
        await catch_up(connection)
        await until_relayed(fleet.connection, last)

    row = fleet.connection.execute("SELECT log_id FROM log.identity").fetchone()
    assert row
    wanted = {f"{row[0]}:{position}" for position in range(1, 41)}
    members: list[Member] = []
    options = tmp_path / "options.json"
    options.write_text('{"security_protocol": "PLAINTEXT"}')
    async with run_relay(database, broker.address):
        try:
            await relayed(1, 20)
            members.append(Member(broker, "planners", options))
            await eventually(lambda: len(members[0].ids) == 20, seconds=PATIENCE_SECONDS)
            members[0].kill()
            await relayed(21, 40)
            members += [Member(broker, "planners", options), Member(broker, "latecomers", options)]
            await eventually(
                lambda: members[0].ids | members[1].ids == members[2].ids == wanted, seconds=PATIENCE_SECONDS
            )
        finally:
            for member in members:
                member.kill()


async def test_kcat_prints_every_event(
    fleet: Fleet, connection: AsyncConnection, database: Database, broker: KafkaBroker
) -> None:
    if shutil.which("kcat") is None:
        pytest.skip("kcat is not installed; on Debian: apt-get install kcat")
    register(fleet, 0, 9)
    await catch_up(connection)
    async with run_relay(database, broker.address):
        await until_relayed(fleet.connection, 10)
    command = [str(EXAMPLES / "kcat.sh"), broker.address]
    done = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True, check=True)
    assert {line.split()[0] for line in done.stdout.splitlines()} == {f"EMP-{n}" for n in range(10)}
