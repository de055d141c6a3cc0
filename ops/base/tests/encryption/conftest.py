"""A place for keys, of each kind."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ops.testing.key_places import Place, create_local_store
from ops.testing.postgres import PostgresServer


@pytest.fixture(params=["local", "central"])
def place(request: pytest.FixtureRequest, postgres: PostgresServer, tmp_path: Path) -> Iterator[Place]:
    create_local_store(tmp_path)
    if request.param == "local":
        yield Place(tmp_path, None)
        return
    database = postgres.create_keys_database()
    yield Place(tmp_path, database)
    postgres.drop_database(database)
