"""That the example of a read model of one's own works as it is, on a log that the product has written."""

import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from uuid import uuid4

import psycopg
import pytest
from command_api_testing.applications import environment_of
from projections_testing.fleet import DETAILS, METADATA, Fleet
from projections_testing.following import eventually
from psycopg import sql
from psycopg.conninfo import make_conninfo

from command_api.commands.context import CommandContext
from command_api.commands.handler import CommandHandler
from command_api.domain.catalogue import DEFINITIONS
from command_api.event_store.log import EventLog
from ops.launcher.paths import PROJECT
from ops.testing.postgres import Database

pytestmark = pytest.mark.integration

EXAMPLE = PROJECT / "projections" / "examples" / "expiring_licences.py"
PATIENCE_SECONDS = 90.0
DRIVER = DEFINITIONS["driver"]


def context() -> CommandContext:
    return CommandContext(uuid4(), METADATA, may_be_repeat=False)


def in_days(days: int) -> str:
    return f"{date.today() + timedelta(days=days)}"  # noqa: DTZ011 - the database's day, on the same machine


class Example:
    """The example as a process."""

    def __init__(self, environment: dict[str, str]) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(EXAMPLE)],
            env={**os.environ, **environment},
            stdout=subprocess.PIPE,
            text=True,
        )
        self.lines: list[str] = []
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout
        self.lines += iter(self.process.stdout.readline, "")

    @property
    def shown(self) -> list[str] | None:
        """What it has printed, once it has printed all."""
        return self.lines[:-1] if self.lines[-1:] == ["following\n"] else None

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self._reader.join()
        assert self.process.stdout
        self.process.stdout.close()


@contextmanager
def example(environment: dict[str, str]) -> Iterator[Example]:
    started = Example(environment)
    try:
        yield started
    finally:
        started.kill()


@pytest.fixture
def environment(database: Database) -> Iterator[dict[str, str]]:
    """What the example says that it needs, in a role of its own."""
    role = f"{database.name}_licences"
    reported = "".join(re.findall(r"^    (?:CREATE|GRANT) .*;$", EXAMPLE.read_text(), re.MULTILINE))
    reported = reported.replace("DATABASE fleetlog", f"DATABASE {database.name}")
    reported = re.sub(r"(ROLE|TO|AUTHORIZATION) licences", rf"\1 {role}", reported)
    with psycopg.connect(database.owner, autocommit=True) as connection:
        connection.execute(reported.encode())
        yield environment_of(make_conninfo(database.owner, user=role, password="secret"), schema="licences")
        connection.execute(sql.SQL("DROP OWNED BY {0} CASCADE; DROP ROLE {0}").format(sql.Identifier(role)))


async def test_a_read_model_of_ones_own_survives_being_killed_and_shows_who_must_renew(
    database: Database, environment: dict[str, str], fleet: Fleet
) -> None:
    def kept() -> list[tuple[str, str]]:
        rows = fleet.connection.execute("SELECT id, name FROM licences.expiries ORDER BY id").fetchall()
        return [(row[0], row[1]) for row in rows]

    def driver(days: int, **changes: str) -> dict[str, str]:
        return {**DETAILS["driver"], "driving_license_expiry": in_days(days), **changes}

    async with EventLog.open(database.command) as log:
        product = CommandHandler(log)
        await product.register(DRIVER, "EMP-1", driver(29, name="Ravi"), context())
        await product.register(DRIVER, "EMP-2", driver(400, name="Asha"), context())
        await product.register(DRIVER, "EMP-3", driver(5, name="Meera"), context())
        await product.remove(DRIVER, "EMP-3", context())
        await product.register(DEFINITIONS["horse"], "HRS-1", DETAILS["horse"], context())
        with example(environment) as first:
            await eventually(lambda: first.shown is not None, seconds=PATIENCE_SECONDS)
            assert first.shown == [f"EMP-1 Ravi {in_days(29)}\n"]
            await product.change(DRIVER, "EMP-2", driver(400, name="Asha Menon"), context())
            await eventually(lambda: ("EMP-2", "Asha Menon") in kept(), seconds=PATIENCE_SECONDS)

        fleet.connection.execute("UPDATE licences.expiries SET name = 'not told again' WHERE id = 'EMP-1'")
        await product.change(DRIVER, "EMP-2", driver(-1, name="Asha Menon"), context())
        with example(environment) as second:
            await eventually(lambda: second.shown is not None, seconds=PATIENCE_SECONDS)
            assert second.shown == [
                f"EMP-1 not told again {in_days(29)}\n",
                f"EMP-2 Asha Menon {in_days(-1)}\n",
            ]


async def test_its_role_may_read_the_log_and_write_nothing_but_its_own(environment: dict[str, str]) -> None:
    dsn = make_conninfo(
        **{
            name: environment[f"POSTGRES_{name.upper()}"]
            for name in ("dbname", "host", "port", "user", "password")
        }
    )
    with psycopg.connect(dsn, autocommit=True) as connection:
        for statement in ("SELECT * FROM read.drivers", "SELECT log.append(now())", "DELETE FROM log.events"):
            with pytest.raises(psycopg.Error):
                connection.execute(statement.encode())
