"""`./fleetlog up` with what a company has already: its identity provider, its database, its broker."""

import http.client
import json
import os
import shutil
import signal
import stat
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import httpx
import psutil
import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from ops.launcher.backups.taking import copy_state
from ops.launcher.identity_provider.tokens import mint_access_token
from ops.launcher.instance.data_folder import DataFolder
from ops.launcher.instance.sign_in import remember, remembered
from ops.launcher.paths import PYTHON
from ops.launcher.postgres.server import ensure_database
from ops.launcher.processes.ports import free_port
from ops.testing.command_lines import command_lines_below
from ops.testing.kafka import read_topics
from ops.testing.postgres import PostgresServer
from ops.testing.product.bodies import usual_body
from ops.testing.stack import Stack, running_stack
from ops.testing.token_issuer import TokenIssuer
from ops.testing.waiting import wait_for

pytestmark = pytest.mark.integration

AUDIENCE, CLIENT = "https://fleet.company.example", "company-web"
PROVIDERS_PATHS = (
    "/authorize",
    "/oauth/token",
    "/idp/login",
    "/userinfo",
    "/v2/logout",
    "/.well-known/jwks.json",
    "/.well-known/openid-configuration",
)
TOPIC = "fleetlog.location.events.v2"


@pytest.fixture(scope="module")
def company() -> Iterator[TokenIssuer]:
    with TokenIssuer(audience=AUDIENCE) as issuer:
        yield issuer


@pytest.fixture(scope="module")
def instance(company: TokenIssuer, postgres: PostgresServer) -> Iterator[Stack]:
    """An instance on a database that somebody else runs; of the provider it is not told again.

    Nor of the claim in which that names permissions.
    """
    ensure_database(postgres.dsn, "company")
    database = ["--database", make_conninfo(postgres.dsn, dbname="company")]
    provider = ["--issuer", company.origin, "--audience", AUDIENCE, "--client-id", CLIENT]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FLEETLOG_PERMISSIONS_CLAIM", "roles")
        with running_stack(arguments=[*database, *provider]) as stack:
            stack.stop()
            patch.undo()
            stack.arguments[:] = database
            stack.start()
            yield stack


def answer(stack: Stack, path: str, token: str | None = None) -> tuple[int, bytes]:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    connection = http.client.HTTPConnection("127.0.0.1", stack.port, timeout=60)
    connection.request("GET", path, headers=headers)
    response = connection.getresponse()
    try:
        return response.status, response.read()
    finally:
        connection.close()


def test_its_tokens_are_taken_and_no_others(instance: Stack, company: TokenIssuer) -> None:
    roles = ["Fleet.Clerk", "fleet:read"]
    assert answer(instance, "/api/v1/drivers", company.token(roles=roles))[0] == 200
    elsewhere = company.token(roles=roles, aud="https://api.fleetlog.example")
    assert answer(instance, "/api/v1/drivers", elsewhere)[0] == 401
    for issuer in (f"{instance.address}/", company.issuer):
        own = mint_access_token(instance.data / "idp", issuer=issuer, audience=AUDIENCE, user="staff")
        assert answer(instance, "/api/v1/drivers", own)[0] == 401


def test_whoever_looks_after_it_is_told_where_permissions_are_missed(
    instance: Stack, company: TokenIssuer
) -> None:
    for token in (company.token(), company.token(roles=["Fleet.Clerk"])):
        status, body = answer(instance, "/api/v1/drivers", token)
        assert status == 403
        problem = json.loads(body)
        assert problem["missing_permissions"] == ["fleet:read"]
        assert "names no permission at all" in problem["detail"]
        assert "FLEETLOG_PERMISSIONS_CLAIM" in problem["detail"]
        assert "Fleet.Clerk" not in problem["detail"]
    for service in ("command-api", "query-api"):
        assert instance.record().environments[service]["FLEETLOG_PERMISSIONS_CLAIM"] == "roles"


def test_the_development_provider_does_not_run(instance: Stack) -> None:
    assert "identity-provider" not in instance.record().parts
    assert instance.launcher is not None
    parts = command_lines_below(instance.launcher.pid, recursive=True)
    assert not [part for part in parts.values() if "identity_provider" in part]
    assert [answer(instance, path)[0] for path in PROVIDERS_PATHS] == [404] * len(PROVIDERS_PATHS)
    assert instance.run("status").returncode == 0


