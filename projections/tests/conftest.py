"""Fixtures for the projections' tests."""

from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest
from projections_testing.encrypted_fleet import local_keys
from projections_testing.erasures import InstanceFolder, open_command_handler
from projections_testing.fleet import Fleet
from psycopg import AsyncConnection

from command_api.commands.handler import CommandHandler
from ops.base.database.connection import connect
from ops.base.encryption.key_cache import KEYS
from ops.base.encryption.stores import KeyStore
from ops.testing.postgres import Database
from ops.testing.smtp_sink import SmtpSink

if TYPE_CHECKING:
    from ops.testing.kafka import KafkaBroker


@pytest.fixture
def fleet(database: Database) -> Iterator[Fleet]:
    """An empty fleet in a database of its own."""
    with psycopg.connect(database.owner, autocommit=True) as connection:
        yield Fleet(connection)


@pytest.fixture
def broker(kafka: "KafkaBroker") -> "KafkaBroker":
    """A Kafka broker without Fleetlog's topics."""
    kafka.remove_topics()
    return kafka


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[KeyStore]:
    """A key store that this process uses."""
    async with local_keys(tmp_path) as store:
        yield store


@pytest.fixture
async def connection(database: Database) -> AsyncIterator[AsyncConnection]:
    """A connection with the rights of a projection worker that also seals."""
    async with await connect(database.sealer, autocommit=True) as connection:
        yield connection


@pytest.fixture
def instance(tmp_path: Path) -> InstanceFolder:
    """The folder with keys and seals of an instance."""
    return InstanceFolder.create(tmp_path)


@pytest.fixture
async def sealing_handler(database: Database, instance: InstanceFolder) -> AsyncIterator[CommandHandler]:
    """A command handler that encrypts with the keys of `instance`."""
    with closing(instance.store()) as store:
        async with KEYS.use(store), open_command_handler(database) as handler:
            yield handler


@pytest.fixture(scope="module")
def shared_fleet(module_database: Database) -> Iterator[Fleet]:
    """A fleet for the tests of a module, which clear it."""
    with psycopg.connect(module_database.owner, autocommit=True) as connection:
        yield Fleet(connection)


@pytest.fixture
def smtp_sink(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[SmtpSink]:
    """A running mail server, which this process's settings name."""
    sink = SmtpSink(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(sink.certificate))
    monkeypatch.setenv("FLEETLOG_SMTP", sink.address)
    monkeypatch.setenv("FLEETLOG_MAIL_FROM", "Fleetlog <fleet@fleet.example>")
    with sink.running():
        yield sink
