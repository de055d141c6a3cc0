"""A location for keys, of each kind."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ops.testing.key_store_locations import KeyStoreLocation, create_local_store
from ops.testing.postgres import PostgresServer


@pytest.fixture(params=["local", "central"])
def location(
    request: pytest.FixtureRequest, postgres: PostgresServer, tmp_path: Path
) -> Iterator[KeyStoreLocation]:
    create_local_store(tmp_path)
    if request.param == "local":
        yield KeyStoreLocation(tmp_path, None)
        return
    database = postgres.create_keys_database()
    yield KeyStoreLocation(tmp_path, database)
    postgres.drop_database(database)
