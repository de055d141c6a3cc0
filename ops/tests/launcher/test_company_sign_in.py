"""`./fleetlog up` with a company's identity provider: its tokens alone, and no sign-in without a password."""

import http.client
import json
import stat
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from ops.base.settings import ServiceSettings
from ops.launcher.backups.taking import copy_state
from ops.launcher.identity_provider.tokens import mint_access_token
from ops.launcher.instance.data_folder import DataFolder
from ops.launcher.instance.sign_in import remember, remembered
from ops.launcher.paths import PYTHON
from ops.testing.stack import Stack, running_stack
from ops.testing.token_issuer import TokenIssuer

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


@pytest.fixture(scope="module")
def company() -> Iterator[TokenIssuer]:
    with TokenIssuer(audience=AUDIENCE) as issuer:
        yield issuer


@pytest.fixture(scope="module")
def instance(company: TokenIssuer) -> Iterator[Stack]:
    """An instance that was told of the company's provider once, and has been started again since."""
    output = ["--issuer", company.origin, "--audience", AUDIENCE, "--client-id", CLIENT]
    with running_stack(arguments=output) as stack:
        stack.stop()
        stack.arguments.clear()
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


@pytest.mark.integration
def test_its_tokens_are_taken_and_no_others(instance: Stack, company: TokenIssuer) -> None:
    assert answer(instance, "/api/v1/drivers", company.token())[0] == 200
    assert answer(instance, "/api/v1/drivers", company.token(aud="https://api.fleetlog.example"))[0] == 401
    for issuer in (f"{instance.address}/", company.issuer):
        own = mint_access_token(instance.data / "idp", issuer=issuer, audience=AUDIENCE, user="staff")
        assert answer(instance, "/api/v1/drivers", own)[0] == 401


@pytest.mark.integration
def test_the_development_provider_does_not_run(instance: Stack) -> None:
    assert "identity-provider" not in instance.record().parts
    assert instance.launcher is not None
    children = psutil.Process(instance.launcher.pid).children(recursive=True)
    assert not [child for child in children if "identity_provider" in " ".join(child.cmdline())]
    assert [answer(instance, path)[0] for path in PROVIDERS_PATHS] == [404] * len(PROVIDERS_PATHS)
    assert instance.run("status").returncode == 0


@pytest.mark.integration
def test_browsers_are_sent_to_it(instance: Stack, company: TokenIssuer) -> None:
    status, body = answer(instance, "/config.json")
    assert status == 200
    assert json.loads(body)["auth"] == {"domain": company.origin, "clientId": CLIENT, "audience": AUDIENCE}
    with urllib.request.urlopen(instance.address, timeout=60) as page:  # noqa: S310
        assert f"connect-src 'self' {company.origin};" in page.headers["Content-Security-Policy"]
    assert f"(sign in at {company.issuer}; " in instance.output


@pytest.mark.integration
@pytest.mark.parametrize("words", [("token",), ("demo",), ("events", "tail")])
def test_commands_that_need_a_token_say_where_to_get_one(
    instance: Stack, company: TokenIssuer, words: tuple[str, ...]
) -> None:
    done = instance.run(*words)
    assert (done.returncode, done.stdout) == (1, "")
    assert f"takes tokens of {company.issuer} alone" in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.integration
def test_only_its_owner_reads_what_is_remembered_and_a_backup_has_it(instance: Stack, tmp_path: Path) -> None:
    data = DataFolder(instance.data)
    assert stat.S_IMODE(data.sign_in.stat().st_mode) == 0o600
    copy_state(data, tmp_path)
    restored = DataFolder(tmp_path)
    assert remembered(restored) == remembered(data) is not None
    remember(restored, None)
    assert remembered(restored) is None


def up(data: Path, *arguments: str) -> str:
    """The line with which `up` refuses."""
    command = [*PYTHON, "ops.launcher", "up", "--data", str(data), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout) == (1, "")
    (line,) = done.stderr.splitlines()
    return line


