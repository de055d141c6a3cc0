"""Errors of a company's identity provider never enable sign-in without a password."""

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from ops.base.settings import ServiceSettings
from ops.launcher.cli import main
from ops.launcher.errors import LauncherError
from ops.launcher.gateway.__main__ import GatewaySettings
from ops.launcher.gateway.configuration import write_configuration
from ops.launcher.instance.data_folder import DataFolder
from ops.launcher.instance.sign_in import company_provider, load_provider, save_provider, with_settings
from ops.testing.company_provider import CompanyProvider
from ops.testing.gateway import container_environment

AUDIENCE, CLIENT = "https://fleet.company.example", "company-web"


@pytest.fixture(scope="module")
def company() -> Iterator[CompanyProvider]:
    with CompanyProvider(audience=AUDIENCE, client_id=CLIENT) as provider:
        yield provider


Up = Callable[..., str]


@pytest.fixture
def up(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Up:
    """Run `up`, which must fail, and return its line of output."""

    def up(*arguments: str) -> str:
        assert main(["up", "--data", str(tmp_path / "data"), *arguments]) == 1
        output, errors = capsys.readouterr()
        assert output == ""
        (line,) = errors.splitlines()
        return line

    return up


@pytest.mark.parametrize(
    ("arguments", "output"),
    [
        (["--issuer", "{issuer}"], "needs --issuer, --audience and --client-id"),
        (["--audience", "apis", "--client-id", "web"], "needs --issuer, --audience and --client-id"),
        (["--issuer", "{issuer}", "--audience", "", "--client-id", "web"], "needs --issuer, --audience"),
        (["--jwks", "{issuer}"], "needs --issuer, --audience and --client-id"),
        (["--issuer", "{issuer}", "--development-sign-in"], "cannot be combined with a company's"),
        (["--issuer", "http://tenant.example/", "{more}"], "must be an address with https"),
        (["--issuer", "https://tenant.example/?realm", "{more}"], "must be an address with https"),
        (["--issuer", "https://tenant.example;'/", "{more}"], "must be scheme and host"),
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
    up: Up, tmp_path: Path, company: CompanyProvider, arguments: list[str], output: str
) -> None:
    localhost = company.origin.replace("127.0.0.1", "localhost")
    words = [word.format(issuer=company.issuer, localhost=localhost, more="{more}") for word in arguments]
    rest = ["--audience", "apis", "--client-id", "web"]
    asked = [part for word in words for part in (rest if word == "{more}" else [word])]
    assert output in up(*asked)
    assert load_provider(DataFolder(tmp_path / "data")) is None


OPENID = "/realms/fleet"


@pytest.mark.parametrize("path", [None, OPENID, f"{OPENID}/", "/"])
@pytest.mark.parametrize("slash", ["", "/"])
def test_the_protocol_follows_from_the_metadata(path: str | None, slash: str) -> None:
    with CompanyProvider(audience=AUDIENCE, client_id=CLIENT, path=path) as company:
        typed = f"{company.issuer.removesuffix('/')}{slash}"
        provider = company_provider(typed, audience=AUDIENCE, client_id=CLIENT, jwks_url=None)
        assert provider.issuer == company.issuer
        assert provider.browser_settings == company.config["auth"]
        assert provider.browser_origins == company.origin
        # With discovery, services follow a move of the keys.
        found = ("auth0", company.jwks_url) if path is None else ("oidc", "")
        assert (provider.protocol, provider.jwks_url) == found


def test_auth0s_paths_below_an_origin_are_no_auth0() -> None:
    with CompanyProvider(audience=AUDIENCE, client_id=CLIENT, path="/tenant/") as company:
        company.further = {
            "authorization_endpoint": f"{company.issuer}authorize",
            "token_endpoint": f"{company.issuer}oauth/token",
        }
        provider = company_provider(company.issuer, audience=AUDIENCE, client_id=CLIENT, jwks_url=None)
        assert provider.protocol == "oidc"


def test_origins_of_other_endpoints_are_for_browsers_too() -> None:
    with CompanyProvider(audience=AUDIENCE, client_id=CLIENT, path="") as company:
        company.further = {
            "token_endpoint": "https://Tokens.example/token",
            "revocation_endpoint": "https://people.example:8443/me",
            "jwks_uri": company.jwks_url,
        }
        provider = company_provider(company.issuer, audience=AUDIENCE, client_id=CLIENT, jwks_url=None)
        assert (
            provider.browser_origins == f"{company.origin} https://people.example:8443 https://tokens.example"
        )


def test_a_gateway_in_a_container_adds_the_origins_of_its_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    openid = {
        **container_environment(tmp_path),
        "FLEETLOG_PORT": "8080",
        "FLEETLOG_SIGN_IN": "oidc",
        "FLEETLOG_ISSUER": "https://sso.example/realms/fleet",
        "FLEETLOG_SIGN_IN_ORIGINS": "https://tokens.example https://people.example",
        "FLEETLOG_SIGN_IN_SCOPE": "api://fleet/.default",
    }
    for name, value in openid.items():
        monkeypatch.setenv(name, value)
    upstreams = dict.fromkeys(("command-api", "query-api", "identity-provider"), ())
    write = partial(
        write_configuration, tmp_path, address="https://a.example", upstreams=upstreams, frontend=tmp_path
    )
    write(listen=["127.0.0.1:1"], provider=GatewaySettings().provider())
    assert json.loads((tmp_path / "config.json").read_text())["auth"] == {
        "issuer": "https://sso.example/realms/fleet",
        "clientId": "web",
        "audience": "https://api.example",
        "scope": "api://fleet/.default",
    }
    origins = "https://sso.example https://tokens.example https://people.example"
    for directive in ("connect-src", "frame-src"):
        assert f"{directive} 'self' {origins};" in (tmp_path / "fleetlog.conf").read_text()
    monkeypatch.setenv("FLEETLOG_SIGN_IN_ORIGINS", "https://tokens.example/token")
    with pytest.raises(LauncherError, match="FLEETLOG_SIGN_IN_ORIGINS"):
        write(listen=["127.0.0.1:1"], provider=GatewaySettings().provider())


@pytest.mark.parametrize(
    ("further", "refusal"),
    [
        ({"authorization_endpoint": 1}, "no authorization endpoint with https"),
        ({"token_endpoint": "http://tenant.example/token"}, "no token endpoint with https"),
        ({"code_challenge_methods_supported": ["plain"]}, "does not support PKCE with S256"),
        ({"token_endpoint": "https://[tenant/token"}, "an endpoint with a malformed address"),
        ({"jwks_uri": "http://tenant.example/keys"}, "keys must be at an address with https"),
        ({"end_session_endpoint": "https://a.example; script-src *"}, "must be scheme and host"),
    ],
)
def test_an_insecure_provider_is_refused(further: dict[str, object], refusal: str) -> None:
    with CompanyProvider(audience=AUDIENCE, client_id=CLIENT, path=OPENID) as company:
        company.further = further
        with pytest.raises(LauncherError, match=refusal):
            company_provider(company.issuer, audience=AUDIENCE, client_id=CLIENT, jwks_url=None)


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
        provider = with_settings(provider, environment)
        assert (provider.permissions, provider.permissions_claim) == expected
        save_provider(folder, provider)
        assert load_provider(folder) == provider
    assert with_settings(provider, {"FLEETLOG_SIGN_IN": "oidc"}).protocol == "oidc"
    for name, value, refusal in (
        ("PERMISSIONS", "anybody", " must be claim or everyone"),
        ("SIGN_IN", "saml", " must be auth0 or oidc"),
        ("ROLES", "admins=owner", ": entry 1 must be VALUE=ROLE"),
    ):
        with pytest.raises(LauncherError, match=f"^FLEETLOG_{name}{refusal}"):
            with_settings(provider, {f"FLEETLOG_{name}": value})


@pytest.mark.parametrize("text", ["", "{}", '{"issuer": "x"}', "{"])
def test_a_damaged_provider_file_does_not_enable_the_development_provider(tmp_path: Path, text: str) -> None:
    (tmp_path / "sign-in.json").write_text(text)
    with pytest.raises(LauncherError, match=r"sign-in\.json is damaged: name the identity provider again"):
        load_provider(DataFolder(tmp_path))


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
