"""Revoked tokens are refused by every service on every route until the next sign-in."""

import time
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from datetime import UTC, datetime

import httpx
import psycopg
import pytest

from ops.testing.conditions import PATIENCE_SECONDS
from ops.testing.postgres import Database
from ops.testing.service_process import ServiceProcess, service_environment, service_process
from ops.testing.token_issuer import TokenIssuer

SERVICES = {"command-api": ("POST", "/api/v1/horses"), "query-api": ("GET", "/api/v1/horses")}
"""A request of each service that shows whether a token is accepted."""
CUT_OFF = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE datname = current_database() AND pid NOT IN (pg_backend_pid(), %s)
"""


@pytest.fixture(scope="module")
async def services(
    module_database: Database, shared_issuer: TokenIssuer
) -> AsyncIterator[dict[str, ServiceProcess]]:
    async with AsyncExitStack() as running:
        yield {
            name: await running.enter_async_context(
                service_process(name, service_environment(name, module_database, shared_issuer))
            )
            for name in SERVICES
        }


@pytest.fixture
def operator(module_database: Database) -> Iterator[psycopg.Connection]:
    with psycopg.connect(module_database.command, autocommit=True) as connection:
        yield connection


def revoke(operator: psycopg.Connection, subject: str) -> datetime:
    until = datetime.now(UTC)
    operator.execute("SELECT sign_in.revoke(%s, NULL, %s, 'test')", [subject, until])
    return until


async def ask(service: ServiceProcess, method: str, path: str, token: str) -> httpx.Response:
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx.AsyncClient(headers=headers, trust_env=False, timeout=60) as client:
        return await client.request(method, service.address + path)


async def is_out(services: dict[str, ServiceProcess], token: str) -> dict[str, bool]:
    return {
        name: (await ask(service, *SERVICES[name], token)).status_code == 401
        for name, service in services.items()
    }


async def wait_until_out(services: dict[str, ServiceProcess], token: str) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not all((await is_out(services, token)).values()):
        assert time.monotonic() < deadline, "still let in"


async def test_revocations_are_read_before_the_first_answer(
    services: dict[str, ServiceProcess],
    shared_issuer: TokenIssuer,
    operator: psycopg.Connection,
    module_database: Database,
) -> None:
    token = shared_issuer.token(sub="dev|farah")
    revoke(operator, "dev|farah")
    for name in services:
        environment = service_environment(name, module_database, shared_issuer)
        async with service_process(name, environment) as started:
            assert (await ask(started, *SERVICES[name], token)).status_code == 401


async def test_interrupted_listener_misses_nothing(
    services: dict[str, ServiceProcess],
    shared_issuer: TokenIssuer,
    operator: psycopg.Connection,
    module_database: Database,
) -> None:
    first, second = (shared_issuer.token(sub=f"dev|{name}") for name in ("ingrid", "tomas"))
    with psycopg.connect(module_database.owner, autocommit=True) as owner:
        owner.execute(CUT_OFF, [operator.info.backend_pid])
    revoke(operator, "dev|ingrid")
    await wait_until_out(services, first)
    assert not any((await is_out(services, second)).values())
    revoke(operator, "dev|tomas")
    await wait_until_out(services, second)