@pytest.mark.parametrize(
    ("arguments", "output"),
    [
        (["--issuer", "{issuer}"], "takes --issuer, --audience and --client-id"),
        (["--audience", "apis", "--client-id", "web"], "takes --issuer, --audience and --client-id"),
        (["--issuer", "{issuer}", "--audience", "", "--client-id", "web"], "takes --issuer, --audience"),
        (["--jwks", "{issuer}"], "takes --issuer, --audience and --client-id"),
        (["--issuer", "{issuer}", "--development-sign-in"], "instead of a company's"),
        (["--issuer", "http://tenant.example/", "{more}"], "must be an origin with https"),
        (["--issuer", "https://tenant.example/realm/", "{more}"], "must be an origin with https"),
        (["--issuer", "https://tenant.example/;'", "{more}"], "must be an origin with https"),
        (["--issuer", "{localhost}", "{more}"], "is about another issuer than"),
        (["--issuer", "http://127.0.0.1:1", "{more}"], "does not answer"),
        (["--issuer", "{issuer}", "{more}", "--jwks", "http://tenant.example/keys"], "check --jwks"),
        (
            ["--issuer", "{issuer}", "{more}", "--jwks", "{issuer}.well-known/openid-configuration"],
            "holds no keys",
        ),
    ],
)
def test_what_cannot_work_is_refused_in_a_line_and_not_remembered(
    tmp_path: Path, company: TokenIssuer, arguments: list[str], output: str
) -> None:
    localhost = company.origin.replace("127.0.0.1", "localhost")
    words = [word.format(issuer=company.issuer, localhost=localhost, more="{more}") for word in arguments]
    rest = ["--audience", "apis", "--client-id", "web"]
    asked = [part for word in words for part in (rest if word == "{more}" else [word])]
    assert output in up(tmp_path / "data", *asked)
    assert remembered(DataFolder(tmp_path / "data")) is None


@pytest.mark.parametrize("text", ["", "{}", '{"issuer": "x"}', "{"])
def test_nobody_is_let_in_without_a_password_because_a_file_is_damaged(tmp_path: Path, text: str) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "sign-in.json").write_text(text)
    assert "sign-in.json is damaged: name the identity provider again" in up(tmp_path / "data")


@pytest.mark.parametrize(
    ("settings", "output"),
    [
        ({"issuer": "http://tenant.example/", "environment": "production"}, "FLEETLOG_ISSUER: must begin"),
        ({"issuer": "http://tenant.example/", "environment": "development"}, "FLEETLOG_ISSUER: must begin"),
        ({"issuer": "http://localhost:8080/", "environment": "production"}, "FLEETLOG_ISSUER: must begin"),
        ({"issuer": "https://tenant.example/", "jwks_url": "http://gateway/keys"}, "FLEETLOG_JWKS_URL: must"),
        ({"issuer": "https://tenant.example/"}, ""),
        ({"issuer": "https://tenant.example/", "jwks_url": "http://127.0.0.1:9000/keys"}, ""),
        (
            {
                "issuer": "http://localhost:8080/",
                "jwks_url": "http://gateway/keys",
                "environment": "development",
            },
            "",
        ),
        ({}, ""),
    ],
)
def test_services_trust_nobody_whom_somebody_on_the_way_could_be(
    monkeypatch: pytest.MonkeyPatch, settings: dict[str, str], output: str
) -> None:
    monkeypatch.setenv("FLEETLOG_DATABASE", "postgresql://127.0.0.1:1/none")
    for name in ("issuer", "jwks_url", "environment"):
        monkeypatch.delenv(f"FLEETLOG_{name.upper()}", raising=False)
        if name in settings:
            monkeypatch.setenv(f"FLEETLOG_{name.upper()}", settings[name])
    if not output:
        ServiceSettings.load()
        return
    with pytest.raises(SystemExit) as refused:
        ServiceSettings.load()
    assert str(refused.value).startswith(output)
    assert settings["issuer"] not in str(refused.value)
