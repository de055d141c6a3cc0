"""Fixtures for the projections' tests."""

from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING

import psycopg
import pytest
from projections_testing.fleet import Fleet
from psycopg import AsyncConnection

from ops.base.database import connect
from ops.testing.postgres import Database

if TYPE_CHECKING:
    from ops.testing.kafka import KafkaBroker


@pytest.fixture
def fleet(database: Database) -> Iterator[Fleet]:
    """An empty fleet in a database of its own."""
    with psycopg.connect(database.owner, autocommit=True) as connection:
        yield Fleet(connection)


@pytest.fixture
def broker(kafka: "KafkaBroker") -> "KafkaBroker":
    """A real Kafka broker without any topic of ours."""
    kafka.remove_topics()
    return kafka


@pytest.fixture
async def connection(database: Database) -> AsyncIterator[AsyncConnection]:
    """A connection with the rights of a projection worker that also seals."""
    async with await connect(database.sealer, autocommit=True) as connection:
        yield connection


@pytest.fixture(scope="module")
def shared_fleet(module_database: Database) -> Iterator[Fleet]:
    """A fleet for a module's tests, each of which clears it."""
    with psycopg.connect(module_database.owner, autocommit=True) as connection:
        yield Fleet(connection)
