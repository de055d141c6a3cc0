"""Services and a database whose schema is another release's."""

import os
import signal
import subprocess
from collections.abc import Mapping

import psycopg
import pytest

from ops.base.schema import REVISION, UnknownSchema, require_known_schema
from ops.launcher.paths import PYTHON
from ops.launcher.processes.part import answers_ok
from ops.launcher.processes.ports import free_port
from ops.testing.faulty_network import faulty_network
from ops.testing.postgres import Database
from ops.testing.waiting import wait_until

pytestmark = pytest.mark.integration

ROLES = {
    "command_api": "command",
    "query_api": "query",
    "projections run": "projections",
    "projections relay": "relay",
    "projections status": "projections",
}
START_SECONDS = 120
"""Usually 2; more on a machine that has a lot else to do."""


def start(command: str, dsn: str, **more: str) -> "subprocess.Popen[str]":
    nowhere = {"FLEETLOG_ISSUER": "https://127.0.0.1:1/", "FLEETLOG_KAFKA_SERVERS": "127.0.0.1:1"}
    environment = {**nowhere, "FLEETLOG_AUDIENCE": "test", "FLEETLOG_DATABASE": dsn, **more}
    return subprocess.Popen(
        [*PYTHON, *command.split()], env={**os.environ, **environment}, stderr=subprocess.PIPE, text=True
    )


def last_words(processes: Mapping[str, "subprocess.Popen[str]"]) -> dict[str, str]:
    """What each of them said last; all have ended with status 1."""
    try:
        said = {name: process.communicate(timeout=START_SECONDS)[1] for name, process in processes.items()}
    finally:
        for process in processes.values():
            process.kill()
            process.communicate()
    assert {process.returncode for process in processes.values()} == {1}
    return {name: text.splitlines()[-1] for name, text in said.items()}


TOO_OLD = f"and this version needs {REVISION}: run migrate first"
TOO_NEW = (
    f"which serves versions from 8999 on, and this one knows {REVISION}:"
    " this version is too old for the database, run a newer one"
)


@pytest.mark.parametrize(
    ("change", "output", "commands"),
    [
        ("DELETE FROM log.schema_revisions WHERE revision > '0007'", f"0007, {TOO_OLD}", list(ROLES)),
        # All ask the same function; that each of them asks it, the line above tells.
        ("INSERT INTO log.schema_revisions VALUES ('9000', '8999')", f"9000, {TOO_NEW}", ["command_api"]),
    ],
    ids=["older", "newer"],
)
def test_nothing_starts_on_a_schema_that_it_does_not_know(
    database: Database, change: str, output: str, commands: list[str]
) -> None:
    with psycopg.connect(database.owner) as connection:
        connection.execute(change)
    processes = {name: start(name, getattr(database, ROLES[name])) for name in commands}
    expected = f"Not possible: the database's schema has revision {output}"
    assert last_words(processes) == dict.fromkeys(commands, expected)


async def test_a_schema_from_before_there_were_such_checks_is_too_old(database: Database) -> None:
    with psycopg.connect(database.owner) as connection:
        connection.execute("DROP TABLE log.schema_revisions")
    with pytest.raises(UnknownSchema, match=f"before 0007, {TOO_OLD}"):
        await require_known_schema(database.query)


async def test_a_service_goes_on_when_the_schema_becomes_newer_and_may_start_where_that_still_serves_it(
    database: Database,
) -> None:
    ports = [free_port(), free_port()]
    first = start("query_api", database.query, FLEETLOG_PORT=str(ports[0]))
    try:
        await wait_until(lambda: answers_ok(ports[0], "/livez"), seconds=START_SECONDS)
        with psycopg.connect(database.owner) as connection:
            connection.execute("INSERT INTO log.schema_revisions VALUES ('9000', %s)", [REVISION])
        second = start("query_api", database.query, FLEETLOG_PORT=str(ports[1]))
        try:
            await wait_until(lambda: answers_ok(ports[1], "/livez"), seconds=START_SECONDS)
            assert (first.poll(), second.poll()) == (None, None)
        finally:
            second.terminate()
            second.communicate()
    finally:
        first.terminate()
        first.communicate()


async def test_a_database_that_was_away_is_asked_when_it_is_back(database: Database) -> None:
    with psycopg.connect(database.owner) as connection:
        connection.execute("INSERT INTO log.schema_revisions VALUES ('9000', '9000')")
    async with faulty_network(database.query) as (network, dsn):
        network.fall_silent()
        port = free_port()
        service = start("query_api", dsn, FLEETLOG_PORT=str(port))
        try:
            await wait_until(lambda: answers_ok(port, "/livez"), seconds=START_SECONDS)
            network.heal()
            await wait_until(lambda: service.poll() is not None, seconds=START_SECONDS)
        finally:
            service.kill()
            said = service.communicate()[1]
    assert service.returncode == -signal.SIGTERM
    assert "this version is too old for the database" in said
