"""Pytest plugin: fixtures that stand on real parts. Every suite gets them (`-p ops.testing.fixtures`)."""

from collections.abc import Iterator

import pytest

from ops.testing.postgres import Database, PostgresServer, throw_away_postgres
from ops.testing.stack import Stack, running_stack


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A throw-away PostgreSQL server for the whole session."""
    with throw_away_postgres() as server:
        yield server


@pytest.fixture
def database(postgres: PostgresServer) -> Iterator[Database]:
    """A migrated, empty database for one test."""
    database = postgres.create_database()
    yield database
    postgres.drop_database(database)


@pytest.fixture(scope="module")
def module_database(postgres: PostgresServer) -> Iterator[Database]:
    """A migrated database that the tests of one module share."""
    database = postgres.create_database()
    yield database
    postgres.drop_database(database)


@pytest.fixture(scope="session")
def stack() -> Iterator[Stack]:
    """The whole running product, shared by the session: a test that kills a part waits until it is back."""
    with running_stack() as stack:
        yield stack
