"""Pytest plugin of every suite (`-p ops.testing.fixtures`): PostgreSQL, Kafka, Keycloak, the running product.

The product is the embedded topology, or with FLEETLOG_TOPOLOGY=split the one of `compose.yaml`.
"""

import os
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from ssl import SSLContext
from typing import TYPE_CHECKING, Any

import httpx._transports.default
import hypothesis
import pytest
from httpx._config import create_ssl_context

from ops.base.encryption.key_cache import KEYS
from ops.launcher.errors import LauncherError
from ops.launcher.frontend.build import SETTING as FRONTEND_SETTING
from ops.testing.certificates import self_signed
from ops.testing.folders import open_folder
from ops.testing.key_store_locations import create_local_store
from ops.testing.postgres import Database, PostgresServer, throw_away_postgres
from ops.testing.stack import Stack, instance_environment

if TYPE_CHECKING:
    from ops.testing.kafka import KafkaBroker
    from ops.testing.keycloak import Keycloak
    from ops.testing.split.stack import SplitStack

TOPOLOGY = "FLEETLOG_TOPOLOGY"
SPLIT = "split"

# Most tests register many records with the details of the examples.
os.environ.setdefault("FLEETLOG_DUPLICATES_ALLOWED", "all")

# The duration of an example depends on the load of the machine.
hypothesis.settings.register_profile("unhurried", deadline=None)
hypothesis.settings.load_profile("unhurried")


# Loading the certificates of public authorities takes 40 ms of processor time for each client.
@cache
def _trusting(_certificates: str | None, *, trust_env: bool) -> SSLContext:
    return create_ssl_context(trust_env=trust_env)


def _shared_context(*, verify: Any, cert: Any, trust_env: bool) -> SSLContext:
    if verify is not True or cert is not None:
        return create_ssl_context(verify, cert, trust_env)
    return _trusting(os.environ.get("SSL_CERT_FILE"), trust_env=trust_env)


vars(httpx._transports.default)["create_ssl_context"] = _shared_context  # noqa: SLF001

# Must precede the first import of these modules.
pytest.register_assert_rewrite("ops.testing.product", "command_api_testing")


_REAL_SERVICES = frozenset({"postgres", "kafka", "keycloak", "stack", "split_stack"})


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that need real services."""
    for item in items:
        if _REAL_SERVICES.intersection(getattr(item, "fixturenames", ())):
            item.add_marker("integration")


@pytest.fixture(scope="session", autouse=True)
async def key_store(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Path]:
    """The key store that tests use unless they open another one; services find it in their environment."""
    folder = tmp_path_factory.mktemp("keys")
    create_local_store(folder)
    os.environ["FLEETLOG_KEYS"] = str(folder)
    async with KEYS.use():
        yield folder


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A throw-away PostgreSQL server for the session."""
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
def kafka() -> Iterator["KafkaBroker"]:
    """A Kafka broker for the session; its tests are skipped where Java or Maven are missing."""
    # Imported here, since most sessions need no client.
    from ops.testing.kafka import throw_away_kafka  # noqa: PLC0415

    with ExitStack() as running:
        try:
            broker = running.enter_context(throw_away_kafka())
        except LauncherError as error:
            pytest.skip(f"no Kafka broker: {error}")
        yield broker


@pytest.fixture(scope="session")
def keycloak(tmp_path_factory: pytest.TempPathFactory) -> Iterator["Keycloak"]:
    """A Keycloak for the session; its tests are skipped where Java or Maven are missing."""
    from ops.testing.keycloak import throw_away_keycloak  # noqa: PLC0415 - as above

    with ExitStack() as running:
        try:
            server = running.enter_context(throw_away_keycloak(tmp_path_factory.mktemp("keycloak")))
        except LauncherError as error:
            pytest.skip(f"no Keycloak: {error}")
        yield server


@pytest.fixture(scope="session")
def stack(request: pytest.FixtureRequest) -> Iterator[Stack]:
    """The running product, shared by the session: a test that kills a service waits until it is back."""
    if os.environ.get(TOPOLOGY) == SPLIT:
        yield request.getfixturevalue("split_stack")
        return
    with open_folder() as folder:
        certificate = str(self_signed(folder))  # of receivers of webhooks
        trusting = instance_environment(FLEETLOG_WEBHOOK_NETWORKS="127.0.0.0/8", SSL_CERT_FILE=certificate)
        with Stack(folder, environment=trusting) as stack:
            yield stack


@pytest.fixture(scope="session")
def split_stack() -> Iterator["SplitStack"]:
    """The product split as in `compose.yaml`; its tests are skipped where Java or Maven are missing."""
    from ops.testing.split.stack import running_split_stack  # noqa: PLC0415 - as above

    frontend = os.environ.get(FRONTEND_SETTING)
    with ExitStack() as running:
        try:
            stack = running.enter_context(running_split_stack(frontend=Path(frontend) if frontend else None))
        except LauncherError as error:
            pytest.skip(f"no Kafka broker: {error}")
        yield stack