def test_browsers_are_sent_to_it(instance: Stack, company: TokenIssuer) -> None:
    status, body = answer(instance, "/config.json")
    assert status == 200
    assert json.loads(body)["auth"] == {"domain": company.origin, "clientId": CLIENT, "audience": AUDIENCE}
    with urllib.request.urlopen(instance.address, timeout=60) as page:  # noqa: S310
        assert f"connect-src 'self' {company.origin};" in page.headers["Content-Security-Policy"]
    assert f"(sign in at {company.issuer}; " in instance.output


@pytest.mark.parametrize("words", [("token",), ("demo",), ("events", "tail")])
def test_commands_that_need_a_token_say_where_to_get_one(
    instance: Stack, company: TokenIssuer, words: tuple[str, ...]
) -> None:
    done = instance.run(*words)
    assert (done.returncode, done.stdout) == (1, "")
    assert f"takes tokens of {company.issuer} alone" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_only_its_owner_reads_what_is_remembered_and_a_backup_has_it(instance: Stack, tmp_path: Path) -> None:
    data = DataFolder(instance.data)
    assert stat.S_IMODE(data.sign_in.stat().st_mode) == 0o600
    copy_state(data, tmp_path)
    restored = DataFolder(tmp_path)
    assert remembered(restored) == remembered(data) is not None
    remember(restored, None)
    assert remembered(restored) is None


def test_its_database_is_used(instance: Stack) -> None:
    assert "postgres" not in instance.record().parts
    with psycopg.connect(instance.dsn("command-api")) as connection:
        assert connection.info.user == "company_command"
        assert connection.execute("SELECT count(*) FROM log.events").fetchone() == (0,)


def kafka(verb: str, data: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [*PYTHON, "ops.launcher", "kafka", verb, "--data", str(data), *words]
    return subprocess.run(
        command, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )


@pytest.fixture
def data(tmp_path: Path) -> Iterator[Path]:
    """A data folder whose broker, if it has one, ends with the test."""
    yield tmp_path / "data"
    kafka("down", tmp_path / "data")


@pytest.mark.timeout(600)  # five programs start, one after the other
def test_an_instance_publishes_to_the_broker_that_it_was_given(data: Path) -> None:
    if shutil.which("java") is None or shutil.which("mvn") is None:
        pytest.skip("no Kafka broker: it needs Java 17 or later and Maven")
    port = free_port()
    address = f"127.0.0.1:{port}"
    done = kafka("up", data, "--port", str(port))
    assert f"Kafka is ready: {address}" in done.stdout, done.stderr
    again = kafka("up", data, "--port", str(port))
    assert (again.returncode, "a broker runs on" in again.stderr) == (1, True)
    with running_stack(arguments=["--kafka", address]) as stack:
        answer = httpx.post(
            f"{stack.address}/api/locations",
            json=usual_body("location").sent,
            headers={"Authorization": f"Bearer {stack.token()}"},
            trust_env=False,
        )
        assert answer.status_code == 201, answer.text
        wait_for(lambda: len(read_topics(address, TOPIC)) == 1)
        (row,) = [line for line in stack.run("status").stdout.splitlines() if line.startswith("relay")]
        assert row.split()[1] == "ready"
        broker = next(
            process
            for process in psutil.process_iter(["cmdline"])
            if str(data / "kafka" / "server.properties") in (process.info["cmdline"] or ())
        )
        broker.send_signal(signal.SIGKILL)
        broker.wait(60)
        assert kafka("up", data, "--port", str(port)).returncode == 0
        assert len(read_topics(address, TOPIC)) == 1, "kill -9 costs nothing"
        rewound = stack.run("relay", "rewind", "0")
        assert "publishes again from 1 on" in rewound.stdout, rewound.stderr
        wait_for(lambda: len(read_topics(address, TOPIC)) == 2)
    assert kafka("down", data).stdout == "stopped\n"
    assert kafka("down", data).stdout == "no broker is running\n"
