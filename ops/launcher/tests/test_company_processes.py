"""`./fleetlog up` with a company's own identity provider and database."""

import json
import os
import stat
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from ops.development.identity_provider.tokens import TokenSigner, load_or_create_key
from ops.development.identity_provider.users import user_named
from ops.launcher.backups.creation import copy_state
from ops.launcher.instance.data_folder import DataFolder
from ops.launcher.instance.sign_in import load_provider, save_provider
from ops.launcher.paths import PYTHON
from ops.launcher.postgres.server import ensure_database
from ops.testing.company_provider import CompanyProvider
from ops.testing.gateway import Gateway
from ops.testing.postgres import PostgresServer
from ops.testing.processes import command_lines_below
from ops.testing.stack import Stack, running_stack

pytestmark = pytest.mark.integration

AUDIENCE, CLIENT = "https://fleet.company.example", "company-web"
PROVIDERS_PATHS = (
    "/authorize",
    "/oauth/token",
    "/idp/login",
    "/v2/logout",
    "/.well-known/jwks.json",
    "/.well-known/openid-configuration",
)
TOPIC = "fleetlog.location.events.v2"


@pytest.fixture(scope="module")
def company() -> Iterator[CompanyProvider]:
    with CompanyProvider(audience=AUDIENCE, client_id=CLIENT) as provider:
        yield provider


@pytest.fixture(scope="module")
def instance(company: CompanyProvider, postgres: PostgresServer) -> Iterator[Stack]:
    """An instance on the company's database, restarted without the options of its provider and claim."""
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
    found = Gateway(stack.port)(path, host="127.0.0.1", headers=headers)
    return found.status, found.body


def test_only_tokens_of_the_companys_provider_are_accepted(instance: Stack, company: CompanyProvider) -> None:
    roles = ["Fleet.Clerk", "fleet:read"]
    assert answer(instance, "/api/v1/drivers", company.token(roles=roles))[0] == 200
    elsewhere = company.token(roles=roles, aud="https://api.fleetlog.example")
    assert answer(instance, "/api/v1/drivers", elsewhere)[0] == 401
    for issuer in (f"{instance.address}/", company.issuer):
        signer = TokenSigner(load_or_create_key(instance.data / "idp"), issuer, AUDIENCE)
        own = signer.access_token(user_named("staff"))
        assert answer(instance, "/api/v1/drivers", own)[0] == 401


def test_the_development_provider_does_not_run(instance: Stack) -> None:
    assert "identity-provider" not in instance.record().processes
    assert instance.launcher is not None
    parts = command_lines_below(instance.launcher.pid, recursive=True)
    assert not [part for part in parts.values() if "identity_provider" in part]
    assert [answer(instance, path)[0] for path in PROVIDERS_PATHS] == [404] * len(PROVIDERS_PATHS)
    assert instance.run("status").returncode == 0


def test_browsers_sign_in_at_the_companys_provider(instance: Stack, company: CompanyProvider) -> None:
    status, body = answer(instance, "/config.json")
    assert status == 200
    assert json.loads(body)["auth"] == {"domain": company.origin, "clientId": CLIENT, "audience": AUDIENCE}
    with urllib.request.urlopen(instance.address, timeout=60) as page:  # noqa: S310
        assert f"connect-src 'self' {company.origin};" in page.headers["Content-Security-Policy"]
    assert f"(sign in at {company.issuer}; " in instance.output


def typed(*words: str, **environment: str) -> subprocess.Popen[str]:
    """Start a command of a user without an instance on this machine."""
    return subprocess.Popen(
        [*PYTHON, "ops.launcher", *words],
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def result_of(command: subprocess.Popen[str], *, status: int = 0) -> tuple[str, str]:
    """Return the output of a command at its end."""
    output, errors = command.communicate(timeout=300)
    assert command.returncode == status, errors
    return output, errors


def test_a_user_signs_in_with_any_browser(
    instance: Stack, company: CompanyProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    company.claims_given = {"roles": ["feed:read"]}
    assert (
        answer(
            instance, "/api/v1/events", result_of(typed("token", "--data", str(instance.data)))[0].strip()
        )[0]
        == 200
    )
    company.not_yet = ["authorization_pending"] * 3
    output, errors = result_of(typed("events", "export", "--url", instance.address))
    assert (output, company.not_yet) == ("", [])
    assert f"open this in any browser:\n{company.issuer}activate?user_code=ABCD-EFGH" in errors
    assert "enter, the code ABCD-EFGH" in errors

    monkeypatch.setattr(company, "refusal", "access_denied")
    _, errors = result_of(typed("token", "--url", instance.address), status=1)
    assert errors.endswith(f"fleetlog: {company.issuer} refuses: It is access_denied.\n")
    # With a token, no sign-in is necessary.
    token = company.token(roles=["feed:read"])
    assert result_of(typed("events", "export", "--url", instance.address, FLEETLOG_TOKEN=token)) == ("", "")
    _, errors = result_of(typed("demo", "--url", instance.address, FLEETLOG_TOKEN="no token"), status=1)
    assert "The access token is not valid." in errors


def test_roles_are_refused_at_a_companys_provider(instance: Stack, company: CompanyProvider) -> None:
    _, errors = result_of(typed("token", "--url", instance.address, "--as", "staff"), status=1)
    assert errors == f"fleetlog: {company.issuer} asks users to sign in: omit --as\n"


def test_the_saved_provider_is_private_and_in_backups(instance: Stack, tmp_path: Path) -> None:
    data = DataFolder(instance.data)
    assert stat.S_IMODE(data.sign_in.stat().st_mode) == 0o600
    copy_state(data, tmp_path)
    restored = DataFolder(tmp_path)
    assert load_provider(restored) == load_provider(data) is not None
    save_provider(restored, None)
    assert load_provider(restored) is None


def test_the_companys_database_is_used(instance: Stack) -> None:
    assert "postgres" not in instance.record().processes
    with psycopg.connect(instance.dsn("command-api")) as connection:
        assert connection.info.user == "company_command"
        assert connection.execute("SELECT count(*) FROM log.events").fetchone() == (0,)
