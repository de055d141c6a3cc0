"""Errors of a company's identity provider never enable sign-in without a password."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from ops.base.settings import ServiceSettings
from ops.launcher.errors import LauncherError
from ops.launcher.instance.data_folder import DataFolder
from ops.launcher.instance.sign_in import load_provider, save_provider, with_permissions
from ops.launcher.paths import PYTHON
from ops.testing.token_issuer import TokenIssuer

AUDIENCE, CLIENT = "https://fleet.company.example", "company-web"


@pytest.fixture(scope="module")
def company() -> Iterator[TokenIssuer]:
    with TokenIssuer(audience=AUDIENCE) as issuer:
        yield issuer


def up(data: Path, *arguments: str) -> str:
    """Run `up`, which must fail, and return its line of output."""
    command = [*PYTHON, "ops.launcher", "up", "--data", str(data), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout) == (1, "")
    (line,) = done.stderr.splitlines()
    return line


@pytest.mark.parametrize(
    ("arguments", "output"),
    [
        (["--issuer", "{issuer}"], "needs --issuer, --audience and --client-id"),
        (["--audience", "apis", "--client-id", "web"], "needs --issuer, --audience and --client-id"),
        (["--issuer", "{issuer}", "--audience", "", "--client-id", "web"], "needs --issuer, --audience"),
        (["--jwks", "{issuer}"], "needs --issuer, --audience and --client-id"),
        (["--issuer", "{issuer}", "--development-sign-in"], "cannot be combined with a company's"),
        (["--issuer", "http://tenant.example/", "{more}"], "must be an origin with https"),
        (["--issuer", "https://tenant.example/realm/", "{more}"], "must be an origin with https"),
        (["--issuer", "https://tenant.example/;'", "{more}"], "must be an origin with https"),
        (["--issuer", "{localhost}", "{more}"], "describes another issuer than"),
        (["--issuer", "http://127.0.0.1:1", "{more}"], "does not answer"),
        (["--issuer", "{issuer}", "{more}", "--jwks", "http://tenant.example/keys"], "check --jwks"),
        (
            ["--issuer", "{issuer}", "{more}", "--jwks", "{issuer}.well-known/openid-configuration"],
            "has no keys",
        ),
    ],
)
def test_an_unusable_provider_is_refused_and_not_saved(
    tmp_path: Path, company: TokenIssuer, arguments: list[str], output: str
) -> None:
    localhost = company.origin.replace("127.0.0.1", "localhost")
    words = [word.format(issuer=company.issuer, localhost=localhost, more="{more}") for word in arguments]
    rest = ["--audience", "apis", "--client-id", "web"]
    asked = [part for word in words for part in (rest if word == "{more}" else [word])]
    assert output in up(tmp_path / "data", *asked)
    assert load_provider(DataFolder(tmp_path / "data")) is None


def test_the_source_of_permissions_is_saved_until_changed(tmp_path: Path) -> None:
    folder = DataFolder(tmp_path)
    saved = {"issuer": "https://tenant.example/", "audience": "a", "client_id": "c", "jwks_url": "https://k/"}
    folder.sign_in.write_text(json.dumps(saved))  # as releases without permissions wrote it
    provider = load_provider(folder)
    assert provider is not None
    assert (provider.permissions, provider.permissions_claim) == ("claim", "permissions")
    for environment, expected in (
        ({"FLEETLOG_PERMISSIONS_CLAIM": "roles"}, ("claim", "roles")),
        ({}, ("claim", "roles")),
        ({"FLEETLOG_PERMISSIONS": "everyone", "FLEETLOG_PERMISSIONS_CLAIM": ""}, ("everyone", "roles")),
        ({"FLEETLOG_PERMISSIONS": "claim"}, ("claim", "roles")),
    ):
        provider = with_permissions(provider, environment)
        assert (provider.permissions, provider.permissions_claim) == expected
        save_provider(folder, provider)
        assert load_provider(folder) == provider
    with pytest.raises(LauncherError, match="FLEETLOG_PERMISSIONS must be claim or everyone"):
        with_permissions(provider, {"FLEETLOG_PERMISSIONS": "anybody"})


@pytest.mark.parametrize("text", ["", "{}", '{"issuer": "x"}', "{"])
def test_a_damaged_provider_file_does_not_enable_the_development_provider(tmp_path: Path, text: str) -> None:
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
def test_services_refuse_providers_without_https(
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
